/* From a model to the ops of one rank.
 *
 *     model --family row--> forward op list --adapters, freezing--> --nnc_list_shard--> one rank's list
 *
 * Each family (decoder, U-Net, vision transformer, graph) is one row (nnc_family_row), and writes its ops
 * with an nnc_writer. Decoders, encoders and the attention of U-Nets consist of the layers of
 * transformer.c. Other folders ask the row; they never compare families.
 *
 * Invariant: a list holds forward ops of one micro-batch only; backward ops follow from them (src/op). */
#ifndef NNCOST_SHAPE_SHAPE_INTERNAL_H
#define NNCOST_SHAPE_SHAPE_INTERNAL_H

#include <stddef.h>

#include "base/base_internal.h"
#include "graph/graph_internal.h"
#include "op/op_internal.h"

/* ---- the op list of one forward pass ---- */

/* Part of a network that full recomputation runs again from its input. */
typedef struct nnc_block {
    int64_t repeat;
    double input_bytes;
    int32_t segment;
} nnc_block;

/* A run of equal layers, or the ops before and after them: the unit of pipeline stages. */
typedef struct nnc_segment {
    int64_t instances; /* layers; 1 for embedding, head, or a network in one piece */
    bool layer;        /* the segment can be assigned to stages */
} nnc_segment;

enum { NNC_OPS_MAX = 2048, NNC_BLOCKS_MAX = 512, NNC_SEGMENTS_MAX = 12, NNC_MIXED_LAYERS_MAX = 1024 };

typedef struct nnc_op_list {
    nnc_op ops[NNC_OPS_MAX];
    int32_t count;
    nnc_block blocks[NNC_BLOCKS_MAX];
    int32_t block_count;
    nnc_segment segments[NNC_SEGMENTS_MAX];
    int32_t segment_count; /* ops are added to the last one */
    /* The segment of each layer when layers of several kinds alternate; count 0 = segments in order. */
    uint8_t mixed[NNC_MIXED_LAYERS_MAX];
    int32_t mixed_count;
    bool truncated; /* more ops or blocks than the list holds */
    bool overflow;  /* a product of dims left int64 */
    bool recorded;  /* the operators of a captured program, casts included */
    double recorded_gradients, recorded_kept, recorded_temporary; /* of them: what lives at the peak */
    double input_bytes;           /* training data of one micro-batch: token ids or images */
    int64_t tokens;               /* tokens of one micro-batch; 0 for images */
    int64_t lookup_params;        /* position table and, when untied, input embedding */
    int64_t stream_elements;      /* output of a layer, of one micro-batch; 0 = no layers */
    int64_t next_layers;          /* layers after the last one, each with its own head */
    int64_t tied_rows, tied_cols; /* table shared by the first and the last segment; 0 = none */
} nnc_op_list;

/* Together with the model, these choices decide the op list. */
typedef struct nnc_lowering {
    const nnc_plan *plan; /* resolved */
    const nnc_software *software;
    nnc_attention attention; /* may differ from the plan's */
    nnc_dtype dtype;         /* format of activations */
    nnc_dtype linear_dtype;  /* format of the operands of the block's linear layers: fp8 under
                              * fp8 */
    double grad_bytes, grad_accumulate;
} nnc_lowering;

/* Destination of ops: the list's last segment, `repeat` equal instances of each in one
 * micro-batch, inside a recompute block. */
typedef struct nnc_writer {
    nnc_op_list *list;
    const nnc_lowering *how;
    int64_t repeat;
    int32_t block;     /* -1 = none */
    const char *place; /* place of the ops: see nnc_op; NULL = none */
} nnc_writer;

/* Appends a zeroed op and returns it; a spare one when the list is full. */
nnc_op *nnc_list_add(const nnc_writer *w, const char *name, nnc_op_kind kind, nnc_group group);
/* a * b; overflow is recorded in the list. */
static inline int64_t nnc_list_mul(const nnc_writer *w, int64_t a, int64_t b)
{
    int64_t product = 1;
    w->list->overflow |= !nnc_mul_i64(a, b, &product);
    return product;
}
/* Bytes of this many activations. */
double nnc_list_bytes(const nnc_writer *w, int64_t elements);
/* Does the plan recompute this in backward? */
static inline bool nnc_list_recomputes(const nnc_writer *w, nnc_recompute what)
{
    return (w->how->plan->recompute & what) != 0;
}
/* Marks the ops from `first` on as recomputed, starting at the first kept input among them. */
void nnc_list_again(const nnc_writer *w, int32_t first);

/* The writer inside a recompute block of its own. */
nnc_writer nnc_list_block(const nnc_writer *w, int64_t repeat, int64_t input_elements);
/* Parts that one instance of a segment gathers one after the other: its blocks, or 1 without blocks. */
double nnc_list_units(const nnc_op_list *list, int32_t segment);

