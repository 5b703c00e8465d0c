"""What a column's name says of its values beyond what captures need: which look they have.

English and German, in the spellings that schemas have: `dateOfBirth`, `date_of_birth`, `GEBURTSDATUM`,
`user_firstname`. A name alone never keeps a column; it may only say that an id or a moment is one."""

from __future__ import annotations

import re
import unicodedata

from readiness.model.masking import Look

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGNS = re.compile(r"[^a-z0-9]+")


def snake(name: str) -> str:
    """`customerEMail`, `Straße 2`, `ship-to` as `customer_e_mail`, `strasse_2`, `ship_to`."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    ascii_only = "".join(c for c in plain if not unicodedata.combining(c))
    return _SIGNS.sub("_", _CAMEL.sub("_", ascii_only).lower()).strip("_")


def _named(words: str) -> re.Pattern[str]:
    """The words, alone or as the end of a name, with a number behind or not."""
    spelt = "|".join(words.split())
    return re.compile(rf"(?:^|_)(?:{spelt})(?:_?\d{{1,2}})?$")


_LOOKS: tuple[tuple[Look, re.Pattern[str]], ...] = (
    (Look.TOKEN, _named("(?:password|passwort|passwd|pwd|kennwort|pin|otp|token)_?(?:hash|digest)")),
    (Look.DOMAIN, _named("(?:e_?)?mail_?(?:domain|host)")),
    (Look.HEX, re.compile(r"(?:^|_)(?:sha_?(?:1|224|256|384|512)|md_?5|hash(?:ed)?|digest|fingerprint|hmac"
                          r"|fingerabdruck)$|(?:^|_)hash_(?:of_)?(?:e_?mail|phone|card)$")),
    (Look.EMAIL, _named("(?:e_?)?mail (?:e_?)?mail_?(?:address|adresse|addr|to|from|id) mail_?adresse"
                        " (?:contact|user|from|to|cc|bcc|reply_?to|sender|recipient)_?(?:e_?)?mail")),
    (Look.PHONE, _named("phone phone_?(?:no|nr|number) mobile mobile_?(?:no|nr|number|phone) cell(?:_?phone)?"
                        " msisdn fax fax_?(?:no|nr|number) whatsapp tel telefon telefon_?(?:nr|nummer) telephone"
                        " handy handy_?(?:nr|nummer) mobil mobil_?(?:nr|nummer) rufnummer telefax")),
    (Look.DATE, _named("dob b_?day birth_?(?:day|date) date_?of_?birth born born_?on geburtsdatum geb_?datum"
                       " geburtstag geboren(?:_am)?")),
    (Look.IP, _named("ip ip_?(?:addr|address|adresse) remote_?(?:addr|ip) client_?ip")),
    (Look.DIGITS, _named("pan card_?(?:no|nr|number) karten_?(?:nr|nummer) credit_?card(?:_?(?:no|number))? last_?4"
                         " last_?four ssn social_?security(?:_?(?:no|number))? account_?(?:no|nr|number)"
                         " konto_?(?:nr|nummer) routing_?number blz bankleitzahl otp otp_?code cvv2? cvc2? pin"
                         " pin_?code tan zip zip_?code plz postleitzahl post_?code postal_?code imei imsi"
                         " steuer_?(?:nr|nummer|id) tax_?(?:id|no|number) tin sozialversicherungs_?(?:nr|nummer)"
                         " national_?id personal_?id kunden_?(?:nr|nummer) (?:verification|security|sms)_?code")),
    (Look.TOKEN, _named("token tokens secret secret_?key password passwd passwort kennwort passphrase pwd"
                        " password_?(?:hash|digest) passwort_?hash encrypted_?password api_?key access_?key"
                        " private_?key credentials? cookie csrf salt jwt bearer session_?key recovery_?codes?"
                        " (?:totp|mfa|otp|two_?factor)_?secret")),
    (Look.NAME, _named("(?:first|last|full|given|family|middle|maiden|legal|holder|cardholder|nick|contact"
                       "|recipient|beneficiary|payer|payee|search|display|father|mother|sur)_?name firstname lastname"
                       " username user_?name surname vorname nachname zuname rufname familienname geburtsname"
                       " (?:kunden|kontakt|inhaber|benutzer|empfae?nger|ansprech)_?name ansprechpartner inhaber"
                       " kontoinhaber login holder card_?holder attn initials customer_?name kue?rzel")),
    (Look.TEXT, _named("iban bic swift street street_?(?:no|number|name) house_?(?:no|number) address"
                       " address_?line line city town suburb ort wohnort stadt birth_?place place_?of_?birth geburtsort"
                       " strasse str hausnummer haus_?nr anschrift adresse passport passport_?(?:no|number)"
                       " reisepass ausweis_?(?:nr|nummer) driver_?licen[cs]e driving_?licen[cs]e licen[cs]e_?plate"
                       " kennzeichen user_?agent mac_?addr(?:ess)? idfa gaid device_?name vat_?id"
                       " ust_?id(?:nr)? addr")),
    (Look.NUMBER, _named("latitude longitude lat lng lon")),
    (Look.BLANK, _named("comment comments note notes remark remarks message subject body memo bio about"
                        " free_?text kommentar bemerkung bemerkungen notiz notizen nachricht betreff"
                        " feedback review complaint biography anmerkung anmerkungen transcript")),
)  # fmt: skip
_TINY = (
    ("postal", _named("zip zip_?code plz postleitzahl post_?code postal_?code")),
    (
        "birth",
        _named(
            "dob b_?day birth_?(?:day|date) date_?of_?birth born born_?on geburtsdatum geburtstag"
        ),
    ),
    ("last4", _named("last_?4 last_?four")),
    (
        "secret",
        _named("pin pin_?code otp otp_?code cvv2? cvc2? tan (?:verification|security|sms)_?code"),
    ),
)
_CODE_TABLES = re.compile(
    r"(?:^|_)(?:otps?|one_?time|two_?factor|2fa|mfa|verifications?|sms|tans?)(?:_|$)"
)
_MAIL_TABLES = re.compile(r"(?:^|_)(?:e?mails?|newsletters?)(?:_|$)|(?:^|_)e_mails?(?:_|$)")
_MAIL_ENDS = _named("to from cc bcc sender recipient reply_?to (?:to|from|cc|bcc)_?address address")
_PLACES = re.compile(
    r"(?:address|adress|anschrift|standort|customer|kunde|user|person|people|client|member|contact)"
)
_PLACE_ONLY = _named("city town suburb ort stadt line line_?\\d address_?line")
_ID = re.compile(r"(?:^|_)(?:id|uuid|guid|ulid|oid|ref|key|sku|code|number|no|nr|nummer)$")
_PLAIN_ID = re.compile(r"(?:^|_)(?:id|uuid|guid|ulid)$")
_AREA = _named("country country_?code region state province county land bundesland currency locale"
               " language sprache time_?zone timezone")  # fmt: skip
_GERMAN_PEOPLE = re.compile(
    r"(?:^|_)(?:kunden?|benutzer|personen|person|mitarbeiter|mitglied(?:er)?|patienten|nutzer|kontakte?)$"
)


def look_of_name(table: str, column: str) -> Look | None:
    """The look that a column's name asks for, None where it asks for none."""
    name, of = snake(column), snake(table)
    if _PLACE_ONLY.search(name) and not name.startswith("address") and not _is_of_people(of, name):
        return None
    if _MAIL_TABLES.search(of) and _MAIL_ENDS.search(name):
        return Look.EMAIL
    if name == "code" and _CODE_TABLES.search(of):
        return Look.DIGITS
    if name == "name" and _GERMAN_PEOPLE.search(of):
        return Look.NAME
    return next((look for look, pattern in _LOOKS if pattern.search(name)), None)


def _is_of_people(table: str, column: str) -> bool:
    """A city is personal as a part of somebody's address."""
    return bool(_PLACES.search(table)) or "_" in column


def tiny_domain_of_name(table: str, column: str) -> str:
    """The domain of few possible values that a name tells; "" for all others."""
    name = snake(column)
    if name == "code" and _CODE_TABLES.search(snake(table)):
        return "secret"
    return next((domain for domain, pattern in _TINY if pattern.search(name)), "")


def is_id_name(column: str) -> bool:
    """Whether a column is named as an id: `id`, `user_id`, `publicId`, `uuid`."""
    return bool(_PLAIN_ID.search(snake(column)))


def is_code_name(column: str) -> bool:
    """Whether a column is named as an id, a reference or a code."""
    return bool(_ID.search(snake(column)))


def is_area_name(column: str) -> bool:
    """Whether it holds countries, regions, currencies: few values, many people each."""
    return bool(_AREA.search(snake(column)))
