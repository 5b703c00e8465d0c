"""What people read of a run: the page, the chart, the lines in a terminal. Pure: values to text.

view        all that is known of one run
numbers     how figures are written
words       what metrics and verdicts are called
measured    what each stage measured
summary     the answer, in sentences and rows
timeline    the run as columns of time
figures     panels of the ramp chart
page        report.html
slack       messages of a judged run, `slack_course` of one under way; made of `slack_stages`
            and of `slack_blocks`, which keep the limits
terminal    the end of a command; `live` while it runs; `failure` when it fails
"""
