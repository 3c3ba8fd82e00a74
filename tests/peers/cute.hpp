// CuTe C++ for the adapters, which write a table of functions behind this: shows CuTe's values in the notation of the
// wire, and answers requests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

// Behind those of the system: sycl-tla declares an ffs() of its own.
#include <cutlass/version.h>
#include <cute/layout.hpp>
#include <cute/layout_composed.hpp>
#include <cute/swizzle_layout.hpp>

using std::string;

template <class T>
string show(T const& v);

template <class T>
string list(T const& items) {
  string s;
  cute::for_each(items, [&](auto const& x) { s += (s.empty() ? "" : ",") + show(x); });
  return "(" + s + ")";
}
template <class T, int... N>
string show_basis(cute::ScaledBasis<T, N...> const& v) {
  string s = show(v.value()), modes;
  ((modes = "@" + std::to_string(N) + modes), ...);
  return s + modes;
}
template <int B, int M, int S>
string show_swizzle(cute::Swizzle<B, M, S> const&) {
  return "Sw<" + std::to_string(B) + "," + std::to_string(M) + "," + std::to_string(S) + ">";
}
template <class L, class I>
string show_view(cute::tuple<L, I> const& v) {  // a layout and its offset
  string const offset = show(cute::get<1>(v)) + "o", layout = show(cute::get<0>(v));
  return cute::is_composed_layout<L>::value ? layout : offset + layout;
}

template <class T>
string show(T const& v) {
  if constexpr (cute::is_composed_layout<T>::value)
    return show(v.layout_a()) + "o" + show(v.offset()) + "o" + show(v.layout_b());
  else if constexpr (cute::is_layout<T>::value)
    return show(v.shape()) + ":" + show(v.stride());
  else if constexpr (cute::is_scaled_basis<T>::value)
    return show_basis(v);
  else if constexpr (requires { show_swizzle(v); })
    return show_swizzle(v);
  else if constexpr (requires { cute::get<0>(v).layout(); } || requires { cute::get<0>(v).stride(); })
    return show_view(v);
  else if constexpr (cute::is_tuple<T>::value)
    return list(v);
  else if constexpr (requires { v.value; })
    return show(v.value);
  else if constexpr (std::is_same_v<T, bool>)
    return v ? "true" : "false";
  else
    return std::to_string(v);
}

// For a table of types: an expression without a run-time value has its answer in its type.
template <class T>
struct answered;
template <class F>
constexpr auto frozen(F f) {
  if constexpr (std::is_integral_v<decltype(f())>)
    return cute::C<f()>{};
  else
    return f();
}

// A request with n for each integer, and its function of them, or why there is none.
struct row {
  string request;
  string (*answer)(int const*);
  string refused;
};
extern std::vector<row> const table;

// The line with n for each integer, and the integers; false when one is no int of CuTe's.
inline bool split(string const& line, string& key, std::vector<int>& integers) {
  std::size_t k = key.assign(line, 0, line.find(' ')).size();
  while (k < line.size()) {
    std::size_t const end = line.find_first_not_of("0123456789", k + (line[k] == '-'));
    string const number = line.substr(k, end - k);
    if (number.empty() || number == "-") {
      key += line[k++];
      continue;
    }
    long long const n = number.size() < 12 ? std::stoll(number) : 1LL << 62;
    if (n != static_cast<int>(n)) return false;
    integers.push_back(static_cast<int>(n));
    key += 'n';
    k += number.size();
  }
  return true;
}

inline string respond(std::unordered_map<string, row const*> const& known, string const& line) {
  string key;
  std::vector<int> integers;
  if (!split(line, key, integers)) return "unsupported an integer beyond int";
  auto const at = known.find(key);
  if (at == known.end()) return "unsupported profile";
  return at->second->answer ? at->second->answer(integers.data()) : at->second->refused;
}

// With an argument, the answers of all functions; otherwise to what comes on standard input.
int main(int count, char**) {
  std::unordered_map<string, row const*> known;
  for (row const& r : table)
    if (count < 2)
      known.emplace(r.request, &r);
    else if (r.answer)
      std::cout << r.answer(nullptr) << std::endl;
  std::ios::sync_with_stdio(false);
  for (string line; count < 2 && std::getline(std::cin, line);) {
    std::cout << respond(known, line) << '\n';
    if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();
  }
}
