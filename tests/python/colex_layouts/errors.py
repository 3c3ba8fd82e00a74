"""What Colex raises. SPDX-License-Identifier: Apache-2.0"""


class Error(Exception):
    """Any of these."""


class Malformed(Error, ValueError):
    """No value of the notation, no operation, or not what the operation takes."""


class Undefined(Error, ArithmeticError):
    """No answer can satisfy the laws; the text says why."""

    says = "undefined"  # as an answer on the wire


class Unspecified(Error, ArithmeticError):
    """The sources disagree about the answer."""

    says = "unspecified"


class Undecided(Error, ArithmeticError):
    """Whether there is an answer was not found out."""

    says = "undefined"  # its text begins with `not decided`


class NotOffered(Error, NotImplementedError):
    """What functions under judgement raise for what they do not offer; an answer with integers of too many digits."""

    says = "unsupported"


class NotDrawn(Error, ValueError):
    """There is nothing to draw, or too much."""


class NoProgram(Error, RuntimeError):
    """What was to be judged does not run, or does not speak the protocol."""


class JudgedInPart(UserWarning):
    """A law holds on what was offered, and that is not all that it speaks of. `check` warns of it."""


class GemmError(Error, RuntimeError):
    """A product was refused; the text says why."""
