/* Which figures rows can determine: the table at the head of fit.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lab/fit.h"
#include "shape/transformer.h"

enum {
    KERNEL_ROWS = 20,
    COLLECTIVE_ROWS = 6,
    STEP_ROWS = 5,
    ROWS_PER_FIGURE = 5,
    ATTENTION_ROWS = 3
};

static const char few_kernels[] = "takes 20 rows or more";
static const char few_collectives[] = "takes 6 rows or more";
static const char few_steps[] = "takes 5 rows or more for each figure";
static const char one_shape[] = "takes steps of two hidden sizes and two sequence lengths";
static const char one_size[] = "takes groups of two sizes";
static const char one_width[] = "takes heads of two widths";
static const char one_depth[] = "takes models of two depths, or is one with step_s";
static const char from_kernels[] = "is fitted on kernels";

static const char *kernel_name(const nnc_measured *row)
{
    return row->op.kind == NNC_OP_FLASH ? nnc_flash_kernel_name(row->op.u.flash.kernel) : "";
}

/* That of a batch alone is a prefill, which says more of the steps than of a server. */
static bool is_first_token(const nnc_measured *row)
{
    return row->served == NNC_SERVED_TTFT && row->ask.batch == 0;
}

/* The name of a row's group; false: no figure explains it. */
static bool name_group(const nnc_measured *row, char *name, size_t size)
{
    switch (row->kind) {
    case NNC_MEASURED_STEP: snprintf(name, size, "steps"); return true;
    case NNC_MEASURED_GEMM:
        snprintf(name, size, "gemm %s", nnc_dtype_name(row->op.math_dtype));
        return true;
    case NNC_MEASURED_ATTENTION:
        snprintf(name, size, "attention %s", kernel_name(row));
        return true;
    case NNC_MEASURED_VECTOR: snprintf(name, size, "pointwise"); return true;
    case NNC_MEASURED_COLLECTIVE:
        snprintf(name, size, "%s",
                 row->exchange.nodes > 1 ? "collectives between nodes"
                                         : nnc_collective_name(row->exchange.kind));
        return row->exchange.kind == NNC_ALL_REDUCE || row->exchange.kind == NNC_ALL_GATHER ||
               row->exchange.kind == NNC_REDUCE_SCATTER || row->exchange.kind == NNC_ALL_TO_ALL;
    case NNC_MEASURED_SERVING:
        snprintf(name, size, is_first_token(row) ? "time to first token" : "time per token");
        return true;
    default: return false;
    }
}

bool nnc_fit_takes(const nnc_measured *row, bool served, const char **reason)
{
    char name[sizeof((nnc_fit_group *)0)->name];
    *reason = NULL;
    if (served != (row->kind == NNC_MEASURED_SERVING)) {
        *reason = served ? "was not served" : "no efficiency figure explains it";
    } else if (served && row->served == NNC_SERVED_PASS) {
        *reason = "is one pass, which no figure of an engine explains";
    } else if (!name_group(row, name, sizeof name)) {
        *reason = "no efficiency figure explains it";
    } else if (!(row->measured_s > 0.0)) {
        *reason = "states no time";
    }
    return *reason == NULL;
}

static int32_t group_named(nnc_fit *fit, const char *name, nnc_measured_kind kind)
{
    int32_t i = 0;
    while (i < fit->group_count && strcmp(fit->groups[i].name, name) != 0) {
        i++;
    }
    if (i == fit->group_count) {
        nnc_fit_group *group = &fit->groups[fit->group_count++];
        *group = (nnc_fit_group){ .kind = kind };
        snprintf(group->name, sizeof group->name, "%s", name);
    }
    return i;
}

