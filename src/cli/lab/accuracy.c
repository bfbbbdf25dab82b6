/* nncost accuracy: predicts the rows of files with measurements, and sums up the errors of the predictions by file,
 * device and framework. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "render/render_internal.h"
#include "shape/shape_internal.h"

typedef struct nnc_accuracy_report {
    const nnc_measured_file *files;
    int32_t file_count;
    const nnc_scored *rows;
    int32_t count;
    const nnc_score_group *groups;
    int32_t group_count;
    const nnc_left_out *left_out;
    int32_t left_out_count;
    const char *overrides; /* text of the changes by --set: "scale_out.latency_s=1e-5, ..."; NULL = no --set option */
    bool summary;          /* true (--summary): the page shows only mean errors by device, profile and kind of model */
    bool all_rows;         /* true (--rows): the page lists every row; false: only rows that could not be predicted */
} nnc_accuracy_report;

NNC_GET(get_section, nnc_score_group, nnc_text_cell(nnc_score_section_name(self->section)))

NNC_GET(get_by, nnc_score_group, nnc_text_cell(nnc_score_by_name(self->by)))

NNC_GET(get_group_name, nnc_score_group,
        nnc_text_cell(self->by == NNC_SCORE_BY_FILE || self->by == NNC_SCORE_FITTED || self->by == NNC_SCORE_UNFITTED
                          ? nnc_measured_file_name(self->name)
                          : self->name))

NNC_GET(get_worst, nnc_score_group, nnc_text_cell(self->stats.worst != NULL ? self->stats.worst->row->id : NULL))

static nnc_cell get_worst_error(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_score_group *group = place->record;
    const nnc_scored *worst = group->stats.worst;
    const bool memory = group->section == NNC_SECTION_MEMORY || group->section == NNC_SECTION_MEMORY_APART;
    (void)text;
    return nnc_number_cell(worst == NULL ? (double)NAN : memory ? worst->memory_error : worst->error);
}

#define STATS(member) NNC_IN(nnc_score_group, stats.member)
static const nnc_metric group_rows[] = {
    NNC_AS("section", TEXT, .get = get_section, .help = "The compared quantity: steps, memory, matrix products ..."),
    NNC_AS("by", TEXT, .get = get_by, .head = "by",
           .help = "Property that all rows of the group share, such as the device."),
    NNC_AS("name", TEXT, .get = get_group_name, .head = "",
           .help = "Name of the file, device or framework of the group."),
    NNC_AS("rows", WHOLE, STATS(rows), .head = "rows", .help = "Measured rows."),
    NNC_AS("scored", WHOLE, STATS(scored), .head = "scored", .help = "Number of rows with a prediction."),
    NNC_AS("mape", NUMBER, STATS(mape), .head = "MAPE", .show = NNC_SHOW_PERCENT2,
           .help = "Mean of the absolute errors, predicted / measured - 1."),
    NNC_AS("median", NUMBER, STATS(median), .head = "median", .show = NNC_SHOW_PERCENT2,
           .help = "Median of the absolute errors."),
    NNC_AS("p90", NUMBER, STATS(p90), .head = "p90", .show = NNC_SHOW_PERCENT2,
           .help = "Ninth decile of the absolute errors: nine tenths of the rows have at most this error."),
    NNC_AS("bias", NUMBER, STATS(bias), .head = "bias", .show = NNC_SHOW_ERROR, .help = "Mean of the signed errors."),
    NNC_AS("intervals", WHOLE, STATS(intervals), .help = "Number of rows with a predicted interval."),
    NNC_AS("inside", NUMBER, STATS(inside), .head = "inside", .show = NNC_SHOW_PERCENT, .drop = 1,
           .help =
               "Share of measurements that lie inside the predicted interval, over all rows that have an interval."),
    NNC_AS("worst", TEXT, .get = get_worst, .help = "Id of the row with the largest absolute error."),
    NNC_AS("worst_error", NUMBER, .get = get_worst_error, .head = "worst", .show = NNC_SHOW_ERROR,
           .help = "Error of the row that `worst` names."),
    NNC_HEAD("", TEXT, .get = get_worst, .shrinks = true, .drop = 2),
};
#undef STATS
static const nnc_metrics group_metrics = NNC_METRICS("errors of a group of rows", group_rows, nnc_score_group);

