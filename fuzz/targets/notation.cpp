// The notation under a fuzzer: any bytes as a value, a request, an answer or a case. Text is refused with a place inside it, or
// is a value that survives being printed and parsed again. Any bytes as what people write, too.
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/engine/find.hpp"

#include "spec/notation/meaning.hpp"
#include "spec/notation/spellings.hpp"

#include <cstdint>

namespace {

using namespace colex;

void complain(char const* what, std::string_view text, std::string const& got) {
  fuzz::report({"notation", what, {}, std::string(text), got});
}

// parser(text), and again of what it prints; text it refuses must be refused at a place inside it.
template <class F>
void round_trip(char const* what, std::string_view text, F parser) {
  try {
    auto const v = parser(text);
    std::string const printed = print(v);
    if (!(parser(printed) == v)) complain(what, text, printed);
  } catch (malformed const& e) {
    if (e.column > text.size()) complain(what, text, "refused at column " + std::to_string(e.column));
    if (explain(e, text).empty()) complain(what, text, "refused without a reason");
  }
}

// What the judge's vocabulary says of a value does not depend on spelling.
void measure(std::string_view text) {
  try {
    value const v = parse(text);
    if (!v.is(kind::layout) || leaves(v).size() > 16) return;
    if (size(bare(v)) != size(v) || !(at(v, 1) == at(v, 1))) complain("size", text, print(bare(v)));
  } catch (malformed const&) {
  }
}

// A line in any spelling; what it asks within the line is answered with the first argument.
request read_leniently(std::string_view line) {
  rewritten const r = in_grammar(line, [](request const& inner) {
    return inner.args.empty() ? answer{status::undefined, {}, ""} : answer{status::answered, inner.args[0], ""};
  });
  if (r.columns.size() != r.text.size()) complain("spelling", line, "places are lost of " + r.text);
  try {
    return parse_request(r.text);
  } catch (malformed const& e) {
    throw r.at_line(e);
  }
}
// It is refused at a place inside it, or is a request that stays as it is when it is read again.
void rewrite(std::string_view line) {
  try {
    request const r = read_leniently(line);
    if (!(read_leniently(print(r)) == r)) complain("spelling", line, print(r));
  } catch (malformed const& e) {
    if (e.column > line.size()) complain("spelling", line, "refused at column " + std::to_string(e.column));
  } catch (unanswered const&) {
  }
}

struct answer_text {
  std::string text;
  bool operator==(answer_text const&) const = default;
};
std::string print(answer_text const& a) { return a.text; }

struct case_text {
  request asked;
  char relation;
  std::string expected;
  bool operator==(case_text const&) const = default;
};
std::string print(case_text const& c) { return print(c.asked) + ' ' + c.relation + ' ' + c.expected; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  round_trip("value", text, parse);
  round_trip("request", text, parse_request);
  round_trip("answer", text, [](std::string_view s) { return answer_text{print(parse_answer(s))}; });
  round_trip("case", text, [](std::string_view s) {
    test_case const c = parse_case(s);
    return case_text{c.asked, c.relation, print(c.expected)};
  });
  measure(text);
  rewrite(text);
  return 0;
}
