# Compares what banks_test says of each case with what the hardware counts when the case's kernel runs under ncu: as many
# wavefronts of shared memory as there are turns, as many bank conflicts as turns beyond the first of each phase.
#   python3 tests/device/banks.py BANKS_TEST [NCU]
# Exits 77 where there is no GPU for it, no ncu, or no permission to count.
# SPDX-License-Identifier: Apache-2.0
import csv
import subprocess
import sys
import tempfile

WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
SKIPPED = 77


def predicted(output):
    """The lines `case NUMBER KERNEL ATOM LAYOUT PHASES TURNS` of the program."""
    return [line.split("\t") for line in output.splitlines() if line.startswith("case\t")]


def counted(path):
    """What ncu counted, a row a kernel in the order of launches; the row below the names has units."""
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    return [row for row in csv.DictReader(lines) if row["ID"]]


def number(row, metric):
    return round(float(row[metric].replace(",", "")))


def compare(case, row):
    """A line of the table, and whether both agree."""
    _, which, kernel, atom, layout, phases, turns = case
    if kernel not in row["Kernel Name"]:
        sys.exit(f"case {which} is {kernel}, and ncu has {row['Kernel Name']} there")
    direction = "ld" if kernel.startswith("ld") or kernel.startswith("load") else "st"
    wavefronts, conflicts = (number(row, m.format(direction)) for m in (WAVEFRONTS, CONFLICTS))
    agree = wavefronts == int(turns) and conflicts == int(turns) - len(phases.split(","))
    line = f"{which:>4} {kernel:18} {layout:28} {phases:14} {turns:>5} {wavefronts:>10} {conflicts:>9}"
    return line + ("" if agree else "   DIFFERENT"), agree


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def run(program, ncu):
    """The program under ncu: its cases and what was counted."""
    metrics = ",".join(m.format(d) for m in (WAVEFRONTS, CONFLICTS) for d in ("ld", "st"))
    with tempfile.NamedTemporaryFile(suffix=".csv") as log:
        command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--metrics", metrics]
        command += ["--log-file", log.name, "--force-overwrite", program, "--once"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            skip(f"no {ncu}")
        if "skipped:" in done.stdout:
            skip(done.stdout.strip())
        with open(log.name) as file:
            text = file.read()
        if "ERR_NVGPUCTRPERM" in text + done.stdout + done.stderr:
            skip("no permission to read the counters")
        if done.returncode:
            sys.exit(done.stdout[-2000:] + done.stderr[-2000:] + text[-2000:])
        return predicted(done.stdout), counted(log.name)


def main(program, ncu="ncu"):
    cases, rows = run(program, ncu)
    if not cases or len(cases) != len(rows):
        sys.exit(f"{len(cases)} cases, {len(rows)} kernels counted")
    print(f"{'case':>4} {'kernel':18} {'layout':28} {'phases':14} {'turns':>5} {'wavefronts':>10} {'conflicts':>9}")
    wrong = 0
    for case, row in zip(cases, rows, strict=True):
        line, agree = compare(case, row)
        wrong += not agree
        print(line)
    print(f"cases {len(cases)}, different {wrong}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
