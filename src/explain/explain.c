#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "estimate/scratch.h"
#include "explain/asked.h"
#include "run/run.h"
#include "serve/serve_images.h"

NNC_ENUM_NAMES(nnc_explained_kind, NNC_EXPLAINED_LIST)

const nnc_alias nnc_aliases[] = {
    { "flops",
      "FLOPs of a step by the mathematics.",
      { "work.forward_flops", "work.backward_flops" } },
    { "step", "The step and its parts.", { "step.step_s" } },
    { "bounds",
      "What no implementation beats, and what the step takes without overlap.",
      { "step.lower_bound_s", "step.upper_bound_s" } },
    { "ridge", "The ridge point of the device.", { "device.ridge_flops_per_byte" } },
    { "critical-batch",
      "Tokens from which weights are read fast enough.",
      { "device.critical_tokens" } },
    { "two-devices",
      "Width from which two devices share a product without waiting for their link.",
      { "device.critical_width" } },
    { "communication",
      "Exposed communication, and each of its kinds.",
      { "step.exposed_comm_s", "step.exposed_comm.tensor", "step.exposed_comm.context",
        "step.exposed_comm.expert", "step.exposed_comm.data", "step.exposed_comm.pipeline",
        "step.exposed_comm.offload" } },
    { "bubble",
      "What the busiest pipeline stage waits.",
      { "step.bubble_s", "step.bubble_ratio", "step.bubble_share" } },
    { "throughput",
      "Tokens and samples per second.",
      { "throughput.tokens_per_s", "throughput.samples_per_s" } },
    { "memory",
      "Memory of the fullest device, by class.",
      { "memory.total_bytes", "memory.weight_bytes", "memory.gradient_bytes",
        "memory.optimizer_bytes", "memory.activation_bytes", "memory.transient_bytes" } },
    { "cost",
      "Price of a step and of the run.",
      { "cost.step", "cost.run_s", "cost.device_hours", "cost.run" } },
    { "energy", "Energy of the run, or of the step.", { "cost.energy_j" } },
    { NULL, NULL, { NULL } },
};

void nnc_answer_add(nnc_answer *answer, nnc_explained explained)
{
    if (answer->count == answer->capacity) {
        const int32_t capacity = answer->capacity > 0 ? 2 * answer->capacity : 64;
        nnc_explained *grown = realloc(answer->lines, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            answer->failed = true;
            return;
        }
        answer->lines = grown;
        answer->capacity = capacity;
    }
    answer->lines[answer->count++] = explained;
}

static bool add_alias(nnc_asked *a, const char *word)
{
    for (const nnc_alias *alias = nnc_aliases; alias->name != NULL; alias++) {
        if (strcmp(alias->name, word) == 0) {
            for (const char *const *name = alias->stands_for; *name != NULL; name++) {
                nnc_asked_columns(a, *name, NNC_NAMES_EXACT);
            }
            return true;
        }
    }
    return false;
}

static nnc_status unknown_name(const nnc_asked *a, const char *word, nnc_error *err)
{
    enum { NAMES_MAX = 2048 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (const nnc_alias *alias = nnc_aliases; alias->name != NULL; alias++) {
        names[count++] = alias->name;
    }
    for (int32_t i = 0; i < a->columns.count && count < NAMES_MAX; i++) {
        names[count++] = nnc_asked_short_name(a->columns.list[i].name);
    }
    for (int32_t i = 0; i < a->report->op_count && count < NAMES_MAX; i++) {
        names[count++] = nnc_op_name(a->report->ops[i].op);
    }
    for (int32_t i = 0; i < a->names.count && count < NAMES_MAX; i++) {
        names[count++] = a->names.list[i].row->name;
    }
    const char *nearest = nnc_nearest(word, names, count);
    return nearest != NULL
               ? nnc_fail(err, NNC_BAD_USAGE, word,
                          "no metric or op of this name, did you mean %s?", nearest)
               : nnc_fail(err, NNC_BAD_USAGE, word,
                          "no metric or op of this name, expected one such as params, flops, mfu, "
                          "memory, step_s, cost or attn.qkv; 'nncost explain' lists them");
}

static bool is_served(const nnc_report *report)
{
    return report->serve != NULL || report->images != NULL;
}

/* The same of an answer about serving. */
static nnc_status repeat_serving(nnc_asked *a, nnc_error *err)
{
    const nnc_report *r = a->report;
    nnc_serve again;
    if (r->images != NULL) {
        nnc_images images;
        return nnc_images_of(r->model, r->device, r->software, r->images_ask, r->scratch, &images,
                             a->step, err);
    }
    return nnc_serve_say(r->model, r->device, r->software, r->serve_ask, r->scratch, &again, NULL,
                         a->step, err);
}

/* The estimate once more. */
static nnc_status repeat_training(nnc_asked *a, nnc_error *err)
{
    const nnc_report *r = a->report;
    nnc_result again;
    r->scratch->why = a->step;
    const nnc_status status =
        nnc_estimate(r->model, r->device, r->software, &r->result->plan, r->scratch, &again, err);
    r->scratch->why = NULL;
    NNC_TRY(status);
    (void)nnc_report_unit_cost(&again, a->step);
    if (r->run != NULL) {
        nnc_run run;
        nnc_say_of(a->step, "run");
        NNC_TRY(nnc_run_say(&again, r->device, &r->result->plan, r->run_ask, &run, a->step, err));
        nnc_say_of(a->step, "%s", "");
    }
    return NNC_OK;
}

/* Makes the estimate again; everything it says is kept. */
static nnc_status repeat_estimate(nnc_asked *a, nnc_error *err)
{
    NNC_TRY(is_served(a->report) ? repeat_serving(a, err) : repeat_training(a, err));
    if (!nnc_derivation_lines(a->step, &a->said, &a->said_count)) {
        return nnc_no_memory(err);
    }
    a->shown = nnc_arena_array(a->arena, (size_t)a->said_count + 1, sizeof *a->shown);
    return a->shown != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status answer_word(nnc_asked *a, const char *word, nnc_error *err)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): it is not NULL here */
    memset(a->shown, 0, (size_t)a->said_count * sizeof *a->shown);
    const bool known =
        add_alias(a, word) || nnc_asked_columns(a, word, NNC_NAMES_EXACT) ||
        (!is_served(a->report) && nnc_explain_op(&a->answer, a->report, a->step, a->row, word)) ||
        nnc_asked_columns(a, word, NNC_NAMES_AROUND) || nnc_asked_operand(a, word);
    if (!known && a->names.list == NULL &&
        nnc_explained_names_of(a->outputs, a->arena, &a->names) != NNC_OK) {
        return nnc_no_memory(err);
    }
    if (!known && !nnc_asked_member(a, word)) {
        return unknown_name(a, word, err);
    }
    return a->answer.failed ? nnc_no_memory(err) : NNC_OK;
}

