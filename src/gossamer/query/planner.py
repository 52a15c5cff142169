"""Plan a parsed query; weights of its words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gossamer.index.bm25f import Field, address_texts
from gossamer.model import (
    After,
    And,
    Before,
    ByLinks,
    ByPlace,
    Clause,
    FileType,
    Fuzzy,
    Group,
    In,
    Language,
    Leaf,
    Near,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Site,
    Sounding,
    Text,
    Word,
    texts,
)
from gossamer.query.conditions import (
    Among,
    Anchored,
    Close,
    Condition,
    Dated,
    InLanguage,
    Located,
    OfType,
    OnSite,
    Plan,
    Reading,
    Row,
    all_of,
    asks_for_text,
    either_of,
    except_of,
    is_any_word,
    together_of,
)
from gossamer.query.expansion import PATTERNS, Expansions, analysers, patterns_at, read, read_words
from gossamer.query.synonyms import NO_SYNONYMS, Synonyms, synonyms_of, with_synonyms
from gossamer.query.syntax import beginning
from gossamer.query.vocabulary import NO_COMPOUNDS, Compounds
from gossamer.text.stopwords import telling
from gossamer.text.terms import Readers
from gossamer.text.words import words, written_as

# Weights of query words (k3, function words)
# -------------------------------------------
#
# emphasis = (k3 + 1) n / (k3 + n)          n is how often the word was typed
#                * 0.1                          for a function word beside words that tell more
#
# divided by the highest, so that it is 1 at most. Function words are not left out: a page that holds
# them too still comes before one that does not. Reference for k3: Robertson, Walker, Jones, Hancock-
# Beaulieu, Gatford, "Okapi at TREC-3", 1994.

K3 = 8.0
LITTLE = 0.1


@dataclass(slots=True)  # not frozen: one is made for every query
class Emphasised:
    """The words of a query, each once."""

    words: tuple[Reading, ...]  # those that tell something come first
    emphasis: tuple[float, ...]  # nothing where all count alike
    telling: int  # how many tell something
    forms: tuple[tuple[str, ...], ...] = ()  # of each, as it was typed


def emphasised(
    typed: Sequence[str],
    slots: Sequence[Reading],
    languages: Iterable[str],
    written: Sequence[str] | None = None,
) -> Emphasised:
    """How much the words count that were typed; `slots` has the terms of each, `written` how it was written.

    Words that tell something are neighbours then where only function words part them.
    """
    told = telling(typed, languages)
    written = typed if written is None else written
    if False not in told and () not in slots and len(set(slots)) == len(slots):
        return Emphasised(tuple(slots), (), len(slots), tuple([(one,) if one else () for one in written]))
    tells = {slot for slot, own in zip(slots, told, strict=True) if own}
    counts = Counter(filter(None, sorted(slots, key=lambda slot: slot not in tells)))
    plain = [(1.0 if slot in tells else LITTLE) * (K3 + 1) * n / (K3 + n) for slot, n in counts.items()]
    highest = max(plain, default=1.0)
    forms: dict[Reading, dict[str, None]] = {slot: {} for slot in counts}
    for slot, one in zip(slots, written, strict=True):
        if one and slot:
            forms[slot][one] = None
    return Emphasised(
        tuple(counts),
        tuple([one / highest for one in plain]),
        len(tells & counts.keys()),
        tuple(map(tuple, forms.values())),
    )


def lessened(made: Emphasised, slots: Collection[Reading], share: float) -> Emphasised:
    """The same, with some of the words counting only a share."""
    if not slots:
        return made
    before = made.emphasis or (1.0,) * len(made.words)
    after = [own * (share if word in slots else 1.0) for word, own in zip(made.words, before, strict=True)]
    highest = max(after, default=1.0)
    return replace(made, emphasis=tuple([own / highest for own in after]))


# Plan a parsed query
# -------------------
#
# Every text that is asked for ranks by its words. A plain word is only a wish: a document that holds
# any of them may answer. Everything else (phrases, fields, what operators join, exclusions) is a
# condition. Where a condition asks for text, it alone decides what answers, and the plain words
# beside it only rank; where conditions only filter, one of the words must be there too.
#
# Every word is read in each language that the collection speaks; its readings are one word still, and
# weigh as much as the word is rare in all languages together.

NO_EXPANSIONS = Expansions()
NO_PLACES: Mapping[ByPlace, Located] = {}
PARTS = {"title": Field.TITLE, "url": Field.URL, "body": Field.BODY}
WISHES = (Word, Prefix, Fuzzy, Sounding)
ANY_OF_SEVERAL = (Site, FileType, Language)  # side by side: a page has only one of them


def plan(
    query: Query,
    languages: Iterable[str],
    expansions: Expansions = NO_EXPANSIONS,
    compounds: Compounds = NO_COMPOUNDS,
    synonyms: Synonyms = NO_SYNONYMS,
    share: float = 0.0,
    places: Mapping[ByPlace, Located] = NO_PLACES,
) -> Plan:
    """The plan of a query over a collection that speaks these languages.

    `expansions` are those of `patterns_of(query, languages)` and `compounds` those of `compounds_of(query)`,
    both chosen over all partitions. A synonym counts a `share` of what the typed word does. `places` has what
    belongs to each place that the query names by an operator.
    """
    spoken = tuple(sorted(languages))
    readers = analysers(spoken)
    also = [Row((terms,)) for terms in compounds.kinds.values()]
    also += synonyms_of(query, spoken, synonyms) if share and synonyms.rules else []
    made = _Planner(spoken, expansions, compounds, also, places).plan(query)
    made = with_synonyms(made, query, spoken, synonyms, share) if synonyms.rules else made
    return with_kinds(made, readers, compounds) if compounds.kinds else made


def with_kinds(made: Plan, readers: Readers, compounds: Compounds) -> Plan:
    """The plan with compounds that end with its words: a page with both gains little by the second."""
    ranking, shares = list(made.words), dict(made.shares)
    for word, terms in compounds.kinds.items():
        slot = read_words([word], readers)[0]
        new = tuple(term for term in terms if term not in made.terms and term not in shares)
        for place, own in enumerate(ranking):
            if new and own[: len(slot)] == slot:
                ranking[place] = own + new
                shares |= dict.fromkeys(new, compounds.share)
    return replace(made, words=tuple(ranking), shares=shares)


class _Planner:
    def __init__(
        self,
        languages: tuple[str, ...],
        expansions: Expansions,
        compounds: Compounds,
        also: Sequence[Row],
        places: Mapping[ByPlace, Located],
    ) -> None:
        self._languages = languages
        self._expansions = expansions
        self._compounds = compounds
        self._added = also
        self._places = places
        self._analysers = analysers(languages)

    def plan(self, query: Query) -> Plan:
        wanted = [text for leaf, wanted in query.leaves() if wanted for text in texts(leaf)]
        # Expansions come first: a term that was typed as well weighs as the typed word does.
        wanted.sort(key=lambda text: not isinstance(text, PATTERNS))
        beside = [slot for word in self._compounds.beside for slot in self._slots(Word(word))]
        beside += [slot for text in wanted for slot in self._longer(text)]
        own = self._emphasised(wanted, beside)
        needed = [clause for clause in query.clauses if not isinstance(clause, WISHES)]
        wishes = [clause for clause in query.clauses if isinstance(clause, WISHES)]
        conditions = self._conditions(needed)
        if self._are_parted(wishes) and not any(map(asks_for_text, conditions)):
            # One of the wishes must hold, and some hold where none of the words that rank stands.
            rows = [*[Row((slot,)) for slot in beside], *self._added]
            conditions += filter(None, [either_of([*map(self._text, wishes), *rows])])
            wishes = []
        only_conditions = not wishes
        if not conditions or (only_conditions and is_any_word(conditions)):
            return Plan(
                own.words,
                emphasis=own.emphasis,
                telling=own.telling,
                forms=own.forms,
                languages=self._languages,
            )
        decided = only_conditions or any(map(asks_for_text, conditions))
        condition = all_of(conditions)
        together = together_of(condition, own.words) if condition and decided else None
        also = self._also(wanted, own.words)
        return Plan(
            own.words,
            condition,
            decided,
            bool(wanted),
            together,
            own.emphasis,
            own.telling,
            forms=own.forms,
            also=also,
            languages=self._languages,
        )

    def _emphasised(self, wanted: Sequence[Text], beside: Sequence[Reading]) -> Emphasised:
        """What ranks: the words that are asked for, and what stands beside them.

        The parts of a word that no page holds count together what the word would. Compounds with a word that
        some page holds count less than the word.
        """
        typed: list[str] = []
        written: list[str] = []
        slots: list[Reading] = []
        parts: set[Reading] = set()
        for text in wanted:
            said = words(text.text)
            own = self._ranking(text, said)
            slots += own
            typed += said if len(said) == len(own) else [""] * len(own)
            written += written_as(text.text, said) if len(said) == len(own) else [""] * len(own)
            parts |= {*own} if len(own) > len(said) else set()
        asked = len(typed) - len(parts) // 2
        lesser = {slot for text in wanted if not self._is_unknown(text) for slot in self._longer(text)}
        made = emphasised(
            [*typed, *[""] * len(beside)],
            [*slots, *beside],
            self._languages,
            [*written, *[""] * len(beside)],
        )
        made = replace(lessened(made, parts, 1 / 2), telling=min(made.telling, asked))
        return lessened(made, lesser, self._compounds.share) if self._compounds.share else made

    def _are_parted(self, wishes: Sequence[Clause]) -> bool:
        """Whether one of the words may also stand in two parts."""
        return any(isinstance(one, Word) and self._parts(one) for one in wishes)

    def _also(self, wanted: Sequence[Text], ranking: Sequence[Reading]) -> tuple[str, ...]:
        parts = [slot for text in wanted for slot in self._parts(text)]
        return tuple(dict.fromkeys(term for slot in parts if slot not in ranking for term in slot))

    def _conditions(self, clauses: Sequence[Clause]) -> list[Condition]:
        """What must hold, of parts that stand side by side; plain words are not among them."""
        conditions = [self._condition(one) for one in clauses if not isinstance(one, ANY_OF_SEVERAL)]
        for kind in ANY_OF_SEVERAL:
            conditions.append(either_of([self._condition(one) for one in clauses if isinstance(one, kind)]))
        return [one for one in conditions if one]

    def _condition(self, clause: Clause) -> Condition | None:
        """None for what says nothing, such as a word without a letter."""
        match clause:
            case Not(inner):
                return except_of(self._condition(inner))
            case And(clauses):
                return all_of([self._condition(one) for one in clauses])
            case Or(clauses):
                return either_of([self._condition(one) for one in clauses])
            case Group(clauses):
                return self._group(clauses)
            case ByPlace():
                return self._places.get(clause, Located())  # to an unknown one nothing belongs
            case Site() | FileType() | Language() | Before() | After() | ByLinks():
                return _filter(clause)
        return self._text(clause)

    def _group(self, clauses: Sequence[Clause]) -> Condition | None:
        conditions = self._conditions([one for one in clauses if not isinstance(one, WISHES)])
        if any(map(asks_for_text, conditions)):
            return all_of(conditions)
        wishes = either_of([self._condition(one) for one in clauses if isinstance(one, WISHES)])
        return all_of([*conditions, wishes])

    def _text(self, leaf: Leaf) -> Condition | None:
        match leaf:
            case In("anchor", text):
                slots = self._slots(text)
                return Anchored(slots) if slots else None
            case In("url", Word(typed) | Phrase(typed)):
                return either_of([self._row(Word(text), Field.URL) for text in address_texts(typed)])
            case In(part, text):
                return self._row(text, PARTS[part])
            case Near(several, within):
                rows = [row for row in map(self._row, several) if row]
                return Close(tuple(rows), within) if len(rows) > 1 else all_of(rows)
            case Word(typed):
                whole = self._compounds.whole.get(typed, "")
                longer = [Row((slot,)) for slot in self._longer(leaf)]
                return either_of([self._row(leaf), self._parted(leaf), self._row(Word(whole)), *longer])
            case Prefix() | Fuzzy() | Sounding() | Phrase():
                return self._row(leaf)
        raise TypeError(leaf)

    def _row(self, text: Text, field: Field | None = None) -> Row | None:
        slots = self._slots(text)
        return Row(slots, field) if slots else None

    def _parted(self, text: Text) -> Row | None:
        """The row of a word's two parts."""
        slots = self._parts(text)
        return Row(slots) if slots else None

    def _parts(self, text: Text) -> tuple[Reading, ...]:
        typed = words(text.text) if self._compounds.parts and isinstance(text, Word) else []
        parts = self._compounds.parts.get(typed[0]) if len(typed) == 1 else None
        return tuple(read(" ".join(parts), self._analysers)) if parts else ()

    def _longer(self, text: Text) -> tuple[Reading, ...]:
        """Compounds that hold the word."""
        typed = words(text.text) if self._compounds.longer and isinstance(text, Word) else []
        terms = self._compounds.longer.get(typed[0]) if len(typed) == 1 else None
        return (terms,) if terms else ()

    def _ranking(self, text: Text, said: Sequence[str]) -> tuple[Reading, ...]:
        """The words by which a text ranks: its own, or those in which an unknown one was found."""
        parts = self._parts(text) if self._is_unknown(text) else ()
        return parts or self._slots(text, said)

    def _is_unknown(self, text: Text) -> bool:
        """Whether no page holds a word, as far as other writings were looked for."""
        unknown = self._compounds.unknown
        return bool(unknown) and not unknown.isdisjoint(words(text.text)[:1])

    def _slots(self, text: Text, said: Sequence[str] | None = None) -> tuple[Reading, ...]:
        """The terms of each of its words; the last word of a pattern stands for many."""
        slots = read_words(words(text.text) if said is None else said, self._analysers)
        if not self._expansions.terms:
            return tuple(slots)
        for place, pattern in patterns_at(text, self._languages):
            # A syllable without marks is one only in a query that has none.
            slots[place] = self._expansions.terms.get(pattern, slots[place] if pattern.bare else ())
        return tuple(slots)


def _filter(clause: Site | FileType | Language | Before | After | ByLinks) -> Condition:
    match clause:
        case Site(host):
            return OnSite(host)
        case FileType(name):
            return OfType(name)
        case Language(code):
            return InLanguage(code)
        case Before(day):
            return Dated(-math.inf, beginning(day))
        case After(day):
            return Dated(beginning(day), math.inf)
        case ByLinks(way, url):
            return Among(way, url)
