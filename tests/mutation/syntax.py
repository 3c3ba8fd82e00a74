# What clang sees in C++ sources: a tree for each declaration of a file. Which of its expressions and statements a mutant can
# change, and what the compiler evaluates. SPDX-License-Identifier: Apache-2.0
import glob
import pathlib
import sys

from clang import cindex

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
REASONS = {"wrong", "wrong_kind"}
NUMBERS = {"BOOL", "CHAR_S", "UCHAR", "SHORT", "USHORT", "INT", "UINT", "LONG", "ULONG", "ENUM", "AUTO"}
UNSIGNED = {"BOOL", "UCHAR", "USHORT", "UINT", "ULONG"}
EXPRESSION_TEMPLATE = "boost::multiprecision::detail::expression"


class node:
    """What stands in [begin, end) of a file."""

    def __init__(self, cursor, text, parent=None):
        self.cursor, self.parent, self.kind = cursor, parent, cursor.kind.name
        self.begin, self.end = cursor.extent.start.offset, cursor.extent.end.offset
        self.children = [node(c, text, self) for c in cursor.get_children() if is_written(c, text)]

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def up(self):
        """What it stands in, the innermost first."""
        if self.parent:
            yield self.parent
            yield from self.parent.up()

    def tokens(self):
        return [(t.extent.start.offset, t.spelling) for t in self.cursor.get_tokens()]

    def type(self):
        return self.cursor.type.get_canonical()

    def is_number(self):
        return self.type().kind.name in NUMBERS

    def is_table(self):
        return self.kind == "VAR_DECL" and not self.is_number()

    def is_in_function(self):
        return any(n.kind in FUNCTIONS for n in self.up())

    def variable(self):
        """The innermost variable whose initializer this stands in."""
        inner = next((n for n in self.up() if n.kind in FUNCTIONS | {"VAR_DECL", "COMPOUND_STMT"}), self)
        return inner if inner.kind == "VAR_DECL" else None

    def cast(self):
        """What makes values of the same type of all operations of big integers."""
        return "colex::integer" if EXPRESSION_TEMPLATE in self.type().spelling else ""

    def evaluated_later(self, text):
        """{extent: words} that have a variable initialized at run time: a compiler evaluates `const` numbers."""
        head = text[self.begin : self.cursor.location.offset]
        local_number = self.is_number() and self.is_in_function()
        word = next((word for word in ("constexpr ", "const ") if word in head), None)
        if word is None or "&" in head or (word == "const " and not local_number):
            return {}
        begin = self.begin + head.index(word)
        return {(begin, begin + len(word)): "" if local_number or "const " in head else "const "}

    def operates(self, begin, end, new):
        """Is the token there its operator, not a template's bracket or a pointer's star?"""
        operands = [n for n in self.walk() if not n.kind.endswith("_REF")]
        left = any(n.end <= begin for n in operands) or begin == self.begin
        right = any(n.begin >= end for n in operands) or end == self.end
        return left and right and (begin > self.begin or new in ("+", "-", "++", "--"))


def is_written(cursor, text):
    """Not as of `= default`."""
    begin, end = cursor.extent.start, cursor.extent.end
    return begin.file and end.offset > begin.offset and (cursor.kind.name != "COMPOUND_STMT" or text[begin.offset] == "{")


def parsed(root, units, names):
    """(name, trees of its declarations, text) of each file of these names, as clang sees it in the first unit that has it."""
    cindex.Config.set_library_file(sorted(glob.glob("/usr/lib/llvm-*/lib/libclang.so.1"))[-1])
    left = set(names)
    for unit in units:
        tree = cindex.Index.create().parse(str(root / unit), args=["-std=c++20", f"-I{root}", "-fconstexpr-steps=268435456"])
        if errors := [d for d in tree.diagnostics if d.severity >= 3]:
            sys.exit(f"clang: {errors[0]}")
        declared = {}
        for name, cursor in declarations(tree.cursor, root):
            declared.setdefault(name, []).append(cursor)
        for name in left & declared.keys():
            text = (root / name).read_text()
            yield name, [node(c, text) for c in declared[name] if is_written(c, text)], text
        left -= declared.keys()