/* Kernels first, then what contains them. */
static int rank_of(const nnc_measured *row)
{
    static const nnc_measured_kind order[] = { NNC_MEASURED_GEMM, NNC_MEASURED_ATTENTION,
                                               NNC_MEASURED_VECTOR, NNC_MEASURED_COLLECTIVE };
    int rank = 0;
    if (row->kind == NNC_MEASURED_SERVING) {
        return is_first_token(row) ? 5 : 4;
    }
    while (rank < 4 && order[rank] != row->kind) {
        rank++;
    }
    return rank < 3 ? rank : rank == 4 ? 5 : row->exchange.nodes > 1 ? 4 : 3;
}

void nnc_fit_group_rows(nnc_fit *fit)
{
    char name[sizeof fit->groups[0].name];
    fit->group_count = 0;
    for (int rank = 0; rank <= 5; rank++) {
        for (int32_t i = 0; i < fit->row_count; i++) {
            nnc_fit_row *r = &fit->rows[i];
            if (rank_of(r->row) == rank && name_group(r->row, name, sizeof name)) {
                r->group = group_named(fit, name, r->row->kind);
                fit->groups[r->group].rows += !r->held;
                fit->groups[r->group].held += r->held;
            }
        }
    }
}

bool nnc_fit_add(nnc_fit *fit, const char *name)
{
    if (fit->figure_count == NNC_FIT_FIGURES_MAX) {
        return false;
    }
    nnc_fit_figure *figure = &fit->figures[fit->figure_count++];
    *figure = (nnc_fit_figure){ .group = -1 };
    snprintf(figure->name, sizeof figure->name, "%s", name);
    return true;
}

static void add_named(nnc_fit *fit, int32_t group, const char *name, const char *reason)
{
    for (int32_t i = 0; i < fit->figure_count && reason == NULL; i++) {
        if (fit->figures[i].reason == NULL && strcmp(fit->figures[i].name, name) == 0) {
            reason = from_kernels;
        }
    }
    if (nnc_fit_add(fit, name)) {
        fit->figures[fit->figure_count - 1].group = group;
        fit->figures[fit->figure_count - 1].reason = reason;
    }
}

/* A figure of a group: object "gemm.bf16" and member "fixed_s". */
static void add(nnc_fit *fit, int32_t group, const char *object, const char *member,
                const char *reason)
{
    char name[NNC_FIT_NAME];
    snprintf(name, sizeof name, "efficiency.%.40s%s%.27s", object, object[0] != '\0' ? "." : "",
             member);
    add_named(fit, group, name, reason);
}

/* What the fitted rows of a group have in common. */
typedef int64_t nnc_row_key(const nnc_fit_row *row);

static int64_t hidden_of(const nnc_fit_row *r)
{
    return nnc_model_sizes_of(r->model).hidden;
}

static int64_t seq_len_of(const nnc_fit_row *r)
{
    return r->plan.seq_len > 0 ? r->plan.seq_len : nnc_model_sizes_of(r->model).seq_len;
}

static int64_t layers_of(const nnc_fit_row *r)
{
    return nnc_model_sizes_of(r->model).layers;
}

static int64_t ranks_of(const nnc_fit_row *r)
{
    return r->row->exchange.devices;
}

static int64_t head_width_of(const nnc_fit_row *r)
{
    return r->row->op.u.flash.head_dim;
}

static int64_t backward_of(const nnc_fit_row *r)
{
    return r->row->op.phase == NNC_PHASE_BACKWARD;
}

static int64_t any_tensor_of(const nnc_fit_row *r)
{
    return r->plan.tensor > 1;
}

static int64_t any_nodes_of(const nnc_fit_row *r)
{
    const int32_t node =
        r->plan.devices_per_node > 0 ? r->plan.devices_per_node : r->device->scale_up.devices;
    return r->plan.devices > node;
}

/* The generation of attention kernels that a step runs, plus 1; 0 = none. */
static int64_t flash_of(const nnc_fit_row *r)
{
    const nnc_attention attention = r->plan.attention;
    return attention == NNC_ATTENTION_UNFUSED
               ? 0
               : (int64_t)nnc_attention_kernel(attention, r->software) + 1;
}

