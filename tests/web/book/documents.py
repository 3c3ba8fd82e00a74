# What the documents of spec/ and the proofs say, read from their text: sections, laws, errata, finds, verdicts, cases.
# SPDX-License-Identifier: Apache-2.0
import collections
import re

Case = collections.namedtuple("Case", "request relation answer laws remark file")
Law = collections.namedtuple("Law", "statement where source since cases")
Erratum = collections.namedtuple("Erratum", "number title text laws")
Find = collections.namedtuple("Find", "request why right law thread rows")
Verdict = collections.namedtuple("Verdict", "law verdict where left right")
Theorem = collections.namedtuple("Theorem", "file line text")

SPAN = re.compile(r"`([^`]+)`")


def parts(text, mark):
    """(title, text below it) of each heading of that many #."""
    found = re.split(rf"^{mark} (.+)\n", text, flags=re.M)
    return list(zip(found[1::2], found[2::2]))


def split_case(line):
    """A case line without its comment: request, relation, answer."""
    return re.fullmatch(r"(.+?) ([=~]) (.+)", line.strip()).groups()


def sections(text):
    """Of laws.md: {operation: what stands before its laws}, and {law: Law}."""
    texts, laws = {}, {}
    for title, section in parts(text, "##"):
        before = re.split(r"^#### ", section, maxsplit=1, flags=re.M)[0].strip("\n")
        texts.update((name, before) for name in title.split(", "))
        laws.update((name, read_law(body)) for name, body in parts(section, "####"))
    return texts, laws


def read_law(body):
    flat = " ".join(line.rstrip() for line in body.strip().splitlines())
    parted = re.match(r"`(.+?)` +(?:Where (.*?) +)?Source: (.*?) +(?:Since: (\S+) +)?Cases: (.*)$", flat)
    statement, where, source, since, cases = parted.groups()
    return Law(statement, where or "", source, since or "", [split_case(case) for case in SPAN.findall(cases)])


def errata(text):
    for title, body in parts(text, "###"):
        number, name = title.split(" ", 1)
        law = re.search(r"^- Law: (.*?)\.$", body, re.M | re.S)
        yield Erratum(number, name, re.split(r"^#", body, flags=re.M)[0].strip(), re.findall(r"\w+", law[1]) if law else [])


def table(text):
    """The rows of the first table, cells stripped; a | inside backquotes or behind a backslash is part of its cell."""
    rows = []
    for line in text.splitlines():
        if line.startswith("|"):
            cells = re.findall(r"((?:`[^`]*`|\\.|[^|`\\])*)\|", line[1:])
            rows.append([cell.strip() for cell in cells])
        elif rows:
            break
    return rows[:1] + rows[2:]


def finds(text):
    for title, body in parts(text, "###"):
        right = re.search(r"^Right: `(.*?)`\. \[(\w+)\]\([^)]*\)\.(?: Reported: (.*?)\.)?$", body, re.M)
        why = body.strip().split("\n\n")[0]
        yield Find(title, why, right[1], right[2], right[3] or "", table(body[right.end() :])[1:])


def verdicts(text):
    """Of peers.md: its summary, and {implementation: its broken laws}."""
    return table(text), {title.strip(): [Verdict(*row) for row in table(body)[1:]] for title, body in parts(text, "##")}


def read_cases(path, name):
    for line in path.read_text(encoding="utf-8").splitlines():
        case, _, comment = line.partition("#")
        if case.strip():
            laws, _, remark = comment.strip().partition(" - ")
            yield Case(*split_case(case), laws.split(), remark, name)


def theorems(path, name):
    """{name: where a theorem stands and what it says}."""
    text = path.read_text(encoding="utf-8")
    for found in re.finditer(r"^(?:Theorem|Lemma) (\w+)\b.*?\.(?=\s)(?=\s*Proof)", text, re.M | re.S):
        yield found[1], Theorem(name, text.count("\n", 0, found.start()) + 1, found[0])


def reasons(text):
    return [tuple(part.strip() for part in line.split(" | ")) for line in text.splitlines() if " | " in line and line[0] != "#"]
