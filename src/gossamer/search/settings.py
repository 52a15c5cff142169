"""Settings of [search]: algorithm, weights of all features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gossamer.model import setting
from gossamer.model.settings import Tunable


def _share(default: float, sentence: str, formerly: str = "") -> Any:
    """Declare a weight that is a share from 0 to 1."""
    return setting(default, sentence, least=0, most=1, formerly=formerly)


def _boost(default: float, sentence: str, tunable: Tunable | None = None, formerly: str = "") -> Any:
    """Declare a weight that may exceed 1: a share from 0 to 10."""
    return setting(default, sentence, least=0, most=10, tunable=tunable, formerly=formerly)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The `[search]` section."""

    scheme: str = setting(
        "bm25f",
        "Weighting scheme: bm25f, bm25, tfidf, tf, tfidf-norm, lnc.ltc or boolean. Use the schemes "
        "other than bm25f for comparison.",
        choices=("bm25f", "bm25", "tfidf", "tf", "tfidf-norm", "lnc.ltc", "boolean"),
    )
    algorithm: str = setting(
        "auto",
        "Retrieval algorithm: blockmax, maxscore, exhaustive, threshold, champion or auto. All but "
        "champion find the exact best results; auto chooses the fastest.",
        choices=("blockmax", "maxscore", "exhaustive", "threshold", "champion", "auto"),
    )
    threads: int = setting(
        0,
        "Number of threads that one expensive query may use, 0 to 1024. 0 means one for each core; 1 "
        "means no additional thread.",
        least=0,
        most=1024,
    )
    rerank_depth: int = setting(
        300,
        "Number of best candidates from the first phase that get full scores, 0 to 1000; 0 turns the "
        "second phase off. Only bm25f has a second phase.",
        least=0,
        most=1000,
        formerly="second_phase",
    )
    anchor_text_weight: float = setting(
        1.0,
        "Weight of anchor text in the term frequencies of the linked page, 0 to 100, on the scale of the "
        "field weights. 0 ignores anchor text.",
        least=0,
        most=100,
        formerly="anchors",
    )
    nearby_text_weight: float = _share(
        0.5,
        "Weight of the words near a link, as a share of the weight of its anchor text, 0 to 1; 0 ignores "
        "them.",
        formerly="near_links",
    )
    unfetched: bool = setting(
        True,
        "Whether to find pages that are known only from links to them. They are marked as not fetched yet.",
    )
    results_per_host: int = setting(
        2,
        "Number of results from one host among ten, 0 to 10, that keep their places. Further results of the "
        "host move below similarly good results of other hosts. 0 means no limit.",
        least=0,
        most=10,
        formerly="per_host",
    )
    fold_threshold: float = _share(
        0.8,
        "Resemblance from which a result is folded behind a better one: the share of common 8-word runs, "
        "0 to 1. 0 turns folding off.",
        formerly="fold",
    )
    clusters: str = setting(
        "average",
        "Linkage by which results are grouped by subject: average or single.",
        choices=("average", "single"),
    )
    proximity: float = _boost(
        0.15,
        "Boost for two query words that stand side by side in a page, as a share of the rarer word's "
        "weight, 0 to 10.",
        tunable=(0.0, 1.0),
    )
    exact_form_boost: float = _boost(
        0.15,
        "Boost for a word that a page contains in the form typed, as a share of the word's score there, "
        "0 to 10. It applies to the best candidates only.",
        tunable=(0.0, 0.5),
        formerly="exact",
    )
    feedback: float = _boost(
        0.8,
        "Weight of the words that the best pages have in common (relevance feedback), 0 to 10; 0 turns it "
        "off. It applies to queries with at least seven content words in scripts with spaces.",
        tunable=(0.0, 2.0),
    )
    synonyms: float = _share(
        0.5, "Weight of a synonym as a share of the typed word's weight, 0 to 1; 0 turns synonyms off."
    )
    compounds: float = _share(
        0.3,
        "Weight of a compound that ends with a query word, as Hauskatze ends with Katze, as a share of "
        "that word's weight, 0 to 1; 0 turns compounds off.",
    )
    freshness: float = _boost(
        0.0,
        "Boost for a page from today, as a share of its score, 0 to 10; 0 turns it off. Raise it for a "
        "collection of news.",
    )
    freshness_days: float = setting(
        365.0, "Age in days at which a page gets half the boost of `freshness`, at least 0.01.", least=0.01
    )
    recency: float = _boost(
        0.3,
        "Boost for a page from today if the query asks for something new (news, latest, the number of the "
        "year), as a share of its score, 0 to 10; 0 turns it off.",
        tunable=(0.0, 1.0),
    )
    recency_days: float = setting(
        60.0, "Age in days at which a page gets half the boost of `recency`, at least 0.01.", least=0.01
    )
    short_url_boost: float = _boost(
        0.0,
        "Boost for short URLs, 0 to 10: this share of the score, divided by the number of words in the "
        "URL. 0 turns it off.",
        tunable=(0.0, 0.5),
        formerly="depth",
    )
    languages: list[str] = setting(
        [],
        "Codes of the languages that readers prefer, such as de, if neither the request nor the browser "
        "names any.",
    )
    other_language_factor: float = setting(
        0.6,
        "Score factor for pages in a language other than the query's, 0.01 to 1; 1 means no penalty. It "
        "applies in full only if the language of the query is certain.",
        least=0.01,
        most=1,
        formerly="other_languages",
    )
    country: str = setting(
        "",
        "Two-letter code of the readers' country, such as de, if neither the request nor the browser "
        "names one.",
    )
    country_strength: float = _share(
        0.15,
        "Largest boost for pages of the reader's country, as a share of the score, 0 to 1; 0 turns it off.",
    )
    preferred_sites: float = _share(
        0.15,
        "Boost for pages of sites that the reader prefers, as a share of the score, 0 to 1; 0 turns it off.",
    )
    context_boost: float = _boost(
        0.5,
        "Boost for pages that are similar to the results of the reader's last queries, 0 to 10; 0 turns "
        "it off. It applies only if the request contains these queries.",
        formerly="context",
    )
    rank: str = setting(
        "auto",
        "Link rank that boosts pages: pagerank, editorial, indegree, popularity, harmonic, trust, hits, "
        "hubs, salsa, none or auto. auto is editorial if it is stored, otherwise pagerank.",
    )
    guess_topics: bool = setting(
        True,
        "Whether to guess the topic of a query, if at least two topics are defined and the request names "
        "none.",
    )
    link_support_boost: float = _share(
        0.2,
        "Boost for pages linked from other results of the same query, and penalty for pages with few such "
        "links, 0 to 1. 0 turns it off; with 0.2, a score rises by at most 6% and falls by at most 14%.",
        formerly="support",
    )
    link_rank_weight: float = _boost(
        0.15,
        "Largest boost by the link rank, as a share of the score, 0 to 10; 0 turns it off. With 0.15, a "
        "page gains at most 15%.",
        formerly="static_strength",
    )