static bool is_in(const nnc_fit_row *r, int32_t group)
{
    return r->group == group && !r->held;
}

static bool differs(const nnc_fit *fit, int32_t group, nnc_row_key *key)
{
    const nnc_fit_row *first = NULL;
    for (int32_t i = 0; i < fit->row_count; i++) {
        const nnc_fit_row *r = &fit->rows[i];
        if (is_in(r, group)) {
            first = first != NULL ? first : r;
            if (key(r) != key(first)) {
                return true;
            }
        }
    }
    return false;
}

static int32_t count_equal(const nnc_fit *fit, int32_t group, nnc_row_key *key, int64_t value)
{
    int32_t count = 0;
    for (int32_t i = 0; i < fit->row_count; i++) {
        count += is_in(&fit->rows[i], group) && key(&fit->rows[i]) == value;
    }
    return count;
}

/* Does the device say its cache's rate as such, which the peak leaves as it is? */
static bool keeps_cache_rate(const nnc_fit *fit, int32_t group)
{
    int32_t i = 0;
    while (i < fit->row_count && !is_in(&fit->rows[i], group)) {
        i++;
    }
    return i < fit->row_count &&
           !isnan(fit->rows[i]
                      .device->efficiency.gemm[fit->rows[i].row->op.math_dtype]
                      .l2_bytes_per_s);
}

static void choose_gemm(nnc_fit *fit, int32_t g)
{
    const char *cache = keeps_cache_rate(fit, g) ? "l2_bytes_per_s" : "l2_bytes_per_flop";
    const char *const more[] = { "boost_ratio", "memory_fraction",   "fixed_s", "k_fill",
                                 cache,         "wave_quantization", NULL };
    char object[48];
    const char *reason = fit->groups[g].rows < KERNEL_ROWS ? few_kernels : NULL;
    snprintf(object, sizeof object, "gemm.%s", fit->groups[g].name + strlen("gemm "));
    add(fit, g, object, "sustained_fraction", NULL);
    for (int i = 0; more[i] != NULL; i++) {
        add(fit, g, object, more[i], reason);
    }
}

static void choose_attention(nnc_fit *fit, int32_t g)
{
    char object[64];
    const char *few = fit->groups[g].rows < KERNEL_ROWS ? few_kernels : NULL;
    const int32_t backward = count_equal(fit, g, backward_of, 1);
    const bool forward = backward < fit->groups[g].rows;
    snprintf(object, sizeof object, "attention.%s", fit->groups[g].name + strlen("attention "));
    if (forward) {
        add(fit, g, object, "sustained_fraction", NULL);
    }
    if (backward > 0) {
        add(fit, g, object, "backward_ratio", NULL);
    }
    add(fit, g, object, "fixed_s", few);
    add(fit, g, object, "seq_half", few);
    add(fit, g, object, "block_penalty", few);
    add(fit, g, object, "narrow_ratio",
        few != NULL                       ? few
        : !differs(fit, g, head_width_of) ? one_width
                                          : NULL);
}

static void choose_collective(nnc_fit *fit, int32_t g)
{
    char object[64];
    const char *few = fit->groups[g].rows < COLLECTIVE_ROWS ? few_collectives : NULL;
    const char *same = few != NULL ? few : !differs(fit, g, ranks_of) ? one_size : NULL;
    if (strchr(fit->groups[g].name, ' ') != NULL) { /* between nodes */
        add(fit, g, "collectives", "scale_out_fraction", NULL);
        add(fit, g, "collectives", "scale_out_fixed_s", few);
        return;
    }
    snprintf(object, sizeof object, "collectives.%s", fit->groups[g].name);
    add(fit, g, object, "bus_fraction", NULL);
    add(fit, g, object, "fixed_s", few);
    add(fit, g, object, "knee_bytes", few);
    add(fit, g, object, "log2_s", same);
    add(fit, g, object, "small_group_loss", same);
}

