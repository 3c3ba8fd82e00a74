// Copies to and from tensor memory: tcgen05.ld and tcgen05.st by a warp, tcgen05.cp from shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/copy_thread.hpp"

namespace colex::ref {

// A pattern of so many data paths (lanes of tensor memory) and bits, as often as the name says side by side.
struct tensor_memory_pattern {
  int paths, bits, times;
};
inline tensor_memory_pattern pattern_in(atom_name const& n, std::string const& word) {
  for (auto const& [paths, bits, most] :
       {tensor_memory_pattern{32, 32, 128}, {16, 32, 128}, {16, 64, 128}, {16, 128, 64}, {16, 256, 32}})
    for (int times = 1; times <= most; times *= 2)
      if (word == std::to_string(paths) + "dp" + std::to_string(bits) + "b" + std::to_string(times) + "x")
        return {paths, bits, times};
  n.wrong("'" + word + "' is no pattern of tensor memory");
}

// Which bits a lane has in registers, row by row of data paths (PTX ISA, tcgen05 Data Movement Shape).
inline layout tensor_memory_fragment(tensor_memory_pattern const& p) {
  int const row = p.bits * p.times;
  if (p.paths == 32) return layout({{32, row}, {row, 1}});
  if (p.bits == 32) return layout({layout({{16, 2 * row}, {2, row}}), layout(row, 1)});
  if (p.bits == 64)
    return layout({layout({{2, 8 * row}, {2, 32}, {8, row}}), unwrapped(without_ones({{32, 1}, {p.times, 64}}))});
  return layout(
      {layout({{4, p.bits / 4}, {8, row}}), unwrapped(without_ones({{p.bits / 4, 1}, {2, 8 * row}, {p.times, p.bits}}))});
}
// The memory's side is one address for the whole warp: every lane names all of it.
inline copy_atom tensor_memory_copy(atom_name const& n) {
  bool const load = n.word(2) == "LOAD", reduce = load && n.word(3) == "STAT";
  tensor_memory_pattern const p = pattern_in(n, n.word(reduce ? 4 : 3));
  std::string const last = n.words.back();
  if (!load && n.word(2) != "STORE") n.wrong("tensor memory has TMEM_LOAD and TMEM_STORE");
  if (n.words.size() != (reduce || last == "16b" ? 5 : 4)) n.wrong("nothing but _16b belongs behind the pattern");
  if (reduce && (p.paths != 32 || (p.times != 32 && p.times != 128))) n.wrong("STAT is of 32dp32b32x or 32dp32b128x");
  layout const registers = tensor_memory_fragment(p), memory({{32, 0}, layout(size(registers), 1)});
  return load ? copy_atom{layout(32, 1), memory, registers, memory} : copy_atom{layout(32, 1), registers, memory, memory};
}

// The shapes of tcgen05.cp: paths x bits, and the bits of the source as the destination repeats them (PTX ISA, tcgen05.cp).
inline layout shared_bits(std::string const& shape) {
  if (shape == "4x32dp128bit") return layout({{32, 1}, {128, 32}, {4, 0}});
  if (shape == "2x64dp128bitlw0213") return layout({{64, 1}, {128, 64}, {2, 0}});
  if (shape == "2x64dp128bitlw0123") return layout({{32, 1}, {128, 32}, {2, 4096}, {2, 0}});
  if (shape == "128dp256bit") return {128 * 256, 1};
  if (shape == "128dp128bit") return {128 * 128, 1};
  if (shape == "4dp256bit") return layout({{4, 32}, {256, 128}});  // one path of each warp's 32
  return layout();
}
inline copy_atom shared_to_tensor_memory(atom_name const& n) {
  layout const bits = shared_bits(n.word(2));
  int const sms = n.word(3) == "1cta" ? 1 : 2;
  if (size(bits) == 1) n.wrong("'" + n.word(2) + "' is no shape of tcgen05.cp");
  if (n.words.size() != 4 || (sms == 2 && n.word(3) != "2cta")) n.wrong("1cta or 2cta ends the name of a tcgen05.cp");
  layout const thr_id(sms, sms - 1), all = n.word(2) == "4dp256bit" ? bits : layout(size(bits), 1);
  auto const each = [&](layout const& l) { return layout({layout(sms, 0), l}); };
  return {thr_id, each(bits), each(all), each(all)};
}

}  // namespace colex::ref
