# Reads the machine code of the GEMM kernels: the instructions that a file is for are there, in every kernel of a plan a
# loop that multiplies; such loops touch no local memory; no wgmma waits for the one before it. With the compiler's words
# also that nothing is spilled anywhere.
#   python3 tests/device/sass.py [--log FILE] FAMILY=OBJECT...     --log: what the compiler said
# Exits with 77 where there is no cuobjdump.
# SPDX-License-Identifier: Apache-2.0
import argparse
import bisect
import glob
import os
import re
import shutil
import subprocess
import sys
import sysconfig

# What multiplies in a family's kernels; elsewhere a matrix instruction does. m8n8k4 is one up to sm_75, made of others
# later.
MULTIPLIES = {
    "simt": "FFMA|DFMA|IMAD",
    "simt_async": "FFMA",
    "gemv": "FFMA|DFMA|IMAD",
    "sm61": "IDP",
    "sm70": "HMMA|HADD2|FFMA",
}
MATRIX = "[HIDQO]MMA|[HQI]GMMA|UTC[HQIO]MMA"

# What must be among a file's instructions, on the chips named or on all it is compiled for. mma.sync of fp8 is one on
# sm_89 and sm_120; elsewhere f16 stands in for it.
INTENDED = {
    "simt": [("FFMA",), ("DFMA",)],
    "simt_async": [("FFMA",), ("LDGSTS",)],
    "gemv": [("FFMA",), ("DFMA",)],
    "sm61": [(r"IDP\.4A",)],
    "sm70": [(r"HMMA\.884", "75")],
    "sm75": [(r"HMMA\.1688\.F32 ",), (r"IMMA\.(8816|16816)",), ("LDSM",)],
    "sm80": [
        (r"HMMA\.16816\.F32 ",),
        (r"HMMA\.16816\.F32\.BF16",),
        (r"HMMA\.1688\.F32\.TF32",),
        (r"IMMA\.16832",),
        (r"DMMA\.8",),
        (r"DMMA\.16x8", "90a"),
        ("LDSM",),
        ("LDGSTS",),
    ],
    "sm89": [(r"QMMA\.16832", "89", "120a"), (r"HMMA\.16816", "90a", "100a", "103a"), ("LDSM",), ("LDGSTS",)],
    "sm90": [
        (r"HGMMA\.64x\d+x16\.F32 ",),
        (r"HGMMA\.64x\d+x16\.F32\.BF16",),
        (r"HGMMA\.64x\d+x8\.F32\.TF32",),
        ("QGMMA",),
        ("IGMMA",),
        ("UTMALDG",),
    ],
    "sm100": [
        ("UTCHMMA gdesc",),
        (r"UTCHMMA\.2CTA",),
        ("UTCQMMA gdesc",),
        (r"UTCQMMA\.2CTA",),
        ("UTCIMMA gdesc", "100a"),
        (r"UTCIMMA\.2CTA", "100a"),
        (r"UTCQMMA.*\btmem.*\btmem.*\btmem",),
        (r"UTCOMMA",),
        ("UTCCP",),
        ("UTCBAR",),
        (r"UTCBAR\.2CTA\.MULTICAST",),
        (r"LDTM\.x32",),
        ("UTMALDG",),
        (r"UTMALDG\.3D\.2CTA",),
        ("UBLKCP",),
    ],
    "sm120": [
        (r"QMMA\.SF\.16832\.F32\.E4M3",),
        (r"QMMA\.SF\.16832\.F32\.E5M2",),
        (r"OMMA\.SF\.16864",),
        ("LDSM",),
        ("LDGSTS",),
    ],
}

# What every kernel of a plan has: a role whose instructions the compiler dropped is a kernel that hangs.
EVERY = {"sm90": ["UTMALDG"], "sm100": ["UTMALDG", r"LDTM\.x32", "UTCBAR", "UTCATOMSWS"]}

# Kernels of plans that do nothing on a chip, which lacks their instruction: the s8 kind of tcgen05.mma is sm_100's alone,
# the mma of 16 rows of doubles is sm_90's.
IDLE = {("sm100", "103a"): 2, ("sm80", "80"): 41}

