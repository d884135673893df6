"""Episodes in made-up apps, played on lists of elements without any browser.

A model that was trained in eleven apps knows those by heart and is lost in a twelfth. Here every episode has an app of
its own, so that the only way is to read: which tab, which menu, which button the task may mean.
"""

from saccade.train.madeup.play import Play, episode, play

__all__ = ["Play", "episode", "play"]
