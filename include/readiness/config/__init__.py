"""What users write, read once at the edge: plans, expectations, DSNs, settings.

yaml_file      a YAML file with the place of every key and value
mistakes       pydantic's errors as mistakes with line, column and nearest valid word
places         where plans and expectations are found by name
plan           include/plans/NAME.yaml
expectations   include/expectations/NAME.yaml
dsn            the address of a database, without its password
settings       READINESS_* environment variables and .local/production.json
"""
