#!/usr/bin/env python3
# A fuzzing campaign: runs the targets, shows how they do, keeps corpus and finds, and says in the end what was found. A
# folder holds all of it; a campaign in the same folder goes on where the last one ended, however that was.
# SPDX-License-Identifier: Apache-2.0
import argparse
import ctypes
import fnmatch
import html
import json
import os
import pathlib
import re
import secrets
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ["laws", "requests", "notation", "wire", "plans", "reports"]
PULSE = re.compile(r"#(\d+)\s.*?cov: (\d+).*?corp: (\d+).*?exec/s: (\d+).*?rss: (\d+)Mb")
# Most of what a law costs is memory, small and short-lived. A find's stacks of allocations are shown when it is run
# again.
ASAN = ["malloc_context_size=0", "quarantine_size_mb=1", "thread_local_quarantine_size_kb=64", "max_malloc_fill_size=0"]
MEMORY = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=1000", "ASAN_OPTIONS": ":".join(ASAN)}
SLICE = 600  # seconds that a target has before the next one's turn, where there are more targets than jobs


def seconds(text):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text, re.ASCII)
    n = match and float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]
    if not match or not 0 < n <= 365 * 24 * 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration such as 30s, 5m or 1h, more than 0, at most a year")
    return n


def processor_seconds(pid):
    """What a process has had so far, and its threads; 0 when it has ended."""
    try:
        user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def write_whole(path, text):
    """All of it or nothing, whenever this process may be killed."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
    try:
        with part.open("x") as out:  # a name that nobody knows, and no link that is there
            out.write(text)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def lines_of(path):
    """The objects of a file with one each line; a line that was not finished holds none."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


