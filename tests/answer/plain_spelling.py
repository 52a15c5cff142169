"""Noisy-channel cost of typing errors as a plain table, the reference of the kernels."""

from __future__ import annotations

from gossamer.answer.spelling.error_model import (
    ANY_OUT,
    ANY_SWAPPED,
    BEFORE,
    BEHIND,
    DIGRAPH,
    EDGE,
    FAR,
    FIRST,
    OTHER,
    QUIET_OUT,
    TWIN_IN,
    TWIN_OUT,
    VOWEL_OUT,
    VOWELS_SWAPPED,
    channel,
    coded,
)


def cost(meant, typed):
    """What it costs to write one word for another.

    >>> cost("phone", "fone") < cost("phone", "bone"), cost("jaguar", "jaguar")
    (True, 0)
    """
    own = channel()
    m, t = coded(meant).tolist(), coded(typed).tolist()
    out, come_in = _alone(own, m, TWIN_OUT), _alone(own, t, TWIN_IN)
    table = [[0] * (len(t) + 1) for _ in range(len(m) + 1)]
    for i in range(len(m) + 1):
        for j in range(len(t) + 1):
            ways = [FAR] if i or j else [0]
            if i:
                ways.append(table[i - 1][j] + out[i - 1])
            if j:
                ways.append(table[i][j - 1] + come_in[j - 1])
            if i and j:
                ways.append(table[i - 1][j - 1] + _put_for(own, m, t, i - 1, j - 1))
            if i > 1 and j > 1 and m[i - 1] == t[j - 2] and m[i - 2] == t[j - 1]:
                ways.append(table[i - 2][j - 2] + _swapped(own, m[i - 1], m[i - 2]))
            if i > 1 and j and _sounds_as(own, m[i - 2], m[i - 1], t[j - 1]):
                ways.append(table[i - 2][j - 1] + int(own.costs[DIGRAPH]))
            if i and j > 1 and _sounds_as(own, t[j - 2], t[j - 1], m[i - 1]):
                ways.append(table[i - 1][j - 2] + int(own.costs[DIGRAPH]))
            table[i][j] = min(ways)
    return table[-1][-1]


def _alone(own, word, kinds):
    """What it costs to leave each letter of a word out, or to put it in."""
    numbers = [EDGE, *(int(own.numbers[letter]) for letter in word), EDGE]
    costs = []
    for place, letter in enumerate(word):
        before, number, after = numbers[place : place + 3]
        kind = kinds + (VOWEL_OUT if own.vowels[number] else ANY_OUT) - TWIN_OUT
        if letter in (word[place - 1] if place else 0, word[place + 1] if place + 1 < len(word) else 0):
            kind = kinds
        elif own.quiet[number, before] & BEHIND or own.quiet[number, after] & BEFORE:
            kind = kinds + QUIET_OUT - TWIN_OUT
        costs.append(int(own.costs[kind] + (0 if place else own.costs[FIRST])))
    return costs


def _put_for(own, meant, typed, i, j):
    if meant[i] == typed[j]:
        return 0
    numbers = own.numbers[meant[i]], own.numbers[typed[j]]
    return int(own.put[numbers] + (own.costs[FIRST] if i == 0 and j == 0 else 0))


def _swapped(own, one, other):
    both = own.vowels[own.numbers[one]] and own.vowels[own.numbers[other]]
    return int(own.costs[VOWELS_SWAPPED if both else ANY_SWAPPED])


def _sounds_as(own, first, second, one):
    sound = own.digraphs[own.numbers[first], own.numbers[second]]
    return bool(sound > OTHER and sound == own.numbers[one])
