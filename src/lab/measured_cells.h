/* The columns and cells of a measured file, as rows are made from them. */
#ifndef NNCOST_LAB_MEASURED_CELLS_H
#define NNCOST_LAB_MEASURED_CELLS_H

#include "base/arena.h"
#include "lab/measured.h"
#include "lab/measured_member.h"
#include "lab/measured_words.h"

/* Every column that is read: enumerator, name in the files, type, and whether it has a part in a prediction.
 * Columns for people are in lab/words.json. */
#define NNC_MEASURED_COLUMNS(X)                                      \
    X(ID, "id", TEXT, true)                                          \
    X(SOURCE, "source", TEXT, true)                                  \
    X(HARDWARE, "hardware", TEXT, true)                              \
    X(N_DEVICES, "n_devices", WHOLE, true)                           \
    X(DEVICES_PER_NODE, "devices_per_node", WHOLE, true)             \
    X(INTERNODE, "internode_gbps_per_node", NUMBER, true)            \
    X(N_NODES, "n_nodes", WHOLE, true)                               \
    X(MODEL_FAMILY, "model_family", TEXT, true)                      \
    X(MODEL_NAME, "model_name", TEXT, true)                          \
    X(N_LAYERS, "n_layers", WHOLE, true)                             \
    X(D_MODEL, "d_model", WHOLE, true)                               \
    X(N_HEADS, "n_heads", WHOLE, true)                               \
    X(N_KV_HEADS, "n_kv_heads", WHOLE, true)                         \
    X(HEAD_DIM, "head_dim", WHOLE, true)                             \
    X(D_FF, "d_ff", WHOLE, true)                                     \
    X(VOCAB, "vocab", WHOLE, true)                                   \
    X(SEQ_LEN, "seq_len", WHOLE, true)                               \
    X(GATED_MLP, "gated_mlp", FLAG, true)                            \
    X(TIED_EMBEDDINGS, "tied_embeddings", FLAG, true)                \
    X(POS_EMBEDDING, "pos_embedding", TEXT, true)                    \
    X(ATTENTION, "attention", TEXT, true)                            \
    X(Q_LORA_RANK, "q_lora_rank", WHOLE, true)                       \
    X(KV_LORA_RANK, "kv_lora_rank", WHOLE, true)                     \
    X(QK_NOPE_DIM, "qk_nope_dim", WHOLE, true)                       \
    X(QK_ROPE_DIM, "qk_rope_dim", WHOLE, true)                       \
    X(QK_HEAD_DIM, "qk_head_dim", WHOLE, true)                       \
    X(V_HEAD_DIM, "v_head_dim", WHOLE, true)                         \
    X(N_EXPERTS, "n_experts", WHOLE, true)                           \
    X(TOP_K, "top_k", WHOLE, true)                                   \
    X(MOE_D_FF, "moe_d_ff", WHOLE, true)                             \
    X(SHARED_D_FF, "shared_d_ff", WHOLE, true)                       \
    X(N_DENSE_LAYERS, "n_dense_layers", WHOLE, true)                 \
    X(MTP_LAYERS, "mtp_layers", WHOLE, true)                         \
    X(SLIDING_WINDOW, "sliding_window", TEXT, true)                  \
    X(IMAGE_SIZE, "image_size", WHOLE, true)                         \
    X(TASK, "task", TEXT, true)                                      \
    X(TP, "tp", WHOLE, true)                                         \
    X(PP, "pp", WHOLE, true)                                         \
    X(VPP, "vpp", WHOLE, true)                                       \
    X(DP, "dp", WHOLE, true)                                         \
    X(CP, "cp", WHOLE, true)                                         \
    X(EP, "ep", WHOLE, true)                                         \
    X(SP, "sp", FLAG, true)                                          \
    X(SHARDING, "sharding", TEXT, true)                              \
    X(ZERO_STAGE, "zero_stage", WHOLE, true)                         \
    X(SHARD_SIZE, "shard_size", WHOLE, true)                         \
    X(MICRO_BATCH, "micro_batch", NUMBER, true)                      \
    X(GRAD_ACCUM, "grad_accum", NUMBER, true)                        \
    X(GLOBAL_BATCH, "global_batch", NUMBER, true)                    \
    X(TOKENS_PER_STEP, "tokens_per_step", NUMBER, true)              \
    X(PRECISION, "precision", TEXT, true)                            \
    X(RECOMPUTE, "recompute", TEXT, true)                            \
    X(FLASH_ATTENTION, "flash_attention", TEXT, true)                \
    X(OPTIMIZER, "optimizer", TEXT, true)                            \
    X(OFFLOAD, "offload", TEXT, true)                                \
    X(FRAMEWORK, "framework", TEXT, true)                            \
    X(FRAMEWORK_VERSION, "framework_version", TEXT, true)            \
    X(NOTES, "notes", TEXT, true)                                    \
    X(MEASURED_STEP_S, "measured_step_s", NUMBER, true)              \
    X(STEP_BASIS, "step_basis", TEXT, true)                          \
    X(STEP_REL_UNC, "step_rel_unc", NUMBER, true)                    \
    X(PEAK_MEM_GB, "measured_peak_mem_gb", NUMBER, true)             \
    X(PEAK_MEM_GIB, "measured_peak_mem_gib", NUMBER, true)           \
    X(PEAK_RESERVED_GIB, "measured_peak_reserved_gib", NUMBER, true) \
    X(MEM_STAT, "mem_stat", TEXT, true)                              \
    X(QUALITY, "quality", TEXT, true)                                \
    X(VARIABLE_LENGTH, "variable_length", TEXT, true)                \
    X(LORA_RANK, "lora_rank", WHOLE, true)                           \
    X(OP, "op", TEXT, true)                                          \
    X(DTYPE, "dtype", TEXT, true)                                    \
    X(BYTES, "bytes", NUMBER, true)                                  \
    X(TIME_US, "time_us", NUMBER, true)                              \
    X(M, "m", WHOLE, true)                                           \
    X(N, "n", WHOLE, true)                                           \
    X(K, "k", WHOLE, true)                                           \
    X(GROUPS, "groups", WHOLE, true)                                 \
    X(ACCUMULATE, "accumulate", TEXT, true)                          \
    X(OUT_DTYPE, "out_dtype", TEXT, true)                            \
    X(STAGE, "stage", TEXT, true)                                    \
    X(BATCH, "batch", WHOLE, true)                                   \
    X(CAUSAL, "causal", FLAG, true)                                  \
    X(VALUE_GIB, "value_gib", NUMBER, false)                         \
    X(VALUE, "value", NUMBER, false)                                 \
    X(MODEL, "model", TEXT, true)                                    \
    X(DEVICE, "device", TEXT, true)                                  \
    X(TENSOR, "tensor", WHOLE, true)                                 \
    X(PIPELINE, "pipeline", WHOLE, true)                             \
    X(EXPERT, "expert", WHOLE, true)                                 \
    X(ATTENTION_DP, "attention_dp", WHOLE, true)                     \
    X(WEIGHTS, "weights", TEXT, true)                                \
    X(ACTIVATIONS, "activations", TEXT, false)                       \
    X(KV_CACHE, "kv_cache", TEXT, true)                              \
    X(VERSION, "version", TEXT, true)                                \
    X(MODE, "mode", TEXT, true)                                      \
    X(CONCURRENCY, "concurrency", WHOLE, true)                       \
    X(REQUEST_RATE, "request_rate", NUMBER, true)                    \
    X(INPUT_LEN, "input_len", WHOLE, true)                           \
    X(OUTPUT_LEN, "output_len", WHOLE, true)                         \
    X(LENGTH_SPREAD, "length_spread", TEXT, true)                    \
    X(TTFT_S, "ttft_s", NUMBER, true)                                \
    X(TPOT_S, "tpot_s", NUMBER, true)                                \
    X(LATENCY_S, "latency_s", NUMBER, true)                          \
    X(OUTPUT_RATE, "output_tokens_per_s", NUMBER, true)              \
    X(ITERATIONS, "iterations_per_s", NUMBER, true)

