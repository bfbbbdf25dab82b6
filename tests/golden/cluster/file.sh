"$NNCOST" estimate llama3-70b h100 --cluster clusters/hgx-h100-400g.json --devices 16 --tensor 8 --zero 3 --global-batch 16 --sequence-parallel
