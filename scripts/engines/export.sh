#!/bin/sh
# Exports the same small phone episodes to all four frameworks: sh export.sh FOLDER. Pictures are small, so that a CPU
# reads 200 of them in seconds; all else is as it ships.
set -eu
out=$1
small="--set pixels=[3136,100352] --set switches.space=phone"
saccade=.venv/bin/saccade
[ -f "$out/oracle/steps.jsonl" ] || $saccade data collect phone --episodes 24 --out "$out/oracle"
rm -rf "$out/exports"
mkdir -p "$out/exports"
while read -r framework paradigm; do
    # shellcheck disable=SC2086  (a list of options)
    $saccade data export "$framework" "$out/oracle" --paradigm "$paradigm" $small --out "$out/exports/$framework"
done <<END
ms-swift btl
verl uiloop
easyr1 secagent
llama-factory secagent
END
for framework in ms-swift verl easyr1; do
    .venv/bin/python scripts/engines/make_cases.py "$out/exports/$framework"
done
