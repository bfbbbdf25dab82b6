/* From a model to the ops of one rank.
 *
 *     model --family row--> forward op list --adapters, freezing--> --nnc_list_shard--> one rank's list
 *
 * Each family (decoder, U-Net, vision transformer, graph) has one row (nnc_family_row), and writes its ops with an
 * nnc_writer. Decoders, encoders and the attention of U-Nets consist of the layers of transformer.c. Other folders use
 * the row; they never compare families.
 *
 * Invariant: a list holds only forward ops of one micro-batch; src/op computes their backward ops. */
#ifndef NNCOST_SHAPE_SHAPE_INTERNAL_H
#define NNCOST_SHAPE_SHAPE_INTERNAL_H

#include <stddef.h>

#include "base/base_internal.h"
#include "graph/graph_internal.h"
#include "op/op_internal.h"

/* ---- the op list of one forward pass ---- */

/* A recompute block: ops that full recomputation runs again from one kept input. */
typedef struct nnc_block {
    int64_t repeat;
    double input_bytes;
    int32_t segment;
} nnc_block;

/* A sequence of equal layers, or the ops before or after all layers. Pipeline stages consist of segments. */
typedef struct nnc_segment {
    int64_t instances; /* number of layers; 1 for embedding, head, or a network that stages cannot divide */
    bool layer;        /* true: the segment consists of layers, which stages can hold */
    bool before;       /* true: the layers come before the first layer that the plan trains */
} nnc_segment;

enum { NNC_OPS_MAX = 2048, NNC_BLOCKS_MAX = 512, NNC_SEGMENTS_MAX = 12, NNC_MIXED_LAYERS_MAX = 1024 };

typedef struct nnc_op_list {
    nnc_op ops[NNC_OPS_MAX];
    int32_t count;
    nnc_block blocks[NNC_BLOCKS_MAX];
    int32_t block_count;
    nnc_segment segments[NNC_SEGMENTS_MAX];
    int32_t segment_count; /* number of segments; ops are added to the last segment */
    /* If layers of several kinds alternate: the segment of each layer, for mixed_count layers. mixed_count 0: the
     * layers of each segment follow each other. */
    uint8_t mixed[NNC_MIXED_LAYERS_MAX];
    int32_t mixed_count;
    bool truncated; /* true: the model has more ops or blocks than the list holds */
    bool overflow;  /* true: a product of dims was larger than an int64 */
    bool recorded;  /* true: the ops are the operators of a captured program, including casts */
    double recorded_gradients, recorded_kept, recorded_temporary; /* recorded bytes of a captured program at the
                                                                   * peak: of gradients, of kept tensors, of
                                                                   * temporary tensors */
    int64_t recorded_tensors;     /* captured program: number of trained parameters (tensors) */
    double input_bytes;           /* training data of one micro-batch: token ids or images */
    int64_t tokens;               /* tokens of one micro-batch; 0 for images */
    int64_t lookup_params;        /* parameters that are only looked up: position table, and the input embedding
                                   * unless it is tied */
    int64_t stream_elements;      /* elements of a layer's output for one micro-batch; 0 = no layers */
    int64_t next_layers;          /* layers after the last layer that predict later tokens, each with a head */
    int64_t projected_rank;       /* GaLore and APOLLO: rank of projected gradients */
    int64_t layers_short;         /* number of layers that the plan trains, but that the model lacks */
    int64_t tied_rows, tied_cols; /* rows and columns of the table that the first and the last segment share; 0 = no
                                   * shared table */
} nnc_op_list;

/* The inputs of lowering (writing the op list), in addition to the model. */
typedef struct nnc_lowering {
    const nnc_plan *plan; /* the plan, with all defaults filled in */
    const nnc_software *software;
    nnc_attention attention; /* implementation of attention; may differ from the plan's */
    nnc_dtype dtype;         /* format of activations */
    nnc_dtype linear_dtype;  /* format of the operands of linear layers in transformer layers: fp8 with precision fp8 */
    double grad_bytes, grad_accumulate;
} nnc_lowering;

/* Decides where ops are written: into the last segment of the list, inside a recompute block, with `repeat` equal
 * instances per micro-batch. */
typedef struct nnc_writer {
    nnc_op_list *list;
    const nnc_lowering *how;
    int64_t repeat;
    int32_t block;     /* index of the recompute block; -1 = in no block */
    const char *place; /* place of the ops in the network: "down.0"; NULL = the names include it */
} nnc_writer;

