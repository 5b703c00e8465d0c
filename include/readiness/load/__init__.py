"""The load engine: open-loop arrivals, an epoll loop over raw sockets, mergeable histograms.

schedule     when each checkout is due
plan         one worker's part: shares, pauses, limits
packets      COM_QUERY packets out, replies walked by their headers
connections  sockets opened ahead of need by helper threads
gate         how many checkouts are let in each interval
arrivals     due, let in, waiting for a connection
retries      deadlocks and lock timeouts, tried again
checkout     one checkout while it runs
tally        what happened, by second and by stage
loop         the hot one
observation  the worker's own CPU, and how long it waited for a core
messages     what worker and coordinator say to each other
control      the worker's ear: commands, heartbeats, reasons to stop
worker       one job, one loop, until its end or a stop
coordinator  starts the workers, merges their seconds, ends them
calibrate    what closed-loop clients show: capacity, its knee, the generator's own cost
"""
