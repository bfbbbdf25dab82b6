/* Metrics tables for the output of a search: plans, numbers of devices, shards, device parameters. The file also reads
 * shards and merges them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "search/search_internal.h"

static const nnc_metric found_rows[] = {
    NNC_AS("plan", OBJECT, NNC_IN(nnc_found, plan), .rows = &nnc_plan_choice_metrics, .help = "The plan."),
    NNC_CHARS(nnc_found, software, .help = "The software profile that the plan runs under."),
    NNC_NUMBER(nnc_found, step_s, .unit = "s", .help = "Time of one optimizer step.",
               .more = NNC_MORE(.same_as = "step.step_s")),
    NNC_WHOLE(nnc_found, memory_bytes, .unit = "B", .help = "Memory of the fullest device.",
              .more = NNC_MORE(.same_as = "memory.total_bytes")),
    NNC_NUMBER(nnc_found, mfu, .show = NNC_SHOW_PERCENT, .help = "Model FLOPs utilisation.",
               .more = NNC_MORE(.same_as = "throughput.mfu")),
    NNC_NUMBER(nnc_found, tokens_per_s, .help = "Tokens trained on per second.",
               .more = NNC_MORE(.same_as = "throughput.tokens_per_s")),
    NNC_NUMBER(nnc_found, bubble_share, .show = NNC_SHOW_PERCENT,
               .help = "Idle time of the busiest stage divided by the step time.",
               .more = NNC_MORE(.same_as = "step.bubble_share")),
    NNC_NUMBER(nnc_found, exposed_comm_s, .unit = "s", .help = "Communication that no compute overlaps.",
               .more = NNC_MORE(.same_as = "step.exposed_comm_s")),
    NNC_NUMBER(nnc_found, device_s, .unit = "s", .help = "Device time of one step: number of devices x step time."),
    NNC_NUMBER(nnc_found, cost_step, .help = "Price of one step; null without a price.",
               .more = NNC_MORE(.same_as = "cost.step")),
    NNC_NUMBER(nnc_found, run_s, .unit = "s", .help = "Time of the run, including failures, checkpoints and waiting.",
               .more = NNC_MORE(.same_as = "run.run_s")),
    NNC_NUMBER(nnc_found, device_hours, .help = "Device-hours of the run.",
               .more = NNC_MORE(.same_as = "run.device_hours")),
    NNC_NUMBER(nnc_found, cost_run, .help = "Price of the run.", .more = NNC_MORE(.same_as = "run.cost")),
    NNC_NUMBER(nnc_found, goodput, .show = NNC_SHOW_PERCENT2,
               .help = "Useful training time of the run divided by its wall time.",
               .more = NNC_MORE(.same_as = "run.goodput")),
    NNC_NUMBER(nnc_found, energy_j, .unit = "J",
               .help = "Energy of the run, with the overhead of the data centre (PUE).",
               .more = NNC_MORE(.same_as = "run.energy_j")),
    NNC_NUMBER(nnc_found, carbon_kg, .unit = "kg", .help = "Carbon dioxide emitted for the energy of the run.",
               .more = NNC_MORE(.same_as = "run.carbon_kg")),
    NNC_TEXT(nnc_found, command, .help = "The command line that estimates the plan."),
};
const nnc_metrics nnc_found_metrics = NNC_METRICS("a plan that fits", found_rows, nnc_found);

/* Tests whether a plan is listed in the report of a shard, or belongs to no report. If the result is true, the output
 * has the index of the plan among all combinations, because merging shards uses the index to decide between equal
 * plans. */
static bool is_in_shard(const nnc_place *place) {
    const nnc_search_report *report = place->owner;
    return report == NULL || report->digest != NULL;
}

