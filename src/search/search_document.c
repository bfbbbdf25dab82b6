/* The output of a search as metric tables: plans, sizes, shards, parameters of the device. */
#include <inttypes.h>
#include <stdio.h>

#include "search/search_internal.h"

/* ---- plans ---- */

static const nnc_metric found_rows[] = {
    NNC_AS("plan", OBJECT, NNC_IN(nnc_found, plan), .rows = &nnc_plan_choice_metrics,
           .help = "The plan."),
    NNC_CHARS(nnc_found, software, .help = "The software profile that the plan runs under."),
    NNC_NUMBER(nnc_found, step_s, .unit = "s", .help = "One optimizer step.",
               .more = NNC_MORE(.same_as = "step.step_s")),
    NNC_WHOLE(nnc_found, memory_bytes, .unit = "B", .help = "Memory of the fullest device.",
              .more = NNC_MORE(.same_as = "memory.total_bytes")),
    NNC_NUMBER(nnc_found, mfu, .show = NNC_SHOW_PERCENT, .help = "Model FLOPs utilisation.",
               .more = NNC_MORE(.same_as = "throughput.mfu")),
    NNC_NUMBER(nnc_found, tokens_per_s, .help = "Tokens trained on per second.",
               .more = NNC_MORE(.same_as = "throughput.tokens_per_s")),
    NNC_NUMBER(nnc_found, bubble_share, .show = NNC_SHOW_PERCENT,
               .help = "The bubble over the step.",
               .more = NNC_MORE(.same_as = "step.bubble_share")),
    NNC_NUMBER(nnc_found, exposed_comm_s, .unit = "s",
               .help = "Communication that no compute overlaps.",
               .more = NNC_MORE(.same_as = "step.exposed_comm_s")),
    NNC_NUMBER(nnc_found, device_s, .unit = "s",
               .help = "Devices times step: device time of one step."),
    NNC_NUMBER(nnc_found, cost_step, .help = "Price of one step; null without a price.",
               .more = NNC_MORE(.same_as = "cost.step")),
    NNC_NUMBER(nnc_found, run_s, .unit = "s", .help = "Time of the run, with all that it loses.",
               .more = NNC_MORE(.same_as = "run.run_s")),
    NNC_NUMBER(nnc_found, device_hours, .help = "Device-hours of the run.",
               .more = NNC_MORE(.same_as = "run.device_hours")),
    NNC_NUMBER(nnc_found, cost_run, .help = "Price of the run.",
               .more = NNC_MORE(.same_as = "run.cost")),
    NNC_NUMBER(nnc_found, goodput, .show = NNC_SHOW_PERCENT2,
               .help = "Useful time over wall time of the run.",
               .more = NNC_MORE(.same_as = "run.goodput")),
    NNC_NUMBER(nnc_found, energy_j, .unit = "J", .help = "Energy of the run, building included.",
               .more = NNC_MORE(.same_as = "run.energy_j")),
    NNC_NUMBER(nnc_found, carbon_kg, .unit = "kg", .help = "Carbon dioxide of the energy.",
               .more = NNC_MORE(.same_as = "run.carbon_kg")),
    NNC_TEXT(nnc_found, command, .help = "The command line that estimates it."),
};
const nnc_metrics nnc_found_metrics = NNC_METRICS("a plan that fits", found_rows, nnc_found);

/* In shards, plans carry their index in the space, which decides ties. */
static bool is_in_shard(const nnc_place *place)
{
    const nnc_search_report *report = place->owner;
    return report == NULL || report->digest != NULL;
}

static const nnc_metric listed_rows[] = {
    NNC_AS("index", WHOLE, NNC_IN(nnc_found, index), .help = "Place in the space; only in shards.",
           .more = NNC_MORE(.when = is_in_shard)),
    NNC_ROWS(&nnc_found_metrics),
};
static const nnc_metrics listed_metrics = NNC_METRICS("a plan that fits", listed_rows, nnc_found);

/* ---- sizes ---- */

static const nnc_metric refusal_rows[] = {
    NNC_CHARS(nnc_error, where, .help = "The option that the rule is about."),
    NNC_CHARS(nnc_error, what, .help = "The rule."),
};
static const nnc_metrics refusal_metrics =
    NNC_METRICS("why no plan is legal", refusal_rows, nnc_error);

NNC_IF(is_of_shard, void, NNC_OWNER(nnc_search_report)->digest != NULL)

NNC_IF(is_found, nnc_search_size, self->found)

static bool is_not_found(const nnc_place *place)
{
    return !is_found(place);
}

NNC_IF(missed_none, nnc_search_size, !self->any_missed)

NNC_IF(is_legal_size, nnc_search_size, self->why.status == NNC_OK)

