# For what refuses by ending its process: each refusal is read from what it says at that, and costs no new import.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import sys
import tempfile


def forked(answer, batch):
    """What a copy of this process answers, its exit status, and what it complains of."""
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as complaint:
        if not (child := os.fork()):
            os.dup2(said.fileno(), 1)
            os.dup2(complaint.fileno(), 2)
            for line in batch:
                print(answer(line), flush=True)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        complaint.seek(0)
        return said.read(), status, complaint.read()


def reading(refusal, run=forked):
    """A `say` for wire.serve: what `run` ends with is `undefined` where the pattern of a refusal is in its complaint."""

    def say(answer, batch):
        while batch:
            said, status, complaint = run(answer, batch)
            answers = said.splitlines()
            if refused := status and re.search(refusal, complaint):
                answers.append(f"undefined {refused[0]}")
            print("".join(a + "\n" for a in answers), end="", flush=True)
            if status and not refused:
                sys.stderr.write(complaint)
                sys.exit(status) if status > 0 else os.kill(os.getpid(), -status)
            batch = batch[len(answers) :]

    return say
