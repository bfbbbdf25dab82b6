source "$(dirname "$0")/parts.sh"
CONFIG=options.yml
cat >"$CONFIG" <<EOF
kv_cache_config:
  dtype: ${FORMAT,,}
EOF
if [[ "$BATCH" != "" ]]; then
    cat <<EOF >>$CONFIG
max_batch_size: $BATCH
EOF
fi
trtllm-serve dense --tp_size=$TP --extra_llm_api_options=$CONFIG
