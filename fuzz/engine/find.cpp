// A find, printed and kept.
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/engine/find.hpp"

#include "tests/suite/peer/peer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace colex::fuzz {

namespace {

char const* finds_file() {
  static char const* const file = std::getenv("COLEX_FINDS");
  return file;
}

// The laws in a file of finds; a line that a killed process left unfinished holds none.
std::set<std::string> recorded() {
  std::set<std::string> laws;
  if (!finds_file()) return laws;
  std::ifstream in(finds_file());
  for (std::string line; std::getline(in, line);)
    if (auto const f = nlohmann::json::parse(line, nullptr, false); f.is_object()) laws.insert(f.value("law", ""));
  return laws;
}
std::set<std::string>& laws_known() {
  static std::set<std::string> laws = recorded();
  return laws;
}

[[noreturn]] void fail(std::string const& what) {
  fmt::print(stderr, "fuzz: {}\n", what);
  std::_Exit(2);
}

// One write to the end of the file, whole: several processes share it, and any of them may be killed. It begins a line of its
// own, whatever the last one left.
void append(std::string const& text) {
  std::string const line = "\n" + text;
  int const file = open(finds_file(), O_WRONLY | O_APPEND | O_CREAT, 0644);
  bool const written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && fsync(file) == 0;
  if (!written) fail(fmt::format("cannot write {}: {}", finds_file(), std::strerror(errno)));
  close(file);
}

}  // namespace

std::string print(std::vector<binding> const& where) {
  std::string s;
  for (auto const& [name, v] : where) s += (s.empty() ? "" : " ") + name + "=" + print(v);
  return s;
}

bool known(std::string const& law) { return !laws_known().empty() && laws_known().contains(law); }

void report(find const& f) {
  std::string const where = print(f.where);
  nlohmann::json const record{
      {"target", f.target}, {"law", f.law}, {"where", where}, {"case", f.line}, {"got", printable(f.got, 2000)}};
  if (finds_file()) append(record.dump());  // first of all: what has been said is not lost
  fmt::print(stderr, "FIND {} ({})\n", f.law, f.target);
  if (!f.line.empty()) fmt::print(stderr, "  case   {}   # {}\n", printable(f.line, 2000), f.law);
  if (!where.empty()) fmt::print(stderr, "  again  colex conform --only '{} {}' -- PROGRAM\n", f.law, printable(where, 2000));
  fmt::print(stderr, "  got    {}\n", printable(f.got, 2000));
  if (!finds_file()) std::abort();
  laws_known().insert(f.law);
}

}  // namespace colex::fuzz
