/* The commands nncost advise, fit and limit. The command advise estimates changes of a plan and lists those that help
 * most, the change with the fastest step first. The command fit finds the largest micro-batch, sequence, adapter rank
 * or number of layers that fits on a device, and ways to save memory. The command limit finds the largest degree of
 * parallelism with which the network does not bound the plan, or the smallest batch with which compute bounds the
 * plan. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "estimate/estimate_internal.h"
#include "memo/memo_internal.h"

enum { SHOWN = 5 };

typedef struct line {
    nnc_plan_change change;
    char sentence[512];
} line;

typedef struct answer {
    nnc_report report;
    int32_t count, tries;
    line *lines; /* points to the first element of `places`; the metrics table of the answer reads the list through this
                  * pointer */
    line places[SHOWN + NNC_ADVICE_MAX + 1];
} answer;

/* Writes a change of a plan as a sentence: "--precision fp8: a step takes 818.6 ms, 21.7% faster, 40.1 GB, 0.0002 USD a
 * step; it fits." base: estimate of the unchanged plan. currency NULL: no price is known. Returns text. */
static const char *plan_change_sentence(const nnc_plan_change *change, const nnc_result *base, const char *currency,
                                        char *text, size_t size) {
    char step[NNC_NUMBER_TEXT], total[NNC_NUMBER_TEXT], cost[NNC_NUMBER_TEXT];
    const double percent = 100.0 * (change->gain - 1.0);
    nnc_unit_text(change->step_s, "s", step);
    nnc_unit_text((double)change->total_bytes, "B", total);
    snprintf(text, size, "%s: a step takes %s, %.1f%% %s", change->options, step, fabs(percent),
             percent < 0.0 ? "slower" : "faster");
    if (change->global_batch != base->plan.global_batch) {
        nnc_text_append(text, size, "", " per sample (batch %" PRId64 ")", change->global_batch);
    }
    if (change->seq_len != base->plan.seq_len) {
        nnc_text_append(text, size, "", " per token (sequences of %" PRId64 ")", change->seq_len);
    }
    nnc_text_append(text, size, "", ", %s", total);
    if (currency != NULL && !isnan(change->cost_step)) {
        nnc_text_append(text, size, "", ", %s %s a step", nnc_count_text(change->cost_step, cost), currency);
    }
    nnc_text_append(text, size, "", "; it %s%s.", change->verdict == NNC_FITS ? "fits" : "is tight",
                    change->adapters ? " and trains only adapters" : "");
    return text;
}

#define CHANGE(member) NNC_IN(line, change.member)
static const nnc_metric table_rows[] = {
    NNC_AS("options", CHARS, CHANGE(options), .head = "with", .wraps = true,
           .help = "Options that make the change. They replace the options of the plan that set the same fields as "
                   "these options."),
    NNC_AS("step_s", NUMBER, CHANGE(step_s), .head = "step", .unit = "s",
           .help = "Time of one step with these options."),
    NNC_AS("gain", NUMBER, CHANGE(gain), .head = "speed", .show = NNC_SHOW_PERCENT,
           .help = "Samples per second with the options of the change, divided by the samples per second of the "
                   "plan. If the change sets another --seq-len, tokens per second are divided instead of samples "
                   "per second."),
    NNC_AS("total_bytes", WHOLE, CHANGE(total_bytes), .head = "memory", .unit = "B",
           .help = "Memory of the fullest device."),
    NNC_AS("cost_usd", NUMBER, CHANGE(cost_step), .head = "cost", .show = NNC_SHOW_COUNT,
           .help = "Cost of one step on all devices, in the currency of the device's prices."),
    NNC_AS("global_batch", WHOLE, CHANGE(global_batch), .head = "batch", .drop = 1,
           .help = "Sequences or images per step."),
};
static const nnc_metrics table_metrics = NNC_METRICS("a change in the table", table_rows, line);

static const nnc_metric change_rows[] = {
    NNC_ROWS(&table_metrics),
    NNC_AS("samples_per_s", NUMBER, CHANGE(samples_per_s), .show = NNC_SHOW_COUNT,
           .help = "Samples trained on per second."),
    NNC_AS("adapters", BOOL, CHANGE(adapters), .help = "Only adapters are trained (LoRA), not all weights."),
    NNC_CHARS(line, sentence, .help = "The change of the plan, in one sentence."),
};
static const nnc_metrics change_metrics = NNC_METRICS("a change of a plan", change_rows, line);

