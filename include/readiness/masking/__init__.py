"""Masking a clone: what is personal in it, the SQL that replaces it, and the proof. Sees only sessions.

Shared by all below: catalogue (tables as the server describes them), names and data_types (how they
stand in SQL), journal (what is decided and done, in the clone itself).

plan        `planning.plan_masking`: a column is ruled by the policy (coarse), tied to others (references,
            alike, shared), or judged by type, rows and name (classify, text_columns, documents; from
            contents, vocabulary, looks and sampling) into a decision; `derived` columns repeat others,
            which `derived_check` asks the server about; limits refuses; plan_file shows and stores
sql         `sql.expressions_of`: a column's new value; `collisions.settle` and elements ask the server
            before any change whether it fits
run         `tables.mask_tables`: methods choose in_place or rebuild; ranges, state and definition let a
            killed one go on; session, faults, progress; then hygiene and statistics
prove       `proof.take_before` and `compare`: facets say what is compared; figures, originals, patterns
            and shape find facts
"""
