"""Settings of [search]: algorithm, weights of all features."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The `[search]` section."""

    scheme: str = setting(
        "bm25f", "The weighting scheme: bm25f, bm25, tfidf, tf, tfidf-norm, lnc.ltc or boolean."
    )
    algorithm: str = setting(
        "auto",
        "The retrieval algorithm: blockmax, maxscore, exhaustive, threshold, champion (not exact), or auto "
        "for the quickest.",
    )
    threads: int = setting(
        0,
        "How many threads one heavy query may use: 0 for one a core, 1 for none but its own.",
        least=0,
        most=1024,
    )
    rerank_depth: int = setting(
        300,
        "How many of the best pages by impact get full scores; 0 for none. Only bm25f has this phase.",
        least=0,
        most=1000,
    )
    anchor_text_weight: float = setting(
        1.0,
        "What a link's text counts in the frequencies of words, as the weights of fields do; 0 for nothing.",
        least=0,
        most=100,
    )
    nearby_text_weight: float = setting(
        0.5,
        "What a word near a link counts, as a share of one in the link's text; 0 for nothing.",
        least=0,
        most=1,
    )
    unfetched: bool = setting(
        True, "Whether pages that are known only by links to them are found too, marked as not fetched yet."
    )
    results_per_host: int = setting(
        2,
        "How many of ten results may come from one host before others go first; 0 for any number.",
        least=0,
        most=10,
    )
    fold_threshold: float = setting(
        0.8,
        "The share of common 8-word runs from which a result is folded behind a better one; 0 folds none.",
        least=0,
        most=1,
    )
    clusters: str = setting(
        "average",
        "How results are grouped by what they are about: by average or by single linkage.",
    )
    proximity: float = setting(
        0.15,
        "What two words side by side in query and page add, as a share of the rarer one's weight.",
        least=0,
        most=10,
        tunable=(0.0, 1.0),
    )
    exact_form_boost: float = setting(
        0.15,
        "What a word adds that one of the best pages holds as it was typed: a share of what it counts there.",
        least=0,
        most=10,
        tunable=(0.0, 0.5),
    )
    feedback: float = setting(
        0.8,
        "How much the words count that the best pages have in common, for queries of seven telling words "
        "and more in scripts with spaces; 0 for not at all.",
        least=0,
        most=10,
        tunable=(0.0, 2.0),
    )
    synonyms: float = setting(
        0.5,
        "How much a synonym counts beside the word that was typed: 0 not at all, 1 as much.",
        least=0,
        most=1,
    )
    compounds: float = setting(
        0.3,
        "How much a compound counts that ends with a word of the query, as Hauskatze does with Katze; 0 for "
        "not at all.",
        least=0,
        most=1,
    )
    freshness: float = setting(
        0.0,
        "How far a page of today is lifted: 0 not at all, 0.1 by a tenth of its score.",
        least=0,
        most=10,
    )
    freshness_days: float = setting(
        365.0, "A page as old as this is lifted half as far as one of today.", least=0.01
    )
    recency: float = setting(
        0.3,
        "The same for a query that asks for what is new (news, latest, the number of the year); 0 for none.",
        least=0,
        most=10,
        tunable=(0.0, 1.0),
    )
    recency_days: float = setting(
        60.0, "For such a query a page as old as this is lifted half as far as one of today.", least=0.01
    )
    short_url_boost: float = setting(
        0.0,
        "How far a short address lifts a page: by this share of its score, divided by the address's words.",
        least=0,
        most=10,
        tunable=(0.0, 0.5),
    )
    languages: list[str] = setting(
        [], "Codes of the languages that readers prefer, where neither they nor their browsers name any."
    )
    other_language_factor: float = setting(
        0.6,
        "What a page counts whose language the query is surely not in: 1 as much as any, 0.6 so much less.",
        least=0.01,
        most=1,
    )
    country: str = setting(
        "", "The two letters of the country where readers are, such as de, where nobody and nothing tells."
    )
    country_strength: float = setting(
        0.15,
        "How far pages of the person's country are lifted: by this share of their scores at most; 0 for not.",
        least=0,
        most=1,
    )
    preferred_sites: float = setting(
        0.15,
        "How far pages of sites that a person prefers are lifted: by this share of their scores.",
        least=0,
        most=1,
    )
    context_boost: float = setting(
        0.5,
        "How far pages are lifted that are like those of a person's last queries, where these are sent "
        "along; 0 for not at all.",
        least=0,
        most=10,
    )
    rank: str = setting(
        "auto",
        "The rank by links that lifts pages: pagerank, editorial, indegree, popularity, harmonic, trust, "
        "hits, hubs, salsa or none; auto is editorial where that is stored, else pagerank.",
    )
    guess_topics: bool = setting(
        True, "Whether the topic is guessed from the query, where two are defined and none is named."
    )
    link_support_boost: float = setting(
        0.2,
        "How far it lifts a page that most links to it stand on pages that answer the query too, and lowers "
        "it that few do: 0 not at all, 0.2 by a fifth of its score at most.",
        least=0,
        most=1,
    )
    link_rank_weight: float = setting(
        0.15,
        "How far the static rank may lift a page: 0 not at all, 0.15 by that part of its score at most.",
        least=0,
        most=10,
    )
