/* A measured training step: what its cells mean as a model and a plan. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "lab/measured_cells.h"

typedef struct step_reader { /* a row being read */
    nnc_measured_cells *cells;
    nnc_measured *row;
    const nnc_framework *from;
    char undecided[160];
} step_reader;

/* What a cell stands for, "" = nothing is said. */
static const char *meaning(step_reader *r, nnc_measured_column column)
{
    const char *refused = NULL;
    const char *text = nnc_words_meaning(r->cells->words, nnc_measured_column_name(column),
                                         r->cells->text[column], &refused);
    if (refused != NULL) {
        nnc_measured_refuse(r->cells, r->row, "%s", refused);
    }
    return text;
}

static void refuse_word(step_reader *r, nnc_measured_column column)
{
    nnc_measured_refuse(r->cells, r->row, "%s \"%.64s\" has no meaning here",
                        nnc_measured_column_name(column), r->cells->text[column]);
}

/* Sets a field of the plan to what a cell stands for. false: it says nothing. */
static bool set_word(step_reader *r, nnc_measured_column column, const char *field)
{
    const char *text = meaning(r, column);
    if (text[0] != '\0' && nnc_plan_set(&r->row->plan, field, text, NULL) != NNC_OK) {
        refuse_word(r, column);
    }
    return text[0] != '\0';
}

static void leaves_open(step_reader *r, const char *what)
{
    const size_t used = strlen(r->undecided);
    snprintf(r->undecided + used, sizeof r->undecided - used, "%s%s", used > 0 ? ", " : "", what);
}

static int64_t whole(const step_reader *r, nnc_measured_column column)
{
    return nnc_cell_whole(r->cells, column);
}

static bool given(const step_reader *r, nnc_measured_column column)
{
    return nnc_cell_given(r->cells, column);
}

static void find_framework(step_reader *r)
{
    const nnc_words_run run = { .framework = r->cells->text[NNC_COLUMN_FRAMEWORK],
                                .version = r->cells->text[NNC_COLUMN_FRAMEWORK_VERSION],
                                .hardware = r->cells->text[NNC_COLUMN_HARDWARE],
                                .precision = r->cells->text[NNC_COLUMN_PRECISION],
                                .notes = r->cells->text[NNC_COLUMN_NOTES],
                                .model = r->cells->text[NNC_COLUMN_MODEL_NAME] };
    r->from = nnc_words_framework(r->cells->words, &run, &r->row->software);
    r->row->from = r->from;
}

static void set_experts(step_reader *r, nnc_decoder *d)
{
    d->experts = whole(r, NNC_COLUMN_N_EXPERTS);
    if (d->experts > 0) {
        d->experts_per_token = whole(r, NNC_COLUMN_TOP_K);
        d->expert_hidden = whole(r, NNC_COLUMN_MOE_D_FF);
        d->shared_hidden = whole(r, NNC_COLUMN_SHARED_D_FF);
        d->dense_layers = whole(r, NNC_COLUMN_N_DENSE_LAYERS);
        r->row->plan.capacity_factor = r->from->capacity_factor;
        if (d->ffn_hidden == 0) { /* of dense layers, of which there may be none */
            d->ffn_hidden = d->expert_hidden;
        }
    }
    const char *attention = meaning(r, NNC_COLUMN_ATTENTION);
    if (strcmp(attention, "latent") == 0) {
        d->q_lora_rank = whole(r, NNC_COLUMN_Q_LORA_RANK);
        d->kv_lora_rank = whole(r, NNC_COLUMN_KV_LORA_RANK);
        d->qk_nope_head_dim = whole(r, NNC_COLUMN_QK_NOPE_DIM);
        d->qk_rope_head_dim = whole(r, NNC_COLUMN_QK_ROPE_DIM);
        d->v_head_dim = whole(r, NNC_COLUMN_V_HEAD_DIM);
        d->head_dim = d->qk_nope_head_dim + d->qk_rope_head_dim;
        d->kv_heads = d->heads;
    } else if (attention[0] != '\0' && strcmp(attention, "plain") != 0) {
        refuse_word(r, NNC_COLUMN_ATTENTION);
    }
}

