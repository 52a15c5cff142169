"""By which code does a language go, and which languages are nearly one?

A language has one code here: of two letters, where there is one. Pages declare others as well: those out of
use, those of three letters, and those of countries.
"""

from __future__ import annotations

import re

# Code in use, and what is found in its place. What a country is called (jp) is here where no language is.
_OTHERS = """\
ar ara    bg bul       bn ben       ca cat       cs ces cze cz   cy cym wel   da dan dk      de deu ger
el ell gre gr          en eng       es spa       et est          eu eus baq   fa fas per     fi fin
fr fra fre             ga gle       gl glg       he heb iw       hi hin       hr hrv scr     hu hun
hy hye arm             id ind in    is isl ice   it ita          ja jpn jp    jv jav jw      ka kat geo
ko kor    lt lit       lv lav       mk mkd mac   ms msa may      nb nob       ne nep         nl nld dut
nn nno    no nor       pl pol       pt por       ro ron rum mo   ru rus       sk slk slo     sl slv
sq sqi alb             sr srp scc sh             sv swe          ta tam       th tha         tl tgl
tr tur    uk ukr ua    ur urd       vi vie       yi yid ji       zh zho chi cn
"""
# What is said where no language is meant. The last are the detector's: scripts alone, Klingon, jokes.
_NONE = frozenset({"mis", "mul", "und", "zxx", "tlh", "un", "xx", "xxx", "zzb", "zze", "zzh", "zzp"})
# ISO 639-1, and Bihari, which it gave up and the detector knows.
_OF_TWO_LETTERS = """\
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee
el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is
it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms
mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk
sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi
yo za zh zu
"""
# So near to each other that a page's own word is better than any guess.
_FAMILIES = (("no", "nb", "nn"), ("tl", "fil"), ("bs", "hr", "sr"), ("id", "ms"), ("zh", "wuu", "yue"))


def _codes() -> dict[str, str]:
    groups = [group.split() for line in _OTHERS.splitlines() for group in line.split("  ") if group]
    return {other: code for code, *others in groups for other in others}


_CODES = _codes()
_IN_USE = frozenset(_OF_TWO_LETTERS.split())
_PRIMARY = re.compile(r"[a-z]{2,3}(?![a-z])")  # of a tag: what stands before regions, scripts and the like
_KIN = {code: frozenset(family) for family in _FAMILIES for code in family}


def canonical_code(declared: str) -> str:
    """The code by which a language goes here that is declared by a code or a tag; "" where none is.

    >>> canonical_code("eng"), canonical_code("iw"), canonical_code("jp"), canonical_code("und")
    ('en', 'he', 'ja', '')
    >>> canonical_code("haw"), canonical_code("us"), canonical_code("qq")
    ('haw', '', '')
    >>> canonical_code("pt-BR"), canonical_code(" EN_us"), canonical_code("english")
    ('pt', 'en', '')
    """
    found = _PRIMARY.match(declared.strip().lower()) if declared else None
    primary = found[0] if found else ""
    code = "" if primary in _NONE else _CODES.get(primary, primary)
    # of three letters there are thousands, and any may be one
    return code if len(code) > 2 or code in _IN_USE else ""


def kin(language: str) -> frozenset[str]:
    """The language and those that are nearly the same.

    >>> sorted(kin("nb")), sorted(kin("de"))
    (['nb', 'nn', 'no'], ['de'])
    """
    return _KIN.get(language) or frozenset({language})
