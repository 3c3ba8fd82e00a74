// Runs a random problem on the GPU, from C++ or from C, and judges what lies in D and around it afterwards.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/colex_gemm.h"
#include "gpu/gemm/gemm.hpp"
#include "tests/device/gemm_device.cuh"

#include <bit>

namespace colex::verify {

using colex::gpu::device_tensor, colex::gpu::gemm_error, colex::gpu::gemm_group, colex::gpu::gemm_options,
    colex::gpu::gemm_status, colex::gpu::int_tuple;

// Does a byte that D covers differ between two memories?
struct differs {
  surroundings around;
  unsigned char const* before;
  COLEX_HD bool operator()(int64 i) const { return around.covered[i] != 0 && around.memory[i] != before[i]; }
};

struct findings {
  count wrong, touched[2], differs;
  finding detail;
};
__global__ void explain(product x, findings* f) { f->detail = look(x, static_cast<int64>(f->wrong)); }

inline int_tuple tuple_of(placed const& x, bool batched, int64 leaf::* of) {
  int_tuple t;
  colex::gpu::tuple_writer w(t);
  w.open();
  for (std::size_t i = 0; i < (batched ? 3 : 2); ++i) {  // a mode is n, (a,b) or (a,(b,c))
    auto const& mode = x.modes[i];
    int const depth = static_cast<int>(mode.size()) - 1;
    for (std::size_t k = 0; k < mode.size(); ++k) {
      if (k + 1 < mode.size()) w.open();
      w.put(mode[k].*of);
    }
    w.close(depth);
  }
  w.close();
  return t;
}
inline device_tensor tensor_of(placed const& x, unsigned char* data, bool batched) {
  return {data, x.type, tuple_of(x, batched, &leaf::extent), tuple_of(x, batched, &leaf::stride)};
}
inline gemm_options options_of(types const& t, std::string const& kernel, int split_k = 0) {
  gemm_options o;
  o.kernel = kernel, o.tf32 = t.tf32, o.fast_accumulation = t.fast, o.split_k = split_k;
  return o;
}

// An operand as C says it.
struct c_tensor {
  std::vector<int> leaves;
  std::vector<int64> shape, stride;
  colex_tensor said;

  c_tensor(placed const& x, unsigned char* data, bool batched) {
    int const rank = batched ? 3 : 2;
    for (int i = 0; i < rank; ++i) {
      auto const& mode = x.modes[static_cast<std::size_t>(i)];
      leaves.push_back(static_cast<int>(mode.size()));
      for (leaf const& l : mode) shape.push_back(l.extent), stride.push_back(l.stride);
    }
    said = {data, static_cast<colex_element>(x.type), rank, leaves.data(), shape.data(), stride.data()};
  }
  c_tensor(c_tensor const&) = delete;
};

// Runs problems one after another in the same memory.
class judge {
 public:
  explicit judge() {
    check(cudaMalloc(&found_, sizeof *found_), "cudaMalloc");
    std::size_t free = 0;
    check(cudaMemGetInfo(&free, &memory_), "cudaMemGetInfo");
  }

