from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.snippets import LONGEST_KEPT, TermMatcher, written_in
from gossamer.text.terms import analyser
from gossamer.text.words import written_forms

LANGUAGES = ("en", "de", "fr", "ar", "vi", "")
TEXTS = (
    "The Jaguar's U.S.A. tour: 1,000 C++ #tags, @names, .NET and 10km of l'homme; x86_64's std::vector<int>",
    "Der Donaudampfschifffahrtskapitän fuhr über die Straße – am 3.14. um 10:30 Uhr",
    "L’école d’aujourd’hui n’est pas qu’une idée",
    "私は京都市に行く。Python言語 한국어를 배운다 ภาษาไทย",
    "كتب الكاتبون كتابًا في المكتبة العربيّة",
    "ngh\u0129a hoà hòa so\u00adft e\u0301cole ﬁn １２３",
)


def plainly(text, wanted, term_of):
    """The same, word by word."""
    found = {form: wanted.intersection(term_of(form)) for form in written_forms(text)}
    return {form: terms for form, terms in found.items() if terms}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", TEXTS)
def test_words_that_stand_for_a_term(text, language):
    term_of = analyser(language).terms
    for term in term_of(text):
        wanted = frozenset({term})
        assert written_in(language).bearers(text, wanted) == plainly(text, wanted, term_of)


SIGNS = "aAsS1 .,'’+#@_-\n\u00ad\u0301京都กข…çé\u0661\u2028·"


@given(
    st.lists(st.text(alphabet=SIGNS, max_size=60), max_size=3),
    st.sampled_from(LANGUAGES),
    st.randoms(use_true_random=False),
)
def test_any_text(texts, language, source):
    written, term_of = TermMatcher(analyser(language).terms), analyser(language).terms
    for text in (*texts, *texts):
        terms = sorted(set(term_of(text)))
        wanted = frozenset(source.sample(terms, source.randint(0, len(terms)))) | {"another"}
        assert written.bearers(text, wanted) == plainly(text, wanted, term_of)


def test_the_memory_starts_anew():
    written = TermMatcher(str.split)
    written.LARGEST = 10
    for number in range(100):
        text = f"word{number} and {'x' * LONGEST_KEPT}-{number}"
        assert written.bearers(text, frozenset({f"word{number}", "and"})) == {
            f"word{number}": {f"word{number}"},
            "and": {"and"},
        }
        assert len(written._memory) + len(written._memory.terms) <= written.LARGEST + 5


def test_threads_share_it():
    written = TermMatcher(str.split)
    written.LARGEST = 50
    texts = [f"w{number % 97} w{number % 89} and so on" for number in range(2_000)]
    wanted = frozenset(f"w{number}" for number in range(97))
    with ThreadPoolExecutor(4) as pool:
        for text, found in zip(
            texts, pool.map(lambda text: written.bearers(text, wanted), texts), strict=True
        ):
            assert set(found) == set(text.split()[:2])


def test_languages_that_are_read_alike_share_a_memory():
    assert written_in("zh") is written_in("ja")
    assert written_in("en") is not written_in("de")
