// The options of gemm_test, which nvcc would read three times. Exits with 77 without a GPU.
//   gemm_test --count 10000 --seed 1 --kernel 'sm90_*'        gemm_test --sanitize: small ones, for compute-sanitizer
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/gemm.hpp"
#include "tests/device/cuda.hpp"
#include "tests/device/gemm_test.hpp"

#include <CLI/CLI.hpp>

using colex::gpu::int64;

int main(int count, char** arguments) {
  colex::verify::settings s;
  setenv("COLEX_CHECK", "1", 1);  // which then refuses nothing that is right
  CLI::App app("Judges every GEMM kernel that this GPU runs on random problems.");
  app.add_option("--count", s.count, "how many problems, taking turns among the kernels");
  app.add_option("--seed", s.seed, "of the first problem; the next ones count on");
  app.add_option("--kernel", s.kernel, "a pattern of names; 'automatic' is gemm()'s own choice, 'groups' gemm_grouped()'s");
  app.add_option("--time", s.seconds, "stop after so many seconds");
  app.add_option("--m", s.within.fixed[0]), app.add_option("--n", s.within.fixed[1]);
  app.add_option("--k", s.within.fixed[2]), app.add_option("--batches", s.within.fixed[3]);
  app.add_flag("--sanitize", s.sanitize, "small problems, three for each kernel: for compute-sanitizer");
  app.add_flag("--list", s.list, "the kernels' names, and nothing else");
  CLI11_PARSE(app, count, arguments);
  if (!colex::gpu::found_device()) return 77;
  if (s.list) {
    for (std::string const& name : colex::gpu::gemm_kernels()) std::puts(name.c_str());
    return 0;
  }
  if (s.sanitize) {
    s.within.extent = 300, s.within.work = int64{1} << 23, s.within.huge = false;
    if (app.count("--count") == 0) s.count = 3 * static_cast<int64>(colex::gpu::gemm_kernels().size() + 1);
  }
  return judge_all(s);
}