static nnc_cell get_verdict(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const answer *a = place->record;
    return nnc_text_cell(nnc_report_sentence(&a->report, text));
}

static const nnc_metric advise_rows[] = {
    NNC_AS("sentence", TEXT, .get = get_verdict, .help = "The verdict on the plan, in one sentence."),
    NNC_AS("step_s", NUMBER, NNC_VIA(answer, report.result), NNC_IN(nnc_result, step_s), .unit = "s",
           .help = "Time of one step of the plan."),
    NNC_AS("total_bytes", WHOLE, NNC_VIA(answer, report.result), NNC_IN(nnc_result, memory.total_bytes), .unit = "B",
           .help = "Memory of the plan."),
    NNC_AS("cost_usd", NUMBER, NNC_VIA(answer, report.result), NNC_IN(nnc_result, cost_step), .show = NNC_SHOW_COUNT,
           .help = "Cost of one step of the plan."),
    NNC_WHOLE(answer, tries, .help = "Number of plans that were tried."),
    NNC_AS("changes", LIST, NNC_IN(answer, lines), NNC_COUNT(answer, count), .rows = &change_metrics,
           .help = "Changes that let the plan fit, make it faster or reduce its memory. The fastest is first."),
};
static const nnc_metrics advise_metrics = NNC_METRICS("advice on a plan", advise_rows, answer);

static void add(answer *a, const nnc_plan_change *change) {
    int32_t place = a->count++;
    for (; place > 0 && change->gain > a->lines[place - 1].change.gain; place--) {
        a->lines[place] = a->lines[place - 1];
    }
    a->lines[place].change = *change;
}

/* Tests whether the answer already lists a change. Two changes count as the same change if their options are equal, or
 * if their step times, memory and batches are equal (their options may then be in another order). */
static bool has(const answer *a, const nnc_plan_change *change) {
    for (int32_t i = 0; i < a->count; i++) {
        const nnc_plan_change *old = &a->lines[i].change;
        const bool same_figures = old->step_s == change->step_s && old->total_bytes == change->total_bytes &&
                                  old->global_batch == change->global_batch;
        if (same_figures || strcmp(old->options, change->options) == 0) { return true; }
    }
    return false;
}

/* Adds to the answer a change with which the plan fits in memory and keeps its batch, unless the answer already lists
 * this change. */
static void add_advice(answer *a, const nnc_advice *advice) {
    const nnc_result *r = a->report.result;
    const int64_t now = r->plan.seq_len, seq_len = advice->plan.seq_len > 0 ? advice->plan.seq_len : now;
    const double shorter = now > 0 ? (double)seq_len / (double)now : 1.0; /* tokens of the changed step / tokens of the
                                                                           * plan's step */
    nnc_plan_change change = { .step_s = advice->step_s,
                               .samples_per_s = (double)r->plan.global_batch / advice->step_s,
                               .gain = shorter * r->step_s / advice->step_s,
                               .cost_step = r->cost_step * advice->step_s / r->step_s,
                               .total_bytes = advice->total_bytes,
                               .global_batch = r->plan.global_batch,
                               .seq_len = seq_len,
                               .adapters = advice->plan.adapter_rank > 0 && r->plan.adapter_rank == 0,
                               .verdict = advice->verdict };
    snprintf(change.options, sizeof change.options, "%s", advice->text);
    if (!has(a, &change)) { add(a, &change); }
}

