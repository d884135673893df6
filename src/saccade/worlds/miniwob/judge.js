// The task's own verdict and what it asks for; null when its page is not the one shown any more.
() => {
  if (!window.saccadeEpisode) return null;
  const query = document.getElementById("query");
  const said = query ? core.getUtterance() : "";
  const plain = typeof said === "string";
  return {
    ready: WOB_TASK_READY,
    done: WOB_DONE_GLOBAL,
    reward: WOB_RAW_REWARD_GLOBAL,
    instruction: plain ? said : said.utterance,
    fields: plain ? {} : said.fields || {},
  };
}
