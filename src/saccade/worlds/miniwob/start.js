// Begin an episode with a clean page and no time limit.
(seed) => {
  if (document.activeElement && document.activeElement.blur) document.activeElement.blur();
  core.EPISODE_MAX_TIME = 2000000000;
  Math.seedrandom(seed);
  core.startEpisodeReal();
  window.saccadeEpisode = true;
}
