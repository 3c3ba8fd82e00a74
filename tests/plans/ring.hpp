// The ring of stages as proofs/gemm/Ring.v has it, for one block and one consumer that reads a tile at a time: its steps by
// their names there, each only where it may be taken. What the emulated kernel does is told here, so that it takes the steps of
// which safety and liveness are proved. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace colex::umma {

enum class ring_step { fill_step, land_step, read_step, done_step };
inline constexpr char const* ring_step_name[] = {"fill_step", "land_step", "read_step", "done_step"};

class ring {
 public:
  explicit ring(std::size_t stages) : stages_(stages) {}

  std::size_t filled() const { return landed_.size(); }
  std::size_t read() const { return done_; }
  bool reads() const { return reads_; }

  // `tile` landed; the others are about the tile whose turn it is.
  void take(ring_step s, std::size_t tile = 0) {
    if (!permits(s, tile))
      throw std::runtime_error(ring_step_name[static_cast<std::size_t>(s)] + std::string(" may not be taken"));
    switch (s) {
      case ring_step::fill_step: landed_.push_back(false); break;
      case ring_step::land_step: landed_[tile] = true; break;
      case ring_step::read_step: reads_ = true; break;
      case ring_step::done_step: reads_ = false, ++done_;
    }
  }

 private:
  std::size_t stages_, done_ = 0;
  std::vector<bool> landed_;  // of those whose fill has begun
  bool reads_ = false;

  // Of the first n tiles those in the stage of a tile.
  std::size_t visits(std::size_t n, std::size_t tile) const { return (n + stages_ - 1 - tile % stages_) / stages_; }
  bool odd_turn(std::size_t tile) const { return tile / stages_ % 2 == 1; }
  std::size_t empty_phase(std::size_t tile) const { return std::min(visits(filled(), tile), visits(done_, tile)); }
  std::size_t full_phase(std::size_t tile) const {
    std::size_t n = 0;
    for (std::size_t j = tile % stages_; j < filled(); j += stages_) n += landed_[j];
    return n;
  }
  bool permits(ring_step s, std::size_t tile) const {
    switch (s) {
      case ring_step::fill_step: return (empty_phase(filled()) % 2 == 1) == odd_turn(filled());
      case ring_step::land_step: return tile < filled() && !landed_[tile];
      case ring_step::read_step: return !reads_ && (full_phase(done_) % 2 == 1) != odd_turn(done_) && safe();
      case ring_step::done_step: return reads_;
    }
    return false;
  }
  // The tile to be read has landed, and nothing fills its stage again.
  bool safe() const { return done_ < filled() && landed_[done_] && filled() <= done_ + stages_; }
};

}  // namespace colex::umma
