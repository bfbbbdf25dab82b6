/* How the op list of one rank is made from a model: the functions of the model's family write a forward op list; then
 * adapters are inserted and frozen weights are marked; then nnc_list_shard divides the dims of the ops over ranks.
 *
 * Each family of models (decoder, U-Net, vision transformer, graph, captured program) has one nnc_family_row with its
 * functions, and appends its ops with an nnc_writer. Decoders, encoders and the attention of U-Nets use the functions
 * of transformer.c for their layers. Code in other folders calls the functions of the nnc_family_row of a model, and
 * never tests to which family the model belongs.
 *
 * Invariant: an op list contains only the forward ops of one micro-batch, and src/op computes the backward ops from
 * these. The op list of a captured program is an exception, because it contains the recorded backward operators as
 * well. */
#ifndef NNCOST_SHAPE_SHAPE_INTERNAL_H
#define NNCOST_SHAPE_SHAPE_INTERNAL_H

#include <stddef.h>

#include "base/base_internal.h"
#include "graph/graph_internal.h"
#include "op/op_internal.h"

/* ---- the op list of one forward pass ---- */

/* A recompute block: ops that full recomputation runs again in backward, starting from one kept input. `repeat` is the
 * number of equal blocks that one micro-batch runs. */
typedef struct nnc_block {
    int64_t repeat;
    double input_bytes;
    int32_t segment;
} nnc_block;

/* A segment of an op list: successive equal layers, or the ops before or after all layers. The layers of a pipeline
 * stage are whole layers of one or several segments. */
typedef struct nnc_segment {
    int64_t instances; /* number of equal layers; 1 for embedding, head, or a network that pipeline stages cannot
                        * divide */
    bool layer;        /* true: the segment consists of layers, which pipeline stages can divide among themselves */
    bool before;       /* true: all layers of the segment come before the first layer that the plan trains */
} nnc_segment;

enum { NNC_OPS_MAX = 2048, NNC_BLOCKS_MAX = 512, NNC_SEGMENTS_MAX = 12, NNC_MIXED_LAYERS_MAX = 1024 };

/* The large arrays come last, so that all small members and the used elements of the first array share few memory pages
 * (a new process has a page fault for each page that it uses). */
typedef struct nnc_op_list {
    int32_t count, block_count;
    int32_t segment_count; /* number of segments of the list; each new op belongs to the segment begun last */
    int32_t mixed_count;
    bool truncated;    /* true: the model has more ops, recompute blocks or segments than this struct has space for */
    bool overflow;     /* true: a product of dimensions does not fit into an int64 */
    bool forward_pass; /* true: the step trains nothing and has no backward */
    /* true: the ops are the recorded operators of a captured program; the list then contains backward operators and
     * casts as well */
    bool recorded;
    /* bytes of gradients, of kept tensors and of temporary tensors at the memory peak of the recorded step; only set
     * for a captured program */
    double recorded_gradients, recorded_kept, recorded_temporary;
    nnc_launches recorded_update; /* numbers of kernels that the optimizers of a captured program launch */
    /* bytes of training data (token ids or images) that one micro-batch copies to the device */
    double input_bytes;
    int64_t tokens;          /* number of tokens of one micro-batch; 0 if the model trains on images */
    int64_t lookup_params;   /* number of parameters that are looked up and not multiplied: the position table and,
                              * unless the head uses it as a matrix, the embedding table */
    int64_t stream_elements; /* number of elements of a layer's output for one micro-batch; 0 = the network has no
                                   * layers */
    int64_t next_layers;     /* number of additional layers that predict later tokens (multi-token prediction),
                                   * each with a head */
    /* for the optimizers GaLore and APOLLO: rank of the matrices to which gradients are projected */
    int64_t projected_rank;
    int64_t layers_short;         /* number of layers that the plan wants to train but the model does not have; 0 = the
                                   * plan is possible */
    int64_t tied_rows, tied_cols; /* numbers of rows and columns of the table that the first and the last segment share;
                                   * 0 = no table is shared */
    nnc_segment segments[NNC_SEGMENTS_MAX];
    /* Only used if layers of several kinds alternate: mixed[i] is the segment of layer i, for each i below mixed_count.
     * mixed_count 0: the layers of each segment follow each other in the network. */
    uint8_t mixed[NNC_MIXED_LAYERS_MAX];
    nnc_block blocks[NNC_BLOCKS_MAX];
    nnc_op ops[NNC_OPS_MAX];
} nnc_op_list;

