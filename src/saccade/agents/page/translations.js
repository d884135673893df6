// The texts of the page in both languages, and actions as text. Texts of the run itself are not translated.

const WORDS = {
  en: {
    switch: "中文", "switch-label": "切换到中文", about: "About this run", help: "Keyboard", close: "Close",
    steps: "Steps", screen: "Screen", facts: "What happened in this step", layers: "Layers", attempts: "Attempts",
    judgement: "Evaluator", first: "First step", previous: "Previous step", play: "Play", pause: "Pause",
    next: "Next step", last: "Last step", zoom: "Zoom", world: "World", paradigm: "Paradigm",
    model: "Model", count: "Steps", time: "Time", tokens: "Tokens", cost: "Cost", started: "Started",
    id: "Run", resumed: "Resumed", versions: "Versions", attempt: "Attempt {0}",
    "of-steps": "Step {0} of {1}", "no-steps": "This run has no steps.", "no-picture": "This step has no screenshot.",
    alt: "Screenshot of step {0}: {1}", "first-trouble": "First problem: step {0}, {1}",
    "layer-action": "Action", "layer-named": "Named", "layer-truth": "Truth", "layer-all": "All elements",
    success: "Success", failure: "Failure", claimed: "Claimed done", "gave up": "Gave up", broken: "Broken",
    interrupted: "Interrupted", unfinished: "Unfinished", ended: "ended by {0}", answer: "Final answer",
    "end-agent": "the agent", "end-world": "the world", "end-steps": "the limit of steps",
    "end-seconds": "the time limit", "end-tokens": "the token limit", "end-cost": "the cost limit",
    "end-loop": "a loop", "end-unreadable": "unreadable answers", "end-refused": "a refusal",
    "end-model": "the model", "end-person": "a person", "end-error": "an error",
    error: "error", refused: "refused", unreadable: "unreadable", wrong: "wrong", right: "right", repaired: "repaired",
    "error-said": "The world could not do it", "refused-said": "The action was refused",
    "unreadable-said": "The answer could not be read", "wrong-said": "Not a right action here ({0})",
    rather: "Right: {0}", or: ", or ",
    asked: "asked for a person", edited: "edited", person: "person", "asked-said": "The agent asked for a person",
    "person-said": "A person did this step", "edited-said": "A person did this instead of what the agent proposed",
    "hint-said": "A person told the agent before this step",
    "repaired-said": "The answer was repaired before it was parsed", "idle-said": "The action did not reach the world",
    action: "Action", think: "Think", plan: "Plan", "running-summary": "Summary", named: "Elements it named",
    candidates: "Candidates", candidate: "Candidate", probability: "Probability", score: "Score", chosen: "chosen",
    unscored: "–", approval: "Approval", allowed: "Allowed", "not-allowed": "Refused", risk: "Risk", rule: "Rule",
    "by-sandbox": "sandbox", "by-policy": "by the policy", "by-person": "by a person", "by-nobody": "nobody to ask",
    pay: "pay", order: "order", delete: "delete", send: "send or publish", permission: "grant permission",
    password: "password field", leave: "leave the allowed hosts", install: "install",
    rewards: "Rewards", total: "Total: {0}",
    truth: "Right actions", key: "Key elements", "by-rule": "rule: {0}", "world-reward": "The world's reward: {0}",
    done: "the task ended here", "world-section": "World", events: "Events", notes: "Notes in the prompt",
    "step-instruction": "Instruction for this step",
    spent: "Time and tokens", "time-world": "World", "time-elements": "Elements", "time-person": "Approval",
    "time-loop": "Loop", "time-model": "Model", "token-line": "{0} tokens in, {1} out",
    calls: "{0} calls", retries: "{0} retries",
    "first-token": "first token after {0}", answers: "Raw answer", "answers-many": "Raw answers", prompt: "Prompt",
    before: "History and context", context: "Context before", history: "History", elements: "All elements",
    "judged-by-world": "retries judged by the world (an oracle)", weighting: "choice of candidates: {0}",
    verdict: "Evaluator", "judged-yes": "says done", "judged-no": "says not done", reflection: "Reflection",
    "lines-lost": "Not all of the log could be read: {0}", system: "system", user: "user", assistant: "assistant",
    "key-arrows": "previous, next step", "key-attempts": "previous, next attempt", "key-ends": "first, last step",
    "key-space": "play, pause", "key-trouble": "next problem", "key-layers": "layers: more, fewer, none",
    "key-zoom": "zoom", "key-language": "language", "key-help": "this help",
  },
  zh: {
    switch: "English", "switch-label": "Switch to English", about: "运行信息", help: "键盘操作", close: "关闭",
    steps: "步骤", screen: "屏幕", facts: "这一步发生了什么", layers: "图层", attempts: "尝试",
    judgement: "评审", first: "第一步", previous: "上一步", play: "播放", pause: "暂停",
    next: "下一步", last: "最后一步", zoom: "放大", world: "环境", paradigm: "范式",
    model: "模型", count: "步数", time: "用时", tokens: "词元", cost: "费用", started: "开始时间",
    id: "运行", resumed: "恢复次数", versions: "版本", attempt: "第 {0} 次尝试",
    "of-steps": "第 {0} 步，共 {1} 步", "no-steps": "本次运行没有任何步骤。", "no-picture": "这一步没有截图。",
    alt: "第 {0} 步的截图：{1}", "first-trouble": "首个问题：第 {0} 步，{1}",
    "layer-action": "动作", "layer-named": "模型所指", "layer-truth": "正确答案", "layer-all": "全部元素",
    success: "成功", failure: "失败", claimed: "自称完成", "gave up": "放弃", broken: "故障",
    interrupted: "被中断", unfinished: "未结束", ended: "结束原因：{0}", answer: "最终回答",
    "end-agent": "智能体结束", "end-world": "环境判定", "end-steps": "步数上限",
    "end-seconds": "时间上限", "end-tokens": "词元上限", "end-cost": "费用上限",
    "end-loop": "原地打转", "end-unreadable": "回答无法解析", "end-refused": "动作被拒绝",
    "end-model": "模型故障", "end-person": "人工停止", "end-error": "出错",
    error: "出错", refused: "被拒绝", unreadable: "无法解析", wrong: "错误", right: "正确", repaired: "已修补",
    "error-said": "环境无法执行", "refused-said": "动作被拒绝",
    "unreadable-said": "回答无法解析", "wrong-said": "这里不该这样做（{0}）", rather: "应当：{0}", or: "；或 ",
    asked: "请求人工", edited: "已修改", person: "人工", "asked-said": "智能体请求人工帮助",
    "person-said": "这一步由人完成", "edited-said": "由人改动；智能体原本提议", "hint-said": "这一步之前人给出的提示",
    "repaired-said": "宽松解析", "idle-said": "动作没有执行",
    action: "动作", think: "思考", plan: "计划", "running-summary": "摘要", named: "模型指出的元素",
    candidates: "候选动作", candidate: "候选", probability: "概率", score: "评分", chosen: "选中",
    unscored: "–", approval: "审批", allowed: "允许", "not-allowed": "拒绝", risk: "风险", rule: "规则",
    "by-sandbox": "沙盒", "by-policy": "按策略", "by-person": "人工", "by-nobody": "无人可问",
    pay: "支付", order: "下单", delete: "删除", send: "发送或发布", permission: "授予权限",
    password: "密码框", leave: "离开允许的网站", install: "安装", rewards: "奖励", total: "合计：{0}",
    truth: "正确的动作", key: "关键元素", "by-rule": "规则：{0}", "world-reward": "环境奖励：{0}",
    done: "任务到此结束", "world-section": "环境", events: "事件", notes: "提示词中的提醒",
    "step-instruction": "本步要求",
    spent: "用时与词元", "time-world": "环境", "time-elements": "元素", "time-person": "审批",
    "time-loop": "循环", "time-model": "模型", "token-line": "输入 {0} 词元，输出 {1}", calls: "调用 {0} 次", retries: "重试 {0} 次",
    "first-token": "首词元 {0}", answers: "原始回答", "answers-many": "原始回答", prompt: "提示词",
    before: "历史与上下文", context: "此前的上下文", history: "历史", elements: "全部元素",
    "judged-by-world": "由环境判定是否重试（神谕）", weighting: "候选动作的选择：{0}",
    verdict: "评审", "judged-yes": "认为完成", "judged-no": "认为未完成", reflection: "反思",
    "lines-lost": "日志未能全部读出：{0}", system: "系统", user: "用户", assistant: "助手",
    "key-arrows": "上一步、下一步", "key-attempts": "上一次、下一次尝试", "key-ends": "第一步、最后一步",
    "key-space": "播放、暂停", "key-trouble": "下一个问题", "key-layers": "图层：更多、更少、无",
    "key-zoom": "放大", "key-language": "语言", "key-help": "本帮助",
  },
};

