"""The files of a run folder: their forms, written whole or not at all.

atomic       a file is the old one or the new one, never half
json_files   JSON with a schema_version
forms        run, checks and verdict as JSON
latency      histograms by stage, second and statement
tables       stages and samples as Parquet
run_folder   the folder that holds them
messages     its slack/: what was sent, and what stands in the channel
lock         one run at a time, as long as its process lives
lease_lock   one run at a time, over many processes
"""
