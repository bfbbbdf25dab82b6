cat >"$SCRATCH/p.json" <<'J'
{
  "schema": "nncost.plans/1",
  "common": { "model": "gpt2", "zero": "three" },
  "scenarios": [
    { "id": "a", "micro_batch": 0, "require": { "step_s": "fast" } },
    { "id": "b", "devics": 8 }
  ]
}
J
"$NNCOST" validate "$SCRATCH/p.json"
