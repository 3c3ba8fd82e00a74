// GEMMs of sm100 and sm103: the copy engine, tcgen05.mma on one SM or a pair, sums in tensor memory. What the warps do
// is umma.hpp's; here are the instructions it is made of, a line of PTX each, and the launch. No such chip has run it.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/common/factors.cuh"
#include "gpu/kernels/common/tma.cuh"
#include "gpu/kernels/umma/umma.hpp"

#include <array>
#include <utility>

namespace colex::gpu {
namespace {

template <int I>
struct sm100_plan {
  static constexpr plan value = sm100_plans[I];
};

struct sm100_arguments {
  CUtensorMap map_a, map_b;
  problem given;
  std::uint8_t const *sfa, *sfb;  // scale factors packed
  bool side_by_side;
};

// Does the target have the tcgen05.mma of this plan? The s8 kind is sm100's alone.
template <class Plan>
__device__ constexpr bool target_has() {
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
  return true;
#elif defined(__CUDA_ARCH_FEAT_SM103_ALL)
  return Plan::value.a != element::s8;
#else
  return false;
#endif
}

// ---- rows of D ----

template <class Scalar, class T>
__device__ inline Scalar as_scalar(T const& x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<Scalar>(x);
  else
    return static_cast<Scalar>(static_cast<float>(x));
}
template <class T, class Scalar>
__device__ inline T as_element(Scalar v) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(to_integer(v, sizeof(T) == 1 ? -128.0 : -2147483648.0, sizeof(T) == 1 ? 127.0 : 2147483647.0));
  else
    return T(v);
}
// Adds beta C to elements of a row, whose columns have one stride.
template <class T, class Scalar>
__device__ inline void add_as(Scalar (&v)[columns_at_once], Scalar beta, matrix const& c, int64 at) {
  int64 const step = c.step(1);
#pragma unroll
  for (int i = 0; i < columns_at_once; ++i) v[i] += beta * as_scalar<Scalar>(static_cast<T const*>(c.data)[at + i * step]);
}
template <class Scalar>
__device__ inline void add_run(Scalar (&v)[columns_at_once], Scalar beta, matrix const& c, int64 at) {
  switch (c.type) {
    case element::f16: return add_as<__half>(v, beta, c, at);
    case element::bf16: return add_as<__nv_bfloat16>(v, beta, c, at);
    case element::e4m3: return add_as<__nv_fp8_e4m3>(v, beta, c, at);
    case element::e5m2: return add_as<__nv_fp8_e5m2>(v, beta, c, at);
    case element::s8: return add_as<std::int8_t>(v, beta, c, at);
    case element::s32: return add_as<std::int32_t>(v, beta, c, at);
    case element::f64: return add_as<double>(v, beta, c, at);
    default: return add_as<float>(v, beta, c, at);
  }
}
// 16 bytes at once.
template <class T, class Scalar>
__device__ inline void write_as(Scalar const (&v)[columns_at_once], matrix const& d, int64 at) {
  constexpr int count = 16 / sizeof(T);
  auto* to = reinterpret_cast<uint4*>(static_cast<T*>(d.data) + at);
#pragma unroll
  for (int i = 0; i < columns_at_once / count; ++i) {
    alignas(16) T part[count];
#pragma unroll
    for (int j = 0; j < count; ++j) part[j] = as_element<T>(v[i * count + j]);
    to[i] = *reinterpret_cast<uint4 const*>(part);
  }
}
template <class Scalar>
__device__ inline void write_run(Scalar const (&v)[columns_at_once], matrix const& d, int64 at) {
  switch (d.type) {
    case element::f16: return write_as<__half>(v, d, at);
    case element::bf16: return write_as<__nv_bfloat16>(v, d, at);
    case element::e4m3: return write_as<__nv_fp8_e4m3>(v, d, at);
    case element::e5m2: return write_as<__nv_fp8_e5m2>(v, d, at);
    case element::s8: return write_as<std::int8_t>(v, d, at);
    case element::s32: return write_as<std::int32_t>(v, d, at);
    default: return write_as<float>(v, d, at);
  }
}
template <class Sum>
__device__ inline void store_run(problem const& g, epilogue<Sum> const& combine, int64 row, int64 column, int64 batch,
                                 std::uint32_t const (&sums)[columns_at_once]) {
  scalar<Sum> v[columns_at_once];
#pragma unroll
  for (int i = 0; i < columns_at_once; ++i)
    v[i] = combine.alpha * static_cast<scalar<Sum>>(reinterpret_cast<Sum const&>(sums[i]));
  if (combine.beta != 0) add_run(v, combine.beta, g.c, g.c.offset(0, row) + g.c.offset(1, column) + g.c.offset(2, batch));
  write_run(v, g.d, g.d.offset(0, row) + g.d.offset(1, column) + g.d.offset(2, batch));
}
// May columns_at_once elements of any row be written 16 bytes at once, from a column that is a multiple of as many on?
bool side_by_side(problem const& g) {
  matrix const& d = g.d;
  auto const aligned = [&](int64 elements) { return bytes(d.type, elements) % 16 == 0; };
  bool all = d.plain(1) && d.step(1) == 1 && d.type != element::f64 && reinterpret_cast<std::uintptr_t>(d.data) % 16 == 0;
  for (int mode : {0, 2})
    for (int i = d.begin(mode); i < d.end[mode]; ++i) all = all && aligned(d.stride[i]);
  return all && (g.beta == 0 || g.c.plain(1));
}

// ---- the machine ----

#define COLEX_TCGEN05_MMA(KIND)                                                                        \
  if constexpr (sms == 1)                                                                              \
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %4, 0;\ntcgen05.mma.cta_group::1.kind::" KIND \
                 " [%0], %1, %2, %3, adds;\n}" ::"r"(d),                                               \
                 "l"(a), "l"(b), "r"(instruction), "r"(adds)                                           \
                 : "memory");                                                                          \
  else                                                                                                 \
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %4, 0;\ntcgen05.mma.cta_group::2.kind::" KIND \
                 " [%0], %1, %2, %3, adds;\n}" ::"r"(d),                                               \
                 "l"(a), "l"(b), "r"(instruction), "r"(adds)                                           \
                 : "memory")
