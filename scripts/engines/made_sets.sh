#!/bin/sh
# Small data sets that the pipelines make (docs/DATA.md), exported for ms-swift and verl: sh made_sets.sh FOLDER [MADE].
# Prints a line for each export: FRAMEWORK FOLDER. MADE holds sets that are there already (blink, comprehension, grounding,
# reverse, navigation, improved); without it they are made here, with the sandbox's own teacher.
set -eu
out=$1
made=${2:-$out/made}
small="--set pixels=[3136,100352] --set switches.space=phone"
saccade=.venv/bin/saccade
say() { "$@" >&2; }

if [ ! -f "$made/.ready" ] && [ $# -lt 2 ]; then
    rm -rf "$made"
    mkdir -p "$made"
    printf 'world: phone\noptions: {split: train, scale: 1}\ntasks: 30\n' >"$made/plan.yaml"
    say $saccade data collect phone --episodes 30 --seed 11 --option scale=1 --workers 2 --out "$made/oracle"
    say $saccade data walk phone --steps 300 --episode-steps 30 --seed 6 --option scale=1 --workers 2 --out "$made/walk"
    say $saccade bench phone --model oracle --paradigm secagent --limit 24 --workers 2 --option scale=1 --out "$made/runs"
    say $saccade data blink "$made/oracle" --out "$made/blink"
    say $saccade data comprehend "$made/oracle" --set split.share=0 --out "$made/comprehension"
    say $saccade data ground "$made/walk" --set split.share=0 --out "$made/grounding"
    say $saccade data reverse "$made/walk" --out "$made/reverse"
    say $saccade data navigate "$made/plan.yaml" --workers 2 --out "$made/navigation"
    say $saccade data improve "$made/runs" --out "$made/improved"
    touch "$made/.ready"
fi

rm -rf "$out/made-exports"
mkdir -p "$out/made-exports"
while read -r set paradigm; do
    for framework in ms-swift verl; do
        folder="$out/made-exports/$framework-$set"
        # shellcheck disable=SC2086  (a list of options)
        say $saccade data export $framework "$made/$set" --paradigm "$paradigm" --stage grpo $small --out "$folder"
        say .venv/bin/python scripts/engines/make_cases.py "$folder" 50
        echo "$framework $folder"
    done
done <<END
blink btl
comprehension uiloop
grounding secagent
reverse secagent
navigation secagent
improved secagent
END
