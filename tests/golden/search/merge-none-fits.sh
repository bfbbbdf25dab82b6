for i in 1 2; do
    "$NNCOST" search llama3-8b a100 --threads 1 --devices 1 --global-batch 1 --shard $i/2 --format json --output "$SCRATCH/$i"
done
status=0
"$NNCOST" merge "$SCRATCH/all" "$SCRATCH/2" "$SCRATCH/1" || status=$?
sed 's/"elapsed_s": .*/"elapsed_s": 0,/' "$SCRATCH/all"
exit $status