def declarations(cursor, root):
    """(file, declaration) at namespace scope."""
    for c in cursor.get_children():
        if c.location.file and (file := pathlib.Path(c.location.file.name).resolve()).is_relative_to(root):
            if c.kind.name == "NAMESPACE":
                yield from declarations(c, root)
            else:
                yield str(file.relative_to(root)), c


# Statements.


def can_go(n):
    """Of what stands in blocks, and of each branch where there are two; of a loop, or an `if` without `else`, the whole."""
    return n.kind in STATEMENTS and n.parent is not None and is_apart(n) and not is_needed(n)


def is_apart(n):
    branches = n.parent.children[-2:] if has_else(n.parent) else []
    return n.parent.kind == "COMPOUND_STMT" or any((n.begin, n.end) == (b.begin, b.end) for b in branches)


def has_else(n):
    """An `if`, its condition, and two branches."""
    return n.kind == "IF_STMT" and len(n.children) > 2 and n.children[-2].kind in STATEMENTS | {"COMPOUND_STMT"}


def is_needed(n):
    """Is it the last of a block, and nothing returned without it?"""
    if n.parent.kind != "COMPOUND_STMT" or n.parent.children[-1].end != n.end:
        return False
    function = n.parent.parent
    returns = function.cursor.result_type.kind.name if function.kind in FUNCTIONS else "VOID"
    refuses = any(map(is_reason, [n, *n.children]))
    never_returns = refuses and n.kind in EXPRESSIONS  # not an `if` that does
    stops = n.kind == "CALL_EXPR" and returns != "INVALID"  # a call that ends what returns a value, not a lambda
    ends = returns != "VOID" and (refuses or is_endless(n) or stops)
    return n.kind == "RETURN_STMT" or never_returns or ends or function.cursor.spelling in REASONS


def is_reason(n):
    """The words of a refusal are not judged."""
    return n.kind == "CXX_THROW_EXPR" or (n.kind == "CALL_EXPR" and n.cursor.spelling in REASONS)


def is_endless(n):
    return n.kind == "FOR_STMT" and len(n.children) == 1


# Expressions.


def is_not_judged(n, old, new):
    """Is that of a refusal, of the compiler, or the same by its form?"""
    return any(map(is_reason, n.up())) or is_for_compiler(n) or means_the_same(n, old, new)


def is_for_compiler(n):
    """Is it a constant, as an array's number of elements, the label of a case, or in the type of a variable?"""
    v = n.variable()
    labels = [p.children[0] for p in n.up() if p.kind == "CASE_STMT"]
    of_constant = v is not None and not n.is_in_function() and v.is_number()
    in_type = v is not None and n.begin < v.cursor.location.offset
    return of_constant or in_type or any(x.begin <= n.begin < x.end for x in labels)


def means_the_same(n, old, new):
    return counts_to_bound(n, old, new) or asks_for_zero(n, old, new) or orders_names(n, old, new)


def counts_to_bound(n, old, new):
    """Does a loop end there that counts one by one?"""
    loop = next((p for p in n.up() if p.kind == "FOR_STMT"), None)
    if (old, new) not in (("<", "!="), (">", "!=")) or loop is None or len(loop.children) < 3:
        return False
    condition, step = loop.children[-3:-1]
    counts = any(t == ("++" if old == "<" else "--") for _, t in step.tokens())
    return counts and condition.begin <= n.begin < condition.end


def asks_for_zero(n, old, new):
    """Is that of a number that has no sign: 0 or more?"""
    if (old, new) not in (("==", "<="), ("!=", ">"), (">", "!=")) or len(n.children) != 2:
        return False
    number, zero = n.children
    while number.kind == "UNEXPOSED_EXPR" and len(number.children) == 1:
        number = number.children[0]
    return [t for _, t in zero.tokens()] == ["0"] and number.type().kind.name in UNSIGNED


def orders_names(n, old, new):
    """Words and enumerators are equal or not; their order says nothing."""
    types = [each.type() for each in n.walk()][1:7]
    is_name = any("basic_string" in t.spelling or "char" in t.spelling for t in types) or any(
        each.type().kind.name == "ENUM" for each in n.children
    )
    return is_name and old in ("==", "!=") and new in ("<", ">", "<=", ">=")
