// Who gets which bank of shared memory, phase by phase: see picture.hpp. All algebra is the reference's.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/shares.hpp"

namespace colex {
namespace {

// A phase of a warp's access: a row for each wavefront, a column for each bank, in each cell the thread that gets a word there
// and how many others read the same.
panel phase_panel(composed const& a, integer const& bits, int bytes, integer const& begin, integer const& end,
                  picture_options const& asked) {
  std::map<integer, std::vector<integer>> readers;
  for (integer i = begin; i < end; ++i)
    for (integer const& word : words_of(a, i, bits, bytes)) readers[word].push_back(i);
  ref::touched_banks const banks = banks_of(a, bits, bytes, begin, end);
  integer const wavefronts = ref::wavefronts_of(banks);
  panel p = empty_panel("",
                        fmt::format("T{} to T{}: {} wavefront{}", begin.str(), integer(end - 1).str(), wavefronts.str(),
                                    wavefronts == 1 ? "" : "s"),
                        value(wavefronts), value(ref::bank_count));
  name_axes(p, tuple_of({value(wavefronts), value(ref::bank_count)}));
  p.row_axis = "wavefront";
  p.column_axis = "bank";
  for (auto const& [bank, words] : banks) {
    std::size_t wavefront = 0;
    for (integer const& word : words) {
      std::vector<integer> const& all = readers.at(word);
      std::string const more = all.size() > 1 ? fmt::format("\n+{}", all.size() - 1) : "", name = thread(all[0]).name;
      bool const wanted = std::any_of(all.begin(), all.end(), [&](integer const& t) { return holds_number(asked, t); });
      p.at(wavefront++, static_cast<std::size_t>(bank)) = {name + more, name, colour_of_thread(all[0]),
                                                           !wanted && !asked.highlight.empty()};
    }
  }
  return p;
}
}  // namespace

picture draw_phases(form_call const& f) {
  composed const a = ref::tensor_of(f.args[0]);
  integer const bits = ref::element_bits(f.args[1]);
  ref::shared_access const by = ref::access_of(f.args[2]);
  std::string wavefronts;
  for (integer const& n : bank_conflict_phases(a, bits, by)) wavefronts += (wavefronts.empty() ? "" : " + ") + n.str();
  picture out{f.title + ": wavefronts " + wavefronts, {}};
  integer const threads = threads_of(size(a.inner), by), bytes = by.bits / 8, phase = ref::phase_bytes / bytes;
  for (integer begin = 0; begin < threads; begin += phase) {
    integer const end = std::min<integer>(begin + phase, threads);
    out.panels.push_back(placed(phase_panel(a, bits, static_cast<int>(bytes), begin, end, f.asked), out.panels.size(), 0));
  }
  return out;
}

}  // namespace colex