class Run:
    """One process of one target, from start to end."""

    def __init__(self, campaign, target, number, limit):
        self.campaign, self.target, self.limit = campaign, target, limit
        self.executions = self.speed = self.edges = self.corpus = self.memory = self.busy = 0
        self.memories = {}  # by minute
        self.summary, self.begin, self.end = "", time.time(), None
        self.classes = campaign.folder / "reached" / f"{target}.{int(self.begin)}.{number}.json"
        # When the campaign is killed, its fuzzers are told; when they are killed, all that they found is in the folder.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *self.command()],
            env=os.environ | self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def environment(self):
        peer = {"COLEX_PEER": self.campaign.peer} if self.campaign.peer else {}
        kept = {"COLEX_FINDS": str(self.campaign.finds), "COLEX_CLASSES": str(self.classes)}
        return peer | kept | {"UBSAN_OPTIONS": "print_stacktrace=1"} | MEMORY

    def command(self):
        folder = self.campaign.folder
        corpus, crashes = folder / "corpus" / self.target, folder / "crashes" / self.target
        for each in (corpus, crashes):
            each.mkdir(parents=True, exist_ok=True)
        options = [
            f"-max_total_time={self.limit}",
            "-timeout=60",
            "-rss_limit_mb=4096",
            "-entropic=0",
            "-reload=1",
            "-max_len=512",
            f"-artifact_prefix={crashes}/",
            "-print_final_stats=1",
        ]
        if self.target == "notation":
            options += [f"-dict={folder}/seeds/notation.dict", "-max_len=2048"]
        binary, seeds = self.campaign.build / f"fuzz_{self.target}", folder / "seeds" / self.target
        return [str(binary), *options, str(corpus), str(seeds)]

    def read(self):
        log = (self.campaign.folder / f"{self.target}.log").open("a")
        for line in self.process.stdout:
            if match := PULSE.search(line):
                self.executions, self.edges, self.corpus, self.speed, self.memory = map(int, match.groups())
                continue
            log.write(line)
            log.flush()
            if line.startswith("SUMMARY:"):
                self.summary = line.strip()

    def update(self):
        """What `read` has not noted."""
        self.busy = max(self.busy, processor_seconds(self.process.pid))
        self.memories[int(self.spent() // 60)] = self.memory

    def evaluations(self):
        if not self.classes.exists():
            return 0
        return sum(row[-1] for row in json.loads(self.classes.read_text())["laws"].values())

    def spent(self):
        return (self.end or time.time()) - self.begin


class AflRun(Run):
    """The same by AFL++: persistent, compares logged where a build for that is there; it keeps its corpus itself."""

    def environment(self):
        switches = [
            "AUTORESUME",
            "NO_UI",
            "NO_COLOR",
            "NO_AFFINITY",
            "SKIP_CPUFREQ",
            "I_DONT_CARE_ABOUT_MISSING_CRASHES",
        ]
        # Its processes are too many to keep account of classes.
        finds = {key: value for key, value in super().environment().items() if key in ("COLEX_PEER", "COLEX_FINDS")}
        return finds | {f"AFL_{switch}": "1" for switch in switches}

    def command(self):
        folder, binary = self.campaign.folder, f"fuzz_{self.target}"
        taken = {run.name for run in self.campaign.running if run.target == self.target}
        self.name = next(name for name in map(str, range(len(taken) + 1)) if name not in taken)
        command = [
            "afl-fuzz",
            "-i",
            folder / "seeds" / self.target,
            "-o",
            folder / "afl" / self.target,
            "-S",
            self.name,
            "-V",
            self.limit,
            "-m",
            "none",
            "-t",
            "20000",
        ]
        if self.campaign.compares:
            command += ["-c", self.campaign.compares / binary]
        if self.target in ("notation", "requests"):
            command += ["-x", folder / "seeds/notation.dict"]
        (folder / "afl").mkdir(exist_ok=True)
        return [*map(str, command), "--", str(self.campaign.build / binary)]

    def update(self):
        if self.spent() > self.limit:
            self.process.send_signal(signal.SIGINT)  # -V counts from when all seeds have run
        file = self.campaign.folder / "afl" / self.target / self.name / "fuzzer_stats"
        if not file.exists() or file.stat().st_mtime < self.begin:
            return
        now = dict(re.findall(r"^(\w+)\s*: ([\d.]+)\n", file.read_text(), re.M))
        if "edges_found" not in now:  # the last of these: the file is being written
            return
        self.executions, self.edges, self.corpus, self.memory, crashes = (
            int(now[k]) for k in ("execs_done", "edges_found", "corpus_count", "peak_rss_mb", "saved_crashes")
        )
        self.speed = int(float(now.get("execs_per_sec", 0)))  # AFL++ begins with `inf`
        if crashes:
            self.summary = f"{crashes} crashes, in {file.parent}/crashes"


class Campaign:
    def __init__(self, options):
        self.folder, self.peer = options.folder, options.peer
        self.build, self.compares = options.build, options.compares
        self.kind = AflRun if options.engine == "afl" else Run
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER, for `bury`
        self.targets = ["laws"] if self.peer else fnmatch.filter(TARGETS, options.target)
        if not self.targets:
            sys.exit(f"fuzz: no target is called {options.target!r}; there are {', '.join(TARGETS)}")
        self.jobs, self.time = options.jobs, options.time
        self.finds = self.folder / "finds.jsonl"
        self.running, self.ended, self.crashes = [], [], []
        self.stopped = False
        (self.folder / "reached").mkdir(parents=True, exist_ok=True)
        if not (self.folder / "seeds").is_dir():
            subprocess.run([sys.executable, ROOT / "fuzz/campaign/seeds.py", self.folder / "seeds"], check=True)
        self.old_finds = len(lines_of(self.finds))

    def run(self):
        signal.signal(signal.SIGINT, self.stop)
        signal.signal(signal.SIGTERM, self.stop)
        begin, turn, number = time.time(), 0, 0
        while not self.stopped and (left := self.time - (time.time() - begin)) > 0:
            while len(self.running) < self.jobs and left > 1:
                slots = self.jobs / len(self.targets)
                limit = left if slots >= 1 else min(SLICE, left, self.time * slots)
                self.running.append(self.kind(self, self.targets[turn % len(self.targets)], number, max(1, int(limit))))
                turn, number = turn + 1, number + 1
            time.sleep(0.5)
            self.reap()
            self.show(time.time() - begin)
        for run in self.running:
            run.process.send_signal(signal.SIGINT)
        while self.running:
            time.sleep(0.1)
            self.reap()
        print(file=sys.stderr)

    def stop(self, *_):
        self.stopped = True

    def reap(self):
        for run in self.running:
            run.update()
        for run in [run for run in self.running if run.process.poll() is not None]:
            run.reader.join()
            run.end = time.time()
            self.running.remove(run)
            self.ended.append(run)
            status = run.process.returncode
            failed = status not in (0, 72, -signal.SIGINT, -signal.SIGTERM)  # 72: interrupted
            if (failed and not self.stopped) or run.summary:
                self.crashes.append({"target": run.target, "what": run.summary or f"ended with status {status}"})
                if run.spent() < 2:
                    time.sleep(1)  # one that dies at once must not be started all the time
        self.bury()

    def bury(self):
        """AFL++ ends and leaves processes behind, stopped for ever: they are this process's then."""
        known = {run.process.pid for run in self.running}
        for pid in map(int, pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()):
            if pid not in known:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)

    def show(self, spent):
        total = sum(run.executions for run in self.ended + self.running)
        now = "  ".join(f"{run.target} {run.speed}/s {run.edges} edges {run.corpus} inputs" for run in self.running)
        line = f"{int(spent)} s  {total} executions  {len(self.found())} finds  {len(self.crashes)} crashes  {now}"
        if sys.stderr.isatty():
            print(f"\r\033[K{line[:180]}", end="", file=sys.stderr, flush=True)

    def found(self):
        """Of this campaign, one for each law and case: processes beside each other may find the same."""
        return list({(f["law"], f["case"] or f["got"]): f for f in lines_of(self.finds)[self.old_finds :]}.values())

    def reached(self):
        """The classes of arguments; law by law the evaluations with each, and all; of every campaign in the folder."""
        classes, cells = [], {}
        for file in (self.folder / "reached").glob("*.json"):
            account = json.loads(file.read_text())
            classes = account["classes"]
            for law, row in account["laws"].items():
                cells[law] = [a + b for a, b in zip(cells.get(law, [0] * len(row)), row)]
        return {"classes": classes, "reached": cells}

    def figures(self, target):
        runs = [run for run in self.ended if run.target == target]
        kept = [*self.folder.glob(f"corpus/{target}/*"), *self.folder.glob(f"afl/{target}/*/queue/id*")]
        return {
            "executions": sum(run.executions for run in runs),
            "seconds": round(sum(run.spent() for run in runs), 1),
            "processor_seconds": round(sum(run.busy for run in runs), 1),
            "memory_by_minute_mb": list(max((run.memories for run in runs), key=len, default={}).values()),
            "evaluations": sum(run.evaluations() for run in runs),
            "edges": max((run.edges for run in runs), default=0),
            "corpus": len(kept),
            "memory_mb": max((run.memory for run in runs), default=0),
        }

    def summary(self):
        unique = {(c["target"], c["what"]): c for c in self.crashes}
        return {
            "targets": {target: self.figures(target) for target in self.targets},
            "finds": self.found(),
            "crashes": list(unique.values()),
            **self.reached(),
        }


def page(s):
    """A page that needs nothing else: targets, finds, laws by classes of arguments."""

    def line(tag, row):
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(x))}</{tag}>" for x in row) + "</tr>"

    def table(head, rows):
        return "<table>" + line("th", head) + "".join(line("td", row) for row in rows) + "</table>"

    rows = [[name, *row.values()] for name, row in s["targets"].items()]
    targets = table(["target", *next(iter(s["targets"].values()))], rows)
    finds = table(["law", "case", "where", "got"], [[f["law"], f["case"], f["where"], f["got"]] for f in s["finds"]])
    crashes = table(["target", "what"], [c.values() for c in s["crashes"]])
    laws = table(["law", *s["classes"], "all"], [[law, *row] for law, row in sorted(s["reached"].items())])
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Fuzzing campaign</title><style>body{{font:14px sans-serif;margin:1em;color-scheme:light dark}}
table{{border-collapse:collapse;display:block;overflow-x:auto}}
td,th{{padding:2px 8px;text-align:left;border-bottom:1px solid #8884}}</style>
<h1>Fuzzing campaign</h1>{targets}<h2>Finds: {len(s["finds"])}</h2>{finds}<h2>Crashes: {len(s["crashes"])}</h2>{crashes}
<h2>Laws by classes of arguments</h2>{laws}</html>
"""


def say(s):
    for name, t in s["targets"].items():
        busy, memory = t["processor_seconds"], t["memory_by_minute_mb"]
        rate = f", {t['evaluations'] / busy:.0f} law evaluations/s" if t["evaluations"] and busy else ""
        by_minute = " ".join(map(str, memory[:: max(1, len(memory) // 8)]))
        print(
            f"{name:<9} {t['executions']:>11} executions in {t['seconds']:.0f} s, {busy:.0f} s of a processor{rate}, "
            f"{t['edges']} edges, {t['corpus']} inputs kept, MB by minute: {by_minute}"
        )
    cells = [n for row in s["reached"].values() for n in row[:-1]]
    if cells:
        print(f"{sum(map(bool, cells))} of {len(cells)} pairs of law and class of arguments were reached")
    for f in s["finds"]:
        print(f"FIND {f['law']} ({f['target']})\n  case   {f['case']}   # {f['law']}")
        print(f"  where  {f['where']}\n  got    {f['got']}")
    for c in s["crashes"]:
        print(f"CRASH {c['target']}: {c['what']}")
    print(f"{len(s['finds'])} finds, {len(s['crashes'])} crashes")


def file_cases(finds):
    """Adds the finds' case lines to spec/cases, each to the file that has most cases of its operation."""
    files = {file: file.read_text() for file in sorted((ROOT / "spec/cases").glob("*.txt"))}
    filed = 0
    for f in finds:
        if not f["case"]:
            print(f"{f['law']}: the reference itself breaks it, so that nobody can say what is right: {f['where']}")
            continue
        line, operation = f"{f['case']}   # {f['law']}", f["case"].split()[0]
        if any(f["case"] in text for text in files.values()):
            continue
        home = max(files, key=lambda file: len(re.findall(rf"^{operation} ", files[file], re.M)))
        files[home] += line + "\n"
        write_whole(home, files[home])
        print(f"{home.relative_to(ROOT)}: {line}")
        filed += 1
    print(f"{filed} cases filed")


def main():
    p = argparse.ArgumentParser(
        prog="run fuzz",
        description="Looks for the case nobody thought of.",
        epilog="Also --sanitize: with address and undefined-behaviour sanitizers. --peer NAME --path PATH: the implementation "
        "found there. --defects [NUMBER...]: what finds each known defect, planted in the bundled algebra. Corpus, finds, logs "
        "and summary are in build/campaign.",
    )
    p.add_argument("--time", type=seconds, default=60, help="how long: 30s, 5m, 1h (default 60s)")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time (default: one for each core)")
    p.add_argument("--target", default="*", metavar="GLOB", help=f"which of {', '.join(TARGETS)}")
    p.add_argument("--peer", default="", metavar="NAME", help="an implementation in use, as of `run conform`: its laws alone")
    p.add_argument(
        "--engine", choices=["libfuzzer", "afl"], default="libfuzzer", help="what changes inputs (default libfuzzer)"
    )
    p.add_argument("--file-case", action="store_true", help="add the finds to spec/cases, and do nothing else")
    # Of `run`: where all is kept, the targets, those that log comparisons for afl. Of --peer it makes the command.
    p.add_argument("--folder", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--compares", type=pathlib.Path, help=argparse.SUPPRESS)
    options = p.parse_args()
    options.folder = options.folder.resolve()
    if options.jobs < 1:
        p.error("--jobs must be 1 or more")
    if options.file_case:
        return file_cases(lines_of(options.folder / "finds.jsonl"))
    campaign = Campaign(options)
    campaign.run()
    summary = campaign.summary()
    write_whole(options.folder / "summary.json", json.dumps(summary, indent=1) + "\n")
    write_whole(options.folder / "summary.html", page(summary))
    say(summary)
    return 1 if summary["finds"] or summary["crashes"] else 0


if __name__ == "__main__":
    sys.exit(main())
