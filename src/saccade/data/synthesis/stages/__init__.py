"""The stages that pipelines are made of, by the names in their YAML files.

One of your own is a class (`synthesis.stage`) in the entry-point group `saccade.stages`, or in a plug-in file.
"""

from __future__ import annotations

from saccade.data.synthesis.stage import Stage
from saccade.registry import Registry, subclass_of

STAGES: Registry[type[Stage]] = Registry(
    "stage",
    {
        "annotate_context": "saccade.data.synthesis.stages.annotate_context:AnnotateContext",
        "cut_at_first_error": "saccade.data.synthesis.stages.cut_at_first_error:CutAtFirstError",
        "distinct_instructions": "saccade.data.synthesis.stages.write_instructions:DistinctInstructions",
        "episode_starts": "saccade.data.synthesis.stages.episode_starts:EpisodeStarts",
        "execute_tasks": "saccade.data.synthesis.stages.execute_tasks:ExecuteTasks",
        "count_key_elements": "saccade.data.synthesis.stages.count_key_elements:CountKeyElements",
        "describe_elements": "saccade.data.synthesis.stages.describe_elements:DescribeElements",
        "find_elements": "saccade.data.synthesis.stages.find_elements:FindElements",
        "keep_finished": "saccade.data.synthesis.stages.keep_finished:KeepFinished",
        "mask": "saccade.data.synthesis.stages.mask:Mask",
        "normalise_steps": "saccade.data.synthesis.stages.normalise_steps:NormaliseSteps",
        "rank_elements": "saccade.data.synthesis.stages.rank_elements:RankElements",
        "grounding_annotate": "saccade.data.synthesis.stages.grounding_annotate:GroundingAnnotate",
        "grounding_elements": "saccade.data.synthesis.stages.grounding_elements:GroundingElements",
        "grounding_screens": "saccade.data.synthesis.stages.grounding_screens:GroundingScreens",
        "judge_completion": "saccade.data.synthesis.stages.completion:JudgeCompletion",
        "judge_instructions": "saccade.data.synthesis.stages.write_instructions:JudgeInstructions",
        "list_low_completion": "saccade.data.synthesis.stages.completion:ListLowCompletion",
        "paraphrase_instructions": "saccade.data.synthesis.stages.write_instructions:ParaphraseInstructions",
        "plan_tasks": "saccade.data.synthesis.stages.plan_tasks:PlanTasks",
        "play_tasks": "saccade.data.synthesis.stages.play_tasks:PlayTasks",
        "reverse_branches": "saccade.data.synthesis.stages.reverse_branches:ReverseBranches",
        "reverse_chains": "saccade.data.synthesis.stages.reverse_chains:ReverseChains",
        "reverse_describe": "saccade.data.synthesis.stages.reverse_describe:ReverseDescribe",
        "reverse_grade": "saccade.data.synthesis.stages.reverse_grade:ReverseGrade",
        "reverse_task": "saccade.data.synthesis.stages.reverse_task:ReverseTask",
        "reverse_transitions": "saccade.data.synthesis.stages.reverse_transitions:ReverseTransitions",
        "review": "saccade.data.synthesis.stages.review:Review",
        "split": "saccade.data.synthesis.stages.split:Split",
        "comprehension_records": "saccade.data.synthesis.stages.comprehension_records:ComprehensionRecords",
        "write_instructions": "saccade.data.synthesis.stages.write_instructions:WriteInstructions",
    },
    accepts=subclass_of(Stage),
)
