# The suite on functions and on programs: verdicts, what ends a run, results, single facts, the plugin, the strategies.
# SPDX-License-Identifier: Apache-2.0
import fcntl
import importlib.metadata
import json
import os
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import unittest

import colex_layouts as cx
import pytest

pytest_plugins = ["pytester"]
INSTALLED = any(e.name == "colex" for e in importlib.metadata.entry_points(group="pytest11"))
OPERATIONS = {o.name: getattr(cx, o.name) for o in cx.operations()}
PROGRAM = """
import colex_layouts as cx
cx.adapter({"size": lambda a: a.size(), "coalesce": cx.coalesce, "rank": lambda a: 7}).serve()
"""


def test_the_package_conforms_to_itself():
    run = cx.conform(OPERATIONS, count=20)
    assert run and run.exit_code == 0 and not run.failures and run.verdicts["composition_pointwise"] == "pass", str(run)


def test_a_broken_law_has_its_counterexample():
    run = cx.conform(cx.adapter({"size": lambda a: 7, "coalesce": cx.coalesce}, name="mine"), count=100)
    first = run.failures[0]
    assert not run and (first.law, first.verdict, first.statement) == (
        "size_product",
        "wrong",
        "size(A) == the product of the extents of A",
    )
    assert isinstance(first.counterexample["A"], cx.Layout) and first.left.startswith("7") and "FAIL size_product" in str(first)
    assert run.verdicts["coalesce_function"] == "pass" and "only='size_product A=" in first.again


class Theirs:
    def __init__(self, shape, stride):
        self.shape, self.stride = shape, stride


def test_functions_take_and_give_their_own_values():
    seen = set()

    def coalesce(a, profile=None):
        seen.add(type(a))
        given = (cx.Layout(a),) if profile is None else (cx.Layout(a), profile)
        done = cx.coalesce(*given)
        return Theirs(done.shape, done.stride)

    run = cx.conform(cx.adapter({"coalesce": coalesce}, cx.wire.reader(Theirs)), law="coalesce_[fp]*", count=100)
    assert run and seen == {Theirs}, str(run)


def test_the_wire_reads_every_value_that_is_asked_about():
    value = cx.wire.reader(
        cx.Layout,
        cx.Swizzle,
        lambda swizzle, offset, a: cx.Layout(a, swizzle=swizzle, offset=offset),
        basis=cx.Basis,
        view=lambda offset, a: cx.Layout(a, offset=offset),
    )
    read, parsed = (cx.conform(cx.adapter(OPERATIONS, v, cx.text_of), count=20, seed=3) for v in (value, None))
    assert read and read.verdicts == parsed.verdicts and "unsupported" not in read.verdicts.values(), str(read)


def test_an_adapter_greets_in_one_line_and_answers_as_errors_say():
    def raising(e):
        def f(a):
            raise e

        return f

    errors = dict(size=cx.Undecided("not decided: x"), rank=cx.Unspecified("y"), depth=cx.NotOffered("z"), cosize=ValueError())
    answers = cx.adapter({name: raising(e) for name, e in errors.items()}, name="my own", version="", limits="int=32")
    assert answers("hello") == "colex 1 my_own _ int=32 size rank depth cosize"
    said = [answers(f"{name} 4:1") for name in errors]
    assert said == ["undefined not decided: x", "unspecified y", "unsupported z", "undefined ValueError"]


@pytest.mark.parametrize(
    "raises, verdict",
    [
        (KeyError("x"), "died"),
        (ValueError("no"), "refused"),
        (NotImplementedError(), "unsupported"),
        (cx.NotOffered(), "unsupported"),
    ],
    ids=repr,
)
def test_what_functions_raise(raises, verdict):
    def size(a):
        raise raises

    assert cx.conform({"size": size}, law="size_product", count=100).verdicts["size_product"] in (verdict, "vanished")


@pytest.mark.parametrize(
    "gives", [3.5, "no value at all", float("nan"), "x" * (1 << 21), None, object(), "4\n5"], ids=lambda x: str(x)[:20]
)
def test_what_is_no_answer_fails(gives):
    assert not cx.conform({"size": lambda a: gives, "coalesce": cx.coalesce}, law="size_product", count=50)


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_ends_a_run(end):
    def size(a):
        raise end

    with pytest.raises(end):
        cx.conform({"size": size}, law="size_product")


