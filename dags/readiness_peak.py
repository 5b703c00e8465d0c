"""The plan `peak` as a DAG."""

from readiness.airflow.plan_dag import plan_dag

dag = plan_dag("peak")
