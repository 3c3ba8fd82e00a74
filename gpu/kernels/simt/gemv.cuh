// The kernel of gemv plans: threads keep what they load of B in registers, and multiply it by A, which goes through shared
// memory. The epilogue adds up the sums of threads along K, and of splits. Few rows are a short product: what is done once is
// done by few instructions, on few constants. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/gemm_kernel.hpp"
#include "gpu/kernels/simt/simt_stages.cuh"
#include "gpu/plans/gemv.hpp"

namespace colex::gpu {

// The kernel's arguments: strides of A in elements, whose modes have one each, and of B's lines; then D's, if it is stored by
// them, which has the accumulator's type then or the operands', and C is not read.
struct gemv_arguments {
  void const *a, *b;
  int64 row_a, k_a, batch_a, line_b, batch_b;
  int64 m, n, k, k_of_split;
  tile_order tiles;
  void* d;      // null: D is stored by its layout
  bool d_as_b;  // has D the operands' type?
  int64 row_d, column_d, batch_d;
  double alpha;
  int splits;                      // of K
  bool in_cluster, stores_splits;  // a cluster adds up the splits; each is stored
  bool asks, leaves_room;          // is the product wanted only where p says so? May the next launch begin?
  problem p;
};

// What a thread loads of B at once. Narrow elements stay in words until they are multiplied: to take one out waits for the
// load.
template <class Element, int N>
struct loaded_vector {
  vector_of<Element, N> x = {};
  __device__ void load(char const* from) { x = *reinterpret_cast<vector_of<Element, N> const*>(from); }
  __device__ void set(int i, Element e) { x.at[i] = e; }
  __device__ Element operator[](int i) const { return x.at[i]; }
};
template <class Element, int N>
  requires(sizeof(Element) < 4)
struct loaded_vector<Element, N> {
  using element_bits = std::conditional_t<sizeof(Element) == 1, std::uint8_t, std::uint16_t>;
  using loaded = std::conditional_t<sizeof(Element) * N == 4, std::uint32_t, element_bits>;
  static_assert(sizeof(loaded) == sizeof(Element) * N);
  std::uint32_t word = 0;
  __device__ void load(char const* from) { word = *reinterpret_cast<loaded const*>(from); }
  __device__ void set(int i, Element e) {
    word |= std::uint32_t{reinterpret_cast<element_bits const&>(e)} << 8 * sizeof(Element) * i;
  }
  __device__ Element operator[](int i) const {
    auto const bits = static_cast<element_bits>(word >> 8 * sizeof(Element) * i);
    return reinterpret_cast<Element const&>(bits);
  }
};

template <class Carrier>
struct gemv_traits : simt_traits<Carrier> {
  using of = simt_traits<Carrier>;
  using of::P;
  static constexpr bool along_k = P.major_b == major::k;
  static constexpr int threads_n = static_cast<int>(size(P.mma.thr_layout_vmnk, 2)), threads_k = P.threads / threads_n;
  static constexpr int columns = of::tile_n / threads_n, steps = of::tile_k / threads_k;  // of a thread, along N and along K
  static constexpr int vector = static_cast<int>(gemv_vector(P)), depth = static_cast<int>(gemv_depth(P));
  static constexpr int vectors = columns * steps / vector;
  using element = storage<P.b>;
  using registers = loaded_vector<element, vector>[vectors];  // of a stage
};

// A thread's share of A: to registers, and to a stage in shared memory, as the sums' type. Rows outside A are its last one.
template <class Carrier>
struct row_producer {
  using of = gemv_traits<Carrier>;
  using sum = typename of::sum;
  static constexpr layout copy = of::P.copy_a, writes = staged(of::P, operand::a);
  static constexpr int count = static_cast<int>(size(copy, 1)), round = static_cast<int>(copy(of::threads)) / of::tile_m;

  typename of::element const* from;
  int64 step;  // elements from one to the next
  int first_k;
  sum values[count];

  __device__ row_producer(gemv_arguments const& t, tile_index const& tile, int64 k) : step(round * t.k_a) {
    static_assert(copy(of::threads) % of::tile_m == 0, "a thread copies one row");
    int const first = unrolled_at<copy>(static_cast<int>(threadIdx.x));
    first_k = first / of::tile_m;
    from = static_cast<typename of::element const*>(t.a) +
           smaller(tile.m * of::tile_m + first % of::tile_m, t.m - 1) * t.row_a + (k + first_k) * t.k_a +
           tile.batch * t.batch_a;
  }
  // So that they are, before others are waited for: else the compiler would compute them where they are used first.
  __device__ void compute_addresses() const { asm volatile("" ::"l"(from), "l"(step)); }
  // Loads the next stage, of which k is left of K.
  __device__ void load_global(int64 k) {
    int const left = static_cast<int>(smaller(k, of::tile_k)) - first_k;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      values[i] = i * round < left ? sum(*from) : sum(0);
      from += step;
    }
  }
  __device__ void store_shared(sum* stage) const {
    sum* const to = stage + unrolled_at<writes>(static_cast<int>(threadIdx.x));
#pragma unroll
    for (int i = 0; i < count; ++i) to[unrolled_at<writes>(of::threads * i)] = values[i];
  }
};

