"$NNCOST" estimate llama3-8b a100 --pipeline 4 --virtual-stages 2 --micro-batches 6