const KEY_NAMES = new Map(
  Object.entries({ back: "返回", home: "主屏幕", enter: "回车", menu: "菜单", recent: "最近任务", recents: "最近任务" }),
);
const DIRECTION_NAMES = { up: "上", down: "下", left: "左", right: "右" };

let language = "en";

function say(word, ...values) {
  const text = WORDS[language][word] ?? word;
  return text.replace(/\{(\d)\}/g, (_, at) => values[Number(at)]);
}

// A word from the log, translated if a translation exists.
function sayIfKnown(word, prefix = "") {
  return Object.hasOwn(WORDS[language], prefix + word) ? say(prefix + word) : word;
}

function quoted(text) {
  return `“${oneLine(text, 60)}”`;
}

function oneLine(text, most) {
  const flat = String(text).replace(/\s+/g, " ").trim();
  const letters = Array.from(flat);
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : flat;
}

function placeWords(action, target) {
  const point = action.point || action.start;
  if (target) return quoted(target);
  return point ? `(${Math.round(point[0])}, ${Math.round(point[1])})` : "";
}

// An action as text. `target` is the text of the element that it hits.
function actionWords(action, target, screen) {
  if (!action) return language === "zh" ? "没有动作" : "No action";
  const words = language === "zh" ? chineseWords : englishWords;
  const upright = screen[1] > screen[0];
  return words(action, placeWords(action, target), action.text ?? "", upright, Boolean(target)).trim();
}