NNC_GET(get_reason, nnc_search_size,
        nnc_text_cell(self->found                  ? NULL
                      : self->why.status != NNC_OK ? self->why.what
                      : self->any_missed           ? "misses the deadline or the budget"
                                                   : "does not fit"))

static const nnc_metric size_rows[] = {
    NNC_WHOLE(nnc_search_size, devices, .help = "Devices of this size."),
    NNC_AS("space", WHOLE, NNC_IN(nnc_search_size, total.space),
           .help = "Combinations of the choices."),
    NNC_AS("legal", WHOLE, NNC_IN(nnc_search_size, total.legal),
           .help = "Plans among them that break no rule."),
    NNC_AS("feasible", WHOLE, NNC_IN(nnc_search_size, total.feasible),
           .help = "Legal plans that fit the memory."),
    NNC_AS("evaluated", WHOLE, NNC_IN(nnc_search_size, total.evaluated),
           .help = "Plans that were evaluated in full."),
    NNC_AS("missed", OBJECT, NNC_IN(nnc_search_size, missed), .rows = &listed_metrics,
           .help = "The fastest plan that breaks a limit on the run; only in shards.",
           .more = NNC_MORE(.when = is_of_shard, .unless = missed_none)),
    NNC_AS("illegal", OBJECT, NNC_IN(nnc_search_size, why), .rows = &refusal_metrics,
           .help = "Why no plan is legal; only in shards.",
           .more = NNC_MORE(.when = is_of_shard, .unless = is_legal_size)),
    NNC_AS("best", OBJECT, NNC_IN(nnc_search_size, best), .rows = &listed_metrics,
           .help = "The best plan; null when no plan fits.",
           .more = NNC_MORE(.unless = is_not_found)),
    NNC_AS("reason", TEXT, .get = get_reason, .help = "Why no plan fits; null when one does."),
};
static const nnc_metrics size_metrics =
    NNC_METRICS("one number of devices", size_rows, nnc_search_size);

static const nnc_metric best_rows[] = {
    NNC_ROWS(&nnc_found_metrics, NNC_IN(nnc_search_size, best)),
};
const nnc_metrics nnc_size_best_metrics = { .what = "the best plan of a size",
                                            .rows = best_rows,
                                            .count = 1,
                                            .record_size = sizeof(nnc_search_size),
                                            .listed = is_found };

/* ---- all of it ---- */

NNC_IF(is_shard, nnc_search_report, self->digest != NULL)

NNC_IF(has_sizes, nnc_search_report, self->sizes != NULL)

static bool has_no_sizes(const nnc_place *place)
{
    return !has_sizes(place);
}

static bool is_lone_shard(const nnc_place *place)
{
    return is_shard(place) && !has_sizes(place);
}

NNC_IF(has_target, nnc_search_report, self->target_step_s > 0.0)

NNC_IF(has_none_missed, nnc_search_report, !self->result->any_missed)

NNC_IF(is_legal, nnc_search_report, self->why.status == NNC_OK)

static nnc_cell get_shard(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_search *search = ((const nnc_search_report *)place->record)->search;
    snprintf(text, NNC_METRIC_TEXT_MAX, "%" PRId32 "/%" PRId32, search->shard, search->shards);
    return nnc_text_cell(text);
}

/* Devices of one of the sizes. */
static nnc_cell devices_of(const nnc_search_report *report, int32_t index)
{
    const nnc_cell none = { .kind = NNC_CELL_NULL };
    return index < 0 ? none : nnc_whole_cell(report->sizes[index].devices);
}

NNC_GET(get_fastest, nnc_search_report, devices_of(self, self->fastest))

NNC_GET(get_cheapest, nnc_search_report, devices_of(self, self->cheapest))

static nnc_cell get_lever(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_target *target = place->record;
    const nnc_search_result *result = ((const nnc_search_report *)place->owner)->result;
    const nnc_dtype precision = result->best_count > 0 ? result->best[0].plan.precision : NNC_BF16;
    return nnc_text_cell(nnc_sensitivity_parameter_name(target->figure, precision, text));
}

static const nnc_metric asked_rows[] = {
    NNC_NAMED(nnc_search, objective, nnc_objective_name, NNC_OBJECTIVE_COUNT,
              .help = "Objective of the search."),
    NNC_WHOLE(nnc_search, best, .help = "Number of plans to list."),
};
static const nnc_metrics asked = NNC_METRICS("the request", asked_rows, nnc_search);

static const nnc_metric lever_rows[] = {
    NNC_AS("figure", TEXT, .get = get_lever,
           .help = "Parameter of the device file, as --set names it."),
    NNC_NUMBER(nnc_target, value, .help = "Value of the device."),
    NNC_NUMBER(nnc_target, needed,
               .help = "Value that reaches the target step; null when no value does."),
    NNC_NUMBER(nnc_target, step_s, .unit = "s", .help = "The step with it."),
};
static const nnc_metrics levers =
    NNC_METRICS("the smallest value of a parameter", lever_rows, nnc_target);

