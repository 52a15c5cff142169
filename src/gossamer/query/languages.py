"""Which language is meant by a code, by its English name, or by its own?"""

from __future__ import annotations

import re

from gossamer.text.analysis import fold
from gossamer.text.codes import canonical_code

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
_CODES = {_normalised(name): code for code, *names in _ROWS for name in names}


def language_code(typed: str) -> str:
    """The code of a language that is called so; ValueError where nothing of the kind is meant.

    >>> language_code("pt-BR"), language_code("german"), language_code("Français"), language_code("mi")
    ('pt', 'de', 'fr', 'mi')
    >>> language_code("jpn"), language_code("iw")
    ('ja', 'he')
    """
    name = _normalised(typed)
    if name in _CODES:
        return _CODES[name]
    code = _CODE.fullmatch(typed.lower())
    if code is None:
        raise ValueError(typed)
    return canonical_code(code[1]) or code[1]
