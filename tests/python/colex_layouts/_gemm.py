"""D = alpha A B + beta C on the GPU, by libcolex_gemm, of anybody's arrays. SPDX-License-Identifier: Apache-2.0"""

from __future__ import annotations

from colex_layouts._colex import Layout
from colex_layouts.errors import GemmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes
    import os
    from typing import Any, NamedTuple

    class Array(NamedTuple):
        """Where an array's elements lie, of which type (colex_element), on which device, and what keeps them there."""

        data: int
        element: int
        shape: tuple[int, ...]
        stride: tuple[int, ...]
        device: int | None
        keep: object

else:
    from collections import namedtuple

    Array = namedtuple("Array", "data element shape stride device keep")

VERSION = 3  # COLEX_GEMM_VERSION of the header that this file was written for

# colex_element, by what DLPack calls types (code, bits), by the type strings of NumPy, and by PyTorch's names.
OF_DLPACK = {
    (2, 64): 0,
    (2, 32): 1,
    (2, 16): 3,
    (4, 16): 4,
    (10, 8): 5,
    (12, 8): 6,
    (17, 4): 7,
    (0, 8): 8,
    (0, 32): 9,
    (14, 8): 10,
}
OF_NUMPY = {"f8": 0, "f4": 1, "f2": 3, "i1": 8, "i4": 9}
OF_NAME = {"float8_e4m3fn": 5, "float8_e5m2": 6, "float8_e8m0fnu": 10}
CUDA, CUDA_MANAGED = 2, 13  # DLDeviceType


def _types() -> Any:
    """The C interface's structs, and DLPack's; made when they are first needed, since ctypes takes its time to import."""
    import ctypes as c
    import types

    class Tensor(c.Structure):
        _fields_ = [
            ("data", c.c_void_p),
            ("type", c.c_int),
            ("rank", c.c_int),
            ("leaves", c.POINTER(c.c_int)),
            ("shape", c.POINTER(c.c_int64)),
            ("stride", c.POINTER(c.c_int64)),
        ]

    class Options(c.Structure):
        _fields_ = [
            ("kernel", c.c_char_p),
            ("tf32", c.c_int),
            ("fast_accumulation", c.c_int),
            ("two_level_accumulation", c.c_int),
            ("sfa", c.POINTER(Tensor)),
            ("sfb", c.POINTER(Tensor)),
            ("tuned", c.c_char_p),
            ("split_k", c.c_int),
            ("emulation", c.c_int),
            ("moduli", c.c_int),
            ("bound", c.c_double),
            ("reproducible", c.c_int),
            ("moduli_used", c.c_void_p),
        ]

    class DLTensor(c.Structure):
        _fields_ = [
            ("data", c.c_void_p),
            ("device_type", c.c_int32),
            ("device_id", c.c_int32),
            ("ndim", c.c_int32),
            ("code", c.c_uint8),
            ("bits", c.c_uint8),
            ("lanes", c.c_uint16),
            ("shape", c.POINTER(c.c_int64)),
            ("strides", c.POINTER(c.c_int64)),
            ("byte_offset", c.c_uint64),
        ]

    return types.SimpleNamespace(Tensor=Tensor, Options=Options, DLTensor=DLTensor)


_loaded: dict[str, tuple[ctypes.CDLL, Any]] = {}


def library(path: str | os.PathLike[str] | None = None) -> tuple[ctypes.CDLL, Any]:
    """libcolex_gemm: the one named, or that of COLEX_GEMM_LIBRARY, or the system's; and its structs."""
    import ctypes as c
    import ctypes.util
    import os

    name = os.fspath(
        path or os.environ.get("COLEX_GEMM_LIBRARY") or ctypes.util.find_library("colex_gemm") or "libcolex_gemm.so"
    )
    if name not in _loaded:
        os.environ.setdefault("COLEX_CHECK", "1")  # where operands lie: a wrong place would end the process's CUDA context
        try:
            lib = c.CDLL(name)
            found = lib.colex_gemm_version()
        except (OSError, AttributeError) as e:
            raise GemmError(f"no libcolex_gemm (COLEX_GEMM_LIBRARY may say where it is): {e}") from None
        if found != VERSION:
            raise GemmError(f"{name} has version {found} of the interface, and {VERSION} is needed")
        types = _types()
        tensor = c.POINTER(types.Tensor)
        product = [tensor] * 4 + [c.c_double, c.c_double, c.POINTER(types.Options)]
        lib.colex_gemm.argtypes = [*product, c.c_void_p]
        lib.colex_gemm_prepare.argtypes, lib.colex_gemm_prepare.restype = product, c.c_void_p
        lib.colex_gemm_run.argtypes = [c.c_void_p] * 6
        lib.colex_gemm_prepare_operand.argtypes = [c.c_void_p, c.c_int, c.c_void_p, c.c_void_p]
        lib.colex_gemm_release.argtypes, lib.colex_gemm_release.restype = [c.c_void_p], None
        lib.colex_gemm_reason.restype = lib.colex_gemm_kernel.restype = c.c_char_p
        _loaded[name] = (lib, types)
    return _loaded[name]


