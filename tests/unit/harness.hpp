// The tool and the misbehaving program, as tests run them: both lie beside the test. What such a run came to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace colex::harness {

namespace fs = std::filesystem;
using json = nlohmann::json;

inline fs::path const here = fs::read_symlink("/proc/self/exe").parent_path();
// A program beside the test, as a shell reads it: a folder's name may have spaces.
inline std::string quoted(std::string const& name) { return "'" + (here / name).string() + "'"; }
inline std::string const tool = quoted("colex"), broken_program = quoted("broken");

struct folder {
  fs::path at = fs::temp_directory_path() / ("runner_test." + std::to_string(getpid()));
  folder() { fs::create_directories(at); }
  ~folder() { fs::remove_all(at); }
  std::string file(std::string const& name) const { return (at / name).string(); }
};
inline folder const scratch;

inline std::string contents(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void store(std::string const& file, std::string const& text) { std::ofstream(file, std::ios::binary) << text; }

struct result {
  int status;
  std::string out, err;
};
inline result shell(std::string const& command) {
  std::string const out = scratch.file("out"), err = scratch.file("err");
  int const s = std::system(("{ " + command + "\n} >" + out + " 2>" + err).c_str());
  return {WIFEXITED(s) ? WEXITSTATUS(s) : -1, contents(out), contents(err)};
}

inline bool says(result const& r, std::string const& text) { return (r.out + r.err).find(text) != std::string::npos; }

// The laws of two operations, so that one can misbehave and the other shows that nothing else is lost.
inline std::string const laws_asked = "--law 'co[am][lp]*' --cases /dev/null --count 150 --timeout 1 ";

struct judged {
  result said;
  json report;
  json const& law(std::string const& name) const {
    for (json const& l : report["laws"])
      if (l["law"] == name) return l;
    throw std::out_of_range(name);
  }
  std::size_t count(std::string const& verdict, std::string const& operation) const {
    std::size_t n = 0;
    for (json const& l : report["laws"])
      if (l["operation"] == operation) n += l["count"][verdict].get<std::size_t>();
    return n;
  }
};
inline judged judge(std::string const& options, std::string const& program) {
  std::string const file = scratch.file("report.json");
  fs::remove(file);
  result r = shell(tool + " conform " + options + " --json " + file + " -- " + program);
  return {r, fs::exists(file) ? json::parse(contents(file)) : json()};
}
inline judged judge_broken_one(std::string const& mode, std::string const& options = laws_asked) {
  return judge(options, broken_program + " " + mode);
}

// A program that says so on 'hello', and otherwise does what it is told: by itself it answers 1.
inline std::string script(std::string const& hello, std::string const& otherwise = "echo 1") {
  std::string const file = scratch.file("script.sh");
  store(file, "while read -r op rest; do if [ \"$op\" = hello ]; then echo '" + hello + "'; else " + otherwise + "; fi; done");
  return "sh " + file;
}
// The command that a report says to give again, or nothing.
inline std::string again_line(std::string const& text) {
  std::smatch m;
  return std::regex_search(text, m, std::regex("\n  again  colex ([^\n]*)")) ? m[1].str() : "";
}

}  // namespace colex::harness
