"""What a column's name says of its values: personal, secret, or one of few that are easily tried."""

from __future__ import annotations

import re

_SHORTEST = 4
_PERSONAL = re.compile(
    r"(?:^|_)(?:e_?mail|phone|phone_?(?:no|number)|mobile|cell|msisdn|fax|whatsapp"
    r"|iban|bic|account_?(?:no|number)|routing_?number|card_?(?:no|number)|pan|last_?4|last_?four"
    r"|ssn|social_?security(?:_?number)?|tax_?id|vat_?id|tin|national_?id|personal_?id|passport"
    r"|passport_?(?:no|number)|driving_?licen[cs]e|driver_?licen[cs]e|licen[cs]e_?plate"
    r"|dob|birth|born|born_?on|birth_?(?:day|date|place|name)|date_?of_?birth"
    r"|(?:first|last|full|given|family|middle|maiden|legal|holder|cardholder|nick|user|contact"
    r"|customer|recipient|beneficiary|payer|payee|search)_?name|surname|login|attn"
    r"|street|street_?(?:no|number)|house_?number|address|address_?line_?\d?|line_?\d|addr|city_?line"
    r"|zip|zip_?code|post_?code|postal_?code|postcode|latitude|longitude"
    r"|ip|ip_?addr(?:ess)?|mac_?addr(?:ess)?|imei|imsi|idfa|gaid)$",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"(?:^|_)(?:password|passwd|passphrase|pwd|secret|pin|pin_?code|cvv2?|cvc2?|otp|api_?key"
    r"|private_?key|access_?token|refresh_?token|credentials?)$",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"(?:^|_)(?:users?|customers?|people|persons?|contacts?|members?|employees?|staff|patients?|clients?"
    r"|borrowers?|applicants?|guarantors?|profiles?|subscribers?|recipients?|shoppers?|buyers?)$",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?:^|_)(?:actor|author|owner|agent|assignee|reviewer|approver|operator|sender|receiver|recipient"
    r"|customer|contact|holder|by|signature|signed|name)$",
    re.IGNORECASE,
)
_TINY = {
    "birth": re.compile(
        r"(?:^|_)(?:dob|born|born_?on|birth_?(?:day|date)|date_?of_?birth)$", re.IGNORECASE
    ),
    "postal": re.compile(r"(?:^|_)(?:zip|zip_?code|post_?code|postal_?code)$", re.IGNORECASE),
    "last4": re.compile(r"(?:^|_)last_?(?:4|four)$", re.IGNORECASE),
    "secret": _SECRET,
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_personal_column(column: str, value: bytes, table: str = "") -> bool:
    """Whether a constant of this column is replaced as a whole; short codes are not, secrets are. The
    `name` in a table of people is a person's."""
    name = _snake(column)
    if value and _SECRET.search(name):
        return True
    is_named = name.lower() == "name" and _PEOPLE.search(_snake(table))
    return len(value) >= _SHORTEST and bool(_PERSONAL.search(name) or is_named)


def may_name_a_person(column: str) -> bool:
    """Whether a column holds people or the system's own actors: `created_by`, `actor`, `owner_name`."""
    return bool(_PERSON.search(_snake(column)))


def tiny_domain_of(column: str) -> str:
    """The domain of a column that has few possible values (dates of birth, postal codes, last four
    digits, PINs), so that none is told by an equal value of another meaning; "" for all others."""
    name = _snake(column)
    return next((domain for domain, names in _TINY.items() if names.search(name)), "")


def _snake(column: str) -> str:
    """`dateOfBirth` as `date_Of_Birth`."""
    return _CAMEL.sub("_", column)
