"$NNCOST" compare llama3-70b h100 --devices 64 --tensor 8 --pipeline 4 \
    --schedule 1f1b,gpipe,zb-h1,zb-h2,zb-v,dualpipe --global-batch 64 --zero 1