static void fill(answer *a, const nnc_plan_changes *found) {
    for (int32_t i = 0; i < found->count && a->count < SHOWN; i++) { add(a, &found->list[i]); }
    if (found->together.options[0] != '\0' && !has(a, &found->together)) { add(a, &found->together); }
    for (int32_t i = 0; i < a->report.advice_count; i++) { add_advice(a, &a->report.advice[i]); }
    for (int32_t i = 0; i < a->count; i++) {
        plan_change_sentence(&a->lines[i].change, a->report.result, nnc_report_currency(&a->report),
                             a->lines[i].sentence, sizeof a->lines[i].sentence);
    }
    a->tries = found->tries;
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const answer *a = record;
    char text[NNC_METRIC_TEXT_MAX];
    nnc_sheet_line(out, style, "%s", nnc_report_sentence(&a->report, text));
    nnc_buffer_byte(out, '\n');
    if (a->count == 0) {
        nnc_sheet_line(out, style,
                       "%" PRId32
                       " other plans were tried. No plan among them is better (fits, is faster or needs less memory).",
                       a->tries);
        return;
    }
    const nnc_lines lines = { &table_metrics, NULL, a->lines, a->count };
    nnc_table_of(out, style, lines);
    nnc_buffer_byte(out, '\n');
    nnc_sheet_line(out, style,
                   "The best of %" PRId32 " plans that were tried. Speed is samples per second (tokens per second with "
                   "another --seq-len) relative to the plan. The options of a line replace the same options of the "
                   "plan; --lora trains only adapters.",
                   a->tries);
}

const nnc_view nnc_advise_view = {
    .schema = "nncost.advise/1", .document = &advise_metrics, .list = "changes", .page = write_page
};

static nnc_status write_answer(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                               nnc_error *err) {
    nnc_plan_changes found;
    answer a = { .report = scenario->report };
    (void)context;
    a.lines = a.places;
    NNC_TRY(nnc_scenario_changes(scenario, false, scratch, &found, err));
    fill(&a, &found);
    session->exit_code = scenario->result.verdict != NNC_OVER_MEMORY || a.count > 0 ? 0 : 1;
    nnc_view_write(session->out, session->style, &nnc_advise_view, &a);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    return nnc_scenario_report(session, operands[0], operands[1], write_answer, NULL, err);
}

const nnc_command nnc_cmd_advise = {
    .name = "advise",
    .operands = "[FILE...] MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "The changes of a plan that help most, with the time, memory and cost of each.",
    .notes = "The command tries other values of precision, micro-batch, activation checkpointing, ZeRO, degrees of "
             "parallelism and optimizer on the same devices. It also tries torch.compile, padding of the vocabulary, "
             "LoRA and QLoRA. First it tries one change at a time, then the best changes together. 'nncost search' "
             "tries all plans. The command exits with 1 if the plan does not fit and no change makes it fit.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO | NNC_TAKES_LAUNCH | NNC_LACKS_RUN,
    .run = run,
};

/* ---- nncost fit: the largest sizes of a model and batch that fit on a device, and ways to save memory ---- */

typedef struct fit_answer {
    nnc_fitting fit;
    nnc_report report; /* report about fit.result, the estimate with the largest micro-batch that fits */
    const nnc_report *shown;
    const nnc_remedy *remedies;
    /* changes that make the plan fit; the list is filled only if no micro-batch fits and no entry of `remedies` makes
     * the plan fit */
    answer others;
} fit_answer;

#define FIT(member) NNC_IN(fit_answer, fit.member)

static nnc_cell positive(int64_t value) { return nnc_number_cell(value > 0 ? (double)value : (double)NAN); }

NNC_GET(get_seq_len, fit_answer, positive(self->fit.seq_len))
NNC_GET(get_recorded, fit_answer, positive(self->fit.recorded_batch))
NNC_GET(get_rank, fit_answer, positive(self->fit.lora_rank))
NNC_GET(get_layers, fit_answer, positive(self->fit.layers))

static const nnc_metric remedy_rows[] = {
    NNC_CHARS(nnc_remedy, options, .head = "with", .help = "Command-line options that save memory."),
    NNC_WHOLE(nnc_remedy, total_bytes, .head = "memory", .unit = "B",
              .help = "Memory with these options. The micro-batch is the largest that fits without these options; if "
                      "none fits, it is the largest that fits with these options."),
    NNC_NUMBER(nnc_remedy, step_s, .head = "step", .unit = "s",
               .help = "Time of one step with these options, at the micro-batch with which total_bytes was computed."),
    NNC_WHOLE(nnc_remedy, micro_batch, .head = "micro-batch",
              .help = "The largest micro-batch that fits with these options."),
    NNC_NUMBER(nnc_remedy, samples_per_s, .head = "samples/s", .show = NNC_SHOW_COUNT,
               .help = "Samples trained on per second with the largest micro-batch."),
};
static const nnc_metrics remedy_metrics = NNC_METRICS("a way to save memory", remedy_rows, nnc_remedy);

