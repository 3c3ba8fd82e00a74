// Rows of the laws of folds and of bank conflicts.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/laws.hpp"
#include "spec/laws/tiled_mma.hpp"

#include <set>

namespace colex {
namespace {

// The products of a contraction: (element of A, of B, of C) at every value of its indices.
std::vector<product> contracted(trial& t, std::vector<std::pair<std::string, value>> const& tensors) {
  std::map<char, integer> extents;
  for (auto const& [names, l] : tensors)
    for (std::size_t k = 0; k < names.size(); ++k) extents[names[k]] = size(mode(l, k));
  integer n = 1;
  for (auto const& [name, extent] : extents) n *= extent;
  t.require(n <= table_limit);
  std::vector<product> out{{0, 0, 0}};
  for (auto const& [name, extent] : extents) {  // each index repeats what those before it take
    auto const step = [&](std::size_t which, integer const& i) {
      auto const& [names, l] = tensors[which];
      std::size_t const k = names.find(name);
      return k == names.npos ? integer(0) : at(mode(l, k), i).number;
    };
    std::vector<product> longer;
    for (integer i = 0; i < extent; ++i) {
      integer const x = step(0, i), y = step(1, i), z = step(2, i);
      for (auto const& [a, b, c] : out) longer.emplace_back(a + x, b + y, c + z);
    }
    out = std::move(longer);
  }
  std::sort(out.begin(), out.end());
  return out;
}
std::vector<value> folding(trial& t) { return {t["x"], t["A"], t["y"], t["B"], t["z"], t["C"]}; }

// The most different words of one bank that threads [begin, end) touch, each `bytes` bytes from its element on, elements as
// wide.
integer most_in_a_bank(value const& a, integer const& bytes, integer const& begin, integer const& end) {
  std::map<integer, std::set<integer>> words;
  for (integer i = begin; i < end; ++i)
    for (integer byte = value_at(a, i).number * bytes, last = byte + bytes; byte < last; byte += 4)
      words[byte / 4 % 32].insert(byte / 4);
  std::size_t most = 0;
  for (auto const& [bank, in] : words) most = std::max(most, in.size());
  return most;
}
value bits_of_bytes(value const& bytes) { return word_of(integer(bytes.number * 8).str() + "b"); }
value const& ask_phases(trial& t, value const& access) {
  return t.ask("bank_conflict_phases", {t["A"], bits_of_bytes(t["b"]), access});
}

// The accesses T and U of 8 elements of 16 bits a thread, and no bank twice in a phase of 8 threads behind a swizzle.
std::vector<value> two_accesses(trial& t) {
  value const wide = word_of("128b");
  return {t["A"], word_of("16b"), t["T"], wide, t["U"], wide};
}
// All bits that a swizzle looks at are bits of a value of A.
bool is_inside(value const& a, value const& w) {
  integer const most = largest(a);
  return most > 0 && w.items[0].number + w.items[1].number + mp::abs(w.items[2].number) <= mp::msb(most) + 1;
}
bool meets_nowhere(trial& t, value const& swizzle) {
  for (char const* threads : {"T", "U"})
    for (integer begin = 0, n = size(t[threads]); begin < n; begin += 8) {
      std::map<integer, integer> word_in;
      for (integer i = begin; i < std::min<integer>(begin + 8, n); ++i) {
        integer const word = swizzled(swizzle, at(t["A"], at(t[threads], i).number).number) / 2;
        if (word_in.try_emplace(word % 32, word).first->second != word) return false;
      }
    }
  return true;
}

constexpr law fold_rows[] = {
    {"fold_contracts", "fold(x, A, y, B, z, C) = <A', B', C'>: gemm of those adds the products of the contraction, each once",
     "x:indices y:indices(x) z:indices(x,y) A:indexed(x) B:indexed(y) C:indexed(z)", "fold",
     [](trial& t) {
       value const& f = t.ask("fold", folding(t));
       t.equal(f.items.size(), std::size_t{3});
       t.equal(contracted(t, {{"mkp", f.items[0]}, {"nkp", f.items[1]}, {"mnp", f.items[2]}}) ==
                   contracted(t, {{t["x"].word, t["A"]}, {t["y"].word, t["B"]}, {t["z"].word, t["C"]}}),
               true);
     }},
    {"fold_values", "fold(x, A, y, B, z, C) keeps the values of A, B and C",
     "x:indices y:indices(x) z:indices(x,y) A:indexed(x) B:indexed(y) C:indexed(z)", "fold",
     [](trial& t) {
       value const& f = t.ask("fold", folding(t));
       same_values(t, f.items.at(0), t["A"], size(t["A"]));
       same_values(t, f.items.at(1), t["B"], size(t["B"]));
       same_values(t, f.items.at(2), t["C"], size(t["C"]));
     }},
    {"fold_exists",
     "fold(x, A, y, B, z, C) is defined exactly when each index names one extent and stands in two tensors or three",
     "x:indices y:indices(x) z:indices(x,y) A:indexed(x) B:indexed(y) C:indexed(z)", "fold",
     [](trial& t) { t.answers_like_the_reference("fold", folding(t)); }},
    {"bank_conflicts_translation", "bank_conflicts(d o A, w, b) == bank_conflicts(A, w, b)    for d a multiple of all banks",
     "A:access d:factor", "bank_conflicts",
     [](trial& t) {
       value const shifted{kind::composed, {value(integer(t["d"].number * 64)), t["A"]}};
       t.equal(t.ask("bank_conflicts", {shifted, word_of("16b"), value(4)}),
               t.ask("bank_conflicts", {t["A"], word_of("16b"), value(4)}));
     }},
    {"bank_conflicts_contiguous", "bank_conflicts(n:b, 8, b) == 0: contiguous threads do not meet", "n:count b:bytes",
     "bank_conflicts",
     [](trial& t) { t.equal(t.ask("bank_conflicts", {layout_of(t["n"], t["b"]), word_of("8b"), t["b"]}), value(0)); }},
    {"bank_conflicts_column", "bank_conflicts(n:128, 8, 4) == n - 1 in one phase: threads in one column of banks take turns",
     "n:count", "bank_conflicts",
     [](trial& t) {
       t.require(t["n"].number <= 32);
       t.equal(t.ask("bank_conflicts", {layout_of(t["n"], value(128)), word_of("8b"), value(4)}),
               value(integer(t["n"].number - 1)));
     }},
    {"bank_conflicts_broadcast", "bank_conflicts((n,m):(0,d), w, b): threads that read one word do not meet",
     "n:factor m:factor", "bank_conflicts",
     [](trial& t) {
       t.equal(t.ask("bank_conflicts",
                     {layout_of(tuple_of({t["n"], t["m"]}), tuple_of({value(0), value(4)})), word_of("8b"), value(4)}),
               value(0));
     }},
    {"bank_conflicts_swizzled",
     "bank_conflicts(Sw<B,4,3> o 0 o (8,2^B):(2^(B+4),16), 8, 16) == 0: columns of rows of 2^(B+4) bytes do not meet    for B "
     "< 4",
     "b:bits", "bank_conflicts",
     [](trial& t) {
       integer const columns = integer(1) << static_cast<unsigned>(t["b"].number);
       value const tile = layout_of(tuple_of({value(8), value(columns)}), tuple_of({value(integer(16 * columns)), value(16)}));
       value const swizzle{kind::swizzle, {t["b"], value(4), value(3)}};
       t.equal(t.ask("bank_conflicts", {value(kind::composed, {swizzle, 0, tile}), word_of("8b"), value(16)}), value(0));
     }},
    {"bank_conflicts_aligned", "bank_conflicts(A, 8, b) is defined exactly when every thread begins at a multiple of b",
     "A:memory b:bytes", "bank_conflicts",
     [](trial& t) {
       t.require(size(layout_in(t["A"])) <= 1024);
       t.answers_like_the_reference("bank_conflicts", {t["A"], word_of("8b"), t["b"]});
     }},
    {"bank_conflict_phases_definition",
     "bank_conflict_phases(A, 8b, 8b)[k] == the most different words of one bank that threads [128/b k, 128/b (k+1)) touch",
     "A:lanes b:bytes", "bank_conflict_phases",
     [](trial& t) {
       integer const threads = size(layout_in(t["A"])), phase = 128 / t["b"].number;
       t.require(threads <= 32);
       value const& turns = ask_phases(t, bits_of_bytes(t["b"]));
       t.equal(integer(rank(turns)), integer((threads + phase - 1) / phase));
       t.every("k", integer(rank(turns)), [&](integer const& k) {
         integer const begin = k * phase, end = std::min<integer>(begin + phase, threads);
         t.equal(turns.items.at(static_cast<std::size_t>(k)).number, most_in_a_bank(t["A"], t["b"].number, begin, end));
       });
     }},
    {"bank_conflict_phases_sum",
     "the sum of bank_conflict_phases(A, w, 8b), less one for each phase, == bank_conflicts(A, w, b)    for w = 8b",
     "A:lanes b:bytes", "bank_conflict_phases",
     [](trial& t) {
       t.require(size(layout_in(t["A"])) <= 32);
       integer extra = 0;
       for (value const& turns : ask_phases(t, bits_of_bytes(t["b"])).items) extra += need_integer(turns) - 1;
       t.equal(value(extra), t.ask("bank_conflicts", {t["A"], bits_of_bytes(t["b"]), t["b"]}));
     }},
    {"bank_conflict_phases_matrices",
     "bank_conflict_phases(A, 128b, M) == the first phases of bank_conflict_phases(A, 128b, 128b), one for each matrix that M "
     "copies",
     "A:warp M:matrix_copy", "bank_conflict_phases",
     [](trial& t) {
       answer const registers = t.reference("copy_atom", {t["M"], word_of("RefLayout")});
       value const wide = word_of("128b"), each = t.ask("bank_conflict_phases", {t["A"], wide, wide});
       auto const matrices = static_cast<std::ptrdiff_t>(size(mode(registers.result, 1)) / 32);
       t.require(registers && std::ssize(each.items) >= matrices);
       t.equal(t.ask("bank_conflict_phases", {t["A"], wide, t["M"]}),
               tuple_of(std::vector<value>(each.items.begin(), each.items.begin() + matrices)));
     }},
    {"bank_conflict_phases_exists",
     "bank_conflict_phases(A, w, I) is defined exactly when I moves 4, 8 or 16 bytes a thread of a warp, each aligned",
     "A:lanes I:instruction", "bank_conflict_phases",
     [](trial& t) { t.answers_like_the_reference("bank_conflict_phases", {t["A"], word_of("16b"), t["I"]}); }},
    {"swizzle_for_conflict_free",
     "W == swizzle_for(A, 16b, T, 128b, U, 128b): behind W no two threads of a phase of T, or of U, read two words of a bank, "
     "and "
     "8 elements stay together",
     "A:shared T:vectors_of(A) U:vectors_of(A)", "swizzle_for",
     [](trial& t) {
       value const& w = t.ask("swizzle_for", two_accesses(t));
       t.holds(w.is(kind::swizzle) && (w.items[0].number == 0 || w.items[1].number >= 3), w, "a swizzle with M >= 3");
       t.holds(meets_nowhere(t, w), w, "a swizzle by which no threads meet");
     }},
    {"swizzle_for_least",
     "no swizzle with a lesser B, or the same and a lesser M, or both and a lesser S > 0, is free of conflicts",
     "A:shared T:vectors_of(A) U:vectors_of(A)", "swizzle_for",
     [](trial& t) {
       value const& w = t.ask("swizzle_for", two_accesses(t));
       integer const bits = w.items.at(0).number, base = w.items.at(1).number, shift = w.items.at(2).number;
       t.require(bits <= 10);
       t.holds(bits == 0 || !meets_nowhere(t, {kind::swizzle, {0, 0, 0}}), w, "none: nothing meets without");
       for (integer b = 1; b <= bits; ++b)
         for (integer m = 3; b < bits ? m + 2 * b <= 13 : m <= base; ++m)
           for (integer s = b; b == bits && m == base && shift > 0 ? s < shift : m + b + s <= 13; ++s) {
             value const lesser(kind::swizzle, {value(b), value(m), value(s)});
             t.holds(!is_inside(t["A"], lesser) || !meets_nowhere(t, lesser), w,
                     [&] { return print(lesser) + ", which is less"; });
           }
     }},
    {"swizzle_for_exists",
     "swizzle_for(A, 16b, T, I) is defined exactly when I moves 4, 8 or 16 bytes a thread of a warp, each aligned, and a "
     "swizzle of "
     "the bits of A's values is free of conflicts",
     "A:shared T:vectors_of(A) I:instruction", "swizzle_for",
     [](trial& t) { t.answers_like_the_reference("swizzle_for", {t["A"], word_of("16b"), t["T"], t["I"]}); }},
};

}  // namespace

std::span<law const> fold_laws() { return fold_rows; }

}  // namespace colex