// A thread's share of B, to registers. Along K columns outside B are its last one; along N they are zeros.
template <class Carrier>
struct column_producer {
  using of = gemv_traits<Carrier>;
  using element = typename of::element;
  static constexpr layout copy = of::P.copy_b;
  static constexpr int width = sizeof(element);

  char const* from;  // the thread's first element of the next stage
  int64 line;        // bytes from one column to the next (along K) or from one k to the next
  int first_k, left_n;
  int64 column[of::along_k ? of::columns : 1] = {};  // along K: bytes from the first column

  __device__ column_producer(gemv_arguments const& t, tile_index const& tile, int64 k) : line(t.line_b * width) {
    int const first = unrolled_at<copy>(static_cast<int>(threadIdx.x));
    first_k = first / of::tile_n;
    int64 const n = tile.n * of::tile_n + first % of::tile_n, last = t.n - 1;
    left_n = static_cast<int>(smaller(t.n - n, of::vector));
    int64 const near = of::along_k ? smaller(n, last) * line + (k + first_k) * width : n * width + (k + first_k) * line;
    from = static_cast<char const*>(t.b) + tile.batch * t.batch_b * width + near;
#pragma unroll
    for (int c = 0; of::along_k && c < of::columns; ++c) column[c] = (smaller(n + n_of(c), last) - smaller(n, last)) * line;
  }
  // The column and the k of a vector, relative to the thread's first.
  __device__ static constexpr int n_of(int i) { return unrolled_at<copy>(of::threads * of::vector * i) % of::tile_n; }
  __device__ static constexpr int k_of(int i) { return unrolled_at<copy>(of::threads * of::vector * i) / of::tile_n; }

  __device__ void compute_addresses() const {
    asm volatile("" ::"l"(from), "l"(line));
#pragma unroll
    for (int64 x : column) asm volatile("" ::"l"(x));
  }
  // Loads the next stage, of which k is left of K. Whole: all of its vectors lie inside B.
  template <bool Whole>
  __device__ void load_global(int64 k, typename of::registers& to) {
    int const left = static_cast<int>(smaller(k, of::tile_k)) - first_k;
#pragma unroll
    for (int i = 0; i < of::vectors; ++i) {
      int const inside = of::along_k ? left - k_of(i) : k_of(i) < left ? left_n : 0;
      int64 const offset = of::along_k ? column[i % of::columns] + k_of(i) * width : k_of(i) * line;
      load_vector(to[i], from + offset, Whole ? of::vector : inside);
    }
    from += of::along_k ? of::tile_k * width : of::tile_k * line;
  }
  // A vector of which n elements exist.
  __device__ static void load_vector(loaded_vector<element, of::vector>& to, char const* at, int n) {
    to = {};
    if (n >= of::vector) {
      to.load(at);
    } else if constexpr (of::vector > 1) {
#pragma unroll
      for (int j = 0; j < of::vector - 1; ++j)
        if (j < n) to.set(j, reinterpret_cast<element const*>(at)[j]);
    }
  }
};

template <class Carrier>
struct gemv_consumer {
  using of = gemv_traits<Carrier>;
  using sum = typename of::sum;
  static constexpr layout reads = fragment(of::P, operand::a), loads = fragment(of::P, operand::b),
                          holds = layout_tv(of::P.mma, operand::c), slice = of::P.smem_d.inner;
  static constexpr layout places = detail::thread_index(of::P.mma.thr_layout_vmnk);  // of threads: n, then k
  static constexpr int sums_of_slice = static_cast<int>(cosize(slice));
  using run = vector_of<sum, of::depth>;
  using rows = vector_of<sum, (of::tile_m < of::lanes ? of::tile_m : of::lanes)>;
  sum sums[of::tile_m][of::columns];

