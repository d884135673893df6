"""Why a run ended, as text in the language of its task, for the replay page and for the reflection prompt."""

from __future__ import annotations

from saccade.paradigms.base import Language

ENDINGS: dict[str, dict[Language, str]] = {
    "done": {"en": "the task is done", "zh": "任务已完成"},
    "not done": {"en": "the world judged: not done", "zh": "环境判定：未完成"},
    "too early": {"en": "the agent ended before the task was done", "zh": "任务还没完成，智能体就结束了"},
    "given up": {"en": "the agent said that it cannot be done", "zh": "智能体表示无法完成"},
    "claimed": {"en": "the agent said that it is done", "zh": "智能体表示已完成"},
    "loop": {"en": "it repeated itself on a screen that did not change", "zh": "它在没有变化的界面上重复同样的动作"},
    "unreadable": {"en": "{0} answers in a row could not be read", "zh": "连续 {0} 个回答无法读取"},
    "refused": {"en": "{0} actions in a row were refused: {1}", "zh": "连续 {0} 个动作被拒绝：{1}"},
    "refusal stands": {
        "en": "the agent said that it is done, but what it did last was refused: {0}",
        "zh": "智能体表示已完成，但它最后的动作被拒绝：{0}",
    },
    "steps": {"en": "the limit of {0} steps was reached", "zh": "达到 {0} 步的上限"},
    "seconds": {"en": "the limit of {0:g} s was reached", "zh": "达到 {0:g} 秒的上限"},
    "tokens": {"en": "the limit of {0:,} tokens was reached ({1:,} used)", "zh": "达到 {0:,} 词元的上限（已用 {1:,}）"},
    "cost": {"en": "the limit of ${0:g} was reached (${1:.4f} spent)", "zh": "达到 ${0:g} 的费用上限（已用 ${1:.4f}）"},
    "world": {"en": "the world broke: {0}", "zh": "环境出了故障：{0}"},
    "model": {"en": "the model broke: {0}", "zh": "模型出了故障：{0}"},
    "person": {"en": "a person stopped it", "zh": "有人让它停下"},
    "interrupted": {"en": "it was interrupted", "zh": "运行被中断"},
}


def ending_text(ending: str, language: Language, *values: object) -> str:
    """The text for an entry of `ENDINGS`, with `values` filled in."""
    return ENDINGS[ending][language].format(*values)
