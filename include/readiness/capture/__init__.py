"""From a server's own log to raw transactions.

general_log  the records of a general query log file, MySQL and MariaDB
logins       who a session belongs to
lookalikes   records that are lines of a statement
sql_mode     what a session's sql_mode becomes
sessions     records to sessions to transactions: `read_capture`
summary      what a capture holds, safe to show
"""