#define COLEX_TCGEN05_SCALED(KIND)                                                                   \
  asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %4, 0;\ntcgen05.mma.cta_group::1.kind::" KIND \
               " [%0], %1, %2, %3, [%5], [%6], adds;\n}" ::"r"(d),                                   \
               "l"(a), "l"(b), "r"(instruction), "r"(adds), "r"(columns + fa), "r"(columns + fb)     \
               : "memory")

// The chip, as umma.hpp wants a machine. shared: where the stages begin; columns: the first of tensor memory.
template <class Plan>
struct sm100_machine {
  static constexpr int sms = umma_map(Plan::value).sms;
  static constexpr umma_instruction kind = instruction_of(Plan::value);
  using sum = std::conditional_t<Plan::value.accumulator == element::s32, std::int32_t, float>;

  sm100_arguments const& arguments;
  std::uint32_t shared, columns;
  int block;  // of the cluster
  epilogue<sum> combine;

  __device__ int rank() const { return block; }
  __device__ int cluster() const { return static_cast<int>(blockIdx.x) / sms; }
  __device__ int clusters() const { return static_cast<int>(gridDim.x) / sms; }

  __device__ void init(int barrier, int arrivals) const { barrier_init(shared + barrier, arrivals); }
  __device__ void wait(int barrier, std::uint32_t parity) const { barrier_wait(shared + barrier, parity); }
  __device__ void expect(int barrier, int bytes) const { barrier_expect(shared + barrier, bytes); }
  __device__ void fence_before() const { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
  __device__ void fence_after() const { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

  // A box to this block, counted by the leader's barrier.
  template <operand X>
  __device__ void load(int to, int barrier, int run, int row, int batch) const {
    CUtensorMap const& map = X == operand::a ? arguments.map_a : arguments.map_b;
    matrix const& x = X == operand::a ? arguments.given.a : arguments.given.b;
    constexpr tensor_box box = box_of(Plan::value, Plan::value.copy_a);
    int const at = x.step(2) == 0 ? 0 : batch, unit = run / static_cast<int>(box.elements);
    if constexpr (sms == 1)
      tma_load(shared + to, map, shared + barrier, unit, row, at);
    else
      asm volatile(
          "{\n.reg .b32 leaders;\nmapa.shared::cluster.u32 leaders, %2, 0;\n"
          "cp.async.bulk.tensor.3d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, "
          "%4, %5}], "
          "[leaders];\n}" ::"r"(shared + to),
          "l"(&map), "r"(shared + barrier), "r"(unit), "r"(row), "r"(at)
          : "memory");
  }
  // The scale factors of a stage: tile of rows, tile of K.
  template <operand X>
  __device__ void load_factors(int to, int barrier, int64 tile, int k, int batch, int bytes) const {
    constexpr umma_map s(Plan::value);
    problem const& g = arguments.given;
    int64 const tiles = X == operand::a ? ceil_div(g.m, s.m) : ceil_div(g.n, s.n), depth = ceil_div(g.k, s.k);
    std::uint8_t const* from = (X == operand::a ? arguments.sfa : arguments.sfb) + ((batch * tiles + tile) * depth + k) * bytes;
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared + to),
                 "l"(from), "r"(bytes), "r"(shared + barrier)
                 : "memory");
  }

