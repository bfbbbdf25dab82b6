/* nncost fit: the largest micro-batch, sequence, adapter rank or depth that fits on a device, and ways to save memory. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "cli/views_internal.h"
#include "estimate/estimate_internal.h"
#include "memo/memo_internal.h"

typedef struct answer {
    nnc_fitting fit;
    nnc_report report; /* of fit.result */
    const nnc_report *shown;
    const nnc_remedy *remedies;
} answer;

#define FIT(member) NNC_IN(answer, fit.member)

static nnc_cell positive(int64_t value)
{
    return nnc_number_cell(value > 0 ? (double)value : (double)NAN);
}

NNC_GET(get_seq_len, answer, positive(self->fit.seq_len))
NNC_GET(get_rank, answer, positive(self->fit.lora_rank))
NNC_GET(get_layers, answer, positive(self->fit.layers))

static const nnc_metric remedy_rows[] = {
    NNC_CHARS(nnc_remedy, options, .head = "with", .help = "Options to add."),
    NNC_WHOLE(nnc_remedy, total_bytes, .head = "memory", .unit = "B",
              .help = "Memory with them at the micro-batch of the answer; at the largest one with "
                      "them where none fits without."),
    NNC_NUMBER(nnc_remedy, step_s, .head = "step", .unit = "s",
               .help = "One step with them, of the same micro-batch."),
    NNC_WHOLE(nnc_remedy, micro_batch, .head = "micro-batch",
              .help = "The largest micro-batch that fits with them."),
    NNC_NUMBER(nnc_remedy, samples_per_s, .head = "samples/s", .show = NNC_SHOW_COUNT,
               .help = "Samples trained on per second with the largest micro-batch."),
};
static const nnc_metrics remedy_metrics =
    NNC_METRICS("a way to save memory", remedy_rows, nnc_remedy);

static const nnc_metric fit_rows[] = {
    NNC_AS("model", CHARS, NNC_VIA(answer, report.model), NNC_IN(nnc_model, id),
           .help = "Model that is trained."),
    NNC_AS("device", CHARS, NNC_VIA(answer, report.device), NNC_IN(nnc_device, id),
           .help = "Device that it has to fit on."),
    NNC_AS("software", CHARS, NNC_VIA(answer, report.software), NNC_IN(nnc_software, id),
           .help = "Software profile."),
    NNC_AS("micro_batch", WHOLE, FIT(micro_batch),
           .help = "The largest micro-batch that fits: the upper end of total_interval_bytes is "
                   "within the device. 0 when none fits."),
    NNC_AS("micro_batch_tight", WHOLE, FIT(micro_batch_tight),
           .help = "The largest that may fit: the estimate is within the device, the upper end of "
                   "measured peaks is not."),
    NNC_AS("seq_len", NUMBER, .get = get_seq_len,
           .help = "The longest sequence, a multiple of 64 or the plan's own, that fits at the "
                   "micro-batch of the "
                   "plan; null for images, and when none fits."),
    NNC_AS("lora_rank", NUMBER, .get = get_rank,
           .help = "The largest rank of adapters that fits likewise; null without adapters."),
    NNC_AS("layers", NUMBER, .get = get_layers,
           .help = "The most layers of this width that fit likewise; null for other networks."),
    NNC_AS("total_bytes", WHOLE, FIT(result.memory.total_bytes), .unit = "B",
           .help = "Memory with the largest micro-batch; of the plan when none fits."),
    NNC_AS("capacity_bytes", WHOLE, FIT(result.memory.capacity_bytes), .unit = "B",
           .help = "Memory of the device that one process can get."),
    NNC_AS("margin_bytes", WHOLE, FIT(margin_bytes), .unit = "B",
           .help = "Bytes between the least and the most that a measured peak of this micro-batch "
                   "may be: the range in which the next larger one may still fail."),
    NNC_AS("step_s", NUMBER, FIT(result.step_s), .unit = "s",
           .help = "One step of the largest micro-batch."),
    NNC_AS("samples_per_s", NUMBER, FIT(result.samples_per_s), .show = NNC_SHOW_COUNT,
           .help = "Samples trained on per second with it."),
    NNC_AS("plan", OBJECT, NNC_VIA(answer, shown), .rows = &nnc_resolved_plan_metrics,
           .help = "The plan with the largest micro-batch."),
    NNC_AS("remedies", LIST, NNC_IN(answer, remedies), NNC_COUNT(answer, fit.remedy_count),
           .rows = &remedy_metrics, .help = "Ways to save memory that fit, the mildest first."),
};
static const nnc_metrics fit_metrics = NNC_METRICS("what fits on a device", fit_rows, answer);

