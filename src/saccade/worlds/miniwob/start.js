// Begin an episode as if nobody had touched the page, with no limit of time.
(seed) => {
  if (document.activeElement && document.activeElement.blur) document.activeElement.blur();
  core.EPISODE_MAX_TIME = 2000000000;
  Math.seedrandom(seed);
  core.startEpisodeReal();
  window.saccadeEpisode = true;
}
