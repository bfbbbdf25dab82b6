tests/golden/page.sh docs/accuracy.md
