# Strategies for Hypothesis. SPDX-License-Identifier: Apache-2.0
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
    assert isinstance(a, cx.Layout) and a.size() >= 1


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
    found = hypothesis.find(cx.strategies.admissible("complement"), lambda ab: cx.size(ab[0]) > 10, settings=few)
    assert cx.size(found[0]) <= 16 and len(str(found[0])) < 16


def test_names_that_there_are_not():
    for strategy in (cx.strategies.arguments_of, cx.strategies.admissible):
        with pytest.raises(cx.Malformed):
            strategy("nothing")
