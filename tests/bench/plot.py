# Draws what tests/bench/gemm.cu measured as a roofline: operations a byte against rate, a panel for each type.
#   python3 tests/bench/plot.py gemm.json gemm.svg
# SPDX-License-Identifier: Apache-2.0
import json
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402


def panel(axes, name, results, ceiling, bandwidth):
    at = [r["intensity"] for r in results]
    low, high = min(at) / 2, max(max(at), ceiling / bandwidth) * 2
    axes.plot([low, ceiling / bandwidth, high], [low * bandwidth, ceiling, ceiling], color="0.6", label="ceiling")
    axes.scatter(at, [r["cublaslt_best"] or None for r in results], marker="_", s=80, color="C1", label="cuBLASLt, best of 8")
    axes.scatter(at, [r["tflops"] for r in results], marker=".", color="C0", label="colex")
    for r in results:
        axes.annotate(r["shape"], (r["intensity"], r["tflops"]), fontsize=5, xytext=(3, -6), textcoords="offset points")
    axes.set(xscale="log", yscale="log", title=name, xlabel="operations a byte", ylabel="TFLOP/s")


def main(source, target):
    with open(source, encoding="utf-8") as file:
        measured = json.load(file)
    names = list(dict.fromkeys(r["type"] for r in measured["results"]))
    figure, all_axes = plt.subplots((len(names) + 1) // 2, 2, figsize=(11, 3.6 * ((len(names) + 1) // 2)), squeeze=False)
    for axes, name in zip(all_axes.flat, names):
        panel(
            axes,
            name,
            [r for r in measured["results"] if r["type"] == name],
            measured["ceilings"][name],
            measured["memory"],
        )
    for axes in all_axes.flat[len(names) :]:
        axes.set_visible(False)
    all_axes.flat[0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