BRANCH = re.compile(r"\bBRA(?:\.\w+)* .*?(?:`\(.*\)|0x([0-9a-f]+))")
INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+((?:@!?U?P\w+ )?\s*[A-Z][^;]*);")


def plan_of(mangled):
    """Which plan of which table a kernel was made for; none where it does something else."""
    found = re.search(r"\d([a-z]+\d*_(?:plan|carrier|kernel))ILi(\d+)", mangled)
    return f"{found[1]} {found[2]}" if found else ""


class Kernel:
    """One function of the listing: (address, text) of each instruction."""

    def __init__(self, chip, name):
        self.chip, self.name, self.code = chip, plan_of(name) or name, []
        self.is_planned = bool(plan_of(name))

    def loops(self):
        """The addresses of each backward branch's target and of the branch."""
        for at, text in self.code:
            target = BRANCH.search(text)
            if target and target[1] and int(target[1], 16) <= at:
                yield int(target[1], 16), at

    def main_loops(self, multiplies):
        """The innermost loops that multiply. Waiting code lies far behind a loop and branches back into it."""
        loops = [(a, b) for a, b in self.loops() if has(multiplies, self.between(a, b))]

        def holds(a, b, c, d):
            return (c, d) != (a, b) and d <= b and (a <= c or a <= d < b)

        inner = [(a, b) for a, b in loops if not any(holds(a, b, c, d) for c, d in loops)]
        return [self.between(a, b) for a, b in inner]

    def between(self, first, last):
        begin, end = bisect.bisect_left(self.code, (first,)), bisect.bisect_left(self.code, (last + 1,))
        return [t for _, t in self.code[begin:end]]


def is_idle(kernel):
    return kernel.is_planned and all(re.match(r"(LDC|MOV|EXIT|BRA|NOP)\b", t) for _, t in kernel.code)


def has(pattern, code):
    """Whether one of the instructions holds the pattern, which does not reach across two."""
    return re.search(rf"\b(?:{pattern})", "\n".join(code)) is not None


def kernels(listing):
    """The functions of what `cuobjdump -sass` prints."""
    all_kernels, chip = [], ""
    for line in listing.splitlines():
        if line.endswith("*/"):  # most lines: an instruction and its encoding, or more of that
            if all_kernels and "; " in line and (found := INSTRUCTION.match(line)):
                all_kernels[-1].code.append((int(found[1], 16), found[2].strip() + " "))
        elif found := re.search(r"code for sm_(\w+)", line):
            chip = found[1]
        elif found := re.search(r"Function : (\S+)", line):
            all_kernels.append(Kernel(chip, found[1]))
    return all_kernels


def faults_of_kernel(family, kernel):
    multiplies = MULTIPLIES.get(family, MATRIX)
    loops = kernel.main_loops(multiplies)
    if kernel.is_planned and not loops:
        yield f"no loop of {multiplies}"
    if kernel.is_planned:
        yield from (f"no {p}" for p in EVERY.get(family, []) if not has(p, (t for _, t in kernel.code)))
    for loop in loops:
        if has(r"MEMBAR\.\w+\.GPU|CCTL", loop):
            yield "a flush in a main loop"
        if has("LDL|STL", loop):
            yield f"local memory in a main loop: {next(t for t in loop if has('LDL|STL', [t]))}"
        # One wait behind each wgmma is what ptxas makes of those that it cannot keep apart (C7508 to C7515).
        products, waits = (sum(has(p, [t]) for t in loop) for p in ("[HQI]GMMA", r"WARPGROUP\.DEPBAR"))
        if products > 1 and waits >= products:
            yield f"{waits} waits for {products} wgmma in a main loop"


def faults(family, listing):
    """What is wrong with a file's machine code, as lines."""
    found = kernels(listing)
    if not found:
        yield f"{family}: no machine code"
    for kernel in (k for k in found if not is_idle(k)):
        yield from (f"{family} sm_{kernel.chip} {kernel.name}: {fault}" for fault in faults_of_kernel(family, kernel))
    for chip in sorted({k.chip for k in found}):
        idle = sum(k.chip == chip and is_idle(k) for k in found)
        if idle != IDLE.get((family, chip), 0):
            yield f"{family} sm_{chip}: {idle} kernels do nothing"
        code = [t for k in found if k.chip == chip for _, t in k.code]
        for pattern, *chips in INTENDED[family]:
            if (not chips or chip in chips) and not has(pattern, code):
                yield f"{family} sm_{chip}: no {pattern}"


