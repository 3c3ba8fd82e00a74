// Requests with their right answers, for tests that would rather read a file than be asked: the cases, what implementations in
// use get wrong, and inputs drawn for the laws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/cases.hpp"

namespace colex {

struct vector_choice {
  std::string operations = "*";  // a shell pattern
  std::size_t count = 20;        // of the inputs drawn for each law, of a costly one a tenth
  std::uint64_t seed = 1;
};

// One request. An answer is compared with the right one as text; or as a function, in whatever spelling; or by the law alone,
// since others are as good.
struct test_vector {
  enum class comparison { text, function, law };
  request asked;
  answer right;  // defined, undefined or unspecified
  comparison by = comparison::function;
  std::string law, from;    // where the case or the defect stands, or `drawn`
  std::string defect = "";  // what is known of the request: see known.hpp
};

// The cases first, then the defects. Of an input drawn the first request of the law's operation, each once.
std::vector<test_vector> vectors_of(vector_choice const& chosen);

// spec/vectors.schema.json has the form of the JSON. The others are tables of text for a compiler.
enum class vector_format { json, cpp, mojo, rust };
std::string text_of(std::vector<test_vector> const& vectors, vector_choice const& chosen, vector_format format);

}  // namespace colex
