// Writes case lines as C++: static_asserts on the bundled algebra's constant expressions, and a main that checks at run time
// those that must be refused. Translates; judges nothing itself, and counts what it cannot express, with the reason.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/notation/meaning.hpp"
#include "spec/operations.hpp"
#include "tests/suite/arguments/classes.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <utility>

namespace {

using namespace colex;

// Why a line has no C++.
struct inexpressible {
  std::string reason;
};

constexpr std::size_t capacity = 32;  // leaves of a layout

std::string number(integer const& n) {
  if (n < std::numeric_limits<std::int64_t>::min() || n > std::numeric_limits<std::int64_t>::max())
    throw inexpressible{"an integer beyond 64 bits"};
  return n == std::numeric_limits<std::int64_t>::min() ? "(-9223372036854775807 - 1)" : n.str();
}

std::string expression(value const& v);

// Braces for a tuple or tiler, so that nesting needs no type.
std::string braces(value const& v) {
  if (!v.is(kind::tuple) && !v.is(kind::tiler)) return expression(v);
  if (v.items.empty()) throw inexpressible{"an empty tuple inside another value"};
  std::string s;
  for (value const& x : v.items) s += (s.empty() ? "{" : ", ") + braces(x);
  return s + "}";
}
std::string tuple(value const& v) {
  if (!v.is(kind::tuple)) return expression(v);
  return "int_tuple" + (v.items.empty() ? "{}" : braces(v));
}

std::string with_basis(value const& v) {
  std::string s = "int_tuple(" + number(v.number) + ", path_of({";
  for (std::size_t i = 0; i < v.basis.size(); ++i) s += (i ? ", " : "") + std::to_string(v.basis[i]);
  return s + "}))";
}
std::string word(value const& v) {
  if (v.is("_") || v.is("X")) return "_";
  if (v.is("true") || v.is("false")) return v.word;
  if (v.is("LayoutLeft")) return "layout_left_t{}";
  if (v.is("LayoutRight")) return "layout_right_t{}";
  if (v.word.size() > 1 && v.word.back() == 'b' && v.word.find_first_not_of("0123456789") == v.word.size() - 1)
    return v.word.substr(0, v.word.size() - 1);
  throw inexpressible{"the word " + v.word};
}
// A map by its width, its shape and its bases in turn.
std::string map(value const& v) {
  value const shape = f2_shape(v.items[1]);
  if (v.items[0].number > 64 || leaf_count(shape) > capacity) throw inexpressible{"more than 64 bits or 32 modes"};
  std::string s = "make_f2_map(" + number(v.items[0].number) + ", " + tuple(shape) + ", {", comma;
  for (integer const& b : f2_bases(v)) s += std::exchange(comma, ", ") + number(b);
  return s + "})";
}
std::string expression(value const& v) {
  switch (v.what) {
    case kind::number: return v.basis.empty() ? number(v.number) : with_basis(v);
    case kind::tuple: return tuple(v);
    case kind::tiler: return v.items.empty() ? "tiler{}" : "tiler" + braces(v);
    case kind::swizzle: return "swizzle" + braces(tuple_of(v.items));
    case kind::word: return word(v);
    case kind::f2: return map(v);
    case kind::layout:
      if (leaf_count(v.shape()) > capacity) throw inexpressible{"more than 32 leaves"};
      return "make_layout(" + tuple(v.shape()) + ", " + tuple(v.stride()) + ")";
    case kind::composed:
      if (is_plain(v)) return expression(v.items[2]);
      return (v.items.size() == 3 ? "composition(" + expression(v.items[0]) + ", " : std::string("view(")) +
             expression(v.items[v.items.size() - 2]) + ", " + expression(v.items.back()) + ")";
  }
  return {};
}

std::string call(request const& r) {
  std::size_t const place = place_of(r.op);
  if (place == operation_count || operations[place].in > group::f2) throw inexpressible{"an operation that is not translated"};
  bool const composed = std::any_of(r.args.begin(), r.args.end(), [](value const& v) { return v.is(kind::composed); });
  if (composed && !ref::respond_as_layouts(r)) throw inexpressible{"refused but through linear maps"};
  bool const factor = r.op == "blocked_product" || r.op == "raked_product";
  std::string s;
  for (std::size_t i = 0; i < r.args.size(); ++i) {
    value const& v = r.args[i];
    s += i ? ", " : "";
    if (factor && i == 1 && v.is(kind::number))
      s += expression(layout_of(v, value(1)));  // an integer tiler
    else if (r.op == "domain_distribute" && v.is(kind::layout))
      s += "shape(" + expression(v) + ")";
    else
      s += expression(v);
  }
  return r.op + "(" + s + ")";
}

std::string literal(std::string_view text) {
  std::string s;
  for (char c : text) s += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return '"' + s + '"';
}

constexpr char const* head = R"(// Written by static_cases from case lines. Do not edit.
#include "gpu/algebra/algebra.hpp"

#include <cstdio>

using namespace colex::gpu;

// The answer is the expected value; a composed layout that is plain is its layout.
template <class A, class B>
constexpr bool is(A const& a, B const& b) { return a == b; }
constexpr bool is(composed const& a, layout const& b) { return is_plain(a) && a.inner == b; }
constexpr bool is(uint64 a, auto b) { return a == static_cast<uint64>(b); }

// The same function in any spelling.
template <class A, class B>
constexpr bool same(A const& a, B const& b) { return is(a, b); }
constexpr bool same(layout const& a, layout const& b) {
  if (size(a) != size(b)) return false;
  for (int64 i = 0; i < size(b); ++i)
    if (apply(a, i) != apply(b, i)) return false;
  return true;
}
constexpr bool same(composed const& a, composed const& b) {
  if (size(a) != size(b)) return false;
  for (int64 i = 0; i < size(b); ++i)
    if (apply(a, i) != apply(b, i)) return false;
  return true;
}

static int failures = 0;
// f must end in Error.
template <class Error, class F>
static void refused(char const* line, F f) {
  try {
    f();
  } catch (Error const&) {
    return;
  } catch (error const& e) {
    std::printf("FAIL %s: refused with: %s\n", line, e.reason);
    ++failures;
    return;
  }
  std::printf("FAIL %s: answered\n", line);
  ++failures;
}

)";

