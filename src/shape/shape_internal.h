/* From a model to the ops of one rank.
 *
 *     model --family row--> forward op list --adapters, freezing--> --nnc_list_shard--> one rank's list
 *
 * Each family (decoder, U-Net, vision transformer, graph, captured program) has one row of functions (nnc_family_row),
 * and writes its ops with an nnc_writer. Decoders, encoders and the attention of U-Nets use the layers of
 * transformer.c. Other folders use the row; they do not test the family of a model.
 *
 * Invariant: a list holds only the forward ops of one micro-batch, and src/op computes their backward ops. The list of
 * a captured program is an exception: it also holds the backward operators. */
#ifndef NNCOST_SHAPE_SHAPE_INTERNAL_H
#define NNCOST_SHAPE_SHAPE_INTERNAL_H

#include <stddef.h>

#include "base/base_internal.h"
#include "graph/graph_internal.h"
#include "op/op_internal.h"

/* ---- the op list of one forward pass ---- */

/* A recompute block: ops that full recomputation runs again from one kept input. `repeat` is the number of equal blocks
 * in one micro-batch. */
typedef struct nnc_block {
    int64_t repeat;
    double input_bytes;
    int32_t segment;
} nnc_block;

/* A segment of an op list: a sequence of equal layers, or the ops before or after all layers. A pipeline stage holds
 * whole layers of segments. */
typedef struct nnc_segment {
    int64_t instances; /* number of equal layers; 1 for embedding, head, or a network that pipeline stages cannot
                        * divide */
    bool layer;        /* true: the segment consists of layers, which pipeline stages divide */
    bool before;       /* true: the layers of the segment precede the first layer that the plan trains */
} nnc_segment;

enum { NNC_OPS_MAX = 2048, NNC_BLOCKS_MAX = 512, NNC_SEGMENTS_MAX = 12, NNC_MIXED_LAYERS_MAX = 1024 };

typedef struct nnc_op_list {
    nnc_op ops[NNC_OPS_MAX];
    int32_t count;
    nnc_block blocks[NNC_BLOCKS_MAX];
    int32_t block_count;
    nnc_segment segments[NNC_SEGMENTS_MAX];
    int32_t segment_count; /* number of segments; new ops belong to the last segment */
    /* If layers of several kinds alternate: mixed[i] is the segment of layer i, for mixed_count layers. mixed_count 0:
     * the layers of one segment follow each other without gaps. */
    uint8_t mixed[NNC_MIXED_LAYERS_MAX];
    int32_t mixed_count;
    bool truncated; /* true: the model has more ops, blocks or segments than the list has space for */
    bool overflow;  /* true: a product of dims does not fit into an int64 */
    bool recorded;  /* true: the ops are the operators of a captured program, with its backward operators and casts */
    /* of a captured program: bytes of gradients, of kept tensors and of temporary tensors at the recorded peak */
    double recorded_gradients, recorded_kept, recorded_temporary;
    nnc_launches recorded_update; /* of a captured program: numbers of launches of its optimizers */
    double input_bytes;           /* bytes of the training data of one micro-batch: token ids or images */
    int64_t tokens;               /* number of tokens of one micro-batch; 0 for images */
    int64_t lookup_params;        /* number of parameters that are looked up and not multiplied: position table, and the
                                   * embedding table unless the head uses it, too */
    int64_t stream_elements;      /* number of elements of a layer's output for one micro-batch; 0 = the network has no
                                   * layers */
    int64_t next_layers;          /* number of additional layers that predict later tokens (multi-token prediction),
                                   * each with a head */
    int64_t projected_rank;       /* GaLore and APOLLO: rank to which gradients are projected */
    int64_t layers_short;         /* number of layers that the plan wants to train but the model does not have; 0 = the
                                   * plan is possible */
    int64_t tied_rows, tied_cols; /* rows and columns of the table that the first and the last segment share; 0 = they
                                   * share no table */
} nnc_op_list;

/* The inputs of lowering in addition to the model. (Lowering writes the op list of a model under a plan.) */
typedef struct nnc_lowering {
    const nnc_plan *plan; /* the plan, with all defaults filled in */
    const nnc_software *software;
    nnc_attention attention; /* kernel of attention that is used; it may differ from the plan's */
    nnc_dtype dtype;         /* number format of the activations */
    nnc_dtype linear_dtype;  /* number format of the operands of linear layers inside transformer layers: fp8 with
                              * --precision fp8 */
    double grad_bytes, grad_accumulate;
} nnc_lowering;

