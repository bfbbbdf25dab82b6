tests/golden/page.sh docs/sweeping.md
