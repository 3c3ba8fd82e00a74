#!/usr/bin/env python3
# Names places of the sources without quoting them, so that formatting, comments, other folders and renamed variables leave
# the names as they are. mutants.txt, equivalent_mutants.txt and planted_defects.txt are made of such names:
#   ref/coalesce.hpp   a file of ref/, in whatever folder
#   digits::find       a function, variable or class of it, by its name inside colex::ref; `find#2/3` is the second of three
#                      of that name; `table["row"]` is the row of a table that begins with that string
#   ==#2/5             a token of that: the second of five `==`; without a number the only one
# A count that is another one today makes a name stale: something came or went, and the number may mean another token.
# A list stays as it is when its file is formatted or moved to another folder, or a variable is renamed; who renames a function
# renames it in the lists, and places_test.py says where. The replacement code of planted_defects.txt does name variables: the
# compiler says where one is gone.
#   places.py FILE LINE    what the tokens of a line are called
# SPDX-License-Identifier: Apache-2.0
import bisect
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEXER = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<string>(?:u8|[uUL])?(?:R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    |(?P<number>0[xX][\da-fA-F']+\w*|\.?\d(?:[eE][+-]\d|[\w.'])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<operator><<=|>>=|<=>|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.X | re.M | re.S,
)
CLOSING = {"(": ")", "[": "]", "{": "}"}
CONTROLS = {"if", "for", "while", "switch"}
BEFORE_BLOCK = {")", "const", "noexcept", "mutable", "else", "do"}
CLASSES = {"class", "struct", "union", "enum"}
# What has brackets of its own before a declaration has its name.
SPECIFIERS = {"alignas", "decltype", "explicit", "noexcept", "requires", "__attribute__", "__launch_bounds__"}


class stale(Exception):
    """A name of no place."""