static const nnc_metric sure_rows[] = {
    NNC_AS("command", TEXT, NNC_VIA(nnc_sure, found), NNC_IN(nnc_found, command),
           .help = "The command line that estimates the plan."),
    NNC_AS("step_s", NUMBER, NNC_VIA(nnc_sure, found), NNC_IN(nnc_found, step_s), .unit = "s",
           .help = "Time of one optimizer step."),
    NNC_NUMBER(nnc_sure, p_best,
               .help = "Probability that this plan is the fastest plan of the list. Plans with equal step times have "
                       "one common probability."),
    NNC_NUMBER(nnc_sure, p_out_of_memory, .help = "Probability that the plan runs out of memory."),
};
static const nnc_metrics sure_metrics = NNC_METRICS("probabilities for a plan of the list", sure_rows, nnc_sure);

static const nnc_metric listed_rows[] = {
    NNC_AS("index", WHOLE, NNC_IN(nnc_found, index),
           .help = "Number of the plan among all combinations; only with --shard.",
           .more = NNC_MORE(.when = is_in_shard)),
    NNC_ROWS(&nnc_found_metrics),
};
static const nnc_metrics listed_metrics = NNC_METRICS("a plan that fits", listed_rows, nnc_found);

/* ---- metrics of a search with several numbers of devices ---- */

static const nnc_metric refusal_rows[] = {
    NNC_CHARS(nnc_error, where, .help = "The option that breaks the rule."),
    NNC_CHARS(nnc_error, what, .help = "The rule that the option breaks."),
};
static const nnc_metrics refusal_metrics = NNC_METRICS("why no plan is legal", refusal_rows, nnc_error);

NNC_IF(is_of_shard, void, NNC_OWNER(nnc_search_report)->digest != NULL)

NNC_IF(is_found, nnc_search_size, self->found)

static bool is_not_found(const nnc_place *place) { return !is_found(place); }

NNC_IF(missed_none, nnc_search_size, !self->any_missed)

NNC_IF(is_legal_size, nnc_search_size, self->why.status == NNC_OK)

NNC_GET(get_reason, nnc_search_size,
        nnc_text_cell(self->found                  ? NULL
                      : self->why.status != NNC_OK ? self->why.what
                      : self->any_missed           ? "misses the deadline or the budget"
                                                   : "does not fit"))

static const nnc_metric size_rows[] = {
    NNC_WHOLE(nnc_search_size, devices, .help = "Number of devices."),
    NNC_AS("space", WHOLE, NNC_IN(nnc_search_size, total.space), .help = "Number of combinations of all options."),
    NNC_AS("legal", WHOLE, NNC_IN(nnc_search_size, total.legal),
           .help = "Legal plans: combinations that break no rule."),
    NNC_AS("feasible", WHOLE, NNC_IN(nnc_search_size, total.feasible),
           .help = "Legal plans that fit in the memory of a device."),
    NNC_AS("evaluated", WHOLE, NNC_IN(nnc_search_size, total.evaluated), .help = "Plans that were evaluated in full."),
    NNC_AS("missed", OBJECT, NNC_IN(nnc_search_size, missed), .rows = &listed_metrics,
           .help = "The fastest plan that exceeds --deadline or --budget; only with --shard.",
           .more = NNC_MORE(.when = is_of_shard, .unless = missed_none)),
    NNC_AS("illegal", OBJECT, NNC_IN(nnc_search_size, why), .rows = &refusal_metrics,
           .help = "Reason why no plan is legal; only with --shard.",
           .more = NNC_MORE(.when = is_of_shard, .unless = is_legal_size)),
    NNC_AS("best", OBJECT, NNC_IN(nnc_search_size, best), .rows = &listed_metrics,
           .help = "The best plan; null when no plan fits.", .more = NNC_MORE(.unless = is_not_found)),
    NNC_AS("reason", TEXT, .get = get_reason, .help = "Reason why no plan fits; null when a plan fits."),
};
static const nnc_metrics size_metrics = NNC_METRICS("one number of devices", size_rows, nnc_search_size);