NNC_GET(get_row_file, nnc_scored, nnc_text_cell(nnc_measured_file_name(self->row->file)))

NNC_GET(get_kind, nnc_scored, nnc_text_cell(nnc_measured_kind_name(self->row->kind)))

NNC_GET(get_served, nnc_scored,
        nnc_text_cell(self->row->kind == NNC_MEASURED_SERVING ? nnc_served_name(self->row->served) : NULL))

NNC_GET(get_device, nnc_scored, nnc_text_cell(self->device != NULL ? self->device : self->row->device))

NNC_GET(get_memory_stat, nnc_scored,
        nnc_text_cell(isnan(self->memory_error) ? NULL : nnc_memory_stat_name(self->memory_stat)))

NNC_GET(get_measured_bytes, nnc_scored,
        nnc_number_cell(isnan(self->memory_error) ? (double)NAN : self->row->measured_bytes[self->memory_stat]))

static nnc_cell batch_cell(const nnc_scored *self, int64_t batch) {
    return nnc_number_cell(self->row->max_batch > 0 ? (double)batch : (double)NAN);
}

NNC_GET(get_measured_batch, nnc_scored, batch_cell(self, self->row->max_batch))
NNC_GET(get_batch, nnc_scored, batch_cell(self, self->max_batch))
NNC_GET(get_tight_batch, nnc_scored, batch_cell(self, self->max_batch_tight))

