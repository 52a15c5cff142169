"""Sentences of many languages, and the encodings that old pages use for them."""

SENTENCES = {
    "ru": (
        "Москва является столицей России и крупнейшим по численности населения городом страны.",
        "Все люди рождаются свободными и равными в своём достоинстве и правах.",
        "Рецепты домашнего хлеба",
    ),
    "uk": (
        "Усі люди народжуються вільними і рівними у своїй гідності та правах.",
        "Київ розташований на берегах Дніпра, у центрі північної частини країни.",
    ),
    "bg": ("Всички хора се раждат свободни и равни по достойнство и права.",),
    "el": (
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
        "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και η μεγαλύτερη πόλη της χώρας.",
        "Άρθρα και συνταγές για ψωμί",
    ),
    "he": ("כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",),
    "ar": ("يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",),
    "th": ("มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",),
    "ja": (
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
        "東京は日本の首都であり、世界最大級の都市の一つです。",
        "会社概要とお問い合わせ",
        "コンピュータのプログラミング言語について",
    ),
    "zh-Hans": (
        "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
        "北京是中华人民共和国的首都，是全国的政治中心和文化中心。",
        "我们的茶馆在城市的中心，每天都有很多人来喝茶。",
    ),
    "zh-Hant": (
        "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神互相對待。",
        "臺北是中華民國的首都，也是臺灣的政治、文化和經濟中心。",
        "我們的茶館在城市的中心，每天都有很多人來喝茶。",
    ),
    "ko": (
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
        "서울은 대한민국의 수도이자 최대 도시이다.",
        "우리 회사 소개와 문의 안내",
    ),
    "fr": (
        "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
        "La crème brûlée a été créée à l’été 1691 ; déçue, la cour préféra l’œuf à la neige.",
        "à la carte",
    ),
    "de": ("Größe, Übermaß und schöne Bäume: für alle Menschen heißt das „Glück“.",),
    "es": ("Todos los seres humanos nacen libres; ¿y la señora Núñez? ¡También!",),
    "pt": ("A nação e as ações: informações, condições, atenção, coração, eleições e não.",),
    "it": ("È così: la città è già più là, perché no? È vero, è così.",),
    "sv": ("Alla människor är födda fria; på ön åt gästen smörgås å la carte.",),
    "en": ("The café’s “naïve” owner – it’s Zoë’s – sells piñatas • £5 © 2003",),
}

ENCODINGS = {
    "ru": ("cp1251", "koi8-r", "iso8859-5"),
    "uk": ("cp1251", "koi8-u"),
    "bg": ("cp1251",),
    "el": ("cp1253", "iso8859-7"),
    "he": ("cp1255",),
    "ar": ("cp1256",),
    "th": ("cp874",),
    "ja": ("shift_jis", "euc_jp"),
    "zh-Hans": ("gb18030",),
    "zh-Hant": ("big5",),
    "ko": ("euc_kr",),
}
# Languages whose encodings have other letters than windows-1252 beyond ASCII.
LATIN = {
    ("cp1250", "iso8859-2"): (
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
        "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.",
        "Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv.",
        "Árvíztűrő tükörfúrógép, és még egy hosszú mondat a hűvös őszről.",
        "Čovjek će doći, možda već šest puta; đak uči.",
        "Toate fiinţele umane se nasc libere şi egale în demnitate şi în drepturi, fără deosebire.",
    ),
    ("cp1254",): ("Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.",),
    ("cp1257",): (
        "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis; jie turi sąžinę.",
        "Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās.",
    ),
}
LATIN_CASES = [
    (sentence, encoding)
    for encodings, sentences in LATIN.items()
    for encoding in encodings
    for sentence in sentences
]
CASES = [
    (sentence, encoding)
    for language, sentences in SENTENCES.items()
    for encoding in ENCODINGS.get(language, ("cp1252",))
    for sentence in sentences
]
