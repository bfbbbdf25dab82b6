"$NNCOST" accuracy tests/golden/accuracy/steps.csv --only two --rows --set device.mem_bytes_per_s=2e12 --set matmul_flops_per_s.bf16=200e12 --recompute none
"$NNCOST" accuracy tests/golden/accuracy/steps.csv --only two --format csv --mode ideal