#define ROW(member) NNC_VIA(nnc_scored, row), NNC_IN(nnc_measured, member)
static const nnc_metric scored_rows[] = {
    NNC_AS("id", TEXT, ROW(id), .help = "Id of the measured row in its file."),
    NNC_AS("file", TEXT, .get = get_row_file, .help = "Name of the file."),
    NNC_AS("line", WHOLE, ROW(line), .help = "Line of the measured row in its file."),
    NNC_AS("kind", TEXT, .get = get_kind, .help = "The measured quantity: a step, a kernel, a collective ..."),
    NNC_AS("served", TEXT, .get = get_served,
           .help = "Name of the column with the measured time, for rows of served requests."),
    NNC_AS("device", TEXT, .get = get_device, .help = "Id of the device."),
    NNC_AS("framework", TEXT, ROW(framework), .help = "Software of the measurement."),
    NNC_TEXT(nnc_scored, software, .help = "Software profile."),
    NNC_AS("source", TEXT, ROW(source), .help = "Repository or document that is the source of the row."),
    NNC_AS("model", TEXT, ROW(model_name), .help = "Name of the row's model."),
    NNC_AS("fitted", BOOL, ROW(fitted), .help = "Whether values may be fitted on the row's group."),
    NNC_AS("undecided", TEXT, ROW(undecided), .help = "Deciding fields that the row leaves open."),
    NNC_NUMBER(
        nnc_scored, measured_s, .unit = "s",
        .help = "Measured time; if the request rate is above the predicted saturation: measured seconds per request."),
    NNC_AS("rounding", NUMBER, ROW(rounding), .help = "Largest relative rounding error of the measured time."),
    NNC_NUMBER(nnc_scored, predicted_s, .unit = "s", .help = "Predicted time."),
    NNC_NUMBER(nnc_scored, error, .help = "Error of the time: predicted / measured - 1."),
    NNC_NUMBER(nnc_scored, low_s, .unit = "s", .help = "Lower end of the interval of the predicted time."),
    NNC_NUMBER(nnc_scored, high_s, .unit = "s", .help = "Upper end of the interval of the predicted time."),
    NNC_NUMBER(nnc_scored, lower_bound_s, .unit = "s", .help = "Lower bound of the time."),
    NNC_NUMBER(nnc_scored, model_flops, .unit = "FLOP",
               .help = "Model FLOPs of the step, with attention over all pairs."),
    NNC_AS("memory_stat", TEXT, .get = get_memory_stat, .help = "Kind of memory that was measured."),
    NNC_AS("measured_bytes", NUMBER, .get = get_measured_bytes, .unit = "B", .help = "Measured memory."),
    NNC_NUMBER(nnc_scored, predicted_bytes, .unit = "B", .help = "Predicted memory.",
               .more = NNC_MORE(.same_as = "memory.total_bytes")),
    NNC_NUMBER(nnc_scored, most_bytes, .unit = "B",
               .help = "Upper end of the predicted memory; one measured peak in ten lies above it."),
    NNC_NAMED(nnc_scored, fit, nnc_verdict_name, NNC_VERDICT_COUNT,
              .help = "Predicted verdict on the memory. The measured step ran, so does_not_fit is a wrong prediction."),
    NNC_NUMBER(nnc_scored, memory_error, .help = "Error of the memory: predicted / measured - 1."),
    NNC_NUMBER(nnc_scored, peak_allocated_error,
               .help = "Error of memory.peak_allocated_bytes, for rows with a measured value."),
    NNC_NUMBER(nnc_scored, peak_reserved_error,
               .help = "Error of memory.peak_reserved_bytes, for rows with a measured value."),
    NNC_AS("measured_max_batch", NUMBER, .get = get_measured_batch,
           .help = "The largest micro-batch that ran without out-of-memory; null if the source of the row did not "
                   "search for it."),
    NNC_AS("max_batch", NUMBER, .get = get_batch,
           .help = "The largest micro-batch that is predicted to fit: micro_batch of nncost fit."),
    NNC_AS("max_batch_tight", NUMBER, .get = get_tight_batch,
           .help = "The largest micro-batch that may fit: micro_batch_tight of nncost fit."),
    NNC_TEXT(nnc_scored, what,
             .help = "Device, profile and model family of the rows whose errors are averaged; only with --summary."),
    NNC_TEXT(nnc_scored, reason, .help = "Reason why the row has no prediction."),
};
static const nnc_metrics row_metrics = NNC_METRICS("a row and its prediction", scored_rows, nnc_scored);

static const nnc_metric line_rows[] = {
    NNC_AS("id", TEXT, ROW(id)),
    NNC_AS("measured", NUMBER, NNC_IN(nnc_scored, measured_s)),
    NNC_AS("predicted", NUMBER, NNC_IN(nnc_scored, predicted_s)),
    NNC_AS("error", NUMBER, NNC_IN(nnc_scored, error)),
    NNC_AS("low", NUMBER, NNC_IN(nnc_scored, low_s)),
    NNC_AS("high", NUMBER, NNC_IN(nnc_scored, high_s)),
    NNC_AS("reason", TEXT, NNC_IN(nnc_scored, reason)),
};
#undef ROW
static const nnc_metrics csv_line = NNC_METRICS("a line of CSV", line_rows, nnc_scored);

/* ---- JSON output: the files of rows, and the document with the whole report ---- */

NNC_GET(get_file, nnc_measured_file, nnc_text_cell(nnc_measured_file_name(self->path)))

static const nnc_metric file_rows[] = {
    NNC_AS("file", TEXT, .get = get_file, .help = "Name of the file."),
    NNC_AS("rows", WHOLE, NNC_IN(nnc_measured_file, count), .help = "Number of rows in the file."),
    NNC_AS("unused_columns", TEXTS, NNC_IN(nnc_measured_file, unused), NNC_COUNT(nnc_measured_file, unused_count),
           .help = "Columns that no prediction uses."),
};
static const nnc_metrics files = NNC_METRICS("a file of rows", file_rows, nnc_measured_file);

