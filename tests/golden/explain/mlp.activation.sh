"$NNCOST" explain mlp.activation llama2-7b h100