/* Gives each op the kernels that the library of the model issues, where the profile runs them one by one. */
void nnc_list_issue(nnc_op_list *list, const nnc_model *model, const nnc_lowering *how);

/* Does the plan train all weights, without adapters? */
bool nnc_plan_trains_all(const nnc_plan *plan);
/* Freezes the weights that the plan does not train, and adds adapters.   [adapters] */
void nnc_list_train(nnc_op_list *list, const nnc_lowering *how);

/* Opens a segment; ops added from here on belong to it. */
void nnc_list_segment(const nnc_writer *w, int64_t instances, bool layer);

/* A collective between ranks. */
void nnc_list_collective(const nnc_writer *w, const char *name, nnc_collective_op exchange);
/* y[m,n] = x[m,k] W, a linear layer with its own weight. */
nnc_op *nnc_list_linear(const nnc_writer *w, const char *name, nnc_group group, nnc_split split, int64_t m, int64_t n,
                        int64_t k, bool bias);
nnc_op *nnc_list_norm(const nnc_writer *w, const char *name, nnc_norm_kind kind, int64_t elements, int64_t rows,
                      int64_t params);
nnc_op *nnc_list_pointwise(const nnc_writer *w, const char *name, nnc_pointwise_kind kind, nnc_group group,
                           int64_t elements);
/* A convolution with its own kernel. */
nnc_op *nnc_list_conv(const nnc_writer *w, const char *name, nnc_group group, const nnc_conv *conv, bool bias);
/* Adds a branch to the stream it left. */
nnc_op *nnc_list_residual(const nnc_writer *w, const char *name, nnc_group group, int64_t elements);
/* Cross-entropy over rows of classes. */
nnc_op *nnc_list_loss(const nnc_writer *w, int64_t rows, int64_t classes);

/* ---- families ---- */

/* Sizes that other folders ask of any model; 0 = the model has no such size. */
typedef struct nnc_model_sizes {
    int64_t layers;  /* layers that pipeline stages consist of */
    int64_t hidden;  /* width of a layer's output */
    int64_t seq_len; /* tokens of a training sequence; 0 = it trains on images */
    int64_t vocab;   /* rows of the token table, which tensor ranks divide */
    int64_t experts; /* routed experts of a layer */
    int64_t channels, image;
} nnc_model_sizes;

enum { NNC_SHAPE_TEXT = 64 };

typedef struct nnc_family_row {
    nnc_model_sizes (*sizes)(const nnc_model *model);
    /* Fills in what the plan leaves open and the model decides, before all other rules; NULL = nothing to fill in. */
    void (*defaults)(const nnc_model *model, nnc_plan *plan);
    /* Fills in lengths from the model; NNC_ILLEGAL_PLAN when the family does not support an option of the
     * plan, or the lengths do not suit the model. */
    nnc_status (*resolve)(const nnc_model *model, nnc_plan *plan, nnc_error *err);
    /* Rules of the family for tensor, context and expert ranks; NULL = it is split over data only. */
    nnc_status (*split)(const nnc_model *model, const nnc_plan *plan, nnc_error *err);
    /* Writes the forward ops of one micro-batch into an empty list. */
    void (*lower)(const nnc_model *model, const nnc_writer *w);
    /* Its shape and its input in a few words: "48 layers, hidden 1600", "1024 tokens". */
    void (*describe)(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT]);
} nnc_family_row;

#define NNC_FAMILY_ROW(name, text, help, row) extern const nnc_family_row nnc_##row##_family;
NNC_FAMILY_LIST(NNC_FAMILY_ROW)
#undef NNC_FAMILY_ROW

const nnc_family_row *nnc_family_of(const nnc_model *model);
nnc_model_sizes nnc_model_sizes_of(const nnc_model *model);

/* Rows of a token table over tensor ranks: padded when they do not divide, as frameworks do. Source:
 * Megatron-LM, --make-vocab-size-divisible-by 128, times the tensor ranks.   [heads] */
int64_t nnc_vocab_split(int64_t words, int32_t tensor);

/* Does the library write this attention out in fp32?   [issued] */
bool nnc_is_written_out(const nnc_op *op, const nnc_model *model);

/* Attention as kernels of its own in fp32, in place of the fused one.   [issued] */
void nnc_write_out(nnc_op *op);

/* Sets the kept bytes of ops to those of transformers, peft, timm and diffusers.   [kept-by-library] */
void nnc_list_keep_by_library(nnc_op_list *list, const nnc_lowering *how, const nnc_model *model);

/* Writes the forward ops of one micro-batch of plan->micro_batch samples. The list is reset first.
 * Check list->overflow and list->truncated afterwards. */
void nnc_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list);

