sed 's/"nics_per_node": 8,/"bytes_per_s": 1e9,/; s/"kind": "switch"/"kind": "bus"/; s/"devices_per_node": 8/"devices_per_nod": 8/' \
    clusters/hgx-h100-400g.json >"$SCRATCH/hgx-h100-400g.json" &&
    cd "$SCRATCH" && "$NNCOST" validate hgx-h100-400g.json
