#!/usr/bin/env python3
# Every arithmetic, comparison, boundary and statement mutant of C++ sources at once. universalmutator says what to change,
# clang which expression or statement that is; each change is planted beside its original, and COLEX_MUTANT chooses one:
#   a + b    becomes    (colex::planted::here(17) ? (a - b) : (a + b))
#   plant.py FOLDER PART      writes FOLDER/{ref,gpu}/... and FOLDER/mutants.json
#   plant.py FOLDER PACKAGE   lists those of a folder of Python in FOLDER/mutants.json
# What a compiler refuses is dropped. SPDX-License-Identifier: Apache-2.0
import ast
import bisect
import contextlib
import functools
import glob
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tokenize

import places
from clang import cindex
from universalmutator import mutator

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = {
    "ref": {"files": ["ref/**/*.?pp"], "units": ["ref/answer.cpp", "ref/f2.cpp", "ref/layouts.cpp", "ref/tilings.cpp"]},
    "gpu": {
        "files": ["gpu/algebra/*.?pp", "gpu/atoms/*.?pp", "gpu/wire/*.?pp"],
        "units": ["gpu/wire/respond.cpp", "gpu/wire/respond_f2.cpp", "gpu/wire/respond_tilings.cpp"],
    },
    "plans": {
        "files": ["gpu/plans/*.hpp", "gpu/atoms/element.hpp"],
        "units": ["gpu/plans/check.cpp", "tests/unit/emulation_test.cpp"],
    },
}
RULES = ["universal.rules", "c_like.rules", "cpp.rules"]
OPERATORS = set("+ - * / // % == != < > <= >= += -= *= /= %= ++ --".split())
EXPRESSIONS = {"BINARY_OPERATOR", "UNARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR", "CALL_EXPR", "UNEXPOSED_EXPR"}
STATEMENTS = EXPRESSIONS | {
    "IF_STMT",
    "FOR_STMT",
    "WHILE_STMT",
    "CXX_FOR_RANGE_STMT",
    "RETURN_STMT",
    "BREAK_STMT",
    "CONTINUE_STMT",
}
FUNCTIONS = {
    "FUNCTION_DECL",
    "CXX_METHOD",
    "CONSTRUCTOR",
    "CONVERSION_FUNCTION",
    "FUNCTION_TEMPLATE",
    "LAMBDA_EXPR",
    "FIELD_DECL",
}
FLAGS = ["-w", "-D_GLIBCXX_ASSERTIONS", "-fmax-errors=0", "-fpermissive"]
REASONS = {"wrong", "wrong_kind"}
NUMBERS = {"BOOL", "CHAR_S", "UCHAR", "SHORT", "USHORT", "INT", "UINT", "LONG", "ULONG", "ENUM", "AUTO"}
UNSIGNED = {"BOOL", "UCHAR", "USHORT", "UINT", "ULONG"}
EXPRESSION_TEMPLATE = "boost::multiprecision::detail::expression"


def proposed(lines, rules):
    """(line, changed line) of each mutant that universalmutator proposes."""
    with contextlib.redirect_stdout(io.StringIO()):
        return [(number, changed) for number, changed, *_ in mutator.mutants_regexp(lines, rules, ignorePatterns=[])]


def change(old, new):
    """What becomes of a token, if that is one of our mutants: an operator another, a number one more or less."""
    if old in OPERATORS and new in OPERATORS:
        return new
    return new if old.isdigit() and new in (f"({old}+1)", f"({old}-1)") else None


@functools.lru_cache(maxsize=None)
def changes(token):
    """All that becomes of a token, whatever stands around it."""
    before, after = "x = a ", " b;\n"
    texts = [text for _, text in proposed([before + token + after], RULES) if text.startswith(before) and text.endswith(after)]
    return [new for new in dict.fromkeys(text[len(before) : -len(after)] for text in texts) if change(token, new)]


