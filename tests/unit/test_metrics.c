/* Tests the tables of metrics: the reading of values, the names of columns, and that the table of an estimate has every
 * metric. */
#include "input/input_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "support.h"

/* ---- a record of every type ---- */

typedef struct part {
    double seconds[2];
} part;

typedef struct record {
    double number, unknown;
    int32_t narrow;
    int64_t wide, nothing;
    bool flag;
    const char *text, *no_text;
    char chars[8];
    nnc_bound bound;
    part own;
    const part *other, *none;
    const char *const *texts;
    int32_t text_count;
} record;

static nnc_cell get_index(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    snprintf(text, NNC_METRIC_TEXT_MAX, "number %d of %s", (int)place->index, (const char *)place->owner);
    return nnc_text_cell(text);
}

static const char *half_name(unsigned half) { return half == 0 ? "first" : "second"; }

static const nnc_metric part_rows[] = {
    NNC_NUMBER(part, seconds, .each_count = 2, .more = NNC_MORE(.each = half_name)),
};
static const nnc_metrics parts = NNC_METRICS("parts", part_rows, part);

static const nnc_metric rows[] = {
    NNC_NUMBER(record, number),
    NNC_NUMBER(record, unknown),
    NNC_WHOLE(record, narrow),
    NNC_WHOLE(record, wide),
    NNC_WHOLE(record, nothing, .blank_zero = true),
    NNC_BOOL(record, flag),
    NNC_TEXT(record, text),
    NNC_TEXT(record, no_text),
    NNC_CHARS(record, chars),
    NNC_NAMED(record, bound, nnc_bound_name, NNC_BOUND_COUNT),
    NNC_AS("index", TEXT, .get = get_index),
    NNC_AS("own", OBJECT, NNC_IN(record, own), .rows = &parts),
    NNC_ROWS(&parts, NNC_VIA(record, other)),
    NNC_AS("none", OBJECT, NNC_VIA(record, none), .rows = &parts),
    NNC_AS("texts", TEXTS, NNC_IN(record, texts), NNC_COUNT(record, text_count)),
};
static const nnc_metrics table = NNC_METRICS("a record", rows, record);

static const part far = { .seconds = { 3, 4 } };
static const char *const two_texts[] = { "a", "b" };
static const record sample = { .number = 1.5,
                               .unknown = NAN,
                               .narrow = -7,
                               .wide = INT64_C(1) << 40,
                               .flag = true,
                               .text = "long",
                               .chars = "short",
                               .bound = NNC_BOUND_MEMORY,
                               .own = { .seconds = { 1, 2 } },
                               .other = &far,
                               .texts = two_texts,
                               .text_count = 2 };

/* Compares the text of every column, in order. */
START_TEST(values_are_read) {
    static const char *const expected[] = {
        "number=1.5",
        "unknown=-",
        "narrow=-7",
        "wide=1099511627776",
        "nothing=-",
        "flag=yes",
        "text=long",
        "no_text=-",
        "chars=short",
        "bound=memory",
        "index=number 5 of it",
        "own.seconds.first=1",
        "own.seconds.second=2",
        "seconds.first=3",
        "seconds.second=4",
        "none.seconds.first=-",
        "none.seconds.second=-",
    };
    enum { EXPECTED = sizeof expected / sizeof expected[0] };
    const nnc_place place = { .record = &sample, .owner = "it", .index = 5 };
    nnc_arena *arena = nnc_arena_create();
    nnc_columns columns;
    ck_assert_int_eq(nnc_columns_of(&table, arena, &columns), NNC_OK);
    ck_assert_int_eq(columns.count, EXPECTED);
    for (int32_t i = 0; i < columns.count; i++) {
        char text[NNC_METRIC_TEXT_MAX], found[256], number[32];
        const nnc_cell cell = nnc_column_read(&columns.list[i], place, text);
        snprintf(number, sizeof number, cell.kind == NNC_CELL_NUMBER ? "%.9g" : "%.0f",
                 cell.kind == NNC_CELL_NUMBER  ? cell.number
                 : cell.kind == NNC_CELL_WHOLE ? (double)cell.whole
                                               : 0.0);
        snprintf(found, sizeof found, "%s=%s", columns.list[i].name,
                 cell.kind == NNC_CELL_NULL   ? "-"
                 : cell.kind == NNC_CELL_TEXT ? cell.text
                 : cell.kind == NNC_CELL_BOOL ? (cell.flag ? "yes" : "no")
                                              : number);
        ck_assert_str_eq(found, expected[i]);
    }
    nnc_arena_destroy(arena);
}
END_TEST