/* A writer adds ops to the last segment of a list. `repeat`: number of equal instances of each op in one
 * micro-batch. */
typedef struct nnc_writer {
    nnc_op_list *list;
    const nnc_lowering *how;
    int64_t repeat;
    int32_t block;     /* index of the recompute block that the ops belong to; -1 = no block */
    const char *place; /* place of the ops in the network, such as "down.0"; NULL = the names of the ops include the
                        * place */
} nnc_writer;

/* Appends a forward op whose dims are all 0, and returns it. If the list is full, sets list->truncated and returns the
 * last op. */
nnc_op *nnc_list_add(const nnc_writer *w, const char *name, nnc_op_kind kind, nnc_group group);
/* Returns a * b; sets list->overflow if the product does not fit into an int64. */
static inline int64_t nnc_list_mul(const nnc_writer *w, int64_t a, int64_t b) {
    int64_t product = 1;
    w->list->overflow |= !nnc_mul_i64(a, b, &product);
    return product;
}
/* Returns the bytes of `elements` activations in the number format of the writer. */
double nnc_list_bytes(const nnc_writer *w, int64_t elements);
/* Tests whether the plan computes a part of the layers (one recompute flag) again in backward. */
static inline bool nnc_list_recomputes(const nnc_writer *w, nnc_recompute what) {
    return (w->how->plan->recompute & what) != 0;
}
/* Marks the ops from index `first` on as recomputed in backward. The ops after the first matrix product among them also
 * get the mark `dropped`: their inputs are not kept, because the ops before them are computed again. */
void nnc_list_again(const nnc_writer *w, int32_t first);

/* Begins a new recompute block, which a micro-batch runs `repeat` times, and returns a writer for its ops.
 * input_elements: elements of the block's input, which is kept. */
nnc_writer nnc_list_block(const nnc_writer *w, int64_t repeat, int64_t input_elements);
/* Returns the number of units of one instance of a segment; ZeRO 3 gathers the weights of one unit at a time. A unit is
 * a recompute block; a segment without blocks is one unit. */
double nnc_list_units(const nnc_op_list *list, int32_t segment);

/* Sets *least and *most to the smallest and the largest number of samples with which a step was recorded. A plan may
 * have any number of samples between them. */
void nnc_captured_batches(const struct nnc_captured *program, int64_t *least, int64_t *most);
/* Returns the number of rows of the vocabulary of a captured program; 0 = the model is no captured program, has no
 * vocabulary, or its vocabulary is padded. */
int64_t nnc_captured_vocab(const nnc_model *model);

/* Sets for each op the kernels that the library of the model issues. Used for software profiles that run operators one
 * by one. */
void nnc_list_issue(nnc_op_list *list, const nnc_model *model, const nnc_lowering *how);

/* Tests whether the plan trains all weights and has no adapters. */
bool nnc_plan_trains_all(const nnc_plan *plan);
/* Sums over the matrices whose gradients GaLore and APOLLO project. The rank of a projection is at most the shorter
 * side of the matrix. */
typedef struct nnc_projected {
    double params;   /* sum of parameters */
    double elements; /* elements of projections and moments: sum of rank times the shorter side and twice the longer
                      * side */
    double products; /* sum of rank times parameters */
} nnc_projected;

/* Returns the sums for GaLore or APOLLO (nnc_projected) of the weight of one linear layer, which libraries may divide
 * into several matrices (query, key, value). Returns 0 for other ops, for routed experts and for towers. */
nnc_projected nnc_projected_of(const nnc_op *op, int64_t rank);
/* Freezes the weights that the plan does not train, adds the ops of adapters, and marks ops without backward.
 * [adapters] */
void nnc_list_train(nnc_op_list *list, const nnc_lowering *how);

/* Begins a new segment of the list; ops that are written later belong to it. */
void nnc_list_segment(const nnc_writer *w, int64_t instances, bool layer);

