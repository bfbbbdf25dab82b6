cd "$SCRATCH" &&
echo old >result.md &&
ln -s result.md link.md &&
"$NNCOST" estimate gpt2 a100 --format markdown --output link.md &&
ls &&
head -n 1 result.md
