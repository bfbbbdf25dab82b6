"$NNCOST" estimate gpt2-xl a100 --micro-batch 16 --precision fp16 --sensitivity --format json | sed -n '/"sensitivity"/,/^  \]/p'
