// The task's own verdict, and if `ask` what it wants done; null when its page is not the one shown any more.
(ask) => {
  if (!window.saccadeEpisode) return null;
  const verdict = { ready: WOB_TASK_READY, done: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL };
  if (!ask) return verdict;
  const said = core.getUtterance();
  const plain = typeof said === "string";
  return { ...verdict, instruction: plain ? said : said.utterance, fields: plain ? {} : said.fields || {} };
}