  // Does it fit this GPU's memory? There are six arenas.
  bool fits(drawn const& x) const {
    return std::ranges::all_of(std::array{&x.a, &x.b, &x.c, &x.d}, [&](placed const* o) {
      return static_cast<std::size_t>(o->span * bytes_of(o->type)) < memory_ / 8;
    });
  }
  // What is wrong with the kernel's answer; empty: nothing. Two runs over different poison must leave the same bits: an
  // element that is not written does not.
  std::string fault(drawn const& x, std::string const& kernel, bits seed) {
    place(x, seed);
    for (int time : {0, 1}) {
      poison(x, time);
      gemm_status const status = std::popcount(seed) % 2 != 0 ? call_from_c(x, kernel) : call(x, kernel);
      if (!status) return "refused: " + status.reason;
      if (!kernel.empty() && what.size() != 0 && x.k != 0 && x.alpha != 0 && status.kernel != kernel)
        return status.kernel + " ran instead";
      look(time);
    }
    return verdict();
  }
  // The same of several problems in one call, each in its judge's memory.
  static std::string fault_of_groups(std::span<judge> judges, std::span<drawn const> all, bits seed) {
    std::vector<gemm_group> groups;
    for (std::size_t i = 0; i < all.size(); ++i) judges[i].place(all[i], seed + i), groups.push_back(judges[i].group(all[i]));
    for (int time : {0, 1}) {
      for (std::size_t i = 0; i < all.size(); ++i) judges[i].poison(all[i], time);
      gemm_status const status = gemm_grouped(groups, all[0].alpha, all[0].beta, options_of(all[0].of, "", all[0].split_k));
      if (!status) return "refused: " + status.reason;
      for (std::size_t i = 0; i < all.size(); ++i) judges[i].look(time);
    }
    for (std::size_t i = 0; i < all.size(); ++i)
      if (std::string const fault = judges[i].verdict(); !fault.empty()) return "group " + std::to_string(i) + ": " + fault;
    return "";
  }

  // Is nothing wrong with a problem, and much as soon as D or what lies beside it is changed?
  bool notices(drawn const& x) {
    auto const width = static_cast<std::size_t>(bytes_of(x.of.d));
    return fault(x, "", 1).empty() && fault_with(around_.memory, 1).find("no element") != std::string::npos &&
           fault_with(what.d.data, width).starts_with("D(0,0,0)") && fault_with(what.d.data, 0).empty();
  }

  product what;  // the last problem

 private:
  static constexpr int64 guard = 4096;
  static constexpr unsigned char poisons[] = {0xFF, 0xA5};  // the first is NaN of every type that has one
  static std::size_t size_of(surroundings const& s) { return static_cast<std::size_t>(s.bytes); }

