"""Review: what people judge, correct and annotate, in a queue that several people work through at once.

`kinds/` says what there is to judge; `queue` who gets which item; `decisions` records what they said; `agreement`
compares opinions; `export` and `decision_files` write step records and everything needed to continue elsewhere;
`label_studio` speaks that program's JSON.
"""