/* Appends a collective between ranks to the list. */
void nnc_list_collective(const nnc_writer *w, const char *name, nnc_collective_op exchange);
/* Appends a linear layer y[m,n] = x[m,k] W, which has its own weight W, and returns the op. */
nnc_op *nnc_list_linear(const nnc_writer *w, const char *name, nnc_group group, nnc_split split, int64_t m, int64_t n,
                        int64_t k, bool bias);
nnc_op *nnc_list_norm(const nnc_writer *w, const char *name, nnc_norm_kind kind, int64_t elements, int64_t rows,
                      int64_t params);
nnc_op *nnc_list_pointwise(const nnc_writer *w, const char *name, nnc_pointwise_kind kind, nnc_group group,
                           int64_t elements);
/* Appends a convolution with its own weight, and returns the op. */
nnc_op *nnc_list_conv(const nnc_writer *w, const char *name, nnc_group group, const nnc_conv *conv, bool bias);
/* Tests whether PyTorch adds the bias of a convolution in a separate kernel on a GPU. cuDNN computes a convolution without
 * its bias. The kernels of PyTorch for depthwise convolutions of contiguous maps add the bias themselves. Source:
 * aten/src/ATen/native/Convolution.cpp (_convolution, use_cudnn_depthwise) of PyTorch. */
static inline bool nnc_conv_adds_bias(const nnc_conv *conv) {
    return !(conv->contiguous && !conv->transposed && conv->groups > 1 && conv->groups == conv->c_in);
}
/* Appends the addition of a branch to the residual stream, and returns the op. */
nnc_op *nnc_list_residual(const nnc_writer *w, const char *name, nnc_group group, int64_t elements);
/* Appends a cross-entropy over `rows` rows of `classes` logits, and returns the op. */
nnc_op *nnc_list_loss(const nnc_writer *w, int64_t rows, int64_t classes);

/* ---- families of models: sizes, checks, lowering ---- */

/* NNC_EXPERTS_ANY: a value of `experts` in nnc_model_sizes. nnc_model_sizes has the sizes of a model that other folders
 * use; 0 = the model has no such size. */
enum { NNC_EXPERTS_ANY = -1 };
typedef struct nnc_model_sizes {
    int64_t layers;  /* number of layers that pipeline stages divide */
    int64_t hidden;  /* width of the output of a layer */
    int64_t seq_len; /* tokens of a training sequence; 0 = the model trains on images */
    int64_t vocab;   /* rows of the token table, which tensor ranks divide */
    int64_t experts; /* routed experts per layer; NNC_EXPERTS_ANY = the network has tables instead, which any number of
                      * expert ranks may share */
    int64_t channels, image;
} nnc_model_sizes;

enum { NNC_SHAPE_TEXT = 64 };

typedef struct nnc_family_row {
    nnc_model_sizes (*sizes)(const nnc_model *model);
    /* Sets fields of the plan that the user did not give and that the model decides. Runs before all other rules. NULL
     * = the family has no such fields. */
    void (*defaults)(const nnc_model *model, nnc_plan *plan);
    /* Sets the sequence length or image size if the plan does not give it. NNC_ILLEGAL_PLAN: the family does not
     * support an option of the plan, or the length is impossible for the model. */
    nnc_status (*resolve)(const nnc_model *model, nnc_plan *plan, nnc_error *err);
    /* Checks the family's rules for tensor, context and expert parallelism; NULL = the family supports only data
     * parallelism. */
    nnc_status (*split)(const nnc_model *model, const nnc_plan *plan, nnc_error *err);
    /* Writes the forward ops of one micro-batch into an empty list. */
    void (*lower)(const nnc_model *model, const nnc_writer *w);
    /* Describes a model and its input in a few words: "48 layers, hidden 1600" (shape), "1024 tokens" (input). */
    void (*describe)(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT]);
} nnc_family_row;

#define NNC_FAMILY_ROW(name, text, help, row) extern const nnc_family_row nnc_##row##_family;
NNC_FAMILY_LIST(NNC_FAMILY_ROW)
#undef NNC_FAMILY_ROW

const nnc_family_row *nnc_family_of(const nnc_model *model);
nnc_model_sizes nnc_model_sizes_of(const nnc_model *model);

/* Returns the number of rows of a token table of `words` words that `tensor` ranks divide. If the words do not
 * divide evenly, rows are added up to a multiple of 128 x tensor, as in Megatron-LM, --make-vocab-size-divisible-by.
 * [heads] */
