# What the tool says: every answer, step and picture in the book is asked for when the book is made.
# SPDX-License-Identifier: Apache-2.0
import base64
import functools
import json
import re
import subprocess
import urllib.parse

STYLE = re.compile(r"<style>\n(?P<light>.*?)\n@media \(prefers-color-scheme:dark\)\{\n(?P<dark>.*?)\n\}\n</style>\n", re.S)
TITLE = re.compile(r"<title>(.*?)</title>", re.S)
HEADING = 22  # of a picture's height
UNDEFINED = 1  # the tool's exit code where there is no answer


class Mistake(Exception):
    """The book asks what the tool does not understand."""


def playground(request, depth):
    """The address of the playground that shows a request, seen from a page so many folders deep."""
    return "../" * depth + "playground.html#" + urllib.parse.quote(request, safe="(),:'")


def exercise(question, note, wanted):
    """A part of such an address, which page/exercise.js reads; wanted: the answer that a request is to have, or None."""
    told = {"question": question, "note": note, "wanted": wanted}
    text = json.dumps({name: value for name, value in told.items() if value})
    return "&exercise=" + urllib.parse.quote(base64.b64encode(text.encode()))


def with_label(svg):
    return svg.replace("<svg ", f'<svg role="img" aria-label="{TITLE.search(svg)[1]}" ', 1)


def without_heading(svg):
    """Without the line that repeats the picture's title: what stands below the picture says it."""
    title = TITLE.search(svg)[1]
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+"', svg)
    heading = re.search(rf'<text class="s" x="11" y="20">{re.escape(title)}</text>\n', svg)
    if not heading:
        return svg
    width, height = float(size[1]), float(size[2])
    rest = f'viewBox="0 {HEADING} {width:g} {height - HEADING:g}" width="{width:g}" height="{height - HEADING:g}"'
    return svg.replace(heading[0], "", 1).replace(size[0], rest, 1).replace("<rect", f'<rect y="{HEADING}"', 1)


class Tool:
    def __init__(self, path):
        self.path = path
        self.styles = {}  # what the pictures' style sheets say, each rule once

    @functools.lru_cache(maxsize=None)  # noqa: B019  one tool a book
    def run(self, *words):
        done = subprocess.run([self.path, *words], capture_output=True, text=True)
        return done.returncode, done.stdout.rstrip("\n"), done.stderr.strip()

    def said(self, *words):
        code, out, err = self.run(*words)
        if code not in (0, UNDEFINED) or not out:
            raise Mistake(f"colex {' '.join(words)}: {err or out}")
        return out

    def understands(self, request):
        return self.run("ask", request)[0] in (0, UNDEFINED)

    def ask(self, request):
        return self.said("ask", request)

    def solve(self, equation):
        return self.said("solve", equation)

    def explain(self, request):
        return self.said("explain", *request.split())

    def listed(self, what):
        return json.loads(self.said(what, "--json"))

    def draws(self, request):
        return self.run("draw", "--svg", *request.split())[0] == 0

    def draw(self, request):
        """The picture as SVG, without its style sheet: that is kept for the book's."""
        return self.unstyled(self.said("draw", "--svg", *request.split()))

    def unstyled(self, svg):
        style = STYLE.search(svg)
        self.styles.update(dict.fromkeys(("light", rule) for rule in style["light"].split("\n")))
        self.styles.update(dict.fromkeys(("dark", rule) for rule in style["dark"].split("\n")))
        return with_label(without_heading(STYLE.sub("", svg).rstrip()))

    def style_sheet(self):
        """Of all pictures drawn so far: dark where the reader or his system has chosen so."""
        light = [rule for shade, rule in self.styles if shade == "light"]
        dark = [rule for shade, rule in self.styles if shade == "dark"]
        chosen = [re.sub(r"(^|,)(?=\.)", r'\1body[data-theme="dark"] ', rule) for rule in dark]
        by_system = [re.sub(r"(^|,)(?=\.)", r'\1body:not([data-theme="light"]) ', rule) for rule in dark]
        return "\n".join([*light, *chosen, "@media (prefers-color-scheme: dark) {", *by_system, "}"]) + "\n"