static const nnc_metric best_rows[] = {
    NNC_ROWS(&nnc_found_metrics, NNC_IN(nnc_search_size, best)),
};
const nnc_metrics nnc_size_best_metrics = { .what = "the best plan of a size",
                                            .rows = best_rows,
                                            .count = 1,
                                            .record_size = sizeof(nnc_search_size),
                                            .listed = is_found };

NNC_IF(is_shard, nnc_search_report, self->digest != NULL)

NNC_IF(has_sizes, nnc_search_report, self->sizes != NULL)

static bool has_no_sizes(const nnc_place *place) { return !has_sizes(place); }

static bool is_lone_shard(const nnc_place *place) { return is_shard(place) && !has_sizes(place); }

NNC_IF(has_target, nnc_search_report, self->target_step_s > 0.0)

NNC_IF(is_sure, nnc_search_report, self->sure != NULL)

NNC_IF(has_none_missed, nnc_search_report, !self->result->any_missed)

NNC_IF(is_legal, nnc_search_report, self->why.status == NNC_OK)

static nnc_cell get_shard(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_search *search = ((const nnc_search_report *)place->record)->search;
    snprintf(text, NNC_METRIC_TEXT_MAX, "%" PRId32 "/%" PRId32, search->shard, search->shards);
    return nnc_text_cell(text);
}

/* Returns the number of devices of the entry sizes[index] as a table cell; if index is negative, the cell is null. */
static nnc_cell devices_of(const nnc_search_report *report, int32_t index) {
    const nnc_cell none = { .kind = NNC_CELL_NULL };
    return index < 0 ? none : nnc_whole_cell(report->sizes[index].devices);
}

NNC_GET(get_fastest, nnc_search_report, devices_of(self, self->fastest))

NNC_GET(get_cheapest, nnc_search_report, devices_of(self, self->cheapest))

static nnc_cell get_lever(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_target *target = place->record;
    const nnc_search_result *result = ((const nnc_search_report *)place->owner)->result;
    const nnc_dtype precision = result->best_count > 0 ? result->best[0].plan.precision : NNC_BF16;
    return nnc_text_cell(nnc_sensitivity_parameter_name(target->figure, precision, text));
}

static const nnc_metric asked_rows[] = {
    NNC_NAMED(nnc_search, objective, nnc_objective_name, NNC_OBJECTIVE_COUNT, .help = "Objective of the search."),
    NNC_WHOLE(nnc_search, best, .help = "Number of plans to list."),
};
static const nnc_metrics asked = NNC_METRICS("the request", asked_rows, nnc_search);

static const nnc_metric lever_rows[] = {
    NNC_AS("figure", TEXT, .get = get_lever, .help = "Parameter of the device file, as --set names it."),
    NNC_NUMBER(nnc_target, value, .help = "Value of the parameter in the device file."),
    NNC_NUMBER(
        nnc_target, needed,
        .help =
            "Value of the parameter with which the best plan takes the target step time; null: no value reaches the "
            "target step time."),
    NNC_NUMBER(nnc_target, step_s, .unit = "s", .help = "Step time with the value in `needed`."),
};
static const nnc_metrics figures = NNC_METRICS("the smallest value of a parameter", lever_rows, nnc_target);

static const nnc_metric target_rows[] = {
    NNC_AS("step_s", NUMBER, NNC_IN(nnc_search_report, target_step_s), .unit = "s",
           .help = "The step time of --target-step."),
    NNC_AS("figures", LIST, NNC_IN(nnc_search_report, targets), NNC_COUNT(nnc_search_report, target_count),
           .in_place = true, .rows = &figures,
           .help = "For each parameter of the device: the value with which this parameter alone reaches the target "
                   "step time."),
};
static const nnc_metrics target_metrics = NNC_METRICS("values that reach a step time", target_rows, nnc_search_report);