  // A descriptor moved to where in shared memory its matrix is.
  __device__ std::uint64_t at(std::uint64_t descriptor, int bytes) const {
    return descriptor + ((shared + static_cast<std::uint32_t>(bytes)) >> 4);
  }
  __device__ void copy_factors(int to, std::uint64_t descriptor, int from) const {
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(columns + to), "l"(at(descriptor, from)) : "memory");
  }
  __device__ void multiply(int column, std::uint64_t a, std::uint64_t b, std::uint32_t instruction, bool more) const {
    std::uint32_t const d = columns + static_cast<std::uint32_t>(column), adds = more;
    if constexpr (kind == umma_instruction::f16) {
      COLEX_TCGEN05_MMA("f16");
    } else if constexpr (kind == umma_instruction::tf32) {
      COLEX_TCGEN05_MMA("tf32");
    } else if constexpr (kind == umma_instruction::f8f6f4) {
      COLEX_TCGEN05_MMA("f8f6f4");
    } else {
      COLEX_TCGEN05_MMA("i8");
    }
  }
  __device__ void multiply(int column, std::uint64_t a, std::uint64_t b, std::uint32_t instruction, bool more, int fa,
                           int fb) const {
    std::uint32_t const d = columns + static_cast<std::uint32_t>(column), adds = more;
    if constexpr (kind == umma_instruction::mxf8f6f4)
      COLEX_TCGEN05_SCALED("mxf8f6f4.block_scale.scale_vec::1X");
    else
      COLEX_TCGEN05_SCALED("mxf4nvf4.block_scale.scale_vec::4X");
  }
  // An arrival on each SM once all that this thread issued is done.
  __device__ void commit(int barrier) const {
    if constexpr (sms == 1)
      asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared + barrier)
                   : "memory");
    else
      asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                       shared + barrier),
                   "h"(static_cast<std::uint16_t>(3))
                   : "memory");
  }
  // One arrival of this warp, whose lanes are all done.
  __device__ void arrive_at_leader(int barrier) const {
    __syncwarp();
    if (threadIdx.x % 32 != 0) return;
    if constexpr (sms == 1)
      barrier_arrive(shared + barrier);
    else
      barrier_arrive(shared + barrier, 0);
  }

  // f(lane, sums of so many columns): a warp reaches the lanes of tensor memory that its number, modulo four, names.
  template <int Count, class F>
  __device__ void load_sums(int column, F f) const {
    std::uint32_t const quarter = threadIdx.x / 32 % 4, from = columns + static_cast<std::uint32_t>(column) + (quarter << 21);
    std::uint32_t r[Count];
    if constexpr (Count == 1) {
      asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];\ntcgen05.wait::ld.sync.aligned;"
                   : "=r"(r[0])
                   : "r"(from)
                   : "memory");
    } else {
      static_assert(Count == 32);
      asm volatile(
          "tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
          "%15, %16, "
          "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
          "[%32];\ntcgen05.wait::ld.sync.aligned;"
          : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]), "=r"(r[8]),
            "=r"(r[9]), "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]), "=r"(r[14]), "=r"(r[15]), "=r"(r[16]), "=r"(r[17]),
            "=r"(r[18]), "=r"(r[19]), "=r"(r[20]), "=r"(r[21]), "=r"(r[22]), "=r"(r[23]), "=r"(r[24]), "=r"(r[25]), "=r"(r[26]),
            "=r"(r[27]), "=r"(r[28]), "=r"(r[29]), "=r"(r[30]), "=r"(r[31])
          : "r"(from)
          : "memory");
    }
    f(static_cast<int>(quarter * 32 + threadIdx.x % 32), r);
  }

  // Elements of a row of D: as many as are loaded at once where all exist and lie side by side, or one.
  __device__ bool side_by_side() const { return arguments.side_by_side; }
  template <int Count>
  __device__ void store(int64 row, int64 column, int64 batch, std::uint32_t const (&sums)[Count]) const {
    problem const& g = arguments.given;
    if constexpr (Count == 1) {
      int64 const at = g.d.offset(0, row) + g.d.offset(1, column) + g.d.offset(2, batch);
      gpu::store(g.d, at, combine(g, reinterpret_cast<sum const&>(sums[0]), row, column, batch));
    } else {
      store_run<sum>(g, combine, row, column, batch, sums);
    }
  }
};

