// A program that answers as the reference does, except for one thing it does wrong: what the suite must notice.
//   broken MODE[:WHERE] [OPERATION [N [LIMITS]]]    wrong only in answers to OPERATION (default composition), every N-th time
//                                                   (default 1), where the regular expression WHERE matches the request; its
//                                                   greeting declares the LIMITS
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/notation/meaning.hpp"
#include "tests/mutation/spoilt.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <thread>

namespace {

using namespace colex;
using namespace std::chrono_literals;

std::string declared;  // in the greeting

answer right(request const& r) {
  if (r.op == "hello") return {status::answered, word_of("colex 1 broken 1" + declared), {}};
  try {
    return ref::respond(r);
  } catch (malformed const&) {
    return {status::unsupported, {}, {}};
  }
}

// The same function with a mode of extent 1 behind it.
value respelled(value v) {
  if (!v.is(kind::layout)) return v;
  return layout_of(tuple_of({v.shape(), 1}), tuple_of({v.stride(), 0}));
}
// The same to every coordinate: parentheses around it or no longer, and strides of one element that nobody takes.
value respelt(value v) {
  if (!v.is(kind::layout)) return v.is(kind::tuple) && v.items.size() == 1 ? v.items[0] : v;
  value const stride =
      map_strides(v.shape(), v.stride(), [](value const& s, value const& d) { return s == value(1) ? value(7) : d; });
  return layout_of(tuple_of({v.shape()}), tuple_of({stride}));
}

void say(std::string const& text) { std::cout << text << std::flush; }
void say(answer const& a) { say(print(a) + "\n"); }

void wrong(request const& r) { say(spoilt(right(r))); }
void form(request const& r) {
  answer a = right(r);
  if (a) a.result = respelled(a.result);
  say(a);
}
void spelling(request const& r) {
  answer a = right(r);
  if (a) a.result = respelt(a.result);
  say(a);
}
void silent(request const& r) {
  answer const a = right(r);
  say(a.what == status::undefined ? answer{status::answered, layout_of(2, 1), {}} : a);
}
// Each kind of value in turn; hardly ever the one that the operation gives.
void wrong_kind(request const&) {
  static constexpr char const* values[] = {"7",
                                           "-7",
                                           "2@1",
                                           "()",
                                           "(1,2)",
                                           "((1,2),(3,(4,5)))",
                                           "(_,X)",
                                           "<4:1,_>",
                                           "<>",
                                           "true",
                                           "_",
                                           "LayoutLeft",
                                           "Sw<1,2,3>",
                                           "Sw<0,0,0>o(1,2)o4:1",
                                           "5o(4,2):(1,4)",
                                           "():()",
                                           "4:1@0",
                                           "(2,2):(1@0,1@1)",
                                           "1:0",
                                           "Sw<2,0,1>",
                                           "Sw<2,0,1>o0o4:1"};
  static std::size_t next = 0;
  say(std::string(values[next++ % std::size(values)]) + "\n");
}

[[noreturn]] void crash() {
  std::cerr << "about to crash\n";
  std::abort();
}
// Wrong without a profile, and dies of one.
void die_of_profiles(request const& r) {
  if (r.args.size() == 1) return say(answer{status::answered, respelled(r.args[0]), {}});
  std::cerr << "no profiles\n";
  std::exit(1);
}
// In ten ways, by the length of the request.
void die_in_many_ways(request const& r) { std::_Exit(10 + static_cast<int>(print(r).size() % 10)); }
// What was answered before stays in the buffer and is lost.
void crash_unflushed(request const&) { std::_Exit(7); }

// As many modes as a line holds.
std::string bulky() {
  std::string shape = "(2", stride = "(1";
  while (shape.size() + stride.size() < max_line - 16) shape += ",2", stride += ",1";
  return shape + "):" + stride + ")\n";
}

// Is a number of it outside what int=8, min=0 or strides=nonnegative declares?
bool outside(value const& v, bool stride = false) {
  auto const declares = [](char const* limit) { return declared.find(limit) != declared.npos; };
  if (v.is(kind::swizzle)) return false;
  if (v.is(kind::number))
    return (declares("int=8") && mp::abs(v.number) > 128) ||
           (v.number < 0 && (declares("min=0") || (stride && declares("strides=nonnegative"))));
  if (v.is(kind::layout)) return outside(v.shape()) || outside(v.stride(), true);
  return std::any_of(v.items.begin(), v.items.end(), [&](value const& x) { return outside(x, stride); });
}
// Dies of what it says that it does not take, and of what it would have to say; in divisions of shapes of their sizes, too.
void limited(request const& r) {
  answer const a = right(r);
  bool const large = declared.find("int=8") != declared.npos && r.op.ends_with("_div") &&
                     std::any_of(r.args.begin(), r.args.end(), [](value const& s) { return mp::abs(size(s)) > 127; });
  if (large || (a && outside(a.result)) || std::any_of(r.args.begin(), r.args.end(), [](value const& v) { return outside(v); }))
    crash();
  say(a);
}

// Of large extents with negative strides cosize and coshape are wrong alike.
bool has_negative(value const& v) { return v.number < 0 || std::any_of(v.items.begin(), v.items.end(), has_negative); }
void span_wrong(request const& r) {
  bool const spans = (r.op == "cosize" || r.op == "coshape") && has_large(r.args[0]) && has_negative(r.args[0].stride());
  spans ? wrong(r) : say(right(r));
}

// Offers nothing of layouts with basis strides.
bool has_basis(value const& v) { return !v.basis.empty() || std::any_of(v.items.begin(), v.items.end(), has_basis); }
void without_basis(request const& r) {
  say(std::any_of(r.args.begin(), r.args.end(), has_basis) ? answer{status::unsupported, {}, {}} : right(r));
}

// Says that it does not offer what has no answer.
void evade(request const& r) {
  answer const a = right(r);
  say(a.is_undefined() ? answer{status::unsupported, {}, {}} : a);
}

using deed = void (*)(request const&);
std::map<std::string, deed> const deeds{
    {"honest", [](request const& r) { say(right(r)); }},
    {"fickle", [](request const& r) { say(right(r)); }},  // honest, but greets differently each time
    {"wrong", wrong},
    {"span_wrong", span_wrong},
    {"form", form},
    {"spelling", spelling},
    {"silent", silent},
    {"without_basis", without_basis},
    {"evading", evade},
    {"wrong_kind", wrong_kind},
    {"meeting_bits", [](request const&) { say("Sw<2,0,1>\n"); }},
    {"refusing", [](request const&) { say("undefined I would rather not\n"); }},
    {"crashing", [](request const&) { crash(); }},
    {"dying_of_profiles", die_of_profiles},
    {"dying_in_many_ways", die_in_many_ways},
    {"crash_unflushed", crash_unflushed},
    {"hanging", [](request const&) { std::this_thread::sleep_for(3600s); }},
    {"slow", [](request const& r) { std::this_thread::sleep_for(50ms), say(right(r)); }},
    {"garbage", [](request const&) { say("Traceback (most recent call last):\n"); }},
    {"garbled", [](request const& r) { say(print(right(r)) + "!\n"); }},
    {"empty_line", [](request const&) { say("\n"); }},
    {"binary", [](request const&) { say(std::string("\0\xff\x80\x1b[31m\n", 9)); }},
    {"half_line", [](request const&) { say("(4,"), std::exit(0); }},
    {"early_exit", [](request const&) { std::exit(0); }},
    {"huge", [](request const&) { say(std::string(std::size_t{3} << 20, '1') + "\n"); }},
    {"endless",
     [](request const&) {
       for (;;) say(std::string(1 << 16, '1'));
     }},
    {"large", [](request const&) { say("1" + std::string(1000, '0') + ":1" + std::string(1000, '0') + "\n"); }},
    {"bulky", [](request const&) { say(bulky()); }},
    {"chatty", [](request const& r) { say(right(r)), say("1\n"); }},
    {"unsupported", [](request const&) { say("unsupported\n"); }},
    {"ternary", [](request const& r) { say(r.args.size() == 3 ? spoilt(right(r)) : answer{status::unsupported, {}, {}}); }},
    {"untiled",
     [](request const& r) {
       bool const tiled = std::any_of(r.args.begin(), r.args.end(), [](value const& v) { return v.is(kind::tiler); });
       say(tiled ? answer{status::unsupported, {}, {}} : right(r));
     }},
    {"limited", limited},
};

}  // namespace

