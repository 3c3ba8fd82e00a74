# Reads what nvcc makes of the kernels for chips that are not here, before machine code and without its tools: every
# kernel of a plan has the instructions of all its roles, of one kind of SM group, and no trap (which is what becomes of
# code that the compiler takes for impossible: a kernel without it assembles, and hangs). For chips that the objects are not
# built for it is made here.
#   python3 tests/device/ptx.py NVCC FAMILY CHIP [FAMILY=OBJECT...]
# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
import sys

EVERY = {
    "sm100": [
        "mbarrier.init",
        "fence.mbarrier_init",
        "mbarrier.try_wait.parity",
        "mbarrier.arrive.expect_tx",
        "cp.async.bulk.tensor.3d",
        "tcgen05.alloc",
        "tcgen05.relinquish_alloc_permit",
        "tcgen05.dealloc",
        "tcgen05.mma",
        "tcgen05.commit",
        "tcgen05.fence::before_thread_sync",
        "tcgen05.fence::after_thread_sync",
        "tcgen05.ld.sync.aligned.32x32b.x32",
        "tcgen05.wait::ld",
        "elect.sync",
    ],
    "sm120": ["cp.async.cg", "cp.async.wait_group", "ldmatrix", "mma.sync.aligned.kind::mxf"],
}
SOME = {
    "sm100": [
        "kind::f16",
        "kind::tf32",
        "kind::f8f6f4",
        "kind::mxf8f6f4.block_scale",
        "kind::mxf4nvf4.block_scale",
        "tcgen05.cp.cta_group::1.32x128b.warpx4",
        "multicast::cluster",
    ],
    "sm120": ["kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32", "kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64"],
}
ONLY = {("sm100", "100a"): ["kind::i8"]}
IDLE = {("sm100", "103a"): 2}  # the s8 kind of tcgen05.mma is sm_100's alone


def entries(ptx):
    """(name, body) of each kernel of a plan."""
    parts = re.split(r"^\.visible \.entry |^\.entry ", ptx, flags=re.M)[1:]
    return [(p.split("(")[0].strip(), p) for p in parts if "_plan" in p.split("(")[0]]


def faults_of_entry(family, body):
    yield from (f"no {i}" for i in EVERY[family] if i not in body)
    if re.search(r"^\s*trap;", body, flags=re.M):
        yield "a trap"
    groups = set(re.findall(r"cta_group::\d", body))
    if family == "sm100" and len(groups) != 1:
        yield f"instructions of {len(groups)} groups of SMs"
    if "cta_group::2" in groups and not ("barrier.cluster" in body and "multicast::cluster" in body):
        yield "a pair without barriers of its own"


def faults(family, chip, ptx):
    found = entries(ptx)
    idle = [name for name, body in found if "mma" not in body and "bulk" not in body]
    if not found or len(idle) != IDLE.get((family, chip), 0):
        yield f"{len(found)} kernels, {len(idle)} of which do nothing"
    for name, body in found:
        if name not in idle:
            yield from (f"{name}: {fault}" for fault in faults_of_entry(family, body))
    yield from (f"no {i}" for i in SOME[family] + ONLY.get((family, chip), []) if i not in ptx)


def check_self():
    good = ".visible .entry k_plan(\n" + "\n".join(EVERY["sm100"]) + "\ncta_group::1\n"
    assert not list(faults_of_entry("sm100", good))
    for bad in (
        good.replace("tcgen05.commit", ""),
        good + " trap;\n",
        good + "cta_group::2\n",
        good.replace("group::1", "group::2"),
    ):
        assert list(faults_of_entry("sm100", bad)), bad
    assert "1 kernels, 1 of which do nothing" in faults("sm100", "100a", ".visible .entry k_plan(\nret;")
    assert list(faults("sm100", "100a", ""))


def built(family, chip, objects):
    """The PTX that the family's object has for a chip, "" where it has none."""
    for path in (path for name, path in (o.split("=", 1) for o in objects) if name == family):
        with open(path, "rb") as file:
            texts = re.findall(rb"\.version [^\0]*", file.read())
        found = [t.decode() for t in texts if re.search(rb"^\.target sm_%s\b" % chip.encode(), t, flags=re.M)]
        if found:
            return found[0]
    return ""


def made(nvcc, family, chip):
    """The PTX that nvcc makes, and what it says."""
    options = ["-std=c++20", "-I.", "--expt-relaxed-constexpr", f"-arch=sm_{chip}", "-ptx", "-o", "-"]
    r = subprocess.run([nvcc, *options, f"gpu/kernels/{family}.cu"], capture_output=True, text=True)
    return r.stdout, r.stderr.strip() or (f"nvcc exits {r.returncode}" if r.returncode else "")


def main():
    nvcc, family, chip, *objects = sys.argv[1:]
    check_self()
    ptx, said = built(family, chip, objects), ""
    if not ptx:
        ptx, said = made(nvcc, family, chip)
    wrong = [*faults(family, chip, ptx), *([said] if said else [])]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(entries(ptx))} kernels of {family} for sm_{chip}: {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