@pytest.mark.parametrize(
    "wrong",
    [
        dict(level="x"),
        dict(unknown=1),
        dict(law="no_law"),
        dict(since="x"),
        dict(baseline="none"),
        dict(only="size_product A=4"),
        dict(count="x"),
        dict(count=0),
        dict(seed=2**64),
        dict(seed=-1),
        dict(law=3),
        dict(cases="none"),
        dict(time=float("nan")),
        dict(time=0),
        dict(jobs=0),
    ],
    ids=str,
)
def test_wrong_options(wrong):
    with pytest.raises((ValueError, TypeError, OSError)) as raised:
        cx.conform(OPERATIONS, **wrong)
    assert "bad_cast" not in str(raised.value)


def test_either_operations_or_a_command():
    for both in (dict(), dict(operations=OPERATIONS, command=["true"])):
        with pytest.raises(TypeError):
            cx.conform(**both)
    with pytest.raises(cx.NoProgram):
        cx.conform(command=["no-such-program"])
    for no_command in ("true", [], ()):
        with pytest.raises(TypeError, match="list of words"):
            cx.conform(command=no_command)
    for no_operations in ({"size": 3}, {"size of": len}):
        with pytest.raises(TypeError, match="no operation's name and its function"):
            cx.conform(no_operations)


def test_a_run_that_judged_nothing_says_so():
    assert repr(cx.conform({"sise": len}, op="size", count=5)) == "<Run: does not conform: its text says why>"


@pytest.mark.slow
def test_a_program_has_the_verdicts_of_its_functions():
    run = cx.conform(command=[sys.executable, "-c", PROGRAM], count=50)
    inside = cx.conform({"size": lambda a: a.size(), "coalesce": cx.coalesce, "rank": lambda a: 7}, count=50)
    assert run.verdicts == inside.verdicts and run.failures[0].counterexample == inside.failures[0].counterexample


def test_a_run_on_a_program_can_be_interrupted():
    hangs = "import time\nwhile input() == 'hello': print('colex 1 x 1 size', flush=True)\ntime.sleep(60)"
    begin = time.monotonic()
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        cx.conform(command=[sys.executable, "-c", hangs], timeout=60)
    assert time.monotonic() - begin < 20


def test_progress_is_told():
    told = []
    cx.conform(OPERATIONS, op="size", count=10, progress=lambda *line: told.append(line))
    assert told[-1][1] == told[-1][2] == len(told) and told[0][0].startswith("size")

    def stop(*line):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cx.conform(OPERATIONS, op="size", count=10, progress=stop)


# Slow enough for a bar, which waits half a second.
BAR = """
import colex_layouts as cx, time
def coalesce(*asked):
    time.sleep(0.002)
    return cx.coalesce(*asked)
cx.conform({"coalesce": coalesce}, op="coalesce", count=300)
"""


@pytest.mark.slow
def test_a_terminal_shows_a_bar():
    pytest.importorskip("tqdm")
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 25, 80, 0, 0))
    subprocess.run([sys.executable, "-c", BAR], stderr=theirs, check=True, timeout=60)
    os.close(theirs)
    assert "law" in os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert subprocess.run([sys.executable, "-c", BAR], stderr=subprocess.PIPE, check=True, timeout=60).stderr == b""


def test_results_are_written(tmp_path):
    run = cx.conform({"size": lambda a: 7}, op="size", count=20)
    for write in (run.to_html, run.to_junit, run.to_json, run.to_baseline):
        write(tmp_path / write.__name__)
    assert "<html" in (tmp_path / "to_html").read_text() and "<testsuite" in (tmp_path / "to_junit").read_text()
    assert json.loads((tmp_path / "to_json").read_text()) == run.results
    assert cx.conform({"size": lambda a: 7}, op="size", count=20, baseline=tmp_path / "to_baseline")
    assert "srcdoc" in run._repr_html_() and "size_product" in run.text(verbose=True) and repr(run).startswith("<Run: ")