/* A GPT: biases, GELU, layer norm, learned positions. A LLaMA: none, SwiGLU, RMS norm, rotary. */
static void set_block(step_reader *r, nnc_words_family family, nnc_model *model)
{
    nnc_decoder *d = &model->decoder;
    const bool gated = whole(r, NNC_COLUMN_GATED_MLP) == 1;
    const char *positions = meaning(r, NNC_COLUMN_POS_EMBEDDING);
    d->mlp = gated ? NNC_MLP_SWIGLU : NNC_MLP_GELU;
    d->positions = gated ? NNC_POSITIONS_ROTARY : NNC_POSITIONS_LEARNED;
    d->norm = gated ? NNC_NORM_RMS : NNC_NORM_LAYER;
    if (positions[0] != '\0' && nnc_model_set(model, "positions", positions, NULL) != NNC_OK) {
        refuse_word(r, NNC_COLUMN_POS_EMBEDDING);
    }
    d->biases = !gated && d->positions != NNC_POSITIONS_ROTARY;
    d->dropout = !gated && r->row->plan.precision == NNC_FP16 ? r->from->fp16_dropout : 0.0;
    if (!nnc_words_family_set(family, gated, model)) {
        nnc_measured_refuse(r->cells, r->row, "lab/words.json sets a field that a model has not");
    }
}

static void set_decoder(step_reader *r, nnc_decoder *d)
{
    const int32_t tensor = nnc_cell_degree(r->cells, NNC_COLUMN_TP, 1);
    *d = (nnc_decoder){
        .layers = whole(r, NNC_COLUMN_N_LAYERS),
        .hidden = whole(r, NNC_COLUMN_D_MODEL),
        .heads = whole(r, NNC_COLUMN_N_HEADS),
        .kv_heads = whole(r, NNC_COLUMN_N_KV_HEADS),
        .head_dim = whole(r, NNC_COLUMN_HEAD_DIM),
        .ffn_hidden = whole(r, NNC_COLUMN_D_FF),
        .vocab = whole(r, NNC_COLUMN_VOCAB),
        .vocab_multiple = 1,
        .seq_len = whole(r, NNC_COLUMN_SEQ_LEN),
        .tied_head = whole(r, NNC_COLUMN_TIED_EMBEDDINGS) == 1,
    };
    if (d->kv_heads == 0) {
        d->kv_heads = d->heads;
    }
    if (d->head_dim == 0 && d->heads > 0) {
        d->head_dim = d->hidden / d->heads;
    }
    if (r->from->vocab_multiple > 0 && tensor > 0) { /* so that every rank holds as many rows */
        d->vocab_multiple = r->from->vocab_multiple * (int64_t)tensor;
    }
    d->next_layers = whole(r, NNC_COLUMN_MTP_LAYERS);
    r->row->plan.next_tokens = d->next_layers > 0;
    nnc_measured_windows(r->cells, r->row, d);
    set_experts(r, d);
}

/* Does lab/members.json know the network by its name? */
static bool set_member(step_reader *r)
{
    const nnc_member *member = NULL;
    if (nnc_members_find(r->cells->members, r->cells->text[NNC_COLUMN_MODEL_NAME],
                         r->cells->text[NNC_COLUMN_TASK], &member, NULL) != NNC_OK) {
        r->cells->no_memory = true;
    }
    if (member == NULL) {
        return false;
    }
    r->row->model = member->model;
    const bool experts = member->model != NULL && member->model->decoder.experts > 0;
    r->row->plan.capacity_factor = experts ? r->from->capacity_factor : 0.0;
    r->row->plan.image = whole(r, NNC_COLUMN_IMAGE_SIZE);
    r->row->plan.seq_len = whole(r, NNC_COLUMN_SEQ_LEN);
    if (strcmp(r->cells->text[NNC_COLUMN_VARIABLE_LENGTH], "unpadded") == 0) {
        r->row->plan.seq_len /= 2; /* half of a padded batch of BERT is padding: arXiv:2107.02027 */
    }
    if (member->reason != NULL) {
        nnc_measured_refuse(r->cells, r->row, "%s", member->reason);
    }
    return true;
}

