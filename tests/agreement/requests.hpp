// What two algebras are asked side by side: whatever a law asks about drawn arguments, and each such request changed in one
// place; and whether they answer alike. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/in_process.hpp"
#include "tests/suite/judge/open_question.hpp"

#include <fstream>

namespace colex {

// In the same words.
inline bool alike(answer const& one, answer const& other) {
  return one ? other && print(one) == print(other) : !other && same_status(one, other);
}

// The integers, words and tuples in a value, but not inside a swizzle.
inline void collect(value& v, std::vector<value*>& out) {
  if (v.is(kind::number) || v.is(kind::word) || v.is(kind::tuple)) out.push_back(&v);
  if (v.is(kind::swizzle)) return;
  for (value& x : v.items) collect(x, out);
}

// A name with a part left out, said twice, or with another number in it.
inline std::string other_word(std::string w, std::mt19937_64& random) {
  std::size_t const from = w.empty() ? 0 : random() % w.size();
  switch (std::size_t const begin = w.find('_', from), digit = w.find_first_of("0123456789", from); random() % 4) {
    case 0: return w.substr(0, begin);
    case 1: return begin == w.npos ? w : w + w.substr(begin);
    case 2: return w.erase(from, 1);
    default: return digit == w.npos ? w : w.replace(digit, 1, 1, "0123456789"[random() % 10]);
  }
}
inline void change(value& v, std::mt19937_64& random) {
  if (v.is(kind::word)) return void(v.word = other_word(v.word, random));
  if (v.is(kind::tuple)) {
    if (v.items.size() > 1) v.items.erase(v.items.begin() + static_cast<std::ptrdiff_t>(random() % v.items.size()));
    return;
  }
  integer& n = v.number;
  integer const others[] = {1, 2, 3, 6, n + 1, n * 2, (n + 1) / 2, n > 1 ? n - 1 : n};
  n = others[random() % std::size(others)];
}
// With one number, word or tuple changed, or an argument more or less, if that can be written; every extent stays positive.
inline request changed(request const& written, std::mt19937_64& random) {
  request r = written;
  std::vector<value*> places;
  for (value& v : r.args) collect(v, places);
  switch (random() % 8) {
    case 0: r.args.empty() ? void() : r.args.pop_back(); break;
    case 1: r.args.empty() ? void() : r.args.push_back(r.args[random() % r.args.size()]); break;
    default: places.empty() ? void() : change(*places[random() % places.size()], random);
  }
  try {
    return parse_request(print(r));
  } catch (malformed const&) {
    return written;
  }
}

// Those of a file, one a line.
inline std::vector<request> requests_in(char const* file) {
  std::vector<request> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') out.push_back(parse_request(line));
  return out;
}

// All that a law asks about arguments, with what the reference answers.
inline std::vector<std::pair<request, answer>> asked_at(law const& l, std::vector<binding> const& where) {
  std::vector<std::pair<request, answer>> out;
  auto const notes = [&](request const& r) {
    out.emplace_back(r, answer{status::undefined, {}, {}});  // what a request outside the grammar has
    return out.back().second = ref::respond(r);
  };
  trial t(where, notes, ref::respond);
  try {
    l.check(t);
  } catch (...) {  // however it ends: what it asked is what counts
  }
  return out;
}
inline std::vector<request> requests_of(law const& l, choices& from) {
  std::vector<request> out;
  for (auto& [r, got] : asked_at(l, draw_arguments(l, from))) out.push_back(std::move(r));
  return out;
}

}  // namespace colex
