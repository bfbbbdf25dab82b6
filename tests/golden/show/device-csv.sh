"$NNCOST" show tpu-v4 --format csv
