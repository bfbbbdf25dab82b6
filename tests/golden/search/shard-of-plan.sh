# A number is the plan's own option; both go together.
"$NNCOST" search gpt2 a100 --threads 1 --devices 4 --global-batch 8 --best 1 --zero 1 --set shard=2 --shard 2/2 --format csv