/* How an estimate uses the operators that the library of a model (transformers, timm) issues for its ops. */
typedef enum nnc_listing {
    NNC_LISTING_NONE,
    NNC_LISTING_COUNTED, /* the operators give only the number of kernels that the host issues */
    NNC_LISTING_PRICED   /* the operators also give the bytes and times of kernels on the device */
} nnc_listing;

/* The inputs of lowering in addition to the model. Lowering writes the op list of a model under a plan. */
typedef struct nnc_lowering {
    const nnc_plan *plan; /* plan for which the op list is written, with all defaults filled in */
    const nnc_software *software;
    nnc_attention attention; /* kernel of attention for which the ops are written; this kernel can differ from the
                              * kernel in the plan */
    nnc_dtype dtype;         /* number format of activations */
    nnc_dtype linear_dtype;  /* number format of the operands of linear layers inside transformer layers: fp8 with
                              * --precision fp8 */
    double grad_bytes, grad_accumulate;
    nnc_listing listing;
} nnc_lowering;

/* A writer appends ops to the segment of an op list that was begun last. `repeat` is the number of equal instances of
 * each appended op in one micro-batch. */
typedef struct nnc_writer {
    nnc_op_list *list;
    const nnc_lowering *how;
    int64_t repeat;
    int32_t block;     /* index of the recompute block to which appended ops belong; -1 = no recompute block */
    const char *place; /* place of the ops in the network, such as "down.0"; NULL = the names of the ops include the
                        * place */
} nnc_writer;

/* Appends a forward op whose dimensions are all 0, and returns the op. If the list is full, sets list->truncated and
 * returns the last op, which it overwrites. */
nnc_op *nnc_list_add(const nnc_writer *w, const char *name, nnc_op_kind kind, nnc_group group);
/* Returns the product of a and b. If the product does not fit into an int64, sets list->overflow. */
static inline int64_t nnc_list_mul(const nnc_writer *w, int64_t a, int64_t b) {
    int64_t product = 1;
    w->list->overflow |= !nnc_mul_i64(a, b, &product);
    return product;
}
/* Returns the number of bytes of `elements` activations, in the number format in which the writer's plan stores
 * activations. */
double nnc_list_bytes(const nnc_writer *w, int64_t elements);
/* Tests whether the plan recomputes one part of the layers in backward. what: the part, as one flag of
 * nnc_recompute. */
static inline bool nnc_list_recomputes(const nnc_writer *w, nnc_recompute what) {
    return (w->how->plan->recompute & what) != 0;
}
/* Marks the ops from index `first` to the end of the list as recomputed in backward. The marked ops after the first
 * matrix product are also marked as `dropped`: their inputs are not kept, because these inputs are recomputed in
 * backward. */
void nnc_list_again(const nnc_writer *w, int32_t first);

/* Begins a new recompute block, which one micro-batch runs `repeat` times, and returns a writer that appends ops to the
 * block. input_elements: number of elements of the block's input, which is kept for backward. */
nnc_writer nnc_list_block(const nnc_writer *w, int64_t repeat, int64_t input_elements);
/* Returns the number of units in one instance of a segment. A unit is the part whose weights ZeRO 3 gathers at once: a
 * recompute block, or the whole segment if the segment has no recompute blocks. */
double nnc_list_units(const nnc_op_list *list, int32_t segment);

/* Sets *least and *most to the smallest and the largest number of samples for which a captured program has a recorded
 * step. A plan can have each number of samples from *least to *most. */
void nnc_captured_batches(const struct nnc_captured *program, int64_t *least, int64_t *most);
/* Share of host.kernel_s in which the host issues a kernel without gradients. On the host with 37.5 us per kernel, a
 * single call takes 21.5 us for a copy of 1,048,576 values, and 25.7 us for a GELU of as many values. The device needs
 * about 1.4 us of each of these two times, so the host needs 20.1 us and 24.3 us. These times are 0.54 and 0.65 of 37.5
 * us; their mean is 0.59. Source: kernels_memory_h100_torch.csv (tests/published/h100). */
#define NNC_HOST_SHARE_FORWARD 0.6
/* Tests whether a step is one forward pass that trains nothing: the plan has --train none, or the program was captured
 * without a backward pass. */