  // What a thread multiplies: where A's element is, of its rows and of its steps along K; the register of B's.
  __device__ static constexpr int of_a(int row, int step) {
    return unrolled_at<reads>(of::threads * (row + of::tile_m * step));
  }
  __device__ static constexpr int of_b(int column, int step) {
    return unrolled_at<loads>(of::threads * (column + of::columns * step)) / of::threads;
  }
  __device__ void multiply(sum const* stage, typename of::registers const& b) {
    sum const* const from = stage + unrolled_at<reads>(static_cast<int>(threadIdx.x));
#pragma unroll
    for (int s = 0; s < of::steps; s += of::depth) {
      if constexpr (of::along_k)
        multiply_runs(from, s, b);
      else
        multiply_rows(from, s, b);
    }
  }
  __device__ void multiply_by(sum a, int row, int step, typename of::registers const& b) {
#pragma unroll
    for (int c = 0; c < of::columns; ++c) {
      int const r = of_b(c, step);
      sums[row][c] = multiply_add(a, sum(b[r / of::vector][r % of::vector]), sums[row][c]);
    }
  }
  // Along K neighbours of a row are read at once, across K neighbours of a column.
  __device__ void multiply_runs(sum const* from, int s, typename of::registers const& b) {
#pragma unroll
    for (int r = 0; r < of::tile_m; ++r) {
      run const a = *reinterpret_cast<run const*>(from + of_a(r, s));
#pragma unroll
      for (int j = 0; j < of::depth; ++j) multiply_by(a.at[j], r, s + j, b);
    }
  }
  __device__ void multiply_rows(sum const* from, int s, typename of::registers const& b) {
#pragma unroll
    for (int r = 0; r < of::tile_m; r += rows::size) {
      rows const a = *reinterpret_cast<rows const*>(from + of_a(r, s));
#pragma unroll
      for (int i = 0; i < rows::size; ++i) multiply_by(a.at[i], r + i, s, b);
    }
  }
  // The sums of threads at one place along K lie as smem_d says, those of the next place behind them.
  __device__ void store_shared(sum* shared) const {
    int const thread = static_cast<int>(threadIdx.x), first = unrolled_at<holds>(thread);
    int const row = first % of::tile_m, column = first / of::tile_m;
    sum* const to =
        shared + unrolled_at<places>(thread) / of::threads_n * sums_of_slice + unrolled_at<slice>(row + of::tile_m * column);
#pragma unroll
    for (int i = 0; i < of::tile_m * of::columns; ++i)
      to[unrolled_at<slice>(unrolled_at<holds>(of::threads * i))] = sums[i % of::tile_m][i / of::tile_m];
  }
};

// The mainloop: while a stage is multiplied, registers take the next one.
template <class Carrier>
__device__ inline void multiply_stages(gemv_arguments const& t, tile_index const& tile, int64 first_k, row_producer<Carrier>& a,
                                       column_producer<Carrier>& b, gemv_consumer<Carrier>& c,
                                       typename simt_traits<Carrier>::sum* shared) {
  using of = gemv_traits<Carrier>;
  typename of::registers now = {}, next = {};
  bool const whole_columns = of::along_k || (tile.n + 1) * of::tile_n <= t.n;
  int64 left = smaller(t.k_of_split, t.k - first_k);  // of K, from the next stage on
  for (int stage = 0;; stage = 1 - stage) {
    bool const more = left > 0, first = left == smaller(t.k_of_split, t.k - first_k);
    if (more) {
      a.load_global(left);
      if (whole_columns && left >= of::tile_k)
        b.template load_global<true>(left, next);
      else
        b.template load_global<false>(left, next);
      left -= of::tile_k;
    }
    if (!first) c.multiply(shared + (1 - stage) * of::cells_a, now);
    if (!more) break;
    a.store_shared(shared + stage * of::cells_a);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < of::vectors; ++i) now[i] = next[i];
  }
  __syncthreads();
}

