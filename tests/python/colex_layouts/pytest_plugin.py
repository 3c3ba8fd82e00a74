"""A test for each law: `pytest --colex MODULE:NAME`, or a fixture `colex_ops` in a conftest.py. What is judged are functions by
the operation's name, or an `Adapter`. SPDX-License-Identifier: Apache-2.0"""

from __future__ import annotations

import importlib
import os
import pathlib
import shlex
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


def named(spec: str, config: pytest.Config) -> Any:
    """What MODULE:NAME is, of a module that may stand where pytest was called, or in its root folder."""
    module, _, name = spec.partition(":")
    folders = list(dict.fromkeys(map(str, (config.invocation_params.dir, config.rootpath))))
    sys.path[:0] = [folder for folder in folders if folder not in sys.path]
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as e:
        missing = isinstance(e, ModuleNotFoundError) and f"{module}.".startswith(f"{e.name}.")
        searched = f" in {', '.join(folders)}, nor elsewhere on sys.path" if missing else ""
        raise pytest.UsageError(f"--colex {spec}: {e}{searched}") from None
    return found


def again(law: str, config: pytest.Config) -> str:
    """The command that judges the law again, of the same inputs."""
    words = ["pytest", *(["--colex", spec] if (spec := config.getoption("--colex")) else [])]
    for name, usual in (("level", "full"), ("count", 200), ("seed", 1), ("baseline", None)):
        if (given := config.getoption(f"--colex-{name}")) != usual:
            words += [f"--colex-{name}", str(given)]
    return shlex.join([*words, "-k", law])


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
            item = Law.from_parent(self, name=law, callobj=self.judging(law))
            item.keywords[is_law] = True
            yield item

    def judging(self, law: str) -> Callable[..., None]:
        if self.operations is not None:
            return lambda request: judge(law, self.operations, request)
        return lambda request, colex_ops: judge(law, colex_ops, request)

    def _getobj(self) -> Any:
        return sys.modules[__name__]


def judge(law: str, operations: Any, request: pytest.FixtureRequest) -> None:
    """Judges one law, fails with its counterexample, skips where there was nothing to judge."""
    config = request.config
    options = {name: config.getoption(f"--colex-{name}") for name in ("level", "count", "seed", "baseline")}
    options = {name: given for name, given in options.items() if given is not None}
    laws = "*_form" if law == "cases" else law
    run = cx.conform(operations, law=laws, progress=False, again=again(law, config), **options)
    request.node.user_properties += [(told, f"{name} {judged}") for name, judged in run.in_part.items()]
    if run.failures:
        raise AssertionError("\n".join(map(str, run.failures)))
    if run.verdicts.keys() == run.not_judged.keys():
        pytest.skip("; ".join(sorted(set(run.not_judged.values()))))
    if not run:
        raise AssertionError(run.text())


is_law = "colex law"  # a keyword of tests, which reports have, too, and xdist hands on


class Outcomes:
    """Of all laws. A run that judges none fails, as one of `colex conform` does."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if is_law in report.keywords and (report.when == "call" or not report.passed):
            self.seen.add(report.outcome)

    @property
    def none_judged(self) -> bool:
        return self.seen == {"skipped"}

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        here = not hasattr(session.config, "workerinput")  # xdist's workers see a part
        if here and self.none_judged and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.none_judged:
            terminalreporter.section("colex: nothing was judged")
            terminalreporter.write("every law was skipped: -rs tells why; a run that judges nothing fails\n")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Outcomes(), "colex_outcomes")


told = "colex_judged_in_part"  # a property of tests, which xdist hands on, and JUnit reports


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Of laws that pass in part, what was judged."""
    passed = terminalreporter.stats.get("passed", [])
    lines = [line for report in passed for name, line in report.user_properties if name == told]
    if lines:
        terminalreporter.section("colex: judged in part")
        terminalreporter.write("".join(f"{line}\n" for line in lines))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    if spec := config.getoption("--colex"):
        laws = Laws.from_parent(session, path=config.rootpath / "colex", name="colex", nodeid="colex")
        laws.operations = named(spec, config)
        items.extend(laws.collect())


def pytest_collect_file(file_path: pathlib.Path, parent: pytest.Collector) -> Laws | None:
    """Of a folder whose conftest.py has a fixture `colex_ops`."""
    conftest = parent.config.pluginmanager.get_plugin(str(file_path))
    if hasattr(conftest, "colex_ops") and not parent.config.getoption("--colex"):
        return Laws.from_parent(parent, path=file_path)
    return None