static const nnc_page_row page_rows[] = {
    NNC_LINE("fits", .when = "micro_batch > 0"),
    NNC_BOLD("micro-batch {micro_batch}"),
    NNC_ITEM("perhaps {micro_batch_tight}", .when = "micro_batch_tight > micro_batch"),
    NNC_ITEM("{step_s} a step, {samples_per_s:count} samples/s"),
    NNC_LINE("fits", .when = "micro_batch = 0"),
    NNC_BOLD("no micro-batch fits", .when = "micro_batch_tight = 0"),
    NNC_BOLD("perhaps micro-batch {micro_batch_tight}", .when = "micro_batch_tight > 0"),
    NNC_LINE("sequence", .when = "seq_len"),
    NNC_ITEM("{seq_len:count} tokens at the plan's micro-batch"),
    NNC_LINE("rank", .when = "lora_rank"),
    NNC_ITEM("adapters of rank {lora_rank:count} at the plan's micro-batch"),
    NNC_LINE("layers", .when = "layers"),
    NNC_ITEM("{layers:count} of this width at the plan's micro-batch"),
    NNC_LINE("memory"),
    NNC_ITEM("{total_bytes} of {capacity_bytes}"),
    NNC_ITEM("measured peaks may differ by {margin_bytes}"),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&fit_metrics, page_rows);

static nnc_lines lines_of(const void *record)
{
    const answer *a = record;
    return (nnc_lines){ &remedy_metrics, NULL, a->remedies, a->fit.remedy_count };
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const answer *a = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_subject(&sheet, &a->report);
    nnc_sheet_gap(&sheet);
    nnc_sheet_rows(&sheet, &page, a);
    if (a->fit.remedy_count > 0) {
        nnc_buffer_byte(out, '\n');
        nnc_table table = { .count = 0 };
        nnc_table_heads(&table, &remedy_metrics);
        nnc_table_records(&table, lines_of(a));
        nnc_table_write(&table, out, style);
    }
}

const nnc_view nnc_fit_view = {
    .schema = "nncost.fit/1", .document = &fit_metrics, .lines = lines_of, .page = write_page
};

static nnc_status write_answer(nnc_session *session, void *context, nnc_scenario *scenario,
                               nnc_scratch *scratch, nnc_error *err)
{
    answer a = { .report = scenario->report };
    (void)context;
    (void)scratch;
    NNC_TRY(nnc_scenario_profiles(scenario, err));
    nnc_scratch *own = nnc_scratch_create();
    NNC_GOT(own, err);
    const nnc_status status =
        nnc_fitting_find(&scenario->model, &scenario->device, &scenario->profiles, &scenario->plan,
                         own, &a.fit, err);
    nnc_scratch_destroy(own);
    if (status == NNC_OK) {
        a.report.result = &a.fit.result;
        a.shown = &a.report;
        a.remedies = a.fit.remedies;
        session->exit_code = a.fit.micro_batch > 0 ? 0 : 1;
        nnc_view_write(session->out, session->style, &nnc_fit_view, &a);
    }
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    return nnc_scenario_report(session, operands[0], operands[1], write_answer, NULL, err);
}

const nnc_command nnc_cmd_fit = {
    .name = "fit",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary =
        "The largest micro-batch and sequence that fit on a device, and each way to save memory.",
    .notes = "Takes the options of 'estimate'. micro_batch is the largest that fits with all that "
             "measured peaks may be above the estimate, micro_batch_tight the largest that may "
             "fit. The sequence, the rank of adapters and the layers are the largest at the "
             "plan's own micro-batch [1]. The table has each way to save memory with its memory "
             "and step at that micro-batch, and the largest micro-batch that it allows. Exits "
             "with 1 when no micro-batch fits.",
    .min_operands = 1,
    .max_operands = 2,
    .takes =
        NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO | NNC_TAKES_LAUNCH,
    .run = run,
};
