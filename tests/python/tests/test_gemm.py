# cx.gemm and cx.PreparedGemm: what a library that multiplies nothing is given, every refusal, and a product where a GPU is.
# SPDX-License-Identifier: Apache-2.0
import shutil
import subprocess

import colex_layouts as cx
import pytest
from colex_layouts import _gemm

LIBRARY = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef struct { void* data; int type, rank; int const* leaves; int64_t const *shape, *stride; } tensor;
typedef struct {
  char const* kernel; int tf32, fast, two_level; tensor const *sfa, *sfb; char const* tuned; int split_k;
  int emulation, moduli; double bound; int reproducible; void* used;
} options;
static char said[4096];
static void say(char const* name, tensor const* t) {
  int at = 0;
  char* s = said + strlen(said);
  if (!t) { sprintf(s, "%s none ", name); return; }
  s += sprintf(s, "%s %ld type %d", name, (long)t->data, t->type);
  for (int m = 0; m < t->rank; ++m)
    for (int k = 0; k < t->leaves[m]; ++k, ++at)
      s += sprintf(s, "%s%ld:%ld", k ? "," : " ", (long)t->shape[at], (long)t->stride[at]);
  sprintf(s, " ");
}
int colex_gemm_version(void) { return VERSION; }
static int product(tensor const* d, tensor const* a, tensor const* b, tensor const* c, double alpha, double beta,
                   options const* o, void* stream) {
  said[0] = 0;
  say("d", d); say("a", a); say("b", b); say("c", c); say("sfa", o->sfa);
  sprintf(said + strlen(said), "%g %g %d %d %d %d %s %s %ld", alpha, beta, o->tf32, o->fast, o->two_level, o->split_k,
          o->kernel ? o->kernel : "-", o->tuned ? o->tuned : "-", (long)stream);
  if (o->emulation)
    sprintf(said + strlen(said), " %d %g %d %ld", o->moduli, o->bound, o->reproducible, (long)o->used);
  return o->split_k == 13;
}
int colex_gemm(tensor const* d, tensor const* a, tensor const* b, tensor const* c, double alpha, double beta,
               options const* o, void* stream) {
  return product(d, a, b, c, alpha, beta, o, stream);
}
static int prepared;
void* colex_gemm_prepare(tensor const* d, tensor const* a, tensor const* b, tensor const* c, double alpha, double beta,
                         options const* o) {
  return product(d, a, b, c, alpha, beta, o, 0) ? 0 : (++prepared, &prepared);
}
int colex_gemm_run(void const* p, void* d, void const* a, void const* b, void const* c, void* stream) {
  sprintf(said, "run %d %ld %ld %ld %ld %ld", p == &prepared, (long)d, (long)a, (long)b, (long)c, (long)stream);
  return (long)stream == 13;
}
int colex_gemm_prepare_operand(void* p, int operand, void const* elements, void* stream) {
  sprintf(said, "operand %d %d %ld %ld", p == &prepared, operand, (long)elements, (long)stream);
  return (long)stream == 13;
}
void colex_gemm_release(void* p) { prepared -= p == &prepared; }
int left(void) { return prepared; }
char const* colex_gemm_reason(void) { return "unlucky"; }
char const* colex_gemm_kernel(void) { return said; }
"""


def build(folder, version):
    (folder / "library.c").write_text(LIBRARY)
    made = folder / f"libgemm{version}.so"
    words = [shutil.which("cc") or shutil.which("gcc"), "-shared", "-fPIC", f"-DVERSION={version}", str(folder / "library.c")]
    subprocess.run([*words, "-o", str(made)], check=True)
    return made


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    if not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("no C compiler")
    return build(tmp_path_factory.mktemp("gemm"), _gemm.VERSION)


class Array:
    def __init__(self, shape, typestr="<f4", data=4096, strides=None, read_only=False):
        described = dict(shape=shape, typestr=typestr, data=(data, read_only), strides=strides, version=3)
        self.__cuda_array_interface__ = described


D, A, B = Array((64, 32)), Array((64, 16)), Array((32, 16))


def test_what_the_library_is_given(library):
    said = cx.gemm(D, A, Array((32, 16), strides=(4, 128)), path=library)
    assert (
        said == "d 4096 type 1 64:32 32:1 a 4096 type 1 64:16 16:1 b 4096 type 1 32:1 16:32 c none sfa none 1 0 0 0 0 0 - - 0"
    )


def test_options(library):
    options = dict(tf32=True, two_level_accumulation=True, split_k=3, kernel="k", tuned="t", stream=7, sfa=Array((8,), "|i1"))
    said = cx.gemm(D, A, B, alpha=2, beta=0.5, c=Array((64, 32), "<f2"), path=library, **options)
    assert said.endswith("c 4096 type 3 64:32 32:1 sfa 4096 type 8 8:1 2 0.5 1 0 1 3 k t 7")


def test_options_of_emulation(library):
    options = dict(emulation=True, moduli=9, bound=0.25, reproducible=True, moduli_used=Array((1,), "<i4", data=8192))
    assert cx.gemm(D, A, B, path=library, **options).endswith("- - 0 9 0.25 1 8192")


def test_a_prepared_product(library):
    product = cx.PreparedGemm(D, A, B, alpha=2, beta=1, c=D, split_k=3, path=library)
    lib, _ = _gemm.library(library)
    assert lib.colex_gemm_kernel().endswith(b"c 4096 type 1 64:32 32:1 sfa none 2 1 0 0 0 3 - - 0")
    others = [Array((64, 32), data=16), Array((64, 16), data=32), Array((32, 16), data=48), Array((64, 32), data=64)]
    assert product.run(*others, stream=7) == "run 1 16 32 48 64 7"
    assert product.run(D, A, B) == "run 1 4096 4096 4096 0 0"
    product.prepare_operand("b", Array((32, 16), data=96), stream=5)
    assert lib.colex_gemm_kernel() == b"operand 1 1 96 5"
    product.prepare_operand("a", (Array((1024,), data=80), "(64,16):(16,1)"))
    assert lib.colex_gemm_kernel() == b"operand 1 0 80 0"
    assert lib.left() == 1
    del product
    assert lib.left() == 0


def test_refusals_of_prepared_products(library):
    with pytest.raises(cx.GemmError, match="unlucky"):
        cx.PreparedGemm(D, A, B, split_k=13, path=library)
    with pytest.raises(TypeError, match="kernels"):
        cx.PreparedGemm(D, A, B, kernels="k", path=library)
    product = cx.PreparedGemm(D, A, B, path=library)
    for match, call in {
        "^d: not the type": lambda: product.run(Array((64, 32), "<f8"), A, B),
        "^a: not the type": lambda: product.run(D, Array((64, 16), strides=(4, 256)), B),
        "^b: not the type": lambda: product.prepare_operand("b", A),
        "^c: not the type": lambda: product.run(D, A, B, D),
        "'a' or 'b', not 'c'": lambda: product.prepare_operand("c", A),
        "unlucky": lambda: product.run(D, A, B, stream=13),
        "read-only": lambda: product.run(Array((64, 32), read_only=True), A, B),
    }.items():
        with pytest.raises(cx.GemmError, match=match):
            call()
    with pytest.raises(cx.GemmError, match="unlucky"):
        product.prepare_operand("a", A, stream=13)


def test_a_layout_says_where_elements_lie(library):
    said = cx.gemm((Array((2048,)), "((8,8),32):((1,256),8)"), A, B, path=library)
    assert said.startswith("d 4096 type 1 8:1,8:256 32:8 a ")


def refused(match, d=D, a=A, **options):
    with pytest.raises(cx.GemmError, match=match):
        cx.gemm(d, a, B, **options)


def test_refusals_are_exceptions(library, tmp_path):
    refused("unlucky", split_k=13, path=library)
    refused("neither __dlpack__ nor", a=[1.0], path=library)
    refused("type <c8", a=Array((2, 2), "<c8"), path=library)
    refused("read-only", d=Array((64, 32), read_only=True), path=library)
    refused("64 bits", d=(D, cx.Layout((64, 32), (2**63, 1))), path=library)
    refused("no libcolex_gemm", path=tmp_path / "none.so")
    refused("version 77", path=build(tmp_path, 77))
    with pytest.raises(cx.Malformed):
        cx.gemm((D, "64:"), A, B, path=library)


def test_arrays_of_the_host_are_refused(library):
    numpy = pytest.importorskip("numpy")
    refused("not in the memory of a CUDA device", a=numpy.zeros((64, 16)), path=library)


def test_products_on_a_gpu():
    """What tests/device/python_gemm.py asks at length."""
    torch = pytest.importorskip("torch")
    try:
        _gemm.library()
    except cx.GemmError as why:
        pytest.skip(str(why))
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    a, b = (torch.randint(-2, 3, (n, 64), device="cuda").double() for n in (128, 96))
    d = torch.zeros(128, 96, device="cuda").double()
    product = cx.PreparedGemm(d, a, b, emulation=True, reproducible=True)
    product.prepare_operand("b", b)
    product.run(d, a, b)
    assert torch.equal(d, a @ b.T)
    cx.gemm(d, a, b, alpha=2)
    assert torch.equal(d, 2 * a @ b.T)
