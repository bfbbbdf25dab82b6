tests/golden/page.sh docs/unet-versus-llm.md
