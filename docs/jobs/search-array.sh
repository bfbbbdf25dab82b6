#!/usr/bin/env bash
# Runs a search as a SLURM job array: each task searches one shard. When all tasks have ended without an error, another
# job merges the results of the shards. A task that was preempted starts its shard again from the beginning.
#
#   usage: search-array.sh            submits both jobs
#
# Change the search, the number of tasks and the limits of the jobs to your needs.
#SBATCH --job-name=nncost-search
#SBATCH --cpus-per-task=8
#SBATCH --mem=512M
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --output=search-%A-%a.log
set -euo pipefail

tasks=16
folder=${SEARCH_FOLDER:-$PWD/search}
search=(gpt3-175b h100 --devices 1024 --global-batch 1536 --set vocab_multiple=1024 --best 20)

if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
    exec nncost search "${search[@]}" --threads "$SLURM_CPUS_PER_TASK" \
        --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
        --format json --output "$folder/part$SLURM_ARRAY_TASK_ID.json"
fi

mkdir -p "$folder"
array=$(SEARCH_FOLDER=$folder sbatch --parsable --array="1-$tasks" "$0")
sbatch --job-name=nncost-merge --dependency="afterok:$array" --time=00:30:00 \
    --wrap="nncost merge '$folder/best.json' '$folder'/part*.json"