// ---- the kernel ----

__device__ inline bool elected() {
  std::uint32_t yes;
  asm volatile("{\n.reg .pred one;\nelect.sync _|one, 0xffffffff;\nselp.b32 %0, 1, 0, one;\n}" : "=r"(yes));
  return yes != 0;
}
// All columns of an SM's tensor memory: a whole warp asks, of each SM of a pair; their address comes to shared memory.
template <int Sms>
__device__ inline void allocate_columns(std::uint32_t to) {
  if constexpr (Sms == 1)
    asm volatile(
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\n"
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(to),
        "n"(tensor_memory_columns)
        : "memory");
  else
    asm volatile(
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;\n"
        "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::"r"(to),
        "n"(tensor_memory_columns)
        : "memory");
}
template <int Sms>
__device__ inline void free_columns(std::uint32_t columns) {
  if constexpr (Sms == 1)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(columns), "n"(tensor_memory_columns));
  else
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(columns), "n"(tensor_memory_columns));
}
// Everybody of an SM or a pair, and what the tensor cores did before.
template <int Sms>
__device__ inline void sync_sms() {
  __syncwarp();
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  if constexpr (Sms == 1)
    __syncthreads();
  else
    cluster_sync();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

template <class Plan>
__global__ void __launch_bounds__(32 * umma_warps, 1) sm100_kernel(__grid_constant__ sm100_arguments const arguments) {
  if constexpr (target_has<Plan>()) {
    extern __shared__ std::uint8_t unaligned[];
    constexpr umma_map s(Plan::value);
    constexpr int sms = s.sms;
    std::uint32_t const shared = (shared_address(unaligned) + 1023) / 1024 * 1024;
    int const warp = static_cast<int>(threadIdx.x) / 32, block = sms == 1 ? 0 : static_cast<int>(block_in_cluster());
    using machine_of_plan = sm100_machine<Plan>;
    problem const& g = arguments.given;
    machine_of_plan machine{arguments, shared, 0, block, epilogue<typename machine_of_plan::sum>(g)};
    if (threadIdx.x == 0) {
      umma_roles<Plan>::init_barriers(machine);
      barrier_init_fence();
    }
    if (warp == 1) allocate_columns<sms>(shared + s.address_of_columns());
    sync_sms<sms>();
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(machine.columns) : "r"(shared + s.address_of_columns()) : "memory");

    umma_work const work(s, g.m, g.n, g.k, g.batches);
    if (warp == 0 && elected()) umma_roles<Plan>::produce(machine, work);
    if (warp == 1 && block == 0 && elected()) umma_roles<Plan>::multiply(machine, work);
    if (warp >= umma_warps - umma_storing_warps) umma_roles<Plan>::store(machine, work);
    sync_sms<sms>();  // a pair leaves together: each arrives at, and reads from, the other's shared memory
    if (warp == 1) free_columns<sms>(machine.columns);
  }
}

