tests/golden/page.sh docs/clusters.md
