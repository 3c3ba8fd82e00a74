// GEMMs of sm100 and sm103: TMA, tcgen05.mma on one SM or a pair, accumulators in tensor memory. The warps' roles are in
// umma.hpp; here are their instructions, a line of PTX each, and the launch. No such device has run it.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/common/factors.cuh"
#include "gpu/kernels/common/gemm_kernel.hpp"
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
  gpu::problem problem;
  std::uint8_t const *sfa, *sfb;  // packed scale factors
  bool stores_vectors;
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

// v += beta C, of elements of a row whose columns have one stride.
template <class Scalar>
__device__ inline void add_row(Scalar (&v)[epilogue_columns], Scalar beta, matrix const& c, int64 at) {
  int64 const step = c.step(1);
  visit_type<any_type>(c.type, [&](auto e) {
#pragma unroll
    for (int i = 0; i < epilogue_columns; ++i)
      v[i] += beta * to_scalar<Scalar>(static_cast<storage<e.value> const*>(c.data)[at + i * step]);
  });
}
// Stores elements of a row, 16 bytes at once.
template <class Scalar>
__device__ inline void store_row(Scalar const (&v)[epilogue_columns], matrix const& d, int64 at) {
  visit_type<but_f64>(d.type, [&](auto e) {
    using T = storage<e.value>;
    constexpr int count = 16 / sizeof(T);
    auto* const to = reinterpret_cast<uint4*>(static_cast<T*>(d.data) + at);
#pragma unroll
    for (int i = 0; i < epilogue_columns / count; ++i) {
      alignas(16) T part[count];
#pragma unroll
      for (int j = 0; j < count; ++j) part[j] = converted<T>(v[i * count + j]);
      to[i] = *reinterpret_cast<uint4 const*>(part);
    }
  });
}
template <class Sum>
__device__ inline void store_sums(problem const& g, linear_combination<Sum> const& combine, int64 row, int64 column,
                                  int64 batch, std::uint32_t const (&sums)[epilogue_columns]) {
  scalar<Sum> v[epilogue_columns];
#pragma unroll
  for (int i = 0; i < epilogue_columns; ++i)
    v[i] = combine.alpha * static_cast<scalar<Sum>>(reinterpret_cast<Sum const&>(sums[i]));
  if (combine.beta != 0) add_row(v, combine.beta, g.c, g.c.offset(0, row) + g.c.offset(1, column) + g.c.offset(2, batch));
  store_row(v, g.d, g.d.offset(0, row) + g.d.offset(1, column) + g.d.offset(2, batch));
}
// Can epilogue_columns elements of any row be stored 16 bytes at once, from any multiple of that many columns on?
bool stores_vectors(problem const& g) {
  matrix const& d = g.d;
  auto const aligned = [&](int64 elements) { return bytes(d.type, elements) % 16 == 0; };
  bool vectors = d.plain(1) && d.step(1) == 1 && d.type != element::f64 && reinterpret_cast<std::uintptr_t>(d.data) % 16 == 0;
  for (int mode : {0, 2})
    for (int i = d.begin(mode); i < d.end[mode]; ++i) vectors = vectors && aligned(d.stride[i]);
  return vectors && (g.beta == 0 || g.c.plain(1));
}

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

// The device as the machine of umma.hpp. shared: the address of the first stage; columns: the first column of tensor memory.
template <class Plan>
struct sm100_machine {
  static constexpr int sms = umma_map(Plan::value).sms;
  static constexpr umma_instruction kind = instruction_of(Plan::value);
  using sum = std::conditional_t<Plan::value.accumulator == element::s32, std::int32_t, float>;

  sm100_arguments const& arguments;
  std::uint32_t shared, columns;
  int block;  // of the cluster
  linear_combination<sum> combine;

  __device__ int rank() const { return block; }
  __device__ int cluster() const { return static_cast<int>(blockIdx.x) / sms; }
  __device__ int clusters() const { return static_cast<int>(gridDim.x) / sms; }