#define TOTAL(member) NNC_IN(nnc_search_report, total.member)
#define RESULT(member) NNC_VIA(nnc_search_report, result), NNC_IN(nnc_search_result, member)
static const nnc_metric document_rows[] = {
    NNC_AS("shard", TEXT, .get = get_shard, .help = "The searched shard I of N, as I/N; only with --shard.",
           .more = NNC_MORE(.when = is_shard)),
    NNC_TEXT(nnc_search_report, digest,
             .help = "Digest of the inputs of the search, equal for all its shards; only with --shard.",
             .more = NNC_MORE(.when = is_shard)),
    NNC_AS("asked", OBJECT, NNC_VIA(nnc_search_report, search), .rows = &asked,
           .help = "Options of the search; only with --shard.", .more = NNC_MORE(.when = is_shard)),
    NNC_AS("space", WHOLE, TOTAL(space), .help = "Number of combinations of all options, before any rule."),
    NNC_AS("covered", WHOLE, TOTAL(covered),
           .help = "Number of combinations that the search covered: all, unless the search was stopped."),
    NNC_AS("legal", WHOLE, TOTAL(legal), .help = "Legal plans: combinations that break no rule."),
    NNC_AS("feasible", WHOLE, TOTAL(feasible), .help = "Legal plans that fit in the memory of a device."),
    NNC_AS("evaluated", WHOLE, TOTAL(evaluated),
           .help = "Number of plans that were evaluated completely. All shards of a search together evaluate more "
                   "plans than the undivided search, because each shard prunes only by its own plans."),
    NNC_AS("pruned", WHOLE, TOTAL(pruned),
           .help = "Number of combinations that were not evaluated, because a rule or a lower bound excludes them."),
    NNC_NUMBER(nnc_search_report, elapsed_s, .unit = "s", .help = "Elapsed time of the search."),
    NNC_AS("threads", WHOLE, NNC_VIA(nnc_search_report, search), NNC_IN(nnc_search, threads),
           .help = "Number of threads that searched."),
    NNC_TEXT(nnc_search_report, currency, .help = "Currency of the prices; null when no price is known."),
    NNC_AS("fastest", WHOLE, .get = get_fastest,
           .help = "Number of devices with the fastest plan; null when no plan fits.",
           .more = NNC_MORE(.when = has_sizes)),
    NNC_AS("cheapest", WHOLE, .get = get_cheapest,
           .help = "Number of devices whose best plan takes the fewest device-seconds.",
           .more = NNC_MORE(.when = has_sizes)),
    NNC_AS("sizes", LIST, NNC_IN(nnc_search_report, sizes), NNC_COUNT(nnc_search_report, size_count),
           .rows = &size_metrics, .help = "Results for each number of devices, if --devices lists several.",
           .more = NNC_MORE(.when = has_sizes)),
    NNC_AS("plans", LIST, NNC_IN(nnc_search_report, sure), NNC_COUNT(nnc_search_report, sure_count),
           .rows = &sure_metrics, .help = "Probabilities for the plans of `best`, in the same order.",
           .more = NNC_MORE(.when = is_sure)),
    NNC_AS("best", LIST, RESULT(best), NNC_COUNT(nnc_search_result, best_count), .in_place = true,
           .rows = &listed_metrics, .help = "The best plans, best first.", .more = NNC_MORE(.when = has_no_sizes)),
    NNC_AS("pareto", LIST, RESULT(pareto), NNC_COUNT(nnc_search_result, pareto_count), .in_place = true,
           .rows = &listed_metrics,
           .help = "Pareto front: plans that no other plan beats in both time and memory. The fastest is first.",
           .more = NNC_MORE(.when = has_no_sizes)),
    NNC_AS("pareto_truncated", BOOL, RESULT(pareto_truncated),
           .help = "Whether plans with less memory were left out; only with --shard.",
           .more = NNC_MORE(.when = is_lone_shard)),
    NNC_AS("missed", OBJECT, RESULT(missed), .rows = &listed_metrics,
           .help = "The fastest plan that exceeds --deadline or --budget; only with --shard.",
           .more = NNC_MORE(.when = is_lone_shard, .unless = has_none_missed)),
    NNC_AS("illegal", OBJECT, NNC_IN(nnc_search_report, why), .rows = &refusal_metrics,
           .help = "Reason why no plan is legal; only with --shard.",
           .more = NNC_MORE(.when = is_lone_shard, .unless = is_legal)),
    NNC_AS("target", OBJECT, .rows = &target_metrics, .help = "Result of --target-step.",
           .more = NNC_MORE(.when = has_target)),
};
#undef TOTAL
#undef RESULT
const nnc_metrics nnc_search_document = NNC_METRICS("the result of a search", document_rows, nnc_search_report);