// The lines of all files as C++: what stands before main, and in it.
struct translation {
  std::string asserts, checks;
  std::map<std::string, std::vector<std::string>> left_out;
  int asserted = 0, refused = 0;

  void add(test_case const& c, std::string const& line) {
    try {
      std::string const asked = call(c.asked);
      switch (c.expected.what) {
        case status::answered:
          asserts += std::string("static_assert(") + (c.relation == '~' ? "same(" : "is(") + asked + ", " +
                     expression(c.expected.result) + "), " + literal(line) + ");\n";
          ++asserted;
          return;
        case status::undefined:
        case status::undecided:
          checks += "  refused<undefined>(" + literal(line) + ", [] { static_cast<void>(" + asked + "); });\n";
          ++refused;
          return;
        case status::unspecified: throw inexpressible{"any answer passes"};
        case status::unsupported: throw inexpressible{"expects no answer of this kind"};
      }
    } catch (inexpressible const& why) {
      left_out[why.reason].push_back(line);
    }
  }
  void print() const {
    int lines = asserted + refused;
    std::cout << head << asserts << "\nint main() {\n" << checks;
    for (auto const& [reason, some] : left_out) lines += static_cast<int>(some.size());
    std::cout << "  std::printf(\"" << lines << " case lines: " << asserted << " hold at compile time, " << refused
              << " are refused at run time (%d wrongly not)\\n\", failures);\n";
    for (auto const& [reason, some] : left_out) {
      std::cout << "  std::puts(" << literal("not expressed, " + reason + ": " + std::to_string(some.size())) << ");\n";
      for (std::string const& line : some) std::cout << "  // " << line << "\n";
    }
    std::cout << "  return failures != 0;\n}\n";
    std::cerr << lines << " case lines: " << asserted << " asserted, " << refused << " checked to be refused\n";
    for (auto const& [reason, some] : left_out) std::cerr << some.size() << " not expressed: " << reason << "\n";
  }
};

// False: the file cannot be read, or a line is no case.
bool translate(char const* path, translation& to) {
  std::ifstream in(path);
  if (!in) return std::cerr << path << ": cannot be read\n", false;
  std::string line;
  for (int n = 1; std::getline(in, line); ++n) {
    std::string const text = line.substr(0, line.find('#'));
    std::size_t const last = text.find_last_not_of(" \t\r");
    if (last == std::string::npos) continue;
    try {
      to.add(parse_case(text), text.substr(0, last + 1));
    } catch (malformed const& e) {
      return std::cerr << path << ":" << n << ": " << explain(e, line) << "\n", false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: static_cases CASEFILE... > static_cases_test.cpp\n";
    return 2;
  }
  translation t;
  for (int k = 1; k < argc; ++k)
    if (!translate(argv[k], t)) return 2;
  t.print();
  return 0;
}
