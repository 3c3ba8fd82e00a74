// Steps and reasons: see explain.hpp. Every layout here is computed by the reference's own functions, in its own order.
// SPDX-License-Identifier: Apache-2.0
#include "tests/explain.hpp"

#include "ref/answer.hpp"
#include "ref/atom_fields.hpp"
#include "ref/bank_conflicts.hpp"
#include "ref/fold.hpp"
#include "ref/tiling_arguments.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace colex {
namespace {

using ref::arguments, ref::composed, ref::layout, ref::operand;

value value_of(value const& v) { return v; }
value value_of(layout const& a) { return to_value(a); }
value value_of(composed const& a) { return to_value(a); }

class trail {
 public:
  std::vector<step> steps;

  template <class T>
  T const& add(std::string const& name, std::string why, T const& x) {
    steps.push_back({place_.empty() ? name : "mode " + place_ + ": " + name, std::move(why), ref::plain(value_of(x))});
    return x;
  }
  // f in mode i, whose steps say so.
  template <class F>
  void in_mode(std::size_t i, F f) {
    std::string const before = place_;
    place_ += (place_.empty() ? "" : ".") + std::to_string(i);
    f();
    place_ = before;
  }

 private:
  std::string place_;
};

// The layout of a layout or composed layout: the algebra acts on it, swizzle and offset stay in front.
layout inner_of(value const& v) { return v.is(kind::composed) ? ref::composed_from(v).inner : ref::L(v); }
void put_behind(trail& t, value const& v, layout const& r) {
  if (v.is(kind::composed)) t.add("behind", "Swizzle and offset stay in front.", around(ref::composed_from(v), [&](layout const&) { return r; }));
}
// f on each mode that a tiler <...> reaches.
template <class F>
void each_mode(trail& t, layout const& a, value const& tiler, F f) {
  for (std::size_t i = 0; i < tiler.items.size() && i < rank(a); ++i)
    if (!tiler.items[i].is("_")) t.in_mode(i, [&] { f(mode(a, i), tiler.items[i]); });
}

// ---- coordinates ----

void steps_of_apply(trail& t, arguments const& a) {
  value const& c = ref::T(a[1]);
  if (a[0].is(kind::swizzle)) return;
  composed const x = ref::tensor_of(a[0]);
  if (!c.is(kind::tuple)) t.add("coordinate", "The index in colexicographic digits; the last mode goes on.", ref::idx2crd(c, shape(x.inner)));
  point const inner = x.inner(c), moved = x.offset + inner;
  auto const shown = [&](point const& p) { return p.is_integer() && !has_basis(x.inner) ? value(p.number) : ref::as_coordinate(p, coshape(x.inner)); };
  t.add("inner product", "Each digit times its stride.", shown(inner));
  if (a[0].is(kind::composed)) t.add("offset", "The view begins there.", shown(moved));
  if (x.outer) t.add("swizzle", "The bits at the swizzle's source flip those at its target.", value((*x.outer)(moved.number)));
}
void steps_of_flat_coord(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  t.add("get_hier_coord", "(i / d) mod s at each leaf: the inverse of a compact layout.", get_hier_coord(l, a[1]));
  t.add("get_flat_coord", "The coordinate inside each mode as one number.", get_flat_coord(l, a[1]));
}
void steps_of_1d_coord(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  t.add("get_hier_coord", "(i / d) mod s at each leaf: the inverse of a compact layout.", get_hier_coord(l, a[1]));
  t.add("crd2idx", "The coordinate as one number, counting colexicographically.", value(get_1d_coord(l, a[1])));
}

// ---- making, editing ----

void steps_of_layout_like(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  t.add("filter_zeros", "What broadcasts has extent 1: it needs no room.", filter_zeros(l));
  t.add("order", "The strides say which mode is fastest.", stride(l));
  t.add("make_ordered_layout", "Compact in that order.", ref::make_ordered_layout(shape(filter_zeros(l)), stride(l)));
  t.add("make_layout_like", "What broadcast before broadcasts again.", make_layout_like(l));
}
void steps_of_fragment_like(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  if (rank(l) > 1) {
    layout const rest = take(l, 1, rank(l));
    t.add("rest", "Everything behind the values of one instruction.", rest);
    t.add("make_ordered_layout", "The rest compact, in the order of its strides.", ref::make_ordered_layout(shape(rest), stride(rest)));
  }
  t.add("make_fragment_like", "The values of one instruction are compact and come first, the rest repeats them.", make_fragment_like(l));
}
void steps_of_slice_and_offset(trail& t, arguments const& a) {
  value const& c = ref::wild_coordinate(a[0]);
  composed const x = ref::tensor_of(a[1]);
  t.add("slice", "The modes under _ remain.", slice(c, x.inner));
  t.add("offset", "The value at the coordinate with 0 in place of each _.", ref::to_value(slice_offset(c, x.inner)));
  t.add("view", "What remains begins there.", slice(c, x));
}

layout coalesced(trail& t, layout const& a) {
  layout const flat = t.add("flatten", "The leaves in order; parentheses do not matter.", flatten(a));
  std::vector<layout> moving = leaves(flat);
  std::erase_if(moving, [](layout const& m) { return m.extent == 1; });
  t.add("drop extent 1", "A leaf of extent 1 contributes nothing inside the size.", ref::unwrapped(moving));
  return t.add("merge", "A leaf that goes on where the one before ends (s*d is the next stride) joins it.", coalesce(a));
}
void steps_of_coalesce(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  if (a.size() == 2 && a[1].is(kind::tuple)) {
    for (std::size_t i = 0; i < std::min(a[1].items.size(), rank(l)); ++i)
      t.in_mode(i, [&] { t.add("coalesce", "Merged under the profile.", coalesce(mode(l, i), a[1].items[i])); });
    put_behind(t, a[0], t.add("coalesce", "Mode by mode; modes beyond the profile stay.", coalesce(l, a[1])));
  } else {
    put_behind(t, a[0], coalesced(t, l));
  }
}
void steps_of_filter(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  t.add("filter_zeros", "Stride 0 gets extent 1: only what moves is left.", filter_zeros(l));
  put_behind(t, a[0], t.add("coalesce", "Extent 1 goes, neighbours merge.", a.size() == 2 ? filter(l, a[1]) : filter(l)));
}
void steps_of_recast(trail& t, arguments const& a) {
  if (!a[0].is(kind::layout)) return;
  layout const l = ref::L(a[0]);
  ref::width_ratio const r(ref::bits(a[1]), ref::bits(a[2]));
  t.add("ratio", "The widths in lowest terms: elements become so many times wider, then narrower.", tuple_of({value(r.up), value(r.down)}));
  if (r.up != 1 && r.down != 1) t.add("upcast", "The same memory in wider elements.", upcast(l, r.up));
  t.add(r.up == 1 ? "downcast" : r.down == 1 ? "upcast" : "downcast", "The same memory in elements of the width asked for.", recast(l, r));
}
void steps_of_distribute(trail& t, arguments const& a) {
  value const s = ref::shape_of(a[0]);
  integer const n = ref::N(a[1]);
  t.add("make_layout_left", "The domain, counted colexicographically.", ref::make_layout_left(s));
  t.add("distribute", "Front to back each mode takes as many threads as divide it.", ref::distributed(s, n));
  t.add("coalesce", "Neighbours merge.", ref::domain_distribute(s, n));
}

// ---- composition, complement, inverses ----

layout composed_steps(trail& t, layout const& a, value const& tiler) {
  if (auto const b = ref::as_layout(tiler)) {
    std::vector<layout> const all = leaves(*b);
    for (layout const& leaf : all)
      if (all.size() > 1 && leaf.extent > 1) t.add("A o " + print(to_value(leaf)), "The values of A at the multiples that this leaf takes, by their longest linear runs.", composition(a, leaf));
    return t.add("composition", "The leaf s with A(B(c)) at every c: a layout refining B, checked as a whole.", composition(a, *b));
  }
  each_mode(t, a, tiler, [&](layout const& m, value const& tile) { composed_steps(t, m, tile); });
  return t.add("composition", "Mode by mode; `_` keeps a mode, modes beyond the tiler are dropped.", composition(a, tiler));
}
void steps_of_composition(trail& t, arguments const& a) {
  if (a[0].is(kind::swizzle)) return;
  layout const l = inner_of(a[0]);
  put_behind(t, a[0], composed_steps(t, l, ref::tiler(a[1])));
}

layout complement_steps(trail& t, layout const& a, value const& m) {
  std::vector<layout> const sorted = ref::sorted_leaves(a);
  t.add("sort", "The leaves that move, by stride; extent 1 and stride 0 take no room.", ref::unwrapped(sorted));
  layout const free = complement(a, m);
  t.add("gaps", "Between the end of a leaf and the next stride: how often it fits; behind the last, up to " + print(m) + ".", ref::gaps(sorted, m));
  return t.add("complement", "Neighbours merge: what the layout leaves free.", free);
}
void steps_of_complement(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  complement_steps(t, l, a.size() == 2 ? a[1] : value(cosize(filter(l))));
}

std::vector<layout> leaves_of(std::vector<ref::weighted_leaf> const& all) {
  std::vector<layout> out;
  for (ref::weighted_leaf const& m : all) out.push_back(m.leaf);
  return out;
}
void inverse_steps(trail& t, layout const& a) {
  t.add("sort", "The leaves that move, by stride.", ref::unwrapped(leaves_of(ref::weighted_sorted(a))));
  t.add("contiguous", "Those that begin where the ones before end; each as far apart as its index is.", ref::contiguous_leaves(a));
}
void steps_of_right_inverse(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  inverse_steps(t, l);
  char const* const why = single_valued(l) ? "Neighbours merge." : "Leaves overlap: the largest layout R with A(R(i)) == i, by search.";
  t.add("right_inverse", why, right_inverse(l));
  if (a[0].is(kind::composed)) t.add("swizzle", "The swizzle acts on the bits that the inverse moves.", right_inverse(ref::composed_from(a[0])));
}
void steps_of_left_inverse(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  layout const sorted = t.add("sort", "The leaves that move, by stride.", ref::unwrapped(ref::sorted_leaves(l)));
  layout const r = left_inverse(l);
  bool const gaps = size(sorted) == 1 || ref::dividing_inverse(l);
  t.add("left_inverse", gaps ? "Gaps get stride 0, each leaf the index of its step." : "Strides do not divide one another: the layout through all pairs of value and index.", r);
  if (a[0].is(kind::composed)) t.add("swizzle", "The swizzle acts on the bits that the inverse moves.", left_inverse(ref::composed_from(a[0])));
}
layout common_steps(trail& t, arguments const& a) {
  layout const x = ref::L(a[0]), y = ref::L(a[1]);
  t.add("inverse of A", "Where A has 0, 1, 2, ...", ref::contiguous_inverse(x));
  t.add("inverse of B", "Where B has 0, 1, 2, ...", ref::contiguous_inverse(y));
  return t.add("max_common_layout", "As far as both are the same.", max_common_layout(x, y));
}
void steps_of_common_layout(trail& t, arguments const& a) { common_steps(t, a); }
void steps_of_common_vector(trail& t, arguments const& a) { t.add("size", "That many elements are contiguous in both.", value(size(common_steps(t, a)))); }
void steps_of_alignment(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  inverse_steps(t, l);
  t.add("max_alignment", "The size of that run, as far as it divides every stride beyond it.", value(max_alignment(l)));
}

// ---- divide and product ----

bool divides(layout const& a, layout const& b, layout (*divide)(layout const&, layout const&)) {
  try {
    return divide(a, b), true;
  } catch (ref::undefined const&) {
    return false;
  }
}
layout divided(trail& t, layout const& a, layout const& b) {
  layout whole = a;
  if (!divides(a, b, ref::divide_exactly) && divides(a, b, ref::logical_divide))
    whole = t.add("round up", "The tile does not divide A: one mode is rounded up, its last tile runs past the end.", *rounded_up(a, b));
  t.add("complement", "Where the tile repeats below " + size(whole).str() + ".", complement(b, value(size(whole))));
  t.add("(B, B*)", "The tile, then its repetitions.", ref::tile_and_rest(whole, b));
  return t.add("logical_divide", "A o (B, B*): mode 0 is a tile, mode 1 says which.", logical_divide(a, b));
}
layout divided(trail& t, layout const& a, value const& tiler) {
  if (auto const b = ref::as_tile(tiler)) return divided(t, a, *b);
  each_mode(t, a, tiler, [&](layout const& m, value const& tile) { divided(t, m, tile); });
  return t.add("logical_divide", "Each mode by its tile; `_` keeps a mode, modes beyond the tiler stay.", logical_divide(a, tiler));
}
layout multiplied(trail& t, layout const& a, layout const& b) {
  t.add("complement", "The room that A leaves, enough for " + cosize(b).str() + " copies.", ref::room_for(a, b));
  return t.add("logical_product", "(A, A* o B): the copies of A lie where B says.", logical_product(a, b));
}
layout multiplied(trail& t, layout const& a, value const& tiler) {
  if (auto const b = ref::as_tile(tiler)) return multiplied(t, a, *b);
  each_mode(t, a, tiler, [&](layout const& m, value const& tile) { multiplied(t, m, tile); });
  return t.add("logical_product", "Each mode by its tile; `_` keeps a mode, modes beyond the tiler stay.", logical_product(a, tiler));
}

// The steps of a divide or product, then the regrouping of its modes: zipped, tiled (from = 1) or flat (from = 0).
template <layout (*First)(trail&, layout const&, value const&)>
layout zipped(trail& t, layout const& a, value const& tiler) {
  layout const pairs = First(t, a, tiler);
  return t.add("zip", "The tiles of all modes together, then all that says which tile.", unzip_tiles(pairs, tiler));
}
template <layout (*First)(trail&, layout const&, value const&)>
void steps_plain(trail& t, arguments const& a) {
  put_behind(t, a[0], First(t, inner_of(a[0]), ref::tiler(a[1])));
}
template <layout (*First)(trail&, layout const&, value const&), std::size_t From>
void steps_unpacked(trail& t, arguments const& a) {
  layout const z = zipped<First>(t, inner_of(a[0]), ref::tiler(a[1]));
  char const* const why = From ? "The modes behind the tile are unpacked." : "The tile and what is behind it are unpacked.";
  put_behind(t, a[0], t.add("unpack", why, unpack_from(z, From)));
}
template <layout (*Pair)(layout const&, layout const&)>
layout paired(trail& t, layout const& a, layout const& b, char const* name, char const* why) {
  std::size_t const r = std::max(rank(a), rank(b));
  if (rank(a) < r) t.add("append", "A gets modes 1:0 up to the rank of B.", append(a, r));
  if (rank(b) < r) t.add("append", "B gets modes 1:0 up to the rank of A.", append(b, r));
  multiplied(t, append(a, r), append(b, r));
  return t.add(name, why, Pair(a, b));
}
layout layout_argument(value const& v) { return v.is(kind::number) ? *ref::as_layout(ref::tiler(v)) : ref::L(v); }
void steps_of_blocked(trail& t, arguments const& a) {
  put_behind(t, a[0], paired<ref::blocked_product>(t, inner_of(a[0]), layout_argument(a[1]), "zip", "Mode i of A with mode i of B: blocks side by side."));
}
void steps_of_raked(trail& t, arguments const& a) {
  put_behind(t, a[0], paired<ref::raked_product>(t, inner_of(a[0]), layout_argument(a[1]), "zip", "Mode i of B with mode i of A: A is raked over B."));
}
void steps_of_tile_to_shape(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  value const order = a.size() == 3 ? a[2] : word_of("LayoutLeft");
  layout const block = t.add("append", "The block with a mode for each of the shape.", append(l, rank(ref::S(a[1]))));
  t.add("copies", "How often the block repeats along each mode, in the order asked for.", ref::copies(block, a[1], order));
  put_behind(t, a[0], t.add("blocked_product", "The block repeated so.", tile_to_shape(l, a[1], order)));
}

// ---- tensors ----

// Names and layouts as the reference has them, and why each.
void add_all(trail& t, ref::steps const& all, std::vector<char const*> const& why) {
  for (std::size_t i = 0; i < all.size(); ++i) t.add(all[i].first, why.at(i), all[i].second);
}
value viewed(composed const& c, composed const& of) { return ref::view(c, of.inner); }

void sliced_steps(trail& t, composed const& x, value const& tiler, value const& c, bool tile, composed const& answer) {
  layout const z = zipped<divided>(t, x.inner, tiler);
  value const free = ref::all_of(rank(z.modes[tile ? 0 : 1])), fixed = ref::for_modes(c, rank(z.modes[tile ? 1 : 0]));
  t.add("coordinate", tile ? "The tile whole, one of the tiles." : "One place in the tile, every tile.", tile ? tuple_of({free, fixed}) : tuple_of({fixed, free}));
  t.add("slice", "What the coordinate fixes becomes the offset.", viewed(answer, x));
}
void steps_of_tile(trail& t, arguments const& a) {
  composed const x = a[0].is(kind::layout) || a[0].is(kind::composed) ? ref::tensor_of(a[0]) : ref::identity(a[0]);
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
  if (a.size() == 4) t.add("dice", "The modes of the threads without X are this tensor's: threads that differ in the others share.", threads = dice(a[3], threads));
  value const extents = t.add("tile", "The shape of the threads is the tile.", ref::product_each(shape(threads)));
  value const c = t.add("get_flat_coord", "Where thread " + print(a[2]) + " stands in that tile.", get_flat_coord(threads, a[2]));
  value const tiler{kind::tiler, extents.is(kind::tuple) ? extents.items : std::vector<value>{extents}};
  sliced_steps(t, x, tiler, c, false, outer_partition(x, tiler, c));
}
void steps_of_fold(trail& t, arguments const& a) {
  value out{kind::tiler, {}};
  char const* const modes[] = {"A as (m, k, p): m is in A and C, k in A and B, p in all three.", "B as (n, k, p).", "C as (m, n, p)."};
  std::vector<layout> const all = ref::fold({ref::W(a[0]), ref::L(a[1])}, {ref::W(a[2]), ref::L(a[3])}, {ref::W(a[4]), ref::L(a[5])});
  for (std::size_t i = 0; i < 3; ++i) out.items.push_back(value_of(t.add(std::string("group ") + "ABC"[i], modes[i], all[i])));
  t.add("fold", "C(m,n,p) += A(m,k,p) B(n,k,p): a batched GEMM.", out);
}

void steps_of_banks(trail& t, arguments const& a) {
  integer const bytes = ref::N(a[2]), n = bank_conflicts(ref::tensor_of(a[0]), ref::bits(a[1]), static_cast<int>(bytes));
  t.add("phase", "So many threads are served at once: 128 bytes, 4 from each of 32 banks.", value(integer(ref::phase_bytes / bytes)));
  t.add("bank_conflicts", "The most different words in one bank, less one, summed over the phases.", value(n));
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

// ---- tiled MMA ----

// The steps with what they divide by or compose with.
void thrfrg_trail(trail& t, ref::tiled_mma const& m, operand x, layout const& tensor) {
  auto const [i, j] = ref::modes_of(x);
  auto const pair = [&](value const& p, value const& q) { return print(value(kind::tiler, {p, q})); };
  auto const across = [&](std::size_t k) { return value(size(m.threads.modes[k + 1])); };
  std::string const by[] = {" by the permutation " + pair(m.permutation.items[i], m.permutation.items[j]),
                            " by the atom " + pair(m.atom.shape_mnk.items[i], m.atom.shape_mnk.items[j]),
                            " with the atom's (thread, value) layout " + print(to_value(layout_tv(m.atom, x))), " by the threads " + pair(across(i), across(j))};
  char const* const why[] = {
      "Each mode of the tensor becomes what the permutation covers, in its order, and how often that repeats.",
      "The elements of one atom come first; behind them is where atoms repeat.",
      "Inside the atom the instruction's thread and value take the place of row and column.",
      "Where atoms repeat is divided among the threads: ((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN))); for A and B likewise with K."};
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
  std::string const why = fmt::format("Thread {} stands at (v,m,n,k) = {} of the threads {}: that fixes the offset, what remains are its elements.", print(a[4]),
                                      print(get_flat_coord(m.threads, a[4])), print(to_value(m.threads)));
  t.add("slice at " + print(at), why, viewed(partition(m, X, tensor, a[4].number), tensor));
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
  t.add("tile", "Both together, or the permutation where that is larger.", tuple_of({value(tile_size(m, 0)), value(tile_size(m, 1)), value(tile_size(m, 2))}));
}

// ---- tiled copy ----

void tiling_trail(trail& t, arguments const& a, ref::tiled_copy const& copy) {
  if (a[0].word.starts_with("make_tiled_copy_")) {
    t.add("layout_TV", "The threads and values of the MMA's operand.", copy.layout_tv);
  } else {
    layout const mn = t.add("raked_product", "The values of a thread at each place of the threads: (m, n) -> (thread, value).", ref::raked_product(ref::L(a[2]), ref::L(a[3])));
    t.add("right_inverse", "The other way: (thread, value) -> index in the tile.", right_inverse(mn));
    t.add("layout_TV", "With a mode of threads and a mode of values.", copy.layout_tv);
  }
}
void thrval_trail(trail& t, arguments const& a, ref::tiled_copy const& copy, ref::steps const& steps) {
  tiling_trail(t, a, copy);
  add_all(t, steps, {"The tensor in tiles.", "From the bits of this side of the atom to the thread and value that its reference names.",
                     "The tile's threads and values in atoms.", "Inside the atom, in the order of this side.",
                     "Threads together, values together: (thread, value) of this side -> index in the tile.",
                     "The tile in threads and values; where tiles repeat stays.", "Of a single tile: (thread, value)."});
}
void steps_of_copy_layout(trail& t, arguments const& a) { tiling_trail(t, a, ref::copy_of(a).tiling); }
template <layout ref::copy_atom::*Side>
void steps_of_copy_layout_tv(trail& t, arguments const& a) {
  ref::tiled_copy const c = ref::copy_of(a).tiling;
  thrval_trail(t, a, c, layout_tv_steps(c, c.atom.*Side));
}
void steps_of_tiler(trail& t, arguments const& a) {
  ref::tiled_copy const c = ref::copy_of(a).tiling;
  tiling_trail(t, a, c);
  t.add("tiler", "The shape that they cover.", c.tiler);
}
template <layout ref::copy_atom::*Side>
void steps_of_tidfrg(trail& t, arguments const& a) {
  auto const [c, rest] = ref::copy_of(a);
  thrval_trail(t, a, c, tidfrg_steps(c, c.atom.*Side, ref::L(rest[0])));
}
template <layout ref::copy_atom::*Side>
void steps_of_copy_partition(trail& t, arguments const& a) {
  auto const [c, rest] = ref::copy_of(a);
  composed const x = ref::tensor_of(rest[0]);
  thrval_trail(t, a, c, tidfrg_steps(c, c.atom.*Side, x.inner));
  t.add("slice", "Thread " + print(rest[1]) + ": its place becomes the offset.", viewed(partition(c, c.atom.*Side, x, rest[1].number), x));
}
void steps_of_retile(trail& t, arguments const& a) {
  auto const [c, rest] = ref::copy_of(a);
  tiling_trail(t, a, c);
  add_all(t, retile_steps(c, ref::L(rest[0])), {"Which of its values a thread has where in the tile.", "Those values in atoms of the copy.", "The fragment in as many values at a time.",
                                                "Its values in the order of the copy.", "What is left over is one."});
}

// ---- the table ----

using steps_function = void (*)(trail&, arguments const&);
using table = std::map<std::string, steps_function>;

template <operand X>
void add_operand(table& t, std::string const& x) {
  t["tiled_mma_layout" + x + "_TV"] = steps_of_mma_layout_tv<X>;
  t["tiled_mma_thrfrg_" + x] = steps_of_thrfrg<X>;
  t["partition_" + x] = steps_of_partition<X>;
  t["partition_" + x + "_identity"] = steps_of_partition_identity<X>;
  t["partition_shape_" + x] = steps_of_partition_shape<X>;
  t["partition_fragment_" + x] = steps_of_partition_fragment<X>;
}
void add_copy(table& t, std::string const& x) {
  std::string const base = "tiled_copy_" + x;
  t[base + "layout_TV"] = steps_of_copy_layout;
  t[base + "layoutS_TV"] = steps_of_copy_layout_tv<&ref::copy_atom::src>;
  t[base + "layoutD_TV"] = steps_of_copy_layout_tv<&ref::copy_atom::dst>;
  t[base + "tiler"] = steps_of_tiler;
  t[base + "tidfrg_S"] = steps_of_tidfrg<&ref::copy_atom::src>;
  t[base + "tidfrg_D"] = steps_of_tidfrg<&ref::copy_atom::dst>;
  t[base + "retile"] = steps_of_retile;
  t[x.empty() ? "partition_S" : base + "partition_S"] = steps_of_copy_partition<&ref::copy_atom::src>;
  t[x.empty() ? "partition_D" : base + "partition_D"] = steps_of_copy_partition<&ref::copy_atom::dst>;
}
table all_steps() {
  table t{{"apply", steps_of_apply},
          {"get_flat_coord", steps_of_flat_coord},
          {"get_1d_coord", steps_of_1d_coord},
          {"make_layout_like", steps_of_layout_like},
          {"make_fragment_like", steps_of_fragment_like},
          {"slice_and_offset", steps_of_slice_and_offset},
          {"coalesce", steps_of_coalesce},
          {"filter", steps_of_filter},
          {"recast_layout", steps_of_recast},
          {"domain_distribute", steps_of_distribute},
          {"composition", steps_of_composition},
          {"complement", steps_of_complement},
          {"right_inverse", steps_of_right_inverse},
          {"left_inverse", steps_of_left_inverse},
          {"max_common_layout", steps_of_common_layout},
          {"max_common_vector", steps_of_common_vector},
          {"max_alignment", steps_of_alignment},
          {"logical_divide", steps_plain<divided>},
          {"zipped_divide", steps_plain<zipped<divided>>},
          {"tiled_divide", steps_unpacked<divided, 1>},
          {"flat_divide", steps_unpacked<divided, 0>},
          {"logical_product", steps_plain<multiplied>},
          {"zipped_product", steps_plain<zipped<multiplied>>},
          {"tiled_product", steps_unpacked<multiplied, 1>},
          {"flat_product", steps_unpacked<multiplied, 0>},
          {"blocked_product", steps_of_blocked},
          {"raked_product", steps_of_raked},
          {"tile_to_shape", steps_of_tile_to_shape},
          {"local_tile", steps_of_tile},
          {"local_tile_identity", steps_of_tile},
          {"inner_partition", steps_of_tile},
          {"outer_partition", steps_of_outer},
          {"local_partition", steps_of_local_partition},
          {"fold", steps_of_fold},
          {"bank_conflicts", steps_of_banks},
          {"mma_atom", steps_of_field<ref::mma_atom_field>},
          {"copy_atom", steps_of_field<ref::copy_atom_field>},
          {"tiled_mma_thr_layout_vmnk", steps_of_thr_layout},
          {"tiled_mma_tile_shape", steps_of_tile_shape}};
  add_operand<operand::a>(t, "A");
  add_operand<operand::b>(t, "B");
  add_operand<operand::c>(t, "C");
  for (char const* x : {"", "A_", "B_", "C_"}) add_copy(t, x);
  return t;
}

// Steps as far as they are defined.
std::vector<step> steps_of(request const& asked) {
  static table const all = all_steps();
  auto const at = all.find(asked.op);
  trail t;
  arguments args;
  for (value const& v : asked.args) args.push_back(ref::plain(v));
  if (at == all.end()) return {};
  try {
    at->second(t, args);
  } catch (ref::undefined const&) {
  } catch (ref::unspecified const&) {
  }
  return t.steps;
}

// What laws.md says an operation is: the first paragraph behind its signature.
std::string definition_of(std::string const& op) {
  std::ifstream in(std::filesystem::path(COLEX_SOURCE_DIR) / "spec" / "laws.md");
  std::string line, out;
  while (std::getline(in, line) && line != "## " + op) {}
  while (std::getline(in, line) && !line.starts_with("#")) {
    if (line.empty() && !out.empty()) break;
    if (!line.empty() && !line.starts_with("    ")) out += (out.empty() ? "" : "\n") + line;
    for (std::size_t at; (at = out.find("**")) != std::string::npos;) out.erase(at, 2);
  }
  return out;
}

// ---- text ----

constexpr std::size_t most_pointwise = 16, most_elements = 256;

bool holds_elements(value const& v) { return v.is(kind::layout) || v.is(kind::composed); }

// Which argument is the tensor that an answer is a view of; none for other operations.
std::optional<std::size_t> tensor_argument(request const& r) {
  static char const* const first[] = {"local_tile", "inner_partition", "outer_partition", "local_partition"};
  if (std::find(std::begin(first), std::end(first), r.op) != std::end(first)) return 0;
  bool const share = r.op.find("partition_") != std::string::npos && r.op.find("shape") == std::string::npos && r.op.find("fragment") == std::string::npos;
  return share && !r.op.ends_with("_identity") && r.args.size() >= 2 ? std::optional(r.args.size() - 2) : std::nullopt;
}
// The same question of the tensor's coordinates: where each element lies.
std::optional<value> coordinates_of(request r) {
  auto const k = tensor_argument(r);
  if (!k) return std::nullopt;
  value const shape = r.args[*k].is(kind::composed) ? r.args[*k].items.back().shape() : r.args[*k].shape();
  r.args[*k] = to_value(ref::make_identity_layout(shape));
  answer const a = ref::respond(r);
  return a ? std::optional(a.result) : std::nullopt;
}

using rows = std::vector<std::vector<std::string>>;
std::string aligned(rows const& all) {
  std::vector<std::size_t> width(all[0].size());
  for (auto const& row : all)
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  std::string out;
  for (auto const& row : all) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) line += fmt::format("  {:>{}}", row[k], width[k]);
    out += line + "\n";
  }
  return out;
}

