// The names that somebody may have meant by another. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace colex {

// How many characters to add, leave out or replace, or neighbours to exchange, until a is b; where that is more than `most`,
// some number that is more, too. Of each row no more is counted than may lie on a way of so many.
inline std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  auto const [first, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());  // what begins alike stays
  a.remove_prefix(static_cast<std::size_t>(first - a.begin()));
  b.remove_prefix(static_cast<std::size_t>(other - b.begin()));
  if (a.size() > b.size()) a.swap(b);
  if (b.size() - a.size() > most) return most + 1;
  std::vector<std::size_t> before(b.size() + 1, most + 1), above(b.size() + 1), row(before);
  std::iota(above.begin(), above.end(), 0);
  std::size_t least_above = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t const from = i > most ? i - most : 1, to = std::min(b.size(), i + most);
    std::size_t least = row[from - 1] = from > 1 ? most + 1 : i;
    for (std::size_t j = from; j <= to; ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > most && least_above > most) return most + 1;
    least_above = least;
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

// Is a word of a name another one, of which it is a kind, but for `most` characters: right_inverse, inverse? Or begins it as a
// word of the same stem does: composition, compose?
inline bool is_akin(std::string_view to, std::string_view each, std::size_t most) {
  for (std::size_t at = 0; to.size() >= 4 && at < each.size(); at = std::min(each.find('_', at), each.size() - 1) + 1) {
    std::size_t const end = each.find('_', at + to.size() - most);
    if (edit_distance(to, each.substr(at, end - at), most) <= most) return true;
  }
  return to.size() >= 6 && each.starts_with(to.substr(0, to.size() - 1));
}

inline std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(text.begin(), text.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Up to three names, in capitals or small letters: the same; else those that begin with what is there, and then others that
// hold it; else the nearest, of which at most a third is another; else those that are akin, but for a fourth where none is
// nearer.
inline std::vector<std::string> nearest_names(std::string_view asked, std::vector<std::string> const& names) {
  std::string const name = lowered(asked);
  std::size_t best = name.size() / 3 + (name.size() < 6 && name.size() > 1);
  std::vector<std::string> begun, near, akin;
  for (std::string const& each : names) {
    std::string const other = lowered(each);
    if (other == name) return {each};
    if (name.size() > 1 && other.starts_with(name))
      begun.push_back(each);
    else if (is_akin(name, other, 0))
      akin.push_back(each);
    std::size_t const d = edit_distance(name, other, best);
    if (d < best) near.clear();
    if (d <= best) near.push_back(each), best = d;
  }
  if (begun.empty() && near.empty()) near = akin;
  if (begun.empty() && akin.empty()) {  // swizle is nearer to the word of swizzle_for than to size
    std::size_t const most = std::min(name.size() / 4, near.empty() ? name.size() : best - 1);
    std::copy_if(names.begin(), names.end(), std::back_inserter(akin),
                 [&](std::string const& each) { return is_akin(name, lowered(each), most); });
    if (!akin.empty()) near = akin;
  }
  if (!begun.empty()) begun.insert(begun.end(), akin.begin(), akin.end());
  std::vector<std::string>& out = begun.empty() ? near : begun;
  out.resize(std::min<std::size_t>(out.size(), 3));
  return out;
}

// `; did you mean a, b or c?`, or nothing where no name is near, or it is one.
inline std::string did_you_mean(std::string_view name, std::vector<std::string> const& names) {
  bool const is_one = std::find(names.begin(), names.end(), name) != names.end();
  std::vector<std::string> const near = name.size() > 200 || is_one ? std::vector<std::string>{} : nearest_names(name, names);
  std::string out;
  for (std::size_t k = 0; k < near.size(); ++k) out += (k == 0 ? "" : k + 1 < near.size() ? ", " : " or ") + near[k];
  return out.empty() ? out : "; did you mean " + out + "?";
}

}  // namespace colex
