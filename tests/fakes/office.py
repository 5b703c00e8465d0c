"""An invented office whose schema is unlike the shop's: German and camelCase names, natural keys.

No value of it is anybody's. `PERSONAL` is what a plan must find, with the look of each."""

from __future__ import annotations

from hashlib import sha1

_VORNAMEN = (
    "Anna",
    "Bernd",
    "Claudia",
    "Dieter",
    "Elena",
    "Franz",
    "Greta",
    "Holger",
    "Ines",
    "Jonas",
)
_NACHNAMEN = (
    "Becker",
    "Fischer",
    "Hofmann",
    "Keller",
    "Lehmann",
    "Müller",
    "Neumann",
    "Richter",
    "Vogel",
)
_KUNDEN = 40

PERSONAL = {
    "Kunden.eMail": "email",
    "Kunden.eMailHash": "hex",
    "Kunden.KundenName": "name",
    "Kunden.geburtsDatum": "date",
    "Kunden.Straße": "text",
    "Kunden.PLZ": "digits",
    "Kunden.Ort": "text",
    "Kunden.kontoNr": "text",
    "Kunden.passwortHash": "token",
    "Kunden.kürzel": "name",
    "Bestellungen.kundenMail": "email",
    "Bestellungen.Nutz daten": "json",
    "Bestellungen.bemerkung": "blank",
    "anschluesse.rufnummer": "phone",
    "anschluesse.steuerNr": "phone",
    "anrufe.from": "phone",
    "anrufe.to": "phone",
    "odd `name` 100%.a `b` %s": "email",
    "protokoll.bearbeiter": "email",
    "protokoll.clientIp": "ip",
}


def _mail(n: int) -> str:
    return f"{_VORNAMEN[n % 10]}.{_NACHNAMEN[n % 9]}{n}@büro.example".lower().replace("ü", "ue")


def _phone(n: int) -> str:
    return f"+49 170 {1_000_000 + 7919 * n}"


def _kunde(n: int) -> str:
    vorname, nachname = _VORNAMEN[n % 10], _NACHNAMEN[n % 9]
    digest = sha1(_mail(n).encode() + b"pepper").hexdigest()
    return (
        f"('{_mail(n)}', '{digest}', '{vorname} {nachname}', '{1950 + n}-0{1 + n % 9}-11',"
        f" 'Lindenweg {n}', '{10115 + 37 * n}', 'Ort {n}', 'DE{89 + n % 3}37040044053201{n:04d}',"
        f" '$2b$12$abcdefghijklmnopqrstuv{n:04d}XyZabcdefghijklmnopqrstu', '{vorname[0]}{nachname[0]}', 'aktiv')"
    )


def _bestellung(n: int) -> str:
    body = (
        f'{{"kontakt": {{"eMail": "{_mail(n % _KUNDEN)}"}}, "status": "bezahlt",'
        f' "empfänger": [{{"vorname": "{_VORNAMEN[n % 10]}"}}, {{"vorname": "{_VORNAMEN[(n + 3) % 10]}"}}],'
        f' "notiz": "Bitte klingeln Sie bei dem Nachbarn im zweiten Stock, Haus {n}"}}'
    )
    return f"({n}, '{_mail(n % _KUNDEN)}', 'B-{n:06d}', {n * 10}, '{body}', 'Bitte an der Tür {n} abgeben')"


def _many(table: str, rows: list[str]) -> str:
    return f"INSERT INTO {table} VALUES {', '.join(rows)}"


STATEMENTS = (
    "CREATE DATABASE `büro` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
    "USE `büro`",
    "CREATE TABLE `Kunden` (`eMail` VARCHAR(190) NOT NULL PRIMARY KEY, `eMailHash` CHAR(40) NOT NULL,"
    " `KundenName` VARCHAR(120) NOT NULL, `geburtsDatum` DATE NULL, `Straße` VARCHAR(120),"
    " `PLZ` CHAR(5), `Ort` VARCHAR(60), `kontoNr` VARCHAR(34), `passwortHash` VARCHAR(80),"
    " `kürzel` CHAR(2), `status` VARCHAR(12) NOT NULL,"
    " UNIQUE KEY (`KundenName`, `geburtsDatum`), KEY (`KundenName`(10)))",
    "CREATE TRIGGER kunden_bi BEFORE INSERT ON `Kunden` FOR EACH ROW SET NEW.status = 'aktiv'",
    "CREATE TABLE `Bestellungen` (`BestellungID` INT NOT NULL PRIMARY KEY, `kundenMail` VARCHAR(190) NOT NULL,"
    " `bestellNr` VARCHAR(20) NOT NULL, `betrag` INT NOT NULL, `Nutz daten` JSON, `bemerkung` VARCHAR(255),"
    " `betrag_brutto` INT GENERATED ALWAYS AS (`betrag` * 119) VIRTUAL,"
    " CONSTRAINT fk_kunde FOREIGN KEY (`kundenMail`) REFERENCES `Kunden` (`eMail`))",
    "CREATE TABLE anschluesse (rufnummer VARCHAR(24) NOT NULL, land CHAR(2) NOT NULL, `steuerNr` VARCHAR(20),"
    " PRIMARY KEY (land, rufnummer), KEY (rufnummer))",
    "CREATE TABLE anrufe (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, `landFrom` CHAR(2) NOT NULL,"
    " `from` VARCHAR(24) NOT NULL, `landTo` CHAR(2) NOT NULL, `to` VARCHAR(24) NOT NULL, sekunden INT NOT NULL,"
    " FOREIGN KEY (`landFrom`, `from`) REFERENCES anschluesse (land, rufnummer),"
    " FOREIGN KEY (`landTo`, `to`) REFERENCES anschluesse (land, rufnummer))",
    "CREATE TABLE `odd ``name`` 100%` (`id` INT PRIMARY KEY, `a ``b`` %s` VARCHAR(40))",
    "CREATE TABLE protokoll (zeit DATETIME NOT NULL, bearbeiter VARCHAR(100), `clientIp` VARCHAR(45),"
    " aktion ENUM('lesen', 'schreiben')) PARTITION BY RANGE (YEAR(zeit))"
    " (PARTITION p0 VALUES LESS THAN (2025), PARTITION p1 VALUES LESS THAN MAXVALUE)",
    "CREATE VIEW sicht AS SELECT `eMail` FROM `Kunden`",
    "CREATE TABLE leer (id INT PRIMARY KEY, menge INT)",
    _many("`Kunden`", [_kunde(n) for n in range(_KUNDEN)]),
    "INSERT INTO `Bestellungen` (`BestellungID`, `kundenMail`, `bestellNr`, `betrag`, `Nutz daten`, `bemerkung`)"
    " VALUES " + ", ".join(_bestellung(n) for n in range(1, 61)),
    _many("anschluesse", [f"('{_phone(n)}', 'DE', '1{n:02d}/815/08151')" for n in range(30)]),
    "INSERT INTO anrufe (`landFrom`, `from`, `landTo`, `to`, sekunden) VALUES "
    + ", ".join(f"('DE', '{_phone(n)}', 'DE', '{_phone(n + 1)}', {n})" for n in range(29)),
    _many("`odd ``name`` 100%`", [f"({n}, '{_mail(n)}')" for n in range(5)]),
    _many(
        "protokoll",
        [
            f"('2026-01-{1 + n % 28:02d}', '{_mail(n)}', '203.0.113.{n}', 'lesen')"
            for n in range(30)
        ],
    ),
)
BEGINS = (
    *(_mail(n) for n in range(_KUNDEN)),
    *(_phone(n) for n in range(30)),
    "Lindenweg",
    "Becker",
)
