"""The plan `weekly` as a DAG."""

from readiness.airflow.plan_dag import plan_dag

dag = plan_dag("weekly")
