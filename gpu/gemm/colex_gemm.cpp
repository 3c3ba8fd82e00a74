// colex_gemm.h by gemm.hpp. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/colex_gemm.h"

#include "gpu/gemm/gemm.hpp"

#include <memory>
#include <new>

namespace colex::gpu {
namespace {

static_assert(static_cast<int>(element::ue4m3) == COLEX_UE4M3 && static_cast<int>(element::e2m1) == COLEX_E2M1);
static_assert(static_cast<int>(gemm_error::bad_option) == COLEX_GEMM_BAD_OPTION &&
              static_cast<int>(gemm_error::none) == COLEX_GEMM_OK);

thread_local gemm_status last;

// Extents or strides of all modes, those of a mode as a tuple where they are not one.
int_tuple to_tuple(colex_tensor const& t, int64_t const* values) {
  if (values == nullptr && t.rank > 0) throw error{"a tensor has no shape or no strides"};
  int_tuple r;
  tuple_writer w(r);
  w.open();
  for (int i = 0; i < t.rank; ++i) {
    int const leaves = t.leaves == nullptr ? 1 : t.leaves[i];
    if (leaves != 1) w.open();
    for (int k = 0; k < leaves; ++k) w.put(*values++);
    if (leaves != 1) w.close();
  }
  w.close();
  return r;
}
device_tensor to_tensor(colex_tensor const* t) {
  if (t == nullptr) return {};
  return {t->data, static_cast<element>(t->type), to_tuple(*t, t->shape), to_tuple(*t, t->stride)};
}
gemm_options to_options(colex_gemm_options const* o) {
  if (o == nullptr) return {};
  auto const text = [](char const* x) { return std::string_view(x == nullptr ? "" : x); };
  return {text(o->kernel),
          o->tf32 != 0,
          o->fast_accumulation != 0,
          o->two_level_accumulation != 0,
          to_tensor(o->sfa),
          to_tensor(o->sfb),
          text(o->tuned),
          o->split_k,
          static_cast<gemm_emulation>(o->emulation != 0),
          o->moduli,
          o->bound,
          o->reproducible != 0,
          o->moduli_used,
          false};
}

// Keeps the status of a call for the thread.
template <class Call>
colex_gemm_error recorded(Call call) {
  try {
    last = call();
  } catch (error const& e) {
    last = {gemm_error::bad_layout, e.what(), {}};
  } catch (std::bad_alloc const&) {
    last = {gemm_error::out_of_memory, {}, {}};
  }
  return static_cast<colex_gemm_error>(last.error);
}

}  // namespace
}  // namespace colex::gpu

using namespace colex::gpu;

extern "C" colex_gemm_error colex_gemm(colex_tensor const* d, colex_tensor const* a, colex_tensor const* b,
                                       colex_tensor const* c, double alpha, double beta, colex_gemm_options const* options,
                                       void* stream) {
  return recorded([&] {
    return gemm(to_tensor(d), to_tensor(a), to_tensor(b), to_tensor(c), alpha, beta, to_options(options),
                static_cast<cudaStream_t>(stream));
  });
}
extern "C" colex_gemm_error colex_gemm_grouped(colex_gemm_group const* groups, int count, double alpha, double beta,
                                               colex_gemm_options const* options, void* stream) {
  return recorded([&]() -> gemm_status {
    if (groups == nullptr && count > 0) return {gemm_error::no_data, "there are no groups", {}};
    std::vector<gemm_group> all;
    for (int i = 0; i < count; ++i)
      all.push_back({to_tensor(groups[i].d), to_tensor(groups[i].a), to_tensor(groups[i].b), to_tensor(groups[i].c)});
    return gemm_grouped(all, alpha, beta, to_options(options), static_cast<cudaStream_t>(stream));
  });
}
struct colex_prepared_gemm {
  prepared_gemm of;
};
extern "C" colex_prepared_gemm* colex_gemm_prepare(colex_tensor const* d, colex_tensor const* a, colex_tensor const* b,
                                                   colex_tensor const* c, double alpha, double beta,
                                                   colex_gemm_options const* options) {
  std::unique_ptr<colex_prepared_gemm> made;
  colex_gemm_error const e = recorded([&] {
    made.reset(new colex_prepared_gemm{
        prepared_gemm(to_tensor(d), to_tensor(a), to_tensor(b), to_tensor(c), alpha, beta, to_options(options))});
    return made->of.status();
  });
  return e == COLEX_GEMM_OK ? made.release() : nullptr;
}
extern "C" colex_gemm_error colex_gemm_run(colex_prepared_gemm const* prepared, void* d, void const* a, void const* b,
                                           void const* c, void* stream) {
  return recorded([&]() -> gemm_status {
    if (prepared == nullptr) return {gemm_error::no_data, "there is no prepared product", {}};
    return prepared->of.run(d, a, b, c, static_cast<cudaStream_t>(stream));
  });
}
extern "C" colex_gemm_error colex_gemm_prepare_operand(colex_prepared_gemm* prepared, int operand, void const* elements,
                                                       void* stream) {
  return recorded([&]() -> gemm_status {
    if (prepared == nullptr) return {gemm_error::no_data, "there is no prepared product", {}};
    if (operand != 0 && operand != 1)
      return {gemm_error::bad_option, "the operand is 0, A, or 1, B, not " + std::to_string(operand), {}};
    return prepared->of.prepare_operand(static_cast<gemm_operand>(operand), elements, static_cast<cudaStream_t>(stream));
  });
}
extern "C" void colex_gemm_release(colex_prepared_gemm* prepared) { delete prepared; }
extern "C" int colex_gemm_version() { return COLEX_GEMM_VERSION; }
extern "C" char const* colex_gemm_reason(void) { return last.reason.c_str(); }
extern "C" char const* colex_gemm_kernel(void) { return last.kernel.c_str(); }