/* ---- Shards of a search: computing the digest that all shards of one search have in common, reading shards, and
 * merging shards into the report that the whole search would have written. ---- */

static void add_number(uint64_t *digest, double number) {
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    *digest = nnc_digest_number(*digest, bits);
}

/* Adds the content of the file at `path` to *digest. The name of the file is not added to the digest. If `path` is
 * NULL, adds the number 0 to the digest. */
static nnc_status add_file(nnc_specs *specs, uint64_t *digest, const char *path, nnc_error *err) {
    uint64_t content = 0;
    const nnc_status status = path != NULL ? nnc_spec_digest(specs, path, &content, err) : NNC_OK;
    *digest = nnc_digest_number(*digest, content);
    return status;
}

static void add_plan(uint64_t *digest, const nnc_plan *plan) {
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        char text[256];
        nnc_field_text(&nnc_plan_table.fields[i], plan, text, sizeof text);
        *digest = nnc_digest_text(*digest, text);
    }
}

static void add_run(uint64_t *digest, const nnc_run_ask *run) {
    for (size_t i = 0; run != NULL && i < nnc_run_table.count; i++) {
        char text[256];
        nnc_field_text(&nnc_run_table.fields[i], run, text, sizeof text);
        *digest = nnc_digest_text(*digest, text);
    }
}

static void add_choices(uint64_t *digest, const nnc_search *search) {
    enum { CHOICES = 11 };
    const nnc_choice *const choices[CHOICES] = {
        &search->tensor,         &search->pipeline,    &search->context, &search->expert,
        &search->virtual_stages, &search->micro_batch, &search->zero,    &search->sequence_parallel,
        &search->recompute,      &search->schedule,    &search->offload,
    };
    for (int i = 0; i < CHOICES; i++) {
        *digest = nnc_digest_number(*digest, (uint64_t)choices[i]->count);
        for (int32_t k = 0; k < choices[i]->count; k++) {
            *digest = nnc_digest_number(*digest, (uint64_t)choices[i]->values[k]);
        }
    }
}

static void add_search(uint64_t *digest, const nnc_search_task *task) {
    const nnc_search *search = &task->search;
    add_plan(digest, &search->base);
    add_run(digest, search->run);
    add_choices(digest, search);
    *digest = nnc_digest_number(*digest, (uint64_t)search->mem_bytes);
    add_number(digest, search->deadline_s);
    add_number(digest, search->budget);
    if (search->risk > 0.0) { add_number(digest, search->risk); }
    *digest = nnc_digest_number(*digest, (uint64_t)search->objective);
    *digest = nnc_digest_number(*digest, (uint64_t)search->best);
    *digest = nnc_digest_number(*digest, search->no_prune);
    *digest = nnc_digest_number(*digest, (uint64_t)task->size_count);
    for (int32_t i = 0; i < task->size_count; i++) { *digest = nnc_digest_number(*digest, (uint64_t)task->sizes[i]); }
}

nnc_status nnc_search_digest(const nnc_search_task *task, nnc_specs *specs, const char *const *files, int file_count,
                             const char *const *texts, int text_count, uint64_t *digest, nnc_error *err) {
    *digest = nnc_digest_text(NNC_DIGEST_START, nnc_version());
    for (int i = 0; i < file_count; i++) { NNC_TRY(add_file(specs, digest, files[i], err)); }
    for (int i = 0; i < text_count; i++) { *digest = nnc_digest_text(*digest, texts[i]); }
    add_search(digest, task);
    return NNC_OK;
}

