// What a thread has planned before: calls that differ in nothing that a plan depends on have the same plan. No CUDA call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/choice.hpp"
#include "gpu/gemm/fnv.hpp"

#include <array>
#include <bit>
#include <memory>
#include <optional>

namespace colex::gpu {

// All that a plan depends on, as words: of data only whether there are any, and their alignment.
class product_key {
 public:
  product_key(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c, double alpha,
              double beta, gemm_options const& o, std::string_view tuned, std::uint64_t tunings, int device) {
    put(static_cast<std::uint64_t>(device)), put(tunings);
    bool const emulated = o.emulation != gemm_emulation::none;
    put(static_cast<std::uint64_t>(o.split_k) << 11 | o.compile << 10 | emulated << 9 | o.two_level_accumulation << 8 |
        o.tf32 << 7 | o.fast_accumulation << 6 | (alpha == 0) << 5 | (alpha == 1) << 4 | (beta == 0) << 3 |
        (o.sfa.data != nullptr) << 1 | (o.sfb.data != nullptr));
    put(o.kernel), put(tuned);
    if (emulated) {
      put(static_cast<std::uint64_t>(o.reproducible) << 32 | static_cast<std::uint32_t>(o.moduli));
      put(std::bit_cast<std::uint64_t>(o.bound));
    }
    put(d), put(a), put(b);
    if (beta != 0) put(c);
    if (o.sfa.data != nullptr || o.sfb.data != nullptr) put(o.sfa), put(o.sfb);
  }
  // Not so for calls of too many words, and for tensors that are refused anyway.
  bool is_whole() const { return whole_; }
  std::size_t hash() const {
    fnv_1a of;
    for (std::size_t i = 0; i < count_; ++i) of.add(words_[i]);
    return static_cast<std::size_t>(of.sum ^ of.sum >> 32);
  }
  bool operator==(product_key const& x) const {
    return count_ == x.count_ && std::equal(words_.begin(), words_.begin() + count_, x.words_.begin());
  }

 private:
  static constexpr std::size_t most_words = 128;
  void put(std::uint64_t word) {
    whole_ = whole_ && count_ < most_words;
    if (whole_) words_[count_++] = word;
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    for (char c : text) put(static_cast<std::uint64_t>(c));
  }
  void put(device_tensor const& t) {
    auto const address = reinterpret_cast<std::uintptr_t>(t.data);
    put(static_cast<std::uint64_t>(t.type) << 16 | (address == 0) << 8 | address % 128);
    put(static_cast<std::uint64_t>(t.shape.form.count) << 32 | static_cast<std::uint32_t>(t.stride.form.count));
    put(t.shape), put(t.stride);
  }
  void put(int_tuple const& t) {
    whole_ = whole_ && t.kept == 0;
    for (int k = 0; k < t.form.count; ++k) {
      whole_ = whole_ && t.basis[k] == 0;
      put(static_cast<std::uint64_t>(t.value[k]));
      if (t.form.count > 1) put(std::uint64_t{t.form.open[k]} << 8 | t.form.close[k]);
    }
  }
  std::array<std::uint64_t, most_words> words_;
  std::size_t count_ = 0;
  bool whole_ = true;
};

// A bounded number of plans: one for each remainder of the hash, the latest.
template <class Plan>
class plan_cache {
 public:
  std::shared_ptr<Plan const> find(product_key const& key, std::size_t hash) const {
    std::optional<entry> const& e = entries_[hash % entries_.size()];
    return e && e->key == key ? e->plan : nullptr;
  }
  void keep(product_key const& key, std::size_t hash, std::shared_ptr<Plan const> plan) {
    entries_[hash % entries_.size()] = entry{key, std::move(plan)};
  }

 private:
  struct entry {
    product_key key;
    std::shared_ptr<Plan const> plan;
  };
  std::vector<std::optional<entry>> entries_ = std::vector<std::optional<entry>>(128);
};

}  // namespace colex::gpu
