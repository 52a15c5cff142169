"""Language detection, and when the declared language is used."""

from __future__ import annotations

import subprocess
import sys

import pycld2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.text.language_codes import canonical_code, kin
from gossamer.text.language_id import page_language, spoken

TEXTS = {
    "ar": "كانت السفينة تبحر في الليل عندما هبت الريح من الشمال، ولم يعرف أحد من الركاب أين تقع أقرب جزيرة.",
    "bg": "Корабът пътуваше през нощта, когато вятърът задуха от "
    "север и никой от пътниците не знаеше къде е брегът.",
    "cs": "Loď plula nocí, když se od severu zvedl vítr, a nikdo "
    "z cestujících nevěděl, kde je nejbližší ostrov.",
    "da": "Skibet sejlede gennem natten, da vinden kom fra nord, og "
    "ingen af passagererne vidste, hvor den nærmeste ø lå.",
    "de": "Das Schiff fuhr durch die Nacht, als der Wind aus Norden "
    "kam, und niemand wusste, wo die nächste Insel lag.",
    "el": "Το πλοίο ταξίδευε μέσα στη νύχτα όταν σηκώθηκε άνεμος "
    "από τον βορρά και κανείς δεν ήξερε πού ήταν το νησί.",
    "en": "The ship sailed through the night when the wind rose from "
    "the north, and nobody knew where the island was.",
    "es": "El barco navegaba de noche cuando se levantó el viento "
    "del norte, y nadie sabía dónde estaba la isla.",
    "et": "Laev sõitis läbi öö, kui põhjast tõusis tuul, ja keegi "
    "reisijatest ei teadnud, kus asub lähim saar.",
    "fa": "کشتی در شب پیش می‌رفت که باد از شمال وزید و هیچ‌یک از مسافران نمی‌دانست نزدیک‌ترین جزیره کجاست.",
    "fi": "Laiva kulki läpi yön, kun tuuli nousi pohjoisesta, eikä "
    "kukaan matkustajista tiennyt, missä lähin saari oli.",
    "fr": "Le navire voguait dans la nuit quand le vent se leva "
    "du nord, et personne ne savait où se trouvait l'île.",
    "he": "הספינה שטה בלילה כשהרוח התחזקה מצפון, ואיש מהנוסעים לא ידע היכן נמצא האי הקרוב ביותר.",
    "hi": "जहाज़ रात में चल रहा था जब उत्तर से हवा उठी, और किसी यात्री को पता नहीं था कि सबसे पास का द्वीप कहाँ है।",
    "hu": "A hajó az éjszakában haladt, amikor észak felől feltámadt "
    "a szél, és senki sem tudta, hol van a sziget.",
    "id": "Kapal itu berlayar pada malam hari ketika angin datang "
    "dari utara, dan tidak ada yang tahu di mana pulau itu.",
    "it": "La nave viaggiava nella notte quando il vento si alzò "
    "da nord, e nessuno sapeva dove fosse l'isola.",
    "ja": "船が夜の海を進んでいたとき、北から風が吹きはじめ"
    "、いちばん近い島がどこにあるのか誰も知らなかった。",
    "ka": "გემი ღამით მიცურავდა, როცა ჩრდილოეთიდან ქარი ამოვარდა და არავინ იცოდა, სად იყო კუნძული.",
    "ko": "배가 밤바다를 지나고 있을 때 북쪽에서 바람이 불기 시작했고, "
    "가장 가까운 섬이 어디인지 아무도 몰랐다.",
    "lt": "Laivas plaukė per naktį, kai iš šiaurės pakilo vėjas, "
    "ir niekas nežinojo, kur yra artimiausia sala.",
    "lv": "Kuģis brauca cauri naktij, kad no ziemeļiem sacēlās "
    "vējš, un neviens nezināja, kur ir tuvākā sala.",
    "nl": "Het schip voer door de nacht toen de wind uit het noorden "
    "kwam, en niemand wist waar het eiland lag.",
    "no": "Skipet seilte gjennom natten da vinden kom fra nord, og ingen av passasjerene visste hvor øya lå.",
    "pl": "Statek płynął przez noc, gdy od północy zerwał się wiatr, i nikt nie wiedział, gdzie leży wyspa.",
    "pt": "O navio seguia pela noite quando o vento soprou do norte, "
    "e ninguém sabia onde ficava a ilha mais próxima.",
    "ro": "Corabia plutea prin noapte când s-a stârnit vântul dinspre "
    "nord și nimeni nu știa unde se află insula.",
    "ru": "Корабль шёл сквозь ночь, когда поднялся северный ветер, "
    "и никто из пассажиров не знал, где ближайший остров.",
    "sk": "Loď sa plavila nocou, keď sa od severu zdvihol vietor, "
    "a nikto z cestujúcich nevedel, kde je ostrov.",
    "sl": "Ladja je plula skozi noč, ko se je od severa dvignil "
    "veter, in nihče ni vedel, kje je najbližji otok.",
    "sv": "Skeppet seglade genom natten när vinden kom från norr, "
    "och ingen av passagerarna visste var ön låg.",
    "th": "เรือกำลังแล่นอยู่ในยามค่ำคืนเมื่อลมพัดมาจากทางเหนือ และไม่มีใครรู้ว่าเกาะที่ใกล้ที่สุดอยู่ที่ไหน",
    "tr": "Gemi gece boyunca ilerlerken kuzeyden rüzgâr çıktı ve yolculardan "
    "hiçbiri en yakın adanın yerini bilmiyordu.",
    "uk": "Корабель ішов крізь ніч, коли здійнявся північний вітер, "
    "і ніхто з пасажирів не знав, де найближчий острів.",
    "vi": "Con tàu đang đi trong đêm thì gió nổi lên từ phương bắc, và không ai biết hòn đảo gần nhất ở đâu.",
    "zh": "船在夜里航行时，北风突然刮了起来，船上的乘客谁也不知道最近的岛屿在什么地方。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_is_enough(language):
    assert page_language(TEXTS[language], "") in kin(language)
    assert page_language(TEXTS[language], language) == language


@pytest.mark.parametrize("language", TEXTS)
def test_a_wrong_declaration_is_overruled(language):
    wrong = "de" if language == "en" else "en"
    assert page_language(TEXTS[language], wrong) in kin(language)


def test_declarations_of_short_texts_are_accepted():
    for text in ("", "Impressum", "Kontakt und Anfahrt", "404", "☃" * 1000, "1234 " * 500):
        assert page_language(text, "fr") == "fr"


def test_titles_help_to_detect_short_texts():
    assert page_language("Café", "", ("Startseite", TEXTS["de"])) == "de"
    assert page_language(TEXTS["fr"] * 3, "", ("Home", TEXTS["en"] * 3)) == "fr"


def test_menus_at_the_ends_of_a_long_text_do_not_count():
    menu = "Home About us Contact our team Privacy policy Terms of service Follow us on social media "
    assert page_language(menu + TEXTS["it"] * 12 + menu, "en") == "it"


def test_a_page_in_two_languages_is_what_it_declares():
    for declared in ("de", "en"):
        assert page_language("\n".join([TEXTS["de"] * 4, TEXTS["en"] * 4]), declared) == declared


@pytest.mark.parametrize(("declared", "text", "language"), [
    ("nb", "no", "nb"), ("nn", "no", "nn"), ("ms", "id", "ms"), ("ast", "es", "ast"), ("yue", "zh", "yue"),
    ("eng", "en", "en"), ("iw", "he", "he"), ("jp", "ja", "ja"), ("und", "sv", "sv"), ("tlh", "pl", "pl"),
])  # fmt: skip
def test_declarations_that_are_nearly_right(declared, text, language):
    assert page_language(TEXTS[text], declared) == language


def test_shares_of_a_text():
    found = spoken("\n".join([TEXTS["ru"] * 5, TEXTS["en"] * 5]))
    assert {code for code, _ in found.languages[:2]} == {"ru", "en"}
    assert found.clearly == ""
    assert found.share("en") + found.share("ru") > 0.9
    assert spoken("").share("en") == 0.0


@given(st.text(st.characters(), max_size=300), st.sampled_from(["", "en", "zh", "ast", "?"]))
def test_nothing_is_too_strange(text, declared):
    found = page_language(text * 5, declared)
    assert found in {"", declared} or found.isalpha()


def test_refused_characters_are_passed_over():
    assert spoken(f"\x00\x1b{TEXTS['de']}\ud800\ufdd0\U0001ffff").clearly == "de"


def test_codes():
    assert [canonical_code(code) for code in ("de", "ger", "deu", "cz", "mo", "zxx", "")] == [
        "de", "de", "de", "cs", "ro", "", "",
    ]  # fmt: skip
    assert [canonical_code(code) for code in ("us", "xx", "qq-DE", "haw", "gsw-CH")] == [
        "",
        "",
        "",
        "haw",
        "gsw",
    ]
    assert kin("hr") == kin("sr") == {"bs", "hr", "sr"}


def test_every_language_of_the_detector_has_a_code():
    codes = {code for name, code in pycld2.LANGUAGES if not name.startswith("X_") and len(code) == 2}
    assert [code for code in sorted(codes) if not canonical_code(code)] == []


def test_the_detector_is_loaded_when_it_is_needed():
    program = "import sys, gossamer.text.language_id; print('pycld2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