bool nnc_is_forward_pass(const nnc_model *model, const nnc_plan *plan);
/* Tests whether an op list is for inference. The op list for inference has the forward ops of the training step without
 * dropout and loss. nnc_list_infers returns false for a captured program without backward, which has its own operators
 * and memory.
 *   [forward-pass] */
static inline bool nnc_list_infers(const nnc_op_list *list) { return list->forward_pass && !list->recorded; }
/* Returns the dropout probability of a layer, which is 0 in inference. */
static inline double nnc_list_dropout(const nnc_op_list *list, double probability) {
    return nnc_list_infers(list) ? 0.0 : probability;
}
/* Returns the seconds in which the host issues one kernel of an estimated step. In a forward pass without gradients,
 * the host takes only a share of host.kernel_s per kernel. */
double nnc_issue_s(const nnc_model *model, const nnc_plan *plan, const nnc_device *device);
/* Returns the size of the vocabulary of a captured program. Returns 0 if the model is not a captured program, or if a
 * captured program has no vocabulary or a padded vocabulary. */
int64_t nnc_captured_vocab(const nnc_model *model);

/* For software profiles that run operators one by one: sets for each op of the list the kernels that the library of the
 * model (transformers, timm ...) issues. */
void nnc_list_issue(nnc_op_list *list, const nnc_model *model, const nnc_lowering *how);
/* Sets the number of modules and of parameter tensors of each op, for frameworks that run hooks at modules. [hooks] */
void nnc_list_hook(nnc_op_list *list, const nnc_model *model);

/* Tests whether the plan trains all weights of the model and uses no adapters. */
bool nnc_plan_trains_all(const nnc_plan *plan);
/* Sizes for the optimizers GaLore and APOLLO, each added up over all matrices whose gradients the optimizer projects. A
 * projection has the rank of the plan, but at most the shorter side of the matrix. */
typedef struct nnc_projected {
    double params;   /* number of parameters of all projected matrices */
    double elements; /* elements of projections and moments: for each matrix, rank x (shorter side + 2 x longer side) */
    double products; /* sum of (rank x parameters) over all projected matrices */
} nnc_projected;

/* Returns the sizes for GaLore or APOLLO (struct nnc_projected), added up over the matrices of one linear layer. A
 * library can store the weight of one linear layer as several matrices (query, key, value). For ops that are no linear
 * layer, for routed experts and for towers, the returned sizes are 0. */
nnc_projected nnc_projected_of(const nnc_op *op, int64_t rank);
/* Marks weights that the plan does not train as frozen, inserts the ops of adapters, and marks the ops that have no
 * backward. [adapters] */
void nnc_list_train(nnc_op_list *list, const nnc_lowering *how);

/* Begins a new segment of the op list; all ops appended after this call belong to it, until the next segment begins.
 * instances: number of equal layers in the segment; layer: true = the segment consists of layers. */
void nnc_list_segment(const nnc_writer *w, int64_t instances, bool layer);

/* Appends a collective to the op list. */
void nnc_list_collective(const nnc_writer *w, const char *name, nnc_collective_op exchange);
/* Appends a linear layer y[m,n] = x[m,k] W[k,n] with a weight W that no other op uses, and returns the op. */
nnc_op *nnc_list_linear(const nnc_writer *w, const char *name, nnc_group group, nnc_split split, int64_t m, int64_t n,
                        int64_t k, bool bias);
nnc_op *nnc_list_norm(const nnc_writer *w, const char *name, nnc_norm_kind kind, int64_t elements, int64_t rows,
                      int64_t params);
nnc_op *nnc_list_pointwise(const nnc_writer *w, const char *name, nnc_pointwise_kind kind, nnc_group group,
                           int64_t elements);
/* Appends a convolution with a weight that no other op uses, and returns the op. */
nnc_op *nnc_list_conv(const nnc_writer *w, const char *name, nnc_group group, const nnc_conv *conv, bool bias);
/* Tests whether PyTorch adds the bias of a convolution in a separate kernel on a GPU. The test usually returns true,
 * because cuDNN computes a convolution without its bias. The test returns false for depthwise convolutions of
 * contiguous maps, for which PyTorch has kernels that add the bias. Source: aten/src/ATen/native/Convolution.cpp
 * (_convolution, use_cudnn_depthwise) of PyTorch. */