int main(int argc, char** argv) {
  std::string const said = argc > 1 ? argv[1] : "";
  auto const mode = deeds.find(said.substr(0, said.find(':')));
  if (mode == deeds.end()) {
    std::cerr << "usage: broken MODE[:WHERE] [OPERATION [N [LIMITS]]]\n";
    return 2;
  }
  std::string const operation = argc > 2 ? argv[2] : "composition";
  int const every = argc > 3 ? std::atoi(argv[3]) : 1;
  if (argc > 4) declared = std::string(" ") + argv[4];
  std::regex const where(said.substr(std::min(said.find(':'), said.size() - 1) + 1));
  bool const buffered = mode->first == "crash_unflushed";
  int seen = 0, lines = 0;
  for (std::string line; std::getline(std::cin, line); ++lines) {
    request const r = parse_request(line);
    bool const now =
        r.op != "hello" && (operation == "*" || r.op == operation) && std::regex_search(line, where) && ++seen % every == 0;
    if (now)
      mode->second(r);
    else if (mode->first == "fickle" && r.op == "hello")
      say("colex 1 broken " + std::to_string(lines) + "\n");
    else if (buffered && std::cin.rdbuf()->in_avail() > 0)
      std::cout << print(right(r)) << '\n';
    else
      say(right(r));
  }
}