function englishWords(action, place, text, upright, hit) {
  const at = hit ? place : `at ${place}`;
  switch (action.type) {
    case "click": return `${upright ? "Tap" : "Click"} ${at}`;
    case "long_press": return `Long-press ${at}`;
    case "double_click": return `Double-click ${at}`;
    case "right_click": return `Right-click ${at}`;
    case "hover": return `Hover over ${place}`;
    case "swipe": return `Swipe ${action.direction}`;
    case "drag": return `Drag ${hit ? place : `from ${place}`} to (${action.end.map(Math.round).join(", ")})`;
    case "type": return `Type ${quoted(text)}${place ? ` into ${place}` : ""}${action.submit ? " and submit" : ""}`;
    case "press": return `Press ${action.key}`;
    case "select": return `Select ${quoted(text)} in ${place}`;
    case "open_app": return `Open the app ${quoted(text)}`;
    case "open_url": return `Open ${oneLine(text, 60)}`;
    case "wait": return action.seconds === undefined ? "Wait" : `Wait ${action.seconds} s`;
    case "answer": return `Answer ${quoted(text)}`;
    case "terminate":
      return (action.status === "success" ? "Finish: done" : "Give up") + (text ? `, ${quoted(text)}` : "");
    default: return action.type;
  }
}

function chineseWords(action, place, text) {
  switch (action.type) {
    case "click": return `点击${place}`;
    case "long_press": return `长按${place}`;
    case "double_click": return `双击${place}`;
    case "right_click": return `右键点击${place}`;
    case "hover": return `悬停在${place}`;
    case "swipe": return `向${DIRECTION_NAMES[action.direction] ?? ""}滑动`;
    case "drag": return `把${place}拖到 (${action.end.map(Math.round).join(", ")})`;
    case "type": return `${place ? `在${place}` : ""}输入${quoted(text)}${action.submit ? "并提交" : ""}`;
    case "press": return `按${KEY_NAMES.get(action.key) ?? ` ${action.key} `}键`;
    case "select": return `在${place}中选择${quoted(text)}`;
    case "open_app": return `打开应用${quoted(text)}`;
    case "open_url": return `打开 ${oneLine(text, 60)}`;
    case "wait": return action.seconds === undefined ? "等待" : `等待 ${action.seconds} 秒`;
    case "answer": return `回答${quoted(text)}`;
    case "terminate": return (action.status === "success" ? "结束：已完成" : "放弃") + (text ? `，${quoted(text)}` : "");
    default: return action.type;
  }
}
