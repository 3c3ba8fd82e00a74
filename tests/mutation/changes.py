# What a mutant makes of a token: of an operator each other of its kind, of a number one more and one less.
# SPDX-License-Identifier: Apache-2.0
KINDS = ["+ - * / %", "== != <= >= > <", "+= -= *= /= %=", "++ --"]


def changes(token, kinds=KINDS):
    if token.isdigit():
        return [str(int(token) + 1), str(int(token) - 1)]
    return [other for kind in map(str.split, kinds) if token in kind for other in kind if other != token]