static inline bool nnc_conv_adds_bias(const nnc_conv *conv) {
    return !(conv->contiguous && !conv->transposed && conv->groups > 1 && conv->groups == conv->c_in);
}
/* Appends the op that adds a branch (attention or MLP) to the residual stream, and returns the op. */
nnc_op *nnc_list_residual(const nnc_writer *w, const char *name, nnc_group group, int64_t elements);
/* Appends a cross-entropy loss over `rows` rows with `classes` logits each, and returns the op. */
nnc_op *nnc_list_loss(const nnc_writer *w, int64_t rows, int64_t classes);

/* ---- families of models: the functions of a family for sizes, checks and lowering ---- */

/* nnc_model_sizes has those sizes of a model that other folders use; 0 = the model has no such size. NNC_EXPERTS_ANY is
 * a special value of the member `experts` of nnc_model_sizes. */
enum { NNC_EXPERTS_ANY = -1 };
typedef struct nnc_model_sizes {
    int64_t layers;  /* number of layers that pipeline stages can divide among themselves */
    int64_t hidden;  /* width of the output of a layer, in values per token */
    int64_t seq_len; /* number of tokens of a training sequence; 0 = the model trains on images */
    int64_t vocab;   /* number of rows of the token table, which tensor ranks divide among themselves */
    int64_t experts; /* routed experts per layer; NNC_EXPERTS_ANY = the network has tables instead, which any number of
                      * expert ranks can share */
    int64_t channels, image;
} nnc_model_sizes;

enum { NNC_SHAPE_TEXT = 64 };

typedef struct nnc_family_row {
    nnc_model_sizes (*sizes)(const nnc_model *model);
    /* Sets fields of the plan that depend on the model and that the user did not give. nncost calls this function
     * before it applies any other rule to the plan. NULL = the family sets no such fields. */
    void (*defaults)(const nnc_model *model, nnc_plan *plan);
    /* Sets the sequence length or the image size of the plan if the user did not give it. Returns NNC_ILLEGAL_PLAN if
     * the family does not support an option of the plan, or if the model cannot have this length or size. */
    nnc_status (*resolve)(const nnc_model *model, nnc_plan *plan, nnc_error *err);
    /* Checks the rules of the family for tensor, context and expert parallelism; NULL = the family supports data
     * parallelism only. */
    nnc_status (*split)(const nnc_model *model, const nnc_plan *plan, nnc_error *err);
    /* Appends the forward ops of one micro-batch to an empty op list. */
    void (*lower)(const nnc_model *model, const nnc_writer *w);
    /* Describes a model and its input in a few words. shape: "48 layers, hidden 1600"; input: "1024 tokens". */
    void (*describe)(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT]);
} nnc_family_row;

#define NNC_FAMILY_ROW(name, text, help, row) extern const nnc_family_row nnc_##row##_family;
NNC_FAMILY_LIST(NNC_FAMILY_ROW)
#undef NNC_FAMILY_ROW

const nnc_family_row *nnc_family_of(const nnc_model *model);
nnc_model_sizes nnc_model_sizes_of(const nnc_model *model);

/* Returns the number of rows of a token table for `words` words that `tensor` ranks divide among themselves. If the
 * words cannot be divided evenly, rows are added up to a multiple of 128 x tensor, as Megatron-LM does
 * (--make-vocab-size-divisible-by). [heads] */
int64_t nnc_vocab_split(int64_t words, int32_t tensor);

/* Sets the kernels of an attention op to the separate fp32 kernels that a library issues for it. [issued] */
void nnc_write_out(nnc_op *op);

/* Sets the kept bytes of each op in the list to the bytes that transformers, peft, timm or diffusers keep for the op.
 * [issued] */
void nnc_list_keep_by_library(nnc_op_list *list, const nnc_lowering *how, const nnc_model *model);

/* Empties the op list and writes the forward ops of one micro-batch with plan->micro_batch samples. The caller must
 * check list->overflow and list->truncated after nnc_lower. */
void nnc_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list);

/* Is called by families that train on images. Refuses options of the plan that describe tokens; sets plan->image to
 * `image` if the user did not give an image size. */
nnc_status nnc_family_takes_images(const nnc_model *model, int64_t image, nnc_plan *plan, nnc_error *err);

/* Appends the ops of a graph network (a tower) to the last segment of another network's op list. The ops process
 * `batch` samples. */
void nnc_graph_write_part(const nnc_graph *part, const nnc_writer *to, int64_t batch);