enum { VALUES_MAX = 2000000 };

nnc_status nnc_search_shard_is(const char *path, bool *is, nnc_error *err) {
    static const char key[] = "\"schema\"";
    char start[256];
    const int file = nnc_open_to_read(path);
    const ssize_t size = file >= 0 ? read(file, start, sizeof start - 1) : -1;
    if (size < 0) { nnc_fail(err, NNC_IO, path, "cannot %s: %s", file < 0 ? "open" : "read", strerror(errno)); }
    if (file >= 0) { close(file); }
    if (size < 0) { return NNC_IO; }
    start[size] = '\0';
    const char *at = start + strspn(start, " \t\r\n");
    at += *at == '{' ? 1 : 0;
    at += strspn(at, " \t\r\n");
    *is = strncmp(at, key, strlen(key)) == 0;
    return NNC_OK;
}

static void read_plan(nnc_json at, nnc_plan *plan) {
    *plan = nnc_plan_default();
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        char number[NNC_NUMBER_TEXT];
        nnc_error why;
        const nnc_json_type type = nnc_json_type_of(item);
        const char *text = type == NNC_JSON_TEXT     ? nnc_json_text(item)
                           : type == NNC_JSON_BOOL   ? (nnc_json_bool(item) ? "on" : "off")
                           : type == NNC_JSON_NUMBER ? nnc_number_text(nnc_json_number(item), number)
                                                     : "";
        if (nnc_plan_set(plan, nnc_json_key(item), text, &why) != NNC_OK) {
            nnc_json_fault(item, NULL, "%s", why.what);
        }
    }
    if (plan->devices < 1 || plan->schedule == NNC_SCHEDULE_COUNT) {
        nnc_json_fault(at, plan->devices < 1 ? "devices" : "schedule",
                       "missing, expected the value of the plan, found nothing");
    }
}

/* Reads the members of a listed plan for which the metrics table is not enough: the object "plan", whose keys are
 * fields of nnc_plan; and a "step_s" that is null, which is a fault because plans are sorted by step time. Returns
 * false for a member for which the metrics table is enough; the caller then reads the member by the table. */
static bool take(nnc_json object, const nnc_metric *row, nnc_json value, void *record) {
    if (row->rows == &nnc_plan_choice_metrics && nnc_json_type_of(value) == NNC_JSON_OBJECT) {
        read_plan(value, (nnc_plan *)((char *)record + row->offset));
        return true;
    }
    if (strcmp(row->name, "step_s") == 0 && nnc_json_type_of(value) == NNC_JSON_NULL) {
        nnc_json_fault(object, row->name, "missing, expected a number, found null");
        return true;
    }
    return false;
}

static void read_part(nnc_json root, nnc_search *search) {
    const nnc_json part = nnc_json_get(root, "shard");
    const char *text = nnc_json_type_of(part) == NNC_JSON_TEXT ? nnc_json_text(part) : "";
    char end = '\0';
    /* NOLINTNEXTLINE(cert-err34-c): the numbers that sscanf reads are checked here */
    if (sscanf(text, "%d/%d%c", &search->shard, &search->shards, &end) != 2 || search->shard < 1 ||
        search->shard > search->shards || search->shards > NNC_SHARDS_MAX) {
        nnc_json_fault(root, "shard",
                       "not the output of a shard, expected \"I/N\" as 'nncost search --shard I/N --format json' "
                       "writes it");
    }
}

/* Sets the members of a size that the file of a shard does not contain: `found`, `any_missed` and why.status. The
 * values of `found`, `any_missed` and why.status follow from the members `best`, `missed` and `why`, which the file
 * contains. */
static void settle_size(nnc_search_size *size) {
    size->found = size->best.plan.devices > 0;
    size->any_missed = size->missed.plan.devices > 0;
    size->why.status = size->why.what[0] != '\0' ? NNC_ILLEGAL_PLAN : NNC_OK;
}