int64_t nnc_vocab_split(int64_t words, int32_t tensor);

/* Tests whether the library runs an attention op as separate fp32 kernels instead of a fused kernel.   [issued] */
bool nnc_is_written_out(const nnc_op *op, const nnc_model *model);

/* Sets the kernels of an attention op to the separate fp32 kernels that the library issues.   [issued] */
void nnc_write_out(nnc_op *op);

/* Sets the kept bytes of each op to the bytes that transformers, peft, timm or diffusers keep for it.   [issued] */
void nnc_list_keep_by_library(nnc_op_list *list, const nnc_lowering *how, const nnc_model *model);

/* Clears the list and writes the forward ops of one micro-batch of plan->micro_batch samples. Afterwards the caller
 * checks list->overflow and list->truncated. */
void nnc_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list);

/* For families that train on images: refuses options that count tokens, and sets plan->image to `image` if the plan
 * does not give it. */
nnc_status nnc_family_takes_images(const nnc_model *model, int64_t image, nnc_plan *plan, nnc_error *err);

/* Writes a graph network (a tower) into the last segment of another network's list. Its work is that of `batch`
 * samples. */
void nnc_graph_write_part(const nnc_graph *part, const nnc_writer *to, int64_t batch);

/* ---- one layer of a transformer: its shape, and the functions that write its ops ---- */

typedef struct nnc_layer {
    int64_t hidden; /* width of the residual stream */
    nnc_norm_kind norm;
    nnc_norm_place norm_place;
    bool norm_bias, plain_norms;
    int64_t heads, kv_heads, head_dim, value_dim;
    int64_t window;    /* number of keys that a query attends to under the causal mask, the key of its own token
                        * included; 0 = no window */
    int64_t far_ratio; /* number of tokens per compressed key; 0 = the layer has no compressed keys */
    int64_t far_most;  /* largest number of compressed keys that a query attends to; 0 = no limit */
    bool chunked;      /* true: a query attends to earlier tokens of its own chunk of `window` tokens; false: to the
                        * last `window` tokens */
    int64_t rotary;    /* number of values per head that the rotary embedding rotates; 0 = none is rotated */
    bool rotary_scale;
    nnc_qk_norm qk_norm;
    bool latent; /* true: latent attention: queries, keys and values are projected up from short vectors (latents) */
    bool causal, qkv_bias, no_key_bias, out_bias;
    bool sinks, attention_gate, head_gate, score_softcap;
    bool keys_as_values;           /* true: the keys are also used as values, so there is no projection to values */
    int64_t out_groups, out_width; /* out_groups: number of groups of heads whose outputs are projected separately
                                    * first, 0 = no groups; out_width: width of all groups together after this
                                    * projection */
    nnc_mlp mlp;
    int64_t ffn_hidden;
    bool mlp_bias;
    double dropout;
} nnc_layer;

typedef struct nnc_layer_writer {
    nnc_writer to;
    const nnc_layer *layer;
    int64_t batch, seq_len;
    int64_t tokens, hidden_elements; /* tokens: batch x seq_len; hidden_elements: elements of the residual stream,
                                      * tokens x hidden */
} nnc_layer_writer;

nnc_layer_writer nnc_layer_begin(const nnc_writer *w, const nnc_layer *layer, int64_t batch, int64_t seq_len);

/* Names of the ops of one attention without its projections: `fused` is one op; the other names are those of the
 * separate ops. */
typedef struct nnc_core_names {
    const char *fused, *scores, *mask, *softmax, *dropout, *context;
} nnc_core_names;

/* Names of the ops of one attention with its projections, in the order in which the ops run. */
typedef struct nnc_attention_names {
    const char *norm, *tensor_in, *q, *kv, *rotary, *context_in;
    nnc_core_names core;
    /* names of the ops after the attention itself; residual NULL = the caller writes the residual */
    const char *context_out, *out, *tensor_out, *end_norm, *residual;
} nnc_attention_names;
extern const nnc_attention_names nnc_attention_plain; /* names of the ops of self-attention: "attn.norm" ... */

/* Names of the ops of an MLP: its two products, and the activation between them. */
typedef struct nnc_mlp_names {
    const char *up, *activation, *down;
} nnc_mlp_names;

