/* The columns of tables of measurements, and other spellings of columns and values.
 *
 * A column is a field of the plan ("tensor"), of the serving plan ("input_len"), of the model, device or software
 * ("model.layers", "device.scale_out.bytes_per_s"), or one of the special columns listed here. Tables of others spell
 * some of them in other ways. tools/lab/canonical.py rewrites such tables; the program knows the spellings below. */
#include <stdio.h>
#include <string.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "lab/lab_internal.h"

/* Lists of "|ENTRY|ENTRY|" or "|KEY=VALUE|KEY=VALUE|". */

/* Columns that are no field, or whose cells are read otherwise than the field of that name. */
static const char text_columns[] =
    "|id|source|device|framework|software|open|refused|model|model_name|mode|weights|op|dtype|"
    "accumulate|out_dtype|stage|attention|sharding|mem_stat|framework_version|notes|quality|"
    "step_basis|model_family|task|variable_length|flash_attention|lora_rank|length_spread|"
    "model.sliding_window|config|kernel|";

static const char whole_columns[] =
    "|max_batch|nodes|m|n|k|groups|qk_head_dim|gated_mlp|causal|fitted|compiled|"
    "channels_last|";

static const char number_columns[] =
    "|measured_s|time_us|rounding|allocated_bytes|reserved_bytes|unstated_bytes|"
    "measured_peak_mem_gb|measured_peak_mem_gib|measured_peak_reserved_gib|host_pass_s|"
    "host_sample_s|input_samples_per_s|internode_gbps_per_node|tokens_per_step|micro_batch|"
    "micro_batches|global_batch|bytes|ttft_s|tpot_s|latency_s|output_tokens_per_s|"
    "iterations_per_s|";

/* Columns for people, which reports name as unused. */
static const char people_columns[] =
    "|url|hardware_stated|n_slices|n_params|measured_tokens_per_s_per_device|"
    "measured_samples_per_s|measured_tflops_per_device|measured_mfu|peer_pred_step_s|"
    "peer_pred_peak_mem_gib|flops_convention|check_mfu_causal|check_mfu_full|note|algo|"
    "time_inplace_us|busbw_gbs|layout|tflops|peak_tflops|efficiency|gbs|tflops_causal|"
    "contiguous|cuda_graph|power_w|power_limit_w|run_id|rank|quantity|reserved_gib|unit|"
    "trained_params|p10_s|p90_s|forward_s|backward_s|update_s|outside_gb|sm_mhz|"
    "fails_at|value_kind|family|total_tokens_per_s|memory_gb|samples_per_s|activations|value|value_"
    "gib|";

/* Other spellings of columns, and the names they have here. */
static const char column_spellings[] =
    "|hardware=device|n_devices=devices|n_nodes=nodes|version=framework_version|"
    "measured_step_s=measured_s|step_rel_unc=rounding|n_layers=model.layers|"
    "d_model=model.hidden|n_heads=model.heads|n_kv_heads=model.kv_heads|"
    "head_dim=model.head_dim|d_ff=model.ffn_hidden|vocab=model.vocab|"
    "tied_embeddings=model.tied_head|pos_embedding=model.positions|"
    "q_lora_rank=model.q_lora_rank|kv_lora_rank=model.kv_lora_rank|"
    "qk_nope_dim=model.qk_nope_head_dim|qk_rope_dim=model.qk_rope_head_dim|"
    "v_head_dim=model.v_head_dim|n_experts=model.experts|top_k=model.experts_per_token|"
    "moe_d_ff=model.expert_hidden|shared_d_ff=model.shared_hidden|"
    "n_dense_layers=model.dense_layers|mtp_layers=model.next_layers|"
    "sliding_window=model.sliding_window|image_size=image|tp=tensor|pp=pipeline|"
    "vpp=virtual_stages|dp=data|cp=context|ep=expert|sp=sequence_parallel|zero_stage=zero|"
    "shard_size=shard|grad_accum=micro_batches|attention_dp=attention_data|"
    "kv_cache=kv_precision|";

