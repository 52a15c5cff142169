"""Make the plan of a parsed query, with the weights of its words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gossamer.index.bm25f import Field, address_texts
from gossamer.model import Query, texts
from gossamer.model import query as tree
from gossamer.query.conditions import (
    All,
    AtPlace,
    Condition,
    Conjunction,
    DateRange,
    InAnchorText,
    NearTerms,
    Plan,
    TermSequence,
    TermVariants,
    all_of,
    asks_for_text,
    either_of,
    except_of,
    is_any_word,
    together_of,
)
from gossamer.query.expansion import PATTERNS, Expansions, analysers, patterns_at
from gossamer.query.synonyms import NO_SYNONYMS, Synonyms, synonyms_of, with_synonyms
from gossamer.query.syntax import beginning
from gossamer.query.vocabulary import NO_COMPOUNDS, Compounds
from gossamer.text.stopwords import telling
from gossamer.text.terms import MultilingualAnalyser
from gossamer.text.words import is_plain, words, written_as

# Weights of query words (k3, function words)
# -------------------------------------------
#
# emphasis = (k3 + 1) n / (k3 + n)          n is the number of times that the word was typed
#                * 0.1                          for a function word next to content words
#
# divided by the highest emphasis, so that the result is at most 1. Function words are not left out: a
# page that holds them ranks before one that does not. Reference for k3: Robertson, Walker, Jones,
# Hancock-Beaulieu, Gatford, "Okapi at TREC-3", 1994.

K3 = 8.0
LITTLE = 0.1  # factor for function words


def query_term_weights(
    typed: Sequence[str],
    slots: Sequence[TermVariants],
    languages: tuple[str, ...],
    written: Sequence[str] | None = None,
) -> Plan:
    """Return a plan with only the typed words, each once, and their emphasis.

    `slots` holds the terms of each word, `written` its typed form. Content words come first, so that two of
    them are neighbours even if function words are between them.
    """
    told = telling(typed, languages)
    written = typed if written is None else written
    if False not in told and () not in slots and len(set(slots)) == len(slots):
        forms = tuple([(one,) if one else () for one in written])
        return Plan(tuple(slots), telling=len(slots), forms=forms, languages=languages)
    tells = {slot for slot, own in zip(slots, told, strict=True) if own}
    counts = Counter(filter(None, sorted(slots, key=lambda slot: slot not in tells)))
    plain = [(1.0 if slot in tells else LITTLE) * (K3 + 1) * n / (K3 + n) for slot, n in counts.items()]
    highest = max(plain, default=1.0)
    forms_of: dict[TermVariants, dict[str, None]] = {slot: {} for slot in counts}
    for slot, one in zip(slots, written, strict=True):
        if one and slot:
            forms_of[slot][one] = None
    return Plan(
        tuple(counts),
        emphasis=tuple([one / highest for one in plain]),
        telling=len(tells & counts.keys()),
        forms=tuple(map(tuple, forms_of.values())),
        languages=languages,
    )


def scale_words(made: Plan, slots: Collection[TermVariants], share: float) -> Plan:
    """Scale the emphasis of some words; the highest emphasis stays 1."""
    if not slots:
        return made
    before = made.emphasis or (1.0,) * len(made.words)
    after = [own * (share if word in slots else 1.0) for word, own in zip(made.words, before, strict=True)]
    highest = max(after, default=1.0)
    return replace(made, emphasis=tuple([own / highest for own in after]))


# Plan a parsed query
# -------------------
#
# Every text in the query, unless excluded, ranks documents by its words. A plain word is optional: a
# document that holds any of the plain words matches. Everything else is a condition: phrases, fields,
# operands of operators, exclusions. If a condition requires text, it alone decides which documents match,
# and the plain words next to it only rank. If conditions only filter, a document must also hold a word.
#
# Every word is analysed in each language of the collection. Its terms together count as one word, whose
# weight depends on its frequency in all languages.

NO_EXPANSIONS = Expansions()
NO_PLACES: Mapping[tree.ByPlace, AtPlace] = {}
PARTS = {"title": Field.TITLE, "url": Field.URL, "body": Field.BODY}
WISHES = (tree.Word, tree.Prefix, tree.Fuzzy, tree.Sounding)  # optional texts
ANY_OF_SEVERAL = (tree.Site, tree.FileType, tree.Language)  # a page has only one, so several are alternatives


def plan(
    query: Query,
    languages: Iterable[str],
    expansions: Expansions = NO_EXPANSIONS,
    compounds: Compounds = NO_COMPOUNDS,
    synonyms: Synonyms = NO_SYNONYMS,
    share: float = 0.0,
    places: Mapping[tree.ByPlace, AtPlace] = NO_PLACES,
) -> Plan:
    """Return the plan of a query for a collection with pages in these languages.

    `expansions` are those of `patterns_of(query.texts(), languages)` and `compounds` those of
    `known_compounds`; both are chosen over all partitions. The weight of a synonym is `share` times that of
    the typed word. `places` holds the condition for each place operator in the query.
    """
    spoken = tuple(sorted(languages))
    has_synonyms = bool(share and synonyms.rules)
    is_as_typed = not expansions.terms and not compounds.beside and not compounds.has_other_writings
    made = plan_plain_query(query, spoken) if is_as_typed else None
    if made is None:
        also = [TermSequence((terms,)) for terms in compounds.kinds.values()]
        also += synonyms_of(query, spoken, synonyms) if has_synonyms else []
        made = _Planner(spoken, expansions, compounds, also, places).plan(query)
    made = with_synonyms(made, query, spoken, synonyms, share) if has_synonyms else made
    return with_kinds(made, analysers(spoken), compounds) if compounds.kinds else made


def plan_plain_query(query: Query, languages: tuple[str, ...]) -> Plan | None:
    """Plan a list of words, words joined by AND, or one phrase; return None for any other query.

    This is a shortcut for the most frequent forms of queries. It takes 9 to 13 µs; the planner takes 26 to
    41 µs for an equal plan. For comparison, finding the ten best of half a million passages takes 50 µs
    (`benchmarks/search.py`).
    """
    first, readers = query.clauses[0], analysers(languages)
    parts = first.clauses if type(first) is tree.And and len(query.clauses) == 1 else query.clauses
    is_conjunction = parts is not query.clauses
    texts = [part.text for part in parts if type(part) is tree.Word]
    if is_phrase := type(first) is tree.Phrase and len(parts) == 1:
        texts = [first.text]
    if len(texts) < len(parts) or not readers:
        return None
    if is_plain(text := " ".join(texts)):
        written = typed = words(text)
    else:
        said = [words(text) for text in texts]
        if is_conjunction and {*map(len, said)} != {1}:  # one typed word may be several words, or none
            return None
        typed = [*chain.from_iterable(said)]
        written = [*chain.from_iterable(map(written_as, texts, said))]
    if not typed:
        return None
    slots = readers.read_all(typed)
    made = query_term_weights(typed, slots, languages, written)
    if not (is_phrase or is_conjunction):
        return made
    different = slots if is_phrase else [*dict.fromkeys(slots)]
    # The plan is not shared yet, so it may be changed; `replace` would take a quarter of the time.
    made.together = Conjunction(tuple(zip(*different, strict=True)), in_a_row=is_phrase and len(slots) > 1)
    made.decided = True
    if is_phrase or len(different) == 1:
        made.condition = TermSequence(tuple(different))
    else:
        made.condition = All(tuple([TermSequence((slot,)) for slot in different]))
    return made


def with_kinds(made: Plan, readers: MultilingualAnalyser, compounds: Compounds) -> Plan:
    """Add compounds to the words with which they end, so that a page with both gains little by the second."""
    ranking, shares = list(made.words), dict(made.shares)
    for word, terms in compounds.kinds.items():
        slot = readers.read(word)
        new = tuple(term for term in terms if term not in made.terms and term not in shares)
        for place, own in enumerate(ranking):
            if new and own[: len(slot)] == slot:
                ranking[place] = own + new
                shares |= dict.fromkeys(new, compounds.share)
    return replace(made, words=tuple(ranking), shares=shares)


@dataclass(slots=True)
class _Planner:
    _languages: tuple[str, ...]
    _expansions: Expansions
    _compounds: Compounds
    _added: Sequence[TermSequence]  # synonyms and compounds, which make a document match, too
    _places: Mapping[tree.ByPlace, AtPlace]
    # A cache of the words and terms of each text, which conditions and weights need.
    _read: dict[tree.Text, tuple[Sequence[str], tuple[TermVariants, ...]]] = field(default_factory=dict)

    def plan(self, query: Query) -> Plan:
        """Return the plan of a query."""
        wanted = [text for leaf, wanted in query.leaves() if wanted for text in texts(leaf)]
        # Expansions come first, so that a term that was typed, too, gets the weight of the typed word.
        wanted.sort(key=lambda text: not isinstance(text, PATTERNS))
        beside = [slot for word in self._compounds.beside for slot in self._slots(tree.Word(word))]
        beside += [slot for text in wanted for slot in self._longer(text)]
        made = self._emphasised(wanted, beside)
        needed = [clause for clause in query.clauses if not isinstance(clause, WISHES)]
        wishes = [clause for clause in query.clauses if isinstance(clause, WISHES)]
        conditions = self._conditions(needed)
        if self._are_parted(wishes) and not any(map(asks_for_text, conditions)):
            # A document must hold an optional text, and may do so without a ranking word.
            rows = [*[TermSequence((slot,)) for slot in beside], *self._added]
            conditions += filter(None, [either_of([*map(self._text, wishes), *rows])])
            wishes = []
        only_conditions = not wishes
        if not conditions or (only_conditions and is_any_word(conditions)):
            return made
        decided = only_conditions or any(map(asks_for_text, conditions))
        condition = all_of(conditions)
        return replace(
            made,
            condition=condition,
            decided=decided,
            ranks=bool(wanted),
            together=together_of(condition, made.words) if condition and decided else None,
            also=self._also(wanted, made.words),
        )

    def _emphasised(self, wanted: Sequence[tree.Text], beside: Sequence[TermVariants]) -> Plan:
        """Return a plan of the ranking words: those in the query, and those added to it in `beside`.

        If no page holds a word, its two parts together have the weight of the word. Compounds that contain a
        word that some page holds have less weight than the word.
        """
        typed: list[str] = []
        written: list[str] = []
        slots: list[TermVariants] = []
        parts: set[TermVariants] = set()
        for text in wanted:
            said, own = self._words_and_slots(text)
            own = (self._parts(text) if self._is_unknown(text) else ()) or own
            slots += own
            typed += said if len(said) == len(own) else [""] * len(own)
            written += written_as(text.text, said) if len(said) == len(own) else [""] * len(own)
            parts |= {*own} if len(own) > len(said) else set()
        asked = len(typed) - len(parts) // 2
        lesser = {slot for text in wanted if not self._is_unknown(text) for slot in self._longer(text)}
        unwritten = [""] * len(beside)
        made = query_term_weights(
            [*typed, *unwritten], [*slots, *beside], self._languages, [*written, *unwritten]
        )
        made = scale_words(made, parts, 1 / 2)
        made = replace(made, telling=asked) if asked < made.telling else made
        return scale_words(made, lesser, self._compounds.share) if self._compounds.share else made

    def _are_parted(self, wishes: Sequence[tree.Clause]) -> bool:
        """Return whether one of the words may also be written as two."""
        return any(isinstance(one, tree.Word) and self._parts(one) for one in wishes)

    def _also(self, wanted: Sequence[tree.Text], ranking: Sequence[TermVariants]) -> tuple[str, ...]:
        """Return the terms of parts of words that do not rank."""
        parts = [slot for text in wanted for slot in self._parts(text)]
        return tuple(dict.fromkeys(term for slot in parts if slot not in ranking for term in slot))

    def _conditions(self, clauses: Sequence[tree.Clause]) -> list[Condition]:
        """Return the conditions of a list of clauses, which must not hold plain words."""
        conditions = [self._condition(one) for one in clauses if not isinstance(one, ANY_OF_SEVERAL)]
        for kind in ANY_OF_SEVERAL:
            conditions.append(either_of([self._condition(one) for one in clauses if isinstance(one, kind)]))
        return [one for one in conditions if one]

    def _condition(self, clause: tree.Clause) -> Condition | None:
        """Return the condition of a clause; None if it is empty, such as a word without a letter."""
        match clause:
            case tree.Not(inner):
                return except_of(self._condition(inner))
            case tree.And(clauses):
                return all_of([self._condition(one) for one in clauses])
            case tree.Or(clauses):
                return either_of([self._condition(one) for one in clauses])
            case tree.Group(clauses):
                return self._group(clauses)
            case tree.ByPlace():
                return self._places.get(clause, AtPlace())  # nothing belongs to an unknown place
            case tree.Before(day):
                return DateRange(-math.inf, beginning(day))
            case tree.After(day):
                return DateRange(beginning(day), math.inf)
            case tree.Site() | tree.FileType() | tree.Language() | tree.ByLinks():
                return clause
        return self._text(clause)

    def _group(self, clauses: Sequence[tree.Clause]) -> Condition | None:
        conditions = self._conditions([one for one in clauses if not isinstance(one, WISHES)])
        if any(map(asks_for_text, conditions)):
            return all_of(conditions)
        wishes = either_of([self._condition(one) for one in clauses if isinstance(one, WISHES)])
        return all_of([*conditions, wishes])

    def _text(self, leaf: tree.Leaf) -> Condition | None:
        match leaf:
            case tree.In("anchor", text):
                slots = self._slots(text)
                return InAnchorText(slots) if slots else None
            case tree.In("url", tree.Word(typed) | tree.Phrase(typed)):
                return either_of([self._row(tree.Word(text), Field.URL) for text in address_texts(typed)])
            case tree.In(part, text):
                return self._row(text, PARTS[part])
            case tree.Near(several, within):
                rows = [row for row in map(self._row, several) if row]
                return NearTerms(tuple(rows), within) if len(rows) > 1 else all_of(rows)
            case tree.Word(typed):
                if not self._compounds.has_other_writings:
                    return self._row(leaf)
                whole = self._compounds.whole.get(typed, "")
                longer = [TermSequence((slot,)) for slot in self._longer(leaf)]
                parts = self._parts(leaf)
                parted = TermSequence(parts) if parts else None
                return either_of([self._row(leaf), parted, self._row(tree.Word(whole)), *longer])
            case tree.Prefix() | tree.Fuzzy() | tree.Sounding() | tree.Phrase():
                return self._row(leaf)
        raise TypeError(leaf)

    def _row(self, text: tree.Text, field: Field | None = None) -> TermSequence | None:
        slots = self._slots(text)
        return TermSequence(slots, field) if slots else None

    def _parts(self, text: tree.Text) -> tuple[TermVariants, ...]:
        """Return the terms of the two parts of a word."""
        parts = _of_word(self._compounds.parts, text)
        return tuple(analysers(self._languages).read_all(words(" ".join(parts)))) if parts else ()

    def _longer(self, text: tree.Text) -> tuple[TermVariants, ...]:
        """Return the terms of compounds that contain the word, as one slot."""
        terms = _of_word(self._compounds.longer, text)
        return (terms,) if terms else ()

    def _is_unknown(self, text: tree.Text) -> bool:
        """Return whether a word is known to be on no page."""
        unknown = self._compounds.unknown
        return bool(unknown) and not unknown.isdisjoint(words(text.text)[:1])

    def _slots(self, text: tree.Text) -> tuple[TermVariants, ...]:
        """Return the terms of each word of a text; the last word of a pattern has many."""
        return self._words_and_slots(text)[1]

    def _words_and_slots(self, text: tree.Text) -> tuple[Sequence[str], tuple[TermVariants, ...]]:
        """Return the words of a text, and the terms of each."""
        known = self._read.get(text)
        if known is None:
            said = words(text.text)
            slots = analysers(self._languages).read_all(said)
            for place, pattern in patterns_at(text, self._languages) if self._expansions.terms else ():
                # A syllable without tone marks is a pattern only if the whole query has none.
                slots[place] = self._expansions.terms.get(pattern, slots[place] if pattern.bare else ())
            known = self._read[text] = said, tuple(slots)
        return known


def _of_word(known: Mapping[str, TermVariants], text: tree.Text) -> TermVariants:
    """Look up a text that is one plain word; return () for any other text."""
    typed = words(text.text) if known and isinstance(text, tree.Word) else []
    return known.get(typed[0], ()) if len(typed) == 1 else ()
