# The playground in headless Chromium, from a file: types, points, pins, follows links, copies, ends a hang, passes axe.
#   browser.py PYTHON PAGE LINKED [BOOK]    PYTHON: one that has websocket-client and axe-playwright-python; LINKED: how the
#   page is, -Os or -O1; BOOK: the folder of the book, which is asked, too. 77: Chromium or what PYTHON needs is missing
# SPDX-License-Identifier: Apache-2.0
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).with_name("book")))
from tool import exercise  # noqa: E402

MOST = {"-Os": 700_000, "-O1": 875_000}  # bytes of the page, by how it is linked
DEFINED = "composition (6,2):(8,2) (4,3):(3,1)"
UNDEFINED = "composition (6,2):(1,7) (3,2):(2,3)"
MODELLED = {
    "right_inverse (2,4):(3,1)": "with static integers, answers 4:2, which is not right",
    "logical_product 8:12 4:9": "with static integers, answers (8,(2,2)):(12,(9,96)), which is not right",
    "left_inverse (6,1,4):(24,2,5)": "with static integers, refuses this",
}
ATOM = "SM80_16x8x16_F32F16F16F32_TN"
PARTITION = f"partition_C {ATOM} (2,2,1):(1,2,0) <32,32,16> (32,32):(32,1) 33"
HANGS = f"coalesce ({','.join(['2'] * 60000)}):({','.join(['1'] * 60000)})"

# Of question k: what it holds. `point` gives the middle of the cell of an index in one of its pictures.
HELP = """
window.q = (k = 0) => document.querySelectorAll(".question")[k];
window.field = (k = 0) => q(k).querySelector("textarea");
window.says = (k = 0) => q(k).querySelector(".verdict").innerText.trim();
window.settled = (line, k = 0) => q(k) && q(k).getAttribute("aria-busy") === "false" && q(k).dataset.answered === line;
window.figure = (name, k = 0) =>
  [...q(k).querySelectorAll("figure")].find((f) => f.querySelector("figcaption span").innerText === name);
window.lit = (name) => (figure(name).querySelector("path.lit")?.getAttribute("d").match(/M/g) ?? []).length;
window.label = (name, text) => {
  const all = [...figure(name).querySelectorAll("svg g text")].filter((t) => t.textContent === text);
  all[0].scrollIntoView({ block: "center" });
  const { x, y, width, height } = all[0].getBoundingClientRect();
  return [x + width / 2, y + height / 2];
};
window.choose = (operation) => {
  const all = q().querySelector("select");
  all.value = operation;
  all.dispatchEvent(new Event("change"));
};
window.menuLinks = () => [...document.querySelectorAll(".menu a.question-link")];
window.asks = (a) => decodeURIComponent(a.hash.slice(1));
window.violations = async () => (await axe.run({ preload: false })).violations
  .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160))}`);
window.button = (text, k = 0) => [...q(k).querySelectorAll("button")].find((b) => b.innerText === text);
navigator.clipboard.writeText = async (text) => void (window.copied = text);
"""

LAST_WORKER = """
const Plain = Worker;
window.Worker = class extends Plain {
  constructor(...all) {
    super(...all);
    window.lastWorker = this;
  }
};
"""


class Playground:
    def __init__(self, page, url):
        self.page, self.url = page, url

    def open(self, *lines):
        self.page.go("about:blank")
        self.page.go(self.url + "#" + "&".join(urllib.parse.quote(line, safe="") for line in lines))
        self.page.until("document.querySelector('.question')")
        self.page.ask(HELP)
        for k, line in enumerate(lines):
            self.page.until(f"settled({json.dumps(line)}, {k})", 20)
        if lines:
            self.drawn()

    def drawn(self):
        self.page.until("q().querySelector('figure svg') || !q().querySelector('.verdict.answered')", 20)
        time.sleep(0.3)  # the arguments' pictures

    def type(self, line, k=0):
        self.page.ask(f"field({k}).focus(), field({k}).select()")
        self.page.type(line)
        self.page.until(f"settled({json.dumps(line)}, {k})", 20)
        time.sleep(0.3)

    def says(self, k=0):
        return self.page.ask(f"says({k})")


def same(said, right):
    assert said == right, f"{said!r} instead of {right!r}"


def opens(p):
    begin = time.monotonic()
    p.page.go(p.url)
    p.page.until("document.querySelector('.verdict.answered code')", 20)
    took = 1000 * (time.monotonic() - begin)
    assert took < 4000, f"first answer after {took:.0f} ms"
    print(f"first answer after {took:.0f} ms")