// ---- the launch ----

cudaError_t first_error(cudaError_t a, cudaError_t b) { return a != cudaSuccess ? a : b; }

// 4-bit elements as the bytes that two of them are; the contiguous mode is K.
matrix in_bytes(matrix x) {
  if (bits_of(x.type) >= 8) return x;
  x.type = element::s8;
  for (int i = 0; i < x.end[2]; ++i)
    if (x.stride[i] != 1) x.stride[i] /= 2;
  return x;
}
cudaError_t operand_map(CUtensorMap& map, plan const& p, operand which, problem const& g) {
  bool const a = which == operand::a, along_k = (a ? p.major_a : p.major_b) == major::k;
  tensor_box const box = box_of(p, a ? p.copy_a : p.copy_b);
  int64 const rows = a ? g.m : g.n;
  return make_tensor_map(map, in_bytes(a ? g.a : g.b), along_k ? 1 : 0, (along_k ? g.k : rows) / box.elements,
                         along_k ? rows : g.k, g.batches, box.run, box.rows);
}
template <class Plan>
cudaError_t launch_tiles(sm100_arguments const& arguments, cudaStream_t stream) {
  constexpr umma_map s(Plan::value);
  problem const& g = arguments.given;
  int device = 0, processors = 0;
  cudaError_t e =
      first_error(cudaGetDevice(&device), cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  constexpr int shared = Plan::value.shared;
  e = first_error(e, cudaFuncSetAttribute(sm100_kernel<Plan>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  if (e != cudaSuccess) return e;
  int64 const tiles = umma_work(s, g.m, g.n, g.k, g.batches).tiles.count();
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(s.sms), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(s.sms * std::min<int64>(tiles, processors / s.sms));
  config.blockDim = static_cast<unsigned>(Plan::value.threads);
  config.dynamicSmemBytes = shared, config.stream = stream, config.attrs = &cluster, config.numAttrs = 1;
  return first_error(cudaLaunchKernelEx(&config, sm100_kernel<Plan>, arguments), cudaGetLastError());
}
template <int I>
cudaError_t launch(problem const& g, cudaStream_t stream) {
  constexpr plan const& p = sm100_plans[I];
  if (bits_of(p.a) < 8 && g.k % 2 != 0) return cudaErrorInvalidValue;  // half a byte cannot be cut off
  sm100_arguments arguments{{}, {}, g, nullptr, nullptr, side_by_side(g)};
  packed_factors sfa, sfb;
  cudaError_t e = first_error(operand_map(arguments.map_a, p, operand::a, g), operand_map(arguments.map_b, p, operand::b, g));
  if (p.block > 0 && e == cudaSuccess) e = first_error(sfa.pack(p, g.sfa, g.m, g, stream), sfb.pack(p, g.sfb, g.n, g, stream));
  if (e != cudaSuccess) return e;
  arguments.sfa = sfa.data(), arguments.sfb = sfb.data();
  return launch_tiles<sm100_plan<I>>(arguments, stream);
}
template <int... I>
constexpr std::array<gemm_kernel, sizeof...(I)> table(std::integer_sequence<int, I...>) {
  return {gemm_kernel{&sm100_plans[I], launch<I>}...};
}
constexpr auto kernels = table(std::make_integer_sequence<int, sm100_count>{});

}  // namespace

std::span<gemm_kernel const> sm100_kernels() { return kernels; }

}  // namespace colex::gpu