static void set_model(step_reader *r)
{
    nnc_error err = { 0 };
    const char *family = r->cells->text[NNC_COLUMN_MODEL_FAMILY];
    nnc_model *model = NULL;
    const nnc_words_family words =
        nnc_words_family_of(r->cells->words, family, r->cells->text[NNC_COLUMN_MODEL_NAME]);
    if (set_member(r)) {
        return;
    }
    if (!given(r, NNC_COLUMN_N_LAYERS) && words.model_id == NULL) {
        nnc_measured_refuse(r->cells, r->row, "no layers, and no such network in lab/members.json");
    }
    if (words.model_id != NULL) {
        r->row->model_id = nnc_arena_strdup(r->cells->arena, words.model_id);
        r->cells->no_memory = r->cells->no_memory || r->row->model_id == NULL;
        r->row->plan.image = whole(r, NNC_COLUMN_IMAGE_SIZE);
        return;
    }
    if (words.refused != NULL) {
        nnc_measured_refuse(r->cells, r->row, "model family %.32s %s", family, words.refused);
    }
    model = nnc_arena_alloc(r->cells->arena, sizeof *model);
    if (model == NULL) {
        r->cells->no_memory = true;
        return;
    }
    model->family = NNC_FAMILY_DECODER;
    snprintf(model->id, sizeof model->id, "%.63s", r->cells->text[NNC_COLUMN_MODEL_NAME]);
    snprintf(model->name, sizeof model->name, "%.95s", r->cells->text[NNC_COLUMN_MODEL_NAME]);
    r->row->model = model;
    set_decoder(r, &model->decoder);
    set_block(r, words, model);
    if (nnc_model_check(model, "model", &err) != NNC_OK) {
        const char *field = strrchr(err.where, ' ');
        nnc_measured_refuse(r->cells, r->row, "%.64s %.200s", field != NULL ? field + 1 : err.where,
                            err.what);
    }
}

enum { USUAL_RANK = 16, VIRTUAL_MOST = 64, ONE_PASS_MOST = 16 };

/* What is trained: everything, or adapters beside frozen weights. */
static void set_task(step_reader *r, nnc_plan *p)
{
    const char *task = meaning(r, NNC_COLUMN_TASK);
    if (strcmp(task, "lora") == 0) {
        p->adapter_rank =
            given(r, NNC_COLUMN_LORA_RANK) ? whole(r, NNC_COLUMN_LORA_RANK) : USUAL_RANK;
        p->adapters = r->from->adapters;
    } else if (task[0] != '\0') {
        refuse_word(r, NNC_COLUMN_TASK);
    }
}

static void set_sharding(step_reader *r, nnc_plan *p)
{
    if (!set_word(r, NNC_COLUMN_SHARDING, "zero")) {
        p->zero = given(r, NNC_COLUMN_ZERO_STAGE) ? 0 : r->from->zero;
    }
    p->zero = nnc_cell_degree(r->cells, NNC_COLUMN_ZERO_STAGE, p->zero);
    p->shard = p->zero > 0 ? nnc_cell_degree(r->cells, NNC_COLUMN_SHARD_SIZE, 0) : 0;
    p->whole_experts = r->from->whole_experts && p->tensor > 1 && p->expert > 1;
    p->reshard = p->pipeline == 1 || !r->from->gathered_in_pipelines;
    (void)set_word(r, NNC_COLUMN_OFFLOAD, "offload");
}

/* Of a pipeline that does not say: a layer each, where micro-batches allow it. */
static void guess_virtual_stages(const step_reader *r, nnc_plan *p)
{
    const int64_t layers = whole(r, NNC_COLUMN_N_LAYERS), each = layers / p->pipeline;
    const int64_t micro_batches = nnc_cell_whole(r->cells, NNC_COLUMN_GRAD_ACCUM);
    const bool whole_groups = micro_batches > 0 && micro_batches % p->pipeline == 0;
    if (r->from->interleaves && layers % p->pipeline == 0 && each <= VIRTUAL_MOST && whole_groups) {
        p->virtual_stages = (int32_t)each;
    }
}