static void read_root(nnc_json root, nnc_search_report *shard) {
    const nnc_json schema = nnc_json_get(root, "schema");
    if (nnc_json_type_of(schema) != NNC_JSON_TEXT || strcmp(nnc_json_text(schema), NNC_SEARCH_SCHEMA) != 0) {
        nnc_json_mismatch(schema, "not of a search", "\"" NNC_SEARCH_SCHEMA "\"");
        return;
    }
    read_part(root, shard->search);
    if (nnc_json_go_on(root) && nnc_json_type_of(nnc_json_get(root, "digest")) != NNC_JSON_TEXT) {
        nnc_json_fault(root, "digest", "missing, expected text, found nothing");
    }
    nnc_record_read(root, &nnc_search_document, shard, take);
    if (nnc_json_go_on(root) && shard->total.covered != shard->total.space) {
        nnc_json_fault(root, "covered", "the search was stopped, expected all %lld combinations, found %lld",
                       (long long)shard->total.space, (long long)shard->total.covered);
    }
    const int32_t best = shard->search->best;
    if (nnc_json_go_on(root) && (best < 1 || best > NNC_SEARCH_BEST_MAX)) {
        nnc_json_fault(root, "asked.best", "out of range, expected 1 to %d, found %d", (int)NNC_SEARCH_BEST_MAX,
                       (int)best);
    }
    shard->result->any_missed = shard->result->missed.plan.devices > 0;
    shard->why.status = shard->why.what[0] != '\0' ? NNC_ILLEGAL_PLAN : NNC_OK;
    for (int32_t i = 0; i < shard->size_count; i++) { settle_size(&shard->sizes[i]); }
}

/* Reads the file of a shard into the arena. Returns NNC_BAD_SPEC if the file is no shard or its search was stopped
 * before the end; other errors are NNC_IO and NNC_NO_MEMORY. */
static nnc_status search_shard_read(nnc_arena *arena, const char *path, nnc_search_report *shard, nnc_error *err) {
    char *text = NULL;
    size_t size = 0;
    *shard = (nnc_search_report){ .search = nnc_arena_alloc(arena, sizeof *shard->search),
                                  .result = nnc_arena_alloc(arena, sizeof *shard->result) };
    if (shard->search == NULL || shard->result == NULL) { return nnc_no_memory(err); }
    NNC_TRY(nnc_file_read(path, &text, &size, err));
    nnc_faults faults = { .name = path, .err = err };
    nnc_json_doc doc = { .faults = &faults, .arena = arena, .text = text, .size = size, .values_max = VALUES_MAX };
    if (nnc_json_parse(&doc)) { read_root(nnc_json_root(&doc), shard); }
    nnc_json_free(&doc);
    free(text);
    return faults.status;
}

/* State of merging shards: `sum` is the report of the shards that were merged so far. */
typedef struct merger {
    nnc_shard_set seen;
    nnc_search_report *sum;
    /* front: best plans and Pareto front of the shards merged so far; next: best plans and Pareto front of the shard
     * that is merged next */
    nnc_front front, next;
} merger;

static void add_total(nnc_search_total *sum, const nnc_search_total *more) {
    sum->space += more->space;
    sum->covered += more->covered;
    sum->evaluated += more->evaluated;
    sum->pruned += more->pruned;
    sum->legal += more->legal;
    sum->feasible += more->feasible;
}

/* Merges the reasons why shards have no legal plan. If at least one shard has a legal plan, the merged report gets no
 * reason; otherwise it gets the reason of shard 1, because shard 1 contains the simplest plan of the search. */
static void merge_why(nnc_error *sum, const nnc_error *more, bool first_shard) {
    if (more->status == NNC_OK || (first_shard && sum->status != NNC_OK)) { *sum = *more; }
}

