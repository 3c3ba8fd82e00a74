# The repository's Markdown as pages of the book: links lead to pages, pictures stand in the page, cases open the playground.
# SPDX-License-Identifier: Apache-2.0
import html
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import documents
import links
from tool import Mistake, playground

IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]*\.svg)\)")
ERRATUM = re.compile(r"\bE(\d+)\b")
ISSUE = re.compile(r"\b(NVIDIA/cutlass|NVlabs/CuTe)#(\d+)\b")
PAPER = re.compile(r"\barXiv:(\d{4}\.\d{5})\b")
LAW = re.compile(r"\b\w+_\w+\b")
SPANS = re.compile(r"(`+[^`]+`+)")


def literal(text):
    """As Markdown shows it: none of it means anything to Markdown or to HTML."""
    return re.sub(r"[_*\[\]`~\\|]", lambda sign: f"&#{ord(sign[0])};", html.escape(text))


def code(text):
    return f"<code>{literal(text)}</code>"


def raw(text):
    return f"\n~~~~~~{{raw}} html\n{text}\n~~~~~~\n"


def fold(summary, text):
    """What opens when the reader asks for it."""
    return raw(f"<details><summary>{summary}</summary>") + f"\n{text}\n" + raw("</details>")


def slug(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def play(request, depth, text=None, exercise=""):
    """A request that opens in the playground, under its own or another name; exercise: what tool.exercise says of one."""
    address = html.escape(playground(request, depth) + exercise)
    return f'<a class="play" href="{address}">{code(text or request)}</a>'


def play_case(line, depth):
    return play(documents.split_case(line)[0], depth, line)


def figure(svg, caption=""):
    """The caption is HTML."""
    return f'<figure><div class="picture">{svg}</div><figcaption>{caption}</figcaption></figure>'


def seen_from(page, path):
    """The path of a file of the book as a page links to it."""
    return os.path.relpath(path, os.path.dirname(page) or ".")


class Pages:
    """The pages of files of the repository. Whoever links to one gets it made, too."""

    def __init__(self, root, tool, laws):
        self.root, self.tool = root, tool
        self.laws = laws  # {law: the page of its operation}
        self.wanted = []
        errata = documents.errata(self.read("spec/errata.md"))
        self.errata = {each.number: slug(f"{each.number} {each.title}") for each in errata}

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def page_of(self, path):
        """The page, without its ending, that shows a file or folder."""
        if path in ("README.md", "."):
            return "index"
        if path not in self.wanted:
            self.wanted.append(path)
        if (self.root / path).is_dir():
            return f"sources/{path}/index"
        return path[: -len(".md")] if path.endswith(".md") else f"sources/{path}"

    def link(self, target, here, page):
        """What a link in the file `here` leads to, seen from the page."""
        name, mark, anchor = target.strip("<>").partition("#")
        if not name or re.match(r"\w[\w+.-]+:", name):
            return target
        path = os.path.normpath(os.path.join(os.path.dirname(here), name))
        if not (self.root / path).exists():
            raise Mistake(f"{here}: {target} is not there")
        return seen_from(page, self.page_of(path) + ".md") + mark + anchor

    def linked(self, text, here, page, named):
        """Without code in it: its links lead to pages; errata, issues, papers and laws that it names are linked, if wanted."""
        text = re.sub(r"<(?=[A-Za-z])", "&lt;", text)
        if "](" in text or not named:
            return links.INLINE.sub(lambda link: f"]({self.link(link[1], here, page)})", text)
        errata = seen_from(page, "spec/errata.md")
        text = ERRATUM.sub(lambda e: f"[{e[0]}]({errata}#{self.errata[e[0]]})" if e[0] in self.errata else e[0], text)
        text = ISSUE.sub(r"[\g<0>](https://github.com/\1/issues/\2)", text)
        text = PAPER.sub(r"[\g<0>](https://arxiv.org/abs/\1)", text)
        return LAW.sub(lambda name: self.law(name[0], page) if name[0] in self.laws else name[0], text)

    def law(self, name, page):
        return f'<a href="{seen_from(page, self.laws[name])}.html#{name}">{name}</a>'

    def prose(self, text, here, page):
        """A text of the file `here`, as the page has it."""
        depth, lines, cases = page.count("/"), text.splitlines(), False
        for number, line in links.prose(text):
            cases = line.startswith("Cases: ") or (cases and bool(line.strip()))
            if image := IMAGE.fullmatch(line):
                path = os.path.normpath(os.path.join(os.path.dirname(here), image[2]))
                line = raw(figure(self.tool.unstyled(self.read(path)), html.escape(image[1])))
            elif cases:
                line = re.sub(r"`([^`]+)`", lambda span: play_case(span[1], depth), line)
            else:
                parts, named = SPANS.split(line), not line.startswith("#")
                line = "".join(part if k % 2 else self.linked(part, here, page, named) for k, part in enumerate(parts))
            lines[number - 1] = line
        return case_blocks("\n".join(lines), depth)

    def source(self, path):
        """A file or folder that is no Markdown."""
        page, folder = self.page_of(path), self.root / path
        if not folder.is_dir():
            return f"# {path}\n" + raw(listing(path, self.read(path)))
        rows = []
        for each in sorted(entry for entry in folder.iterdir() if is_text(entry)):
            name = str(each.relative_to(self.root))
            rows.append(f"- [{each.name}]({seen_from(page, self.page_of(name) + '.md')})")
        return f"# {path}\n\n" + "\n".join(rows)


def is_text(path):
    return path.is_file() and path.suffix not in (".png", ".svg", ".pyc")


def case_blocks(text, depth):
    def block(found):
        return raw(case_list(found[1].strip().splitlines(), depth))

    return re.sub(r"^```case\n(.*?)^```$", block, text, flags=re.M | re.S)


def case_list(lines, depth):
    return '<ul class="cases">' + "".join(f"<li>{play_case(line, depth)}</li>" for line in lines) + "</ul>"


def listing(path, text):
    """The lines of a source, each with an id such as L-7."""
    import pygments
    from pygments import formatters, lexers

    try:
        lexer = lexers.get_lexer_for_filename(path, text)
    except pygments.util.ClassNotFound:
        lexer = lexers.TextLexer()
    return pygments.highlight(text, lexer, formatters.HtmlFormatter(linespans="L", cssclass="highlight source"))