static void set_degrees(step_reader *r, nnc_plan *p)
{
    const nnc_measured_cells *cells = r->cells;
    p->devices = nnc_cell_degree(cells, NNC_COLUMN_N_DEVICES, 0);
    p->devices_per_node = nnc_cell_degree(cells, NNC_COLUMN_DEVICES_PER_NODE, 0);
    p->tensor = nnc_cell_degree(cells, NNC_COLUMN_TP, 1);
    p->pipeline = nnc_cell_degree(cells, NNC_COLUMN_PP, 1);
    p->virtual_stages = nnc_cell_degree(cells, NNC_COLUMN_VPP, 1);
    p->data = nnc_cell_degree(cells, NNC_COLUMN_DP, 0);
    p->context = nnc_cell_degree(cells, NNC_COLUMN_CP, 1);
    p->expert = nnc_cell_degree(cells, NNC_COLUMN_EP, 1);
    p->sequence_parallel = given(r, NNC_COLUMN_SP) ? whole(r, NNC_COLUMN_SP) == 1
                                                   : r->from->sequence_parallel && p->tensor > 1;
    p->sequence_parallel &= p->tensor > 1; /* stated of runs where it has nothing to divide */
    p->context_kind = p->adapter_rank > 0 ? r->from->adapter_context_kind : r->from->context_kind;
    p->overlap = isnan(r->from->overlap) ? p->overlap : r->from->overlap;
    const int64_t layers = whole(r, NNC_COLUMN_N_LAYERS),
                  stages = (int64_t)p->pipeline * p->virtual_stages;
    p->ends_as_layers =
        r->from->ends_as_layers && layers % stages > 0 && (layers + 2) % stages == 0;
    if (p->devices > 1 && !given(r, NNC_COLUMN_TP) && !given(r, NNC_COLUMN_DP)) {
        leaves_open(r, "parallelism");
    } else if (p->pipeline > 1 && !given(r, NNC_COLUMN_VPP)) {
        leaves_open(r, "vpp");
        guess_virtual_stages(r, p);
    }
}

/* A count of sequences; a part of one cannot be expressed. */
static int64_t sequences(step_reader *r, nnc_measured_column column, const char *name)
{
    const double value = nnc_cell_number(r->cells, column);
    if (isnan(value)) {
        return 0;
    }
    if (!(value >= 1.0 && value <= 1e15) || floor(value) != value) {
        nnc_measured_refuse(r->cells, r->row, "%s is not a whole number", name);
        return 0;
    }
    return (int64_t)value;
}

/* Where neither is stated: the framework's, else one pass where it is small and there is no pipeline
 * to fill, else single sequences. */
static void guess_micro_batch(step_reader *r, nnc_plan *p)
{
    int64_t ranks = (int64_t)p->tensor * p->pipeline;
    if (!nnc_mul_i64(ranks, p->context, &ranks)) {
        ranks = 0; /* illegal whatever the batch is */
    }
    const int64_t data = p->data > 0 ? p->data : ranks > 0 ? p->devices / ranks : 0;
    const int64_t own = data > 0 && p->global_batch % data == 0 ? p->global_batch / data : 0;
    const int64_t usual = r->from->micro_batch;
    leaves_open(r, "micro_batch");
    const bool one_pass = r->from->one_pass || (own <= ONE_PASS_MOST && p->pipeline == 1);
    p->micro_batch = usual > 0 && own % usual == 0 ? usual : one_pass && own > 0 ? own : 1;
}