static void merge_size(nnc_objective objective, nnc_search_size *sum, const nnc_search_size *more, bool first_shard) {
    add_total(&sum->total, &more->total);
    merge_why(&sum->why, &more->why, first_shard);
    if (more->found && (!sum->found || nnc_found_before(objective, &more->best, &sum->best))) {
        sum->best = more->best;
        sum->found = true;
    }
    if (more->any_missed && (!sum->any_missed || nnc_found_before(NNC_OBJECTIVE_TIME, &more->missed, &sum->missed))) {
        sum->missed = more->missed;
        sum->any_missed = true;
    }
}

static void merge_shard(merger *m, const nnc_search_report *shard) {
    nnc_search_report *sum = m->sum;
    const nnc_search *search = sum->search;
    const bool first_shard = shard->search->shard == 1;
    add_total(&sum->total, &shard->total);
    sum->elapsed_s = shard->elapsed_s > sum->elapsed_s ? shard->elapsed_s : sum->elapsed_s;
    sum->search->threads += shard->search->threads;
    nnc_front_of(shard->result, &m->next);
    nnc_front_merge(&m->front, search->objective, search->best, &m->next);
    merge_why(&sum->why, &shard->why, first_shard);
    for (int32_t i = 0; i < sum->size_count; i++) {
        merge_size(search->objective, &sum->sizes[i], &shard->sizes[i], first_shard);
    }
}

static nnc_status read_shards(merger *m, nnc_arena *arena, char *const *paths, int count, nnc_error *err) {
    for (int i = 0; i < count; i++) {
        nnc_search_report next, *shard = i == 0 ? m->sum : &next; /* first shard: read into the merged report; later
                                                                   * shards: read into `next`, whose strings stay in the
                                                                   * arena */
        NNC_TRY(search_shard_read(arena, paths[i], shard, err));
        const nnc_shard number = { shard->search->shard, shard->search->shards };
        NNC_TRY(nnc_shard_set_add(&m->seen, paths[i], shard->digest, number, err));
        if (i == 0) {
            nnc_front_of(shard->result, &m->front);
        } else if (shard->size_count != m->sum->size_count) { /* the numbers of devices can differ only if a file was
                                                               * edited */
            return nnc_fail(err, NNC_BAD_SPEC, paths[i], "holds a shard of another search than %s", paths[0]);
        } else {
            merge_shard(m, shard);
        }
    }
    return nnc_shard_set_complete(&m->seen, err);
}

/* If no shard has a legal plan for any number of devices, returns the merged reason as an error. */
static nnc_status check_legal(const nnc_search_report *sum, nnc_error *err) {
    const nnc_error *why = sum->sizes != NULL && sum->size_count > 0 ? &sum->sizes[0].why : &sum->why;
    for (int32_t i = 0; i < sum->size_count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): sizes is not NULL if size_count > 0 */
        if (sum->sizes[i].why.status == NNC_OK) { return NNC_OK; }
    }
    return why->status == NNC_OK ? NNC_OK : nnc_fail(err, why->status, why->where, "%s", why->what);
}

nnc_status nnc_search_merge(nnc_arena *arena, char *const *paths, int count, const char *digest,
                            nnc_search_report *report, nnc_error *err) {
    merger *m = nnc_arena_alloc(arena, sizeof *m);
    if (m == NULL) { return nnc_no_memory(err); }
    m->sum = report;
    m->seen.kind = "search";
    const nnc_status status = read_shards(m, arena, paths, count, err);
    nnc_shard_set_free(&m->seen);
    NNC_TRY(status);
    if (digest != NULL && strcmp(report->digest, digest) != 0) {
        return nnc_fail(err, NNC_BAD_SPEC, paths[0], "contains a shard of another search");
    }
    NNC_TRY(check_legal(report, err));
    nnc_front_result(&m->front, report->result);
    report->size_asked = report->size_count;
    /* a digest of NULL marks the merged report as the report of a whole search, not of a shard */
    report->digest = NULL;
    report->search->shard = report->search->shards = 0;
    nnc_search_rank_sizes(report);
    return NNC_OK;
}