/* Appends a forward op, with zeroed dims, and returns it. A full list sets list->truncated and reuses its last op. */
nnc_op *nnc_list_add(const nnc_writer *w, const char *name, nnc_op_kind kind, nnc_group group);
/* Returns a * b; sets list->overflow when the product exceeds int64. */
static inline int64_t nnc_list_mul(const nnc_writer *w, int64_t a, int64_t b) {
    int64_t product = 1;
    w->list->overflow |= !nnc_mul_i64(a, b, &product);
    return product;
}
/* Returns the bytes of `elements` activations. */
double nnc_list_bytes(const nnc_writer *w, int64_t elements);
/* Tests whether the plan computes a part (a recompute flag) again in backward. */
static inline bool nnc_list_recomputes(const nnc_writer *w, nnc_recompute what) {
    return (w->how->plan->recompute & what) != 0;
}
/* Marks all ops from index `first` on as recomputed. Among these ops, those after the first matrix product also compute
 * their inputs again. */
void nnc_list_again(const nnc_writer *w, int32_t first);

/* Returns a writer for ops in a new recompute block. */
nnc_writer nnc_list_block(const nnc_writer *w, int64_t repeat, int64_t input_elements);
/* Returns the number of parts that ZeRO 3 gathers one after the other for one instance of a segment: the number of its
 * recompute blocks, or 1 if it has no block. */
double nnc_list_units(const nnc_op_list *list, int32_t segment);

/* Finds the smallest and the largest number of samples of the recorded steps. A plan may have any number from the
 * smallest to the largest. */
void nnc_captured_batches(const struct nnc_captured *program, int64_t *least, int64_t *most);
/* Returns the rows of the vocabulary of a captured program; 0 = another model, no vocabulary, or it is padded. */
int64_t nnc_captured_vocab(const nnc_model *model);

/* Sets the kernels that the library of the model issues for each op. For profiles that run operators one by one. */
void nnc_list_issue(nnc_op_list *list, const nnc_model *model, const nnc_lowering *how);

/* Tests whether the plan trains all weights and has no adapters. */
bool nnc_plan_trains_all(const nnc_plan *plan);
/* Matrices whose gradients GaLore and APOLLO project to a rank, which is at most the shorter side of a matrix. */
typedef struct nnc_projected {
    double params;   /* parameters of these matrices */
    double elements; /* sum of rank times the shorter side and twice the longer side: projections and two moments */
    double products; /* sum of rank times the parameters */
} nnc_projected;

/* Returns the sums over the matrices that libraries have for one linear layer; 0 for other ops, for routed experts and
 * for towers. */
nnc_projected nnc_projected_of(const nnc_op *op, int64_t rank);
/* Freezes the weights that the plan does not train, and adds adapters.   [adapters] */
void nnc_list_train(nnc_op_list *list, const nnc_lowering *how);

/* Begins a new segment of the list; ops that are added later belong to the segment. */
void nnc_list_segment(const nnc_writer *w, int64_t instances, bool layer);

/* Writes a collective between ranks. */
void nnc_list_collective(const nnc_writer *w, const char *name, nnc_collective_op exchange);
/* Writes a linear layer, y[m,n] = x[m,k] W with its own weight W, and returns the op. */
nnc_op *nnc_list_linear(const nnc_writer *w, const char *name, nnc_group group, nnc_split split, int64_t m, int64_t n,
                        int64_t k, bool bias);
nnc_op *nnc_list_norm(const nnc_writer *w, const char *name, nnc_norm_kind kind, int64_t elements, int64_t rows,
                      int64_t params);
nnc_op *nnc_list_pointwise(const nnc_writer *w, const char *name, nnc_pointwise_kind kind, nnc_group group,
                           int64_t elements);
/* Writes a convolution with its own weight, and returns the op. */
nnc_op *nnc_list_conv(const nnc_writer *w, const char *name, nnc_group group, const nnc_conv *conv, bool bias);
/* Writes the addition of a branch to the residual stream, and returns the op. */
nnc_op *nnc_list_residual(const nnc_writer *w, const char *name, nnc_group group, int64_t elements);
/* Writes cross-entropy over `rows` rows of `classes` logits, and returns the op. */
nnc_op *nnc_list_loss(const nnc_writer *w, int64_t rows, int64_t classes);

/* ---- families ---- */

/* NNC_EXPERTS_ANY: value of the member experts of nnc_model_sizes, the sizes of a model that other folders use. In this
 * struct 0 means that the model has no such size. */