typedef enum nnc_measured_column {
#define NNC_MEASURED_ENUM(name, text, type, used) NNC_COLUMN_##name,
    NNC_MEASURED_COLUMNS(NNC_MEASURED_ENUM)
#undef NNC_MEASURED_ENUM
        NNC_COLUMN_COUNT
} nnc_measured_column;

/* The cells of a row by column; "" = empty, or the file has no such column. Numbers were checked. */
typedef struct nnc_measured_cells {
    nnc_arena *arena;
    const nnc_words *words;
    nnc_members *members;
    const char *text[NNC_COLUMN_COUNT];
    bool no_memory;
} nnc_measured_cells;

const char *nnc_measured_column_name(nnc_measured_column column);
bool nnc_cell_given(const nnc_measured_cells *cells, nnc_measured_column column);
/* Within 1e15 either way, above what any field takes, so that sums of them are safe; 0 when empty. */
int64_t nnc_cell_whole(const nnc_measured_cells *cells, nnc_measured_column column);
/* Clamped to what the plan's degrees hold, far above any legal one. */
int32_t nnc_cell_degree(const nnc_measured_cells *cells, nnc_measured_column column, int32_t empty);
double nnc_cell_number(const nnc_measured_cells *cells, nnc_measured_column column); /* NaN */
bool nnc_cell_starts(const nnc_measured_cells *cells, nnc_measured_column column,
                     const char *prefix);

/* Notes why the row cannot be expressed; the first reason stays. */
void nnc_measured_refuse(nnc_measured_cells *cells, nnc_measured *row, const char *format, ...)
    NNC_PRINTF(3, 4);

/* The row's own part by its kind; row->kind is set. */
void nnc_measured_step(nnc_measured_cells *cells, nnc_measured *row);
void nnc_measured_windows(nnc_measured_cells *cells, nnc_measured *row, nnc_decoder *d);
void nnc_measured_network(const nnc_measured_cells *cells, nnc_measured *row);
void nnc_measured_peaks(nnc_measured_cells *cells, nnc_measured *row);   /* of memory */
void nnc_measured_product(nnc_measured_cells *cells, nnc_measured *row); /* or a vector op */
void nnc_measured_attention(nnc_measured_cells *cells, nnc_measured *row);
void nnc_measured_collective(nnc_measured_cells *cells, nnc_measured *row);
/* row->served is set; false: the line has no such measurement. */
bool nnc_measured_serving(nnc_measured_cells *cells, nnc_measured *row);

#endif
