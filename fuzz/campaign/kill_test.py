#!/usr/bin/env python3
# Kills a campaign that finds things (-9, fuzzers and all, at any moment), again and again, and looks what is left: every
# corpus entry whole and there for good, every find that was said in the file of finds, none of them said twice.
#   kill_test.py BUILD      where defects_laws is
# SPDX-License-Identifier: Apache-2.0
import collections
import hashlib
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS, JOBS = 6, 2
sys.path[:0] = [str(ROOT / "tests/mutation")]  # beside the folder of this file
from campaign import lines_of  # noqa: E402
from planted_defects import read_list  # noqa: E402

# It breaks many laws, one after the other.
NAMES = [name for name, _ in read_list(ROOT / "tests/mutation/planted_defects.txt")]
DEFECT = 1 + next(k for k, name in enumerate(NAMES) if name.startswith("coalesce: corrupts"))


def whole(corpus):
    """The entries that are what their name says (SHA-1), and how many files are not."""
    files = list(corpus.glob("*"))
    good = {f.name for f in files if hashlib.sha1(f.read_bytes()).hexdigest() == f.name}
    return good, len(files) - len(good)


def run_and_kill(build, folder, seconds):
    """A campaign in a session of its own; its end takes all of that."""
    options = ["--target", "laws", "--jobs", str(JOBS), "--time", "60"]
    command = [sys.executable, ROOT / "fuzz/campaign/campaign.py", "--folder", folder, "--build", build, *options]
    campaign = subprocess.Popen(
        command,
        env=os.environ | {"COLEX_MUTANT": str(DEFECT)},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(seconds)
    os.killpg(campaign.pid, signal.SIGKILL)
    campaign.wait()
    time.sleep(0.2)


def complaints(folder, before, after):
    said = re.findall(r"^FIND (\w+)", (folder / "laws.log").read_text() if (folder / "laws.log").exists() else "", re.M)
    kept = collections.Counter(find["law"] for find in lines_of(folder / "finds.jsonl"))
    entries, broken = after
    yield from (f"the corpus entry {name} is lost" for name in before - entries)
    yield from (f"the find {law} was said and is lost" for law in set(said) - set(kept))
    yield from (f"the find {law} is there {n} times" for law, n in kept.items() if n > JOBS)
    if broken > JOBS * ROUNDS:
        yield f"{broken} entries are not whole"


def main(build):
    bad, before = [], set()
    with tempfile.TemporaryDirectory() as scratch:
        folder, programs = pathlib.Path(scratch) / "campaign", pathlib.Path(scratch) / "build"
        programs.mkdir()
        (programs / "fuzz_laws").symlink_to(build / "defects_laws")
        for _ in range(ROUNDS):
            run_and_kill(programs, folder, random.uniform(1, 6))
            after = whole(folder / "corpus" / "laws")
            bad += complaints(folder, before, after)
            before = after[0]
        finds = len({find["law"] for find in lines_of(folder / "finds.jsonl")})
    print("\n".join(bad + [f"killed {ROUNDS} times: {len(before)} corpus entries, {finds} finds, {len(bad)} lost"]))
    return bool(bad) or not before or not finds


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