/* ---- one layer of a transformer: its shape, and the functions that write its ops ---- */

typedef struct nnc_layer {
    int64_t hidden; /* width of the residual stream, in values per token */
    nnc_norm_kind norm;
    nnc_norm_place norm_place;
    bool norm_bias, plain_norms;
    int64_t heads, kv_heads, head_dim, value_dim;
    int64_t window; /* number of keys that a query attends to under the causal mask, the key of its own token
                        * included; 0 = no window */
    /* number of tokens for which there is one compressed key; 0 = the layer has no compressed keys */
    int64_t far_ratio;
    int64_t far_most; /* largest number of compressed keys to which a query attends; 0 = no limit */
    bool chunked;     /* true: a query attends to earlier tokens of its own chunk of `window` tokens; false: to the
                        * last `window` tokens */
    /* number of values per head that the rotary embedding rotates; 0 = the layer has no rotary embedding */
    int64_t rotary;
    bool rotary_scale;
    nnc_qk_norm qk_norm;
    /* true: the layer has latent attention, in which queries, keys and values are projections of short vectors
     * (latents) */
    bool latent;
    bool causal, qkv_bias, no_key_bias, out_bias;
    bool sinks, attention_gate, head_gate, score_softcap;
    /* true: the keys are used as values, too, so the layer has no projection to values */
    bool keys_as_values;
    /* true: the layer has no keys and values of its own and attends to those of an earlier layer */
    bool reuses_kv;
    /* true: a layer that reuses keys and values also has weights to compute keys and values, but no step uses these
     * weights */
    bool unused_kv;
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

/* Names of the ops of an attention, not including its projections. `fused` is the name of the op if attention is one
 * op; the remaining members are the names of the ops if attention is several ops. */
typedef struct nnc_core_names {
    const char *fused, *scores, *mask, *softmax, *dropout, *context;
} nnc_core_names;

/* Names of the ops of an attention, including its projections, in the order in which the ops run. */
typedef struct nnc_attention_names {
    const char *norm, *tensor_in, *q, *kv, *rotary, *context_in;
    nnc_core_names core;
    /* names of the ops that follow the attention itself; residual NULL = the caller appends the residual op */
    const char *context_out, *out, *tensor_out, *end_norm, *residual;
} nnc_attention_names;
/* the usual names of the ops of self-attention, which begin with "attn.": "attn.norm" ... */
extern const nnc_attention_names nnc_attention_plain;

/* Names of the ops of an MLP: its first product, the activation, and its last product. */
typedef struct nnc_mlp_names {
    const char *up, *activation, *down;
} nnc_mlp_names;

/* A sequence to whose keys and values a cross-attention attends, such as the output of an encoder. */
typedef struct nnc_cross {
    int64_t len, width;
    bool frozen; /* true: the sequence needs no gradient, because no op before the sequence is trained */
    /* number of layers that share one copy of the sequence, which is kept for backward; 0 = this layer keeps no copy */
    int64_t shares;
} nnc_cross;

nnc_op *nnc_layer_norm(const nnc_layer_writer *w, const char *name, int64_t width);
/* Appends a linear layer y = x W that processes all tokens of the layer, and returns the op. n: number of outputs; k:
 * number of inputs. */
nnc_op *nnc_layer_linear(const nnc_layer_writer *w, const char *name, nnc_group group, nnc_split split, int64_t n,
                         int64_t k, bool bias);

/* Appends the op that adds a branch (attention or MLP) to the residual stream; if the layer has dropout, the op
 * includes the dropout. */
void nnc_layer_residual(const nnc_layer_writer *w, const char *name, nnc_group group);
/* Appends the op that adds a branch (attention or MLP) to the residual stream. If the layer has a norm at the end of
 * the branch, before or after the addition, appends this norm as well. */
void nnc_layer_join(const nnc_layer_writer *w, const char *norm, const char *name, nnc_group group);
/* Appends the norm at the start of attention or MLP; appends no op if the layer has no norm there. */
void nnc_layer_begin_norm(const nnc_layer_writer *w, const char *name);
/* Appends a dropout as an op of its own; appends no op if the layer has no dropout. */
void nnc_layer_dropout(const nnc_layer_writer *w, const char *name, nnc_group group);
/* Appends the op of the rotary embedding, which rotates `width` values of each token. */
void nnc_layer_rotary(const nnc_layer_writer *w, const char *name, int64_t width);

/* nnc_layer_project appends the projections of an attention to queries, keys and values. nnc_layer_attend appends the
 * attention, its output projection and its residual. nnc_layer_attention appends the norm, and then the ops of
 * nnc_layer_project and nnc_layer_attend. cross: sequence to which a cross-attention attends; NULL = self-attention. */
void nnc_layer_project(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);
void nnc_layer_attend(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);
void nnc_layer_attention(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross);

/* Appends the attention itself, without its projections. s_k: number of keys and values per sequence. */
void nnc_layer_core(const nnc_layer_writer *w, const nnc_core_names *names, int64_t s_k);

/* Returns the kernel that runs fused attention: the kernel that the plan names with --attention, or else the kernel of
 * the software profile. */
nnc_flash_kernel nnc_attention_kernel(nnc_attention attention, const nnc_software *software);

/* Appends an MLP whose first product has `inner` outputs per token after the activation. keeps_input: true = the first
 * product counts the kept bytes of its input. */
void nnc_layer_dense(const nnc_layer_writer *w, const nnc_mlp_names *names, int64_t inner, bool keeps_input);
/* Tests whether the plan recomputes an activation in backward instead of keeping its output. split:
 * NNC_SPLIT_EXPERT_INNER for an activation of routed experts, any value but this for an activation outside of routed
 * experts. */
bool nnc_layer_acts_again(const nnc_layer_writer *w, nnc_split split);
nnc_op *nnc_layer_activation(const nnc_layer_writer *w, const char *name, nnc_split split, int64_t elements);
/* Appends the norm "mlp.norm", the MLP and the residual of a layer. */
void nnc_layer_mlp(const nnc_layer_writer *w);

/* Appends the collective at the start (entering true) or at the end (entering false) of the part of a layer that tensor
 * ranks divide. The collective is an all-reduce of activations. With sequence parallelism, the collective at the start
 * is an all-gather, and the collective at the end is a reduce-scatter. Appends no op if the degree of tensor
 * parallelism is 1. Source: Megatron-LM arXiv:1909.08053, arXiv:2205.05198. [tensor-parallel] */
void nnc_layer_tensor_collective(const nnc_layer_writer *w, const char *name, bool entering, int64_t width);

/* Tests whether each context rank computes attention for a part of the heads over all tokens (Ulysses). Without
 * Ulysses, each context rank computes attention for all heads over its part of the tokens. */
bool nnc_context_over_heads(const nnc_plan *plan);

/* ---- decoder_layers.c: functions that write parts of a decoder's layers ---- */

/* Appends the projections of latent attention, which compute queries, keys and values from short vectors (latents).
 * Source: arXiv:2405.04434. [latent-attention] */
void nnc_decoder_project_latent(const nnc_layer_writer *w, const nnc_decoder *d);
/* Appends the projections that compute the queries and the one key that all heads share. For the mixers NNC_MIXER_FAR
 * and NNC_MIXER_FAR_PICKED, appends the ops that compute compressed keys (one key for several tokens) as well.
 * [shared-keys] */
void nnc_decoder_project_shared(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer);
/* Appends the ops that combine several residual streams into the input of attention or MLP, and that add the output of
 * attention or MLP to the streams. half: names of the three ops; NULL = the streams are combined for the head, and
 * nothing is added to the streams. [streams] */
void nnc_decoder_streams(const nnc_layer_writer *w, const nnc_decoder *d, const char *const *half);
void nnc_decoder_predict_streams(const nnc_layer_writer *w, const nnc_decoder *d);
void nnc_decoder_correct_streams(const nnc_layer_writer *w, const nnc_decoder *d);
void nnc_decoder_project_streams(const nnc_layer_writer *w, const nnc_decoder *d, bool at_end);
void nnc_decoder_add_laurel(const nnc_layer_writer *w, const nnc_decoder *d);
void nnc_decoder_read_blocks(const nnc_layer_writer *w, const nnc_decoder *d, nnc_group reader);
/* Appends the ops of the indexer of sparse attention, which selects the tokens to which a query attends. Must be called
 * after the projections of the attention were appended. [indexer] */
void nnc_decoder_pick_tokens(const nnc_layer_writer *w, const nnc_decoder *d);
/* Appends the ops of the experts in a layer: norm, router, dispatch, routed and shared experts, combine and residual.
 * [experts] */
void nnc_decoder_experts(const nnc_layer_writer *w, const nnc_decoder *d);
/* Appends the table from which each layer gets an input of its own, and the product that adds a projection of the
 * token's embedding to these inputs. [layer-inputs] */
void nnc_decoder_embed_inputs(const nnc_layer_writer *w, const nnc_decoder *d);
/* Appends the ops at the end of a layer that use the layer's own input: this input multiplies a projection of the
 * residual stream, and the result is added to the stream. [layer-inputs] */
void nnc_decoder_add_input(const nnc_layer_writer *w, const nnc_decoder *d);
/* Appends a mixer that keeps a state, with its norm and residual. Appends no op if the mixer is an attention, which
 * keeps keys and values. [state-mixers] */
void nnc_decoder_keep_state(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer);
bool nnc_mixer_attends(nnc_mixer mixer);

/* ---- dividing a model over ranks: which plans are legal, and the dimensions of the ops of one rank ---- */

/* Checks that the size `whole` can be divided evenly over `ranks` ranks. what: name of this size in the error message;
 * option: option that the error names. */
nnc_status nnc_divides(const char *option, const char *what, int64_t whole, int64_t ranks, nnc_error *err);

/* nnc_layer_split_context checks whether context ranks can divide a layer. nnc_layer_split_tensor checks whether tensor
 * ranks can divide a layer. If a layer cannot be divided, the result is NNC_ILLEGAL_PLAN; err names the option, the
 * rule with its numbers, and the nearest legal values. [legal-plans] */
nnc_status nnc_layer_split_context(const nnc_layer *layer, const nnc_plan *plan, int64_t seq_len, nnc_error *err);
nnc_status nnc_layer_split_tensor(const nnc_layer *layer, const nnc_plan *plan, nnc_error *err);
/* Checks that tensor ranks with sequence parallelism can divide the tokens of a micro-batch evenly. */
nnc_status nnc_layer_split_sequence(const nnc_plan *plan, int64_t tokens, nnc_error *err);

/* Completes the plan so that devices = data x tensor x pipeline x context: computes plan->data from plan->devices, or
 * plan->devices from the degrees. If plan->devices and plan->data are both 0, plan->data becomes 1. Returns
 * NNC_ILLEGAL_PLAN if `devices` is not a multiple of tensor x pipeline x context, and NNC_BAD_USAGE if the given
 * `devices` and `data` contradict each other. */
nnc_status nnc_plan_split_devices(nnc_plan *plan, nnc_error *err);

/* Checks all rules by which ranks must be able to divide the model and the batch evenly. Sets plan->devices_per_node
 * and plan->shard if the user did not give these. Devices, batch and lengths of the plan must already be filled in. If
 * a rule is broken, returns NNC_ILLEGAL_PLAN; err names the option, the rule with its numbers, and the nearest legal
 * values. [legal-plans] */
nnc_status nnc_plan_split(const nnc_model *model, const nnc_device *device, nnc_plan *plan, nnc_error *err);
/* Checks only the rules for ZeRO stage, ranks per shard, offload and optimizer. These checks (ZeRO stage, ranks per
 * shard, offload, optimizer) are enough if a plan was legal and only these four settings were changed. */
nnc_status nnc_plan_split_data(nnc_plan *plan, nnc_error *err);

/* Tests whether nncost knows which kernels a software profile fuses when it runs a captured program. */
static inline bool nnc_fuses_captured(const nnc_software *software) {
    return strcmp(software->id, "torch-compile") == 0;
}

/* Returns the number of ranks over which the experts and their copies are distributed: data x context; this number x
 * tensor if tensor ranks do not split an expert. */
int32_t nnc_plan_expert_ranks(const nnc_plan *plan);

/* Divides the dimensions of every op in the list by the degrees of tensor, context and expert parallelism. Data and
 * pipeline parallelism change no op, because they divide samples and layers. The plan must be legal (nnc_plan_resolve)
 * before its op list is divided. Most work is divided, so the sum over all ranks is the whole work. Three kinds of work
 * are not divided completely, so several ranks repeat them: norms without sequence parallelism, the router, and the key
 * and value heads if these are fewer than the tensor ranks. Sources: Megatron-LM arXiv:1909.08053, sequence parallelism
 * arXiv:2205.05198, context parallelism arXiv:2310.01889 and arXiv:2309.14509. [sharding] */
void nnc_list_shard(nnc_op_list *list, const nnc_plan *plan);

#endif
