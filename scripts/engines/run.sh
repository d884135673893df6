#!/bin/sh
# `make engines`: builds environments for other people's trainers and proves our exports with their own code
# (docs/EXPORT.md). They cannot share an environment with our extra `train`, nor with each other.
#
#   ENGINES_DIR=FOLDER sh scripts/engines/run.sh [verl|ms-swift|easyr1|llama-factory ...]
#   ENGINES_DIR=FOLDER sh scripts/engines/run.sh build        only the environments
set -eu
cd "$(dirname "$0")/../.."
folder=${ENGINES_DIR:-.engines}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ $# -gt 0 ] || set -- easyr1 verl ms-swift llama-factory

# torch comes with its dependencies, because they differ between machines; all else is listed with exact versions.
environment() { # environment NAME TORCH...
    name=$1
    shift
    [ ! -f "$folder/$name/.ready" ] || return 0
    echo "engines: making the environment $name"
    .venv/bin/python -m venv --clear "$folder/$name"
    pip="$folder/$name/bin/python -m pip install --quiet --disable-pip-version-check"
    if ! { $pip "$@" && $pip --no-deps -r "requirements/engines/$name.txt" && $pip --no-deps --editable .; }; then
        echo "engines: pip could not make the environment $name: its message above names the package" >&2
        exit 3
    fi
    touch "$folder/$name/.ready"
}

prove() { # prove FRAMEWORK ENVIRONMENT
    script=scripts/engines/prove_$(echo "$1" | tr - _).py
    HF_HOME="$folder/hf" HF_HUB_OFFLINE=1 MODELSCOPE_CACHE="$folder/modelscope" \
        "$folder/$2/bin/python" "$script" "$folder/exports/$1" "$folder/tiny" >"$folder/$1.log" 2>&1 ||
        { tail -n 40 "$folder/$1.log" >&2; echo "engines: NOT proved: $1 (all of it: $folder/$1.log)" >&2; exit 1; }
    grep ^PROVED "$folder/$1.log"
}

environment verl-ms-swift torch==2.8.0 torchvision==0.23.0
case " $* " in *" llama-factory "* | *" build "*) environment llama-factory torch==2.8.0 torchvision==0.23.0 torchaudio==2.8.0 ;; esac
[ "$1" != build ] || exit 0
[ -f "$folder/tiny/config.json" ] ||
    PYTHONPATH=tests "$folder/verl-ms-swift/bin/python" scripts/engines/tiny_model.py "$folder/tiny" >"$folder/tiny.log" 2>&1
sh scripts/engines/export.sh "$folder"
for framework in "$@"; do
    case $framework in
    llama-factory) prove llama-factory llama-factory ;;
    *) prove "$framework" verl-ms-swift ;;
    esac
done

# Answers back: what the frameworks wrote in their proofs becomes step records.
rm -rf "$folder/answers"
for log in "$folder"/exports/verl/rollouts/*.jsonl "$folder"/exports/ms-swift/output/*/completions.jsonl; do
    [ -f "$log" ] || continue
    out="$folder/answers/$(basename "$(dirname "$log")")"
    .venv/bin/saccade data import "$log" --data "$folder/oracle" --out "$out"
    .venv/bin/saccade score "$out/steps.jsonl" --json | head -n 1
    .venv/bin/saccade view "$out"
done
