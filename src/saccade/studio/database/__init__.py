"""The studio's database: an index of what lies in the folders, the review queue, and the annotations.

The files of runs stay the truth: an index that is lost is made again. Decisions of people exist here alone, so every
one is on disk before it is acknowledged.
"""
