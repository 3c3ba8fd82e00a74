// The two algebras side by side under a fuzzer: any request line that the reference takes for one. Where both answer, they
// answer the same function; where one says that there is no answer, so does the other.
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/engine/find.hpp"
#include "fuzz/engine/mutate.hpp"
#include "gpu/wire/answer.hpp"
#include "tests/suite/judge/cases.hpp"
#include "tests/suite/judge/in_process.hpp"
#include "tests/suite/judge/open_question.hpp"

namespace {

using namespace colex;

// Beyond these, tables take seconds, as they may.
constexpr std::size_t most_text = 400, most_arguments = 8;

std::optional<request> read(std::uint8_t const* data, std::size_t size) {
  if (size > most_text) return std::nullopt;
  try {
    request r = parse_request(std::string_view(reinterpret_cast<char const*>(data), size));
    if (r.args.size() <= most_arguments) return r;
  } catch (malformed const&) {
  }
  return std::nullopt;
}

bool alike(answer const& a, answer const& b) {
  if (!a || !b) return !a && !b;
  return means_the_same(a.result, b.result);
}

// The reference's answer and the other one, where they differ.
std::optional<std::pair<answer, answer>> difference(request const& r) {
  try {
    answer const right = ref::respond(parse_request(print(r))), left = said(gpu::respond, r);
    if (!alike(left, right) && !is_open(r, left, right)) return std::pair{right, left};
  } catch (malformed const&) {
  }
  return std::nullopt;
}

request smallest(request r) {
  for (bool better = true; better;) {
    better = false;
    for (request const& s : fuzz::simpler(r))
      if (difference(s)) {
        r = s;
        better = true;
        break;
      }
  }
  return r;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::optional<request> const r = read(data, size);
  if (!r) return -1;
  std::string const law = r->op + "_form";
  if (fuzz::known(law) || !difference(*r)) return 0;
  request const least = smallest(*r);
  auto const [right, left] = *difference(least);
  std::string const expected = right ? print(right) : std::string(status_name[static_cast<int>(right.what)]);
  fuzz::report({"requests, gpu", law, {}, print(least) + " = " + expected, print(left)});
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) __attribute__((weak));

// Text that is no request, and one in sixteen that is, is changed as text.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  fuzz::random_source random(seed + 1);
  std::optional<request> const r = read(data, size);
  if ((!r || fuzz::below(random, 16) == 0) && LLVMFuzzerMutate) return LLVMFuzzerMutate(data, size, most);
  if (!r) return size;
  std::string const text = print(fuzz::changed(*r, random));
  if (text.size() > most) return size;
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(std::uint8_t const* one, std::size_t size_one, std::uint8_t const* two,
                                                 std::size_t size_two, std::uint8_t* out, std::size_t most, unsigned seed) {
  fuzz::random_source random(seed + 1);
  std::optional<request> const a = read(one, size_one), b = read(two, size_two);
  if (!a || !b) return 0;
  std::string const text = print(fuzz::crossed(*a, *b, random));
  if (text.size() > most) return 0;
  std::copy(text.begin(), text.end(), out);
  return text.size();
}
