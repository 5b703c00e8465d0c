"""Registers the timetable with Airflow. Every Airflow process loads this file, so it stays thin."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from readiness.airflow.timetable import FreezeTimetable


class ReadinessPlugin(AirflowPlugin):
    """What the suite adds to Airflow."""

    name = "readiness"
    timetables = [FreezeTimetable]  # noqa: RUF012 - Airflow's own type