/* Does the kernel run in enough steps of two sequence lengths? */
static bool knows_flash(const nnc_fit *fit, int32_t g, int64_t kernel)
{
    int64_t length = -1;
    bool two = false;
    for (int32_t i = 0; i < fit->row_count; i++) {
        const nnc_fit_row *r = &fit->rows[i];
        if (is_in(r, g) && flash_of(r) == kernel) {
            two = two || (length >= 0 && seq_len_of(r) != length);
            length = seq_len_of(r);
        }
    }
    return two && count_equal(fit, g, flash_of, kernel) >= ATTENTION_ROWS;
}

static void choose_steps(nnc_fit *fit, int32_t g)
{
    const int32_t rows = fit->groups[g].rows;
    const bool shapes = differs(fit, g, hidden_of) && differs(fit, g, seq_len_of);
    const char *why = rows < STEP_ROWS ? few_steps : !shapes ? one_shape : NULL;
    int32_t next = 2 * ROWS_PER_FIGURE; /* rows that the figure to come takes */
    add(fit, g, "", "calibration", NULL);
    add(fit, g, "pointwise", "memory_fraction", why);
    for (int64_t kernel = NNC_FLASH1; kernel < NNC_FLASH_KERNEL_COUNT; kernel++) {
        if (knows_flash(fit, g, kernel + 1)) {
            char object[48];
            snprintf(object, sizeof object, "attention.%s",
                     nnc_flash_kernel_name((nnc_flash_kernel)kernel));
            add(fit, g, object, "sustained_fraction",
                why != NULL   ? why
                : rows < next ? few_steps
                              : NULL);
            next += ROWS_PER_FIGURE;
        }
    }
    if (count_equal(fit, g, any_tensor_of, 1) >= STEP_ROWS) {
        add(fit, g, "collectives", "step_fixed_s", rows < next ? few_steps : NULL);
        next += ROWS_PER_FIGURE;
    }
    if (count_equal(fit, g, any_nodes_of, 1) >= STEP_ROWS) {
        add(fit, g, "collectives", "scale_out_fraction", rows < next ? few_steps : NULL);
    }
}

static void choose_served(nnc_fit *fit, int32_t g)
{
    const char *few = fit->groups[g].rows < KERNEL_ROWS ? few_kernels : NULL;
    if (strcmp(fit->groups[g].name, "time to first token") == 0) {
        add_named(fit, g, "serving.ttft_s", NULL);
        add_named(fit, g, "serving.ttft_wave", few);
        return;
    }
    add_named(fit, g, "serving.step_s", NULL);
    add_named(fit, g, "serving.prefill_factor", few);
    add_named(fit, g, "serving.layer_s",
              few != NULL                   ? few
              : !differs(fit, g, layers_of) ? one_depth
                                            : NULL);
    add_named(fit, g, "serving.sequence_s", few);
}

void nnc_fit_choose(nnc_fit *fit)
{
    for (int32_t g = 0; g < fit->group_count; g++) {
        if (fit->groups[g].rows == 0) {
            continue; /* all of them are held out */
        }
        switch (fit->groups[g].kind) {
        case NNC_MEASURED_GEMM: choose_gemm(fit, g); break;
        case NNC_MEASURED_ATTENTION: choose_attention(fit, g); break;
        case NNC_MEASURED_VECTOR:
            add(fit, g, "pointwise", "memory_fraction", NULL);
            add(fit, g, "pointwise", "fixed_s",
                fit->groups[g].rows < KERNEL_ROWS ? few_kernels : NULL);
            break;
        case NNC_MEASURED_COLLECTIVE: choose_collective(fit, g); break;
        case NNC_MEASURED_SERVING: choose_served(fit, g); break;
        default: choose_steps(fit, g); break;
        }
    }
}
