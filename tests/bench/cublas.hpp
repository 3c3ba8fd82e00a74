// cuBLASLt as the benchmark's measure: found and opened at run time, asked for its first eight ways to multiply.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/device/gemm_draw.hpp"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace colex::bench {

using namespace verify;

inline void check(cublasStatus_t s, char const* what) {
  if (s == CUBLAS_STATUS_SUCCESS) return;
  std::printf("FAIL cuBLASLt: %s: status %d\n", what, static_cast<int>(s));
  std::exit(1);
}

// The functions that are used.
#define COLEX_LT_FUNCTIONS(F)     \
  F(Create)                       \
  F(GetVersion)                   \
  F(MatmulDescCreate)             \
  F(MatmulDescSetAttribute)       \
  F(MatrixLayoutCreate)           \
  F(MatrixLayoutSetAttribute)     \
  F(MatmulPreferenceCreate)       \
  F(MatmulPreferenceSetAttribute) \
  F(MatmulAlgoGetHeuristic)       \
  F(Matmul)

// They, from the library. No library: `opened` is null and the rest not to be called.
struct lt_library {
  void* opened = nullptr;
  cublasLtHandle_t handle = nullptr;
#define COLEX_LT(name) decltype(&cublasLt##name) name = nullptr;
  COLEX_LT_FUNCTIONS(COLEX_LT)
#undef COLEX_LT

  explicit lt_library(std::string const& path) {
    for (std::string const& name : {path, std::string("libcublasLt.so.13"), std::string("libcublasLt.so.12"),
                                    std::string("/usr/local/cuda/lib64/libcublasLt.so")})
      if (opened == nullptr && !name.empty()) opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) return;
#define COLEX_LT(name) name = reinterpret_cast<decltype(name)>(dlsym(opened, "cublasLt" #name));
    COLEX_LT_FUNCTIONS(COLEX_LT)
#undef COLEX_LT
#undef COLEX_LT_FUNCTIONS
    check(Create(&handle), "cublasLtCreate");
  }
};

// Functions of cuBLAS itself, from the library beside cuBLASLt; null where it is not.
struct blas_library {
  using gemm_ex = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, void const*, void const*,
                                 cudaDataType, int, void const*, cudaDataType, int, void const*, void*, cudaDataType, int,
                                 cublasComputeType_t, cublasGemmAlgo_t);
  cublasHandle_t handle = nullptr;
  gemm_ex* GemmEx = nullptr;
  decltype(&cublasSetStream) SetStream = nullptr;

  explicit blas_library(std::string lt_path) {
    if (std::size_t const at = lt_path.find("cublasLt"); at != std::string::npos) lt_path.erase(at + 6, 2);
    void* opened = nullptr;
    for (std::string const& name : {lt_path, std::string("libcublas.so.13"), std::string("libcublas.so.12")})
      if (opened == nullptr && !name.empty()) opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) return;
    auto const create = reinterpret_cast<decltype(&cublasCreate)>(dlsym(opened, "cublasCreate_v2"));
    GemmEx = reinterpret_cast<gemm_ex*>(dlsym(opened, "cublasGemmEx"));
    SetStream = reinterpret_cast<decltype(&cublasSetStream)>(dlsym(opened, "cublasSetStream_v2"));
    check(create(&handle), "cublasCreate");
  }
};

inline cudaDataType data_type(element e) {
  switch (e) {
    case element::f64: return CUDA_R_64F;
    case element::f16: return CUDA_R_16F;
    case element::bf16: return CUDA_R_16BF;
    case element::e4m3: return CUDA_R_8F_E4M3;
    case element::e5m2: return CUDA_R_8F_E5M2;
    case element::s8: return CUDA_R_8I;
    case element::s32: return CUDA_R_32I;
    default: return CUDA_R_32F;
  }
}

// One product of matrices with one stride a mode, prepared. cuBLAS counts columns first: it computes D^T = B A^T.
class lt_plan {
 public:
  static constexpr std::size_t workspace = std::size_t{64} << 20;

  lt_plan(lt_library const& library, product const& x, types const& t) : lt_(library), type_(t.a) {
    cublasComputeType_t const compute = t.a == element::f64  ? CUBLAS_COMPUTE_64F
                                        : t.a == element::s8 ? CUBLAS_COMPUTE_32I
                                        : t.tf32             ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                             : CUBLAS_COMPUTE_32F;
    check(lt_.MatmulDescCreate(&multiply_, compute, scale()), "cublasLtMatmulDescCreate");
    first_ = matrix(x.b, x.n, x.k, x.p), second_ = matrix(x.a, x.m, x.k, x.p), result_ = matrix(x.d, x.m, x.n, x.p);
    set(CUBLASLT_MATMUL_DESC_TRANSA, x.b.stride[1] == 1 ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, x.a.stride[1] == 1 ? CUBLAS_OP_N : CUBLAS_OP_T);
    if (is_fp8(t.a)) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<std::int8_t>(t.fast));
    ask();
  }
  int candidates() const { return found_; }
  void run(product const& x, int which, void* space, cudaStream_t stream) const {
    double const one = 1, zero = 0;
    float const onef = 1, zerof = 0;
    int const onei = 1, zeroi = 0;
    void const *alpha = &onef, *beta = &zerof;
    if (type_ == element::f64) alpha = &one, beta = &zero;
    if (type_ == element::s8) alpha = &onei, beta = &zeroi;
    check(lt_.Matmul(lt_.handle, multiply_, alpha, x.b.data, first_, x.a.data, second_, beta, x.d.data, result_, x.d.data,
                     result_, &ways_[which].algo, space, workspace, stream),
          "cublasLtMatmul");
  }

 private:
  cudaDataType scale() const { return type_ == element::f64 ? CUDA_R_64F : type_ == element::s8 ? CUDA_R_32I : CUDA_R_32F; }
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    check(lt_.MatmulDescSetAttribute(multiply_, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  }
  // (rows, columns) as a matrix whose columns are contiguous: the transposed one where the rows are.
  cublasLtMatrixLayout_t matrix(operand const& o, int64 rows, int64 columns, int64 batches) const {
    bool const transposed = o.stride[1] == 1;
    cublasLtMatrixLayout_t made = nullptr;
    check(lt_.MatrixLayoutCreate(&made, data_type(o.type), static_cast<std::uint64_t>(transposed ? columns : rows),
                                 static_cast<std::uint64_t>(transposed ? rows : columns), o.stride[transposed ? 0 : 1]),
          "cublasLtMatrixLayoutCreate");
    int const count = static_cast<int>(batches);
    check(lt_.MatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count), "batches");
    check(lt_.MatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &o.stride[2], sizeof o.stride[2]),
          "batches' stride");
    return made;
  }
  void ask() {
    cublasLtMatmulPreference_t preference = nullptr;
    check(lt_.MatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    check(lt_.MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace),
          "workspace");
    cublasStatus_t const s = lt_.MatmulAlgoGetHeuristic(lt_.handle, multiply_, first_, second_, result_, result_, preference,
                                                        static_cast<int>(std::size(ways_)), ways_, &found_);
    if (s != CUBLAS_STATUS_SUCCESS) found_ = 0;  // what it cannot multiply at all
  }

  lt_library const& lt_;
  element type_;
  cublasLtMatmulDesc_t multiply_ = nullptr;
  cublasLtMatrixLayout_t first_ = nullptr, second_ = nullptr, result_ = nullptr;
  cublasLtMatmulHeuristicResult_t ways_[8] = {};
  int found_ = 0;
};

}  // namespace colex::bench
