# Looks that what the documents point at is there: the file and heading of each relative link, and each path of this repository
# in backquotes. In such a path NAME and * stand for anything, and a line number may follow.
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`]+)`")
PATH = re.compile(r"(?:\./)?((?:[\w.*-]+/)+[\w.*-]*)(?::\d+)?[,;]?")


def headings(file):
    """The anchors that a page of the file has."""
    prose = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ +(.+)$", LINK.sub("]", prose), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_link(file, link):
    name, _, anchor = link.partition("#")
    target = file.parent / name if name else file
    return not target.exists() or (anchor and anchor not in headings(target))


def missing_path(file, word):
    """Is the word a path that begins with a folder of the root's, or of the document's, and leads nowhere?"""
    match = PATH.fullmatch(word)
    top = match and match[1].split("/")[0]
    bases = [base for base in (ROOT, file.parent) if match and top not in ("..", "build") and (base / top).is_dir()]
    return bases and not any(next(base.glob(match[1].replace("NAME", "*").rstrip("/")), None) for base in bases)


folders = [entry for entry in ROOT.iterdir() if entry.is_dir() and not entry.name.startswith((".", "build"))]
checked, failed = 0, []
for file in sorted([*ROOT.glob("*.md"), *(file for folder in folders for file in folder.rglob("*.md"))]):
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        links = [link for link in LINK.findall(SPAN.sub("", line)) if not re.match(r"\w+:", link)]
        words = [word for span in SPAN.findall(line) for word in span.split()]
        checked += len(links) + sum(bool(PATH.fullmatch(word)) for word in words)
        wrong = [link for link in links if broken_link(file, link)] + [word for word in words if missing_path(file, word)]
        failed += [f"{file.relative_to(ROOT)}:{number}: {what} is not there" for what in wrong]

print("\n".join([*failed, f"{checked} links and paths, {len(failed)} broken"]))
sys.exit(bool(failed) or not checked)
