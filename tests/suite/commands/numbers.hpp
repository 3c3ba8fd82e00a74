// Options that are numbers: counts, seeds, durations. What is none is refused in a line that says what belongs there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

namespace colex {

// All of the text as an integer from `least` to `most`.
template <std::integral N>
std::optional<N> integer_in(std::string const& text, N least, N most) {
  N n = 0;
  char const* const end = text.data() + text.size();
  auto const [stopped, wrong] = std::from_chars(text.data(), end, n);
  return wrong == std::errc() && stopped == end && n >= least && n <= most ? std::optional(n) : std::nullopt;
}
template <std::integral N>
CLI::Option* add_integer(CLI::App& app, std::string const& name, N& to, std::string const& help, N least = 0,
                         N most = std::numeric_limits<N>::max()) {
  auto const take = [=, &to](std::string const& text) {
    std::optional<N> const n = integer_in(text, least, most);
    if (!n)
      throw CLI::ValidationError(
          name, "'" + text.substr(0, 100) + "' is no integer from " + std::to_string(least) + " to " + std::to_string(most));
    to = *n;
  };
  return app.add_option_function<std::string>(name, take, help)->type_name("N");
}

// Seconds: a number, with s, m or h behind it; more than nothing, and a year at most.
inline std::optional<double> seconds_in(std::string text) {
  double unit = 1;
  if (text.ends_with('h')) unit = 3600;
  if (text.ends_with('m')) unit = 60;
  if (!text.empty() && std::string_view("smh").find(text.back()) != std::string_view::npos) text.pop_back();
  double n = 0;
  char const* const end = text.data() + text.size();
  auto const [stopped, wrong] = std::from_chars(text.data(), end, n, std::chars_format::fixed);
  bool const good = wrong == std::errc() && stopped == end && n > 0 && n * unit <= 365 * 24 * 3600;
  return good ? std::optional(n * unit) : std::nullopt;
}
inline CLI::Option* add_duration(CLI::App& app, std::string const& name, double& to, std::string const& help) {
  auto const take = [=, &to](std::string const& text) {
    std::optional<double> const seconds = seconds_in(text);
    if (!seconds)
      throw CLI::ValidationError(
          name, "'" + text.substr(0, 100) + "' is no duration such as 30s, 5m or 1h, more than 0, at most a year");
    to = *seconds;
  };
  return app.add_option_function<std::string>(name, take, help)->type_name("DURATION");
}

}  // namespace colex
