# The suite on Airflow's own image: every service of docker-compose.yml runs it.
# Build: docker build -t peak-readiness .
FROM apache/airflow:3.3.2-python3.12

USER root
# A database server binary for local clones; no service is started.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends mariadb-server-core \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=airflow --group=root --mode=0775 \
    /opt/airflow/suite /opt/airflow/state /opt/airflow/captures
USER airflow

WORKDIR /opt/airflow/suite
COPY --chown=airflow:root requirements.txt requirements.lock ./
# apache-airflow is named again, with its version, so that nothing can move it. pip tells of providers
# in the image that want other versions (google, mysql, snowflake …): the suite uses none of them.
RUN pip install --no-cache-dir apache-airflow==3.3.2 -r requirements.txt -c requirements.lock
COPY --chown=airflow:root . .
# Editable: plans, DAGs and package are one tree, which docker-compose.yml may lay over.
RUN pip install --no-cache-dir --no-deps --editable . \
  && python -c "import readiness.airflow" \
  && readiness --help > /dev/null

ENV AIRFLOW__CORE__DAGS_FOLDER=/opt/airflow/suite/dags \
  AIRFLOW__CORE__PLUGINS_FOLDER=/opt/airflow/suite/plugins \
  READINESS_STATE=/opt/airflow/state
WORKDIR /opt/airflow
