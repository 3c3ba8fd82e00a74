# Strategies for Hypothesis. SPDX-License-Identifier: Apache-2.0
import random

import colex_layouts as cx
import pytest
from colex_layouts import _colex

hypothesis = pytest.importorskip("hypothesis")
few = hypothesis.settings(
    max_examples=30, derandomize=True, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck)
)


@few
@hypothesis.given(cx.strategies.layouts())
def test_layouts(a):
    assert cx.strategies.is_plain(a) and 1 <= a.size() <= 512


@pytest.mark.parametrize(
    "fails, smallest",
    [
        (lambda a: a.size() >= 100, "100:1"),
        (lambda a: a.cosize() > 50, "51:1"),
        (lambda a: len({a(i) for i in range(a.size())}) < a.size(), "2:0"),
        (lambda a: a.right_inverse().size() < a.size(), "2:2"),
        (lambda a: a.depth() > 1, "(1,(1,1)):(1,(1,1))"),
    ],
)
def test_layouts_shrink_to_few_modes(fails, smallest):
    many = hypothesis.settings(few, max_examples=300)
    found = hypothesis.find(cx.strategies.layouts(), fails, settings=many, random=random.Random(1))
    assert str(found) == smallest


def test_layouts_are_of_all_kinds():
    seen = set()

    @hypothesis.settings(few, max_examples=300)
    @hypothesis.given(cx.strategies.layouts())
    def look(a):
        strides = a.flatten().stride if a.rank() > 1 or a.depth() else (a.stride,)
        values = {a(i) for i in range(a.size())}
        seen.update({f"rank {a.rank()}", f"depth {a.depth()}", "zero" if 0 in strides else "no zero"})
        seen.add("overlaps" if len(values) < a.size() else "gaps" if a.cosize() > a.size() else "compact")
        seen.add("ordered" if list(strides) == sorted(strides) else "another order")

    look()
    wanted = "rank 1,rank 2,rank 4,depth 0,depth 1,depth 2,zero,overlaps,gaps,compact,ordered,another order"
    assert seen >= set(wanted.split(",")), seen


def test_failures_show_values():
    @few
    @hypothesis.given(cx.strategies.admissible("composition"), cx.strategies.arguments_of("composition_pointwise"))
    def fails(arguments, drawn):
        raise AssertionError

    with pytest.raises(AssertionError) as raised:
        fails()
    shown = "\n".join(raised.value.__notes__) if hasattr(raised.value, "__notes__") else "Layout('"
    assert "Layout('" in shown and "_colex" not in shown and "lambda" not in shown


@pytest.mark.parametrize("operation", ["composition", "complement", "logical_divide", "partition_C"])
def test_arguments_are_admissible(operation):
    @hypothesis.settings(few, max_examples=5)
    @hypothesis.given(cx.strategies.admissible(operation))
    def answered(arguments):
        getattr(cx, operation)(*arguments)

    answered()


def test_every_operation_with_laws_has_simple_arguments():
    for operation in {law.operation for law in cx.laws()}:
        assert any(_colex._admissible(operation, [k]) for k in range(20)), operation


@few
@hypothesis.given(cx.strategies.arguments_of("composition_pointwise"))
def test_arguments_of_a_law(drawn):
    assert list(drawn)[:2] == ["A", "B"]


def test_they_shrink():
    more = hypothesis.settings(few, max_examples=100)
    found = hypothesis.find(cx.strategies.admissible("complement"), lambda ab: cx.size(ab[0]) > 10, settings=more)
    assert cx.size(found[0]) <= 16 and len(str(found[0])) < 16
    plain = cx.strategies.admissible("composition").filter(lambda ab: all(map(cx.strategies.is_plain, ab)))
    assert hypothesis.find(plain, lambda ab: (ab[0] @ ab[1]).size() >= 1, settings=few) == (cx.Layout(2), cx.Layout(2))


def test_names_that_there_are_not():
    for strategy in (cx.strategies.arguments_of, cx.strategies.admissible):
        with pytest.raises(cx.Malformed):
            strategy("nothing")
