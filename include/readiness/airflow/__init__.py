"""The pipeline as Airflow DAGs; with `dags/` and `plugins/` the only place that imports Airflow.

plan_dag     a plan → a DAG: one task group a stage, a clone that is always destroyed
operators    what each task is to Airflow: time, pool, what stops it
lifecycle    what the tasks around the load do: reserve, restore, destroy, seal
stages       what the tasks between do: calibrate, gate, load, report
in_process   one run of a plan's DAG in one process, without a scheduler
"""