/* Other spellings of values: COLUMN:VALUE=MEANING; an empty meaning = nothing is said. */
static const char value_spellings[] =
    "|gated_mlp:causal=fitted|precision:amp fp16=fp16|precision:fp8-cs=fp8|precision:fp8-mx=fp8|"
    "precision:nvfp4=fp4|recompute:minimal (matmul outputs saved)=attention,norm,activation|"
    "recompute:full, qkv offloaded to host=full|recompute:custom/offload=full|"
    "optimizer:adamw fused=adamw|optimizer:adamw (fp32 weights)=adamw|"
    "optimizer:decoupled_adamw=adamw|optimizer:distributed adam=adam|optimizer:cpu adamw=adamw|"
    "optimizer:adam (fp32 grad accumulation)=adam|"
    "optimizer:adam (fp32 master, fp32 grad accumulation)=adam|"
    "offload:optimizer states on CPU (ZeRO-Offload AdamW)=optimizer|"
    "offload:activations to host=activations|model.positions:rope=rotary|"
    "model.positions:alibi=none|attention:mha=|attention:gqa=|attention:mla=|"
    "flash_attention:unknown=|flash_attention:0=unfused|flash_attention:1=flash|"
    "weights:q4_k_m=int4|sharding:none=0|sharding:ddp=0|sharding:zero0=0|sharding:zero1=1|"
    "sharding:distributed-optimizer=1|sharding:zero2=2|sharding:fsdp-shard_grad_op=2|"
    "sharding:zero3=3|sharding:fsdp=3|sharding:fsdp2=3|sharding:fsdp-full_shard=3|"
    "sharding:fsdp within slice, dp across slices=3|"
    "sharding:fsdp within node, dp across nodes=3|id:device=devices|";

/* The text behind a key that ends with '=' or '|', up to the next '|'. NULL: the list has no such key. */
static const char *entry_of(const char *list, const char *key, char end)
{
    const size_t length = strlen(key);
    for (const char *at = list + 1; *at != '\0'; at += strcspn(at, "|") + 1) {
        if (strncmp(at, key, length) == 0 && at[length] == end) {
            return at + length + 1;
        }
    }
    return NULL;
}

const nnc_field *nnc_column_field(const nnc_field_table *table, const char *prefix,
                                  const char *name)
{
    static char nothing[sizeof(nnc_model) + sizeof(nnc_device) + sizeof(nnc_software)];
    void *object = nothing; /* only offsets are added to it */
    nnc_dtype dtype;
    return strncmp(name, prefix, strlen(prefix)) == 0
               ? nnc_field_find(table, name + strlen(prefix), &object, &dtype)
               : NULL;
}

/* The field of a canonical name; NULL: no field has it. */
static const nnc_field *field_of(const char *name)
{
    const nnc_field *field = nnc_column_field(&nnc_plan_table, "", name);
    field = field != NULL ? field : nnc_column_field(&nnc_serve_table, "", name);
    field = field != NULL ? field : nnc_column_field(&nnc_device_table, "device.", name);
    field = field != NULL ? field : nnc_column_field(&nnc_software_table, "software.", name);
    for (int f = 0; f < NNC_FAMILY_COUNT && field == NULL; f++) {
        field = nnc_column_field(nnc_model_table((nnc_family)f), "model.", name);
    }
    return field;
}

bool nnc_column_find(nnc_arena *arena, const char *spelling, nnc_measured_column *found)
{
    static const char *const lists[] = { text_columns, whole_columns, number_columns };
    const char *other = entry_of(column_spellings, spelling, '=');
    *found = (nnc_measured_column){ .spelling = spelling };
    if (entry_of(people_columns, spelling, '|') != NULL) {
        return true;
    }
    char *name = nnc_arena_strdup(arena, other != NULL ? other : spelling);
    if (name == NULL) {
        return false;
    }
    name[strcspn(name, "|")] = '\0';
    found->name = name;
    for (int type = NNC_COLUMN_TEXT; type <= NNC_COLUMN_NUMBER; type++) {
        if (entry_of(lists[type], name, '|') != NULL) {
            found->type = (nnc_column_type)type;
            return true;
        }
    }
    const nnc_field *field = field_of(name);
    if (field != NULL) {
        found->type = field->type == NNC_FIELD_I32 || field->type == NNC_FIELD_I64
                          ? NNC_COLUMN_WHOLE
                      : field->type == NNC_FIELD_F64 ? NNC_COLUMN_NUMBER
                                                     : NNC_COLUMN_TEXT;
    }
    return field != NULL;
}

const char *nnc_column_nearest(const char *spelling, char *space, size_t size)
{
    const char *names[256];
    size_t count = 0;
    snprintf(space, size, "%s%s%s", text_columns + 1, number_columns + 1, column_spellings + 1);
    for (char *at = space; *at != '\0' && count < 128; count++) {
        char *end = at + strcspn(at, "|");
        *end = at[strcspn(at, "=|")] = '\0';
        names[count] = at;
        at = end + 1;
    }
    for (size_t i = 0; i < nnc_plan_table.count && count < sizeof names / sizeof names[0]; i++) {
        names[count++] = nnc_plan_table.fields[i].name;
    }
    return nnc_nearest(spelling, names, count);
}

void nnc_column_meaning(const char *name, const char *cell, char *text, size_t size)
{
    char key[160];
    snprintf(key, sizeof key, "%s:%.100s", name, cell);
    const char *meaning = entry_of(value_spellings, key, '=');
    snprintf(text, size, "%.*s", meaning != NULL ? (int)strcspn(meaning, "|") : (int)size - 1,
             meaning != NULL ? meaning : cell);
}