static void set_batch(step_reader *r, nnc_plan *p)
{
    const double tokens = nnc_cell_number(r->cells, NNC_COLUMN_TOKENS_PER_STEP);
    p->micro_batch = sequences(r, NNC_COLUMN_MICRO_BATCH, "micro_batch");
    p->micro_batches = sequences(r, NNC_COLUMN_GRAD_ACCUM, "grad_accum");
    p->global_batch = sequences(r, NNC_COLUMN_GLOBAL_BATCH, "global_batch");
    const double length = (double)whole(r, NNC_COLUMN_SEQ_LEN);
    const double full = (double)p->global_batch * length;
    if (full > 0.0 && !isnan(tokens) && fabs(tokens / full - 1.0) > 0.001) {
        nnc_measured_refuse(r->cells, r->row, "tokens_per_step: sequences are packed or padded");
    }
    if (strstr(r->undecided, "parallelism") != NULL && p->global_batch > 0 &&
        p->devices > p->global_batch && p->devices % p->global_batch == 0) {
        p->tensor = (int32_t)(p->devices / p->global_batch); /* more replicas have nothing to do */
    }
    if (p->micro_batch == 0 && p->micro_batches == 0) {
        guess_micro_batch(r, p);
    }
}

static void set_recompute(step_reader *r, nnc_plan *p)
{
    if (!set_word(r, NNC_COLUMN_RECOMPUTE, "recompute")) {
        leaves_open(r, "recompute");
    }
    if (r->from->half_selective && p->recompute == NNC_RECOMPUTE_ATTENTION) {
        const int64_t stages = p->pipeline > 0 ? p->pipeline : 1;
        p->recompute = NNC_RECOMPUTE_FULL;
        p->recompute_layers = nnc_ceil_div(whole(r, NNC_COLUMN_N_LAYERS), 2 * stages);
    }
}

static void set_formats(step_reader *r, nnc_plan *p)
{
    if (!set_word(r, NNC_COLUMN_FLASH_ATTENTION, "attention")) {
        p->attention = r->from->attention;
    }
    (void)set_word(r, NNC_COLUMN_PRECISION, "precision");
    if (r->from->precision_as[0] != '\0') {
        (void)nnc_plan_set(p, "precision", r->from->precision_as, NULL);
    }
    (void)set_word(r, NNC_COLUMN_OPTIMIZER, "optimizer");
    if (p->attention == NNC_ATTENTION_FLASH && r->from->attention != NNC_ATTENTION_UNFUSED) {
        p->attention = r->from->attention; /* which of the fused kernels */
    }
    p->policy = r->from->policy;
    if (p->precision == NNC_FP32 || p->precision == NNC_TF32) {
        p->policy = NNC_POLICY_FP32;
    } else if (p->policy == NNC_POLICY_MIXED_FP32GRAD && p->precision == NNC_FP16) {
        p->policy = NNC_POLICY_MIXED; /* Megatron adds up bf16 gradients in fp32, not these */
    }
}

static void set_measured(step_reader *r)
{
    r->row->measured_s = nnc_cell_number(r->cells, NNC_COLUMN_MEASURED_STEP_S);
    r->row->rounding = nnc_cell_number(r->cells, NNC_COLUMN_STEP_REL_UNC);
    nnc_measured_peaks(r->cells, r->row);
    if (strstr(r->cells->text[NNC_COLUMN_STEP_BASIS], "composed from parts") != NULL) {
        leaves_open(r, "composed from parts");
    }
    const char *quality = r->cells->text[NNC_COLUMN_QUALITY];
    if (strcmp(quality, "B") == 0) { /* of a collection that grades its rows */
        leaves_open(r, "quality B");
    } else if (strcmp(quality, "C") == 0) {
        nnc_measured_refuse(r->cells, r->row, "quality C: contradicts itself or physics");
    }
}

void nnc_measured_step(nnc_measured_cells *cells, nnc_measured *row)
{
    step_reader r = { .cells = cells, .row = row };
    find_framework(&r);
    set_formats(&r, &row->plan);
    set_task(&r, &row->plan);
    set_degrees(&r, &row->plan);
    set_sharding(&r, &row->plan);
    set_batch(&r, &row->plan);
    set_recompute(&r, &row->plan);
    set_model(&r);
    nnc_measured_network(cells, row);
    set_measured(&r);
    if (r.undecided[0] != '\0') {
        row->undecided = nnc_arena_strdup(cells->arena, r.undecided);
        if (row->undecided == NULL) {
            row->undecided = "";
            cells->no_memory = true;
        }
    }
}
