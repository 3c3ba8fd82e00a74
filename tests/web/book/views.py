# Tables of the book that are more than a list: who breaks which law, cases, counts.
# SPDX-License-Identifier: Apache-2.0
import collections
import fnmatch
import html
import re

import documents
import pages

MARKS = {"wrong": "✗", "silent": "!", "refused": "−", "died": "†"}


def verdict_id(implementation, law):
    return f"{pages.slug(implementation)}.{law}"


def mark(implementation, verdict):
    said = html.escape(f"{verdict.verdict}: {verdict.where} left {verdict.left} right {verdict.right}".replace("`", ""))
    place = f"spec/peers.html#{verdict_id(implementation, verdict.law)}"
    name = verdict.verdict
    return f'<a class="{name}" href="{place}" title="{said}">{MARKS.get(name, name)}<span class="hidden"> {name}</span></a>'


def dashboard(book):
    """A row for each law that somebody breaks, below the operation that it is about."""
    shown = {name: {each.law: each for each in verdicts} for name, verdicts in book.verdicts.items() if verdicts}
    head = "".join(f'<th scope="col"><span>{html.escape(name.replace("`", ""))}</span></th>' for name in shown)
    rows, operation = [], None
    for law in book.laws.values():
        name = law["law"]
        if not any(name in verdicts for verdicts in shown.values()):
            continue
        if law["operation"] != operation:
            operation = law["operation"]
            link = f'<a href="operations/{operation}.html">{operation}</a>'
            rows.append(f'<tr class="operation"><th scope="rowgroup" colspan="{len(shown) + 1}">{link}</th></tr>')
        cells = "".join(f"<td>{mark(who, said[name]) if name in said else ''}</td>" for who, said in shown.items())
        rows.append(f'<tr><th scope="row"><a href="operations/{operation}.html#{name}">{name}</a></th>{cells}</tr>')
    legend = " ".join(f'<span class="{name}">{sign}</span> {name}' for name, sign in MARKS.items())
    return (
        f'<p class="legend">{legend}</p>'
        '<div class="table-wrapper" tabindex="0" role="region" aria-label="Laws by implementation">'
        f'<table class="dashboard"><thead><tr><th scope="col">law</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def rows(table):
    """A table of Markdown, of rows of cells."""
    lines = ["| " + " | ".join(row) + " |" for row in table]
    return "\n".join([lines[0], "|" + "---|" * len(table[0]), *lines[1:]])


def case_rows(cases, depth):
    """Each case with what it is about; a value that is no answer stands out."""
    shown = []
    for case in cases:
        link = pages.play(case.request, depth)
        note = f' <span class="remark">{html.escape(case.remark)}</span>' if case.remark else ""
        shown.append(f"<li>{link} {case.relation} {pages.code(case.answer)}{note}</li>")
    return pages.raw('<ul class="cases">' + "".join(shown) + "</ul>")


def operations_table(book, group):
    """The operations of a group, as Markdown."""
    table = [["operation", "takes", ""]]
    for name in book.in_group(group):
        takes = book.operations[name]["arguments"].replace("|", "\\|")
        table.append([f"[{name}](../{name}.md)", f"`{takes}`", book.gist(name)])
    return rows(table)


def unproved(book):
    """(laws, reason, how many) of each entry of the list."""
    entries = documents.reasons(book.pages.read("proofs/unproved.txt"))
    names = [law["law"] for law in book.laws.values() if not law["proved"]]
    counts = collections.Counter(next(pattern for pattern, _ in entries if fnmatch.fnmatch(name, pattern)) for name in names)
    return [(pattern, why, counts[pattern]) for pattern, why in entries]


def case_files(book):
    count = collections.Counter(case.file for cases in book.cases.values() for case in cases)
    return sorted(count.items())


def entries(text):
    """Lines of a list that are no comments."""
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def planted(book):
    text = book.pages.read("tests/mutation/planted_defects.txt")
    return [line[2:] for line in text.splitlines() if line.startswith("= ")]


def known_defects(book):
    return [[part.strip() for part in line.split(" | ")] for line in entries(book.pages.read("tests/peers/defects.txt"))]


def coverage(book):
    """(part, least coverage of branches in percent), as `./run coverage` asks for."""
    return re.findall(r"^  covered (\w+) (\d+) ", book.pages.read("run"), re.M)


def compile_limits(book):
    """(what, seconds, megabytes, compiler) of `./run bench`."""
    return re.findall(r'"\$build/bench_compile" (\w+) (\d+) (\d+) \.\w+ (\S+)', book.pages.read("run"))


def section(book, path, title, page):
    """What stands under a heading of a document, for another page."""
    text = dict(documents.parts(book.pages.read(path), "##"))[title]
    return book.pages.prose(text, path, page)


def doors(entries):
    cards = "".join(f'<a href="{place}"><strong>{title}</strong><span>{text}</span></a>' for place, title, text in entries)
    return f'<nav class="doors" aria-label="Parts of the book">{cards}</nav>'
