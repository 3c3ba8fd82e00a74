// The tool as WebAssembly: its commands that need no other program, for node, and what the playground asks. A page gets a line
// of JSON for each line. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/judge/files.hpp"
#include "tests/suite/picture/convert.hpp"
#include "tests/web/src/look.hpp"

#include <nlohmann/json.hpp>

#include <emscripten.h>

namespace colex {

int ask_peers(std::string const&, std::string const&, bool) {
  return complain("ask: --peers asks other programs, and here there are none"), bad_usage;
}

// A page makes a PNG of the SVG by itself.
std::string converted(std::string const&, std::string const& format) {
  throw bad_file("a picture becomes " + format + " by another program, and here there is none");
}

namespace {

using json = nlohmann::ordered_json;

// f(line) as text, until the next call. What nobody expects is told, too: a page must go on.
char const* json_text(json (*f)(std::string const&), char const* line) {
  static std::string kept;
  json out;
  try {
    out = f(line);
  } catch (std::exception const& e) {
    out = {{"status", "malformed"}, {"reason", e.what()}, {"column", 0}};
  }
  kept = out.dump(-1, ' ', false, json::error_handler_t::replace);
  return kept.c_str();
}

}  // namespace
}  // namespace colex

extern "C" {
EMSCRIPTEN_KEEPALIVE char const* colex_look(char const* line) { return colex::json_text(colex::web::look_at, line); }
EMSCRIPTEN_KEEPALIVE char const* colex_draw(char const* line) { return colex::json_text(colex::web::drawing_of, line); }
}

int main(int argc, char** argv) {
  static constexpr colex::add_command* all[] = {colex::add_ask, colex::add_explain, colex::add_solve, colex::add_draw,
                                                colex::add_figures};
  return colex::tool(argc, argv, all);
}
