# Explanations, pictures, atoms, the lists of what there is, the command. SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import colex_layouts as cx
import pytest

ATOM = "SM80_16x8x16_F32F16F16F32_TN"


def test_an_explanation_has_steps_and_the_answer():
    e = cx.explain("complement", "4:2", 24)
    assert [s.name for s in e.steps] == ["sort", "gaps", "complement"] and e.result == cx.complement("4:2", 24)
    assert str(e) == str(cx.explain("complement 4:2 24")) and e.refusal == ""
    shown = xml.fromstring(e._repr_html_())
    assert [row[0].text for row in shown.iter("tr")] == ["step", "sort", "gaps", "complement"]
    texts = [pre.text for pre in shown.iter("pre")]
    assert (
        texts[0] == "complement 4:2 24" and texts[1].startswith("= (2,3):(1,8)") and all(s.why not in texts[1] for s in e.steps)
    )


def test_an_explanation_says_why_there_is_no_answer():
    e = cx.explain("composition", "(6,2):(1,7)", "(3,2):(2,3)")
    assert e.result is None and e.refusal.startswith("undefined") and e.refusal in str(e)


def test_solving():
    assert cx.solve("composition", "(4,8):(8,1)", ..., "32:1") == cx.solve("composition (4,8):(8,1) ? = 32:1")
    assert cx.Layout("(4,8):(8,1)") @ cx.solve("composition", "(4,8):(8,1)", "?", cx.Layout("32:1")) == cx.Layout("(8,4):(1,8)")
    with pytest.raises(cx.Undefined):
        cx.solve("composition", "(4,8):(8,2)", ..., "32:1")
    with pytest.raises(cx.Malformed):
        cx.solve("composition")


@pytest.mark.parametrize("ending", ["svg", "tex", "txt"])
def test_a_figure_is_saved_as_its_name_says(tmp_path, ending):
    figure = cx.Layout("(4,8):(8,1)").draw(highlight=3, banks=32)
    figure.save(tmp_path / f"x.{ending}")
    text = (tmp_path / f"x.{ending}").read_text()
    figure.save(os.fsencode(tmp_path / f"y.{ending}"))
    assert text == (tmp_path / f"y.{ending}").read_text()
    assert text == {"svg": figure.svg, "tex": figure.latex, "txt": str(figure)}[ending]


def test_what_cannot_be_saved(tmp_path):
    figure = cx.draw("4:1")
    for name in ("x.gif", "none/x.svg"):
        with pytest.raises(OSError):
            figure.save(tmp_path / name)
    for name, error in ((3, TypeError), (None, TypeError), (str(tmp_path / "a\0.svg"), ValueError)):
        with pytest.raises(error):
            figure.save(name)
    with pytest.raises(TypeError):
        cx.draw("4:1", banks=-1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "what, options",
    [
        (("SM75_U32x4_LDSM_N",), {}),
        (("tv", "(2,2):(1,4)", "(4,2)"), {"highlight": "T1"}),
        (("complement", "4:2", 24), {"highlight": [(0, 1), (1, None)]}),
        (("(4,4,2):(1,4,16)",), {"slices": True}),
    ],
)
def test_pictures(what, options):
    assert xml.fromstring(cx.draw(*what, **options)._repr_svg_()).tag.endswith("svg")


def test_two_pictures_in_one_page_keep_their_styles_apart():
    pictures = [cx.draw("4:1").svg, cx.draw("8:2").svg]
    selectors = [
        s for p in pictures for style in re.findall(r"<style>(.*?)</style>", p, re.S) for s in re.findall(r"([^{}]+)\{", style)
    ]
    assert selectors and all(s.strip().startswith(("svg", ".", "@", "#")) for s in selectors)


def test_atoms():
    atom = cx.mma_atom(ATOM)
    assert atom.CLayout == cx.mma_atom(ATOM, "CLayout") == atom.fields["CLayout"] and atom.kind == "mma_atom"
    assert atom in cx.atoms("SM80_16x8x16*") and atom == cx.Atom(ATOM) and "CLayout" in dir(atom)
    only = atom.draw(highlight=5, only="C").svg
    assert only == cx.draw(ATOM, highlight=5, only="C").svg and len(only) < len(atom._repr_svg_())
    assert cx.copy_atom("SM75_U32x4_LDSM_N").SrcLayout == cx.copy_atom("SM75_U32x4_LDSM_N", "SrcLayout")
    with pytest.raises(cx.Malformed, match="SM80_16x8x16_F32F16F16F32_TN"):
        cx.mma_atom(ATOM[:-1] + "M")
    with pytest.raises(cx.Malformed):
        cx.atoms("no such atom")