def types(p):
    p.open(DEFINED)
    same(p.says(), "=((2,2),3):((24,2),8)")
    p.type(UNDEFINED)
    assert p.says().startswith("undefined"), p.says()
    same(p.page.ask("q().querySelector('tr.broken').innerText"), "5\t(2,1)\t7\t8\t7")
    assert "silent" in p.page.ask("q().querySelector('.others').innerText")
    for request, cute in MODELLED.items():
        p.type(request)
        assert cute in p.page.ask("q().querySelector('.others').innerText"), request
    p.type("composition (6,2:(8,2)")
    same(p.says(), "Column 13: '(' is never closed")
    same(p.page.ask("q().querySelector('mark').previousSibling.textContent"), "composition ")
    same(p.page.ask("field().getAttribute('aria-invalid')"), "true")
    p.type("coalesce((2, (1, 6)):(1, (6, 2)))")
    assert "read as" in p.says() and "12:1" in p.says(), p.says()
    p.type("(4,8):(8,1) o ? = 32:1")
    same(p.says().split("\n")[0], "=(8,4):(4,1)")
    p.page.until("figure('Answer') && figure('A') && figure('B')")
    p.type("(4,8):(8,1) --bonks 16")
    p.page.until("says().startsWith('Column')")
    same(urllib.parse.unquote(p.page.ask("location.hash")), "#(4,8):(8,1) --bonks 16")


def points(p):
    p.open(DEFINED)
    p.page.until("figure('Answer') && figure('A') && figure('B')")
    x, y = p.page.ask("label('Answer', '32')")  # of index 5
    p.page.point(x, y)
    same([p.page.ask(f"lit('{name}')") for name in ("Answer", "A", "B")], [1, 1, 1])
    same(p.page.ask("q().querySelector('tr.lit').innerText"), "5\t((1,0),1)\t4\t32")
    assert "32" in p.page.ask("figure('A').querySelector('.readout').innerText")
    assert p.page.ask("q().querySelector('.steps li.lit:last-child .where').innerText") == "32 at 5"
    p.page.point(5, 5)
    same(p.page.ask("lit('Answer')"), 0)
    p.page.ask("q().querySelectorAll('tbody tr')[4].focus()")
    p.page.key("ArrowDown")
    same(p.page.ask("[q().querySelector('tr.lit').innerText, lit('A'), lit('B')]"), ["5\t((1,0),1)\t4\t32", 1, 1])
    said = p.page.ask("figure('Answer').querySelector('.unseen').innerText")
    assert said.endswith("32. In A: row 4, column 0, 32. In B: row 1, column 1, 4. Step 3 has 32 at 5"), said


# Of requests: a cell of one of their pictures, and in how many cells of each it lights up.
LINKED = [
    (PARTITION, "Who has what", "T33", {"Who has what": 8, "A": 8, "Answer": 1}),
    (PARTITION, "Who has what", "T34", {"Who has what": 8, "A": 8, "Answer": 0}),
    (PARTITION, "Answer", "786", {"Who has what": 1, "A": 1, "Answer": 1}),
    ("local_tile (8,8):(1,8) <4,4> (0,1)", "Answer", "41", {"Who has what": 1, "A": 1, "Answer": 1}),
    ("raked_product (2,2):(1,2) (2,3):(1,2)", "Answer", "13", {"Answer": 1, "A": 1, "B": 1}),
    ("zipped_divide 24:1 4:2", "T", "2", {"A": 6, "Answer": 6, "T": 1}),
    ("bank_conflict_phases Sw<2,3,3>o0o(8,4):(64,8) 16b SM75_U32x4_LDSM_N", "Answer", "T9", {"Answer": 1, "A": 1}),
]


def links_shares(p):
    for request, name, text, lit in LINKED:
        p.open(request)
        p.page.until(" && ".join(f"figure('{name}')" for name in lit))
        p.page.point(*p.page.ask(f"label('{name}', '{text}')"))
        same({name: p.page.ask(f"lit('{name}')") for name in lit}, lit)
        same(p.page.ask("Boolean(q().querySelector('.steps .lit'))"), "bank" not in request)


def draws_what_fits(p):
    p.open("(4,8):(8,1)")
    p.type("zipped_divide (256,256):(1,256) <32,8>")
    p.page.until("q().querySelector('.see .quiet').innerText.startsWith('No picture: 65536 cells are too many')", 20)
    p.type("(4,8):(8,1)")
    p.page.until("q().querySelector('figure svg') && !q().querySelector('.see > .quiet').innerText")


