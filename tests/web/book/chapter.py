# What the text of a page may ask the tool for.
# SPDX-License-Identifier: Apache-2.0
import html
import re

import pages
from tool import Mistake, exercise


def said(answer):
    """As the playground compares it: of what has no answer, that."""
    return answer.split(" ")[0] if answer.startswith(("undefined ", "undecided ", "unspecified ")) else answer


class Chapter:
    """Each answer is the tool's, each request opens in the playground."""

    def __init__(self, book, page):
        self.book, self.page, self.depth = book, page, page.count("/")

    def answer(self, request):
        """As plain text, for another request."""
        return self.book.tool.ask(request)

    def ask(self, request):
        """As it is shown."""
        return pages.code(self.answer(request))

    def case(self, request):
        """The request and its answer."""
        return f"{pages.play(request, self.depth)} = {self.ask(request)}"

    def layout(self, text):
        """A layout that is written down; it has to be one."""
        self.answer(f"size {text}")
        return pages.play(text, self.depth)

    def values(self, text):
        """The values of a layout, in the order of its indices."""
        count = int(self.answer(f"size {text}"))
        return ", ".join(self.answer(f"apply {text} {i}") for i in range(count))

    def values_at(self, text, picked):
        """The values of a layout at those of another."""
        indices = self.values(picked).split(", ")
        return ", ".join(self.answer(f"apply {text} {i}") for i in indices)

    def offset(self, request):
        """Where the view begins that is the answer."""
        return self.answer(request).split(" o ")[0]

    def tiler(self, layout):
        """The extents of a layout, by mode."""
        return "<" + layout.split(":")[0].strip("()") + ">"

    def figure(self, request):
        words = request.split(" --")[0]
        shown = pages.play(words, self.depth) if self.book.in_playground(words) else pages.code(words)
        return pages.figure(self.book.tool.draw(request), shown)

    def draw(self, *requests, caption=""):
        """Pictures beside each other."""
        shown = "".join(self.figure(request) for request in requests)
        note = f'<p class="note">{caption}</p>' if caption else ""
        return pages.raw(f'<div class="pictures">{shown}</div>{note}')

    def explain(self, request):
        """The steps to an answer."""
        asked, _, steps = self.book.tool.explain(request).partition("\n")
        return pages.raw(f'<pre class="steps">{pages.play(request, self.depth, asked)}\n{html.escape(steps)}</pre>')

    def exercise(self, question, begin, solution="", note=""):
        """A question, a request that begins it in the playground, which checks the answer, and the folded answer: what that
        or another request comes to."""
        wanted = said(self.answer(solution)) if solution else None
        if wanted == said(self.answer(begin)):
            raise Mistake(f"{self.page}: {begin} answers already what {solution} is to answer")
        told = exercise(re.sub(r"\*\*|`", "", question), html.unescape(re.sub(r"<[^>]*>|`", "", note)), wanted)
        request = solution or begin
        answer = f"{pages.play(request, self.depth)} = {self.ask(request)}{': ' + note if note else ''}"
        start = f"{'Begin with' if solution else 'Say first, then ask,'} {pages.play(begin, self.depth, exercise=told)}"
        return (
            f"{pages.raw('<div class=exercise>')}\n{question}\n\n{start}\n{pages.fold('Answer', answer)}{pages.raw('</div>')}"
        )

    def op(self, name):
        if name not in self.book.operations:
            raise Mistake(f"{self.page}: no operation is called {name}")
        return f"[`{name}`]({pages.seen_from(self.page, self.book.page_of_operation(name) + '.md')})"

    def law(self, name):
        return self.book.pages.law(name, self.page)

    def link(self, text, path):
        return f"[{text}]({pages.seen_from(self.page, self.book.pages.page_of(path) + '.md')})"

    def prose(self, text, here):
        return self.book.pages.prose(text, here, self.page)

    def play(self, request, text=None):
        return pages.play(request, self.depth, text)

    def counted(self, things, name):
        return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"

    raw = staticmethod(pages.raw)
    code = staticmethod(pages.code)
    fold = staticmethod(pages.fold)
