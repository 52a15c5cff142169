"""Does this title say that there is no such page?

Only a hint: an article about error pages has such a title, too. It makes us ask the server, no more.
"""

from __future__ import annotations

import re

LONGEST = 120  # a longer title is about something

_PHRASES = (
    "not found",  # English
    "page doesn't exist",
    "page does not exist",
    "no longer available",
    "nicht gefunden",  # German
    "existiert nicht",
    "introuvable",  # French
    "non trouvée",
    "n'existe pas",
    "no encontrad",  # Spanish
    "no se encuentra",
    "no existe",
    "não encontrad",  # Portuguese
    "não existe",
    "non trovat",  # Italian
    "niet gevonden",  # Dutch
    "hittades inte",  # Swedish
    "finns inte",
    "ikke fundet",  # Danish
    "ikke funnet",  # Norwegian
    "ei löytynyt",  # Finnish
    "nie znalezion",  # Polish
    "nenalezen",  # Czech
    "nem található",  # Hungarian
    "nu a fost găsit",  # Romanian
    "bulunamadı",  # Turkish
    "не найден",  # Russian
    "не знайден",  # Ukrainian
    "не е намерен",  # Bulgarian
    "δεν βρέθηκε",  # Greek
    "غير موجود",  # Arabic
    "לא נמצא",  # Hebrew
    "یافت نشد",  # Persian
    "नहीं मिला",  # Hindi
    "tidak ditemukan",  # Indonesian
    "không tìm thấy",  # Vietnamese
    "ไม่พบ",  # Thai
    "見つかりません",  # Japanese
    "找不到",  # Chinese
    "未找到",
    "찾을 수 없",  # Korean
)
_SAYS_SO = re.compile(rf"(?<![0-9])404(?![0-9])|{'|'.join(map(re.escape, _PHRASES))}")


def says_not_found(title: str) -> bool:
    """Whether a title sounds like that of an error page.

    >>> says_not_found("Seite nicht gefunden"), says_not_found("A walk in the forest")
    (True, False)
    """
    return len(title) <= LONGEST and _SAYS_SO.search(title.lower().replace("’", "'")) is not None