static const nnc_metric document_rows[] = {
    NNC_TEXT(nnc_accuracy_report, overrides, .help = "Fields that --set changed."),
    NNC_AS("files", LIST, NNC_IN(nnc_accuracy_report, files), NNC_COUNT(nnc_accuracy_report, file_count),
           .rows = &files, .help = "The files of measurements."),
    NNC_AS("groups", LIST, NNC_IN(nnc_accuracy_report, groups), NNC_COUNT(nnc_accuracy_report, group_count),
           .rows = &group_metrics,
           .help = "Errors of each compared quantity, by file, by device, by framework and in total."),
    NNC_AS("rows", LIST, NNC_IN(nnc_accuracy_report, rows), NNC_COUNT(nnc_accuracy_report, count), .rows = &row_metrics,
           .help = "Every measured row, with --rows."),
};
static const nnc_metrics document = NNC_METRICS("predictions and measurements", document_rows, nnc_accuracy_report);

static nnc_lines lines_of(const void *record) {
    const nnc_accuracy_report *report = record;
    return (nnc_lines){ &csv_line, report, report->rows, report->count };
}

static const char *const section_titles[NNC_SECTION_COUNT] = {
#define TITLE(section, name, title) [section] = (title),
    NNC_SCORE_SECTION_LIST(TITLE)
#undef TITLE
};

static void write_section(nnc_buffer *out, nnc_style style, const nnc_accuracy_report *report,
                          nnc_score_section section) {
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, &group_metrics);
    for (int32_t i = 0; i < report->group_count; i++) {
        const nnc_place place = { &report->groups[i], report, i };
        const nnc_score_by by = report->groups[i].by;
        const bool wanted =
            !report->summary || by == NNC_SCORE_BY_WHAT || by == NNC_SCORE_BY_HALF || by == NNC_SCORE_IN_TOTAL;
        if (report->groups[i].section == section && wanted) { nnc_table_record(&table, &group_metrics, &place); }
    }
    if (nnc_table_rows(&table) > 0) {
        nnc_sheet_heading(out, style, section_titles[section]);
        nnc_table_write(&table, out, style);
    }
}

static bool contradicts(const nnc_place *place) { return nnc_score_contradicts(place->record); }

NNC_GET(get_above, nnc_scored, nnc_number_cell(self->lower_bound_s / self->measured_s - 1.0))

#define ROW(member) NNC_VIA(nnc_scored, row), NNC_IN(nnc_measured, member)
static const nnc_metric contradiction_rows[] = {
    NNC_HEAD("row", TEXT, ROW(id), .shrinks = true),
    NNC_HEAD("device", TEXT, NNC_IN(nnc_scored, device), .drop = 1),
    NNC_HEAD("measured", NUMBER, NNC_IN(nnc_scored, measured_s), .unit = "s"),
    NNC_HEAD("bound", NUMBER, NNC_IN(nnc_scored, lower_bound_s), .unit = "s"),
    NNC_HEAD("above", NUMBER, .get = get_above, .show = NNC_SHOW_ERROR),
    NNC_HEAD("left open", TEXT, ROW(undecided), .drop = 2),
};
static const nnc_metrics contradictions = {
    .rows = contradiction_rows,
    .count = sizeof contradiction_rows / sizeof contradiction_rows[0],
    .record_size = sizeof(nnc_scored),
    .listed = contradicts,
};

NNC_GET(get_remark, nnc_scored, nnc_text_cell(self->reason != NULL ? self->reason : self->row->undecided))

static const nnc_metric every_row[] = {
    NNC_HEAD("row", TEXT, ROW(id)),
    NNC_HEAD("device", TEXT, .get = get_device, .drop = 2),
    NNC_HEAD("measured", NUMBER, NNC_IN(nnc_scored, measured_s), .unit = "s"),
    NNC_HEAD("predicted", NUMBER, NNC_IN(nnc_scored, predicted_s), .unit = "s"),
    NNC_HEAD("error", NUMBER, NNC_IN(nnc_scored, error), .show = NNC_SHOW_ERROR),
    NNC_HEAD("memory", NUMBER, NNC_IN(nnc_scored, memory_error), .show = NNC_SHOW_ERROR),
    NNC_HEAD("open fields, or reason", TEXT, .get = get_remark, .shrinks = true, .drop = 1),
};
#undef ROW
static const nnc_metrics page_rows = NNC_METRICS("a row", every_row, nnc_scored);