enum { NNC_EXPERTS_ANY = -1 };
typedef struct nnc_model_sizes {
    int64_t layers;  /* layers that pipeline stages hold */
    int64_t hidden;  /* width of a layer's output */
    int64_t seq_len; /* tokens of a training sequence; 0 = the model trains on images */
    int64_t vocab;   /* rows of the token table, which is divided over tensor ranks */
    int64_t experts; /* routed experts per layer; NNC_EXPERTS_ANY = tables, which any number of ranks may share */
    int64_t channels, image;
} nnc_model_sizes;

enum { NNC_SHAPE_TEXT = 64 };

typedef struct nnc_family_row {
    nnc_model_sizes (*sizes)(const nnc_model *model);
    /* Called before all other rules: sets fields of the plan that are not given and that the model decides. May be
     * NULL. */
    void (*defaults)(const nnc_model *model, nnc_plan *plan);
    /* Sets the lengths that the plan does not give. NNC_ILLEGAL_PLAN: the family does not support an option of the
     * plan, or the lengths do not suit the model. */
    nnc_status (*resolve)(const nnc_model *model, nnc_plan *plan, nnc_error *err);
    /* Checks the family's rules for tensor, context and expert ranks; NULL = the family supports only data
     * parallelism. */
    nnc_status (*split)(const nnc_model *model, const nnc_plan *plan, nnc_error *err);
    /* Writes the forward ops of one micro-batch into an empty list. */
    void (*lower)(const nnc_model *model, const nnc_writer *w);
    /* Describes the shape and the input in a few words: "48 layers, hidden 1600", "1024 tokens". */
    void (*describe)(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT]);
} nnc_family_row;

#define NNC_FAMILY_ROW(name, text, help, row) extern const nnc_family_row nnc_##row##_family;
NNC_FAMILY_LIST(NNC_FAMILY_ROW)
#undef NNC_FAMILY_ROW

const nnc_family_row *nnc_family_of(const nnc_model *model);
nnc_model_sizes nnc_model_sizes_of(const nnc_model *model);

/* Returns the rows of a token table that tensor ranks divide. If the rows do not divide evenly, rows are added, as in
 * frameworks. Source: Megatron-LM, --make-vocab-size-divisible-by 128, times the tensor ranks.   [heads] */
int64_t nnc_vocab_split(int64_t words, int32_t tensor);

/* Tests whether the library computes an attention in fp32 with separate kernels.   [issued] */
bool nnc_is_written_out(const nnc_op *op, const nnc_model *model);

/* Replaces a fused attention by the separate kernels in fp32 that the library issues.   [issued] */
void nnc_write_out(nnc_op *op);

/* Sets the kept bytes of ops to the bytes that transformers, peft, timm and diffusers keep.   [issued] */
void nnc_list_keep_by_library(nnc_op_list *list, const nnc_lowering *how, const nnc_model *model);

/* Resets the list and writes the forward ops of one micro-batch of plan->micro_batch samples. The caller then checks
 * list->overflow and list->truncated. */
void nnc_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list);

/* Refuses options that count tokens, and sets the image size of the plan. For families that train on images. */
nnc_status nnc_family_takes_images(const nnc_model *model, int64_t image, nnc_plan *plan, nnc_error *err);

/* Writes a graph as a part of another network into the last segment of the list. Its parameters count once; its work is
 * for `batch` samples. */
void nnc_graph_write_part(const nnc_graph *part, const nnc_writer *to, int64_t batch);

/* ---- one layer of a transformer ---- */

typedef struct nnc_layer {
    int64_t hidden; /* width of the residual stream */
    nnc_norm_kind norm;
    nnc_norm_place norm_place;
    bool norm_bias, plain_norms;
    int64_t heads, kv_heads, head_dim, value_dim;
    int64_t window;    /* keys per query under the causal mask, including the key of the same token; 0 = no window */
    int64_t far_ratio; /* number of tokens per compressed key; 0 = no compressed keys */
    int64_t far_most;  /* largest number of compressed keys that a query attends to; 0 = all */
    bool chunked;      /* a query attends to its chunk of `window` tokens instead of the last `window` tokens */
    int64_t rotary;    /* number of rotated values per head; 0 = no rotation */
    bool rotary_scale;
    nnc_qk_norm qk_norm;
    bool latent; /* queries, keys and values are projected up from latents */
    bool causal, qkv_bias, no_key_bias, out_bias;
    bool sinks, attention_gate, head_gate, score_softcap;
    bool keys_as_values;           /* the keys are also the values: no value projection */
    int64_t out_groups, out_width; /* out_groups: number of groups of heads, 0 = no groups; out_width: width to which
                                    * the output of each group is projected first */
    nnc_mlp mlp;
    int64_t ffn_hidden;
    bool mlp_bias;
    double dropout;
} nnc_layer;