def pins(p):
    p.open(ATOM)
    p.page.ask("q().querySelector('.paper').focus()")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        p.page.key(key)
    pinned = p.page.ask("q().querySelector('.pin').innerText")
    assert pinned.startswith("Pinned: T"), pinned
    count = p.page.ask("q().querySelector('path.lit').getAttribute('d').match(/M/g).length")
    assert count > 4, f"{count} cells of a thread in A, B and C"
    assert "row" in p.page.ask("q().querySelector('figure .unseen').innerText")
    p.page.key("Escape")
    same(p.page.ask("q().querySelector('.pin').hidden && !q().querySelector('path.lit')"), True)
    p.open(PARTITION)
    p.page.until("figure('Who has what') && figure('Answer')")


def follows(p):
    p.open(DEFINED, UNDEFINED)
    same([p.says(0)[:1], p.says(1)[:9]], ["=", "undefined"])
    links = p.page.ask("menuLinks().map(asks)")
    assert len(links) > 12
    p.open(DEFINED)
    for line in links:
        p.page.ask(f"menuLinks().find((a) => asks(a) === {json.dumps(line)}).click()")
        p.page.until(f"settled({json.dumps(line)})", 20)
        p.page.until("q().querySelector('figure svg') || q().querySelector('.verdict.malformed')", 20)
        assert not p.page.ask("q().querySelector('.verdict.malformed')"), f"{line}: {p.says()}"
    p.page.ask("history.back()")
    p.page.until(f"field().value === {json.dumps(links[-2])}")
    p.page.ask("document.querySelector('.menu:nth-of-type(2) summary').click()")
    assert links[0] in p.page.ask("document.getElementById('past').innerText")


def copies(p):
    p.open(DEFINED)
    right = {
        "Case": DEFINED + " = ((2,2),3):((24,2),8)",
        "Command": f"colex explain '{DEFINED}'",
        "Python": 'import colex_layouts as cx\n\ncx.composition("(6,2):(8,2)", "(4,3):(3,1)")',
        "Link": p.page.ask("location.href"),
    }
    for name, text in right.items():
        p.page.ask(f"button('{name}').click()")
        same(p.page.ask("copied"), text)
    p.page.ask("button('C++').click()")
    assert "composition(make_layout(make_shape(Int<6>{}, Int<2>{})" in p.page.ask("copied"), p.page.ask("copied")
    p.page.ask("window.saved = []; HTMLAnchorElement.prototype.click = function () { saved.push(this.download); }")
    p.page.ask("button('SVG').click(), button('PNG').click()")
    p.page.until("saved.length === 2")
    names = p.page.ask("saved")
    assert names[0].endswith(".svg") and names[1].endswith(".png"), names


def forms(p):
    p.open(DEFINED)
    p.page.until("q().querySelectorAll('select option').length > 100")
    same(p.page.ask("q().querySelector('select').value"), "composition")
    p.page.ask("q().querySelector('details.panel').open = true")
    number = "q().querySelector('.numbers input')"
    p.page.ask(f"{number}.value = 9, {number}.dispatchEvent(new Event('input', {{ bubbles: true }}))")
    p.page.until(f"settled({json.dumps(DEFINED.replace('(6,2)', '(9,2)'))})")
    x, y = p.page.ask(f"(() => {{ const b = {number}.getBoundingClientRect(); return [b.x + 20, b.y + 10]; }})()")
    p.page.point(x, y, "mousePressed", button="left", clickCount=1)
    for by in (10, 20, 31):
        p.page.point(x + by, y, button="left", buttons=1)
    p.page.point(x + 31, y, "mouseReleased", button="left", clickCount=1)
    p.page.until(f"settled({json.dumps(DEFINED.replace('(6,2)', '(12,2)'))})")
    first_of_group = "[...q().querySelectorAll('optgroup')].flatMap((g) => [...g.children].slice(0, 4).map((o) => o.value))"
    for operation in p.page.ask(first_of_group):
        p.page.ask(f"choose('{operation}')")
        p.page.until("q().getAttribute('aria-busy') === 'false'", 20)
        assert not p.page.ask("q().querySelector('.verdict.malformed')"), f"{operation}: {p.says()}"
        same(p.page.ask("q().querySelector('select').value"), operation)


