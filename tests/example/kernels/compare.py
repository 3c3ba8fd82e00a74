# Builds the kernels of this folder and runs them; given the headers of CuTe, beside the same kernels in CuTe. Prints a table in
# Markdown: lines of code, processor seconds of nvcc, registers, rates of both in one run.
#   python3 compare.py [--cute INCLUDE] [--arch native] [--nvcc NVCC] [--out FOLDER]
# Exits 77 where there is no GPU; with --build nothing is run. SPDX-License-Identifier: Apache-2.0
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
KERNELS = ("transpose", "tiled_copy", "sgemm_1", "sgemm_2", "convolution")


def lines_of(path):
    """Lines of code of a file and of the headers beside it that only kernels include."""
    text = path.read_text()
    own = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]
    others = [name for name in re.findall(r'#include "(\w+\.(?:cuh|hpp))"', text) if name != "kernels.hpp"]
    return len(own) + sum(lines_of(path.parent / name) for name in others)


def compile_one(nvcc, source, target, options):
    """Processor seconds and most registers of a kernel; nvcc's own words where it fails."""
    command = [nvcc, "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-Xptxas", "-v", "-c", source, "-o", target, *options]
    log = target.with_suffix(".log")
    with open(log, "w") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    text = log.read_text()
    if status:
        sys.exit(f"{source} does not compile:\n{text[:4000]}")
    return used.ru_utime + used.ru_stime, max((int(n) for n in re.findall(r"Used (\d+) registers", text)), default=0)


def build(args):
    """The program, and for each library and kernel its lines, seconds and registers."""
    own = ["-arch=" + args.arch, f"-I{ROOT}", f"-I{ROOT / 'cmake/include'}"]
    libraries = {"colex": (HERE, own)}
    if args.cute:
        libraries["cute"] = (HERE / "cute", ["-arch=" + args.arch, f"-I{args.cute}"])
    args.out.mkdir(parents=True, exist_ok=True)
    facts, objects = {}, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for library, (folder, options) in libraries.items():
            for kernel in KERNELS:
                source, target = folder / f"{kernel}.cu", args.out / f"{library}_{kernel}.o"
                job = pool.submit(compile_one, args.nvcc, source, target, options)
                facts[library, kernel] = (lines_of(source), job)
                objects.append(target)
    facts = {key: (lines, *job.result()) for key, (lines, job) in facts.items()}
    program = args.out / "measure"
    with_cute = ["-DWITH_CUTE"] if args.cute else []
    subprocess.run([args.nvcc, "-std=c++20", "-O2", *with_cute, HERE / "measure.cpp", *objects, "-o", program], check=True)
    return program, facts


def measured(output):
    """(kernel, library) to (rate, unit, share of the reference), in the order of the lines."""
    line = re.compile(r"(.+), (colex|cute): ok, (\S+) (\S+), (\S+) of reference")
    found = (line.fullmatch(each) for each in output.splitlines())
    return {(m[1], m[2]): (float(m[3]), m[4], float(m[5])) for m in found if m}


def table(facts, rates):
    """A row for each kernel: Colex beside CuTe."""
    libraries = [library for library in ("colex", "cute") if (library, KERNELS[0]) in facts]
    both = " / ".join({"colex": "Colex", "cute": "CuTe"}[library] for library in libraries)
    print(f"| kernel ({both}) | lines | nvcc, seconds | registers | rate | of reference | speed |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for kernel in dict.fromkeys(name for name, _ in rates):
        of = [facts[library, kernel.split()[0]] for library in libraries]
        rate = [rates[kernel, library] for library in libraries]
        cells = [" / ".join(f"{x[k]:{form}}" for x in of) for k, form in enumerate(("d", ".1f", "d"))]
        cells.append(" / ".join(f"{x[0]:.4g}" for x in rate) + " " + rate[0][1])
        cells.append(" / ".join(f"{x[2]:.3f}" for x in rate))
        cells.append(f"{rate[0][0] / rate[1][0]:.3f}" if len(rate) > 1 else "")
        print("| " + " | ".join([kernel, *cells]) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cute", type=Path, help="the folder that has cute/tensor.hpp")
    parser.add_argument("--arch", default="native")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--out", type=Path, default=ROOT / "build/kernels")
    parser.add_argument("--build", action="store_true", help="only build")
    args = parser.parse_args()
    if args.cute and not (args.cute / "cute/tensor.hpp").exists():
        sys.exit(f"{args.cute} has no cute/tensor.hpp")
    if not args.cute:
        print("skipped: CuTe, whose headers no --cute names")
    program, facts = build(args)
    if args.build:
        return 0
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="", flush=True)
    if done.returncode == 0:
        table(facts, measured(done.stdout))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
