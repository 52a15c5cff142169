"""The steps of clustering as formulas say them, for comparison; and the kernels of single steps."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from gossamer.answer.clusters.agglomerative import (
    ALONE,
    IDF_ONE,
    LINKAGES,
    LOGS,
    MOST_SHARE,
    ONE,
    TITLE,
    link,
)
from gossamer.answer.clusters.cluster import MOST, least_of
from gossamer.answer.clusters.labels import (
    ASKED,
    FOUND,
    IN_TITLES,
    INSIDE,
    LONGEST,
    SEVERAL,
    TELLING,
    WITH_ASKED,
    Phrase,
    find_phrases,
    listed,
)


class Merge(NamedTuple):
    """Two groups become one. A group is named by its best result, and so is what they become."""

    kept: int
    taken: int


# Kernels of single steps


def merged(table, linkage, least):
    """What the kernel joins, in this order, until no two groups have a cosine of `least`."""
    return [Merge(*pair) for pair in link(table.astype(np.int64), linkage == "average", least).tolist()]


def phrases(words, roles, groups):
    """The best phrases of each group by the kernel."""
    if not len(words.terms):
        return [[] for _ in groups]
    group_of, sizes = homes(words, groups)
    return listed(words, *find_phrases(words, roles, np.array(group_of, np.int64), np.array(sizes, np.int64)))


def homes(words, groups):
    group_of = [ALONE] * words.size
    for number, group in enumerate(groups):
        for result in group:
            group_of[result] = number
    return group_of, [len(group) for group in groups]


# Plain versions


def plain_merged(likenesses, linkage, least):
    """Every pair of groups is looked at in every step."""
    members = {place: [place] for place in range(len(likenesses))}
    found = []

    def between(a, b):
        values = [int(likenesses[i, j]) for i in members[a] for j in members[b]]
        return max(values) if linkage == "single" else sum(values) / len(values)

    while len(members) > 1:
        pairs = [(-between(a, b), a, b) for a in members for b in members if a < b]
        likeness, a, b = min(pairs)
        if -likeness < least * ONE:
            break
        found.append(Merge(a, b))
        members[a] += members.pop(b)
    return found


def groups(merges):
    """What was joined, the largest first, then that with the best result; what was not joined is left out."""
    members = {}
    for kept, taken in merges:
        members[kept] = members.get(kept, [kept]) + members.pop(taken, [taken])
    return sorted([tuple(sorted(own)) for own in members.values()], key=lambda own: (-len(own), own))


def weighed(words, idf):
    """What the terms weigh: nothing where most results hold them."""
    common = words.results > MOST_SHARE * words.size
    return np.where(common, 0, np.rint(idf * IDF_ONE)).astype(np.int64)


def plain_likenesses(words, weights):
    """The cosines of every two results by arrays, in `ONE`ths, to the last bit."""
    counts = np.zeros((words.size, len(weights)), np.int64)
    for result in range(words.size):
        for stretch, each in ((2 * result, TITLE), (2 * result + 1, 1)):
            for term in words.terms[words.starts[stretch] : words.starts[stretch + 1]].tolist():
                if term != ALONE:
                    counts[result, term] += each
    vectors = LOGS[counts.clip(max=len(LOGS) - 1)] * weights
    norms = np.sqrt((vectors * vectors).sum(axis=1).astype(np.float64))
    product = np.outer(norms, norms)
    cosines = np.divide(vectors @ vectors.T, product, out=np.zeros_like(product), where=product > 0)
    return np.rint(cosines * ONE).astype(np.int64)


def roles_of(weights, asked):
    """Where each term may stand in a phrase; `asked` are those of the query that tell something."""
    return np.where(asked, ASKED, np.where(weights > 0, TELLING, INSIDE)).astype(np.int64)


def plain_phrases(words, terms_roles, groups):
    """The best phrases of each group: all of them are counted, and sorted by their scores."""
    roles, (group_of, sizes) = terms_roles.tolist(), homes(words, groups)
    places, held, titles = {}, {}, Counter()
    for result, group in enumerate(group_of):
        seen = set()
        for stretch in (2 * result, 2 * result + 1):
            for at, phrase in in_stretch(words, roles, stretch):
                if phrase not in seen:
                    seen.add(phrase)
                    places.setdefault(phrase, at)
                    held.setdefault(phrase, Counter())[group] += 1
                    titles[phrase] += stretch % 2 == 0
    found = [[] for _ in sizes]
    for phrase, counts in held.items():
        total = counts.total()
        worth = SEVERAL if len(phrase) > 1 else 1.0
        worth *= WITH_ASKED if any(roles[term] == ASKED for term in phrase) else 1.0
        worth *= 1 + IN_TITLES * titles[phrase] / total
        for group, inside in counts.items():
            if group != ALONE and inside > 1:
                score = worth * 2 * inside / (sizes[group] + total)
                found[group].append(Phrase(places[phrase], phrase, score))
    return [sorted(own, key=lambda one: -one.score)[:FOUND] for own in found]


def in_stretch(words, roles, stretch):
    begin, end = words.starts[stretch : stretch + 2].tolist()
    terms = words.terms[begin:end].tolist()
    for at in range(len(terms)):
        for length in range(1, min(LONGEST, len(terms) - at) + 1):
            phrase = tuple(terms[at : at + length])
            if ALONE in phrase or roles[phrase[0]] == INSIDE:
                break
            if roles[phrase[-1]] != INSIDE and any(roles[term] == TELLING for term in phrase):
                yield begin + at, phrase


def plain_grouped(words, rarity, asked, linkage):
    """The largest groups and their phrases, step by step."""
    among = np.isin(words.names, asked)
    weights = weighed(words, np.where(among, 0, rarity))
    joined = groups(plain_merged(plain_likenesses(words, weights), linkage, LINKAGES[linkage]))
    large = [group for group in joined if len(group) >= least_of(words.size)][:MOST]
    return large, plain_phrases(words, roles_of(weights, among & (rarity > 0)), large)