class source:
    """A C++ file: its tokens, and what they stand in."""

    def __init__(self, text):
        found = [m for m in LEXER.finditer(text) if not m["skip"]]
        self.tokens, self.begins, self.ends = [m[0] for m in found], [m.start() for m in found], [m.end() for m in found]
        self.partner = self.brackets()
        self.scopes = []  # (name, first token, one after the last)
        self.declarations(0, len(self.tokens), "")
        self.owner = [None] * len(self.tokens)  # of each token the innermost scope
        for number, (_, first, last) in enumerate(self.scopes):
            self.owner[first:last] = [number] * (last - first)

    def brackets(self):
        partner, open_ones = {}, []
        for i, token in enumerate(self.tokens):
            if token in CLOSING:
                open_ones.append(i)
            elif token in CLOSING.values():
                partner[i] = open_ones.pop()
                partner[partner[i]] = i
        return partner

    # What is declared, and where.

    def declarations(self, i, end, prefix):
        while i < end:
            token = self.tokens[i]
            if token == ";" or self.tokens[i + 1 : i + 2] == [":"]:  # or a label of a class, as `private:`
                i += 1 if token == ";" else 2
            elif "namespace" in self.tokens[i : i + 2]:
                i = self.namespace(i, prefix)
            elif token.isupper() and self.tokens[i + 1] == "(":  # a macro
                i = self.partner[i + 1] + 1
            else:
                i = self.declaration(i, prefix)

    def namespace(self, i, prefix):
        brace = next(k for k in range(i, len(self.tokens)) if self.tokens[k] in "{;=")
        if self.tokens[brace] == "{":
            names = [t for t in self.tokens[i:brace] if t not in ("namespace", "inline", "::", "colex", "ref", "gpu")]
            self.declarations(brace + 1, self.partner[brace], prefix + "".join(f"{n}::" for n in names))
            return self.partner[brace] + 1
        return self.tokens.index(";", brace) + 1

    def declaration(self, first, prefix):
        """Notes what is declared from there on, and says where that ends."""
        i = first
        while self.tokens[i] == "template":
            i = self.after_angle(i + 1)
        name, kind, i = self.head(i)
        if kind == "class" and self.tokens[i] == "{":
            self.declarations(i + 1, self.partner[i], f"{prefix}{name}::")
        if kind == "value" and self.tokens[i] == "{":
            i = self.partner[i] + 1
        body = None
        while self.tokens[i] != ";":
            if self.tokens[i] == "=" and kind == "function":
                kind = "none"  # = default, = delete
            if self.tokens[i] in CLOSING:
                body = i if self.tokens[i] == "{" else body
                i = self.partner[i]
                if body is not None and kind == "function" and self.tokens[i + 1 : i + 2] not in ([","], ["{"]):
                    break
            i += 1
        if kind == "value" or (kind == "function" and body is not None):
            self.scopes.append((prefix + name, first, i + 1))
        if kind == "value":
            self.rows(prefix + name, first, i)
        return i + 1

    def head(self, i):
        """The name that is declared, what it is of, and where to go on."""
        named = None
        while True:
            token, next_one = self.tokens[i], self.tokens[i + 1]
            if token in ("using", "static_assert"):
                return (next_one if token == "using" else token), "value", i + 1
            if token in CLASSES:
                return self.class_head(i)
            if token == "operator":
                after = i + 3 if next_one == "(" else self.tokens.index("(", i)
                return "".join(self.tokens[i:after]), "function", after
            if token == "<" and named is not None:
                i = self.after_angle(i)
            elif token in SPECIFIERS and next_one == "(":
                i = self.partner[i + 1] + 1
            elif token == next_one == "[":
                i = self.partner[i] + 1
            elif token == "(":
                return self.qualified(named), "function", i
            elif token in ("=", "{", "[", ";", ","):
                return self.tokens[named], "value", i
            else:
                named = i if re.match(r"\w", token) else named
                i += 1

    def class_head(self, i):
        words = {"class", "struct", "final", "alignas"}
        enum = self.tokens[i] == "enum"
        i = next(
            k for k in range(i + 1, len(self.tokens)) if re.match(r"\w|[{]", self.tokens[k]) and self.tokens[k] not in words
        )
        name = self.tokens[i]
        while self.tokens[i] not in "{;(=":
            i = self.after_angle(i) if self.tokens[i] == "<" else i + 1
        return name, "value" if enum else "class", i

    def qualified(self, i):
        first = i
        while self.tokens[first - 1] in ("::", "~"):
            first -= 1 if self.tokens[first - 1] == "~" else 2
        return "".join(self.tokens[first : i + 1])

    def after_angle(self, i):
        depth = 0
        while True:
            token = self.tokens[i]
            depth += {"<": 1, ">": -1, ">>": -2}.get(token, 0)
            i = self.partner[i] + 1 if token in CLOSING else i + 1
            if depth <= 0:
                return i

    def rows(self, name, first, last):
        """The rows of a table: what stands in braces and begins with a string."""
        for i in range(first, last):
            if self.tokens[i] == "{" and self.tokens[i + 1][0] == '"':
                self.scopes.append((f"{name}[{self.tokens[i + 1]}]", i, self.partner[i] + 1))

    # Names of places, and back.

    @functools.cached_property
    def scope_names(self):
        """Of each scope its name, with its number where others have the same."""
        return numbered([name for name, *_ in self.scopes])

    @functools.cached_property
    def places(self):
        """(function, token with its number) -> number of the token"""
        out = {}
        for number, name in enumerate(self.scope_names):
            _, first, last = self.scopes[number]
            mine = [i for i in range(first, last) if self.owner[i] == number]
            out |= {(name, place): i for i, place in zip(mine, numbered([self.tokens[i] for i in mine]))}
        return out

    @functools.cached_property
    def names(self):
        return {i: name for name, i in self.places.items()}

    def name_at(self, offset):
        """(function, token with its number) of the token that begins there."""
        return self.names[bisect.bisect_left(self.begins, offset)]

    def block(self, function, edits):
        """(begin, end) of the outermost block of a function that all of these edits are in."""
        inside = [bisect.bisect_left(self.begins, begin) for begin, *_ in edits]
        first = next(first for name, (_, first, _) in zip(self.scope_names, self.scopes) if name == function)
        for i in range(first, min(inside)):
            if self.tokens[i] == "{" and self.partner[i] > max(inside) and self.tokens[i - 1] in BEFORE_BLOCK:
                return self.begins[i], self.ends[self.partner[i]]
        raise stale(f"{function} has no block with this")

    def span(self, token):
        return self.begins[token], self.ends[token]

    # Statements.

    def statement(self, token):
        """(begin, end) of the statement that a keyword begins or a semicolon ends."""
        if self.tokens[token] != ";":
            return self.begins[token], self.ends[self.last_of(token)]
        first = token
        while not self.ends_statement(first - 1):
            first = self.partner.get(first - 1, first - 1)
        return self.begins[first], self.ends[token]

    def last_of(self, i):
        """The last token of the statement that begins there."""
        if self.tokens[i] == "{":
            return self.partner[i]
        if self.tokens[i] not in CONTROLS:
            while self.tokens[i] != ";":
                i = self.partner[i] + 1 if self.tokens[i] in CLOSING else i + 1
            return i
        bracket = self.tokens.index("(", i)
        last = self.last_of(self.partner[bracket] + 1)
        return self.last_of(last + 2) if self.tokens[i] == "if" and self.tokens[last + 1] == "else" else last

    def ends_statement(self, i):
        """Does a statement begin after that token?"""
        token = self.tokens[i]
        if token == ")":
            before = self.partner[i] - 1
            return self.tokens[before] in CONTROLS or self.tokens[before - 1 : before + 1] == ["if", "constexpr"]
        return token in (";", "{", "else", "do") or (token == "}" and self.is_block(self.partner[i]))

    def is_block(self, brace):
        return self.tokens[brace - 1] in (")", ";", "{", "}", "else", "do", "const", "noexcept", "mutable")