START_TEST(lists_are_counted) {
    const nnc_place place = { .record = &sample };
    const nnc_metric *texts = &rows[sizeof rows / sizeof rows[0] - 1];
    const nnc_lines lines = nnc_metric_lines(texts, &place);
    ck_assert_int_eq(lines.count, 2);
    ck_assert_str_eq(((const char *const *)lines.records)[1], "b");
}
END_TEST

/* ---- names ---- */

START_TEST(names_are_found) {
    static const char *const names[] = { "step.step_s", "step.stage",  "memory.stage", "step.bound_s.host",
                                         "step_s",      "plan.tokens", "work.tokens" };
    static const struct {
        const char *word;
        nnc_name_match match;
    } cases[] = {
        { "step.step_s", { 0, -1 } }, /* the full name */
        { "step_s", { 4, -1 } },      /* "step_s" is a full name, and also the end of "step.step_s" */
        { "host", { 3, -1 } },        /* the end of one name */
        { "bound_s.host", { 3, -1 } },
        { "stage", { 1, 2 } },   /* the end of two names */
        { "tokens", { 6, -1 } }, /* a result comes before an input of the plan */
        { "age", { -1, -1 } },   /* not after a dot */
        { "", { -1, -1 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const nnc_name_match match = nnc_name_find(names, sizeof names[0], 7, cases[i].word);
        ck_assert_msg(match.index == cases[i].match.index && match.other == cases[i].match.other, "\"%s\": %d, %d",
                      cases[i].word, (int)match.index, (int)match.other);
    }
}
END_TEST

/* ---- the estimate ---- */

/* Every row must have a help text. Rows of the table that show a field of the plan have the help text of this field. */
static void check_words(const nnc_metrics *metrics) /* NOLINT(misc-no-recursion) */
{
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        void *object = NULL;
        nnc_dtype dtype;
        if (row->type == NNC_METRIC_OBJECT || row->type == NNC_METRIC_LIST) {
            check_words(row->rows);
        } else if (row->name != NULL && row->help == NULL) {
            const nnc_field *field = nnc_field_find(&nnc_plan_table, row->name, &object, &dtype);
            ck_assert_msg(field != NULL && field->help != NULL, "%s: no help", row->name);
        } else if (row->name != NULL) {
            ck_assert_msg(row->help[strlen(row->help) - 1] == '.', "%s: no sentence", row->name);
        }
    }
}

START_TEST(rows_have_words) { check_words(&nnc_estimate_document); }
END_TEST

/* Returns a legal value that is not the default, as text. */
static const char *other_value(const nnc_field *f, const nnc_plan *plan) {
    const char *at = (const char *)plan + f->offset;
    unsigned value = 0;
    switch (f->type) {
    case NNC_FIELD_BOOL: return *(const bool *)at ? "off" : "on";
    case NNC_FIELD_RECOMPUTE: return "norm";
    case NNC_FIELD_TRAIN:
    case NNC_FIELD_ADAPTERS: return "attention";
    case NNC_FIELD_OFFLOAD: return "optimizer";
    case NNC_FIELD_ENUM: memcpy(&value, at, sizeof value); return f->names.of(value == 1 ? 0 : 1);
    default: return f->max == 1.0 ? "0.5" : "3";
    }
}

/* Writes the "plan" of an estimate as JSON. */
static void write_plan(nnc_buffer *out, const nnc_plan *plan) {
    static const nnc_software software = { .id = "s" };
    const nnc_model *model = load_model("models/gpt2.json");
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    const nnc_result result = { .plan = *plan };
    const nnc_report report = { .model = model, .device = device, .software = &software, .result = &result };
    const nnc_place place = { .record = &report };
    nnc_record json = nnc_record_begin(out, "nncost.test/1");
    for (size_t i = 0; i < nnc_estimate_metrics.count; i++) {
        const nnc_metric *row = &nnc_estimate_metrics.rows[i];
        if (strcmp(row->name, "plan") == 0) {
            const nnc_metrics one = { .rows = row, .count = 1 };
            nnc_record_members(&json, &one, &place);
        }
    }
    nnc_record_end(&json);
    nnc_buffer_byte(out, '\0');
}

/* If two plans differ in one field, their JSON texts differ only in the member of this field. */
START_TEST(every_field_of_a_plan_is_written) {
    const nnc_plan plain = nnc_plan_default();
    nnc_buffer before = { 0 };
    write_plan(&before, &plain);
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        const nnc_field *f = &nnc_plan_table.fields[i];
        nnc_plan plan = plain;
        nnc_buffer after = { 0 };
        nnc_error err;
        char key[64];
        ck_assert_msg(nnc_plan_set(&plan, f->name, other_value(f, &plain), &err) == NNC_OK, "%s: %s", err.where,
                      err.what);
        write_plan(&after, &plan);
        snprintf(key, sizeof key, "\"%s\": ", f->name);
        const char *old = strstr(before.bytes, key), *new = strstr(after.bytes, key);
        ck_assert_msg(old != NULL && new != NULL, "plan.%s is not in the JSON", f->name);
        ck_assert_msg(old - before.bytes == new - after.bytes, "plan.%s changes another key", f->name);
        ck_assert_msg(strcmp(old, new) != 0, "plan.%s is %.40s for both values", f->name, new);
        nnc_buffer_free(&after);
    }
    nnc_buffer_free(&before);
}
END_TEST

