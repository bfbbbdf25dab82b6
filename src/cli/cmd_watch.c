/* nncost watch: reads the log of a training run line by line, and compares the step times in the log with the interval
 * of the estimated step time. */
#include "cli/cli_internal.h"
#include "lab/lab_internal.h"

/* Factor for the limits of an alarm: in logarithms, an alarm limit is this many times as far from the estimated step
 * time as the end of the estimate's interval. Of 2,957 published steps, 3.2 % lie outside the alarm limits
 * (tests/false_alarms.py). */
static const double reach = 1.5;

typedef struct answer {
    const char *log_path, *program, *verdict;
    int64_t lines, readings, skipped;
    double step_s, predicted_s, interval_s[2], alarm_s[2], ratio;
    double memory_bytes, memory_most_bytes, mfu, predicted_mfu;
} answer;

#define OF(member) NNC_IN(answer, member)
static const nnc_metric document_rows[] = {
    NNC_AS("log", TEXT, OF(log_path), .help = "File that was read."),
    NNC_AS("program", TEXT, OF(program), .help = "Program that wrote the log."),
    NNC_AS("verdict", TEXT, OF(verdict),
           .help = "inside: the step is within alarm_s; slower or faster: it is outside; more_memory: memory is above "
                   "its upper end."),
    NNC_AS("lines", WHOLE, OF(lines), .help = "Number of lines of the log."),
    NNC_AS("readings", WHOLE, OF(readings), .help = "Number of lines with a step time."),
    NNC_AS("skipped", WHOLE, OF(skipped), .help = "Number of readings in the warm-up."),
    NNC_AS("step_s", NUMBER, OF(step_s), .unit = "s", .help = "Measured step time: median of the latest 100 readings."),
    NNC_AS("predicted_s", NUMBER, OF(predicted_s), .unit = "s", .help = "Estimated step time of the plan."),
    NNC_AS("interval_s", NUMBER, OF(interval_s), .each_count = 2, .unit = "s", .help = "Interval of the estimate."),
    NNC_AS("alarm_s", NUMBER, OF(alarm_s), .each_count = 2, .unit = "s",
           .help = "Limits of the step time; a step outside them is an alarm."),
    NNC_AS("ratio", NUMBER, OF(ratio), .help = "step_s divided by predicted_s."),
    NNC_AS("memory_bytes", NUMBER, OF(memory_bytes), .unit = "B",
           .help = "Largest value in the log of reserved or allocated memory of the allocator."),
    NNC_AS("memory_most_bytes", NUMBER, OF(memory_most_bytes), .unit = "B",
           .help = "Upper end of total_interval_bytes of the plan."),
    NNC_AS("mfu", NUMBER, OF(mfu), .help = "MFU of the last line, as the program counts FLOPs."),
    NNC_AS("predicted_mfu", NUMBER, OF(predicted_mfu), .help = "MFU of the estimate."),
};
static const nnc_metrics document = NNC_METRICS("a watched log", document_rows, answer);

static const nnc_page_row page_rows[] = {
    NNC_LINE("watch"),
    NNC_BOLD("{verdict}"),
    NNC_ITEM("{log}, a log of {program}"),
    NNC_ITEM("1 reading, {skipped:count} of them warm-up", .when = "readings = 1"),
    NNC_ITEM("{readings:count} readings, {skipped:count} of them warm-up", .when = "readings > 1"),
    NNC_LINE("step"),
    NNC_BOLD("{step_s}"),
    NNC_ITEM("{ratio:percent} of the estimate of {predicted_s}"),
    NNC_LINE("memory", .when = "memory_bytes"),
    NNC_BOLD("{memory_bytes}"),
    NNC_ITEM("expected at most {memory_most_bytes}"),
    NNC_LINE("MFU", .when = "mfu"),
    NNC_BOLD("{mfu:percent}"),
    NNC_ITEM("as the program counts FLOPs; estimate {predicted_mfu:percent}"),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&document, page_rows);

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const answer *a = record;
    char low[NNC_NUMBER_TEXT], high[NNC_NUMBER_TEXT];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_rows(&sheet, &page, record);
    nnc_sheet_label(&sheet, "limits");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s to %s", nnc_unit_text(a->alarm_s[0], "s", low),
                   nnc_unit_text(a->alarm_s[1], "s", high));
    nnc_sheet_end(&sheet);
}

const nnc_view nnc_watch_view = { .schema = "nncost.watch/1", .document = &document, .page = write_page };

