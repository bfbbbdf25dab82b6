cd "$SCRATCH"
"$NNCOST" estimate gpt2 a101 --output result.txt
echo "exit $?" >&2
ls
