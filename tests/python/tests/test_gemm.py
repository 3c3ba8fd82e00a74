# cx.gemm as far as no GPU is asked: what a library that multiplies nothing is given, and every refusal.
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
int colex_gemm(tensor const* d, tensor const* a, tensor const* b, tensor const* c, double alpha, double beta,
               options const* o, void* stream) {
  said[0] = 0;
  say("d", d); say("a", a); say("b", b); say("c", c); say("sfa", o->sfa);
  sprintf(said + strlen(said), "%g %g %d %d %d %d %s %s %ld", alpha, beta, o->tf32, o->fast, o->two_level, o->split_k,
          o->kernel ? o->kernel : "-", o->tuned ? o->tuned : "-", (long)stream);
  if (o->emulation)
    sprintf(said + strlen(said), " %d %g %d %ld", o->moduli, o->bound, o->reproducible, (long)o->used);
  return o->split_k == 13;
}
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
