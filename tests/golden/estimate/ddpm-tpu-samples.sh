"$NNCOST" estimate ddpm-cifar10-unet tpu-v5e --micro-batch 128 --samples 1e8