static const nnc_metric fit_rows[] = {
    NNC_AS("model", CHARS, NNC_VIA(fit_answer, report.model), NNC_IN(nnc_model, id), .help = "Model that is trained."),
    NNC_AS("device", CHARS, NNC_VIA(fit_answer, report.device), NNC_IN(nnc_device, id),
           .help = "Device on which the step has to fit."),
    NNC_AS("software", CHARS, NNC_VIA(fit_answer, report.software), NNC_IN(nnc_software, id),
           .help = "Software profile."),
    NNC_AS("micro_batch", WHOLE, FIT(micro_batch),
           .help = "The largest micro-batch that fits: the upper end of total_interval_bytes is at most the memory "
                   "of the device. 0 if no micro-batch fits."),
    NNC_AS("micro_batch_tight", WHOLE, FIT(micro_batch_tight),
           .help = "The largest micro-batch that may fit: the estimate is at most the memory of the device, but the "
                   "upper end of total_interval_bytes is above the memory."),
    NNC_AS("seq_len", NUMBER, .get = get_seq_len,
           .help = "The longest sequence that fits at the micro-batch of the plan, a multiple of 64 or the plan's "
                   "own length; null for images, or if no sequence fits."),
    NNC_AS("lora_rank", NUMBER, .get = get_rank,
           .help = "The largest rank of adapters that fits at the micro-batch of the plan; null without adapters."),
    NNC_AS("layers", NUMBER, .get = get_layers,
           .help = "The largest number of layers that fits at the micro-batch of the plan, if their width does not "
                   "change; null for "
                   "networks without equal layers."),
    NNC_AS("recorded_batch", NUMBER, .get = get_recorded,
           .help = "Largest number of samples in the recordings of a captured step; larger micro-batches are not "
                   "tried. null for other models."),
    NNC_AS("total_bytes", WHOLE, FIT(result.memory.total_bytes), .unit = "B",
           .help = "Memory with the largest micro-batch that fits; memory of the plan if no micro-batch fits."),
    NNC_AS("capacity_bytes", WHOLE, FIT(result.memory.capacity_bytes), .unit = "B",
           .help = "Memory of the device that one process can get."),
    NNC_AS("margin_bytes", WHOLE, FIT(margin_bytes), .unit = "B",
           .help = "Width of total_interval_bytes, the range of the memory, with the largest micro-batch."),
    NNC_AS("step_s", NUMBER, FIT(result.step_s), .unit = "s", .help = "Time of one step with the largest micro-batch."),
    NNC_AS("samples_per_s", NUMBER, FIT(result.samples_per_s), .show = NNC_SHOW_COUNT,
           .help = "Samples trained on per second with the largest micro-batch."),
    NNC_AS("plan", OBJECT, NNC_VIA(fit_answer, shown), .rows = &nnc_resolved_plan_metrics,
           .help = "The plan with the largest micro-batch."),
    NNC_AS("remedies", LIST, NNC_IN(fit_answer, remedies), NNC_COUNT(fit_answer, fit.remedy_count),
           .rows = &remedy_metrics,
           .help = "Changes that save memory and let the plan fit. The change with the least effect on the training "
                   "is first."),
    NNC_AS("changes", LIST, NNC_IN(fit_answer, others.lines), NNC_COUNT(fit_answer, others.count),
           .rows = &change_metrics,
           .help = "Changes outside of remedies with which the plan fits, if no micro-batch fits and no entry of "
                   "remedies helps. The fastest change is first."),
};
static const nnc_metrics fit_metrics = NNC_METRICS("what fits on a device", fit_rows, fit_answer);

