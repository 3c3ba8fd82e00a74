// See cute_model.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/cute_model.hpp"

#include "ref/algebra/product.hpp"
#include "ref/arguments.hpp"
#include "spec/operations.hpp"

namespace colex {
namespace cute_cpp {
namespace {

using ref::layout;

// A static_assert does not hold, or a number is divided by zero.
struct refuses : std::runtime_error {
  refuses() : std::runtime_error("refused") {}
};
void need(bool holds) {
  if (!holds) throw refuses();
}

// ---- composition: the fold over the modes of A, leaf by leaf of B ----

// A coalesced, but the same function beyond its size: behind a last mode of extent 1 there is more.
layout coalesce_x(layout const& a) {
  std::vector<layout> m = leaves(a);
  if (m.back().extent == 1) m.back().extent = 2;
  return coalesce(layout(std::move(m)));
}

// A leaf of B behind the modes of A. Static integers are checked, and modes of extent 1 left out.
layout of_leaf(std::vector<layout> const& a, layout const& leaf, bool is_static) {
  integer s = leaf.extent, d = leaf.stride.number;
  if (d == 0 && (is_static || a.size() == 1)) return leaf;
  std::vector<layout> out;
  for (std::size_t k = 0; k + 1 < a.size(); ++k) {
    integer const& extent = a[k].extent;
    need(d != 0 && (!is_static || d % extent == 0 || d < extent));
    integer const n = std::min(ref::ceil_div(extent, d), s);
    need(!is_static || s % n == 0);
    if (n != 1 || !is_static) out.emplace_back(n, d * a[k].stride);
    s /= n;
    d = ref::ceil_div(d, extent);
  }
  if (s != 1 || out.empty() || !is_static) out.emplace_back(s, d * a.back().stride);
  return ref::unwrapped(std::move(out));
}
layout compose(layout const& a, layout const& b, bool is_static) {
  std::vector<layout> const flat = modes(is_static ? coalesce_x(a) : flatten(a));
  return replace_leaves(b, [&](layout const& leaf) { return of_leaf(flat, leaf, is_static); });
}
layout composition(layout const& a, value const& tiler) {
  if (auto const b = ref::as_layout(tiler)) return compose(a, *b, true);
  return layout(by_mode(a, tiler, false, composition));
}

// ---- what is built on it ----

layout rest_of(layout const& a, value const& m) {
  need(nested(ref::sorted_leaves(a)));
  return ref::complement(a, m);
}
layout logical_divide(layout const& a, value const& tiler) {
  if (auto const b = ref::as_tile(tiler)) return compose(a, layout({*b, rest_of(*b, shape(coalesce(a)))}), true);
  return layout(by_mode(a, tiler, true, logical_divide));
}
layout logical_product(layout const& a, value const& tiler) {
  if (auto const b = ref::as_tile(tiler)) return layout({a, compose(rest_of(a, value(size(a) * cosize(*b))), *b, true)});
  return layout(by_mode(a, tiler, true, logical_product));
}
// Their tiles and rests put together, and unpacked from number `first` on.
template <auto Op>
layout zipped(layout const& a, value const& tiler) {
  return ref::unzip_tiles(Op(a, tiler), tiler);
}
template <auto Op, std::size_t First>
layout unpacked(layout const& a, value const& tiler) {
  return ref::unpack_from(zipped<Op>(a, tiler), First);
}

// ---- inverses: whole modes, by stride ----

// The modes of A coalesced by stride; behind each the index at which it begins.
std::vector<std::pair<layout, integer>> by_stride(layout const& a) {
  std::vector<std::pair<layout, integer>> out;
  integer index = 1;
  for (layout const& m : modes(coalesce(a))) {
    out.emplace_back(m, index);
    index *= m.extent;
  }
  std::stable_sort(out.begin(), out.end(),
                   [](auto const& x, auto const& y) { return x.first.stride.number < y.first.stride.number; });
  return out;
}
layout right_inverse(layout const& a) {
  std::vector<layout> out;
  integer end = 1;
  for (auto const& [m, index] : by_stride(a))
    if (m.stride.number == end) {
      out.emplace_back(m.extent, index);
      end *= m.extent;
    }
  return coalesce(layout(std::move(out)));
}
layout left_inverse(layout const& a) {
  auto const sorted = by_stride(a);
  std::vector<layout> out;
  integer size = 1, stride = 0;
  for (auto const& [m, index] : sorted) {
    if (m.stride.number == 0) continue;
    need(m.stride.number % size == 0);
    out.emplace_back(m.stride.number / size, stride);
    size = m.stride.number;
    stride = index;
  }
  out.emplace_back(sorted.back().first.extent, stride);
  return coalesce(layout(std::move(out)));
}

using answering_static = layout (*)(ref::arguments const&);
template <layout (*Op)(layout const&)>
layout of_layout(ref::arguments const& a) {
  return Op(ref::L(a[0]));
}
template <layout (*Op)(layout const&, value const&)>
layout by(ref::arguments const& a) {
  return Op(ref::L(a[0]), a[1]);
}
constexpr named<answering_static> models[] = {
    {"composition", by<composition>},
    {"complement", by<rest_of>},
    {"right_inverse", of_layout<right_inverse>},
    {"left_inverse", of_layout<left_inverse>},
    {"logical_divide", by<logical_divide>},
    {"zipped_divide", by<zipped<logical_divide>>},
    {"tiled_divide", by<unpacked<logical_divide, 1>>},
    {"flat_divide", by<unpacked<logical_divide, 0>>},
    {"logical_product", by<logical_product>},
    {"zipped_product", by<zipped<logical_product>>},
    {"tiled_product", by<unpacked<logical_product, 1>>},
    {"flat_product", by<unpacked<logical_product, 0>>},
};

bool is_natural(layout const& a) {
  std::vector<layout> const all = leaves(a);
  return !all.empty() && !has_basis(a) &&
         std::none_of(all.begin(), all.end(), [](layout const& m) { return m.stride.number < 0; });
}
bool knows(value const& v) {
  if (v.is(kind::layout)) return is_natural(ref::L(v));
  if (v.is(kind::number)) return v.basis.empty() && v.number > 0;
  if (v.is(kind::word)) return v.is("_");
  return (v.is(kind::tuple) || v.is(kind::tiler)) && std::all_of(v.items.begin(), v.items.end(), knows);
}

template <class F>
std::optional<layout> answered(F f) {
  try {
    return f();
  } catch (std::runtime_error const&) {  // refused, here or by what of the reference is the same
    return std::nullopt;
  }
}

}  // namespace
}  // namespace cute_cpp

std::vector<cute_answer> cute_answers(request const& asked) {
  using namespace cute_cpp;
  std::size_t const k = place_in(models, asked.op);
  if (k == std::size(models) || !asked.args[0].is(kind::layout) || !std::all_of(asked.args.begin(), asked.args.end(), knows))
    return {};
  if (asked.op == "complement" && asked.args.size() == 1) return {};
  std::vector<cute_answer> out{{"static", answered([&] { return models[k].is(asked.args); })}};
  if (asked.op == "composition" && asked.args[1].is(kind::layout))
    out.push_back({"dynamic", answered([&] { return compose(ref::L(asked.args[0]), ref::L(asked.args[1]), false); })});
  return out;
}

}  // namespace colex