def completes(p):
    def begun(text):
        p.page.ask("field().focus(), field().select()")
        p.page.type(text)
        p.page.until("q().querySelector('.offers li')")

    p.open(DEFINED)
    begun("composi")
    same(p.page.ask("q().querySelector('.offers li').innerText.split(/\\s/)[0]"), "composition")
    p.page.key("ArrowDown")
    same(p.page.ask("document.getElementById(field().getAttribute('aria-activedescendant')).ariaSelected"), "true")
    p.page.key("Enter")
    same(p.page.ask("[field().value, q().querySelector('.offers').hidden]"), ["composition ", True])
    begun("composition_pointw")
    p.page.key("Tab")  # a law, as a case of its own
    p.page.until("says().startsWith('=') && field().value.startsWith('composition (')")
    begun("mma_atom SM80_16x8x16_F32F16")
    p.page.key("Tab")
    same(p.page.ask("field().value"), f"mma_atom {ATOM}")
    begun("mma_atom SM80_16x8x")
    p.page.key("Escape")
    same(p.page.ask("[field().value, q().querySelector('.offers').hidden]"), ["mma_atom SM80_16x8x", True])


def exercises(p):
    def begin(line, told):
        p.page.go("about:blank")
        p.page.go(f"{p.url}#{urllib.parse.quote(line)}{told}")
        p.page.until("document.querySelector('.question')")
        p.page.ask(HELP)
        p.page.until(f"settled({json.dumps(line)})", 20)

    judged = "document.querySelector('.exercise output').innerText"
    begin("cosize (4,8):(1,5)", exercise("How many cells?", "no padding behind the last", "38"))
    same(p.page.ask("document.querySelector('.exercise p').innerText"), "How many cells?")
    assert p.page.ask(judged).startswith("Not yet"), p.page.ask(judged)
    p.type("cosize (8,4):(1,10)")
    same(p.page.ask(judged), "Right: no padding behind the last.")
    p.page.until("location.hash.includes('exercise') && location.hash.includes('10')")
    begin("idx2crd 7 (3,5)", exercise("Which pixel?", "", None))  # to be said before it is seen
    same(p.page.ask("q().querySelector('.verdict').checkVisibility()"), False)
    for guess, right in (("(2,1)", "Not yet: the answer is another."), ("(1, 2)", "Right.")):
        p.page.ask("document.querySelector('.exercise input').focus(), document.querySelector('.exercise input').select()")
        p.page.type(guess)
        p.page.ask("document.querySelector('.exercise form button').click()")
        same(p.page.ask(judged), right)
    same(p.page.ask("q().querySelector('.verdict').checkVisibility()"), True)
    p.page.ask("[...document.querySelectorAll('.exercise button')].at(-1).click()")
    p.page.until("document.querySelector('.exercise').hidden && !location.hash.includes('exercise')")
    begin(DEFINED, "&exercise=%25")
    assert "cannot be read" in p.page.ask("document.querySelector('.exercise').innerText")


def ends_a_hang(p):
    p.open(DEFINED)
    p.page.ask(f"field().value = {json.dumps(HANGS)}, field().dispatchEvent(new Event('input'))")
    p.page.until("q().querySelector('.verdict.ended')", 30)
    p.type(DEFINED)
    same(p.says(), "=((2,2),3):((24,2),8)")


def survives(p):
    """What is deep is answered; an engine that stops is replaced."""
    p.page.call("Page.addScriptToEvaluateOnNewDocument", source=LAST_WORKER)
    p.open(DEFINED)
    p.type(f"flatten {'(' * 255}2{')' * 255}:{'(' * 255}1{')' * 255}")
    assert p.says().startswith("=(2):(1)"), p.says()
    p.page.ask("lastWorker.postMessage({ tasks: [{ kind: 'nothing' }], fresh: true })")
    p.page.until("q().querySelector('.verdict.ended')")
    p.type(DEFINED)
    same(p.says(), "=((2,2),3):((24,2),8)")


