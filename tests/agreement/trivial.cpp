// Programs that know nothing: one answer to everything, always the first argument, always the identity. A law may hold of one
// of them (a constant is associative), but of each operation a law must break, and one that says where an operation is defined
// breaks of what always answers and of what never does. No answer, however strange, crashes or stalls a law.
// SPDX-License-Identifier: Apache-2.0
#include "tests/agreement/right.hpp"
#include "tests/suite/judge/stated.hpp"

#include <fmt/format.h>

#include <map>

namespace {

using namespace colex;

constexpr std::size_t inputs = 16;

using implementation = std::function<answer(request const&)>;
struct program {
  std::string name;
  implementation says;
};

constexpr char const* constants[] = {"0",
                                     "1",
                                     "-9",
                                     "true",
                                     "false",
                                     "()",
                                     "(2)",
                                     "(-9,-9)",
                                     "(1,2,3)",
                                     "<2:1>",
                                     "<2:1,3:1,4:1>",
                                     "_",
                                     "LayoutLeft",
                                     "1:0",
                                     "4:1",
                                     "2:1@0",
                                     "(2,2):(1@3,1@7)",
                                     "5o4:1",
                                     "Sw<0,0,0>",
                                     "Sw<1,1,1>o0o4:1",
                                     "F2<0>()",
                                     "F2<3>(1,2,4)",
                                     "F2<1000>()",
                                     "99999999999999999999",
                                     "(99999999999,99999999999,99999999999)",
                                     "99999999999999999999:1",
                                     "(1,99999999999,99999999999,99999999999):(1,1,1,1)",
                                     "2:-99999999999999999999",
                                     "undefined"};

// An answer that would be right elsewhere: that of the operation's k-th worked example.
answer of_example(std::string const& operation, std::size_t k) {
  static std::map<std::string, std::vector<answer>> const examples = [] {
    std::map<std::string, std::vector<answer>> all;
    for (located_case const& c : stated_cases())
      if (c.what.expected) all[c.what.asked.op].push_back(c.what.expected);
    return all;
  }();
  auto const at = examples.find(operation);
  return at == examples.end() ? answer{status::undefined, {}, {}} : at->second[k % at->second.size()];
}
answer identity(request const& r) {
  for (value const& a : r.args)
    if (is_any_layout(a)) return {status::answered, layout_of(value(size(a)), 1), {}};
  return {status::answered, layout_of(1, 0), {}};
}
answer argument_of(value const& v) { return {status::answered, v, {}}; }

std::vector<program> programs() {
  std::vector<program> all{{"the first argument", [](request const& r) { return argument_of(r.args.front()); }},
                           {"the last argument", [](request const& r) { return argument_of(r.args.back()); }},
                           {"the identity", identity}};
  for (std::size_t k = 0; k < 3; ++k)
    all.push_back({fmt::format("the answer of worked example {}", k), [k](request const& r) { return of_example(r.op, k); }});
  for (char const* text : constants) all.push_back({text, [a = parse_answer(text)](request const&) { return a; }});
  return all;
}

// A law with some inputs, and what it asks of them.
struct exercise {
  law const* of;
  std::vector<std::vector<binding>> where{};
  std::set<std::string> asks{};

  explicit exercise(law const& l) : of(&l) {
    std::mt19937_64 random(1);
    for (std::size_t k = 0; k < inputs; ++k) {
      choices from(random);
      where.push_back(draw_arguments(l, from));
      evaluate(l, where.back(), [this](request const& r) { return asks.insert(r.op), right(r); });
    }
  }
  bool is_broken_by(implementation const& subject) const {
    return std::any_of(where.begin(), where.end(), [&](auto const& in) { return !evaluate(*of, in, subject).good; });
  }
};

// Does a law break where this operation alone is answered so? Its own laws are asked first.
bool is_noticed(std::vector<exercise> const& laws_of_it, std::string const& operation, program const& p) {
  auto const subject = [&](request const& r) { return r.op == operation ? p.says(r) : right(r); };
  return std::any_of(laws_of_it.begin(), laws_of_it.end(), [&](exercise const& e) { return e.is_broken_by(subject); });
}

// What a fragment is retiled to has its values in its order: only its modes are others.
bool is_right(std::string const& operation, program const& p) {
  return operation.starts_with("tiled_copy_") && operation.ends_with("retile") && p.name == "the last argument";
}

}  // namespace

// Of those that say where an operation is defined.
std::vector<exercise> of_definedness(std::vector<exercise> const& all) {
  std::vector<exercise> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [](exercise const& e) { return std::string_view(e.of->name).ends_with("_exists"); });
  return out;
}

int main() {
  std::map<std::string, std::vector<exercise>> asking;
  std::vector<exercise> exercises;
  for (law const& l : laws()) exercises.emplace_back(l);
  for (bool own : {true, false})
    for (exercise const& e : exercises)
      for (std::string const& operation : e.asks)
        if ((operation == e.of->operation) == own) asking[operation].push_back(e);
  int noticed = 0, failed = 0;
  for (program const& p : programs()) {
    for (exercise const& e : exercises) e.is_broken_by(p.says);
    for (operation const& o : operations) {
      std::string const name(o.name);
      if (!asking.contains(name)) continue;  // worked examples alone judge it
      bool const good = is_noticed(asking[name], name, p) != is_right(name, p);
      ++(good ? noticed : failed);
      if (!good) fmt::print("{}: no law notices a program that answers {}\n", name, p.name);
    }
  }
  for (exercise const& e : of_definedness(exercises))
    for (char const* text : {"4:1", "undefined"}) {
      bool const good = e.is_broken_by([a = parse_answer(text)](request const&) { return a; });
      ++(good ? noticed : failed);
      if (!good) fmt::print("{}: it holds of a program that always answers {}\n", e.of->name, text);
    }
  fmt::print("{} passed, {} failed\n", noticed, failed);
  return failed == 0 ? 0 : 1;
}