/* The sequence whose keys and values a cross-attention attends to, such as the output of an encoder. */
typedef struct nnc_cross {
    int64_t len, width;
    bool frozen;    /* true: the sequence needs no gradient */
    int64_t shares; /* number of layers that share one kept copy of the sequence; 0 = this layer keeps no copy */
} nnc_cross;

nnc_op *nnc_layer_norm(const nnc_layer_writer *w, const char *name, int64_t width);
/* Appends a linear layer y = x W over all tokens of the layer, and returns the op. */
nnc_op *nnc_layer_linear(const nnc_layer_writer *w, const char *name, nnc_group group, nnc_split split, int64_t n,
                         int64_t k, bool bias);

/* Appends the addition of a branch to the residual stream, with dropout if the layer has dropout. */
void nnc_layer_residual(const nnc_layer_writer *w, const char *name, nnc_group group);
/* Appends the addition of a branch to the residual stream, and the norm that the layer may have before or after the
 * addition. */
void nnc_layer_join(const nnc_layer_writer *w, const char *norm, const char *name, nnc_group group);
/* Appends the norm at the start of attention or MLP, if the layer has this norm. */
void nnc_layer_begin_norm(const nnc_layer_writer *w, const char *name);
/* Appends a dropout as a separate op, if the layer has dropout. */
void nnc_layer_dropout(const nnc_layer_writer *w, const char *name, nnc_group group);
/* Appends the rotary embedding, which rotates `width` values of each token. */
void nnc_layer_rotary(const nnc_layer_writer *w, const char *name, int64_t width);

/* These functions append the ops of an attention. nnc_layer_project: the projections to queries, keys and values.
 * nnc_layer_attend: the attention, its output projection and its residual. nnc_layer_attention: the norm, then the ops
 * of the other two functions. cross: the sequence of a cross-attention; NULL = self-attention. */
void nnc_layer_project(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);
void nnc_layer_attend(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);
void nnc_layer_attention(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);

/* Appends the attention itself, without projections, with s_k keys and values per sequence. */
void nnc_layer_core(const nnc_layer_writer *w, const nnc_core_names *names, int64_t s_k);

/* Returns the kernel that runs fused attention: that of the plan's attention if it names a kernel, else the
 * profile's. */
nnc_flash_kernel nnc_attention_kernel(nnc_attention attention, const nnc_software *software);

/* Appends an MLP with `inner` values per token between its two products. keeps_input: true = the first product counts
 * the bytes of its kept input. */
void nnc_layer_dense(const nnc_layer_writer *w, const nnc_mlp_names *names, int64_t inner, bool keeps_input);
/* Tests whether the plan computes an activation again in backward instead of keeping its output. split: tells
 * activations of experts from others. */
bool nnc_layer_acts_again(const nnc_layer_writer *w, nnc_split split);
nnc_op *nnc_layer_activation(const nnc_layer_writer *w, const char *name, nnc_split split, int64_t elements);
/* Appends the norm ("mlp.norm"), the MLP and the residual of a layer. */
void nnc_layer_mlp(const nnc_layer_writer *w);

/* Appends the collective at the start (entering) or end of the part of a layer that tensor ranks divide: an all-reduce
 * of activations, or with sequence parallelism an all-gather or reduce-scatter. Appends no op if the degree of tensor
 * parallelism is 1. Source: Megatron-LM arXiv:1909.08053, arXiv:2205.05198.   [tensor-parallel] */
void nnc_layer_tensor_collective(const nnc_layer_writer *w, const char *name, bool entering, int64_t width);

/* Tests whether a context rank computes attention for some of the heads over all tokens (Ulysses). Otherwise it
 * computes attention for all heads over its own tokens. */
bool nnc_context_over_heads(const nnc_plan *plan);

/* ---- functions of decoder_layers.c: parts of a decoder's layers ---- */

/* Appends the projections of latent attention: queries, keys and values come from latents. Source: arXiv:2405.04434.
 * [latent-attention] */
void nnc_decoder_project_latent(const nnc_layer_writer *w, const nnc_decoder *d);
/* Appends the projections to queries and to the key that all heads share; for the mixers NNC_MIXER_FAR and
 * NNC_MIXER_FAR_PICKED also the compressed keys, one for several tokens.   [shared-keys] */
