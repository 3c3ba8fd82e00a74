// sm120: mma.sync with block scaling. The kernel is warp.cuh; here are the scale factors' path to registers and the
// instructions. No such device has run it. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/common/factors.cuh"
#include "gpu/kernels/warp/warp.cuh"
#include "gpu/plans/sm120.hpp"

namespace colex::gpu {
namespace warp {

// The scale factors of a warp's atoms, a word for each row. They are stored behind the stages.
template <class P>
struct scale_factors {
  using f = traits<P>;
  static constexpr int words = static_cast<int>(factor_words(f::p)), bytes = words * static_cast<int>(factor_chunk_bytes);
  static constexpr int of_atom = factors_of_atom(f::p);

  arguments const& t;
  std::uint32_t stages, memory;  // in shared memory: the stages, and the factors, A's and then B's
  std::uint32_t row_a, row_b;    // this lane's, of its warp's first atom
  std::uint32_t a[f::atoms.m], b[f::atoms.n];

  __device__ __forceinline__ scale_factors(arguments const& u, std::uint32_t base)
      : t(u),
        stages(base),
        memory(base + f::shared - f::p.stages * 2 * bytes),
        row_a(first<operand::a>()),
        row_b(first<operand::b>()) {}
  template <operand X>
  __device__ static std::uint32_t first() {
    constexpr layout threads = X == operand::a ? f::p.mma.atom.sfa : f::p.mma.atom.sfb;
    constexpr int rows = static_cast<int>(f::p.mma.atom.shape_mnk.value[X == operand::a ? 0 : 1]),
                  tile = static_cast<int>(f::p.tile_m);
    int const lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32,
              of_warp = at<f::c>(32 * warp);
    return static_cast<std::uint32_t>(
        at<factor_word>((X == operand::a ? of_warp % tile : of_warp / tile) + at<threads>(lane) % rows));
  }
  __device__ __forceinline__ std::uint32_t of_stage(std::uint32_t stage) const {
    return memory + (stage - stages) / f::stage * 2 * bytes;
  }

  // Copies the scale factors of the stage that is being filled, 16 bytes a thread.
  __device__ __forceinline__ void load_global(producer<P> const& ahead) const {
    if (ahead.k_tiles == 0) return;
    tile_origin const tile = origin_of<P>(t, tile_of(ahead.wave));
    int64 const k_tiles = t.k_tiles, k = k_tiles - ahead.k_tiles;
    auto const from = [&](std::uint8_t const* all, int64 rows, int64 row) {
      return reinterpret_cast<char const*>(all) +
             ((tile.batch * ceil_div(rows, factor_rows) + row / factor_rows) * k_tiles + k) * bytes;
    };
    char const *const of_a = from(t.sfa, t.m, tile.m), *const of_b = from(t.sfb, t.n, tile.n);
    for (int i = 16 * static_cast<int>(threadIdx.x); i < 2 * bytes; i += 16 * f::p.threads)
      copy_async<16>(of_stage(ahead.stage) + i, i < bytes ? of_a + i : of_b + (i - bytes));
  }
  // Loads the words of the scale factors at the blocks of K where a new word begins.
  template <int Block>
  __device__ __forceinline__ void load(std::uint32_t stage) {
    if constexpr (Block * of_atom % 4 == 0) {
      constexpr int word = Block * of_atom / 4 * static_cast<int>(factor_chunk_bytes);
      std::uint32_t const from = of_stage(stage) + word;
      unroll(constants<f::atoms.m>{}, [&](auto i) { a[i] = load_word<operand::a, i>(from + row_a); });
      unroll(constants<f::atoms.n>{}, [&](auto i) { b[i] = load_word<operand::b, i>(from + bytes + row_b); });
    }
  }
  template <operand X, int I>
  __device__ static std::uint32_t load_word(std::uint32_t from) {
    constexpr int further = static_cast<int>(factor_word.unchecked(row_of_atom(f::p, X, I)));
    std::uint32_t word;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(from + further) : "memory");
    return word;
  }
  template <int Block>
  __device__ __forceinline__ void multiply(int m, int n, float* c, std::uint32_t const* x, std::uint32_t const* y) const {
    P::template multiply<Block * of_atom % 4>(c, x, y, a[m], b[n]);
  }
};

}  // namespace warp

namespace {

// c += a b with scale factors from byte `Byte` of their words on. A's come from the first two lanes of a quad, B's from the
// first.
#define COLEX_MMA_SCALED(INSTRUCTION)                                                        \
  asm("mma.sync.aligned.kind::" INSTRUCTION                                                  \
      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {%12, %13}, " \
      "{%11}, {%12, %13};"                                                                   \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                       \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(fa), "r"(fb), "n"(Byte), "n"(0))
template <int I>
struct sm120_plan {
  static constexpr plan value = sm120_plans[I];

  template <int Byte>
  __device__ __forceinline__ static void multiply(float* c, std::uint32_t const* a, std::uint32_t const* b, std::uint32_t fa,
                                                  std::uint32_t fb) {
#if defined(__CUDA_ARCH_FEAT_SM120_ALL)
    if constexpr (value.a == element::e4m3)
      COLEX_MMA_SCALED("mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0");
    else if constexpr (value.a == element::e5m2)
      COLEX_MMA_SCALED("mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e5m2.e5m2.f32.ue8m0");
    else
      COLEX_MMA_SCALED("mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3");
#endif
  }
};

template <int I>
cudaError_t launch(problem const& g, cudaStream_t stream) {
  constexpr plan const& p = sm120_plans[I];
  if (bits_of(p.a) < 8 && g.k % 2 != 0) return cudaErrorInvalidValue;  // K would end in half a byte
  packed_factors sfa, sfb;
  cudaError_t e = sfa.pack(p, g.sfa, g.m, g, stream);
  if (e == cudaSuccess) e = sfb.pack(p, g.sfb, g.n, g, stream);
  return e == cudaSuccess ? warp::launch<sm120_plan<I>>(g, stream, sfa.data(), sfb.data()) : e;
}
template <int... I>
std::array<gemm_kernel, sizeof...(I)> table_of(std::integer_sequence<int, I...>) {
  return {gemm_kernel{&sm120_plans[I], launch<I>}...};
}
}  // namespace

std::span<gemm_kernel const> sm120_kernels() {
  static auto const table = table_of(std::make_integer_sequence<int, sm120_plans.size()>{});
  return table;
}

}  // namespace colex::gpu
