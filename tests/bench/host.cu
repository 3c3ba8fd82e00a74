// The benchmark `--host`. SPDX-License-Identifier: Apache-2.0
#include "tests/bench/host.hpp"

#include "tests/bench/products.cuh"

#include <chrono>
#include <functional>
#include <thread>

namespace colex::bench {
namespace {

using enqueue = std::function<void(cudaStream_t)>;
// Makes what a thread enqueues: products of its own.
struct way {
  std::string name;
  std::function<enqueue(job const&)> make;
};

double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
void wait(cudaStream_t stream) { check(cudaStreamSynchronize(stream), "running"); }

// Microseconds to enqueue one of `calls` while nothing waits for the device, the median of nine trials.
double enqueue_time(enqueue const& call, cudaStream_t stream, int calls) {
  std::vector<double> times;
  for (int trial = 0; trial < 9; ++trial) {
    double const begin = now();
    for (int i = 0; i < calls; ++i) call(stream);
    times.push_back((now() - begin) / calls);
    wait(stream);
  }
  return median(times);
}
// Microseconds a call in a loop that is waited for at its end, of so many threads with a stream each.
double loop_time(way const& w, std::vector<std::unique_ptr<job>> const& jobs, std::size_t threads, int calls) {
  std::vector<std::thread> all;
  std::vector<double> times(threads);
  for (std::size_t t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      cudaStream_t stream = nullptr;
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
      enqueue const call = w.make(*jobs[t]);
      call(stream), wait(stream);
      double const begin = now();
      for (int i = 0; i < calls; ++i) call(stream);
      wait(stream);
      times[t] = now() - begin;
      check(cudaStreamDestroy(stream), "cudaStreamDestroy");
    });
  for (std::thread& t : all) t.join();
  return std::ranges::max(times) / calls / static_cast<double>(threads);
}

void run_gemm(product const& x, gemm_options const& o, cudaStream_t stream) {
  if (gemm_status const s = gemm(tensor_of(x.d), tensor_of(x.a), tensor_of(x.b), {}, 1, 0, o, stream); !s)
    std::printf("FAIL %s\n", s.reason.c_str()), std::exit(1);
}
way known_problem() {
  return {"gemm, known problem", [](job const& j) -> enqueue {
            return [d = tensor_of(j.products[0].d), a = tensor_of(j.products[0].a),
                    b = tensor_of(j.products[0].b)](cudaStream_t s) { static_cast<void>(gemm(d, a, b, {}, 1, 0, {}, s)); };
          }};
}
// Of extents that this process has not seen: fewer rows with every call.
way new_problem() {
  return {"gemm, new problem", [](job const& j) -> enqueue {
            return [x = j.products[0], rows = j.products[0].m](cudaStream_t s) mutable {
              static std::atomic<int64> fewer = 0;
              product cut = x;
              cut.a.extent[0] = cut.d.extent[0] = x.m - 1 - fewer++ % (x.m - 1);
              run_gemm(cut, {}, s);
            };
          }};
}
way kernel_named() {
  return {"gemm, kernel named", [](job const& j) -> enqueue {
            product const x = j.products[0];
            std::string const kernel = gemm_candidates(tensor_of(x.d), tensor_of(x.a), tensor_of(x.b), {}, 1, 0)[0];
            return [x, kernel](cudaStream_t s) {
              gemm_options o;
              o.kernel = kernel;
              run_gemm(x, o, s);
            };
          }};
}
way prepared() {
  return {"prepared_gemm", [](job const& j) -> enqueue {
            product const& x = j.products[0];
            gpu::prepared_gemm const ready(tensor_of(x.d), tensor_of(x.a), tensor_of(x.b), {}, 1, 0);
            return [ready, d = x.d.data, a = x.a.data, b = x.b.data](cudaStream_t s) {
              static_cast<void>(ready.run(d, a, b, nullptr, s));
            };
          }};
}
// With its algorithm chosen beforehand.
way lt_matmul(lt_library const& lt, types const& of) {
  return {"cublasLtMatmul", [&lt, of](job const& j) -> enqueue {
            product const& x = j.products[0];
            void* space = nullptr;
            check(cudaMalloc(&space, lt_plan::workspace), "cudaMalloc");
            return [plan = std::make_shared<lt_plan>(lt, x, of), x, space](cudaStream_t s) { plan->run(x, 0, space, s); };
          }};
}
way gemm_ex(std::string const& path, types const& of) {
  return {
      "cublasGemmEx", [path, of](job const& j) -> enqueue {
        auto const blas = std::make_shared<blas_library>(path);
        return [blas, x = j.products[0], of](cudaStream_t s) {
          float const one = 1, zero = 0;
          check(blas->SetStream(blas->handle, s), "cublasSetStream");
          auto const n = static_cast<int>(x.n), m = static_cast<int>(x.m), k = static_cast<int>(x.k);
          check(blas->GemmEx(blas->handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, x.b.data, data_type(of.b), k, x.a.data,
                             data_type(of.a), k, &zero, x.d.data, data_type(of.d), n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                "cublasGemmEx");
        };
      }};
}

}  // namespace

int time_host(lt_library const& lt, std::string const& lt_path) {
  kind const& bf16 = kinds[0];
  constexpr std::size_t threads = 8;
  std::vector<way> ways{new_problem(), known_problem(), kernel_named(), prepared()};
  if (lt.opened != nullptr) ways.push_back(lt_matmul(lt, bf16.of));
  if (blas_library(lt_path).handle != nullptr) ways.push_back(gemm_ex(lt_path, bf16.of));
  std::printf("%-6s %-22s %14s %14s %14s\n", bf16.name.c_str(), "microseconds", "enqueue", "loop", "8 threads");
  for (int64 n : {512, 1024, 2048, 4096}) {
    workload const w{"host", std::to_string(n), "TN", n, n, n};
    std::vector<std::unique_ptr<job>> jobs;
    for (std::size_t t = 0; t < threads; ++t) jobs.push_back(std::make_unique<job>(w, bf16.of, t, data::normal));
    for (way const& each : ways) {
      enqueue const call = each.make(*jobs[0]);
      call(nullptr), wait(nullptr);
      int const calls = n <= 1024 ? 2000 : n <= 2048 ? 500 : 100;
      std::printf("%-6s %-22s %14.2f %14.2f %14.2f\n", w.name.c_str(), each.name.c_str(), enqueue_time(call, nullptr, 40),
                  loop_time(each, jobs, 1, calls), loop_time(each, jobs, threads, calls / 8));
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace colex::bench