class source:
    """A file with its tokens, and the syntax that encloses a place."""

    def __init__(self, name, cursors, unit):
        self.name = name
        self.text = (ROOT / name).read_text()
        self.places = places.source(self.text)
        self.lines = self.text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.nodes = []  # (begin, end, cursor, parents)
        for c in cursors:
            self.collect(c, [])
        self.tables = [
            n[2]
            for n in self.nodes
            if not n[3] and n[2].kind.name == "VAR_DECL" and n[2].type.get_canonical().kind.name not in NUMBERS
        ]
        self.tokens = sorted({(t.extent.start.offset, t.spelling) for c in cursors for t in c.get_tokens()})

    def collect(self, cursor, parents):
        e = cursor.extent
        unwritten = cursor.kind.name == "COMPOUND_STMT" and self.text[e.start.offset] != "{"  # as of `= default`
        if e.start.file is None or e.end.offset <= e.start.offset or unwritten:
            return
        self.nodes.append((e.start.offset, e.end.offset, cursor, parents))
        for child in cursor.get_children():
            self.collect(child, [*parents, cursor])

    def expression(self, begin, end, new):
        """The smallest expression that the change of a token makes another one."""
        number = new[0] == "("
        around = [n for n in self.nodes if n[0] <= begin and end <= n[1] and (number or (n[0], n[1]) != (begin, end))]
        best = min(around, key=lambda n: n[1] - n[0], default=None)
        if best is None:
            return None
        kinds = {"INTEGER_LITERAL"} if number else EXPRESSIONS
        fitting = [n for n in around if n[:2] == best[:2] and n[2].kind.name in kinds]
        return fitting[0] if fitting and (number or self.operates(best, begin, end, new)) else None

    def operates(self, node, begin, end, new):
        """Is the token an operator of the expression, not a template's bracket or a pointer's star?"""
        operands = [n for n in self.nodes if node[0] <= n[0] and n[1] <= node[1] and not n[2].kind.name.endswith("_REF")]
        left = any(n[1] <= begin for n in operands) or begin == node[0]
        right = any(n[0] >= end for n in operands) or end == node[1]
        return left and right and (begin > node[0] or new in "+-" or new in ("++", "--"))

    def statements(self):
        """What can be left out: all that stands in blocks, and each branch where there are two. Of a loop, or an `if` without
        `else`, the whole is left out."""
        for b, e, cursor, parents in self.nodes:
            if parents and cursor.kind.name in STATEMENTS and is_apart(cursor, parents[-1]) and not is_needed(cursor, parents):
                yield b, e + len(re.match(r"\s*;|", self.text[e:])[0]), cursor, parents


def is_apart(cursor, parent):
    if parent.kind.name == "COMPOUND_STMT":
        return True
    branches = [*parent.get_children()][-2:] if parent.kind.name == "IF_STMT" else []
    return has_else(parent) and any(same_extent(cursor, each) for each in branches)


def has_else(cursor):
    """An `if`, its condition, and two branches."""
    parts = [*cursor.get_children()]
    return cursor.kind.name == "IF_STMT" and len(parts) > 2 and parts[-2].kind.name in STATEMENTS | {"COMPOUND_STMT"}


def same_extent(a, b):
    return (a.extent.start.offset, a.extent.end.offset) == (b.extent.start.offset, b.extent.end.offset)


def is_needed(cursor, parents):
    """Is nothing returned without it?"""
    last = [*parents[-1].get_children()][-1] if parents[-1].kind.name == "COMPOUND_STMT" else None
    if last is None or last.extent.end.offset != cursor.extent.end.offset:
        return False
    of = parents[-2].result_type.kind.name if parents[-2].kind.name in FUNCTIONS else "VOID"
    refuses = any(map(is_reason, [cursor, *cursor.get_children()]))
    never_returns = refuses and cursor.kind.name in EXPRESSIONS  # not an `if` that does
    stops = cursor.kind.name == "CALL_EXPR" and of != "INVALID"  # a call that ends what returns a value, not a lambda
    ends = of != "VOID" and (refuses or is_endless(cursor) or stops)
    return cursor.kind.name == "RETURN_STMT" or never_returns or ends or parents[-2].spelling in REASONS


def variable_of(parents):
    """The innermost variable whose initializer this stands in."""
    for p in reversed(parents):
        if p.kind.name == "VAR_DECL":
            return p
        if p.kind.name in FUNCTIONS | {"COMPOUND_STMT"}:
            return None
    return None


def is_reason(cursor):
    """The words of a refusal are not judged."""
    return cursor.kind.name == "CXX_THROW_EXPR" or (cursor.kind.name == "CALL_EXPR" and cursor.spelling in REASONS)


def is_endless(cursor):
    return cursor.kind.name == "FOR_STMT" and len([*cursor.get_children()]) == 1


def counts_to_bound(old, new, cursor, parents):
    """Does a loop end there that counts one by one?"""
    loop = next((p for p in reversed(parents) if p.kind.name == "FOR_STMT"), None)
    parts = [*loop.get_children()] if loop is not None else []
    if (old, new) not in (("<", "!="), (">", "!=")) or len(parts) < 3:
        return False
    step, condition = "++" if old == "<" else "--", parts[-3].extent
    inside = condition.start.offset <= cursor.extent.start.offset < condition.end.offset
    return inside and any(t.spelling == step for t in parts[-2].get_tokens())


