"$NNCOST" explain optimizer_bytes gpt2-xl a100 --optimizer muon
