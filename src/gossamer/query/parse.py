"""What is being asked? The tree behind what a person typed.

    query    = side by side of either
    either   = both { "OR" both }
    both     = negated { "AND" negated }
    negated  = ("NOT" | "-") negated | close
    close    = part { ("NEAR" | "NEAR/k") part }
    part     = word | word"*" | word"~" | '"' words '"' | field ":" value | "(" query ")"

Parts side by side bind least, so `cat OR dog food` is `(cat OR dog) food`. Only capitals are operators.
"""

from __future__ import annotations

from collections.abc import Callable

from gossamer.model import (
    And,
    BadQuery,
    Clause,
    Fuzzy,
    Group,
    In,
    Near,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Sounding,
    Text,
    Word,
)
from gossamer.query.fields import field_clause, text_of
from gossamer.query.lexer import Kind, Token, tokens
from gossamer.query.simple import simple_clauses

LONGEST = 2_000  # characters
MOST_CLAUSES = 64
DEEPEST = 20  # parentheses and NOTs within each other

_LITERALLY = "to look for the word itself, write it in small letters"


def parse(text: str) -> Query:
    """The query behind what a person typed; raises BadQuery, which knows the position.

    >>> parse('jaguar "new world" -car').clauses
    (Word(text='jaguar'), Phrase(text='new world'), Not(clause=Word(text='car')))
    """
    if len(text) > LONGEST:
        raise BadQuery(text, LONGEST, f"it is longer than {LONGEST:,} characters")
    if clauses := simple_clauses(text, MOST_CLAUSES):
        return Query(text, clauses)
    return parse_any(text)


def parse_any(text: str) -> Query:
    """The same for queries of every form, simple ones included."""
    query = Query(text, _Parser(text).clauses())
    if not any(wanted for _, wanted in query.leaves()):
        excluded = ", only exclusions" if query.clauses else ""
        raise BadQuery(text, 0, f"there is nothing to look for{excluded}")
    return query


class _Parser:
    """Reads the tokens of one query from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(tokens(text))
        self._next = 0
        self._parts = 0
        self._depth = 0

    def clauses(self) -> tuple[Clause, ...]:
        return self._side_by_side(Kind.END)

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _wrong(self, token: Token, why: str) -> BadQuery:
        return BadQuery(self._text, token.position, why)

    def _side_by_side(self, end: Kind) -> tuple[Clause, ...]:
        """Everything up to the end; a group of its own right within another is the same as its parts."""
        clauses: list[Clause] = []
        while self._peek().kind is not end:
            clause = self._either()
            clauses += clause.clauses if isinstance(clause, Group) else (clause,)
        return tuple(clauses)

    def _either(self) -> Clause:
        return self._joined(Kind.OR, Or, self._both)

    def _both(self) -> Clause:
        return self._joined(Kind.AND, And, self._negated)

    def _joined(
        self, kind: Kind, join: Callable[[tuple[Clause, ...]], Clause], operand: Callable[[], Clause]
    ) -> Clause:
        clauses = [operand()]
        while self._peek().kind is kind:
            self._take()
            clauses.append(operand())
        return join(tuple(clauses)) if len(clauses) > 1 else clauses[0]

    def _negated(self) -> Clause:
        if self._peek().kind is not Kind.NOT:
            return self._close()
        self._deeper(self._take())
        clause = Not(self._negated())
        self._depth -= 1
        return clause

    def _deeper(self, token: Token) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._wrong(token, f"more than {DEEPEST} parentheses or NOTs stand within each other")

    def _close(self) -> Clause:
        first = self._peek()
        clause = self._part()
        if self._peek().kind is not Kind.NEAR:
            return clause
        within = self._peek().within
        texts = [self._text_part(first, clause)]
        while self._peek().kind is Kind.NEAR:
            near = self._take()
            if near.within != within:
                raise self._wrong(near, f"NEARs side by side reach equally far: write NEAR/{within} again")
            behind = self._peek()
            texts.append(self._text_part(behind, self._part()))
        return Near(tuple(texts), within)

    def _text_part(self, token: Token, clause: Clause) -> Text:
        if isinstance(clause, Word | Prefix | Fuzzy | Sounding | Phrase):
            return clause
        if isinstance(clause, In):
            why = f"write the words alone, and {token.field}: beside them"
        else:
            why = 'write words or "phrases" on both sides'
        raise self._wrong(token, f"NEAR cannot count words from here; {why}")

    def _part(self) -> Clause:
        token = self._take()
        if token.kind is Kind.OPEN:
            return self._enclosed(token)
        if token.kind not in {Kind.WORD, Kind.PHRASE}:
            raise self._missing(token)
        self._parts += 1
        if self._parts > MOST_CLAUSES:
            raise self._wrong(token, f"it has more than {MOST_CLAUSES} words and phrases")
        return field_clause(self._text, token) if token.field else text_of(token)

    def _enclosed(self, opening: Token) -> Clause:
        self._deeper(opening)
        clauses = self._side_by_side(Kind.CLOSE)
        self._take()
        self._depth -= 1
        if not clauses:
            raise self._wrong(opening, "there is nothing between the parentheses")
        return clauses[0] if len(clauses) == 1 else Group(clauses)

    def _missing(self, token: Token) -> BadQuery:
        """Something is wanted here, and this is none: the operator before it, or the token, is to blame."""
        before = self._tokens[self._next - 2] if self._next > 1 else None
        if before and before.kind in {Kind.AND, Kind.OR, Kind.NEAR, Kind.NOT}:
            hint = "" if before.text == "-" else f"; {_LITERALLY}"
            return self._wrong(before, f"nothing to look for stands behind {before.text}{hint}")
        return self._wrong(token, f"nothing to look for stands before {token.text}; {_LITERALLY}")
