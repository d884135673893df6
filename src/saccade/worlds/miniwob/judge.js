// The page's own judgement and, if `ask`, the instruction; null if another page is shown.
(ask) => {
  if (!window.saccadeEpisode) return null;
  const verdict = { ready: WOB_TASK_READY, done: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL };
  if (!ask) return verdict;
  const said = core.getUtterance();
  const plain = typeof said === "string";
  return { ...verdict, instruction: plain ? said : said.utterance, fields: plain ? {} : said.fields || {} };
}
