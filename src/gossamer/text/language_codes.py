"""Language codes, names and closely related languages.

A language has one code here: of two letters, where there is one. Pages declare others as well: those out of
use, those of three letters, and those of countries.
"""

from __future__ import annotations

import re

from gossamer.text.terms import fold

_LANGUAGE_TAG = re.compile(r"[a-z\d]{1,8}(?:-[a-z\d]{1,8}){0,4}")


def language_tag(text: str) -> str:
    """A language tag in lower case as hreflang has it, or "" for anything else.

    >>> language_tag(" pt-BR "), language_tag("x-default"), language_tag("all languages")
    ('pt-br', 'x-default', '')
    """
    match = _LANGUAGE_TAG.fullmatch(text.strip().lower().replace("_", "-"))
    return match[0] if match else ""


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


_KNOWN_CODES = _codes()
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
    code = "" if primary in _NONE else _KNOWN_CODES.get(primary, primary)
    # of three letters there are thousands, and any may be one
    return code if len(code) > 2 or code in _IN_USE else ""


def kin(language: str) -> frozenset[str]:
    """The language and those that are nearly the same.

    >>> sorted(kin("nb")), sorted(kin("de"))
    (['nb', 'nn', 'no'], ['de'])
    """
    return _KIN.get(language) or frozenset({language})


# Language names in English and in themselves
# -------------------------------------------


# code, English name, the language's own name
_LANGUAGES = """\
af Afrikaans Afrikaans
am Amharic አማርኛ
ar Arabic العربية
az Azerbaijani Azərbaycanca
be Belarusian Беларуская
bg Bulgarian Български
bn Bengali বাংলা
bs Bosnian Bosanski
ca Catalan Català
cs Czech Čeština
cy Welsh Cymraeg
da Danish Dansk
de German Deutsch
el Greek Ελληνικά
en English English
eo Esperanto Esperanto
es Spanish Español
et Estonian Eesti
eu Basque Euskara
fa Persian فارسی
fi Finnish Suomi
fr French Français
ga Irish Gaeilge
gl Galician Galego
gu Gujarati ગુજરાતી
he Hebrew עברית
hi Hindi हिन्दी
hr Croatian Hrvatski
hu Hungarian Magyar
hy Armenian Հայերեն
id Indonesian Bahasa_Indonesia
is Icelandic Íslenska
it Italian Italiano
ja Japanese 日本語
ka Georgian ქართული
kk Kazakh Қазақша
km Khmer ខ្មែរ
kn Kannada ಕನ್ನಡ
ko Korean 한국어
la Latin Latina
lb Luxembourgish Lëtzebuergesch
lo Lao ລາວ
lt Lithuanian Lietuvių
lv Latvian Latviešu
mk Macedonian Македонски
ml Malayalam മലയാളം
mn Mongolian Монгол
mr Marathi मराठी
ms Malay Bahasa_Melayu
mt Maltese Malti
my Burmese မြန်မာဘာသာ
nb Norwegian_Bokmål Norsk_bokmål
ne Nepali नेपाली
nl Dutch Nederlands
nn Norwegian_Nynorsk Norsk_nynorsk
no Norwegian Norsk
pa Punjabi ਪੰਜਾਬੀ
pl Polish Polski
ps Pashto پښتو
pt Portuguese Português
ro Romanian Română
ru Russian Русский
si Sinhala සිංහල
sk Slovak Slovenčina
sl Slovenian Slovenščina
sq Albanian Shqip
sr Serbian Српски
sv Swedish Svenska
sw Swahili Kiswahili
ta Tamil தமிழ்
te Telugu తెలుగు
th Thai ไทย
tl Tagalog Tagalog
tr Turkish Türkçe
uk Ukrainian Українська
ur Urdu اردو
uz Uzbek Oʻzbekcha
vi Vietnamese Tiếng_Việt
yi Yiddish ייִדיש
zh Chinese 中文
"""
_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9_-]+)?")


def _normalised(name: str) -> str:
    return fold(" ".join(name.replace("_", " ").split()).casefold())


_ROWS = [line.split() for line in _LANGUAGES.splitlines()]
OWN_NAMES = {code: own.replace("_", " ") for code, _, own in _ROWS}
_CODES_BY_NAME = {_normalised(name): code for code, *names in _ROWS for name in names}


def language_code(typed: str) -> str:
    """The code of a language that is called so; ValueError where nothing of the kind is meant.

    >>> language_code("pt-BR"), language_code("german"), language_code("Français"), language_code("mi")
    ('pt', 'de', 'fr', 'mi')
    >>> language_code("jpn"), language_code("iw")
    ('ja', 'he')
    """
    name = _normalised(typed)
    if name in _CODES_BY_NAME:
        return _CODES_BY_NAME[name]
    code = _CODE.fullmatch(typed.lower())
    if code is None:
        raise ValueError(typed)
    return canonical_code(code[1]) or code[1]
