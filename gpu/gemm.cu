// The entry point: from tensors to a problem, to a kernel, to its launch; operands copied first where no kernel reads them.
// No kernel that multiplies. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm.hpp"

#include "gpu/cost.hpp"

#include <utility>

namespace colex::gpu {
namespace {

// ---- copies ----

// Tiles of 32 x 32 through shared memory: read along the mode that lies closer in the source, written along the run.
template <class Bits>
__global__ void __launch_bounds__(256) repack(__grid_constant__ matrix const from, __grid_constant__ matrix const to,
                                              int64 rows, int64 k, int64 batches, bool reads_k, bool writes_k) {
  __shared__ Bits tile[32][33];  // [row][k]
  int const x = static_cast<int>(threadIdx.x) % 32, y = static_cast<int>(threadIdx.x) / 32;
  int64 const along_k = ceil_div(k, 32), of_batch = ceil_div(rows, 32) * along_k;
  for (int64 i = blockIdx.x; i < of_batch * batches; i += gridDim.x) {
    int64 const batch = i / of_batch, r0 = i % of_batch / along_k * 32, k0 = i % of_batch % along_k * 32;
    auto const each = [&](bool lanes_along_k, auto move) {
      for (int j = y; j < 32; j += 8) {
        int const r = lanes_along_k ? j : x, c = lanes_along_k ? x : j;
        if (r0 + r < rows && k0 + c < k) move(tile[r][c], r0 + r, k0 + c);
      }
    };
    each(reads_k, [&](Bits& slot, int64 r, int64 c) {
      slot = static_cast<Bits const*>(from.data)[from.offset(0, r) + from.offset(1, c) + from.offset(2, batch)];
    });
    __syncthreads();
    each(writes_k, [&](Bits& slot, int64 r, int64 c) {
      static_cast<Bits*>(to.data)[to.offset(0, r) + to.offset(1, c) + to.offset(2, batch)] = slot;
    });
    __syncthreads();
  }
}

// The stride between neighbours in a mode; those of a mode of one element are nowhere near.
int64 nearness(matrix const& x, int mode) {
  return x.begin(mode) == x.end[mode] ? INT64_MAX : magnitude(x.stride[x.begin(mode)]);
}
template <class Bits>
cudaError_t launch_repack(matrix const& from, matrix const& to, int64 rows, int64 k, int64 batches, cudaStream_t stream) {
  int64 const tiles = times(times(ceil_div(rows, 32), ceil_div(k, 32)), batches);
  repack<Bits><<<static_cast<unsigned>(smaller(tiles, 0x7fffffff)), 256, 0, stream>>>(
      from, to, rows, k, batches, nearness(from, 1) < nearness(from, 0), nearness(to, 1) < nearness(to, 0));
  return cudaGetLastError();
}
cudaError_t launch_repack(matrix const& from, matrix const& to, int64 rows, int64 k, int64 batches, cudaStream_t stream) {
  switch (bits_of(from.type)) {
    case 64: return launch_repack<std::uint64_t>(from, to, rows, k, batches, stream);
    case 32: return launch_repack<std::uint32_t>(from, to, rows, k, batches, stream);
    case 16: return launch_repack<std::uint16_t>(from, to, rows, k, batches, stream);
    default: return launch_repack<std::uint8_t>(from, to, rows, k, batches, stream);
  }
}

// Memory in the order of a stream.
class workspace {
 public:
  explicit workspace(cudaStream_t stream) : stream_(stream) {}
  workspace(workspace const&) = delete;
  ~workspace() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
  }
  cudaError_t allocate(int64 bytes) { return cudaMallocAsync(&data_, static_cast<std::size_t>(bytes), stream_); }
  void* data() const { return data_; }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

// ---- no product ----

template <class Sum>
__global__ void __launch_bounds__(256) scale(__grid_constant__ problem const p) {
  epilogue<Sum> const finish(p);
  int64 const of_batch = p.m * p.n, step = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 i = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; i < of_batch * p.batches; i += step) {
    int64 const batch = i / of_batch, m = i % of_batch / p.n, n = i % p.n;
    store(p.d, p.d.offset(0, m) + p.d.offset(1, n) + p.d.offset(2, batch), finish(p, Sum(0), m, n, batch));
  }
}
// D = beta C.
cudaError_t launch_scale(problem p, element operands, cudaStream_t stream) {
  p.alpha = 0;
  auto const blocks = static_cast<unsigned>(smaller(ceil_div(times(times(p.m, p.n), p.batches), 256), 1 << 20));
  if (operands == element::f64)
    scale<double><<<blocks, 256, 0, stream>>>(p);
  else if (operands == element::s8)
    scale<std::int32_t><<<blocks, 256, 0, stream>>>(p);
  else
    scale<float><<<blocks, 256, 0, stream>>>(p);
  return cudaGetLastError();
}

// ---- kernels ----

std::vector<gemm_kernel> all_kernels() {
  std::vector<gemm_kernel> r;
  [[maybe_unused]] auto const add = [&](std::span<gemm_kernel const> more) { r.insert(r.end(), more.begin(), more.end()); };
#ifdef COLEX_KERNELS_simt
  add(simt_kernels());
#endif
#ifdef COLEX_KERNELS_sm61
  add(sm61_kernels());
#endif
#ifdef COLEX_KERNELS_sm70
  add(sm70_kernels());
#endif
#ifdef COLEX_KERNELS_sm75
  add(sm75_kernels());
#endif
#ifdef COLEX_KERNELS_sm80
  add(sm80_kernels());
#endif
#ifdef COLEX_KERNELS_sm89
  add(sm89_kernels());
#endif
#ifdef COLEX_KERNELS_sm90
  add(sm90_kernels());
#endif
#ifdef COLEX_KERNELS_sm100
  add(sm100_kernels());
#endif
#ifdef COLEX_KERNELS_sm120
  add(sm120_kernels());
#endif
  return r;
}
std::vector<gemm_kernel> const& kernels() {
  static std::vector<gemm_kernel> const all = all_kernels();
  return all;
}

cudaError_t ask(device_facts& facts) {
  int device = 0, major = 0, minor = 0;
  cudaError_t e = cudaGetDevice(&device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&facts.processors, cudaDevAttrMultiProcessorCount, device);
  facts.architecture = 10 * major + minor;
  return e;
}

gemm_status failed(cudaError_t e, std::string const& what) {
  return refused(gemm_error::cuda, what + ": " + cudaGetErrorString(e));
}
bool no_memory(cudaError_t e) { return e == cudaErrorMemoryAllocation || e == cudaErrorNotSupported; }
// Was the kernel compiled for chips that this one is not?
bool not_compiled(cudaError_t e) { return e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction; }

// An operand as the kernel reads it, in memory of its own.
gemm_status copy_operand(char const* who, matrix& x, int64 rows, problem const& p, major along, int alignment, workspace& to,
                         cudaStream_t stream) {
  packed r = repacked(x, rows, p.k, p.batches, along, alignment);
  if (cudaError_t const e = to.allocate(r.bytes); e != cudaSuccess) {
    cudaGetLastError();  // it is told here
    if (no_memory(e)) return refused(gemm_error::out_of_memory, std::string(who) + " must be copied: " + cudaGetErrorString(e));
    return failed(e, "cudaMallocAsync");
  }
  r.at.data = to.data();
  if (cudaError_t const e = launch_repack(x, r.at, rows, p.k, r.batches, stream); e != cudaSuccess)
    return failed(e, std::string("copying ") + who);
  x = r.at;
  return {};
}

gemm_status run(candidate const& c, problem p, cudaStream_t stream) {
  plan const& what = *c.kernel->what;
  workspace a(stream), b(stream);
  if (c.copy_a)
    if (gemm_status s = copy_operand("A", p.a, p.m, p, what.major_a, what.copy_alignment, a, stream); !s) return s;
  if (c.copy_b)
    if (gemm_status s = copy_operand("B", p.b, p.n, p, what.major_b, what.copy_alignment, b, stream); !s) return s;
  cudaError_t const e = c.kernel->launch(p, stream);
  if (not_compiled(e)) return refused(gemm_error::unsupported_device, name(what) + " is not compiled for this device");
  return e == cudaSuccess ? gemm_status{.kernel = name(what)} : failed(e, name(what));
}
// The first that runs: one that needs no memory, or is compiled for the device, may follow one that does or is not.
gemm_status run_first(choice const& of, cudaStream_t stream) {
  gemm_status last;
  for (candidate const& c : of.all) {
    gemm_status s = run(c, of.of(c), stream);
    if (s.error != gemm_error::out_of_memory && s.error != gemm_error::unsupported_device) return s;
    std::swap(last, s);
  }
  return last;
}

gemm_status why_none(std::span<gemm_kernel const> asked, problem const& p, gemm_options const& o, device_facts on) {
  auto const fits = [&](gemm_kernel const& k) { return multiplies(*k.what, p, o) || multiplies(*k.what, transposed(p), o); };
  std::string const what = std::string(name_of(p.a.type)) + " by " + std::string(name_of(p.b.type));
  if (std::any_of(asked.begin(), asked.end(), fits))
    return refused(gemm_error::unsupported_device, "no kernel for " + what + " runs on compute capability " +
                                                       std::to_string(on.architecture / 10) + "." +
                                                       std::to_string(on.architecture % 10));
  return refused(gemm_error::unsupported_type,
                 o.kernel.empty() ? "no kernel multiplies " + what : std::string(o.kernel) + " does not multiply " + what);
}
// The kernels that may be taken: all, or those of the name that is forced.
std::vector<gemm_kernel> asked_for(std::string_view forced) {
  std::vector<gemm_kernel> r;
  for (gemm_kernel const& k : kernels())
    if (forced.empty() || forced == name(*k.what)) r.push_back(k);
  return r;
}
gemm_status multiply(problem const& p, gemm_options const& o, cudaStream_t stream) {
  std::vector<gemm_kernel> const asked = asked_for(o.kernel);
  if (!o.kernel.empty() && asked.empty())
    return refused(gemm_error::unknown_kernel, "no kernel is named " + std::string(o.kernel));
  device_facts on;
  if (cudaError_t const e = ask(on); e != cudaSuccess) return failed(e, "the device");
  choice const c = choose(asked, p, o, on);
  return c.all.empty() ? why_none(asked, p, o, on) : run_first(c, stream);
}

gemm_status checked_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                         double alpha, double beta, gemm_options const& o, cudaStream_t stream) {
  normalized const n = normalize(d, a, b, c, alpha, beta, o.sfa, o.sfb);
  if (!n.status) return n.status;
  problem const& p = n.what;
  if (p.m == 0 || p.n == 0 || p.batches == 0) return {};
  if (p.k != 0 && p.alpha != 0) return multiply(p, o, stream);
  cudaError_t const e = launch_scale(p, a.type, stream);
  return e == cudaSuccess ? gemm_status{.kernel = "scale"} : failed(e, "scale");
}

}  // namespace

gemm_status gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c, double alpha,
                 double beta, gemm_options const& options, cudaStream_t stream) {
  try {
    return checked_gemm(d, a, b, c, alpha, beta, options, stream);
  } catch (error const& e) {
    return refused(gemm_error::bad_layout, e.what());
  }
}

std::vector<std::string> explain_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                      device_tensor const& c, double alpha, double beta, gemm_options const& o,
                                      int architecture, int processors) {
  normalized const n = normalize(d, a, b, c, alpha, beta, o.sfa, o.sfb);
  std::vector<std::string> r;
  if (!n.status) return {n.status.reason};
  std::vector<gemm_kernel> const asked = asked_for(o.kernel);
  for (candidate const& x : choose(asked, n.what, o, {architecture, processors}).all) r.push_back(explain(x));
  return r;
}

std::vector<std::string> gemm_kernels() {
  std::vector<std::string> r;
  device_facts on;
  if (ask(on) != cudaSuccess) return r;
  for (gemm_kernel const& k : kernels())
    if (runs_on(*k.what, on.architecture)) r.push_back(name(*k.what));
  return r;
}

}  // namespace colex::gpu
