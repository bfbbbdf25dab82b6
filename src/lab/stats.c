#include "lab/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

/* Messages of a megabyte and more are bound by links, shorter ones by latencies. */
#define SMALL_BYTES 1e6

NNC_ENUM_NAMES(nnc_score_section, NNC_SCORE_SECTION_LIST)
NNC_ENUM_NAMES(nnc_score_by, NNC_SCORE_BY_LIST)

static int by_size(const void *a, const void *b)
{
    const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

void nnc_errors_sum(double *errors, int32_t count, nnc_score_stats *stats)
{
    double size = 0.0, sum = 0.0;
    stats->scored = count;
    stats->mape = stats->median = stats->p90 = stats->bias = NAN;
    if (count == 0) {
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        size += fabs(errors[i]);
        sum += errors[i];
    }
    qsort(errors, (size_t)count, sizeof *errors, by_size);
    const int32_t rank = (int32_t)((9 * (int64_t)count + 9) / 10); /* ceil(0.9 n), from 1 */
    stats->mape = size / (double)count;
    stats->bias = sum / (double)count;
    stats->p90 = fabs(errors[rank - 1]);
    stats->median = (fabs(errors[(count - 1) / 2]) + fabs(errors[count / 2])) / 2.0;
}

static nnc_score_section served_section(const nnc_scored *scored)
{
    const nnc_measured *row = scored->row;
    const nnc_serve_ask *ask = &row->ask;
    if (row->undecided[0] != '\0') {
        return NNC_SECTION_SERVING_APART;
    }
    switch (row->served) {
    case NNC_SERVED_PASS: return NNC_SECTION_PASS;
    case NNC_SERVED_TPOT: return scored->experts ? NNC_SECTION_TPOT_EXPERTS : NNC_SECTION_TPOT;
    case NNC_SERVED_TTFT:
        return ask->concurrency > 0 ? NNC_SECTION_TTFT_CLOSED
               : ask->batch > 0     ? NNC_SECTION_BATCH
                                    : NNC_SECTION_TTFT_OPEN;
    default:
        return ask->offline  ? NNC_SECTION_OFFLINE
               : row->single ? NNC_SECTION_SINGLE
                             : NNC_SECTION_BATCH;
    }
}

static nnc_score_section time_section(const nnc_scored *scored)
{
    const nnc_measured *row = scored->row;
    switch (row->kind) {
    case NNC_MEASURED_STEP:
        return row->undecided[0] == '\0' ? NNC_SECTION_STEP : NNC_SECTION_STEP_APART;
    case NNC_MEASURED_GEMM: return NNC_SECTION_GEMM;
    case NNC_MEASURED_ATTENTION: return NNC_SECTION_ATTENTION;
    case NNC_MEASURED_VECTOR: return NNC_SECTION_VECTOR;
    case NNC_MEASURED_COLLECTIVE:
        return row->exchange.bytes < SMALL_BYTES ? NNC_SECTION_COLLECTIVE_SMALL
                                                 : NNC_SECTION_COLLECTIVE;
    case NNC_MEASURED_SERVING: return served_section(scored);
    default: return NNC_SECTION_RANK_MEMORY;
    }
}

/* NNC_SECTION_COUNT when the row states no memory. */
static nnc_score_section memory_section(const nnc_scored *scored)
{
    const nnc_measured *row = scored->row;
    bool states = false;
    for (int i = 0; i < NNC_MEMORY_STAT_COUNT; i++) {
        states = states || !isnan(row->measured_bytes[i]);
    }
    return !states ? NNC_SECTION_COUNT
           : row->undecided[0] == '\0' && !isnan(row->measured_bytes[NNC_MEMORY_ALLOCATED])
               ? NNC_SECTION_MEMORY
               : NNC_SECTION_MEMORY_APART;
}

static bool is_memory(nnc_score_section section)
{
    return section == NNC_SECTION_MEMORY || section == NNC_SECTION_MEMORY_APART;
}

static const char *name_of(const nnc_scored *scored, nnc_score_by by)
{
    switch (by) {
    case NNC_SCORE_BY_FILE: return scored->row->file;
    case NNC_SCORE_FITTED: return scored->row->fitted ? scored->row->file : "";
    case NNC_SCORE_UNFITTED: return scored->row->fitted ? "" : scored->row->file;
    case NNC_SCORE_BY_HALF: return scored->row->fitted ? "fitted" : "unfitted";
    case NNC_SCORE_BY_WHAT: return scored->what != NULL ? scored->what : "";
    case NNC_SCORE_BY_DEVICE: return scored->device != NULL ? scored->device : scored->row->device;
    case NNC_SCORE_BY_FRAMEWORK: return scored->row->framework;
    default: return "";
    }
}

typedef struct gathering {
    nnc_arena *arena;
    const nnc_scored *rows;
    int32_t count;
    nnc_score_group *groups;
    int32_t group_count, capacity;
    double *errors; /* of one group */
    bool failed;
} gathering;

static void add_group(gathering *g, nnc_score_section section, nnc_score_by by, const char *name)
{
    /* Of a kernel the framework is the version of a library, and it has no model. */
    const bool of_steps = by == NNC_SCORE_BY_FRAMEWORK || by == NNC_SCORE_FITTED ||
                          by == NNC_SCORE_UNFITTED || by == NNC_SCORE_BY_HALF ||
                          by == NNC_SCORE_BY_WHAT;
    const bool has_models = section == NNC_SECTION_STEP || section == NNC_SECTION_STEP_APART ||
                            section >= NNC_SECTION_BATCH;
    if (of_steps && (name[0] == '\0' || !has_models)) {
        return;
    }
    for (int32_t i = 0; i < g->group_count; i++) {
        const nnc_score_group *group = &g->groups[i];
        if (group->section == section && group->by == by && strcmp(group->name, name) == 0) {
            return;
        }
    }
    nnc_score_group *groups =
        nnc_arena_grow(g->arena, g->groups, g->group_count, &g->capacity, sizeof *groups);
    g->failed = g->failed || groups == NULL;
    if (groups == NULL) {
        return;
    }
    g->groups = groups;
    g->groups[g->group_count++] = (nnc_score_group){ .section = section, .by = by, .name = name };
}

static void add_interval(const nnc_scored *scored, nnc_score_stats *stats)
{
    if (!isnan(scored->low_s) && !isnan(scored->high_s)) {
        const double measured_s = scored->row->measured_s;
        stats->intervals++;
        stats->inside += measured_s >= scored->low_s && measured_s <= scored->high_s ? 1.0 : 0.0;
    }
}

static void sum_group(gathering *g, nnc_score_group *group)
{
    nnc_score_stats *stats = &group->stats;
    const bool memory = is_memory(group->section);
    double largest = -1.0;
    int32_t used = 0;
    for (int32_t i = 0; i < g->count; i++) {
        const nnc_scored *scored = &g->rows[i];
        const double error = memory ? scored->memory_error : scored->error;
        const nnc_score_section section = memory ? memory_section(scored) : time_section(scored);
        if (section != group->section || strcmp(name_of(scored, group->by), group->name) != 0) {
            continue;
        }
        stats->rows++;
        if (isnan(error)) {
            continue;
        }
        g->errors[used++] = error;
        if (!memory) {
            add_interval(scored, stats);
        }
        if (fabs(error) > largest) {
            largest = fabs(error);
            stats->worst = scored;
        }
    }
    nnc_errors_sum(g->errors, used, stats);
    stats->inside = stats->intervals > 0 ? stats->inside / (double)stats->intervals : NAN;
}

const nnc_score_group *nnc_score_groups(nnc_arena *arena, const nnc_scored *rows, int32_t count,
                                        int32_t *group_count)
{
    gathering g = { .arena = arena, .rows = rows, .count = count };
    g.errors = nnc_arena_array(arena, (size_t)count + 1, sizeof *g.errors);
    g.groups = nnc_arena_grow(arena, NULL, 0, &g.capacity, sizeof *g.groups);
    if (g.errors == NULL || g.groups == NULL) {
        return NULL;
    }
    for (int section = 0; section < NNC_SECTION_COUNT; section++) {
        for (int by = 0; by < NNC_SCORE_BY_COUNT; by++) {
            for (int32_t i = 0; i < count; i++) {
                const bool memory = is_memory((nnc_score_section)section);
                const nnc_score_section own =
                    memory ? memory_section(&rows[i]) : time_section(&rows[i]);
                if ((int)own == section) {
                    add_group(&g, own, (nnc_score_by)by, name_of(&rows[i], (nnc_score_by)by));
                }
            }
        }
    }
    for (int32_t i = 0; i < g.group_count; i++) {
        sum_group(&g, &g.groups[i]);
    }
    *group_count = g.group_count;
    return g.failed ? NULL : g.groups;
}
