# The time it took is not the same twice.
"$NNCOST" search gpt2-xl a100 --threads 1 --devices 16 --global-batch 512 --best 1 --tensor 1 --pipeline 1 --zero 1 \
    --target-step 1s --format json | sed -n '/"target"/,$p'