def _compact(shape: tuple[int, ...]) -> tuple[int, ...]:
    stride, step = [], 1
    for extent in reversed(shape):
        stride.append(step)
        step *= extent
    return tuple(reversed(stride))


def _of_interface(x: Any, role: str) -> Array:
    """By __cuda_array_interface__, which has no types below 16 bits but integers, and no bf16."""
    d = x.__cuda_array_interface__
    shape, kind = tuple(d["shape"]), d["typestr"][1:]
    if kind not in OF_NUMPY or d["typestr"][0] == ">":
        raise GemmError(f"{role}: elements of type {d['typestr']} are not multiplied")
    if d["data"][1] and role == "d":
        raise GemmError("d: the array is read-only")
    width = int(kind[1:])
    stride = tuple(s // width for s in d["strides"]) if d.get("strides") else _compact(shape)
    return Array(d["data"][0], OF_NUMPY[kind], shape, stride, None, x)


def _of_capsule(x: Any, role: str, stream: int, DLTensor: Any) -> Array:
    import ctypes as c

    element = OF_NAME.get(str(getattr(x, "dtype", "")).rpartition(".")[2])
    source = x if element is None else x.view(__import__("torch").uint8)  # which DLPack's older versions do not know
    if source.__dlpack_device__()[0] not in (CUDA, CUDA_MANAGED):
        raise GemmError(f"{role}: the array is not in the memory of a CUDA device")
    capsule = source.__dlpack__(stream=stream or 1)  # 1: the default stream
    pointer = c.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
    t = DLTensor.from_address(pointer(capsule, b"dltensor"))
    shape = tuple(t.shape[: t.ndim])
    stride = tuple(t.strides[: t.ndim]) if t.strides else _compact(shape)
    found = OF_DLPACK.get((t.code, t.bits)) if element is None and t.lanes == 1 else element
    if found is None:
        raise GemmError(f"{role}: elements of DLPack's type {t.code}, {t.bits} bits, {t.lanes} lanes are not multiplied")
    return Array((t.data or 0) + t.byte_offset, found, shape, stride, t.device_id, capsule)


def _array(x: Any, role: str, stream: int, types: Any) -> Array:
    if hasattr(x, "__dlpack__"):
        return _of_capsule(x, role, stream, types.DLTensor)
    if hasattr(x, "__cuda_array_interface__"):
        return _of_interface(x, role)
    raise GemmError(f"{role}: neither __dlpack__ nor __cuda_array_interface__")


def _leaves(x: Any) -> tuple[int, ...]:
    return tuple(leaf for item in x for leaf in _leaves(item)) if isinstance(x, tuple) else (x,)


def _tensor(x: Any, role: str, stream: int, types: Any) -> tuple[Any, Array]:
    """An array, or an array and the Layout of its elements, as the C interface has it."""
    import ctypes as c

    given, layout = x if isinstance(x, tuple) else (x, None)
    array = _array(given, role, stream, types)
    modes = list(Layout(layout) if layout is not None else Layout(array.shape, array.stride))
    shapes, strides = [_leaves(m.shape) for m in modes], [_leaves(m.stride) for m in modes]
    shape, stride = sum(shapes, ()), sum(strides, ())
    if any(not -(2**63) <= n < 2**63 for n in (*shape, *stride)):
        raise GemmError(f"{role}: extents and strides have 64 bits")

    def many(of: Any, values: Any) -> Any:
        return (of * len(values))(*values)

    leaves = many(c.c_int, [len(s) for s in shapes])
    t = types.Tensor(array.data, array.element, len(modes), leaves, many(c.c_int64, shape), many(c.c_int64, stride))
    return t, array


def _module_of(x: Any) -> str:
    return type(x[0] if isinstance(x, tuple) else x).__module__.partition(".")[0]


def _on(stream: int | None, d: Any) -> int:
    """The stream, or the current one of the framework whose array d is."""
    import sys

    if stream is not None:
        return stream
    if _module_of(d) == "torch":
        return int(sys.modules["torch"].cuda.current_stream((d[0] if isinstance(d, tuple) else d).device).cuda_stream)
    if _module_of(d) == "cupy":
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return 0


def _made(arrays: dict[str, Any], stream: int, types: Any) -> dict[str, tuple[Any, Array]]:
    """Those of the arrays that are given, for the C interface; on one device."""
    made = {role: _tensor(x, role, stream, types) for role, x in arrays.items() if x is not None}
    devices = {array.device for _, array in made.values() if array.device is not None}
    if len(devices) > 1:
        raise GemmError(f"the arrays lie on different devices: {sorted(devices)}")
    return made


def _product(
    d: Any, a: Any, b: Any, c: Any, alpha: float, beta: float, stream: int, types: Any, **options: Any
) -> tuple[list[Any], dict[str, tuple[Any, Array]]]:
    """The arguments that colex_gemm and colex_gemm_prepare share, and the arrays in them."""
    import ctypes

    arrays = {role: options.pop(role) for role in ("sfa", "sfb", "moduli_used")}
    made = _made({"d": d, "a": a, "b": b, "c": c, **arrays}, stream, types)
    at = {role: ctypes.pointer(tensor) for role, (tensor, _) in made.items()}
    texts = {name: options.pop(name) for name in ("kernel", "tuned")}
    given = types.Options(
        sfa=at.get("sfa"),
        sfb=at.get("sfb"),
        moduli_used=made["moduli_used"][1].data if "moduli_used" in made else None,
        **{name: text and text.encode() for name, text in texts.items()},
        **options,
    )
    return [at["d"], at["a"], at["b"], at.get("c"), alpha, beta, ctypes.byref(given)], made


def _succeeded(lib: ctypes.CDLL, well: bool) -> str:
    """The kernel of the thread's last call; raises its reason."""
    if not well:
        raise GemmError(lib.colex_gemm_reason().decode(errors="replace"))
    return str(lib.colex_gemm_kernel().decode(errors="replace"))


def gemm(
    d: Any,
    a: Any,
    b: Any,
    *,
    alpha: float = 1,
    beta: float = 0,
    c: Any = None,
    kernel: str | None = None,
    tf32: bool = False,
    fast_accumulation: bool = False,
    two_level_accumulation: bool = False,
    sfa: Any = None,
    sfb: Any = None,
    tuned: str | None = None,
    split_k: int = 0,
    emulation: bool = False,
    moduli: int = 0,
    bound: float = 0,
    reproducible: bool = False,
    moduli_used: Any = None,
    stream: int | None = None,
    path: str | os.PathLike[str] | None = None,
) -> str:
    """Enqueues D = alpha A B + beta C; the name of the kernel that runs.

    A is (M,K), B is (N,K), C and D are (M,N), each with a third mode where there are batches. An operand is anything with
    __dlpack__ or __cuda_array_interface__, or a pair of that and the Layout of its elements, counted from the first.
    stream: a cudaStream_t; None: the current one of the framework whose array d is. path: of libcolex_gemm.
    moduli_used: an array of one int32, which becomes the number of moduli of an emulated product.
    What the options mean, and which types there are, says colex_gemm.h. Raises GemmError with the reason.
    """
    product = dict(locals())
    lib, types = library(product.pop("path"))
    on = product["stream"] = _on(stream, d)
    arguments, _kept = _product(types=types, **product)
    return _succeeded(lib, lib.colex_gemm(*arguments, on or None) == 0)


def _described(tensor: Any) -> tuple[Any, ...]:
    """All but where the elements lie."""
    leaves = tensor.leaves[: tensor.rank]
    return (tensor.type, leaves, tensor.shape[: sum(leaves)], tensor.stride[: sum(leaves)])


class PreparedGemm:
    """A product that is planned once, on the current device, and run many times, by any thread: on other arrays of the same
    types and layouts, at addresses aligned as well as those planned with. The arguments are those of gemm; scale factors and
    moduli_used stay those given here. Raises GemmError with the reason.
    """

    def __init__(self, d: Any, a: Any, b: Any, **options: Any) -> None:
        import inspect
        import weakref

        bound = inspect.signature(gemm).bind(d, a, b, **options)
        bound.apply_defaults()
        product = bound.arguments
        self._lib, self._types = library(product.pop("path"))
        product["stream"] = _on(product["stream"], d)
        arguments, made = _product(types=self._types, **product)
        self._planned = {role: _described(tensor) for role, (tensor, _) in made.items()}
        self._kept = [array.keep for role, (_, array) in made.items() if len(role) > 1]  # not d, a, b, c
        self._handle = self._lib.colex_gemm_prepare(*arguments)
        _succeeded(self._lib, self._handle is not None)
        weakref.finalize(self, self._lib.colex_gemm_release, self._handle)

    def _data(self, arrays: dict[str, Any], stream: int) -> dict[str, int]:
        """Where the arrays' elements lie, if they are as they were planned."""
        made = _made(arrays, stream, self._types)
        for role, (tensor, _) in made.items():
            if _described(tensor) != self._planned.get(role):
                raise GemmError(f"{role}: not the type and the layout that the product was prepared with")
        return {role: array.data for role, (_, array) in made.items()}

    def run(self, d: Any, a: Any, b: Any, c: Any = None, *, stream: int | None = None) -> str:
        """Enqueues the product of these arrays; the name of the kernel that runs."""
        on = _on(stream, d)
        at = self._data({"d": d, "a": a, "b": b, "c": c}, on)
        return _succeeded(
            self._lib, self._lib.colex_gemm_run(self._handle, at["d"], at["a"], at["b"], at.get("c"), on or None) == 0
        )

    def prepare_operand(self, operand: str, elements: Any, *, stream: int | None = None) -> None:
        """Enqueues the residues of the operand "a" or "b": runs with it at this address take them. Its elements may not change
        until it is prepared again, and nothing may run meanwhile. Does nothing where the product is not emulated.
        """
        if operand not in ("a", "b"):
            raise GemmError(f"the operand is 'a' or 'b', not {operand!r}")
        on = _on(stream, elements)
        at = self._data({operand: elements}, on)[operand]
        _succeeded(self._lib, self._lib.colex_gemm_prepare_operand(self._handle, "ab".index(operand), at, on or None) == 0)