def test_single_facts():
    cx.assert_same_function("(4,8):(1,4)", cx.Layout(32))
    cx.assert_same_function(cx.Layout((4, 8)), "Sw<0,0,0>o0o32:1")
    cx.assert_bijective("(4,8):(8,1)")
    cx.assert_bijective(cx.Swizzle(3, 0, 3) @ cx.Layout("(8,8):(8,1)"))
    cx.assert_bijective(cx.Layout((2**40, 2), (2, 1)))
    cx.check("size_*", {"size": lambda a: a.size()})
    for broken in (
        lambda: cx.assert_same_function("32:1", "(4,8):(8,1)"),
        lambda: cx.assert_same_function("32:1", "31:1"),
        lambda: cx.assert_same_function(cx.Layout((2**40, 2)), cx.Layout((2**40, 2), (1, 2**40 + 1))),
        lambda: cx.assert_bijective("(4,8):(8,2)"),
        lambda: cx.assert_bijective("4:0"),
        lambda: cx.assert_bijective("4:-1"),
        lambda: cx.assert_bijective(cx.Layout((2**40, 2), (1, 2**40 + 1))),
        lambda: cx.check("size_product", {"size": lambda a: 7}),
    ):
        with pytest.raises(AssertionError):
            broken()


# Plain layouts alone: what has a basis stride is not offered, nor is a default.
class Plain(Theirs):
    __hash__, __eq__ = object.__hash__, object.__eq__


def plain(*, complement=cx.complement):
    return cx.adapter(
        {
            "size": lambda a: cx.size(cx.Layout(a)),
            "complement": cx.wire.taking(lambda a, n: complement(cx.Layout(a), n), Plain, int),
        },
        cx.wire.reader(Plain),
    )


def test_a_law_that_holds_in_part_passes_with_a_warning():
    with pytest.warns(cx.JudgedInPart, match="^size_product partly: .* basis strides: none answered: holds on "):
        cx.check("size_product", plain())


def test_what_is_not_offered_is_skipped_and_what_vanished_fails():
    with pytest.raises(unittest.SkipTest, match="complement_broadcast unsupported: filter is not offered"):
        cx.check("complement_broadcast", plain())

    def nothing(a, n):
        raise NotImplementedError

    with pytest.raises(AssertionError, match="^FAIL complement_broadcast  vanished"):
        cx.check("complement_broadcast", plain(complement=nothing))
    with pytest.raises(AssertionError, match="nothing was judged"):
        cx.check("composition_pointwise", plain())


def test_a_run_is_run_again_by_what_it_says():
    first = cx.conform({"size": lambda a: 7}, law="size_product", count=50, timeout="5s", exact=True).failures[0]
    assert first.again.startswith("cx.conform(operations, exact=True, timeout=5, only='size_product A=")
    run = eval(first.again, {"cx": cx, "operations": {"size": lambda a: 7}})
    assert run.failures[0].counterexample == first.counterexample
    asked = eval(run.results["command"], {"cx": cx, "operations": {"size": lambda a: 8}})
    assert asked.results["asked"]["timeout"] == 5 and asked.failures[0].left.startswith("8")
    outside = cx.conform(command=[sys.executable, "-c", PROGRAM], op="rank", count=20)
    assert outside.failures[0].again.startswith("colex conform --only 'rank_")


def test_an_accident_names_what_leaves_it_out():
    forgotten = cx.adapter({"size": lambda a: 1, "composition": lambda a, b: cx.Layout(a.shape, b.stride)})
    died = cx.conform(forgotten, law="composition_integer", count=50).failures[0]
    assert died.verdict == "died" and died.left.startswith(
        "raised AttributeError: 'int' object has no attribute 'stride' (asked"
    )
    assert "`taking`" in died.left
    assert "taking" not in cx.adapter({"size": lambda a: a.nothing})("size 4:1")


def test_durations_are_seconds_or_text():
    for given in (1, 0.5, "1s", "0.01m"):
        assert cx.conform({"size": cx.size}, op="size", time=given)
    with pytest.raises(ValueError, match="such as '30s'"):
        cx.conform({"size": cx.size}, timeout="30 s")


# ---- the plugin ----

MODULE = """
import colex_layouts as cx
good = {"size": lambda a: a.size(), "cosize": lambda a: a.cosize()}
bad = {"size": lambda a: 7, "cosize": lambda a: a.cosize()}
"""


@pytest.fixture
def project(pytester):
    pytester.makepyfile(operations=MODULE)
    pytester.syspathinsert()
    return pytester


def laws_of(result):
    outcomes = result.parseoutcomes()
    return outcomes.get("passed", 0), outcomes.get("failed", 0)


PLUGIN = [] if INSTALLED else ["-p", "colex_layouts.pytest_plugin"]


def run_pytest(project, *words):
    return project.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider", "--colex-count=20", *words)