/* Writes the names of columns that no prediction uses. If several files have a column with the same name, the name is
 * written once. */
static void write_unused(nnc_buffer *out, nnc_style style, const nnc_accuracy_report *report) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    bool any = false;
    nnc_buffer_byte(out, '\n');
    for (int32_t f = 0; f < report->file_count; f++) {
        for (int32_t i = 0; i < report->files[f].unused_count; i++) {
            const char *column = report->files[f].unused[i];
            bool seen = false;
            for (int32_t e = 0; e < f && !seen; e++) {
                for (int32_t k = 0; k < report->files[e].unused_count && !seen; k++) {
                    seen = strcmp(report->files[e].unused[k], column) == 0;
                }
            }
            if (!any) {
                sheet.indent = 0;
                nnc_sheet_label(&sheet, "");
                nnc_sheet_words(&sheet, "columns that no prediction uses:");
            }
            any = true;
            if (!seen) { nnc_sheet_words(&sheet, "%s", column); }
        }
    }
    if (any) { nnc_sheet_end(&sheet); }
}

/* Writes the names of frameworks in the rows for which nncost knows no release; each name is written once. */
static void write_unknown(nnc_buffer *out, nnc_style style, const nnc_accuracy_report *report) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    bool any = false;
    for (int32_t i = 0; i < report->count; i++) {
        const nnc_scored *row = &report->rows[i];
        bool seen = !row->unknown;
        for (int32_t k = 0; k < i && !seen; k++) {
            seen = report->rows[k].unknown && strcmp(report->rows[k].row->framework, row->row->framework) == 0;
        }
        if (!seen && !any) {
            nnc_buffer_byte(out, '\n');
            sheet.indent = 0;
            nnc_sheet_label(&sheet, "");
            nnc_sheet_words(&sheet, "frameworks without a release, predicted as without --software:");
        }
        if (!seen) {
            nnc_sheet_words(&sheet, "%s%s", any ? "| " : "", row->row->framework);
            any = true;
        }
    }
    if (any) { nnc_sheet_end(&sheet); }
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const nnc_accuracy_report *report = record;
    int32_t scored = 0;
    for (int32_t i = 0; i < report->count; i++) { scored += report->rows[i].reason == NULL; }
    nnc_buffer_print(out, "%d rows: %d predicted, %d that cannot be predicted\n", (int)report->count, (int)scored,
                     (int)(report->count - scored));
    if (report->overrides != NULL) { nnc_buffer_print(out, "with %s\n", report->overrides); }
    for (int section = 0; section < NNC_SECTION_COUNT; section++) {
        write_section(out, style, report, (nnc_score_section)section);
    }
    write_unknown(out, style, report);
    if (report->summary) { return; }
    nnc_lines lines = { &contradictions, report, report->rows, report->count };
    if (!nnc_table_under(out, style, lines, "rows whose lower bound is above the measurement")) {
        nnc_buffer_text(out, "\nno lower bound is above the measurement\n");
    }
    const nnc_lines left_out = { &nnc_left_out_metrics, report, report->left_out, report->left_out_count };
    (void)nnc_table_under(out, style, left_out, "rows that cannot be predicted");
    if (report->all_rows) {
        lines.metrics = &page_rows;
        (void)nnc_table_under(out, style, lines, "every row");
    }
    write_unused(out, style, report);
}

const nnc_view nnc_accuracy_view = {
    .schema = "nncost.accuracy/1", .document = &document, .lines = lines_of, .page = write_page
};