// Stores a result by D's layout. Apart, since it is long and few problems need it.
template <class Sum>
__device__ __noinline__ void store_by_layout(problem const& p, Sum sum, int64 m, int64 n, int64 batch) {
  linear_combination<Sum> const combine(p);
  store(p.d, p.d.offset(0, m) + p.d.offset(1, n) + p.d.offset(2, batch), combine(p, sum, m, n, batch));
}
// Stores the results of a vector of sums, at (m, n).
template <class Element, class Sum>
__device__ inline void store_results(gemv_arguments const& t, vec16<Sum> const& sums, int64 m, int64 n, int64 batch) {
  int64 const first = m * t.row_d + n * t.column_d + batch * t.batch_d;
#pragma unroll
  for (int j = 0; j < vec16<Sum>::size; ++j) {
    if (n + j >= t.n) return;
    int64 const at = first + j * t.column_d;
    Sum const result = static_cast<Sum>(t.alpha) * sums.at[j];
    if (sizeof(Element) == 2 && t.d_as_b)
      static_cast<Element*>(t.d)[at] = Element(result);
    else if (t.d != nullptr)
      static_cast<Sum*>(t.d)[at] = result;
    else
      store_by_layout(t.p, sums.at[j], m, n + j, batch);
  }
}
// The epilogue: adds up the sums of the slices, and where a cluster has the splits of K, of its blocks, each its share of D.
template <class Carrier>
__device__ inline void add_sums(gemv_arguments const& t, tile_index const& tile, int64 batch,
                                typename simt_traits<Carrier>::sum* shared) {
  using of = gemv_traits<Carrier>;
  using sum = typename of::sum;
  using consumer = gemv_consumer<Carrier>;
  constexpr int runs = of::tile_n / of::lanes, vectors = of::tile_m * runs;
  auto const store = [&](int q, auto const& add) {
    int64 const m = tile.m * of::tile_m + q / runs, n = tile.n * of::tile_n + q % runs * of::lanes;
    if (m < t.m && n < t.n) store_results<typename of::element>(t, add(), m, n, batch);
  };
  int const thread = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int q = thread; q < vectors; q += of::threads) {
    sum* const own = shared + q * of::lanes;
    auto const add = [&] {
      return add_vectors<sum>(of::threads_k, [&](int i) { return as_vec16(own + i * consumer::sums_of_slice); });
    };
    if (t.in_cluster)
      as_vec16(own) = add();
    else
      store(q, add);
  }
#if __CUDA_ARCH__ >= 900
  if (!t.in_cluster) return;
  cluster_sync();
  int const blocks = t.splits, rank = static_cast<int>(block_in_cluster());
#pragma unroll 1
  for (int q = thread + rank * of::threads; q < vectors; q += of::threads * blocks) {
    store(q, [&] { return add_splits(shared + q * of::lanes, blocks); });
  }
  cluster_end();
#endif
}

template <class Carrier>
__global__ void __launch_bounds__(Carrier::value.threads, 65536 / (Carrier::value.threads * Carrier::value.registers))
    gemv(__grid_constant__ gemv_arguments const t) {
  using of = gemv_traits<Carrier>;
  alignas(16) __shared__ typename of::sum shared[of::shared];
  int64 const i = blockIdx.y + static_cast<int64>(gridDim.y) * blockIdx.z, first_k = blockIdx.x * t.k_of_split;
  if (i >= t.tiles.count()) return;
  tile_index const tile = t.tiles.fits_32_bits() ? t.tiles(static_cast<std::uint32_t>(i)) : t.tiles(i);
  row_producer<Carrier> a(t, tile, first_k);
  column_producer<Carrier> b(t, tile, first_k);
  gemv_consumer<Carrier> c = {};
  a.compute_addresses(), b.compute_addresses();
  wait_for_last_launch();
  if (t.leaves_room) let_next_launch_begin();
  if (t.asks && !is_wanted(t.p)) return;
  multiply_stages(t, tile, first_k, a, b, c, shared);
  c.store_shared(shared);
  __syncthreads();
  add_sums<Carrier>(t, tile, t.stores_splits ? blockIdx.x : tile.batch, shared);
}

template <class Carrier>
cudaError_t launch_gemv(problem const& p, cudaStream_t stream) {
  constexpr plan const& P = Carrier::value;
  tile_order const tiles = order_of(p, P.tile_m, P.tile_n);
  launch_grid const grid = grid_of(p, tiles.count());
  bool const exact = p.beta == 0 && (p.alpha == 1 || !is_integer(P.accumulator));
  bool const as_b = is_half(P.b) && p.d.type == P.b,
             by_strides = exact && (as_b || p.d.type == P.accumulator) && p.d.plain(0) && p.d.plain(1) && p.d.plain(2);
  gemv_arguments const t{.a = p.a.data,
                         .b = p.b.data,
                         .row_a = p.a.step(0),
                         .k_a = p.a.step(1),
                         .batch_a = p.a.step(2),
                         .line_b = p.b.step(P.major_b == major::k ? 0 : 1),
                         .batch_b = p.b.step(2),
                         .m = p.m,
                         .n = p.n,
                         .k = p.k,
                         .k_of_split = k_of_splits(p, P.tile_k),
                         .tiles = tiles,
                         .d = by_strides ? p.d.data : nullptr,
                         .d_as_b = by_strides && as_b,
                         .row_d = p.d.step(0),
                         .column_d = p.d.step(1),
                         .batch_d = p.d.step(2),
                         .alpha = p.alpha,
                         .splits = p.split_k,
                         .in_cluster = grid.has_clusters(),
                         .stores_splits = p.stores_splits,
                         .asks = p.moduli != nullptr,
                         .leaves_room = leaves_room(grid.blocks),
                         .p = p};
  return launch_with_pdl<gemv<Carrier>>(grid, P.threads, 0, stream, t);
}

}  // namespace colex::gpu
