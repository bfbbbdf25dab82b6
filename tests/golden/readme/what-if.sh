# A published configuration as it is, and any field changed.
"$NNCOST" estimate tests/data/foreign/llama2-7b.json b200 --precision fp8 &&
    "$NNCOST" estimate gpt2-xl a100 --set mem_bytes_per_s=4e12 --set layers=40