typedef struct accuracy {
    nnc_session *session;
    nnc_arena *arena;
    nnc_scratch *scratch;
    nnc_scenario *scenario;
    nnc_row_choice choice;
    nnc_measured_file *files;
    int32_t file_count;
    nnc_scored *rows;
    int32_t count;
} accuracy;

/* Sets the group to which --summary counts a row: its device, profile and kind of model. */
static nnc_status set_what(accuracy *a, nnc_scored *scored, nnc_error *err) {
    const nnc_scenario *s = a->scenario;
    const bool experts = nnc_model_sizes_of(&s->model).experts > 0;
    char text[160];
    snprintf(text, sizeof text, "%s, %s, %s", scored->device, s->software.id,
             experts ? "experts" : nnc_family_name(s->model.family));
    scored->what = nnc_arena_strdup(a->arena, text);
    return scored->what != NULL ? NNC_OK : nnc_no_memory(err);
}

/* Computes whether the plan of a row fits in memory. Settings that the row does not state are chosen as in an estimate.
 * The lower end of the memory interval shows whether the plan fits with other values of the settings that the row does
 * not state. */
static nnc_status set_fit(accuracy *a, const nnc_measured *row, nnc_scored *scored, nnc_error *err) {
    nnc_scenario *s = a->scenario;
    const nnc_given given = { nnc_measured_gives, row };
    s->specs = a->session->specs;
    s->report.software_chosen =
        s->release.entry == NULL && row->software == NULL && nnc_software_is_chosen(a->session->options.given.software);
    NNC_TRY(nnc_estimate(&s->model, &s->device, &s->software, &s->plan, a->scratch, &s->result, err));
    NNC_TRY(nnc_scenario_lower_end(s, &given, a->scratch, err));
    scored->fit =
        (double)s->report.least_bytes <= (double)s->result.memory.capacity_bytes ? NNC_TIGHT : NNC_OVER_MEMORY;
    return NNC_OK;
}

/* Loads the model, device and plan of a measured row, applies the options of the command line, and predicts the row. */
static nnc_status score(accuracy *a, const nnc_measured *row, nnc_scored *scored, nnc_error *err) {
    nnc_specs *specs = a->session->specs;
    nnc_scenario *s = a->scenario;
    nnc_error why = { 0 };
    nnc_status status = nnc_row_load_device(specs, row, s, &scored->device, &why);
    if (row->reason != NULL) {
        scored->reason = row->reason;
        return NNC_OK;
    }
    if (status == NNC_OK) { status = nnc_row_load(specs, &a->session->options, row, s, &why); }
    if (status != NNC_OK) { return nnc_left_out_reason(a->arena, &why, &scored->reason, err); }
    NNC_TRY(nnc_scenario_apply(specs, &a->session->options.given, s, err));
    NNC_TRY(nnc_scenario_switch(&a->session->options.given, s, err));
    const char *id = scored->device; /* the id is copied, because the next row overwrites the scenario */
    nnc_measured asked = *row;
    asked.as_stated = a->session->options.level == NNC_LEVEL_USER;
    status = nnc_score_row(&asked, &s->model, &s->device, &s->software, &s->plan, a->scratch, scored, &why);
    if (status == NNC_OK && scored->fit == NNC_OVER_MEMORY && row->kind == NNC_MEASURED_STEP) {
        NNC_TRY(set_fit(a, row, scored, err));
    }
    scored->row = row;
    scored->device = id;
    scored->unknown = row->kind == NNC_MEASURED_STEP && row->software == NULL && row->framework[0] != '\0' &&
                      s->release.entry == NULL && a->session->options.level != NNC_LEVEL_USER;
    scored->software = nnc_arena_strdup(a->arena, s->software.id);
    if (status == NNC_OK && a->session->options.summary) { NNC_TRY(set_what(a, scored, err)); }
    return status == NNC_OK ? NNC_OK : nnc_left_out_reason(a->arena, &why, &scored->reason, err);
}

