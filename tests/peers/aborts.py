# For what refuses by ending its process, or may take for ever. Copies answer, line by line; each ending is read from what the
# copy said at that, and costs no start: the next copy is ready.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import signal
import subprocess
import tempfile

from wire import lines


def forked(answer, seconds):
    """Starts copies of this process, which answer as the function does, each question within so much of a processor's time."""

    def start(*ends):
        if child := os.fork():
            return child
        for its, end in enumerate(ends):
            os.dup2(end, its)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # of these pipes, too: it ends where its input does
        for batch in lines():
            for line in batch:
                signal.setitimer(signal.ITIMER_PROF, seconds)  # at its end the copy ends; of 0 s there is none
                print(answer(line), flush=True)
        os._exit(0)

    return start


def run(command):
    """Starts a program that reads lines and answers each."""
    return lambda *_: lambda *ends: subprocess.Popen(command, stdin=ends[0], stdout=ends[1], stderr=ends[2]).pid


class copy:
    def __init__(self, start):
        asked, asks = os.pipe()
        answers, answered = os.pipe()
        self.complaint = tempfile.TemporaryFile("w+")
        self.id = start(asked, answered, self.complaint.fileno())
        os.close(asked)
        os.close(answered)
        self.asks, self.answers = open(asks, "w"), open(answers)

    def answer(self, line):
        self.asks.write(line + "\n")
        self.asks.flush()
        return self.answers.readline()

    def ending(self):
        """Its exit status, and what it complained of."""
        said = self.answers.read()
        status = os.waitstatus_to_exitcode(os.waitpid(self.id, 0)[1])
        self.complaint.seek(0)
        return status, said + self.complaint.read()


def died(status, complaint, seconds):
    if status == -signal.SIGPROF:
        return f"unsupported not decided: it takes a processor longer than {seconds} s"
    how = f"exited with status {status}"
    if status < 0:
        how = f"killed by signal {-status} ({signal.strsignal(-status)})"
    return "; it said: ".join([f"died {how}", *complaint.splitlines()[-1:]])


def reading(refusal="(?!)", copies=forked, seconds=0):
    """A `say` for wire.serve: an ending is `undefined` where the pattern of a refusal is in what the copy complained of. Where
    there is a limit of seconds, what takes longer is not decided."""
    ready = []

    def say(answer, batch):
        for line in batch:
            while len(ready) < 2:
                ready.append(copy(copies(answer, seconds)))
            said = ready[0].answer(line)
            if not said.endswith("\n") or re.match(refusal, said):
                status, complaint = ready.pop(0).ending()
                refused = re.search(refusal, said + complaint)
                said = f"undefined {refused[0]}\n" if refused else died(status, complaint, seconds) + "\n"
            print(said, end="", flush=True)

    return say
