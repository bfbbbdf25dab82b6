sed '/"prices"/,/\]/d' hw/a100-sxm4-80gb.json >"$SCRATCH/free.json"
"$NNCOST" search gpt2-xl "$SCRATCH/free.json" --threads 1 --devices 8,16 --global-batch 512
"$NNCOST" search gpt2-xl "$SCRATCH/free.json" --threads 1 --devices 8,16 --global-batch 512 --tokens 1e9
"$NNCOST" search gpt2-xl "$SCRATCH/free.json" --threads 1 --devices 16 --global-batch 512 --tokens 1e9 --budget 5
