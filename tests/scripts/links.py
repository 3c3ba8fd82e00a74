# Looks that what the documents point at is there: the file, and the heading or line, of each relative link and picture,
# inline or by a label; and each path of the repository in backquotes. In such a path NAME and * stand for anything, and a
# line number may follow. What stands in blocks of code points at nothing.
#   links.py [FOLDER]      the checkout; this one when none is named
# SPDX-License-Identifier: Apache-2.0
import functools
import pathlib
import re
import sys
import urllib.parse

TARGET = r"(<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)"
TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?"""
INLINE = re.compile(rf"\]\(\s*{TARGET}{TITLE}\s*\)")
DEFINITION = re.compile(rf"^ {{0,3}}\[([^\]]+)\]:\s*{TARGET}{TITLE}\s*$")
BY_LABEL = re.compile(r"(?<!\w)\[([^\[\]]+)\]\[([^\[\]]*)\]")
TAG = re.compile(r"""<(?:a|img)\b[^>]*?\s(?:href|src)=["']([^"']*)["']""")
ANCHOR = re.compile(r"""<a\b[^>]*?\s(?:id|name)=["']([^"']*)["']""")
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
PATH = re.compile(r"(?:\./)?((?:[\w.*-]+/)+[\w.*-]*)(?::\d+)?[,;]?")
FENCE = re.compile(r" {0,3}(?:[-*] +|\d+\. +)?(```+|~~~+)")


def prose(text):
    """(number, line) of what is no block of code: not between fences, not indented by four behind an empty line."""
    fence, before, listed, coded = "", "", False, False
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line) if not fence else re.match(rf"\s*({fence}{fence[0]}*)\s*$", line)
        if mark:
            fence = "" if fence else mark[1]
        elif not fence:
            indented = line.startswith(("    ", "\t"))
            listed = bool(re.match(r" *([-*+]|\d+[.)]) ", line)) or (listed and (indented or not line.strip()))
            coded = indented and not listed and (coded or not before.strip())
            if not coded:
                yield number, line
        before = line


@functools.cache
def anchors(file):
    """Those that a page of the file has: of its headings, numbered where they are alike, and by name."""
    found, lines = set(), [line for _, line in prose(file.read_text(encoding="utf-8"))]
    for title in re.findall(r"^ {0,3}#+ +(.+?)(?: +#+)?$", "\n".join(lines), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", INLINE.sub("]", title).lower()).replace(" ", "-")
        found.add(next(name for name in (slug, *(f"{slug}-{k}" for k in range(1, 99))) if name not in found))
    return found | set(ANCHOR.findall("\n".join(lines)))


def has(target, anchor):
    """Is there what an anchor names? A line of any file, or a heading."""
    if lines := re.fullmatch(r"L(\d+)(?:-L(\d+))?", anchor):
        first, last = int(lines[1]), int(lines[2] or lines[1])
        return target.is_file() and 1 <= first <= last <= len(target.read_bytes().splitlines())
    return target.suffix == ".md" and anchor in anchors(target)


def broken_link(file, link):
    name, _, anchor = urllib.parse.unquote(link).partition("#")
    target = file.parent / name if name else file
    return not target.exists() or (anchor and not has(target, anchor))


def missing_path(root, file, word):
    """Is the word a path that begins with a folder of the root's, or of the document's, and leads nowhere?"""
    match = PATH.fullmatch(word)
    top = match and match[1].split("/")[0]
    bases = [base for base in (root, file.parent) if match and top not in ("..", "build") and (base / top).is_dir()]
    return bases and not any(next(base.glob(match[1].replace("NAME", "*").rstrip("/")), None) for base in bases)


def links_of(line):
    text = SPAN.sub("", line)
    definition = DEFINITION.match(text)
    found = [definition[2]] if definition else INLINE.findall(text)
    return [link.strip("<>") for link in found + TAG.findall(text) if not re.match(r"<?\w[\w+.-]+:", link)]


def wrong_in(root, file):
    """(number, what) that leads nowhere, and how much was looked at."""
    lines, wrong, looked_at = list(prose(file.read_text(encoding="utf-8"))), [], 0
    labels = {match[1].lower() for _, line in lines if (match := DEFINITION.match(line))}
    for number, line in lines:
        links = links_of(line)
        named = [(label or text) for text, label in BY_LABEL.findall(SPAN.sub("", line))]
        words = [word for _, span in SPAN.findall(line) for word in span.split()]
        looked_at += len(links) + len(named) + sum(bool(PATH.fullmatch(word)) for word in words)
        wrong += [(number, link) for link in links if broken_link(file, link)]
        wrong += [(number, f"[{label}]") for label in named if label.lower() not in labels]
        wrong += [(number, word) for word in words if missing_path(root, file, word)]
    return wrong, looked_at


def main(root):
    folders = [entry for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith((".", "build"))]
    checked = failed = 0
    for file in sorted([*root.glob("*.md"), *(file for folder in folders for file in folder.rglob("*.md"))]):
        wrong, looked_at = wrong_in(root, file)
        checked, failed = checked + looked_at, failed + len(wrong)
        for number, what in wrong:
            print(f"{file.relative_to(root)}:{number}: {what} is not there")
    print(f"{checked} links and paths, {failed} broken")
    return bool(failed) or not checked


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(*sys.argv[1:]).resolve() if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2]))
