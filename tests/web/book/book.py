# Writes the book as Markdown for Sphinx: chapters, a page for each operation, the documents of spec/ and what they link to.
#   book.py COLEX OUTPUT
# SPDX-License-Identifier: Apache-2.0
import collections
import pathlib
import re
import sys

import documents
import jinja2
import pages
import views
from chapter import Chapter
from tool import Mistake, Tool

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# What the book's table of contents names.
DOCUMENTS = [
    *(f"spec/{name}.md" for name in ("laws", "errata", "plans", "found", "peers", "versions")),
    *(f"spec/guide/{name}.md" for name in ("see", "judge", "gate", "python", "kernel", "gemm", "fuzz")),
    "proofs/README.md",
    "tests/bench/NOTES.md",
]
GROUPS = {
    "coordinates": "Shapes and coordinates",
    "making": "Making and editing",
    "algebra": "The algebra",
    "f2": "Linear maps over F2",
    "tensors": "Tensors, tiles and banks",
    "atoms": "Atoms",
    "tiled_mma": "Tiled MMA",
    "tiled_copy": "Tiled copy",
}
# A picture is shown where it fits a page.
WIDEST, HIGHEST = 900, 700
PICTURES = 4


class Book:
    def __init__(self, colex, output):
        self.tool, self.output = Tool(colex), output
        self.operations = {each["operation"]: each for each in self.tool.listed("ops")}
        self.laws = {each["law"]: each for each in self.tool.listed("laws")}
        places = {name: self.page_of_operation(law["operation"]) for name, law in self.laws.items()}
        self.pages = pages.Pages(ROOT, self.tool, places)
        self.texts, self.statements = documents.sections(self.pages.read("spec/laws.md"))
        self.errata = list(documents.errata(self.pages.read("spec/errata.md")))
        self.finds = list(documents.finds(self.pages.read("spec/found.md")))
        self.summary, self.verdicts = documents.verdicts(self.pages.read("spec/peers.md"))
        self.cases = collections.defaultdict(list)
        for path in sorted(ROOT.glob("spec/cases/*.txt"), key=lambda path: ("documents" in path.name, path)):
            for case in documents.read_cases(path, f"spec/cases/{path.name}"):
                self.cases[case.request.split()[0]].append(case)
        self.theorems = {}
        for path in sorted(ROOT.glob("proofs/*/*.v")):
            self.theorems.update(documents.theorems(path, str(path.relative_to(ROOT))))
        self.templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader([HERE / "templates", HERE / "chapters"]),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def write(self, page, text):
        path = self.output / f"{page}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def render(self, page, template, **known):
        chapter = Chapter(self, page)
        may = {name: getattr(chapter, name) for name in dir(chapter) if not name.startswith("_")}
        self.write(page, self.templates.get_template(template).render(may, book=self, views=views, groups=GROUPS, **known))

    def in_playground(self, request):
        """A question that can be asked, or what can only be drawn: a layout, the name of an atom, everybody's share."""
        return " " not in request or self.tool.understands(request) or self.tool.draws(request)

    def proved(self):
        return [law for law in self.laws.values() if law["proved"]]

    def chapters(self):
        return sorted(path.name[: -len(".md.j2")] for path in HERE.glob("chapters/*.md.j2"))

    # Operations

    def page_of_operation(self, name):
        return f"operations/{name}"

    def in_group(self, group):
        return [name for name, each in self.operations.items() if each["group"] == group]

    def base(self, name):
        """Whose section of laws.md defines it: its own, or that of a tiled copy that is made for any operand."""
        if name in self.texts:
            return name
        plain = re.sub(r"^tiled_copy_[ABC]_", "", name)
        return plain if plain in self.texts else f"tiled_copy_{plain}"

    def definition(self, name):
        """The section's text, with the introduction of the operations that are made for an operand."""
        operand = re.match(r"tiled_copy_([ABC])_", name)
        made = [self.texts[f"tiled_copy_{operand[1]}_layout_TV"]] if operand and not name.endswith("_layout_TV") else []
        return "\n\n".join([*made, self.texts[self.base(name)]])

    def gist(self, name):
        """The first sentence of the definition, behind the signature."""
        text = re.sub(r"^(    .*\n|\n)+", "", self.texts[self.base(name)] + "\n")
        return re.split(r"(?<=[^.][.])\s|\n\n", text.replace("**", ""), maxsplit=1)[0].replace("\n", " ").rstrip(".:") + "."

    def laws_of(self, name):
        return [law for law in self.laws.values() if law["operation"] == name]

    def errata_of(self, name):
        laws = {law["law"] for law in self.laws_of(name)}
        for erratum in self.errata:
            asked = {line.split()[0] for line in re.findall(r"^\w+ .*[=~].*$", erratum.text, re.M)}
            if laws & set(erratum.laws) or (not erratum.laws and name in asked):
                yield erratum

    def finds_of(self, name):
        return [find for find in self.finds if find.request.split()[0] == name]

    def broken(self, law):
        """(implementation, verdict) of those that break a law."""
        for implementation, verdicts in self.verdicts.items():
            for each in verdicts:
                if each.law == law:
                    yield implementation, each

    def small(self, request):
        """Can it be drawn, in a size that fits?"""
        if not self.tool.draws(request):
            return False
        width, height = map(float, re.search(r'width="([\d.]+)" height="([\d.]+)"', self.tool.draw(request)).groups())
        return width <= WIDEST and height <= HIGHEST

    def arguments_drawn(self, name, words):
        """What can be drawn of a request's arguments: who holds what where it asks for a share, else each layout."""
        tiled = {"tiled_mma": f"tiled_mma {' '.join(words[1:4])}", "tiled_copy": f"tiled_copy {' '.join(words[1:5])}"}
        group = self.operations[name]["group"]
        if group in ("tensors", *tiled):
            shares = [" ".join(words[:-1]), tiled.get(group, "")]
            if drawn := [each for each in shares if " " in each and self.small(each)][:1]:
                return drawn
        layouts = [word for word in words[1:] if ":" in word and "<" not in word and group not in tiled and self.small(word)]
        if name == "apply" and layouts and re.fullmatch(r"\(\d+,\d+\)", words[-1]):
            return [f"{layouts[0]} --highlight {words[-1]}"]
        return list(dict.fromkeys(layouts))

    def pictures(self, name):
        """Of the first cases that can be drawn: their arguments, then the answer."""
        shown = []
        for case in self.cases[name]:
            if len(shown) == PICTURES:
                break
            answer = [case.request] if self.small(case.request) else []
            drawn = self.arguments_drawn(name, case.request.split()) + answer
            if drawn and not case.answer.startswith("un"):
                shown.append((case, drawn))
        return shown

    def steps(self, name):
        """An answered and an undefined request of the operation, for its steps."""
        cases = [case for case in self.cases[name] if len(case.request) < 120]
        answered = [case for case in cases if not case.answer.startswith("un")]
        refused = [case for case in cases if case.answer == "undefined"]
        return [case.request for case in [*answered[:1], *refused[:1]]]

    # The book

    def write_operations(self):
        for group, title in GROUPS.items():
            self.render(f"operations/groups/{group}", "group.md.j2", group=group, title=title)
            for name in self.in_group(group):
                self.render(self.page_of_operation(name), "operation.md.j2", name=name, operation=self.operations[name])

    def write_documents(self):
        """Those that somebody links to, until nobody links to one that is not there."""
        for path in [*DOCUMENTS, *sorted({each.file for each in self.theorems.values()})]:
            self.pages.page_of(path)
        for path in self.pages.wanted:
            page = self.pages.page_of(path)
            if path.endswith(".md"):
                text = self.with_places(path, self.pages.prose(self.pages.read(path), path, page))
            else:
                text = self.pages.source(path)
            self.write(page, f"---\n{'tocdepth: 2' if path in DOCUMENTS else 'orphan: true'}\n---\n\n{text}")

    def with_places(self, path, text):
        """A document with what only the book has: pages of operations, requests that open, a place for each verdict."""
        if path == "spec/laws.md":
            return re.sub(r"^## (.+)$", self.with_pages, text, flags=re.M)
        if path == "spec/found.md":
            opened = "open in the playground"
            return re.sub(r"^### (\w+ .*[:(<\d].*)$", lambda r: f"{r[0]}\n\n{pages.play(r[1], 1, opened)}", text, flags=re.M)
        return with_verdict_places(text) if path == "spec/peers.md" else text

    def with_pages(self, heading):
        """A heading of laws.md, with the pages of its operations below it."""
        names = [name for name in heading[1].split(", ") if name in self.operations]
        links = ", ".join(f"[{name}](../{self.page_of_operation(name)}.md)" for name in names)
        return f"{heading[0]}\n\nPictures, cases and implementations: {links}" if names else heading[0]

    def figures(self):
        """Of spec/figures: (heading, [(file, command)])."""
        found = []
        for line in self.pages.read("spec/figures/figures.txt").splitlines():
            if line.startswith("# ") and not line.startswith("# ("):
                found.append((line[2:], []))
            elif " | " in line:
                found[-1][1].append(line.split(" | ", 1))
        return [(heading, [each for each in figures if each[0].endswith(".svg")]) for heading, figures in found]

    def write_book(self):
        self.write_operations()
        for chapter in self.chapters():
            without_answers(HERE / "chapters" / f"{chapter}.md.j2")
            self.render(f"chapters/{chapter}", f"{chapter}.md.j2")
        for page in ("index", "dashboard", "strength", "speed", "figures"):
            self.render(page, f"{page}.md.j2")
        self.write_documents()
        static = self.output / "static"
        static.mkdir(exist_ok=True)
        (static / "pictures.css").write_text(self.tool.style_sheet(), encoding="utf-8")


def with_verdict_places(text):
    """peers.md with an id for each verdict."""
    lines, implementation = [], ""
    for line in text.splitlines():
        implementation = line[3:].strip() if line.startswith("## ") else implementation
        if law := re.match(r"\| <a [^>]*>(\w+)</a> \|", line):
            line = f'| <span id="{views.verdict_id(implementation, law[1])}"></span>{line[2:]}'
        lines.append(line)
    return "\n".join(lines)


def without_answers(path):
    """A chapter writes no layout itself: it asks, or has one checked."""
    plain = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", path.read_text(encoding="utf-8"), flags=re.S)
    if found := re.search(r"\S*\d\)*:\(*-?\d\S*", plain):
        raise Mistake(f"{path.name}: {found[0]} is not asked for")


def main(colex, output):
    try:
        Book(colex, pathlib.Path(output)).write_book()
    except Mistake as mistake:
        sys.exit(f"book.py: {mistake}")


if __name__ == "__main__":
    main(*sys.argv[1:])