def test_the_plugin_makes_a_test_of_each_law(project):
    result = run_pytest(project, "--colex", "operations:good", "-k", "size")
    passed, failed = laws_of(result)
    assert passed >= 2 and not failed and result.ret == 0


def test_the_plugin_shows_the_counterexample(project):
    result = run_pytest(project, "--colex", "operations:bad", "-k", "size_product")
    assert laws_of(result) == (0, 1) and result.ret == 1
    result.stdout.fnmatch_lines(["*where  A = *", "*again  pytest --colex operations:bad --colex-count 20 -k size_product"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_the_plugin_tells_what_was_judged_and_skips_what_is_not_offered(project):
    project.makepyfile(
        part="import colex_layouts as cx\nclass Plain:\n    def __init__(self, *of): self.shape, self.stride = of\n"
        "good = cx.adapter({'size': lambda a: cx.size(cx.Layout(a)), 'coalesce': lambda a: cx.coalesce(cx.Layout(a))},"
        " cx.wire.reader(Plain))\n"
    )
    result = run_pytest(project, "--colex", "part:good", "--colex-count=200", "-k", "size_product or coalesce_composed", "-rs")
    assert result.parseoutcomes() == {"passed": 1, "skipped": 1, "deselected": len(cx.laws()) - 1} and result.ret == 0
    result.stdout.fnmatch_lines(
        ["*judged in part*", "size_product partly: *none answered: holds on *", "*unsupported: coalesce *"]
    )


def test_the_plugin_fails_where_nothing_is_judged(project):
    nothing = ("--colex", "operations:good", "-k", "complement_broadcast or coalesce_composed")
    result = run_pytest(project, *nothing)
    assert result.parseoutcomes()["skipped"] == 2 and result.ret == 1
    result.stdout.fnmatch_lines(["*colex: nothing was judged*", "every law was skipped: *"])
    project.makepyfile("def test_one(): pass")
    assert run_pytest(project, *nothing[:3], f"{nothing[3]} or test_one").ret == 1, "what else passes judges no law"
    assert run_pytest(project, *nothing, "--collect-only").ret == 0


# As the command `pytest`, which does not look for modules where it is called.
def test_the_plugin_finds_a_module_beside_it(pytester):
    pytester.makepyfile(
        beside=MODULE, as_pytest="import sys; del sys.path[0]\nimport pytest; sys.exit(pytest.main(sys.argv[1:]))"
    )
    words = [*PLUGIN, "--rootdir", pytester.path, "--colex", "beside:good", "--colex-count=20", "-k", "size_product"]
    for folder in (pytester.path, pytester.mkdir("below")):
        os.chdir(folder)
        assert laws_of(pytester.run(sys.executable, pytester.path / "as_pytest.py", *words)) == (1, 0), folder


def test_the_plugin_takes_a_fixture(project):
    folder = project.mkdir("deep")
    (folder / "conftest.py").write_text(
        "import pytest, operations\n@pytest.fixture(scope='module')\ndef colex_ops(): return operations.bad\n"
    )
    result = run_pytest(project, "-k", "size_product")
    assert laws_of(result) == (0, 1)


@pytest.mark.slow
def test_the_plugin_works_in_several_processes(project):
    pytest.importorskip("xdist")
    alone, shared = (run_pytest(project, "--colex", "operations:bad", "-k", "size", *n) for n in ([], ["-n", "2"]))
    assert laws_of(shared) == laws_of(alone) and shared.ret == alone.ret == 1
    shared.stdout.fnmatch_lines(["*where  A = *"])


@pytest.mark.slow
def test_the_plugin_takes_a_baseline(project):
    cx.conform({"size": lambda a: 7, "cosize": lambda a: a.cosize()}, count=20).to_baseline(project.path / "known")
    result = run_pytest(project, "--colex", "operations:bad", "--colex-baseline", "known", "-k", "size_product")
    assert laws_of(result)[1] == 0


@pytest.mark.slow
def test_the_plugin_refuses_what_is_not_there(project):
    for spec in ("nothing:here", "operations:none", "operations"):
        result = run_pytest(project, "--colex", spec)
        assert result.ret == 4
        if spec.startswith("nothing"):
            result.stderr.fnmatch_lines([f"*No module named 'nothing' in {project.path}, nor elsewhere on sys.path"])


@pytest.mark.slow
def test_the_plugin_is_silent_unless_asked(project):
    project.makepyfile("def test_one(): pass")
    assert laws_of(run_pytest(project)) == (1, 0)