/* The unit of a metric is also in its name: step_s, mem_bytes, model_flops. */
START_TEST(units_match_names) {
    static const struct {
        const char *end, *unit;
    } ends[] = { { "flops_per_s", "FLOP/s" }, { "bytes_per_s", "B/s" },  { "_flops", "FLOP" },
                 { "_bytes", "B" },           { "_per_byte", "FLOP/B" }, { "_j", "J" } };
    nnc_arena *arena = nnc_arena_create();
    nnc_columns columns;
    int checked = 0;
    ck_assert_int_eq(nnc_columns_of(&nnc_estimate_metrics, arena, &columns), NNC_OK);
    for (int32_t i = 0; i < columns.count; i++) {
        const nnc_metric *metric = columns.list[i].metric;
        const size_t length = strlen(metric->name);
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
            const size_t end = strlen(ends[k].end);
            if (length > end && strcmp(metric->name + length - end, ends[k].end) == 0) {
                ck_assert_msg(metric->unit != NULL && strcmp(metric->unit, ends[k].unit) == 0, "%s: unit",
                              columns.list[i].name);
                checked++;
            }
        }
    }
    ck_assert_int_ge(checked, 25);
    nnc_arena_destroy(arena);
}
END_TEST

/* Metrics with the same `part_of` add up to the metric that `part_of` names. */
START_TEST(parts_add_up) {
    const nnc_software software = nnc_software_default();
    const nnc_model *model = load_model("models/llama3-8b.json");
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    nnc_plan plan = nnc_plan_default();
    plan.devices = 8;
    plan.pipeline = 2;
    plan.micro_batches = 4;
    plan.recompute = NNC_RECOMPUTE_FULL;
    const nnc_result result = estimate_with(model, device, &software, &plan);
    const nnc_report report = { .model = model, .device = device, .software = &software, .result = &result };
    const nnc_place place = { .record = &report };
    nnc_arena *arena = nnc_arena_create();
    nnc_columns columns;
    int wholes = 0;
    ck_assert_int_eq(nnc_columns_of(&nnc_estimate_metrics, arena, &columns), NNC_OK);
    for (int32_t t = 0; t < columns.count; t++) {
        double sum = 0;
        int parts_found = 0;
        char text[NNC_METRIC_TEXT_MAX];
        for (int32_t i = 0; i < columns.count; i++) {
            const char *of = nnc_metric_rare(columns.list[i].metric)->part_of;
            if (of != NULL && strcmp(of, columns.list[t].name) == 0) {
                const nnc_cell cell = nnc_column_read(&columns.list[i], place, text);
                sum += cell.kind == NNC_CELL_WHOLE ? (double)cell.whole : cell.number;
                parts_found++;
            }
        }
        if (parts_found > 0) {
            const nnc_cell cell = nnc_column_read(&columns.list[t], place, text);
            const double whole = cell.kind == NNC_CELL_WHOLE ? (double)cell.whole : cell.number;
            ck_assert_double_eq_tol(sum, whole, 1e-9 * whole);
            wholes++;
        }
    }
    ck_assert_int_eq(wholes, 3); /* parameters, step, memory */
    nnc_arena_destroy(arena);
}
END_TEST

static nnc_past past_of(const char *device, nnc_mode mode, int32_t count) {
    static const nnc_track tracks[] = {
        { "a", "vit", 4, 2, 0.6, 0.6, NAN, NAN },       { "b", "vit", 20, 10, 0.2, -0.1, NAN, NAN },
        { "b", "experts", 90, 90, 0.5, 0.5, NAN, NAN }, { "c", "vit", 14, 0, NAN, NAN, 0.38, -0.3 },
        { "d", "vit", 12, 0, NAN, NAN, 0.2, -0.1 },
    };
    const nnc_model model = { .family = NNC_FAMILY_VIT };
    const nnc_software software = { .compared = tracks, .compared_count = count };
    const bool free = strcmp(device, "cpu") == 0 || strcmp(device, "host 0") == 0;
    nnc_device on = { .host = { .kernel_s = free ? 0.0 : 1e-5,
                                .bytes_per_s = strcmp(device, "cpu") == 0 ? (double)NAN : 3e10 } };
    nnc_result result = { .plan = { .mode = mode } };
    snprintf(on.id, sizeof on.id, "%s", device);
    return nnc_report_past(&(nnc_report){ .model = &model, .device = &on, .software = &software, .result = &result });
}

