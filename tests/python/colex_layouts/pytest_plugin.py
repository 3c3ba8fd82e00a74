"""A test for each law: `pytest --colex MODULE:NAME`, or a fixture `colex_ops` in a conftest.py. What is judged are functions by
the operation's name, or an `Adapter`. SPDX-License-Identifier: Apache-2.0"""

from __future__ import annotations

import importlib
import os
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import colex_layouts as cx


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("colex", "the laws of CuTe's layout algebra")
    group.addoption("--colex", metavar="MODULE:NAME", help="judge these operations: a test for each law")
    group.addoption("--colex-level", choices=["core", "full", "atoms"], default="full", help="of the laws (default full)")
    group.addoption("--colex-count", type=int, default=200, metavar="N", help="inputs of each law (default 200)")
    group.addoption("--colex-seed", type=int, default=1, metavar="N", help="of the inputs (default 1)")
    group.addoption("--colex-baseline", metavar="FILE", help="what failed before: it may fail, as far as it did")


def named(spec: str) -> Any:
    """What MODULE:NAME is."""
    module, _, name = spec.partition(":")
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as e:
        raise pytest.UsageError(f"--colex {spec}: {e}") from None
    return found


class Law(pytest.Function):
    """One law, judged."""

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, None, f"law {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if excinfo.errisinstance(AssertionError) else super().repr_failure(excinfo)


class Laws(pytest.Module):
    """Every law of the level, and the worked examples."""

    operations: Any = None  # that are judged; None: those of the fixture

    def collect(self) -> Iterator[pytest.Item]:
        level = self.config.getoption("--colex-level")
        names = {o.name for o in cx.operations() if level == "full" or o.level == level}
        for law in [*(law.name for law in cx.laws() if law.operation in names), "cases"]:
            yield Law.from_parent(self, name=law, callobj=self.judging(law))

    def judging(self, law: str) -> Callable[..., None]:
        if self.operations is not None:
            return lambda: judge(law, self.operations, self.config)
        return lambda colex_ops: judge(law, colex_ops, self.config)

    def _getobj(self) -> Any:
        return sys.modules[__name__]


def judge(law: str, operations: Any, config: pytest.Config) -> None:
    """Judges one law, fails with its counterexample, skips where there was nothing to judge."""
    options = {name: config.getoption(f"--colex-{name}") for name in ("level", "count", "seed", "baseline")}
    run = cx.conform(operations, law="*_form" if law == "cases" else law, progress=False, **options)
    if run.failures:
        raise AssertionError("\n".join(map(str, run.failures)))
    verdicts = set(run.verdicts.values())
    if not verdicts & {"pass", "form", "partly", "undefined"}:
        pytest.skip(", ".join(sorted(verdicts)))
    if not run:
        raise AssertionError(run.text())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    if spec := config.getoption("--colex"):
        laws = Laws.from_parent(session, path=config.rootpath / "colex", name="colex", nodeid="colex")
        laws.operations = named(spec)
        items.extend(laws.collect())


def pytest_collect_file(file_path: pathlib.Path, parent: pytest.Collector) -> Laws | None:
    """Of a folder whose conftest.py has a fixture `colex_ops`."""
    conftest = parent.config.pluginmanager.get_plugin(str(file_path))
    if hasattr(conftest, "colex_ops") and not parent.config.getoption("--colex"):
        return Laws.from_parent(parent, path=file_path)
    return None
