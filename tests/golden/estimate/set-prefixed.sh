"$NNCOST" estimate gpt2 a100 --set plan.micro_batch=2 --set model.layers=6 --set device.mem_bytes=40e9