static const nnc_metric target_rows[] = {
    NNC_AS("step_s", NUMBER, NNC_IN(nnc_search_report, target_step_s), .unit = "s",
           .help = "The target step."),
    NNC_AS("figures", LIST, NNC_IN(nnc_search_report, targets),
           NNC_COUNT(nnc_search_report, target_count), .in_place = true, .rows = &levers,
           .help = "The value that each parameter alone would need."),
};
static const nnc_metrics target_metrics =
    NNC_METRICS("the way to a step time", target_rows, nnc_search_report);

#define TOTAL(member) NNC_IN(nnc_search_report, total.member)
#define RESULT(member) NNC_VIA(nnc_search_report, result), NNC_IN(nnc_search_result, member)
static const nnc_metric document_rows[] = {
    NNC_AS("shard", TEXT, .get = get_shard,
           .help = "Which part of how many this is; only with --shard.",
           .more = NNC_MORE(.when = is_shard)),
    NNC_TEXT(nnc_search_report, digest,
             .help = "Digest of the inputs of the search without the shard; only with --shard.",
             .more = NNC_MORE(.when = is_shard)),
    NNC_AS("asked", OBJECT, NNC_VIA(nnc_search_report, search), .rows = &asked,
           .help = "The request; only with --shard.", .more = NNC_MORE(.when = is_shard)),
    NNC_AS("space", WHOLE, TOTAL(space), .help = "Combinations of the choices, before any rule."),
    NNC_AS("covered", WHOLE, TOTAL(covered),
           .help = "Combinations covered: all, unless the search was stopped."),
    NNC_AS("legal", WHOLE, TOTAL(legal), .help = "Plans among them that break no rule."),
    NNC_AS("feasible", WHOLE, TOTAL(feasible), .help = "Legal plans that fit the memory."),
    NNC_AS("evaluated", WHOLE, TOTAL(evaluated),
           .help =
               "Plans that were evaluated in full; more in shards, which prune each by itself."),
    NNC_AS("pruned", WHOLE, TOTAL(pruned),
           .help = "Combinations excluded by a rule or a sound bound: the others."),
    NNC_NUMBER(nnc_search_report, elapsed_s, .unit = "s", .help = "Time of the search."),
    NNC_AS("threads", WHOLE, NNC_VIA(nnc_search_report, search), NNC_IN(nnc_search, threads),
           .help = "Threads that worked."),
    NNC_TEXT(nnc_search_report, currency,
             .help = "Currency of the prices; null when no price is known."),
    NNC_AS("fastest", WHOLE, .get = get_fastest,
           .help = "Devices of the fastest size; null when no plan fits.",
           .more = NNC_MORE(.when = has_sizes)),
    NNC_AS("cheapest", WHOLE, .get = get_cheapest,
           .help = "Devices of the size that takes the fewest device-seconds.",
           .more = NNC_MORE(.when = has_sizes)),
    NNC_AS("sizes", LIST, NNC_IN(nnc_search_report, sizes),
           NNC_COUNT(nnc_search_report, size_count), .rows = &size_metrics,
           .help = "Each number of devices, where --devices lists several.",
           .more = NNC_MORE(.when = has_sizes)),
    NNC_AS("best", LIST, RESULT(best), NNC_COUNT(nnc_search_result, best_count), .in_place = true,
           .rows = &listed_metrics, .help = "The best plans, best first.",
           .more = NNC_MORE(.when = has_no_sizes)),
    NNC_AS("pareto", LIST, RESULT(pareto), NNC_COUNT(nnc_search_result, pareto_count),
           .in_place = true, .rows = &listed_metrics,
           .help = "No other plan is faster with less memory; fastest first.",
           .more = NNC_MORE(.when = has_no_sizes)),
    NNC_AS("pareto_truncated", BOOL, RESULT(pareto_truncated),
           .help = "Whether plans with less memory were left out; only with --shard.",
           .more = NNC_MORE(.when = is_lone_shard)),
    NNC_AS("missed", OBJECT, RESULT(missed), .rows = &listed_metrics,
           .help = "The fastest plan that breaks a limit on the run; only with --shard.",
           .more = NNC_MORE(.when = is_lone_shard, .unless = has_none_missed)),
    NNC_AS("illegal", OBJECT, NNC_IN(nnc_search_report, why), .rows = &refusal_metrics,
           .help = "Why no plan is legal; only with --shard.",
           .more = NNC_MORE(.when = is_lone_shard, .unless = is_legal)),
    NNC_AS("target", OBJECT, .rows = &target_metrics, .help = "With --target-step.",
           .more = NNC_MORE(.when = has_target)),
};
#undef TOTAL
#undef RESULT
const nnc_metrics nnc_search_document =
    NNC_METRICS("the result of a search", document_rows, nnc_search_report);