typedef struct nnc_layer_writer {
    nnc_writer to;
    const nnc_layer *layer;
    int64_t batch, seq_len;
    int64_t tokens, hidden_elements; /* tokens: number of tokens, batch x seq_len; hidden_elements: number of
                                      * elements of the residual stream, tokens x hidden */
} nnc_layer_writer;

nnc_layer_writer nnc_layer_begin(const nnc_writer *w, const nnc_layer *layer, int64_t batch, int64_t seq_len);

/* Names of the ops of one attention: the fused op, or scores, scale and mask, softmax, dropout, and context. */
typedef struct nnc_core_names {
    const char *fused, *scores, *mask, *softmax, *dropout, *context;
} nnc_core_names;

/* Names of the ops of an attention with its projections, in the order of the ops. */
typedef struct nnc_attention_names {
    const char *norm, *tensor_in, *q, *kv, *rotary, *context_in;
    nnc_core_names core;
    const char *context_out, *out, *tensor_out, *end_norm, *residual; /* names of the ops after the attention; residual
                                                                       * NULL = the caller adds the residual */
} nnc_attention_names;
extern const nnc_attention_names nnc_attention_plain; /* names of self-attention: "attn.norm" ... */

/* Names of the ops of an MLP: the products, and the activation between the products. */
typedef struct nnc_mlp_names {
    const char *up, *activation, *down;
} nnc_mlp_names;

/* The sequence that a cross-attention attends to. */
typedef struct nnc_cross {
    int64_t len, width;
    bool frozen;    /* true: the sequence needs no gradient */
    int64_t shares; /* number of layers that share one kept copy of keys and values; 0 = this layer keeps no copy */
} nnc_cross;

nnc_op *nnc_layer_norm(const nnc_layer_writer *w, const char *name, int64_t width);
/* Writes a linear layer y = x W over all tokens of a layer, and returns the op. */
nnc_op *nnc_layer_linear(const nnc_layer_writer *w, const char *name, nnc_group group, nnc_split split, int64_t n,
                         int64_t k, bool bias);

/* Writes the addition of a branch to the residual stream, with a dropout if the layer has one. */
void nnc_layer_residual(const nnc_layer_writer *w, const char *name, nnc_group group);
/* Writes the addition of a branch to the residual stream, with the norm that the layer has before or after the
 * addition. */
void nnc_layer_join(const nnc_layer_writer *w, const char *norm, const char *name, nnc_group group);
/* Writes the norm before attention or before the MLP, if the layer has such a norm. */
void nnc_layer_begin_norm(const nnc_layer_writer *w, const char *name);
/* Writes a separate dropout, if the layer has one. */
void nnc_layer_dropout(const nnc_layer_writer *w, const char *name, nnc_group group);
/* Writes the rotation of `width` values of each token. */
void nnc_layer_rotary(const nnc_layer_writer *w, const char *name, int64_t width);

/* Write parts of an attention. nnc_layer_project: queries, keys and values. nnc_layer_attend: the attention, its output
 * projection and its residual. nnc_layer_attention: a norm, then the ops of the other two functions. cross NULL:
 * self-attention. */
void nnc_layer_project(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);
void nnc_layer_attend(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);
void nnc_layer_attention(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);

/* Writes the attention over projected queries, with s_k keys and values per sequence. */
void nnc_layer_core(const nnc_layer_writer *w, const nnc_core_names *names, int64_t s_k);

/* Returns the generation of kernels that runs fused attention. */
nnc_flash_kernel nnc_attention_kernel(nnc_attention attention, const nnc_software *software);

/* Writes an MLP with `inner` values per token between its products. keeps_input: its first product keeps the input. */
void nnc_layer_dense(const nnc_layer_writer *w, const nnc_mlp_names *names, int64_t inner, bool keeps_input);
/* Tests whether an activation with a given split is computed again in backward instead of kept. */
bool nnc_layer_acts_again(const nnc_layer_writer *w, nnc_split split);
nnc_op *nnc_layer_activation(const nnc_layer_writer *w, const char *name, nnc_split split, int64_t elements);
/* Writes the norm ("mlp.norm"), the MLP and its residual. */
void nnc_layer_mlp(const nnc_layer_writer *w);

/* Writes the collective at the start or the end of a part of a layer that tensor ranks divide: an all-reduce of the
 * activations, or all-gather and reduce-scatter with sequence parallelism. Writes no op if tensor is 1. Source:
 * Megatron-LM arXiv:1909.08053, arXiv:2205.05198.   [tensor-parallel] */
