"""The fixed words of `checkout.variables.yaml`: its head, and all that its sentences are made of.

The leak scan must know them. "email" in an index's name, or "first" in a sentence, is no captured
value, even where a person's happens to be the same word."""

from __future__ import annotations

HEADER = """\
# Why each value of the workload is what it is. Written by `readiness workload build`; it holds no
# captured value. To change one: write its name into an overrides file and build again with
# --overrides FILE. The overrides in force are kept beside this file.
"""

CONFIDENCE = {2: "two captures", 3: "three captures"}

# Every word of four letters or more in keys and sentences; tests hold the list complete.
WORDS = """
version workload captures confidence overrides overridden funnel step count counts repeats says one of them is drawn for each checkout variables dropped
fixed doubts alignment unsettled class generator expression sample weight where row_with column
policy sha256 columns treat reason pseudonym keep generalize empty kept by the says what stands here
statements statement literal evidence index foreign_keys seen because taken could_be cure

columns column differs were literals structural constant varying groups fresh existing server derived time inline generated
choice unindexed absent listed unique primary captures

values written in the statements of the flow are different shape a statement limit interval json
path they stay equal in every capture belong to the code and differ between captures person moment
or database ones those that change together counted once a new similar value for each checkout row
exists on target as often as it is used there ids that the server gives from its answer computed
from other values move with clock nothing depends on them an invented constant stands in text what
is made or drawn for each

first used inserted into written to compared with in a list like within an expression that meets
inserted first by seen different in each different values rises from capture to capture numbered by
the insert behind its first does not exist at the source in every asked whether exists a stretch of a text could nothing

that of the first capture stays shapes the statement a word that the schema lists
is equal in both captures a constant of the code or an accident follows from other a rule chosen each time

by its name no foreign key says so statements that capture has not left out insert update delete select begin
commit rollback savepoint call prepare execute other

salt target then capture again one more with another basket and persona readiness

has no for have which has not left out session set-up loop runs within another it is written out as
often as one capture runs it and its length does not vary transactions tried again in a loop are left
out always holds the longest list of the captures

auto_increment id of an insert in this flow one of several rows of this flow, chosen by the user
looked up or referred to, never inserted by the flow met by an index used in several statements
but does not hold it a column of the sampled row feeds a derived value text around other moves with
spelling of a binary key equal to another value prefix of another share of another amount said by the overrides file no index holds it and one uses
of another value, in every capture another variable, written as text as a number in hexadecimal

uuid1 uuid4 uuid7 uuid4_hex ulid snowflake email phone first_name last_name date datetime integer
decimal ipv4 pattern text binary concat lower upper left right substring substring_index replace
unhex to_base64 sha1 sha2 cast char microsecond second curdate unix_timestamp interval
"""