/* For families that train on images: refuses options that count tokens, and fills in the image. */
nnc_status nnc_family_takes_images(const nnc_model *model, int64_t image, nnc_plan *plan, nnc_error *err);

/* Writes a graph into the list's last segment, as a part of another network: its parameters are there
 * once, its work is that of `batch` samples. */
void nnc_graph_write_part(const nnc_graph *part, const nnc_writer *to, int64_t batch);

/* ---- one layer of a transformer ---- */

typedef struct nnc_layer {
    int64_t hidden; /* width of the residual stream */
    nnc_norm_kind norm;
    nnc_norm_place norm_place;
    bool norm_bias, plain_norms;
    int64_t heads, kv_heads, head_dim, value_dim;
    int64_t window;    /* keys a query sees under the causal mask, itself included; 0 = all */
    int64_t far_ratio; /* beyond the window a query sees one key for this many tokens; 0 = none */
    int64_t far_most;  /* at most this number of them are far; 0 = all */
    bool chunked;      /* a query sees its chunk of `window` tokens, not the last `window` */
    int64_t rotary;    /* rotated values of a head; 0 = none */
    bool rotary_scale;
    nnc_qk_norm qk_norm;
    bool latent; /* queries, keys and values come from latents */
    bool causal, qkv_bias, no_key_bias, out_bias;
    bool sinks, attention_gate, head_gate, score_softcap;
    bool keys_as_values;           /* there is no projection of values */
    int64_t out_groups, out_width; /* groups of heads are first projected to this many values; 0 = none */
    nnc_mlp mlp;
    int64_t ffn_hidden;
    bool mlp_bias;
    double dropout;
} nnc_layer;

typedef struct nnc_layer_writer {
    nnc_writer to;
    const nnc_layer *layer;
    int64_t batch, seq_len;
    int64_t tokens, hidden_elements; /* batch x seq_len; tokens x hidden */
} nnc_layer_writer;

nnc_layer_writer nnc_layer_begin(const nnc_writer *w, const nnc_layer *layer, int64_t batch, int64_t seq_len);

/* Names of the ops of one attention: the fused op; scores, scale and mask, softmax, dropout, context. */
typedef struct nnc_core_names {
    const char *fused, *scores, *mask, *softmax, *dropout, *context;
} nnc_core_names;

/* Names of the ops of an attention with its projections, in their order. */
typedef struct nnc_attention_names {
    const char *norm, *tensor_in, *q, *kv, *rotary, *context_in;
    nnc_core_names core;
    const char *context_out, *out, *tensor_out, *end_norm, *residual; /* residual NULL = the caller adds it */
} nnc_attention_names;
extern const nnc_attention_names nnc_attention_plain; /* "attn.norm" ... */

/* Names of an MLP's products and of the activation between them. */
typedef struct nnc_mlp_names {
    const char *up, *activation, *down;
} nnc_mlp_names;

/* The sequence that a cross-attention reads. */
typedef struct nnc_cross {
    int64_t len, width;
    bool frozen;    /* needs no gradient */
    int64_t shares; /* layers that share one copy of keys and values; 0 = this layer keeps none */
} nnc_cross;

nnc_op *nnc_layer_norm(const nnc_layer_writer *w, const char *name, int64_t width);
/* y = x W over all tokens. */
nnc_op *nnc_layer_linear(const nnc_layer_writer *w, const char *name, nnc_group group, nnc_split split, int64_t n,
                         int64_t k, bool bias);

/* Adds a branch to the residual stream, with a dropout if the layer has one. */
void nnc_layer_residual(const nnc_layer_writer *w, const char *name, nnc_group group);
/* The same with the norm that the layer has before or after it. */
void nnc_layer_join(const nnc_layer_writer *w, const char *norm, const char *name, nnc_group group);
/* The norm before attention or the MLP, if the layer has one there. */
void nnc_layer_begin_norm(const nnc_layer_writer *w, const char *name);
/* A separate dropout, if the layer has one. */
void nnc_layer_dropout(const nnc_layer_writer *w, const char *name, nnc_group group);
/* Rotates `width` values of each token. */
void nnc_layer_rotary(const nnc_layer_writer *w, const char *name, int64_t width);

/* Query, key and value; then the attention, its projection and its residual; then both after a norm.
 * cross NULL: the tokens attend to themselves. */
void nnc_layer_project(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);
void nnc_layer_attend(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);
void nnc_layer_attention(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);

/* The attention over projected queries, s_k keys and values for each sequence. */
void nnc_layer_core(const nnc_layer_writer *w, const nnc_core_names *names, int64_t s_k);

/* The kernel that runs a fused attention. */
nnc_flash_kernel nnc_attention_kernel(nnc_attention attention, const nnc_software *software);