def numbered(texts):
    """Each text, with its number among those that are the same and how many these are."""
    count, seen = {}, {}
    for text in texts:
        count[text] = count.get(text, 0) + 1
    out = []
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
        out.append(text if count[text] == 1 else f"{text}#{seen[text]}/{count[text]}")
    return out


def on_one_line(text):
    """The code without its layout and comments."""
    return " ".join(m[0] for m in LEXER.finditer(text) if not m["skip"])


def spelled(new):
    """What a token becomes, as the lists have it: a number one more or less as that number."""
    number = re.fullmatch(r"\((\d+)([+-])1\)", new)
    return str(int(number[1]) + int(f"{number[2]}1")) if number else new


def short(path):
    """A file without its folders: `ref/coalesce.hpp`."""
    return f"{path.relative_to(ROOT).parts[0]}/{path.name}"


@functools.lru_cache(maxsize=None)
def read(path):
    return source(path.read_text())


@functools.lru_cache(maxsize=None)
def paths(file):
    part, _, name = file.partition("/")
    return sorted((ROOT / part).rglob(name)) if part and name and "/" not in name else []


def find(file, function, place):
    """(path, source, token) of a place."""
    found = [
        (path, read(path), read(path).places[function, place]) for path in paths(file) if (function, place) in read(path).places
    ]
    if len(found) == 1:
        return found[0]
    raise stale(f"{file}: {why_not(file, function, place)}")


def read_list(path):
    """(line, file, function, change, what is said of it) of each mutant of a list."""
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if text.strip() and not text.startswith("#"):
            parts = text.split(" | ")
            if len(parts) != 4 or not all(re.match("delete .|. ?.* -> .", each) for each in parts[2].split(" ~ ")):
                sys.exit(f"{path.name}:{number}: not `FILE | FUNCTION | CHANGE | ...`")
            yield number, *parts


def changes_of(text):
    """[(place, what it becomes)]; of `delete PLACE` the statement becomes nothing."""
    return [(c[7:], "") if c.startswith("delete ") else tuple(c.split(" -> ", 1)) for c in text.split(" ~ ")]


def edits(file, function, change):
    """(path, [(begin, end, text)]) of a change. Throws stale."""
    found = [(*find(file, function, place), text) for place, text in changes_of(change)]
    spans = [(*(src.span(token) if text else src.statement(token)), text) for _, src, token, text in found]
    return found[0][0], spans


def edited(text, changes):
    for begin, end, new in sorted(changes, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def why_not(file, function, place):
    if not paths(file):
        return "no such file"
    names = [name for path in paths(file) for name in read(path).scope_names]
    if function not in names:
        alike = [name for name in names if name.split("#")[0] == function.split("#")[0]]
        return f"no {function}" + (f", but {', '.join(alike)}" if alike else "")
    token = re.sub(r"#\d+/\d+$", "", place)
    alike = [p for path in paths(file) for f, p in read(path).places if f == function and re.sub(r"#\d+/\d+$", "", p) == token]
    return f"{function} has no {place}" + (f", but {', '.join(alike)}" if alike else "")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        sys.exit("usage: places.py FILE LINE")
    path = pathlib.Path(sys.argv[1]).resolve()
    if not path.is_file() or not path.is_relative_to(ROOT):
        sys.exit(f"{sys.argv[1]}: no file of {ROOT}")
    text = path.read_text().splitlines(keepends=True)
    if not 1 <= int(sys.argv[2]) <= len(text):
        sys.exit(f"{sys.argv[1]}:{sys.argv[2]}: it has {len(text)} lines")
    begin = sum(map(len, text[: int(sys.argv[2]) - 1]))
    looked_at = read(path)
    for i, at in enumerate(looked_at.begins):
        if begin <= at < begin + len(text[int(sys.argv[2]) - 1]) and i in looked_at.names:
            print(short(path), *looked_at.names[i], sep=" | ")
