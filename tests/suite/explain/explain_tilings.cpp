// Steps of partitions, tiled MMAs and tiled copies: see trail.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "ref/algebra/fold.hpp"
#include "ref/atoms/atom_fields.hpp"
#include "tests/suite/explain/trail.hpp"

#include <fmt/format.h>

namespace colex {
namespace {

using ref::operand;

// Names and layouts as the reference has them, and why each.
void add_all(trail& t, ref::steps const& all, std::vector<char const*> const& why) {
  for (std::size_t i = 0; i < all.size(); ++i) t.add(all[i].first, why.at(i), all[i].second);
}

void sliced_steps(trail& t, composed const& x, value const& tiler, value const& c, bool tile, composed const& answer) {
  layout const z = zipped_divided(t, x.inner, tiler);
  value const free = ref::all_of(rank(z.modes[tile ? 0 : 1])), fixed = ref::for_modes(c, rank(z.modes[tile ? 1 : 0]));
  t.add("coordinate", tile ? "The tile whole, one of the tiles." : "One place in the tile, every tile.",
        tile ? tuple_of({free, fixed}) : tuple_of({fixed, free}));
  t.add("slice", "What the coordinate fixes becomes the offset.", ref::view(answer, x));
}
void steps_of_tile(trail& t, arguments const& a) {
  composed const x = is_any_layout(a[0]) ? ref::tensor_of(a[0]) : ref::identity(a[0]);
  value tiler = a[1], c = a[2];
  if (a.size() == 4) {
    t.add("project the tiler", "The modes without X are this tensor's.", tiler = ref::projected(a[3], tiler));
    t.add("project the coordinate", "Likewise.", c = ref::projected(a[3], c));
  }
  sliced_steps(t, x, tiler, c, true, inner_partition(x, tiler, c));
}
void steps_of_outer(trail& t, arguments const& a) {
  composed const x = ref::tensor_of(a[0]);
  sliced_steps(t, x, a[1], a[2], false, outer_partition(x, a[1], a[2]));
}
void steps_of_local_partition(trail& t, arguments const& a) {
  composed const x = ref::tensor_of(a[0]);
  layout threads = ref::L(a[1]);
  if (a.size() == 4)
    t.add("dice", "The modes of the threads without X are this tensor's: threads that differ in the others share.",
          threads = dice(a[3], threads));
  value const extents = t.add("tile", "The shape of the threads is the tile.", ref::product_each(shape(threads)));
  value const c =
      t.add("get_flat_coord", "Where thread " + print(a[2]) + " stands in that tile.", get_flat_coord(threads, a[2]));
  value const tiler{kind::tiler, extents.is(kind::tuple) ? extents.items : std::vector<value>{extents}};
  sliced_steps(t, x, tiler, c, false, outer_partition(x, tiler, c));
}
void steps_of_fold(trail& t, arguments const& a) {
  value out{kind::tiler, {}};
  char const* const modes[] = {"A as (m, k, p): m is in A and C, k in A and B, p in all three.", "B as (n, k, p).",
                               "C as (m, n, p)."};
  std::vector<layout> const all =
      ref::fold({ref::W(a[0]), ref::L(a[1])}, {ref::W(a[2]), ref::L(a[3])}, {ref::W(a[4]), ref::L(a[5])});
  for (std::size_t i = 0; i < 3; ++i) out.items.push_back(value_of(t.add(std::string("group ") + "ABC"[i], modes[i], all[i])));
  t.add("fold", "C(m,n,p) += A(m,k,p) B(n,k,p): a batched GEMM.", out);
}

// Who meets in the first bank that so many words of a phase fall into.
std::string meeting(composed const& x, integer const& bits, int bytes, integer const& begin, integer const& end) {
  ref::touched_banks const banks = banks_of(x, bits, bytes, begin, end);
  integer const wavefronts = ref::wavefronts_of(banks);
  if (wavefronts == 1) return fmt::format("every word has a bank to itself, or is read once for all: {} banks.", banks.size());
  auto const crowded =
      std::find_if(banks.begin(), banks.end(), [&](auto const& bank) { return wavefronts == bank.second.size(); });
  std::string who;
  for (integer i = begin; i < end; ++i)
    for (integer const& word : words_of(x, i, bits, bytes))
      if (word % ref::bank_count == crowded->first) who += (who.empty() ? "T" : " T") + i.str();
  auto const alike =
      std::count_if(banks.begin(), banks.end(), [&](auto const& bank) { return wavefronts == bank.second.size(); });
  return fmt::format("{} words in bank {}, of {}{}.", wavefronts.str(), crowded->first.str(), who,
                     alike > 1 ? fmt::format("; {} banks are that full", alike) : "");
}
// Phase by phase: its threads, the banks they touch, the wavefronts they take.
void add_phases(trail& t, composed const& x, integer const& bits, integer const& bytes, integer const& threads) {
  integer const phase = ref::phase_bytes / bytes;
  t.add("phase", "So many threads are served at once: 128 bytes, 4 from each of 32 banks.", value(phase));
  integer const last = std::min<integer>(threads, ref::warp_size);
  for (integer begin = 0; begin < last; begin += phase) {
    integer const end = std::min<integer>(begin + phase, threads);
    auto const width = static_cast<int>(bytes);
    t.add(fmt::format("T{} to T{}", begin.str(), integer(end - 1).str()), meeting(x, bits, width, begin, end),
          value(ref::wavefronts_of(banks_of(x, bits, width, begin, end))));
  }
  if (last < threads)
    t.add("other warps", "Likewise: so many phases more.", value(integer((threads - last + phase - 1) / phase)));
}
void steps_of_banks(trail& t, arguments const& a) {
  composed const x = ref::tensor_of(a[0]);
  integer const n = bank_conflicts(x, ref::bits(a[1]), ref::N(a[2]));
  add_phases(t, x, ref::bits(a[1]), ref::N(a[2]), size(x.inner));
  t.add("bank_conflicts", "The most different words in one bank, less one, summed over the phases.", value(n));
}
void steps_of_phases(trail& t, arguments const& a) {
  composed const x = ref::tensor_of(a[0]);
  ref::shared_access const by = ref::access_of(a[2]);
  std::vector<value> wavefronts;
  for (integer const& n : bank_conflict_phases(x, ref::bits(a[1]), by)) wavefronts.emplace_back(n);
  add_phases(t, x, ref::bits(a[1]), by.bits / 8, threads_of(size(x.inner), by));
  t.add("bank_conflict_phases", "The wavefronts of each phase: the most different words of one bank.",
        tuple_of(std::move(wavefronts)));
}
void steps_of_swizzle_for(trail& t, arguments const& a) {
  for (auto const& [threads, by] : ref::accesses_of(a)) {
    layout const x = ref::L(a[0]);
    auto const begins = [&x, &at = threads](integer const& i) { return x(at(i).number); };
    std::vector<value> wavefronts;
    for (integer const& n : ref::wavefronts_by_phase(begins, ref::bits(a[1]), by.bits / 8, threads_of(size(threads), by)))
      wavefronts.emplace_back(n);
    t.add("without a swizzle", "The wavefronts of each phase of this access; 1 where nothing meets.",
          tuple_of(std::move(wavefronts)));
  }
  t.add("swizzle_for", "The first swizzle, in ascending order, by which all of them are 1.",
        to_value(swizzle_for(ref::L(a[0]), ref::bits(a[1]), ref::accesses_of(a))));
}
template <value (*Field)(std::string const&, std::string const&)>
void steps_of_field(trail& t, arguments const& a) {
  static std::map<std::string, char const*> const why{
      {"Shape_MNK", "The rows, columns and depth that one instruction multiplies."},
      {"ThrID", "The threads that take part: logical thread -> number in the warp or warpgroup."},
      {"ALayout", "(thread, value) -> index of A's (m, k), m first."},
      {"BLayout", "(thread, value) -> index of B's (n, k), n first."},
      {"CLayout", "(thread, value) -> index of C's (m, n), m first."},
      {"SFALayout", "(thread, value) -> index of A's (m, k), whose scale factor it is."},
      {"SFBLayout", "(thread, value) -> index of B's (n, k), whose scale factor it is."},
      {"ELayout", "(thread, value) -> index of A's (m, k), whose metadata it is."},
      {"SrcLayout", "(thread, bit) -> bit of the source."},
      {"DstLayout", "(thread, bit) -> bit of the destination."},
      {"RefLayout", "(thread, bit) -> bit, in which a tiling gives threads their values."}};
  t.add(a[1].word, why.at(a[1].word), Field(a[0].word, a[1].word));
}

// The steps with what they divide by or compose with.
void thrfrg_trail(trail& t, ref::tiled_mma const& m, operand x, layout const& tensor) {
  auto const [i, j] = ref::modes_of(x);
  auto const pair = [&](value const& p, value const& q) { return print(value(kind::tiler, {p, q})); };
  auto const across = [&](std::size_t k) { return value(size(m.threads.modes[k + 1])); };
  std::string const by[] = {" by the permutation " + pair(m.permutation.items[i], m.permutation.items[j]),
                            " by the atom " + pair(m.atom.shape_mnk.items[i], m.atom.shape_mnk.items[j]),
                            " with the atom's (thread, value) layout " + print(to_value(layout_tv(m.atom, x))),
                            " by the threads " + pair(across(i), across(j))};
  char const* const why[] = {
      "Each mode of the tensor becomes what the permutation covers, in its order, and how often that repeats.",
      "The elements of one atom come first; behind them is where atoms repeat.",
      "Inside the atom the instruction's thread and value take the place of row and column.",
      "Where atoms repeat is divided among the threads: ((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN))); for A and B likewise with "
      "K."};
  ref::steps const all = thrfrg_steps(m, x, tensor);
  for (std::size_t k = 0; k < all.size(); ++k) t.add(all[k].first + by[k], why[k], all[k].second);
}
template <operand X>
void steps_of_thrfrg(trail& t, arguments const& a) {
  thrfrg_trail(t, ref::mma_of(a), X, ref::L(a[3]));
}
template <operand X>
void partition_trail(trail& t, arguments const& a, composed const& tensor) {
  ref::tiled_mma const m = ref::mma_of(a);
  thrfrg_trail(t, m, X, tensor.inner);
  value const at = thread_slice(m, X, a[4].number, thrfrg(m, X, tensor.inner));
  std::string const why =
      fmt::format("Thread {} stands at (v,m,n,k) = {} of the threads {}: that fixes the offset, what remains are its elements.",
                  print(a[4]), print(get_flat_coord(m.threads, a[4])), print(to_value(m.threads)));
  t.add("slice at " + print(at), why, ref::view(partition(m, X, tensor, a[4].number), tensor));
}
template <operand X>
void steps_of_partition(trail& t, arguments const& a) {
  partition_trail<X>(t, a, ref::tensor_of(a[3]));
}
template <operand X>
void steps_of_partition_identity(trail& t, arguments const& a) {
  partition_trail<X>(t, a, ref::identity(a[3]));
}
template <operand X>
layout fragment_trail(trail& t, arguments const& a) {
  ref::tiled_mma const m = ref::mma_of(a);
  thrfrg_trail(t, m, X, ref::make_layout_left(ref::S(a[3])));
  t.add("shape", "The values of an atom, then how often atoms repeat: the same for every thread.", partition_shape(m, X, a[3]));
  return partition_fragment(m, X, a[3]);
}
template <operand X>
void steps_of_partition_shape(trail& t, arguments const& a) {
  fragment_trail<X>(t, a);
}
template <operand X>
void steps_of_partition_fragment(trail& t, arguments const& a) {
  t.add("make_layout_left", "Registers are compact.", fragment_trail<X>(t, a));
}
template <operand X>
void steps_of_mma_layout_tv(trail& t, arguments const& a) {
  ref::tiled_mma const m = ref::mma_of(a);
  add_all(t, layout_tv_steps(m, X),
          {"The tile that all threads cover once, counted colexicographically.", "Thread and fragment as in partition.",
           "The threads over (V, M, N, K); the mode that this operand lacks has stride 0: its threads hold the same.",
           "From the number of a thread to its place: the inverse of thr_layout_vmnk, numbers that no thread has to 0.",
           "(thread, value) -> index in the tile."});
}
void steps_of_thr_layout(trail& t, arguments const& a) {
  ref::tiled_mma const m = ref::mma_of(a);
  t.add("ThrID", "The threads of one atom.", m.atom.thr_id);
  t.add("tiled_product", "The atom's threads repeated as the layout of atoms says: (V, M, N, K) -> thread.", m.threads);
}
void steps_of_tile_shape(trail& t, arguments const& a) {
  ref::tiled_mma const m = ref::mma_of(a);
  t.add("Shape_MNK", "What one atom covers.", m.atom.shape_mnk);
  t.add("thr_layout_vmnk", "How often atoms stand along M, N and K.", m.threads);
  t.add("tile", "Both together, or the permutation where that is larger.",
        tuple_of({value(tile_size(m, 0)), value(tile_size(m, 1)), value(tile_size(m, 2))}));
}

void tiling_trail(trail& t, arguments const& a, ref::tiled_copy const& copy) {
  if (a[0].word.starts_with("make_tiled_copy_")) {
    t.add("layout_TV", "The threads and values of the MMA's operand.", copy.layout_tv);
  } else {
    layout const mn = t.add("raked_product", "The values of a thread at each place of the threads: (m, n) -> (thread, value).",
                            ref::raked_product(ref::L(a[2]), ref::L(a[3])));
    t.add("right_inverse", "The other way: (thread, value) -> index in the tile.", right_inverse(mn));
    t.add("layout_TV", "With a mode of threads and a mode of values.", copy.layout_tv);
  }
}
void thrval_trail(trail& t, arguments const& a, ref::tiled_copy const& copy, ref::steps const& steps) {
  tiling_trail(t, a, copy);
  add_all(t, steps,
          {"The tensor in tiles.", "From the bits of this side of the atom to the thread and value that its reference names.",
           "The tile's threads and values in atoms.", "Inside the atom, in the order of this side.",
           "Threads together, values together: (thread, value) of this side -> index in the tile.",
           "The tile in threads and values; where tiles repeat stays.", "Of a single tile: (thread, value)."});
}
void steps_of_copy_layout(trail& t, arguments const& a) { tiling_trail(t, a, ref::copy_of(a).tiling); }
template <layout ref::copy_atom::* Side>
void steps_of_copy_layout_tv(trail& t, arguments const& a) {
  ref::tiled_copy const c = ref::copy_of(a).tiling;
  thrval_trail(t, a, c, layout_tv_steps(c, c.atom.*Side));
}
void steps_of_tiler(trail& t, arguments const& a) {
  ref::tiled_copy const c = ref::copy_of(a).tiling;
  tiling_trail(t, a, c);
  t.add("tiler", "The shape that they cover.", c.tiler);
}
template <layout ref::copy_atom::* Side>
void steps_of_tidfrg(trail& t, arguments const& a) {
  auto const [c, rest] = ref::copy_of(a);
  thrval_trail(t, a, c, tidfrg_steps(c, c.atom.*Side, ref::L(rest[0])));
}
template <layout ref::copy_atom::* Side>
void steps_of_copy_partition(trail& t, arguments const& a) {
  auto const [c, rest] = ref::copy_of(a);
  composed const x = ref::tensor_of(rest[0]);
  thrval_trail(t, a, c, tidfrg_steps(c, c.atom.*Side, x.inner));
  t.add("slice", "Thread " + print(rest[1]) + ": its place becomes the offset.",
        ref::view(partition(c, c.atom.*Side, x, rest[1].number), x));
}
void steps_of_retile(trail& t, arguments const& a) {
  auto const [c, rest] = ref::copy_of(a);
  tiling_trail(t, a, c);
  add_all(t, retile_steps(c, ref::L(rest[0])),
          {"Which of its values a thread has where in the tile.", "Those values in atoms of the copy.",
           "The fragment in as many values at a time.", "Its values in the order of the copy.", "What is left over is one."});
}

// clang-format off
#define COLEX_OPERAND(X, x)                                             \
    {"tiled_mma_layout" X "_TV", steps_of_mma_layout_tv<operand::x>},   \
    {"tiled_mma_thrfrg_" X, steps_of_thrfrg<operand::x>},               \
    {"partition_" X, steps_of_partition<operand::x>},                   \
    {"partition_" X "_identity", steps_of_partition_identity<operand::x>}, \
    {"partition_shape_" X, steps_of_partition_shape<operand::x>},       \
    {"partition_fragment_" X, steps_of_partition_fragment<operand::x>}
#define COLEX_COPY(name, share)                                         \
    {name "layout_TV", steps_of_copy_layout},                           \
    {name "layoutS_TV", steps_of_copy_layout_tv<&ref::copy_atom::src>}, \
    {name "layoutD_TV", steps_of_copy_layout_tv<&ref::copy_atom::dst>}, \
    {name "tiler", steps_of_tiler},                                     \
    {name "tidfrg_S", steps_of_tidfrg<&ref::copy_atom::src>},           \
    {name "tidfrg_D", steps_of_tidfrg<&ref::copy_atom::dst>},           \
    {name "retile", steps_of_retile},                                   \
    {share "partition_S", steps_of_copy_partition<&ref::copy_atom::src>}, \
    {share "partition_D", steps_of_copy_partition<&ref::copy_atom::dst>}
// clang-format on

constexpr named<stepping> tiling_steps[] = {
    {"local_tile", steps_of_tile},
    {"local_tile_identity", steps_of_tile},
    {"inner_partition", steps_of_tile},
    {"outer_partition", steps_of_outer},
    {"local_partition", steps_of_local_partition},
    {"fold", steps_of_fold},
    {"bank_conflicts", steps_of_banks},
    {"bank_conflict_phases", steps_of_phases},
    {"swizzle_for", steps_of_swizzle_for},
    {"mma_atom", steps_of_field<ref::mma_atom_field>},
    {"copy_atom", steps_of_field<ref::copy_atom_field>},
    {"tiled_mma_thr_layout_vmnk", steps_of_thr_layout},
    {"tiled_mma_tile_shape", steps_of_tile_shape},
    COLEX_OPERAND("A", a),
    COLEX_OPERAND("B", b),
    COLEX_OPERAND("C", c),
    COLEX_COPY("tiled_copy_", ""),
    COLEX_COPY("tiled_copy_A_", "tiled_copy_A_"),
    COLEX_COPY("tiled_copy_B_", "tiled_copy_B_"),
    COLEX_COPY("tiled_copy_C_", "tiled_copy_C_"),
};
#undef COLEX_OPERAND
#undef COLEX_COPY
constexpr auto tiling_steps_by_place = by_place<tiling_steps, group::tensors, group::tiled_copy>();

}  // namespace

stepping steps_on_tilings(std::size_t place) { return tiling_steps_by_place[place]; }

}  // namespace colex