/* Ten unfitted steps of a device are enough to state the error of this device. With fewer steps, the unfitted steps of
 * all devices count: 2 steps with an error of 0.6 and 10 steps with 0.2 have the mean (2 x 0.6 + 10 x 0.2) / 12. */
START_TEST(few_steps_say_nothing) {
    const nnc_past own = past_of("b", NNC_MODE_PREDICTED, 3);
    const nnc_past all = past_of("a", NNC_MODE_PREDICTED, 3);
    const nnc_past few = past_of("a", NNC_MODE_PREDICTED, 1);
    ck_assert_int_eq(own.of, NNC_PAST_DEVICE);
    ck_assert_int_eq(own.unseen, 10);
    ck_assert_double_eq_tol(own.bias, -0.1, 1e-12);
    /* the range of the error is error / 2 to error x 2 for device b, and error / 3.5 to error x 3.5 for all devices */
    ck_assert_double_eq_tol(own.error_range[0], 0.1, 1e-12);
    ck_assert_double_eq_tol(own.error_range[1], 0.4, 1e-12);
    ck_assert_double_eq_tol(all.error_range[0], 3.2 / 42, 1e-12);
    ck_assert_double_eq_tol(all.error_range[1], 3.2 / 12 * 3.5, 1e-12);
    ck_assert_int_eq(all.of, NNC_PAST_ALL_DEVICES);
    ck_assert_int_eq(all.device_rows, 2);
    ck_assert_int_eq(all.rows, 24);
    ck_assert_int_eq(all.unseen, 12);
    ck_assert_double_eq_tol(all.error, 3.2 / 12, 1e-12);
    ck_assert_double_eq_tol(all.bias, 0.2 / 12, 1e-12);
    ck_assert_int_eq(few.of, NNC_PAST_FEW);
    ck_assert_int_eq(few.unseen, 2);
    ck_assert(isnan(few.error) && isnan(few.bias) && isnan(few.error_range[0]) && isnan(few.error_range[1]));
    ck_assert_int_eq(past_of("e", NNC_MODE_PREDICTED, 3).of, NNC_PAST_OTHER_DEVICES);
    ck_assert_int_eq(past_of("cpu", NNC_MODE_PREDICTED, 3).of, NNC_PAST_FEW); /* steps of GPUs do not count */
    ck_assert_int_eq(past_of("cpu", NNC_MODE_PREDICTED, 3).rows, 0);
    /* With --host 0, a GPU still has a link to its host, so it is not a CPU. */
    ck_assert_int_eq(past_of("host 0", NNC_MODE_PREDICTED, 3).of, NNC_PAST_OTHER_DEVICES);
    ck_assert_int_eq(past_of("b", NNC_MODE_IDEAL, 3).of, NNC_PAST_NONE);
    ck_assert_int_eq(past_of("b", NNC_MODE_PREDICTED, 0).of, NNC_PAST_NONE);
}
END_TEST

/* Device c has fourteen fitted steps with an error of 0.38. All unfitted steps have a mean error of (2 x 0.6 + 10 x
 * 0.2) / 12 = 0.267. For device c, the larger of the two errors, 0.38, is stated. Device d states 0.267, because its
 * own steps have an error of only 0.2. */
START_TEST(a_larger_error_of_seen_steps_is_stated) {
    const nnc_past c = past_of("c", NNC_MODE_PREDICTED, 5);
    const nnc_past d = past_of("d", NNC_MODE_PREDICTED, 5);
    ck_assert_int_eq(c.of, NNC_PAST_SEEN);
    ck_assert_int_eq(c.rows, 14);
    ck_assert_int_eq(c.unseen, 0);
    ck_assert_double_eq(c.error, 0.38);
    ck_assert_double_eq(c.bias, -0.3);
    ck_assert_int_eq(d.of, NNC_PAST_OTHER_DEVICES);
    ck_assert_double_eq_tol(d.error, 3.2 / 12, 1e-12);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        every_field_of_a_plan_is_written,
        values_are_read,
        lists_are_counted,
        names_are_found,
        rows_have_words,
        units_match_names,
        parts_add_up,
        few_steps_say_nothing,
        a_larger_error_of_seen_steps_is_stated,
    };
    return run_tests_with("metrics", open_support, close_support, tests, COUNT_OF(tests));
}