static nnc_status read_files(accuracy *a, nnc_error *err) {
    size_t rows = 0;
    NNC_TRY(nnc_rows_read(a->session, &a->choice, a->arena, &a->files, &a->file_count, err));
    for (int32_t f = 0; f < a->file_count; f++) { rows += (size_t)a->files[f].count; }
    a->rows = nnc_arena_array(a->arena, rows + 1, sizeof *a->rows);
    return a->rows != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status score_files(accuracy *a, nnc_error *err) {
    for (int32_t f = 0; f < a->file_count; f++) {
        for (int32_t i = 0; i < a->files[f].count; i++) {
            const nnc_measured *row = &a->files[f].rows[i];
            if (!nnc_row_passes(&a->choice, row) || !nnc_row_in_fold(&a->choice, row)) { continue; }
            nnc_scored *scored = &a->rows[a->count++];
            *scored = nnc_scored_open(row);
            NNC_TRY(score(a, row, scored, err));
        }
    }
    return NNC_OK;
}

static nnc_status report(accuracy *a, nnc_error *err) {
    nnc_accuracy_report found = {
        .files = a->files,
        .file_count = a->file_count,
        .rows = a->rows,
        .count = a->count,
        .overrides = a->scenario->overrides[0] != '\0' ? a->scenario->overrides : NULL,
        .summary = a->session->options.summary,
        .all_rows = a->session->options.rows,
    };
    nnc_left_out *left_out = nnc_arena_array(a->arena, (size_t)a->count + 1, sizeof *left_out);
    for (int32_t i = 0; left_out != NULL && i < a->count; i++) {
        if (a->rows[i].reason != NULL) {
            nnc_left_out_add(left_out, &found.left_out_count, a->rows[i].row, a->rows[i].reason);
        }
    }
    found.left_out = left_out;
    found.groups = nnc_score_groups(a->arena, a->rows, a->count, &found.group_count);
    if (found.groups == NULL || left_out == NULL) { return nnc_no_memory(err); }
    nnc_view_write(a->session->out, a->session->style, &nnc_accuracy_view, &found);
    return NNC_OK;
}

static nnc_status score_all(accuracy *a, nnc_error *err) {
    NNC_TRY(nnc_row_choice_read(&a->session->options, &a->choice, err));
    if (a->choice.together != 0 && a->choice.parts == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--group", "needs --fold K/N");
    }
    const char *software = a->session->options.given.software;
    /* loads the profile of --software once at the start, so that an error of the profile is reported once and not for
     * every row */
    if (software != NULL) { NNC_TRY(nnc_software_asked(a->session->specs, software, &a->scenario->software, err)); }
    NNC_TRY(read_files(a, err));
    NNC_TRY(score_files(a, err));
    return report(a, err);
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    accuracy a = { .session = session,
                   .arena = nnc_arena_create(),
                   .scratch = nnc_scratch_create(),
                   .scenario = calloc(1, sizeof(nnc_scenario)) };
    nnc_status status = NNC_NO_MEMORY;
    if (a.arena == NULL || a.scratch == NULL || a.scenario == NULL) {
        nnc_no_memory(err);
    } else {
        status = score_all(&a, err);
    }
    free(a.scenario);
    nnc_scratch_destroy(a.scratch);
    nnc_arena_destroy(a.arena);
    return status;
}

const nnc_command nnc_cmd_accuracy = {
    .name = "accuracy",
    .operands = "FILE.csv...",
    .summary = "Predictions compared with measurements: mean, median and largest errors per file, device "
               "and framework.",
    .notes = "Each line of a file is one measured training step, served request, kernel or collective; "
             "tests/published/README.md names the columns. The command lists rows that cannot be predicted, each "
             "with the reason. For rows that do not state recompute or another deciding field, it lists the errors "
             "separately. An error is predicted / measured - 1. Options of the plan and --set replace the values of "
             "every row.",
    .min_operands = 1,
    .max_operands = 10000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SWITCH | NNC_TAKES_SCORE,
    .run = NNC_NOT_ON_PAGE(run),
};