static const nnc_page_row page_rows[] = {
    NNC_LINE("fits", .when = "micro_batch > 0"),
    NNC_BOLD("micro-batch {micro_batch}"),
    NNC_ITEM("micro-batch {micro_batch_tight} may fit", .when = "micro_batch_tight > micro_batch"),
    NNC_ITEM("{step_s} a step, {samples_per_s:count} samples/s"),
    NNC_LINE("fits", .when = "micro_batch = 0"),
    NNC_BOLD("no micro-batch fits", .when = "micro_batch_tight = 0"),
    NNC_BOLD("micro-batch {micro_batch_tight} may fit", .when = "micro_batch_tight > 0"),
    NNC_LINE("recorded", .when = "recorded_batch"),
    NNC_ITEM("up to {recorded_batch:count} samples; larger micro-batches were not tried, and --join of "
             "nncost.capture adds a recording"),
    NNC_LINE("sequence", .when = "seq_len"),
    NNC_ITEM("up to {seq_len:count} tokens with the micro-batch of the plan"),
    NNC_LINE("rank", .when = "lora_rank"),
    NNC_ITEM("adapters up to rank {lora_rank:count} with the micro-batch of the plan"),
    NNC_LINE("layers", .when = "layers"),
    NNC_ITEM("up to {layers:count} of this width with the micro-batch of the plan"),
    NNC_LINE("memory"),
    NNC_ITEM("{total_bytes} of {capacity_bytes}"),
    NNC_ITEM("the peak is in a range of {margin_bytes}", .when = "margin_bytes > 0"),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&fit_metrics, page_rows);

static void write_fit_page(nnc_buffer *out, nnc_style style, const void *record) {
    const fit_answer *a = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_subject(&sheet, &a->report);
    nnc_sheet_gap(&sheet);
    nnc_sheet_rows(&sheet, &page, a);
    if (a->fit.remedy_count > 0) {
        nnc_buffer_byte(out, '\n');
        nnc_table table = { .count = 0 };
        nnc_table_heads(&table, &remedy_metrics);
        nnc_table_records(&table, (nnc_lines){ &remedy_metrics, NULL, a->remedies, a->fit.remedy_count });
        nnc_table_write(&table, out, style);
        nnc_buffer_byte(out, '\n');
        nnc_sheet_line(out, style,
                       a->fit.micro_batch > 0
                           ? "Memory and step are the values with the largest micro-batch that fits without the "
                             "options of the row. Micro-batch and samples/s are the values with the largest "
                             "micro-batch that fits with these options."
                           : "All values of a row are for the largest micro-batch that fits with the options of the "
                             "row.");
    }
    if (a->others.count > 0) {
        nnc_table_under(out, style, (nnc_lines){ &table_metrics, NULL, a->others.lines, a->others.count },
                        "Changes with which the plan fits");
    }
}

const nnc_view nnc_fit_view = {
    .schema = "nncost.fit/1", .document = &fit_metrics, .list = "remedies", .page = write_fit_page
};

static nnc_status write_fit_answer(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                                   nnc_error *err) {
    fit_answer a = { .report = scenario->report };
    (void)context;
    NNC_TRY(nnc_scenario_profiles(scenario, err));
    nnc_scratch *own = nnc_scratch_create();
    NNC_GOT(own, err);
    const nnc_status status =
        nnc_fitting_find(&scenario->model, &scenario->device, &scenario->profiles, &scenario->plan, own, &a.fit, err);
    nnc_scratch_destroy(own);
    if (status == NNC_OK && a.fit.micro_batch_tight == 0 && a.fit.remedy_count == 0) {
        nnc_plan_changes found;
        a.others.report = scenario->report;
        a.others.lines = a.others.places;
        NNC_TRY(nnc_scenario_changes(scenario, false, scratch, &found, err));
        fill(&a.others, &found);
    }
    if (status == NNC_OK) {
        a.report.result = &a.fit.result;
        a.shown = &a.report;
        a.remedies = a.fit.remedies;
        /* the exit code is 0 if some micro-batch has the verdict fits or tight, otherwise 1, as in `nncost estimate` */
        session->exit_code = a.fit.micro_batch_tight > 0 ? 0 : 1;
        nnc_view_write(session->out, session->style, &nnc_fit_view, &a);
    }
    return status;
}

