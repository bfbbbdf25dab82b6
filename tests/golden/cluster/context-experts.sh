"$NNCOST" estimate mixtral-8x7b h100 --devices 64 --tensor 2 --context 4 --expert 8 --context-kind ulysses --seq-len 8192 \
    --zero 1 --global-batch 64 --capacity-factor 1.25 --imbalance 1.1