void nnc_decoder_project_shared(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer);
/* Appends the ops that join several residual streams before attention or MLP, and add its result to them. half: names
 * of the three ops; NULL = the streams are joined for the head.   [streams] */
void nnc_decoder_streams(const nnc_layer_writer *w, const nnc_decoder *d, const char *const *half);
/* Appends the indexer of sparse attention, which selects the tokens that a query attends to. Call it after the
 * projections.   [indexer] */
void nnc_decoder_pick_tokens(const nnc_layer_writer *w, const nnc_decoder *d);
/* Appends the ops of a layer with experts: norm, router, dispatch, routed and shared experts, combine and residual.
 * [experts] */
void nnc_decoder_experts(const nnc_layer_writer *w, const nnc_decoder *d);
/* Appends a mixer that keeps a state, with its norm and residual; appends no op if the mixer is an attention.
 * [state-mixers] */
void nnc_decoder_keep_state(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer);
bool nnc_mixer_attends(nnc_mixer mixer);

/* ---- dividing a model over ranks: which plans are legal, and the dims of one rank ---- */

/* Checks that `whole` divides evenly over `ranks`. what: name of `whole` in the message; option: the option that the
 * error names. */
nnc_status nnc_divides(const char *option, const char *what, int64_t whole, int64_t ranks, nnc_error *err);

/* These functions check the rules of a layer: nnc_layer_split_context for context ranks, nnc_layer_split_tensor for
 * tensor ranks. NNC_ILLEGAL_PLAN: err names the option, the rule with its numbers, and the nearest legal values.
 * [legal-plans] */
nnc_status nnc_layer_split_context(const nnc_layer *layer, const nnc_plan *plan, int64_t seq_len, nnc_error *err);
nnc_status nnc_layer_split_tensor(const nnc_layer *layer, const nnc_plan *plan, nnc_error *err);
/* Checks that with sequence parallelism the tensor ranks can divide the tokens of a micro-batch evenly. */
nnc_status nnc_layer_split_sequence(const nnc_plan *plan, int64_t tokens, nnc_error *err);

/* Makes devices = data x tensor x pipeline x context: computes plan->data from `devices`, or `devices` from the
 * degrees. If both are 0, data becomes 1. NNC_ILLEGAL_PLAN: the product of the other degrees does not divide `devices`.
 * NNC_BAD_USAGE: the given `devices` and `data` contradict each other. */
nnc_status nnc_plan_split_devices(nnc_plan *plan, nnc_error *err);

/* Checks every rule of divisibility, and sets plan->devices_per_node and plan->shard if they are not given. plan:
 * devices, batch and lengths are filled in already. NNC_ILLEGAL_PLAN: err names the option, the rule with its numbers,
 * and the nearest legal values.   [legal-plans] */
nnc_status nnc_plan_split(const nnc_model *model, const nnc_device *device, nnc_plan *plan, nnc_error *err);
/* Checks only the rules for ZeRO stage, ranks per shard, offload and optimizer. For a plan that was legal before these
 * fields changed. */
nnc_status nnc_plan_split_data(nnc_plan *plan, nnc_error *err);

/* Tests whether nncost knows which kernels this software profile fuses in a captured program. */
static inline bool nnc_fuses_captured(const nnc_software *software) {
    return strcmp(software->id, "torch-compile") == 0;
}

/* Returns the number of ranks that the experts and their copies are spread over: data x context, and x tensor if tensor
 * ranks do not split an expert. */
int32_t nnc_plan_expert_ranks(const nnc_plan *plan);

/* Divides the dims of every op by the degrees of tensor, context and expert parallelism, in place. Data and pipeline
 * parallelism change no op, because they divide samples and layers. The plan must be legal (nnc_plan_resolve). The
 * divided work of all ranks adds up to the whole work. Some work is not divided, so every rank does all of it: norms
 * without sequence parallelism, the router, and key and value heads if there are fewer than tensor ranks. Sources:
 * Megatron-LM arXiv:1909.08053, sequence parallelism arXiv:2205.05198, context parallelism arXiv:2310.01889 and
 * arXiv:2309.14509.   [sharding] */
void nnc_list_shard(nnc_op_list *list, const nnc_plan *plan);

#endif
