"""Words that invented people, merchants and products are named with."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST_NAMES = _words(
    "Ada Alma Arlo Aya Basil Bea Boris Cato Celia Cleo Dario Dina Edda Elio Enzo Esme Fadi Fern "
    "Gita Gus Hana Hugo Ida Ilya Ines Ivo Jada Jonas June Kai Kira Lars Leda Lior Lotte Luca Mara "
    "Milo Mina Nadia Nils Nora Odin Olga Omar Otto Paz Pia Quinn Rafa Rhea Rosa Rune Sana Sven "
    "Tara Theo Ugo Uma Vera Viggo Wanda Wim Xenia Yara Yuri Zara Zeno"
)

LAST_NAMES = _words(
    "Abel Adler Alder Amsel Bach Baker Berg Birch Bloom Brook Castell Clay Cooper Dahl Dean Drake "
    "Elm Engel Falk Farrow Field Finch Frost Gale Garnet Glen Grove Hale Hart Hawk Heath Hill Holm "
    "Ibsen Iverson Jansen Joyce Keel Kern Knox Lark Lind Lowe Marsh Mead Moor Nash Noble North "
    "O'Dell O'Marrow Oak Olsen Page Park Peak Pine Quill Rand Reed Ridge Rowan Sand Shaw Stone "
    "Swift Thorne Tully Ulm Vale Vance Ward West Wilde Wren Yates York Zeller"
)

CITIES = (
    ("Alder Mill", "IA", "506"),
    ("Birch Landing", "MI", "497"),
    ("Silver Lake", "OR", "976"),
    ("Mesa Blanca", "CO", "813"),
    ("Pine Hollow", "NC", "288"),
    ("Granite Cove", "CA", "957"),
    ("Willow Creek", "MT", "597"),
    ("Heron Bay", "WA", "985"),
)

STREETS = (
    "Alder Avenue",
    "Birch Road",
    "Dune Lane",
    "Elm Court",
    "Grove Street",
    "Hill Terrace",
)

MERCHANT_WORDS = _words(
    "Amber Anchor Aspen Beacon Cedar Cinder Cobalt Copper Coral Crane Delta Ember Fable Fern Flint "
    "Gable Harbor Hazel Indigo Iron Juniper Kestrel Lantern Linen Maple Marble Meadow Mosaic Nimbus "
    "Oak Onyx Opal Orchard Pebble Pine Prairie Quartz Raven River Saffron Sierra Slate Sparrow "
    "Summit Thistle Timber Velvet Willow"
)

MERCHANT_TRADES = _words(
    "Audio Bikes Books Boots Cycles Denim Garden Kitchen Lighting Outdoor Sofa"
)

PRODUCT_WORDS = _words(
    "Backpack Blanket Boots Camera Chair Coat Desk Drill Headphones Kettle Lamp Mattress Mixer "
    "Monitor Oven Printer Rug Scooter Skillet Sneakers Speaker Suitcase Table Tent Toaster Vacuum "
    "Wardrobe Watch"
)

EMAIL_DOMAINS = ("mail.example.test", "inbox.example.test", "post.example.test", "web.example.test")

USER_AGENTS = (
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_2) AppleWebKit/605.1 Version/17.2 Safari/605.1",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1 Mobile/15E148",
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/130.0 Mobile",
)
