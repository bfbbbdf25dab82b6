#!/usr/bin/env bash
# Runs a sweep as a SLURM job array: each task computes one shard and writes its own database. When all tasks have ended
# without an error, another job merges the databases. A task that was preempted or reached its time limit continues the
# sweep at the last row in its database.
#
#   usage: sweep-array.sh             submits both jobs
#
# Change the sweep, the number of tasks and the limits of the jobs to your needs.
#SBATCH --job-name=nncost-sweep
#SBATCH --cpus-per-task=8
#SBATCH --mem=512M
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --signal=TERM@30
#SBATCH --output=sweep-%A-%a.log
set -euo pipefail

tasks=16
folder=${SWEEP_FOLDER:-$PWD/sweep}
sweep=(llama3-70b 'h100,b200' --devices '512,1024' --tensor '1..8*2' --pipeline '1..16*2'
    --zero 0..3 --micro-batch '1..8*2' --micro-batches 1..256 --recompute 'none,selective,full'
    --where 'tensor*pipeline <= 64')

if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
    exec nncost sweep "${sweep[@]}" --threads "$SLURM_CPUS_PER_TASK" \
        --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
        --db "$folder/part$SLURM_ARRAY_TASK_ID.db"
fi

mkdir -p "$folder"
array=$(SWEEP_FOLDER=$folder sbatch --parsable --array="1-$tasks" "$0")
sbatch --job-name=nncost-merge --dependency="afterok:$array" --time=00:30:00 \
    --wrap="nncost merge '$folder/all.db' '$folder'/part*.db"
