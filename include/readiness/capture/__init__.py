"""From a server's own log to raw transactions, and to the runs of one flow among them.

Sources of events
events        what each log gives: one event a record
logs          opens a log whatever its format; sniff, banners, rotation, chain, files help
general_log   general query log files; general_table: their table as a dump, CSV file or live
slow_log      slow query logs at 0 s; slow_table: their table
audit_log     server audit logs; history: performance_schema, shape only

Events to transactions
sessions      follows all sessions of a log: `read_capture`, `Transactions`
session       one session; effects, sql_mode, logins, lookalikes say what its statements mean

Transactions to flows
selection     by session, time, comment tag or marker statement
example       what a clean capture teaches; meetings: which column a value meets
parts, flows  the runs of a flow, gathered over connections
choice        all of it for one log
rates         how often something begins
summary       what a log holds, safe to show
"""