static nnc_status run_fit(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    NNC_TRY(nnc_run_options_refuse(&session->options.given, false, "'nncost run'", err));
    return nnc_scenario_report(session, operands[0], operands[1], write_fit_answer, NULL, err);
}

const nnc_command nnc_cmd_fit = {
    .name = "fit",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "The largest micro-batch and sequence that fit on a device, and each way to save memory.",
    .notes = "The command accepts the options of a plan. micro_batch is the largest micro-batch that fits even if "
             "the real peak of memory is at the upper end of the predicted range. micro_batch_tight is the largest "
             "micro-batch that may fit. The printed sequence length, adapter rank and number of layers are the "
             "largest values that fit with the micro-batch of the plan [1]. The table lists ways to save memory; "
             "each row has the memory, the step time and the largest micro-batch that fits. The command exits with "
             "1 if no micro-batch can fit.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO | NNC_TAKES_LAUNCH |
             NNC_LACKS_COST | NNC_LACKS_RUN,
    .run = run_fit,
};

typedef struct limits {
    nnc_limit_answer found;
    nnc_report report; /* report about found.result, the estimate of the plan at the limit */
    const nnc_report *shown;
    const nnc_limit_point *points;
    const char *stop, *why;
} limits;

#define LIMIT(member) NNC_IN(limits, found.member)

/* Returns the formulas of a limit as text. Formula 1 is the condition for the whole step; formula 2 is simpler, because
 * it counts only the layers with most of the work (MLPs, ring attention, or all matrices). Source: "How to Scale Your
 * Model", chapter 5, Training: https://jax-ml.github.io/scaling-book/training/; for rings: arXiv:2310.01889, section
 * 3. */
static const char *limit_formula(nnc_limit of) {
    switch (of) {
    case NNC_LIMIT_TENSOR: return "network_s <= other bounds; MLPs alone: tensor <= F W / C";
    case NNC_LIMIT_CONTEXT:
        return "network_s <= other bounds; a ring alone: context - 1 <= (2 P + 4 s h) W / (2 k b C)";
    case NNC_LIMIT_DATA: return "network_s <= other bounds; matrices alone: tokens >= C / W";
    default: return "compute_s >= other bounds; matrices alone: tokens >= b C / (2 M)";
    }
}

NNC_GET(get_formula, limits, nnc_text_cell(limit_formula(self->found.of)))
NNC_GET(get_tokens, limits,
        nnc_text_cell(self->found.of <= NNC_LIMIT_CONTEXT ? NULL
                      : self->found.result.tokens > 0     ? "tokens"
                                                          : "images"))
NNC_GET(get_seq, nnc_limit_point, positive(self->seq_len))

static const nnc_metric point_rows[] = {
    NNC_NUMBER(nnc_limit_point, size, .head = "size", .show = NNC_SHOW_COUNT,
               .help = "Degree, or tokens (images) of one device in a step."),
    NNC_WHOLE(nnc_limit_point, micro_batch, .head = "micro-batch",
              .help = "Sequences or images of the plan that was tried."),
    NNC_AS("seq_len", NUMBER, .get = get_seq, .head = "sequence",
           .help = "Tokens per sequence of the plan that was tried; null for images."),
    NNC_NUMBER(nnc_limit_point, compute_s, .head = "compute", .unit = "s",
               .help = "Shortest time of the arithmetic of the plan: bound_s.compute in ideal mode."),
    NNC_NUMBER(nnc_limit_point, memory_s, .head = "memory", .unit = "s",
               .help = "Shortest time of the memory traffic of the plan."),
    NNC_NUMBER(nnc_limit_point, network_s, .head = "network", .unit = "s",
               .help = "Shortest time of the busiest link of the plan."),
    NNC_NUMBER(nnc_limit_point, step_s, .head = "step", .drop = 1, .unit = "s",
               .help = "Predicted step time of the plan that was tried."),
    NNC_AS("bound", ENUM, NNC_IN(nnc_limit_point, bound), .head = "bound", .name_of = nnc_bound_name,
           .values = NNC_BOUND_COUNT,
           .help = "The resource (compute, memory, network) whose shortest time is the longest of the three."),
    NNC_AS("fit", ENUM, NNC_IN(nnc_limit_point, verdict), .head = "memory fits", .name_of = nnc_verdict_name,
           .values = NNC_VERDICT_COUNT,
           .help = "Whether the plan fits into the memory of a device. The limit does not depend on the memory."),
};
static const nnc_metrics point_metrics = NNC_METRICS("a plan that was tried", point_rows, nnc_limit_point);

