# Checks the book that was made: every link leads somewhere, every operation has its page and every law its place, what opens in
# the playground is understood, nothing is fetched from elsewhere, and the pages are HTML.
#   check.py BOOK COLEX
# SPDX-License-Identifier: Apache-2.0
import collections
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

import html5lib

PLAYGROUND = "playground.html"
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "use": "href", "object": "data"}
# What the source pages hold is the text of a file, as its highlighter wrote it; to parse it takes long.
SOURCES = "sources"


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.fetched = collections.Counter(), [], re.findall(r"url\(([^)]*)\)", text)
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        if "id" in has:
            self.ids[has["id"]] += 1
        if tag == "a" and has.get("href"):
            self.links.append(has["href"])
        if has.get(FETCHED.get(tag)):
            self.fetched.append(has[FETCHED[tag]])


def is_elsewhere(address):
    return bool(re.match(r"(\w[\w+.-]*:)?//", address))


def wrong_links(book, pages):
    for place, page in pages.items():
        for link in {*page.links, *page.fetched}:
            name, _, anchor = urllib.parse.unquote(link).partition("#")
            if re.match(r"\w[\w+.-]*:", link) or name.endswith(PLAYGROUND):
                continue
            target = (book / place).parent.joinpath(name.partition("?")[0]).resolve() if name else book / place
            if not target.is_file():
                yield f"{place}: {link}"
            elif anchor and target.suffix == ".html" and anchor not in pages[target.relative_to(book)].ids:
                yield f"{place}: {link}: no such place on the page"


def fetched_from_elsewhere(book, pages):
    for place, page in pages.items():
        yield from (f"{place}: {address}" for address in page.fetched if is_elsewhere(address))
    for sheet in book.rglob("*.css"):
        addresses = re.findall(r"(?:@import\s+|url\()[\"']?([^\"')\s]+)", sheet.read_text(encoding="utf-8"))
        yield from (f"{sheet.name}: {address}" for address in addresses if is_elsewhere(address))


def said(colex, *words):
    return subprocess.run([colex, *words], capture_output=True, text=True).returncode in (0, 1)


def not_understood(colex, pages):
    """Requests are asked, all at once; layouts, atoms and what else is no request are drawn."""
    links = {link for page in pages.values() for link in page.links if PLAYGROUND + "#" in link}
    requests = sorted({urllib.parse.unquote(link.partition("#")[2].partition("&")[0]) for link in links})
    asked = [request for request in requests if " " in request]
    answers = subprocess.run([colex, "ask", "--json"], input="\n".join(asked), capture_output=True, text=True).stdout
    statuses = [json.loads(line)["status"] for line in answers.splitlines()]
    drawn = {request for request, status in zip(asked, statuses) if status == "malformed"}.union(set(requests) - set(asked))
    if len(asked) != len(statuses):
        yield f"{len(asked)} requests and {len(statuses)} answers"
    yield from (request for request in sorted(drawn) if not said(colex, "draw", request))
    if not requests:
        yield "no link leads to the playground"


def missing(colex, pages):
    """Operations without a page, and laws that have not one place on one of these pages."""
    operations = json.loads(subprocess.run([colex, "ops", "--json"], capture_output=True, text=True, check=True).stdout)
    laws = json.loads(subprocess.run([colex, "laws", "--json"], capture_output=True, text=True, check=True).stdout)
    of = {each["operation"]: pages.get(pathlib.Path("operations", f"{each['operation']}.html")) for each in operations}
    yield from (f"no page of {name}" for name, page in of.items() if page is None)
    places = sum((page.ids for page in of.values() if page), collections.Counter())
    for law, operation in ((each["law"], of[each["operation"]]) for each in laws):
        if places[law] != 1 or (operation and law not in operation.ids):
            yield f"{law} has {places[law]} places, and not one on the page of its operation"


def invalid(book, pages):
    for place, page in pages.items():
        yield from (f"{place}: {name} is the id of {count}" for name, count in page.ids.items() if count > 1)
        if place.parts[0] != SOURCES:
            parser = html5lib.HTMLParser()
            parser.parse((book / place).read_bytes())
            yield from (f"{place}:{line}: {code} {data}" for (line, _), code, data in parser.errors)


def main(book, colex):
    book = pathlib.Path(book).resolve()
    files = [path.relative_to(book) for path in book.rglob("*.html") if path.name != PLAYGROUND]
    pages = {path: Page((book / path).read_text(encoding="utf-8")) for path in files}
    wrong = {
        "leads nowhere": list(wrong_links(book, pages)),
        "fetched from elsewhere": list(fetched_from_elsewhere(book, pages)),
        "not understood": list(not_understood(colex, pages)),
        "missing": list(missing(colex, pages)),
        "no HTML": list(invalid(book, pages)),
    }
    for what, each in wrong.items():
        print(f"{what}: {len(each)}", *each[:10], sep="\n  ")
    links = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {links} links")
    return any(wrong.values()) or not pages


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