/* Through `inner` values per token and back. keeps_input: no other op owns the input. */
void nnc_layer_dense(const nnc_layer_writer *w, const nnc_mlp_names *names, int64_t inner, bool keeps_input);
/* Is an activation with this split recomputed in backward, and its output not kept? */
bool nnc_layer_acts_again(const nnc_layer_writer *w, nnc_split split);
nnc_op *nnc_layer_activation(const nnc_layer_writer *w, const char *name, nnc_split split, int64_t elements);
/* Norm, MLP and residual, "mlp.norm" ... */
void nnc_layer_mlp(const nnc_layer_writer *w);

/* Into or out of the part of a layer that tensor ranks divide: all-reduce of the activations, or
 * all-gather and reduce-scatter with sequence parallelism. No op at tensor 1. Source: Megatron-LM
 * arXiv:1909.08053, arXiv:2205.05198.   [tensor-parallel] */
void nnc_layer_tensor_collective(const nnc_layer_writer *w, const char *name, bool entering, int64_t width);

/* Does each context rank attend for some of the heads over all tokens (else for its own tokens)? */
bool nnc_context_over_heads(const nnc_plan *plan);

/* ---- parts of a decoder's layers, in decoder_layers.c ---- */

/* Query, key and value through their latents. Source: arXiv:2405.04434.   [latent-attention] */
void nnc_decoder_project_latent(const nnc_layer_writer *w, const nnc_decoder *d);
/* Query and shared key, with the keys of many tokens that a `far` mixer adds.   [shared-keys] */
void nnc_decoder_project_shared(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer);
/* The weights of the residual streams for half a layer, or (`half` NULL) for the head.   [streams] */
void nnc_decoder_streams(const nnc_layer_writer *w, const nnc_decoder *d, const char *const *half);
/* The indexer of sparse attention, after the projections.   [indexer] */
void nnc_decoder_pick_tokens(const nnc_layer_writer *w, const nnc_decoder *d);
/* Norm, router, dispatch, the routed and the shared experts, combine, residual.   [experts] */
void nnc_decoder_experts(const nnc_layer_writer *w, const nnc_decoder *d);
/* Half a layer with a state in place of attention, with its norm and residual; no ops for mixers that
 * attend.   [state-mixers] */
void nnc_decoder_keep_state(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer);
bool nnc_mixer_attends(nnc_mixer mixer);

/* ---- splitting a model over ranks ---- */

/* `what`, of size whole, must divide evenly over ranks. */
nnc_status nnc_divides(const char *option, const char *what, int64_t whole, int64_t ranks, nnc_error *err);

/* Rules of a layer for context ranks, and for tensor ranks. NNC_ILLEGAL_PLAN: err names the option, the
 * rule with its numbers, and the nearest legal values.   [legal-plans] */
nnc_status nnc_layer_split_context(const nnc_layer *layer, const nnc_plan *plan, int64_t seq_len, nnc_error *err);
nnc_status nnc_layer_split_tensor(const nnc_layer *layer, const nnc_plan *plan, nnc_error *err);
/* Sequence parallelism: tensor ranks also divide the tokens of a micro-batch. */
nnc_status nnc_layer_split_sequence(const nnc_plan *plan, int64_t tokens, nnc_error *err);

/* Fills in devices and data from the given degrees, and checks that they agree. */
nnc_status nnc_plan_split_devices(nnc_plan *plan, nnc_error *err);

/* Checks every divisibility rule, and fills in the schedule and the shard group. plan: devices,
 * batch and lengths resolved. NNC_ILLEGAL_PLAN: err names the option, the rule with its numbers,
 * and the nearest legal values.   [legal-plans] */
nnc_status nnc_plan_split(const nnc_model *model, const nnc_device *device, nnc_plan *plan, nnc_error *err);
/* Only the rules of ZeRO stage and offload: checks a split plan again after these changed. */
nnc_status nnc_plan_split_data(nnc_plan *plan, nnc_error *err);

/* Ranks over which gradients are summed: data x context. */
int32_t nnc_plan_replicas(const nnc_plan *plan);
/* Ranks that hold the experts and their copies: the replicas, and tensor ranks with whole experts. */
int32_t nnc_plan_expert_ranks(const nnc_plan *plan);

/* Divides the dims of every op by the degrees of tensor, context and expert parallelism, in place.
 * Data and pipeline parallelism change no op: they partition samples and layers. The plan must be legal
 * (nnc_plan_resolve). Divided work adds up to the whole; replicated work (norms without sequence
 * parallelism, the router, key and value heads fewer than tensor ranks) is done by every rank.
 * Sources: Megatron-LM arXiv:1909.08053, sequence parallelism arXiv:2205.05198, context parallelism
 * arXiv:2310.01889 and arXiv:2309.14509.   [sharding] */
void nnc_list_shard(nnc_op_list *list, const nnc_plan *plan);

#endif