static const nnc_metric limit_rows[] = {
    NNC_AS("model", CHARS, NNC_VIA(limits, report.model), NNC_IN(nnc_model, id), .help = "Model that is trained."),
    NNC_AS("device", CHARS, NNC_VIA(limits, report.device), NNC_IN(nnc_device, id),
           .help = "Device on which the model is trained."),
    NNC_AS("of", ENUM, LIMIT(of), .name_of = nnc_limit_name, .values = NNC_LIMIT_COUNT,
           .help = "The axis whose limit is computed (--of)."),
    NNC_AS("limit", NUMBER, LIMIT(limit), .show = NNC_SHOW_COUNT,
           .help = "tensor, context: the largest degree with which the network does not bound the step. data: the "
                   "fewest tokens (images) per device and step with which the network does not bound the step. batch: "
                   "the fewest tokens (images) with which compute bounds the step. null: there is no limit."),
    NNC_AS("unit", TEXT, .get = get_tokens, .help = "tokens or images, of one device in a step; null for a degree."),
    NNC_AS("bound_by", TEXT, NNC_IN(limits, stop),
           .help =
               "Resource that bounds the steps of plans beyond the limit: network, memory or bubble. plan: no larger "
               "degree is legal. null: no tried plan is beyond the limit."),
    NNC_AS("reason", TEXT, NNC_IN(limits, why),
           .help = "The rule that makes larger degrees illegal; null if bound_by is not plan."),
    NNC_AS("formula", TEXT, .get = get_formula,
           .help = "The relation that holds at the limit, and its closed form. F: width of an MLP, W: bytes/s of "
                   "the links of a device, C: FLOP/s, M: bytes/s of the memory of a device, b: bytes of a weight, "
                   "P: parameters of a layer, s: tokens of a sequence, h and k: width of all queries and of all "
                   "keys."),
    NNC_AS("plan", OBJECT, NNC_VIA(limits, shown), .rows = &nnc_resolved_plan_metrics,
           .help = "The plan at the limit."),
    NNC_AS("curve", LIST, NNC_IN(limits, points), NNC_COUNT(limits, found.count), .rows = &point_metrics,
           .help =
               "The plans that were tried, ordered by `size` (degree, or tokens or images of one device in a step)."),
};
static const nnc_metrics limit_metrics = NNC_METRICS("a limit of a plan", limit_rows, limits);

static const nnc_page_row limit_page_rows[] = {
    NNC_LINE("limit", .when = "limit"),
    NNC_BOLD("{of} {limit:count}", .when = "!unit"),
    NNC_BOLD("{limit:count} {unit} per device", .when = "unit"),
    NNC_ITEM("larger degrees are bound by {bound_by}", .when = "bound_by, !reason, !unit"),
    NNC_ITEM("fewer tokens are bound by {bound_by}", .when = "bound_by, !reason, unit"),
    NNC_ITEM("no larger degree is legal", .when = "reason"),
    NNC_LINE("limit", .when = "!limit"),
    NNC_BOLD("none: {bound_by} bounds every size"),
    NNC_LINE("reason", .when = "reason"),
    NNC_ITEM("{reason}"),
    NNC_LINE("formula"),
    NNC_ITEM("{formula}"),
};
static const nnc_page_rows limit_page = NNC_PAGE_ROWS(&limit_metrics, limit_page_rows);

/* Writes the page of nncost limit: the limit, and a table of estimates just below and just above the limit. */
static void write_limit(nnc_buffer *out, nnc_style style, const void *record) {
    enum { AROUND = 7 };
    const limits *a = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_subject(&sheet, &a->report);
    nnc_sheet_gap(&sheet);
    nnc_sheet_rows(&sheet, &limit_page, a);
    int32_t first = 0;
    while (first + AROUND < a->found.count && !(a->points[first + AROUND / 2].size >= a->found.limit)) { first++; }
    const int32_t count = a->found.count - first < AROUND ? a->found.count - first : AROUND;
    nnc_buffer_byte(out, '\n');
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, &point_metrics);
    nnc_table_records(&table, (nnc_lines){ &point_metrics, NULL, a->points + first, count });
    nnc_table_write(&table, out, style);
}

