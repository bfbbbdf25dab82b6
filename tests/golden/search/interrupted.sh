# How far it came is not the same twice; standard output holds what was found.
"$NNCOST" search gpt3-175b a100 --set vocab_multiple=1024 --devices 1024 --global-batch 1536 --no-prune --threads 1 \
    >"$SCRATCH/out" 2>"$SCRATCH/err" &
sleep 0.5
kill -TERM $!
status=0
wait $! || status=$?
echo "exit $status"
sed 's/[0-9][0-9.]*/N/g' "$SCRATCH/err"
grep -c 'interrupted: only' "$SCRATCH/out"