layout layout_in(value const& v) { return ref::from_value(v.is(kind::composed) ? v.items.back() : v); }

// Value i of an answer, in the profile of `shape` where it is a coordinate.
value value_in(value const& v, integer const& i, value const& shape) {
  bool const counts = has_basis(layout_in(v));
  return counts ? ref::as_coordinate(value_at(v, i), shape) : value(value_at(v, i).number);
}
// Each element of a view of a tensor: its coordinate in the view, its offset, and where it lies in the tensor.
std::string elements_of(explanation const& e, value const& coordinates) {
  value const& tensor = e.asked.args[*tensor_argument(e.asked)];
  value const s = tensor.is(kind::composed) ? tensor.items.back().shape() : tensor.shape(), inner = to_value(layout_in(e.result.result)).shape();
  bool const matrix = s.is(kind::tuple) && s.items.size() == 2;
  rows all{matrix ? std::vector<std::string>{"i", "coordinate", "offset", "row", "column"} : std::vector<std::string>{"i", "coordinate", "offset", "lies at"}};
  for (integer i = 0; i < std::min<integer>(size(inner), most_elements); ++i) {
    value const at = value_in(coordinates, i, s);
    all.push_back({i.str(), print(ref::idx2crd(value(i), inner)), print(value_in(e.result.result, i, s))});
    if (matrix) for (value const& x : at.items) all.back().push_back(print(x));
    else all.back().push_back(print(at));
  }
  return aligned(all);
}
// The function itself, index by index; of a composition also through which index of A.
std::string pointwise(explanation const& e) {
  value const& r = e.result.result;
  layout const inner = layout_in(r);
  bool const through = e.asked.op == "composition" && e.asked.args[1].is(kind::layout) && r.is(kind::layout);
  rows all{{"i", "coordinate"}};
  if (through) all[0].push_back("B(i)");
  all[0].push_back(through ? "A(B(i))" : "value");
  for (integer i = 0; i < std::min<integer>(size(inner), most_pointwise); ++i) {
    all.push_back({i.str(), print(ref::idx2crd(value(i), shape(inner)))});
    if (through) all.back().push_back(print(value_at(e.asked.args[1], i)));
    all.back().push_back(print(value_in(r, i, coshape(inner))));
  }
  return aligned(all);
}
std::string contents(explanation const& e) {
  if (!e.result || !holds_elements(e.result.result)) return "";
  integer const n = size(e.result.result);
  auto const coordinates = coordinates_of(e.asked);
  std::size_t const most = coordinates ? most_elements : most_pointwise;
  std::string const shown = n > most ? fmt::format(", the first {} of them", most) : "";
  return fmt::format("\n{} element{}{}:\n{}", n.str(), n == 1 ? "" : "s", shown, coordinates ? elements_of(e, *coordinates) : pointwise(e));
}

std::string indented(std::string const& text, std::string const& by) {
  std::string out = by;
  for (char const c : text) out += c == '\n' ? "\n" + by : std::string(1, c);
  return out + "\n";
}

}  // namespace

explanation explain(request const& asked) {
  explanation e{asked, ref::respond(asked), steps_of(asked), {}};
  if (e.steps.empty()) e.definition = definition_of(asked.op);
  if (e.result && !e.steps.empty() && e.steps.back().result != ref::plain(e.result.result))
    throw std::logic_error("the steps of " + print(asked) + " end in " + print(e.steps.back().result) + ", not in " + print(e.result.result));
  return e;
}

std::string text_of(explanation const& e) {
  std::string out = print(e.asked) + "\n\n";
  for (std::size_t k = 0; k < e.steps.size(); ++k)
    out += fmt::format("{:>3}  {}\n{}{}", k + 1, e.steps[k].name, indented(show(e.steps[k].result), "       "), indented(e.steps[k].why, "     "));
  if (!e.definition.empty()) out += indented(e.definition, "  ");
  return out + (e.result ? "\n= " + show(e.result.result) : "\n" + print(e.result)) + "\n" + contents(e);
}

}  // namespace colex