def asks_for_zero(old, new, cursor):
    """Is that of a number that has no sign: 0 or more?"""
    if (old, new) not in (("==", "<="), ("!=", ">"), (">", "!=")):
        return False
    operands = [*cursor.get_children()]
    if len(operands) != 2 or [t.spelling for t in operands[1].get_tokens()] != ["0"]:
        return False
    number = operands[0]
    while number.kind.name == "UNEXPOSED_EXPR" and len(inner := [*number.get_children()]) == 1:
        number = inner[0]
    return number.type.get_canonical().kind.name in UNSIGNED


def means_nothing(old, new, cursor, parents):
    """Is it the same by its form; or an order of words, equal or not?"""
    if counts_to_bound(old, new, cursor, parents) or asks_for_zero(old, new, cursor):
        return True
    words = ("basic_string", "char")
    operands = [c.type.get_canonical().spelling for c in cursor.walk_preorder() if c != cursor][:6]
    return old in ("==", "!=") and new in ("<", ">", "<=", ">=") and any(w in o for o in operands for w in words)


def is_constant(parents):
    """A number that has its value before the program: an array may have as many elements."""
    v = variable_of(parents)
    in_function = any(p.kind.name in FUNCTIONS for p in parents)
    return v is not None and not in_function and v.type.get_canonical().kind.name in NUMBERS


def is_for_compiler(begin, parents):
    """Is it the label of a case, or in the type of a variable?"""
    label = lambda p: next(p.get_children()).extent
    labels = [label(p) for p in parents if p.kind.name == "CASE_STMT"]
    v = variable_of(parents)
    return any(x.start.offset <= begin < x.end.offset for x in labels) or (v is not None and begin < v.location.offset)


def mutants_of(src):
    """Mutants as {begin, end, text, file, function, change, ...}: text takes the place of [begin, end)."""
    for begin, token in src.tokens:
        for new in changes(token) if token in OPERATORS or token.isdigit() else []:
            node = src.expression(begin, begin + len(token), new)
            if node is not None and is_judged(src, begin, begin + len(token), new, node):
                b, e, *_ = node
                parts = src.text[b:begin], new, src.text[begin + len(token) : e]
                text = " ".join(map(places.on_one_line, parts))  # a line with its mark: marked() reads them
                yield mutant(src, begin, node, text, lambda place, new=new: f"{place} -> {places.spelled(new)}")
    for node in src.statements():
        begin, end = node[:2]
        keyword = re.match(r"(if|for|while|return|break|continue)\b", src.text[begin:end])
        yield mutant(src, begin if keyword else end - 1, node, "", lambda place: f"delete {place}")


def is_judged(src, begin, end, new, node):
    b, _, cursor, parents = node
    of_type = new[0] == "(" and src.text[end] == ">"  # std::array<int, 3>
    return not (
        of_type
        or any(is_reason(p) for p in parents)
        or is_constant(parents)
        or is_for_compiler(b, parents)
        or means_nothing(src.text[begin:end], new, cursor, parents)
    )


def mutant(src, named, node, text, change):
    """That which is named by the token at an offset."""
    b, e, cursor, parents = node
    function, place = src.places.name_at(named)
    line = bisect.bisect_right(src.starts, named if text else b)
    return {
        "begin": b,
        "end": e,
        "text": text,
        "file": places.short(ROOT / src.name),
        "path": src.name,
        "function": function,
        "change": change(place),
        "line": line,
        "source": src.lines[line - 1].strip(),
        "at_start": not any(p.kind.name in FUNCTIONS for p in parents),
        "cast": ("colex::integer" if EXPRESSION_TEMPLATE in cursor.type.get_canonical().spelling and text else ""),
        "variable": variable_of(parents),
    }


def unqualified(src, variable, local):
    """(begin, end, text) that has a variable initialized at run time: a compiler evaluates `const` numbers."""
    begin = variable.extent.start.offset
    head = src.text[begin : variable.location.offset]
    number = variable.type.get_canonical().kind.name in NUMBERS
    is_const = "const " in head
    for word, other in (
        ("constexpr ", "" if is_const or (number and local) else "const "),
        ("const ", "" if local else "const "),
    ):
        if word in head and (word == "constexpr " or number) and "&" not in head:
            return begin + head.index(word), begin + head.index(word) + len(word), other
    return None


