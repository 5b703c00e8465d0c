"""The rules that tell personal data in captures, for masking, which asks the same of a clone."""

from __future__ import annotations

from collections.abc import Iterator

from readiness.anonymize import classes, net, sensitive
from readiness.masking.plan.looks import Looks

_ANY = b"any value"


class _Looks:
    """`masking.looks.Looks` by `anonymize`."""

    def is_personal_name(self, table: str, column: str) -> bool:
        """By the column's name alone."""
        return sensitive.is_personal_column(column, _ANY, table)

    def may_name_a_person(self, column: str) -> bool:
        """By the column's name alone."""
        return sensitive.may_name_a_person(column)

    def is_people(self, table: str) -> bool:
        """A `name` in it is a person's."""
        return sensitive.is_personal_column("name", _ANY, table)

    def tiny_domain(self, column: str) -> str:
        """By the column's name alone."""
        return sensitive.tiny_domain_of(column)

    def numbered(self, text: str) -> Iterator[tuple[int, int]]:
        """Told by their form."""
        return net.numbered_spans(text)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Told by form, key or name."""
        return net.personal_spans(text)

    def is_card(self, text: str) -> bool:
        """With right check digits."""
        return classes.is_card(text)

    def is_iban(self, text: str) -> bool:
        """With right check digits."""
        return classes.is_iban(text)

    def is_ip(self, text: str) -> bool:
        """Of either version."""
        return classes.is_ip(text, 4) or classes.is_ip(text, 6)

    def is_person(self, text: str) -> bool:
        """By the lists of names."""
        return net.holds_first_name(text) or net.is_persons_name(text)


LOOKS: Looks = _Looks()
