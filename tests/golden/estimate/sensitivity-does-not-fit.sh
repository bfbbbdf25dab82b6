"$NNCOST" estimate llama2-7b h100 --sensitivity | tail -15
