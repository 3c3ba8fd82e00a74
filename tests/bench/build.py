# What a fresh checkout costs, from nothing to the first verdict and to all tests, packages being there: seconds of processors,
# which other work on the machine moves little, and seconds of waiting.
#   build.py [JOB...]      of `./run`; all that are listed below when none is named
# SPDX-License-Identifier: Apache-2.0
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scripts"))
from house import sources  # noqa: E402

# Processor seconds of version 0.1.0 on two cores of the machine that 0.2.0 was made on: without a CUDA compiler, and with one.
BEFORE = {"conform": (399, 399), "test": (660, 1620)}


def fresh_copy(at):
    for path in sources(ROOT):
        (at / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, at / path, follow_symlinks=False)


def cost(job):
    """Processor seconds and seconds of waiting of `./run JOB` in a fresh copy; whether it succeeded."""
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder) / "colex"
        fresh_copy(at)
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(["./run", job], cwd=at, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            print(done.stdout[-2000:] + done.stderr[-2000:], file=sys.stderr)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return spent, time.monotonic() - begin, done.returncode == 0


if __name__ == "__main__":
    cuda, failed = shutil.which("nvcc") is not None, False
    for each in sys.argv[1:] or BEFORE:
        spent, waited, good = cost(each)
        was = BEFORE.get(each, (0, 0))[cuda]
        beside = f", {was} s before ({spent / was:.2f})" if was else ""
        print(
            f"{each:8} {spent:6.0f} s of processors{beside}, {waited:.0f} s of waiting{'' if good else ': it FAILED'}",
            flush=True,
        )
        failed |= not good
    sys.exit(failed)
