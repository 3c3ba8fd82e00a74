# Programs that would outlive their judge: they move into a child's group, or leave a process in a session of its own, and then
# hang, die or answer; or the judge is interrupted or killed meanwhile. `conform` ends in time, and no process is left.
#   usage: outlive.py COLEX
# SPDX-License-Identifier: Apache-2.0
import os
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 30  # seconds, for conform to end and for processes to be gone: far more than it takes
PROGRAM = """
import os, signal, sys, time
def hang():
    with open(sys.argv[3], "a") as f:
        f.write(f"{os.getpid()}\\n")
    time.sleep(600)
def child(*moves):
    if os.fork() == 0:
        for move in moves:
            move()
        hang()
def orphan():
    if os.fork() != 0:
        os._exit(0)
for each in signal.SIGTERM, signal.SIGHUP, signal.SIGINT:
    signal.signal(each, signal.SIG_IGN)
ready, told = os.pipe()
group = lambda: (os.setpgid(0, 0), os.write(told, str(os.getpid()).encode()))
if sys.argv[1] == "regroups":
    child(group)
    os.setpgid(0, int(os.read(ready, 20)))
elif sys.argv[1] == "leaves":
    child(os.setsid, orphan)
for line in sys.stdin:
    greeted = line.startswith("hello")
    if not greeted:
        hang() if sys.argv[2] == "hangs" else sys.exit(1) if sys.argv[2] == "dies" else None
    print("colex 1 outlive" if greeted else "unsupported", flush=True)
"""


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def within_limit(happens):
    until = time.monotonic() + LIMIT
    while not (happened := happens()) and time.monotonic() < until:
        time.sleep(0.02)
    return happened


def noted(file):
    with open(file) as f:
        return [int(line) for line in f.read().splitlines()]


def wrong_with(colex, folder, how, then, by):
    """What is wrong with a run that `by` ends, or that ends by itself."""
    program, file = os.path.join(folder, "program.py"), os.path.join(folder, f"{how}.{then}.{by}")
    open(file, "w").close()
    options = ["--law", "size_product", "--count", "2", "--timeout", "1"]
    command = [colex, "conform", *options, "--jobs", "1", "--", sys.executable, program, how, then, file]
    wrong, run = [], subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if by is not None:
        within_limit(lambda: len(noted(file)) > 1)
        run.send_signal(by)
    if not within_limit(lambda: run.poll() is not None):
        wrong.append("conform goes on and on")
        run.kill()
    elif by is not None and run.returncode != -by:
        wrong.append(f"conform ended with {run.returncode}")
    if not noted(file):
        wrong.append("nothing was begun")
    if not within_limit(lambda: not any(map(is_there, noted(file)))):
        wrong.append("processes are left")
        for process in filter(is_there, noted(file)):
            os.kill(process, signal.SIGKILL)
    return wrong


def main(colex):
    asked = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program.py"), "w") as f:
            f.write(PROGRAM)
        runs = [(how, then, None) for how in ("regroups", "leaves") for then in ("hangs", "dies", "answers")]
        runs += [("leaves", "hangs", by) for by in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)]
        for how, then, by in runs:
            wrong = wrong_with(colex, folder, how, then, by)
            asked += 1
            failed += bool(wrong)
            if wrong:
                print(f"FAIL a program that {how} and {then}, the judge ended by {by}: {', '.join(wrong)}")
    print(f"{asked - failed} passed, {failed} failed")
    return failed > 0 or not asked


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
