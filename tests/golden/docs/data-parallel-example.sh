tests/golden/page.sh docs/data-parallel-example.md