const nnc_view nnc_limit_view = {
    .schema = "nncost.limit/1", .document = &limit_metrics, .list = "curve", .page = write_limit
};

/* Chooses a software profile for plans with the kind of parallelism whose limit is computed, so that all rows of the
 * table have the same profile. */
static nnc_status choose_for_split(nnc_limit of, nnc_scenario *scenario, nnc_error *err) {
    const nnc_plan given = scenario->plan;
    if (of == NNC_LIMIT_TENSOR && given.tensor <= 1) { scenario->plan.tensor = 2; }
    if (of == NNC_LIMIT_CONTEXT && given.context <= 1) { scenario->plan.context = 2; }
    const nnc_status status = nnc_scenario_choose(scenario, err);
    scenario->plan = given;
    return status;
}

static nnc_status write_limits(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                               nnc_error *err) {
    limits *a = context;
    (void)scratch;
    if (scenario->report.software_chosen) { NNC_TRY(choose_for_split(session->options.limit_of, scenario, err)); }
    nnc_scratch *own = nnc_scratch_create();
    NNC_GOT(own, err);
    nnc_profiles kept = nnc_profiles_of_one(scenario->report.software);
    a->report = scenario->report;
    kept.completer = scenario->profiles.completer;
    const nnc_status status = nnc_limit_find(&scenario->model, &scenario->device, &kept, &scenario->plan,
                                             session->options.limit_of, own, &a->found, err);
    nnc_scratch_destroy(own);
    if (status == NNC_OK) {
        a->report.result = &a->found.result;
        a->shown = &a->report;
        a->points = a->found.points;
        a->stop = a->found.stop;
        a->why =
            a->found.why.what[0] != '\0' && a->stop != NULL && strcmp(a->stop, "plan") == 0 ? a->found.why.what : NULL;
        session->exit_code = isnan(a->found.limit) ? 1 : 0;
        nnc_view_write(session->out, session->style, &nnc_limit_view, a);
    }
    return status;
}

static nnc_status run_limit(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    if (!nnc_option_given(&session->options, "--of")) {
        return nnc_fail(err, NNC_BAD_USAGE, "--of", "missing, expected tensor, context, data or batch");
    }
    const nnc_scenario_args *given = &session->options.given;
    for (int i = 0; session->options.limit_of > NNC_LIMIT_CONTEXT && i < given->own_count; i++) {
        const char *name = given->settings[i].field->name;
        char option[NNC_OPTION_NAME];
        if (strcmp(name, "micro_batch") == 0 || strcmp(name, "global_batch") == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, nnc_option_name(name, option),
                            "has no effect here, expected together with --of tensor or context");
        }
    }
    limits *a = calloc(1, sizeof *a);
    NNC_GOT(a, err);
    const nnc_status status = nnc_scenario_report(session, operands[0], operands[1], write_limits, a, err);
    free(a);
    return status;
}

const nnc_command nnc_cmd_limit = {
    .name = "limit",
    .part_of = "scale limit",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "The largest degree of parallelism with which the network does not bound the step, and the smallest "
               "batch that compute bounds.",
    .notes =
        "The command accepts the options of a plan. With --of tensor or --of context, the command tries each legal "
        "degree and keeps the values of all other plan options; without --devices, the number of devices grows with "
        "the degree. --of data and --of batch change the number of tokens in a step: a step has one or more whole "
        "sequences, or one sequence that is shorter than a sequence of the plan. The resource that takes longest at "
        "its datasheet rate bounds the step; the command assumes that all resources work at the same time. The "
        "table shows whether each plan fits into memory, but the limit does not depend on memory. The command exits "
        "with 1 if there is no limit.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO | NNC_TAKES_LAUNCH | NNC_TAKES_LIMIT |
             NNC_LACKS_COST | NNC_LACKS_RUN | NNC_LACKS_MFU,
    .run = run_limit,
};
