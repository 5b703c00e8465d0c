"""What masking asks of the rules that tell personal data; `flow.looks` brings those of the captures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class Looks(Protocol):
    """Whether names and texts look personal. Spans are (begin, end) in characters."""

    def is_personal_name(self, table: str, column: str) -> bool:
        """Whether a column's name says that its values are personal or secret."""
        ...

    def may_name_a_person(self, column: str) -> bool:
        """Whether a column holds people or the system's own actors: `created_by`, `owner`."""
        ...

    def is_people(self, table: str) -> bool:
        """Whether a table's rows are people: its `name` is a person's."""
        ...

    def tiny_domain(self, column: str) -> str:
        """The domain of a column with few possible values (`postal`, `last4` …); "" for others."""
        ...

    def numbered(self, text: str) -> Iterator[tuple[int, int]]:
        """E-mails, phones, cards, accounts, security numbers and addresses of machines in a text."""
        ...

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """All that looks personal in a text, names of people included."""
        ...

    def is_card(self, text: str) -> bool:
        """Whether it is the number of a payment card."""
        ...

    def is_iban(self, text: str) -> bool:
        """Whether it is an account number with right check digits."""
        ...

    def is_ip(self, text: str) -> bool:
        """Whether it is the address of a machine."""
        ...

    def is_person(self, text: str) -> bool:
        """Whether a short text is, or holds, the name of a person."""
        ...