def fits(p):
    for line in (DEFINED, UNDEFINED, PARTITION, ATOM, "zipped_divide (9,(4,8)):(59,(13,1)) <3:3,(2,4):(1,8)>"):
        for width in (400, 1280, 3840):
            p.page.size(width, 900)
            p.open(line)
            wide = p.page.ask("document.scrollingElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{line}: {wide} pixels too wide for {width}"
    p.page.size(400, 900)
    p.open(ATOM)
    assert p.page.ask("q().querySelector('.paper').scrollLeft") > 0  # to the uppermost panel, B
    p.page.size(1280, 900)


# What axe is to see.
PLANTED = {
    "color-contrast": "q().querySelector('.copies button').style.color = '#bbb'",
    "label-title-only": "document.querySelector('label[for=line-1]').remove()",
    "tabindex": "document.getElementById('twice').tabIndex = 5",
    "aria-roles": "q().querySelector('.paper').setAttribute('role', 'pictur')",
    "page-has-heading-one": "document.querySelector('h1').remove()",
}


def violations(page, plant="0"):
    axe = pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text()
    page.ask(f"{axe};{plant};0")
    return page.ask("violations()")


def sees_what_is_planted(p):
    p.open(DEFINED)
    found = {each.split(":")[0] for each in violations(p.page, ";".join(PLANTED.values()))}
    assert found >= set(PLANTED), f"{set(PLANTED) - found} not seen"


def has_no_violations(p):
    for line, dark in (
        ("composi", False),
        (DEFINED, False),
        (UNDEFINED, True),
        (ATOM, False),
        ("composition (6,2:(8,2)", True),
    ):
        p.page.dark(dark)
        p.open(DEFINED)
        p.type(line)
        found = violations(p.page)
        assert not found, f"{line}, {'dark' if dark else 'light'}: " + "\n  ".join(found)
    p.page.dark(False)


# ---- the book ----


def book_has_no_violations(page, book):
    names = "index chapters/2_algebra operations/complement strength speed search".split()
    for dark, name in enumerate(names):
        page.dark(dark % 2)
        page.go(f"{book}/{name}.html")
        page.until(f"document.readyState === 'complete' && location.href.endsWith('{name}.html')")
        page.ask(HELP)
        found = violations(page)
        assert not found, f"{name}, {'dark' if dark % 2 else 'light'}: " + "\n  ".join(found)
    page.dark(False)


def book_is_searched(page, book):
    page.go(f"{book}/search.html?q=swizzle")
    page.until(
        "[...document.querySelectorAll('#search-results a')].some((a) => a.href.endsWith('operations/swizzle_for.html'))"
    )


def stays_small(p):
    p.open(DEFINED)

    def used():
        p.page.call("HeapProfiler.collectGarbage")
        return p.page.call("Runtime.getHeapUsage")["usedSize"]

    def keystrokes(count):
        p.page.ask(f"""(async () => {{
            for (let k = 0; k < {count}; ++k) {{
              field().value = `composition (${{6 + k % 7}},2):(8,2) (2,3):(3,${{1 + k % 5}})`;
              const begin = performance.now();
              field().dispatchEvent(new Event("input"));
              (window.took ??= []).push(performance.now() - begin);
              await new Promise((done) => setTimeout(done, 10));
            }}
            return 0;
        }})()""")

    keystrokes(200)
    before = used()
    keystrokes(400)
    grown = (used() - before) / 2**20
    assert grown < 4, f"{grown:.1f} MiB more after 400 requests"
    print(f"a keystroke {p.page.ask('took.sort((a, b) => a - b)[took.length >> 1]'):.1f} ms, {grown:.1f} MiB more after 400")


def main(url, size, most, book):
    import devtools

    assert size < most, f"the page has {size} bytes, not less than {most}"

    with devtools.Page("chromium") as page:
        p = Playground(page, url)
        for test in (
            opens, types, points, links_shares, draws_what_fits, pins,
            follows, copies, forms, completes, exercises, ends_a_hang, survives, fits,
            has_no_violations, sees_what_is_planted, stays_small
        ):  # fmt: skip
            begin = time.monotonic()
            test(p)
            print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        for test in (book_has_no_violations, book_is_searched) if book else ():
            begin = time.monotonic()
            test(page, book)
            print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        assert not page.log, "\n".join(page.log)
        elsewhere = [r for r in page.requests if not r.startswith(("file:", "blob:", "data:", "about:"))]
        assert not elsewhere, elsewhere


if __name__ == "__main__":
    python, file, linked, *book = sys.argv[1:]
    if not shutil.which("chromium") or not os.path.exists(python):
        print("skipped: no chromium, or no Python that can drive it: ./run site --test installs both")
        sys.exit(77)
    if not importlib.util.find_spec("websocket"):
        os.execv(python, [python, *sys.argv])
    book = book and pathlib.Path(book[0]).resolve().as_uri()
    main(pathlib.Path(file).resolve().as_uri(), os.path.getsize(file), MOST[linked], book)