class planter:
    def __init__(self, src, mutants, frozen):
        self.src = src
        self.edits = {}  # (begin, end) -> mutants of it, or text
        for table in src.tables:
            edit = unqualified(src, table, False)
            if edit and table.spelling not in frozen:
                self.edits[edit[:2]] = edit[2]
        for m in mutants:
            if isinstance(self.edits.setdefault((m["begin"], m["end"]), []), list):
                self.edits[m["begin"], m["end"]].append(m)
            if m["variable"] is not None:
                edit = unqualified(src, m["variable"], not m["at_start"])
                if edit:
                    self.edits[edit[:2]] = edit[2]

    def write(self, begin, end):
        """[begin, end) of the source, with what is planted strictly inside it."""
        out, at = [], begin
        inside = sorted(
            (k for k in self.edits if begin <= k[0] and k[1] <= end and k != (begin, end)), key=lambda k: (k[0], -k[1])
        )
        for b, e in inside:
            if b < at:
                continue
            out += [self.src.text[at:b], self.planted(b, e)]
            at = e
        return "".join([*out, self.src.text[at:end]])

    def planted(self, b, e):
        here = self.edits[b, e]
        if isinstance(here, str):
            return here
        original = self.write(b, e)
        deleted = [m for m in here if not m["text"]]
        if deleted:
            return f"{{ if (!colex::planted::here({deleted[0]['id']})) /*@{deleted[0]['id']}*/ {{\n{original} /*@0*/ }} }}"
        lines = "".join(f"{self.asks(m)} ? {m['cast']}({m['text']}) : /*@{m['id']}*/\n" for m in here)
        return f"(\n{lines}{here[0]['cast']}({original})) /*@0*/"

    @staticmethod
    def asks(m):
        return f"colex::planted::{'at_start' if m['at_start'] else 'here'}({m['id']})"


def parsed(part):
    """The files of a part, each as clang sees it in the first unit that includes it."""
    cindex.Config.set_library_file(sorted(glob.glob("/usr/lib/llvm-*/lib/libclang.so.1"))[-1])
    names = {str(p.relative_to(ROOT)) for pattern in PARTS[part]["files"] for p in ROOT.glob(pattern)}
    files = {}
    for unit in PARTS[part]["units"]:
        tree = cindex.Index.create().parse(str(ROOT / unit), args=["-std=c++20", f"-I{ROOT}", "-fconstexpr-steps=268435456"])
        errors = [d for d in tree.diagnostics if d.severity >= 3]
        if errors:
            sys.exit(f"clang: {errors[0]}")
        cursors = {}
        gather(tree.cursor, names - files.keys(), cursors)
        for name, found in cursors.items():
            files[name] = source(name, found, tree)
    return files


def gather(cursor, names, out):
    """The declarations at namespace scope, by file."""
    for c in cursor.get_children():
        file = c.location.file
        name = file and str(pathlib.Path(file.name).resolve()).removeprefix(f"{ROOT}/")
        if name not in names:
            continue
        if c.kind.name == "NAMESPACE":
            gather(c, names, out)
        else:
            out.setdefault(name, []).append(c)


def refused(folder, part, mutants):
    """The mutants that a compiler refuses, by the lines it names; and the variables that must be constant."""
    bad, frozen, said = set(), set(), ""
    for unit in PARTS[part]["units"]:
        path = next(p for p in (folder / unit, ROOT / unit) if p.exists())
        command = ["g++", "-std=c++20", "-S", "-O0", "-o", os.devnull, *FLAGS, f"-I{folder}", f"-I{ROOT}", str(path)]
        said += subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}).stderr
    context = []
    for line in said.splitlines():
        place = re.match(r"(\S+?):(\d+):\d+:", line)
        if place and place[1].startswith(f"{folder}/"):
            context.append((place[1], int(place[2])))
        if " error: " in line:
            bad |= set().union(*map(marked, context[-1:]))
        elif re.match(r"\S+: (In|At) |In file included", line) and "instantiation" not in line:
            context = []
        for name in re.findall(
            r"value of '(?:[\w{}]+::)*(\w+)(?:\[.*)?' is not usable|'(?:[\w{}]+::)*(\w+)' was not declared 'constexpr'", line
        ):
            frozen |= {*name} - {""}
    bad |= {m["id"] for m in mutants if m["variable"] is not None and m["variable"].spelling in frozen}
    if not bad and not frozen and "error: " in said:
        sys.exit(f"no mutant is to blame:\n{said[:4000]}")
    return bad, frozen


def marked(place):
    """The mutants of a line: that which it belongs to, or all of the expression that it opens."""
    lines = pathlib.Path(place[0]).read_text().splitlines()
    ids = lambda line: [int(x) for x in re.findall(r"/\*@(\d+)\*/", line)]
    at = place[1] - 1
    if lines[at].endswith("("):
        end = next(i for i in range(at + 1, len(lines)) if ids(lines[i])[:1] in ([0], []))
        return {x for line in lines[at + 1 : end] for x in ids(line)}
    for line in reversed(lines[: at + 1]):
        if ids(line):
            return {ids(line)[-1]} - {0}
    return set()