  // Where an operand lies in an arena, poisoned all over.
  operand settle(placed const& x, arena& in, int lead, surroundings* around = nullptr) {
    int64 const width = bytes_of(x.type), bytes = 2 * guard + (x.span + lead) * width;
    unsigned char* const memory = in.of(bytes);
    check(cudaMemsetAsync(memory, poisons[0], static_cast<std::size_t>(bytes)), "cudaMemset");
    if (around != nullptr) *around = {memory, covered_.of(bytes), bytes};
    return x.at(memory + guard + (lead + x.origin) * width);
  }
  void place(drawn const& x, bits seed) {
    what = {x.m, x.n, x.k, x.p, {}, {}, {}, {}, x.alpha, x.beta, x.lost()};
    what.a = settle(x.a, a_, x.lead), what.b = settle(x.b, b_, x.lead), what.c = settle(x.c, c_, x.lead);
    what.d = settle(x.d, d_, x.lead, &around_);
    for_each(x.m * x.k * x.p, deal{what.a, x.m, x.k, 3 * seed, x.kind, x.unit()});
    for_each(x.n * x.k * x.p, deal{what.b, x.n, x.k, 3 * seed + 1, x.kind});
    // Sums of s8 are judged exactly: so is what C adds.
    c_data_ = {what.c, x.m, x.n, 3 * seed + 2, x.of.a == element::s8 ? data::whole : x.kind, x.unit()};
    if (x.beta != 0) for_each(what.size(), c_data_);
    check(cudaMemsetAsync(around_.covered, 0, size_of(around_)), "cudaMemset");
    for_each(what.size(), cover{what, around_});
    forget();
  }
  void forget() {
    count const none = static_cast<count>(around_.bytes);
    findings const begin{static_cast<count>(what.size()), {none, none}, none, {}};
    check(cudaMemcpy(found_, &begin, sizeof begin, cudaMemcpyDefault), "copy");
  }
  // What is found once some bytes have another value.
  std::string fault_with(unsigned char* at, std::size_t bytes) {
    std::vector<unsigned char> was(bytes);
    check(cudaMemcpy(was.data(), at, bytes, cudaMemcpyDefault), "copy");
    check(cudaMemset(at, poisons[0], bytes), "cudaMemset");
    forget();
    find_first(what.size(), wrong{what}, &found_->wrong);
    find_first(around_.bytes, touched{around_, poisons[1]}, &found_->touched[1]);
    std::string const found = verdict();
    check(cudaMemcpy(at, was.data(), bytes, cudaMemcpyDefault), "copy");
    return found;
  }
  // Poisons D, or makes it C, where it is to be C too.
  void poison(drawn const& x, int time) {
    check(cudaMemsetAsync(around_.memory, poisons[time], size_of(around_)), "cudaMemset");
    if (in_place(x)) for_each(what.size(), deal{what.d, x.m, x.n, c_data_.seed, c_data_.kind, c_data_.unit});
  }
  // At what a run leaves behind: the first one's result is judged and kept, the second one's compared with it.
  void look(int time) {
    find_first(around_.bytes, touched{around_, poisons[time]}, &found_->touched[time]);
    if (time == 1) return find_first(around_.bytes, differs{around_, before_.of(0)}, &found_->differs);
    find_first(what.size(), wrong{what}, &found_->wrong);
    check(cudaMemcpyAsync(before_.of(around_.bytes), around_.memory, size_of(around_), cudaMemcpyDefault), "copy");
  }
  static bool in_place(drawn const& x) { return x.c_is_d && x.beta != 0; }
  unsigned char* data_of_c(drawn const& x) const { return in_place(x) ? what.d.data : x.without_c ? nullptr : what.c.data; }
  gemm_group group(drawn const& x) const {
    return {tensor_of(x.d, what.d.data, x.batched), tensor_of(x.a, what.a.data, x.batched),
            tensor_of(x.b, what.b.data, x.batched), tensor_of(x.c, data_of_c(x), x.batched)};
  }
  gemm_status call(drawn const& x, std::string const& kernel) const {
    gemm_group const g = group(x);
    gemm_options o = options_of(x.of, kernel, x.split_k);
    if (x.emulated) o.emulation = colex::gpu::gemm_emulation::residues, o.reproducible = true;
    return gemm(g.d, g.a, g.b, g.c, x.alpha, x.beta, o);
  }
  gemm_status call_from_c(drawn const& x, std::string const& kernel) const {
    unsigned char* const c = data_of_c(x);
    c_tensor const a(x.a, what.a.data, x.batched), b(x.b, what.b.data, x.batched), d(x.d, what.d.data, x.batched),
        added(x.c, c, x.batched);
    colex_gemm_options o{};
    o.kernel = kernel.c_str(), o.tf32 = x.of.tf32, o.fast_accumulation = x.of.fast, o.split_k = x.split_k;
    o.emulation = o.reproducible = x.emulated;
    colex_tensor const* const said = c == nullptr ? nullptr : &added.said;
    colex_gemm_error const e = colex_gemm(&d.said, &a.said, &b.said, said, x.alpha, x.beta, &o, nullptr);
    return {static_cast<gemm_error>(e), colex_gemm_reason(), colex_gemm_kernel()};
  }
  std::string verdict() {
    findings f;
    check(cudaMemcpy(&f, found_, sizeof f, cudaMemcpyDefault), "running");
    count const none = static_cast<count>(around_.bytes);
    int64 const first = what.d.data - around_.memory;  // the byte of element (0,0,0)
    auto const byte = [&](count at) { return "byte " + std::to_string(static_cast<int64>(at) - first) + " from D(0,0,0) "; };
    if (f.wrong != static_cast<count>(what.size())) {
      explain<<<1, 1>>>(what, found_);
      check(cudaMemcpy(&f, found_, sizeof f, cudaMemcpyDefault), "explaining");
      return text(f.detail);
    }
    for (count at : f.touched)
      if (at != none) return byte(at) + "is no element of D and was written";
    return f.differs == none ? "" : byte(f.differs) + "differs in two runs";
  }

  arena a_, b_, c_, d_, covered_, before_;
  surroundings around_;
  deal c_data_{};
  findings* found_ = nullptr;
  std::size_t memory_ = 0;
};

}  // namespace colex::verify
