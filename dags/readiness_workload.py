"""The DAG readiness_workload: captures become a workload file."""

from __future__ import annotations

from readiness.airflow.workload_dag import workload_dag

dag = workload_dag()