/* The formula alone, without what belongs to the example. */
static void forget_numbers(nnc_answer *answer)
{
    for (int32_t i = 0; i < answer->count; i++) {
        nnc_explained *e = &answer->lines[i];
        e->line.numbers = e->line.where = e->text = NULL;
        e->line.value = (double)NAN;
    }
}

/* Cuts "mfu,memory" at its commas; texts NULL: only counts. */
static int32_t cut_words(char *text, const char **words)
{
    int32_t count = 0;
    for (char *at = text; at != NULL; count++) {
        char *comma = strchr(at, ',');
        if (words != NULL) {
            words[count] = at;
            if (comma != NULL) {
                *comma = '\0';
            }
        }
        at = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

/* ---- the question ---- */
/* Answers word after word, each from the first of the estimates that knows it. */
static nnc_status answer_words(nnc_asked *asked, int asked_count, const char *const *words,
                               int32_t count, nnc_answer *answers, nnc_error *err)
{
    for (int32_t w = 0; w < count; w++) {
        nnc_error why = { 0 };
        nnc_status status = NNC_BAD_USAGE;
        for (int i = 0; i < asked_count && status == NNC_BAD_USAGE; i++) {
            asked[i].answer = (nnc_answer){
                .report = asked[i].example ? NULL : asked[i].report,
                .example = asked[i].example,
                /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is not NULL here */
                .asked = words[w],
                .arena = asked[i].arena
            };
            status = answer_word(&asked[i], words[w], i == 0 ? err : &why);
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is not NULL here */
            answers[w] = asked[i].answer;
        }
        NNC_TRY(status);
        if (answers[w].report == NULL) {
            forget_numbers(&answers[w]);
        }
    }
    return NNC_OK;
}

static nnc_status open_asked(nnc_asked *a, nnc_error *err)
{
    a->arena = nnc_arena_create();
    a->step = nnc_derivation_create();
    a->row = nnc_derivation_create();
    if (a->arena == NULL || a->step == NULL || a->row == NULL ||
        nnc_columns_of(a->report->images != NULL  ? &nnc_images_metrics
                       : a->report->serve != NULL ? &nnc_serve_metrics
                       : a->report->run != NULL   ? &nnc_estimate_run_metrics
                                                  : &nnc_estimate_metrics,
                       a->arena, &a->columns) != NNC_OK) {
        return nnc_no_memory(err);
    }
    return repeat_estimate(a, err);
}

static void close_asked(nnc_asked *a)
{
    nnc_arena_destroy(a->arena);
    nnc_derivation_destroy(a->step);
    nnc_derivation_destroy(a->row);
}

nnc_status nnc_explain(nnc_buffer *out, nnc_style style, nnc_asked *asked, int asked_count,
                       const char *names, nnc_error *err)
{
    nnc_status status = NNC_OK;
    char *text = strdup(names);
    const int32_t count = text != NULL ? cut_words(text, NULL) : 0;
    const char **words = calloc((size_t)count + 1, sizeof *words);
    nnc_answer *answers = calloc((size_t)count + 1, sizeof *answers);
    for (int i = 0; i < asked_count && status == NNC_OK; i++) {
        status = open_asked(&asked[i], err);
    }
    if (text == NULL || words == NULL || answers == NULL) {
        status = nnc_no_memory(err);
    }
    if (status == NNC_OK) {
        (void)cut_words(text, words);
        status = answer_words(asked, asked_count, words, count, answers, err);
    }
    if (status == NNC_OK) {
        nnc_answers_write(out, style, answers, count);
    }
    for (int32_t i = 0; i < count && answers != NULL; i++) {
        free(answers[i].lines);
    }
    for (int i = 0; i < asked_count; i++) {
        close_asked(&asked[i]);
    }
    free(answers);
    free(words);
    free(text);
    return status;
}

nnc_status nnc_report_explain(nnc_buffer *out, nnc_style style, const nnc_report *report,
                              const nnc_explain_output *outputs, const char *names, nnc_error *err)
{
    nnc_asked asked = { .report = report, .outputs = outputs };
    return nnc_explain(out, style, &asked, 1, names, err);
}