def faults_of_log(log):
    for line in log.splitlines():
        if re.search(r"\bC75(0[89]|1[0-5])\b|[1-9]\d* bytes spill", line):
            yield line.strip()


def check_self():
    """What must not pass, does not."""

    def listing(*body):
        lines = [f"        /*{16 * i:04x}*/  {text} ;  /* 0x0 */" for i, text in enumerate(body)]
        return "\n".join(["code for sm_90a", "Function : 9sm90_planILi3EE", *lines])

    product = "HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4]"
    good = [
        "UTMALDG.3D [UR8], [UR4]",
        "LDSM.16.M88.4 R0, [R1]",
        product,
        product,
        "WARPGROUP.DEPBAR.LE gsb0, 0x0",
        "@P0 BRA 0x20",
        "EXIT",
    ]
    [kernel] = kernels(listing(*good))
    assert len(list(kernel.loops())) == 1 and not list(faults_of_kernel("sm90", kernel))
    for at, line in ((3, "LDL R3, [R1]"), (3, "@P1 STL.64 [R1], R3"), (3, "WARPGROUP.DEPBAR.LE gsb0, 0x0")):
        [kernel] = kernels(listing(*good[:at], line, *good[at:]))
        assert list(faults_of_kernel("sm90", kernel)), line
    [kernel] = kernels(listing("LDL R3, [R1]", *good))
    assert list(faults_of_kernel("sm90", kernel)) == [], "outside the loop"
    [kernel] = kernels(listing("IADD3 R1, R2, R3", "EXIT"))
    assert list(faults_of_kernel("sm90", kernel)) and list(faults("sm90", ""))
    assert "sm90 sm_90a: 1 kernels do nothing" in faults("sm90", listing("LDC R1, c[0x0][0x28]", "EXIT", "BRA 0x20"))
    assert "sm90 sm_90a: no QGMMA" in faults("sm90", listing(*good))
    assert "no UTMALDG" in faults_of_kernel("sm90", kernels(listing(*(t for t in good if "UTMA" not in t)))[0])
    assert list(faults_of_log("ptxas info : (C7510) Potential Performance Loss\n"))
    assert list(faults_of_log("16 bytes spill stores"))
    assert not list(faults_of_log("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"))


def cuobjdump():
    """CUDA's toolkit has it, and so do packages of PyPI (nvidia-cuda-cuobjdump, triton)."""
    places = [os.environ.get("CUOBJDUMP"), shutil.which("cuobjdump"), "/usr/local/cuda/bin/cuobjdump"]
    for site in {sysconfig.get_path("purelib"), *sys.path}:
        for package in ("nvidia/*", "triton/backends/nvidia"):
            places += glob.glob(f"{site}/{package}/bin/cuobjdump")
    return next((p for p in places if p and os.access(p, os.X_OK)), None)


def listing_of(tool, path):
    environment = dict(os.environ, PATH=f"{os.environ['PATH']}:{os.path.dirname(tool)}")  # it calls nvdisasm
    return subprocess.run([tool, "-sass", path], env=environment, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description="Reads the machine code of the GEMM kernels.")
    parser.add_argument("--log", help="what the compiler printed")
    parser.add_argument("files", nargs="+", metavar="FAMILY=OBJECT")
    arguments = parser.parse_args()
    check_self()
    tool = cuobjdump()
    if not tool:
        print("skipped: no cuobjdump")
        return 77
    wrong, passed = [], 0
    if arguments.log:
        wrong += faults_of_log(open(arguments.log, encoding="utf-8", errors="replace").read())
    objects = {}
    for family, path in (f.split("=", 1) for f in arguments.files):
        objects.setdefault(family, []).append(path)
    for family, paths in objects.items():
        here = list(faults(family, "".join(listing_of(tool, path) for path in paths)))
        passed += not here
        wrong += here
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{passed} passed, {len(objects) - passed} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