/* State while `watch` reads a log. A line on standard error reports when the step time leaves the alarm limits and when
 * it returns. */
typedef struct following {
    double alarm_s[2];
    bool outside;
} following;

static bool is_outside(const double alarm_s[2], double step_s) { return step_s < alarm_s[0] || step_s > alarm_s[1]; }

static void follow(void *context, const nnc_log *log) {
    following *f = context;
    const double step_s = nnc_log_step_s(log);
    if (is_outside(f->alarm_s, step_s) != f->outside) {
        char text[NNC_NUMBER_TEXT];
        f->outside = !f->outside;
        fprintf(stderr, "line %lld: a step takes %s, %s its limits\n", (long long)log->lines,
                nnc_unit_text(step_s, "s", text), f->outside ? "outside of" : "again within");
        fflush(stderr);
    }
}

static nnc_status watch(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                        nnc_error *err) {
    const char *path = context;
    const nnc_result *r = &scenario->result;
    const bool standard = strcmp(path, "-") == 0;
    nnc_log log = nnc_log_begin();
    following job = { .outside = false };
    (void)scratch;
    if (isnan(r->interval_s[0])) {
        return nnc_fail(err, NNC_BAD_SPEC, scenario->device.id,
                        "no fitted efficiencies, so the estimate has no interval");
    }
    for (int i = 0; i < 2; i++) { job.alarm_s[i] = r->step_s * pow(r->interval_s[i] / r->step_s, reach); }
    NNC_TRY(nnc_log_read(path, r, &log, standard ? follow : NULL, &job, err));
    const double step_s = nnc_log_step_s(&log);
    if (isnan(step_s)) {
        return log.readings == 0 ? nnc_fail(err, NNC_BAD_SPEC, path,
                                            "expected lines of a program in the table of docs/measure.md, such as "
                                            "Megatron or HF Trainer, with the time of a step, found none in %lld "
                                            "lines",
                                            (long long)log.lines)
                                 : nnc_fail(err, NNC_BAD_SPEC, path,
                                            "expected steps after the first %d, found only %lld lines of the warm-up",
                                            NNC_LOG_WARM_UP, (long long)log.readings);
    }
    answer a = { .log_path = standard ? "standard input" : path,
                 .program = log.program,
                 .lines = log.lines,
                 .readings = log.readings,
                 .skipped = log.skipped,
                 .step_s = step_s,
                 .predicted_s = r->step_s,
                 .interval_s = { r->interval_s[0], r->interval_s[1] },
                 .alarm_s = { job.alarm_s[0], job.alarm_s[1] },
                 .ratio = step_s / r->step_s,
                 .memory_bytes = fmax(log.reserved_bytes, log.allocated_bytes),
                 .memory_most_bytes = (double)r->memory.total_interval_bytes[1],
                 .mfu = log.mfu,
                 .predicted_mfu = r->mfu };
    a.verdict = step_s > a.alarm_s[1]                  ? "slower"
                : step_s < a.alarm_s[0]                ? "faster"
                : a.memory_bytes > a.memory_most_bytes ? "more_memory"
                                                       : "inside";
    session->exit_code = strcmp(a.verdict, "inside") == 0 ? 0 : 1;
    nnc_view_write(session->out, session->style, &nnc_watch_view, &a);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    return nnc_scenario_report(session, operands[1], operands[2], watch, operands[0], err);
}

const nnc_command nnc_cmd_watch = {
    .name = "watch",
    .part_of = "trace log",
    .operands = "LOG MODEL DEVICE | LOG PLANS.json [DEVICE]",
    .summary = "The log of a run, compared with its estimate: step time, memory, MFU.",
    .notes = "Reads logs of Megatron, NeMo, torchtitan, HF Trainer, Axolotl, DeepSpeed, MaxText, nanotron, torchtune, "
             "Composer, nanoGPT and llm.c. LOG '-' is standard input: it follows a running job, and says on standard "
             "error when a step leaves the limits. The first "
             "line and the first 5 steps are warm-up and not judged. The step time is the median of the latest 100 "
             "lines. The limits are wider than the interval of the estimate: ln(limit / estimate) is 1.5 times ln(end "
             "of the interval / estimate). Exits "
             "with 1 when the step is outside of the limits, or memory is above the upper end of the memory interval.",
    .min_operands = 2,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO,
    .run = NNC_NOT_ON_PAGE(run),
};