def plant(part, folder):
    files = parsed(part)
    mutants = [m for name in sorted(files) for m in mutants_of(files[name])]
    for number, m in enumerate(mutants, 1):
        m["id"] = number
    dropped, frozen, again = set(), set(), True
    while again:
        for name, src in files.items():
            mine = planter(src, [m for m in mutants if m["path"] == name and m["id"] not in dropped], frozen)
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text('#include "tests/mutation/planted.hpp"\n' + mine.write(0, len(src.text)))
        bad, constant = refused(folder, part, mutants)
        again = not bad <= dropped or not constant <= frozen
        dropped, frozen = dropped | bad, frozen | constant
        print(f"{part}: {len(mutants)} mutants, {len(dropped)} do not compile", flush=True)
    for m in mutants:
        m["compiles"] = m["id"] not in dropped
        del m["variable"], m["text"], m["begin"], m["end"], m["cast"]
    (folder / "mutants.json").write_text(json.dumps(mutants, indent=0))


def python_change(line, changed, tokens):
    """(the token that is all the difference, what it becomes), if that is one of our mutants."""
    for begin, end in tokens:
        rest = len(line) - end
        if line[:begin] == changed[:begin] and line[end:] == changed[len(changed) - rest :]:
            new = change(line[begin:end], changed[begin : len(changed) - rest])
            if new:
                return begin, new
    return None


def is_left_out(line, changed):
    kept = ("def ", "class ", "import ", "from ", "return ", "assert ", "raise ", "#", '"')
    return changed.strip() == "pass" != line.strip() and not line.strip().startswith(kept)


def meaning(text):
    """The syntax without documentation; nothing where there is none."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    return ast.dump(tree)


def functions_of(tree, prefix=""):
    """(first line, last line, name) of each function, those outside before those inside."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if isinstance(node, ast.FunctionDef):
                yield min(n.lineno for n in [node, *node.decorator_list]), node.end_lineno, prefix + node.name
            yield from functions_of(node, f"{prefix}{node.name}.")
        else:
            yield from functions_of(node, prefix)


def python_places(text, functions):
    """(line, column) -> (function, place) of each token; of a line's end, the line as a statement of the function."""
    by_function = {}
    for t in tokenize.generate_tokens(io.StringIO(text).readline):
        within = [name for first, last, name in functions if first <= t.start[0] <= last]
        by_function.setdefault(within[-1] if within else "module", []).append(t)
    return {
        t.start if t.type != tokenize.NEWLINE else t.start[0]: (function, place)
        for function, tokens in by_function.items()
        for t, place in zip(tokens, places.numbered(["line" if t.type == tokenize.NEWLINE else t.string for t in tokens]))
    }


def list_python(package, folder):
    """The mutants of a Python package, which nothing need be planted for."""
    mutants = []
    for path in sorted(package.glob("*.py")):
        text = path.read_text()
        lines, tree, same = text.splitlines(keepends=True), ast.parse(text), meaning(text)
        functions = sorted(functions_of(tree))
        named = python_places(text, functions)
        for number, changed in proposed(lines, ["universal.rules", "python.rules"]):
            line = lines[number - 1]
            starts = sorted(at[1] for at in named if isinstance(at, tuple) and at[0] == number)
            token = python_change(line, changed, [(b, b + len(re.match(r"\w+|[-+*/%=!<>]+|.?", line[b:])[0])) for b in starts])
            if token:
                function, place = named[number, token[0]]
                what = f"{place} -> {places.spelled(token[1])}"
            elif number in named and is_left_out(line, changed):
                function, place = named[number]
                what = f"delete {place}"
            else:
                continue
            mutants.append(
                {
                    "id": len(mutants) + 1,
                    "file": f"{package.name}/{path.name}",
                    "path": f"{package.name}/{path.name}",
                    "line": number,
                    "begins": max((first for first, last, _ in functions if first <= number <= last), default=0),
                    "function": function,
                    "change": what,
                    "source": line.strip(),
                    "changed": changed.strip(),
                    "text": changed,
                    "compiles": meaning("".join([*lines[: number - 1], changed, *lines[number:]])) not in (None, same),
                }
            )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mutants.json").write_text(json.dumps(mutants, indent=0))


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2] in PARTS:
        plant(sys.argv[2], where)
    else:
        list_python(pathlib.Path(sys.argv[2]), where)
