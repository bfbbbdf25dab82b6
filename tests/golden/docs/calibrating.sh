tests/golden/page.sh docs/calibrating.md
