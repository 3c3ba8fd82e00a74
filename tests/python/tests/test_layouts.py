# Layouts, swizzles and basis strides as Python's objects, the operations of the table, errors as exceptions.
# SPDX-License-Identifier: Apache-2.0
import copy
import doctest
import pickle
import random
import re
import threading

import colex_layouts as cx
import pytest

A, B = cx.Layout((6, 2), (8, 2)), cx.Layout("(4,3):(3,1)")
SWIZZLED = cx.Layout((8, 8), (8, 1), cx.Swizzle(3, 0, 3))
VALUES = [
    A,
    SWIZZLED,
    cx.Layout("8:1", offset=3),
    cx.Layout((4, 8), (cx.Basis("1@0"), cx.Basis(1, 1))),
    cx.Layout((10**5000, 3), (-(10**40), 10**4999)),
    cx.Swizzle(3, 4, -3),
    cx.Basis("2@1@0"),
    cx.Atom("SM80_16x8x16_F32F16F16F32_TN"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_values_are_equal_by_value_however_they_were_copied(value):
    for other in (copy.deepcopy(value), *(pickle.loads(pickle.dumps(value, p)) for p in range(2, 6))):
        assert other == value and hash(other) == hash(value) and not other != value
    assert value not in (None, 4, str(value)) and len({value, copy.copy(value)}) == 1
    if not isinstance(value, cx.Atom) and len(str(value)) < 1000:
        assert eval(repr(value), vars(cx)) == value


@pytest.mark.parametrize("name", ["shape", "stride", "offset", "new"])
def test_layouts_are_immutable(name):
    with pytest.raises(AttributeError):
        setattr(A, name, 1)


class Foreign:
    def __init__(self, **members):
        self.__dict__.update(members)


@pytest.mark.parametrize(
    "given, text",
    [
        (((4, 8),), "(4,8):(1,4)"),
        (((4, 8), "LayoutRight"), "(4,8):(8,1)"),
        ((4, 2), "4:2"),
        (([4, [2, 2]], [2, [1, 8]]), "(4,(2,2)):(2,(1,8))"),
        (("(_4,_8):(_8,_1)",), "(4,8):(8,1)"),
        (("Layout((4, 8), (8, 1))",), "(4,8):(8,1)"),
        (("Sw<3,4,3> o 0 o (8,8):(8,1)",), "Sw<3,4,3>o0o(8,8):(8,1)"),
        (("coalesce((2, (1, 6)):(1, (6, 2)))",), "12:1"),
        ((Foreign(shape=(4, Foreign(shape=1, stride=1)), stride=(1, 4)),), None),
        ((Foreign(shape=(4, 2), stride=lambda: (2, 1)),), "(4,2):(2,1)"),
        ((Foreign(outer=Foreign(bits=3, base=4, shift=3), offset=0, inner=B),), "Sw<3,4,3>o0o(4,3):(3,1)"),
        ((Foreign(outer=None, offset=7, inner=B),), "7o(4,3):(3,1)"),
    ],
    ids=str,
)
def test_a_layout_is_made_of_whatever_says_one(given, text):
    if text is None:
        with pytest.raises(cx.Malformed):
            cx.Layout(*given)
    else:
        assert str(cx.Layout(*given)) == text


@pytest.mark.parametrize("raises", [KeyboardInterrupt, ValueError, MemoryError])
def test_what_a_foreign_layout_raises_is_raised(raises):
    class Raising:
        @property
        def shape(self):
            raise raises

        stride = 1

    with pytest.raises(raises) as raised:
        cx.Layout(Raising())
    assert type(raised.value) is raises


def test_numpy_integers_are_integers():
    numpy = pytest.importorskip("numpy")
    assert cx.Layout((numpy.int64(4), numpy.uint8(8)), tuple(numpy.array([8, 1]))) == cx.Layout("(4,8):(8,1)")
    assert A(numpy.int32(9)) == A(9)


def nested(depth):
    t = 4
    for _ in range(depth):
        t = (t,)
    return t


class Endless:
    @property
    def shape(self):
        return Endless()

    stride = shape


endless = []
endless.append(endless)


@pytest.mark.parametrize(
    "bad",
    [
        nested(100_000),
        endless,
        Endless(),
        float("nan"),
        3.0,
        "x" * 10**7,
        "(" * 10**6,
        "(6,2:(1,7)",
        "9" * 5000,
        "010:1",
        "a = 4:1",
        [1] * 600_000,
        0,
        (4, -1),
        (4, None),
        b"4:1",
        {4: 1},
        object(),
        "\0",
        "\ud800",
        True,
    ],
    ids=lambda b: type(b).__name__,
)
def test_bad_input_is_an_exception(bad):
    with pytest.raises((cx.Error, UnicodeError)):
        cx.Layout(bad)
    with pytest.raises((cx.Error, UnicodeError)):
        cx.composition(A, cx.Layout("4:1"), bad)


@pytest.mark.parametrize("shape, stride", [((4, 2), 1), ((4, (2, 2)), (1, 2)), (4, "1b"), ((4,), (1, 2)), (B, 1), (4, (1,))])
def test_shape_and_stride_must_fit(shape, stride):
    with pytest.raises(cx.Malformed):
        cx.Layout(shape, stride)


def test_depth_is_the_parsers():
    assert cx.Layout(nested(256)).size() == 4
    with pytest.raises(cx.Malformed, match="nested deeper than 256"):
        cx.Layout(nested(257))


@pytest.mark.parametrize(
    "error, parent, call",
    [
        (cx.Undefined, ArithmeticError, lambda: cx.composition("(6,2):(1,7)", "(3,2):(2,3)")),
        (cx.Unspecified, ArithmeticError, lambda: A(-1)),
        (cx.Undecided, ArithmeticError, lambda: cx.composition("(2000,2000,2):(1,1000,7)", "(1000000,7):(3,1)")),
        (cx.Malformed, ValueError, lambda: A.composition()),
        (cx.Malformed, ValueError, lambda: cx.ask("compositoin 4:1 2:1")),
        (cx.NotDrawn, ValueError, lambda: cx.draw(cx.Layout(10**9))),
        (IndexError, LookupError, lambda: A[2]),
        (IndexError, LookupError, lambda: A[-3]),
        (cx.NotOffered, NotImplementedError, lambda: cx.Layout((10**4000, 10**4000)).size()),
        (cx.NotOffered, NotImplementedError, lambda: cx.Layout(10**5000)),
        (cx.Malformed, ValueError, lambda: cx.Layout("hello")),
        (cx.Malformed, ValueError, lambda: cx.Basis(1, 10**30)),
        (cx.Malformed, ValueError, lambda: cx.Basis(1, -1)),
        (cx.Malformed, ValueError, lambda: cx.select(A, *[0] * 300_000, "x")),
        (TypeError, TypeError, lambda: cx.Layout()),
        (AttributeError, AttributeError, lambda: cx.mma_atom("SM80_16x8x16_F32F16F16F32_TN").Layout),
    ],
)
def test_errors_are_exceptions(error, parent, call):
    with pytest.raises(parent) as raised:
        call()
    assert type(raised.value) is error and str(raised.value)


def test_malformed_text_has_its_place_and_names_that_may_be_meant():
    with pytest.raises(cx.Malformed) as raised:
        cx.Layout("(6,2:(1,7)")
    assert str(raised.value) == "column 1: '(' is never closed\n  (6,2:(1,7)\n  ^"
    with pytest.raises(cx.Malformed, match="did you mean composition"):
        cx.ask("compositoin 4:1 2:1")


@pytest.mark.parametrize("row", cx.operations(), ids=lambda o: o.name)
def test_every_operation_of_the_table_is_a_function(row):
    operation, *arguments = row.example["request"].split(" ")
    answer = getattr(cx, operation)(*arguments)
    assert (
        cx.text_of(answer) == row.example["answer"].replace("<", "(").replace(">", ")")
        or cx.text_of(answer) == row.example["answer"]
    )
    first = row.arguments.split(":")[1].split(" ")[0]
    if first in ("layout", "tensor") and operation != "bank_conflicts":
        assert getattr(cx.Layout(arguments[0]), operation)(*arguments[1:]) == answer


def spelled(x):
    return "<" + ",".join(map(spelled, x)) + ">" if isinstance(x, tuple) else "_" if x is None else cx.text_of(x)


@pytest.mark.parametrize("operation", ["composition", "zipped_divide", "tiled_product", "raked_product"])
def test_a_quick_answer_is_the_references(operation):
    rng, asked = random.Random(operation), 0
    for _ in range(200):
        arguments = cx._colex._admissible(operation, [rng.randrange(5040) for _ in range(48)])
        if arguments:
            asked += 1
            assert getattr(cx, operation)(*arguments) == cx.ask(" ".join([operation, *map(spelled, arguments)])), arguments
    assert asked > 100


@pytest.mark.parametrize(
    "request_line",
    [
        f"composition (2,{2**70}):(1,2) (2,{2**32},2):(1,{2**33},{2**65})",  # beyond 64 bits
        f"composition 32:1 ({','.join(['2'] * 40)}):({','.join(['0'] * 40)})",  # more than 32 leaves
        "composition 64:1 (2,(2,(2,(2,(2,(2,(2,(2,(2,2))))))))):(1,(2,(4,(8,(1,(2,(4,(8,(1,2)))))))))",
        f"blocked_product 4:{2**62} (4,4):(1,4)",
        "composition (6,2):(1,7) (3,2):(2,3)",
        "composition (2000,2000,2):(1,1000,7) (1000000,7):(3,1)",
        "composition 4:1 2:-1",
        "logical_divide 4:1 0",
        "logical_divide 4:1 Sw<1,0,1>",
        "composition 4:1",
    ],
)
def test_what_has_no_quick_answer_is_the_references(request_line):
    def said(call, *arguments):
        try:
            return call(*arguments)
        except cx.Error as e:
            return type(e), re.sub(r"^column \d+: ", "", str(e)).split("\n")[0]

    operation, *arguments = request_line.split(" ")
    assert said(getattr(cx, operation), *arguments) == said(cx.ask, request_line)


def test_operators():
    assert A @ B == cx.composition(A, B) == cx.ask(f"composition {A} {B}") == "(6,2):(8,2)" @ B
    assert [A(i) for i in range(12)] == [A((i % 6, i // 6)) for i in range(12)] == [A(i % 6, i // 6) for i in range(12)]
    assert list(A) == [A[0], A[1]] == [A[-2], A[-1]] and len(A) == A.rank() == 2
    assert cx.Swizzle(3, 0, 3) @ cx.Layout("(8,8):(8,1)") == SWIZZLED and cx.Swizzle(3, 0, 3)(8) == 9
    assert (SWIZZLED.swizzle, SWIZZLED.offset, SWIZZLED.shape) == (cx.Swizzle("Sw<3,0,3>"), 0, (8, 8)) and A.offset is None
    assert cx.make_identity_layout((4, 8))(5) == (1, 1) and cx.make_identity_layout((4, 8)).stride[1] == cx.Basis(1, 1)
    assert A(10**30) == 2 * (10**30 // 6) + 8 * (10**30 % 6)


def test_a_tuple_is_a_tiler_where_one_belongs():
    a = cx.Layout("(4,8):(8,1)")
    assert a.logical_divide((2, 4)) == cx.ask(f"logical_divide {a} <2,4>") == a.logical_divide((cx.Layout(2, 1), "4:1"))
    assert a.composition((2, None)) == cx.ask(f"composition {a} <2,_>")


def test_threads_may_call_at_once():
    wrong = []

    def work():
        for i in range(200):
            if str(A @ B) != "((2,2),3):((24,2),8)" or A(i) != A.apply(i) or len(cx.draw(B).svg) < 100:
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_what_the_documentation_shows():
    from colex_layouts import _colex, see, suite

    for module in (cx, _colex, see, suite):
        finder = doctest.DocTestFinder(exclude_empty=True)
        runner = doctest.DocTestRunner()
        for name, what in list(vars(module).items()):
            if not name.startswith("__") and getattr(what, "__module__", "").startswith("colex_layouts"):
                for test in finder.find(what, name, globs=dict(vars(cx))):
                    runner.run(test)
        assert runner.failures == 0 and (runner.tries > 5 or module is cx)
    assert doctest.testmod(cx).failed == 0


def test_what_is_left_open_is_a_slice():
    a = cx.Layout("(4,(2,2)):(2,(1,8))")
    assert a(2, None) == a[2, :] == cx.slice((2, None), a) and a[:, (None, 1)] == a(None, (None, 1)) and a[:] == a[None] == a
    assert a[1] == a[-1] == cx.get(a, 1) and a(1, 1) == 3
    for no_slice in ((1, 2), "x", 1.5, (slice(0, 2), 1), (slice(None), "x")):
        with pytest.raises(TypeError, match=r"slices, L\[:, 2\]"):
            a[no_slice]
    with pytest.raises(cx.Malformed, match=r"the other order: slice\(c, A\)$"):
        cx.slice(a, (2, None))
    with pytest.raises(cx.Malformed, match="[^)]$"):
        cx.composition(2, 3)
