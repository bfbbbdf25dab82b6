"$NNCOST" validate hw/a100-sxm4-80gb.json models/gpt2.json software/torch-eager.json