  __device__ void init(int barrier, int arrivals) const { barrier_init(shared + barrier, arrivals); }
  __device__ void wait(int barrier, std::uint32_t parity) const { barrier_wait(shared + barrier, parity); }
  __device__ void expect(int barrier, int bytes) const { barrier_expect(shared + barrier, bytes); }
  __device__ void fence_before() const { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
  __device__ void fence_after() const { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

  // Loads a TMA box to this block; the leader's barrier counts its bytes.
  template <operand X>
  __device__ void load(int to, int barrier, int run, int row, int batch) const {
    CUtensorMap const& map = X == operand::a ? arguments.map_a : arguments.map_b;
    matrix const& x = X == operand::a ? arguments.problem.a : arguments.problem.b;
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
  // Loads the scale factors of a stage, by their tile of rows and tile of K.
  template <operand X>
  __device__ void load_factors(int to, int barrier, int64 tile, int k, int batch, int bytes) const {
    constexpr umma_map s(Plan::value);
    problem const& g = arguments.problem;
    int64 const tiles = X == operand::a ? ceil_div(g.m, s.m) : ceil_div(g.n, s.n), depth = ceil_div(g.k, s.k);
    std::uint8_t const* from = (X == operand::a ? arguments.sfa : arguments.sfb) + ((batch * tiles + tile) * depth + k) * bytes;
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared + to),
                 "l"(from), "r"(bytes), "r"(shared + barrier)
                 : "memory");
  }

  // A descriptor with the address of its matrix added.
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
  // Arrives on each SM once all that this thread issued is complete.
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
  // One arrival for the warp, once all its lanes are here.
  __device__ void arrive_at_leader(int barrier) const {
    __syncwarp();
    if (threadIdx.x % 32 != 0) return;
    if constexpr (sms == 1)
      barrier_arrive(shared + barrier);
    else
      barrier_arrive(shared + barrier, 0);
  }

  // f(lane, sums of Count columns). A warp can read only the quarter of the lanes of tensor memory that its number modulo 4
  // names.
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

  // Stores elements of a row of D: all that are loaded at once where they are contiguous and inside D, otherwise one.
  __device__ bool stores_vectors() const { return arguments.stores_vectors; }
  template <int Count>
  __device__ void store(int64 row, int64 column, int64 batch, std::uint32_t const (&sums)[Count]) const {
    problem const& g = arguments.problem;
    if constexpr (Count == 1) {
      int64 const at = g.d.offset(0, row) + g.d.offset(1, column) + g.d.offset(2, batch);
      gpu::store(g.d, at, combine(g, reinterpret_cast<sum const&>(sums[0]), row, column, batch));
    } else {
      store_sums<sum>(g, combine, row, column, batch, sums);
    }
  }
};

// Allocates all columns of tensor memory. A whole warp does, on each SM of a pair; the address is written to shared memory.
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
// Synchronizes all threads of an SM or a pair, and the tensor cores' accesses before and after.
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
    problem const& g = arguments.problem;
    machine_of_plan machine{arguments, shared, 0, block, linear_combination<typename machine_of_plan::sum>(g)};
    if (threadIdx.x == 0) {
      umma_roles<Plan>::init_barriers(machine);
      barrier_init_fence();
    }
    if (warp == 1) allocate_columns<sms>(shared + s.tensor_memory_address());
    sync_sms<sms>();
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(machine.columns) : "r"(shared + s.tensor_memory_address()) : "memory");

    umma_work const work(s, g.m, g.n, g.k, g.batches);
    if (warp == 0 && elected()) umma_roles<Plan>::produce(machine, work);
    if (warp == 1 && block == 0 && elected()) umma_roles<Plan>::multiply(machine, work);
    if (warp >= umma_warps - umma_epilogue_warps) umma_roles<Plan>::store(machine, work);
    sync_sms<sms>();  // a pair exits together: each SM arrives at, and reads from, the other's shared memory
    if (warp == 1) free_columns<sms>(machine.columns);
  }
}

cudaError_t first_error(cudaError_t a, cudaError_t b) { return a != cudaSuccess ? a : b; }

// 4-bit elements as bytes of two each; the contiguous mode is K.
matrix in_bytes(matrix x) {
  if (bits_of(x.type) >= 8) return x;
  x.type = element::s8;
  for (int i = 0; i < x.end[2]; ++i)
    if (x.stride[i] != 1) x.stride[i] /= 2;
  return x;
}
cudaError_t operand_tensor_map(CUtensorMap& map, plan const& p, operand which, problem const& g) {
  bool const a = which == operand::a, along_k = (a ? p.major_a : p.major_b) == major::k;
  tensor_box const box = box_of(p, a ? p.copy_a : p.copy_b);
  int64 const rows = a ? g.m : g.n;
  matrix const x = in_bytes(a ? g.a : g.b);
  element const planned = a ? p.a : p.b;
  return make_tensor_map(map, x, planned == element::tf32 ? planned : x.type, along_k ? 1 : 0,
                         (along_k ? g.k : rows) / box.elements, along_k ? rows : g.k, g.batches, box.run, box.rows, 3);
}
template <class Plan>
cudaError_t launch_tiles(sm100_arguments const& arguments, cudaStream_t stream) {
  constexpr umma_map s(Plan::value);
  problem const& g = arguments.problem;
  static asked_once counted;
  int sms = 0;
  constexpr int shared = Plan::value.shared;
  cudaError_t const e = counted.get(sms, [](int& number) {
    return first_error(count_sms(number),
                       cudaFuncSetAttribute(sm100_kernel<Plan>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  });
  if (e != cudaSuccess) return e;
  int64 const tiles = umma_work(s, g.m, g.n, g.k, g.batches).tiles.count();
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(s.sms), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(s.sms * std::min<int64>(tiles, sms / s.sms));
  config.blockDim = static_cast<unsigned>(Plan::value.threads);
  config.dynamicSmemBytes = shared, config.stream = stream, config.attrs = &cluster, config.numAttrs = 1;
  return first_error(cudaLaunchKernelEx(&config, sm100_kernel<Plan>, arguments), cudaGetLastError());
}
template <int I>
cudaError_t launch(problem const& g, cudaStream_t stream) {
  constexpr plan const& p = sm100_plans[I];
  if (bits_of(p.a) < 8 && g.k % 2 != 0) return cudaErrorInvalidValue;  // K would end in half a byte
  sm100_arguments arguments{{}, {}, g, nullptr, nullptr, stores_vectors(g)};
  packed_factors sfa, sfb;
  cudaError_t e =
      first_error(operand_tensor_map(arguments.map_a, p, operand::a, g), operand_tensor_map(arguments.map_b, p, operand::b, g));
  if (p.scale.block > 0 && e == cudaSuccess)
    e = first_error(sfa.pack(p, g.sfa, g.m, g, stream), sfb.pack(p, g.sfb, g.n, g, stream));
  if (e != cudaSuccess) return e;
  arguments.sfa = sfa.data(), arguments.sfb = sfb.data();
  return launch_tiles<sm100_plan<I>>(arguments, stream);
}
template <int... I>
std::array<gemm_kernel, sizeof...(I)> table_of(std::integer_sequence<int, I...>) {
  return {gemm_kernel{&sm100_plans[I], launch<I>}...};
}
}  // namespace

std::span<gemm_kernel const> sm100_kernels() {
  static auto const table = table_of(std::make_integer_sequence<int, sm100_count>{});
  return table;
}

}  // namespace colex::gpu