def test_bank_conflicts():
    assert cx.bank_conflicts("32:33", 32, 4) == 0 and cx.bank_conflicts("(8,8):(128,16)", 8, bytes=16) == 56
    assert cx.bank_conflicts("32:8", atom="SM75_U32x4_LDSM_N") == cx.bank_conflict_phases("32:8", "16b", "SM75_U32x4_LDSM_N")
    with pytest.raises(TypeError):
        cx.bank_conflicts("32:8")


def test_lists():
    names, laws = {o.name for o in cx.operations()}, cx.laws()
    assert names >= {"composition", "partition_C"} and cx.operations("complement")[0].level == "core"
    assert all(law.operation in names for law in laws) and len(laws) > 200
    assert {law.operation for law in cx.laws("coalesce")} == {"coalesce"} and cx.laws("size_product")[0].operation == "size"
    assert [law.name for law in cx.laws("composition_i*")] == ["composition_integer", "composition_identity"]
    with pytest.raises(cx.Malformed, match="did you mean coalesce"):
        cx.laws("coalese")


def test_a_tuple_is_a_tiler_wherever_one_belongs():
    mma, copy = ("SM80_16x8x16_F32F16F16F32_TN", "(2,2,1):(1,2,0)"), ("SM75_U32x4_LDSM_N", "half_t")
    for asked in (("tiled_mma", *mma), ("partition_C", *mma), ("tiled_copy", "make_tiled_copy_A", *copy, *mma)):
        tensor = ["(32,32):(1,32)"] if asked[0] == "partition_C" else []
        drawn, spelled = (str(cx.draw(*asked, tiler, *tensor)) for tiler in ((32, 32, 16), "<32,32,16>"))
        assert drawn == spelled
    for tiler in ((2, None), (4,), ((2,), 2)):
        assert cx.explain("logical_divide", "(4,8):(8,1)", tiler).result == cx.logical_divide("(4,8):(8,1)", tiler)
    assert cx.Layout("make_layout((4,8), stride=(E(0),E(1)))") == cx.make_identity_layout((4, 8))
    assert str(cx.draw("tv", "(4,8):(8,1)", (4, 8))) == str(cx.draw("tv (4,8):(8,1) (4,8)")), "a shape stays one"
    with pytest.raises(cx.Error):
        cx.solve("logical_divide", ..., (3, None), "7:1")


def test_what_the_tool_reads_is_read():
    for line, read in (
        ("bank_conflicts 32:32 float 32b", "bank_conflicts 32:32 32b 4"),
        ("bank_conflict_phases 32:8 16b ldmatrix.x4", "bank_conflict_phases 32:8 16b SM75_U32x4_LDSM_N"),
        ("size((4, 2))", "size (4,2):(1,4)"),
        ("zipped_divide((4,4):(4,1), (2, 2))", "zipped_divide (4,4):(4,1) <2,2>"),
        ("size(zipped_divide((4,4):(4,1), (2, 2)))", "size ((2,2),(2,2)):((4,1),(8,2))"),
    ):
        assert str(cx.explain(line)) == str(cx.explain(read)) and cx.ask(line) == cx.ask(read)
    tiled = "tiled_copy UniversalCopy<half_t> {} (4,2):(1,4)"
    assert str(cx.draw(tiled.format("f16"))) == str(cx.draw(tiled.format("half_t")))
    shape = cx.explain("shape(coalesce((2,2):(1,2)))")
    assert shape.result == 4 and shape.text.startswith("shape 4:1\n")
    assert cx.Layout("make_layout(size((4,2)), 1)") == cx.Layout("8:1")
    with pytest.raises(cx.Malformed, match="column 8"):
        cx.explain("cosize (4,2)")


def run_tool(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "colex_layouts", *words], capture_output=True, text=True, timeout=60, **options
    )


def test_the_command_is_the_tool():
    assert run_tool("ask", "size", "4:1").stdout == "4\n" and run_tool("--version").stdout == f"colex {cx.__version__}\n"
    refused = run_tool("ask", "composition (6,2:(1,7)")
    assert refused.returncode == 2 and "^" in refused.stderr
