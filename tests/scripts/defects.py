# Shows that the laws find each defect of tests/peers/defects.txt by generated inputs within a minute: defect -> law -> inputs.
# Where a peer cannot be had the row says so. Exits with 1 when one is not found.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
report = pathlib.Path(tempfile.mkdtemp(), "report.json")


def judged(peer, law, seconds):  # the law's report, or None
    report.unlink(missing_ok=True)  # of the run before
    run = subprocess.run(
        [root / "run", "conform", "--peer", peer, "--law", law, "--time", f"{seconds}s", "--json", report],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if run.returncode == 2:
        return None
    whole = json.loads(report.read_text())
    return whole["laws"][0] | {"seconds": whole["seconds"]}


missed = 0
for line in open(root / "tests/peers/defects.txt"):
    if line.startswith("#"):
        continue
    defect, peer, law, verdict = (part.strip() for part in line.split("|"))
    for seconds in 5, 60:  # most take no longer
        found = judged(peer, law, seconds)
        if hit := found and found["count"][verdict] > 0:
            break
    if found is None:
        print(f"{defect} | {peer} cannot be had here")
        continue
    missed += not hit
    shown = found.get("failure")  # of the gravest verdict, which may be another
    says = f"{shown['verdict']} at input {shown['input']}" if hit else f"NOT FOUND in {found['evaluations']} inputs"
    print(f"{defect} | {peer} | {law} | {says} | {found['seconds']:.1f} s", flush=True)
sys.exit(missed > 0)
