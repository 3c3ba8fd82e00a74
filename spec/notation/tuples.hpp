// What CuTe's functions of tuples give: as people ask for them within a line. Of layouts the operations of the same names do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

#include <optional>

namespace colex::detail {

// The item of that number, from 0; a number is its own. Nothing where there is none.
inline std::optional<value> item_of(value const& v, value const& number) {
  std::size_t const n = v.is(kind::tuple) ? v.items.size() : 1;
  if (!number.is(kind::number) || !number.basis.empty() || number.number < 0 || number.number >= n) return std::nullopt;
  return v.is(kind::tuple) ? v.items[static_cast<std::size_t>(number.number)] : v;
}

inline void append_leaves(value const& v, std::vector<value>& out) {
  if (!v.is(kind::tuple)) return out.push_back(v);
  for (value const& x : v.items) append_leaves(x, out);
}
// What stands in it, without the brackets within; a number is its own.
inline value flat(value const& v) {
  if (!v.is(kind::tuple)) return v;
  std::vector<value> out;
  append_leaves(v, out);
  return tuple_of(std::move(out));
}

// Are there modes left open in the coordinate?
inline bool is_open(value const& c) { return c.is("_") || c.is("X") || std::any_of(c.items.begin(), c.items.end(), is_open); }

// What stands beside what is open of the coordinate, or else beside the rest. Is there something beside each of its items?
inline bool append_beside(value const& c, bool open, value const& of, std::vector<value>& out) {
  if (!c.is(kind::tuple)) {
    if (is_open(c) == open) out.push_back(of);
    return true;
  }
  if (!of.is(kind::tuple) || of.items.size() != c.items.size()) return false;
  for (std::size_t k = 0; k < c.items.size(); ++k)
    if (!append_beside(c.items[k], open, of.items[k], out)) return false;
  return true;
}
inline std::optional<value> beside(value const& c, bool open, value const& of) {
  std::vector<value> out;
  if (!append_beside(c, open, of, out)) return std::nullopt;
  return tuple_of(std::move(out));
}

// A number in the range; nothing where it is none.
inline std::optional<std::size_t> number_in(value const& v, std::size_t least, std::size_t most) {
  bool const in = v.is(kind::number) && v.basis.empty() && v.number >= least && v.number <= most;
  return in ? std::optional(static_cast<std::size_t>(v.number)) : std::nullopt;
}

// The items of it, or the number alone.
inline std::vector<value> items_of(value const& v) { return v.is(kind::tuple) ? v.items : std::vector<value>{v}; }

// From mode b to before mode e; with the others around them, and they as one, where they are to be a group.
inline std::optional<value> taken(std::vector<value> const& a, bool grouped) {
  std::vector<value> const all = items_of(a[0]);
  auto const b = number_in(a[1], 0, all.size()), e = number_in(a[2], b.value_or(0), all.size());
  if (!b || !e) return std::nullopt;
  auto const at = [&](std::size_t k) { return all.begin() + static_cast<std::ptrdiff_t>(k); };
  value const part = tuple_of(std::vector<value>(at(*b), at(*e)));
  if (!grouped) return part;
  std::vector<value> out(all.begin(), at(*b));
  out.push_back(part);
  out.insert(out.end(), at(*e), all.end());
  return tuple_of(std::move(out));
}
inline std::optional<value> replaced_item(std::vector<value> const& a) {
  std::vector<value> all = items_of(a[0]);
  auto const k = number_in(a[1], 0, all.size());
  if (!k || *k == all.size()) return std::nullopt;
  all[*k] = a[2];
  return tuple_of(std::move(all));
}
// Once, or as often as it takes to have so many.
inline std::optional<value> lengthened(std::vector<value> const& a, bool behind) {
  std::vector<value> all = items_of(a[0]);
  auto const n = a.size() == 2 ? std::optional(all.size() + 1) : number_in(a[1], all.size(), 4096);
  if (!n) return std::nullopt;
  all.insert(behind ? all.end() : all.begin(), *n - all.size(), a.back());
  return tuple_of(std::move(all));
}

// What gives something of one tuple or number and others, by its name and how many it takes.
struct tuple_function {
  std::string_view name;
  std::size_t least, most;
  std::optional<value> (*of)(std::vector<value> const&);
};
inline constexpr tuple_function tuple_functions[] = {
    {"flatten", 1, 1, [](std::vector<value> const& a) { return std::optional(flat(a[0])); }},
    {"take", 3, 3, [](std::vector<value> const& a) { return taken(a, false); }},
    {"group", 3, 3, [](std::vector<value> const& a) { return taken(a, true); }},
    {"replace", 3, 3, replaced_item},
    {"append", 2, 3, [](std::vector<value> const& a) { return lengthened(a, true); }},
    {"prepend", 2, 3, [](std::vector<value> const& a) { return lengthened(a, false); }}};

inline tuple_function const* tuple_function_called(std::string_view name, std::size_t arguments) {
  auto const* const f = std::find_if(std::begin(tuple_functions), std::end(tuple_functions), [&](tuple_function const& x) {
    return x.name == name && x.least <= arguments && arguments <= x.most;
  });
  return f == std::end(tuple_functions) ? nullptr : f;
}

}  // namespace colex::detail
