"$NNCOST" explain mlp.up gpt2-xl a100 --format markdown
