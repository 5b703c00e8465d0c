"""The DAG readiness_janitor: it needs no plan, so no broken plan can stop it."""

from __future__ import annotations

from readiness.airflow.janitor_dag import janitor_dag

dag = janitor_dag()
