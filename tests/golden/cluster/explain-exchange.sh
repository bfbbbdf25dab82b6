"$NNCOST" explain attn.tensor_out gpt3-175b a100 --tensor 8 --pipeline 8 --data 2 --sequence-parallel --global-batch 64 --zero 1 \
    --set vocab_multiple=1024