void nnc_layer_tensor_collective(const nnc_layer_writer *w, const char *name, bool entering, int64_t width);

/* Tests whether each context rank computes attention for some of the heads over all tokens, instead of for all heads
 * over its own tokens. */
bool nnc_context_over_heads(const nnc_plan *plan);

/* ---- functions of decoder_layers.c, which write parts of a decoder's layers ---- */

/* Writes queries, keys and values that are projected up from latents. Source: arXiv:2405.04434.   [latent-attention] */
void nnc_decoder_project_latent(const nnc_layer_writer *w, const nnc_decoder *d);
/* Writes queries and the shared key; for window_far mixers also the keys of groups of tokens.   [shared-keys] */
void nnc_decoder_project_shared(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer);
/* Writes the weights of the residual streams for attention or MLP; half NULL: for the head.   [streams] */
void nnc_decoder_streams(const nnc_layer_writer *w, const nnc_decoder *d, const char *const *half);
/* Writes the indexer of sparse attention; call it after the projections.   [indexer] */
void nnc_decoder_pick_tokens(const nnc_layer_writer *w, const nnc_decoder *d);
/* Writes norm, router, dispatch, the routed and the shared experts, combine and residual.   [experts] */
void nnc_decoder_experts(const nnc_layer_writer *w, const nnc_decoder *d);
/* Writes a mixer with a state, with norm and residual; no ops for a mixer that is an attention.   [state-mixers] */
void nnc_decoder_keep_state(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer);
bool nnc_mixer_attends(nnc_mixer mixer);

/* ---- splitting a model over ranks ---- */

/* Checks that `whole`, the size of `what`, divides evenly over ranks. */
nnc_status nnc_divides(const char *option, const char *what, int64_t whole, int64_t ranks, nnc_error *err);

/* Check the rules of a layer for context ranks and for tensor ranks. NNC_ILLEGAL_PLAN: err names the option, the rule
 * with its numbers, and the nearest legal values.   [legal-plans] */
nnc_status nnc_layer_split_context(const nnc_layer *layer, const nnc_plan *plan, int64_t seq_len, nnc_error *err);
nnc_status nnc_layer_split_tensor(const nnc_layer *layer, const nnc_plan *plan, nnc_error *err);
/* Checks the rule of sequence parallelism: tensor ranks divide the tokens of a micro-batch evenly. */
nnc_status nnc_layer_split_sequence(const nnc_plan *plan, int64_t tokens, nnc_error *err);

/* Makes devices = data x tensor x pipeline x context: computes `data` from `devices`, or `devices` from the degrees. If
 * both are 0, `data` becomes 1. NNC_ILLEGAL_PLAN: `devices` cannot be divided by the other degrees. NNC_BAD_USAGE: the
 * given `devices` and `data` contradict each other. */
nnc_status nnc_plan_split_devices(nnc_plan *plan, nnc_error *err);

/* Checks every divisibility rule, and sets the schedule and the ranks per shard. plan: with devices, batch and lengths
 * filled in. NNC_ILLEGAL_PLAN: err names the option, the rule with its numbers, and the nearest legal values.
 * [legal-plans] */
nnc_status nnc_plan_split(const nnc_model *model, const nnc_device *device, nnc_plan *plan, nnc_error *err);
/* Checks only the rules of ZeRO stage and offload, for a legal plan in which only these two fields changed. */
nnc_status nnc_plan_split_data(nnc_plan *plan, nnc_error *err);

/* Tests whether the fused kernels of a captured program are known for this profile. */
static inline bool nnc_fuses_captured(const nnc_software *software) {
    return strcmp(software->id, "torch-compile") == 0;
}

/* Returns the number of ranks that hold experts or copies: data x context, x tensor ranks if experts are whole. */
int32_t nnc_plan_expert_ranks(const nnc_plan *plan);

/* Divides the dims of every op by the degrees of tensor, context and expert parallelism, in place. Data and pipeline
 * parallelism change no op: they divide samples and layers. The plan must be legal (nnc_plan_resolve). Divided work
 * adds up to the whole work. Every rank does replicated work: norms without sequence parallelism, the router, and key
 * and value heads if there are fewer of them than tensor ranks. Sources: Megatron-LM arXiv:1909.08053, sequence
 * parallelism arXiv:2205.05198, context parallelism arXiv:2310.01889 and arXiv:2309.14509.   [sharding] */
void nnc_list_shard(nnc_op_list *list, const nnc_plan *plan);

#endif
