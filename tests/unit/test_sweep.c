/* Tests axes, constraints, rows and threads of sweeps. */
#include "base/base_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "support.h"
#include "sweep/sweep_internal.h"

static nnc_arena *arena;

static void open_arena(void) {
    open_support();
    arena = nnc_arena_create();
    ck_assert_ptr_nonnull(arena);
}

static void close_arena(void) {
    nnc_arena_destroy(arena);
    close_support();
}

START_TEST(lists) {
    static const struct {
        const char *list, *values;
    } cases[] = {
        { "7", "7 " },
        { "2048,4096", "2048 4096 " },
        { "1..4", "1 2 3 4 " },
        { "1..64*2", "1 2 4 8 16 32 64 " },
        { "1..100*10", "1 10 100 " },
        { "1..60*2", "1 2 4 8 16 32 " }, /* the end of this range, 60, is not one of its values */
        { "1..10+4", "1 5 9 " },
        { "0..1+0.25", "0 0.25 0.5 0.75 1 " },
        { "0..0.3+0.1", "0 0.1 0.2 0.3 " }, /* the last value of a range is its end, except for rounding */
        { "1e3..2e+3+500", "1000 1500 2000 " },
        { "3,8..16*2", "3 8 16 " },
        { "5..5", "5 " },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char **values = NULL;
        int32_t count = 0;
        char text[256] = "";
        ck_assert_int_eq(nnc_sweep_list(arena, "--x", cases[i].list, true, &values, &count, NULL), NNC_OK);
        for (int32_t k = 0; k < count; k++) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s ", values[k]);
        }
        ck_assert_str_eq(text, cases[i].values);
    }
}
END_TEST

/* In a range of sizes, each size is twice the previous one, unless the range states a step or a factor. */
START_TEST(sizes_double) {
    static const struct {
        const char *list, *last;
        int32_t count;
    } cases[] = {
        { "8..64", "64", 4 },   { "8..100", "64", 4 },      { "8..24+8", "24", 3 },
        { "1..27*3", "27", 4 }, { "8,12,16..64", "64", 5 }, { "7", "7", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char **values = NULL;
        int32_t count = 0;
        ck_assert_int_eq(nnc_sweep_sizes(arena, "--x", cases[i].list, &values, &count, NULL), NNC_OK);
        ck_assert_int_eq(count, cases[i].count);
        ck_assert_str_eq(values[count - 1], cases[i].last);
    }
}
END_TEST

START_TEST(lists_refused) {
    static const char *const cases[] = {
        "",
        ",",
        "1,",
        "1,,2",
        "2,2",
        "1..3,2",
        "4..1",
        "1..4*1",
        "1..4+0",
        "0..8*2",
        "1..",
        "..4",
        "1..x",
        "1...4",
        "1..4*2*2",
        "1..2000000",
        "1..4+",
        "1..4-1",
        /* a number of 64 characters */
        "1.00000000000000000000000000000000000000000000000000000000000000..4",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char **values = NULL;
        int32_t count = 0;
        nnc_error err = { 0 };
        ck_assert_msg(nnc_sweep_list(arena, "--x", cases[i], true, &values, &count, &err) == NNC_BAD_USAGE, "\"%s\"",
                      cases[i]);
        ck_assert_str_eq(err.where, "--x");
        ck_assert_str_ne(err.what, "");
    }
    /* Text with dots, such as a path, is not a range. */
    const char **values = NULL;
    int32_t count = 0;
    ck_assert_int_eq(nnc_sweep_list(arena, "x", "../a.json,b", false, &values, &count, NULL), NNC_OK);
    ck_assert_int_eq(count, 2);
}
END_TEST

/* An axis is given as NAME=LIST. A text without a name, or without '=', is refused with a message that shows this
 * form. */
START_TEST(pairs_refused) {
    static const char *const cases[] = { "tensor", "=1,2", "", "=" };
    nnc_sweep *sweep = NULL;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_sweep_create(specs, "gpt2", "a100", NULL, NULL, &sweep, &err), NNC_OK);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "expected NAME=LIST, found \"%s\"", cases[i]);
        ck_assert_int_eq(nnc_sweep_add_pair(sweep, "--set", cases[i], &err), NNC_BAD_USAGE);
        ck_assert_str_eq(err.where, "--set");
        ck_assert_str_eq(err.what, expected);
    }
    ck_assert_int_eq(nnc_sweep_add_pair(sweep, "--set", "tensor=1,2", &err), NNC_OK);
    nnc_sweep_destroy(sweep);
}
END_TEST

START_TEST(places_of_rows) {
    /* three groups of axes have 2, 3 and 2 values, so there are 12 rows; the second group has two linked axes; the last
     * group varies fastest */
    nnc_sweep_axes axes = { .axis_count = 4 };
    static const int32_t counts[] = { 2, 3, 3, 2 }, groups[] = { 0, 1, 1, 2 };
    for (int i = 0; i < 4; i++) {
        axes.axes[i] = (nnc_sweep_axis){ .name = "x", .count = counts[i], .group = groups[i] };
    }
    ck_assert_int_eq(nnc_sweep_count(&axes, NULL), NNC_OK);
    ck_assert_int_eq(axes.rows, 12);
    ck_assert_int_eq(axes.group_count, 3);
    int64_t row = 0;
    for (int32_t a = 0; a < 2; a++) {
        for (int32_t b = 0; b < 3; b++) {
            for (int32_t c = 0; c < 2; c++) {
                int32_t found[NNC_SWEEP_AXES_MAX];
                nnc_sweep_place(&axes, row++, found);
                ck_assert(found[0] == a && found[1] == b && found[2] == c);
            }
        }
    }
    nnc_error err;
    axes.axes[2].count = 2;
    ck_assert_int_eq(nnc_sweep_count(&axes, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "--link");
    axes.axes[2].count = axes.axes[1].count = axes.axes[0].count = axes.axes[3].count = 1000000;
    ck_assert_int_eq(nnc_sweep_count(&axes, &err), NNC_BAD_USAGE);
}
END_TEST

/* Variables of the constraints: a = 4, b = 3, text = 'full', yes = true. `none` has no value, and `late` is not yet
 * known. */
static const char *const variables[] = { "a", "b", "text", "yes", "none", "late" };

static nnc_status name_variable(void *context, const char *name, int32_t *variable, nnc_error *err) {
    (void)context;
    for (int32_t i = 0; i < (int32_t)COUNT_OF(variables); i++) {
        if (strcmp(variables[i], name) == 0) {
            *variable = i;
            return NNC_OK;
        }
    }
    err->status = NNC_BAD_USAGE;
    return NNC_BAD_USAGE;
}

static const nnc_cell *read_variable(void *context, int32_t variable) {
    static const nnc_cell cells[] = {
        { .kind = NNC_CELL_WHOLE, .whole = 4 },
        { .kind = NNC_CELL_NUMBER, .number = 3.0 },
        { .kind = NNC_CELL_TEXT, .text = "full" },
        { .kind = NNC_CELL_BOOL, .flag = true },
        { .kind = NNC_CELL_NULL },
    };
    (void)context;
    return variable < (int32_t)COUNT_OF(cells) ? &cells[variable] : NULL;
}

START_TEST(constraints) {
    static const struct {
        const char *text;
        nnc_truth truth;
    } cases[] = {
        { "a * b <= 12", NNC_TRUE },
        { "a*b<12", NNC_FALSE },
        { "a > 1 && b > 1", NNC_TRUE },
        { "a > 4 || b == 3", NNC_TRUE },
        { "a > 4 || b == 4 && yes", NNC_FALSE }, /* && has precedence over || */
        { "a - b - 1 == 0", NNC_TRUE },          /* evaluated from left to right */
        { "a / b * b == 4", NNC_TRUE },
        { "1 + 2 * 3 == 7", NNC_TRUE },
        { "(1 + 2) * 3 == 9", NNC_TRUE },
        { "-a + 5 == 1", NNC_TRUE },
        { "a % b == 1", NNC_TRUE },
        { "!(a > b)", NNC_FALSE },
        { "!a == 0", NNC_TRUE },
        { "1.5e1 == 15", NNC_TRUE },
        { "yes", NNC_TRUE },
        { "!yes", NNC_FALSE },
        { "text == 'full'", NNC_TRUE },
        { "text != \"none\"", NNC_TRUE },
        { "text == 4", NNC_FALSE },
        { "none > 0", NNC_FALSE },
        { "none <= 0", NNC_FALSE },
        { "none", NNC_FALSE },
        { "a / 0 > 1e9", NNC_TRUE },
        { "0", NNC_FALSE },
        /* a known value may decide a constraint before other values are known */
        { "late > 1", NNC_NOT_KNOWN_YET },
        { "late > 1 && a > 5", NNC_FALSE },
        { "a > 5 && late > 1", NNC_FALSE },
        { "a > 1 && late > 1", NNC_NOT_KNOWN_YET },
        { "late > 1 || a > 1", NNC_TRUE },
        { "late > 1 || a > 5", NNC_NOT_KNOWN_YET },
        { "!late", NNC_NOT_KNOWN_YET },
        { "-late * 2 + a < 1", NNC_NOT_KNOWN_YET },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_where where;
        nnc_error err = { 0 };
        ck_assert_msg(nnc_where_parse("--where", cases[i].text, name_variable, NULL, &where, &err) == NNC_OK, "%s: %s",
                      cases[i].text, err.what);
        ck_assert_msg(nnc_where_test(&where, read_variable, NULL) == cases[i].truth, "%s", cases[i].text);
    }
}
END_TEST

START_TEST(constraints_refused) {
    static const char *const cases[] = {
        "",    "a >",   "a b",    "a > > b", "(a",  "a)", "a == 'x", "a = 4", "a & b",
        "1..", "c > 1", "a > 01", "!",       "- -", "$",  "()",      "a ||",
    };
    char deep[400], wide[2001];
    nnc_where where;
    nnc_error err = { 0 };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        err.what[0] = '\0';
        ck_assert_msg(nnc_where_parse("--where", cases[i], name_variable, NULL, &where, &err) == NNC_BAD_USAGE,
                      "\"%s\"", cases[i]);
    }
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    ck_assert_int_eq(nnc_where_parse("--where", deep, name_variable, NULL, &where, &err), NNC_BAD_USAGE);
    for (size_t i = 0; i + 1 < sizeof wide; i++) { wide[i] = "a + "[i % 4]; }
    wide[sizeof wide - 4] = '\0'; /* ends after an "a" */
    ck_assert_int_eq(nnc_where_parse("--where", wide, name_variable, NULL, &where, &err), NNC_BAD_USAGE);
}
END_TEST

/* Returns a random number below `below` from a small generator that gives the same numbers on every system. Source:
 * Numerical Recipes. */
static uint32_t draw(uint32_t *state, uint32_t below) {
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % below;
}

static int32_t number_of(const char *text) { return (int32_t)strtol(text, NULL, 10); }

static const char *const tensors[] = { "1", "2", "4", "3" };
static const char *const pipelines[] = { "1", "2", "4" };
static const char *const zeros[] = { "0", "1", "3" };
static const char *const batches[] = { "1", "2", "5" };
static const char *const recomputes[] = { "none", "selective", "norm,activation", "full" };
static const char *const switches[] = { "off", "on" };
static const char *const hiddens[] = { "4096", "2048" };
static const char *const rates[] = { "450e9", "50e9" };
static const char *const ids[] = { "a", "b" };

static void add(nnc_sweep_axes *axes, nnc_sweep_target target, const char *name, const char *const *values,
                size_t count, const void **wholes) {
    const int32_t index = axes->axis_count++;
    const char **copy = nnc_arena_array(arena, count, sizeof *copy);
    ck_assert_ptr_nonnull(copy);
    for (size_t i = 0; i < count; i++) { copy[i] = values[i]; }
    axes->axes[index] = (nnc_sweep_axis){ .name = name,
                                          .target = target,
                                          .field = name,
                                          .values = copy,
                                          .specs = wholes,
                                          .count = (int32_t)count,
                                          .group = index };
}
#define ADD(axes, target, name, values) add(axes, target, name, values, COUNT_OF(values), NULL)

static char *record_text(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                         const nnc_result *result) {
    nnc_buffer out = { 0 };
    const nnc_report report = { .model = model, .device = device, .software = software, .result = result };
    const nnc_place place = { .record = &report };
    nnc_record record = nnc_record_begin(&out, "estimate");
    nnc_record_members(&record, &nnc_estimate_metrics, &place);
    nnc_record_end(&record);
    nnc_buffer_byte(&out, '\0');
    ck_assert(!out.failed);
    return out.bytes;
}

/* Sets the same plan in a new struct. The new plan must be legal in the same cases, with the same metrics to the last
 * digit. */
static void check_row(nnc_point *point, const int32_t *places, nnc_scratch *other) {
    const nnc_sweep_axis *a = point->axes->axes;
    nnc_result swept, alone;
    nnc_error err = { 0 }, other_err = { 0 };
    nnc_model model = *(const nnc_model *)a[0].specs[places[0]];
    nnc_device device = *(const nnc_device *)a[1].specs[places[1]];
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    ck_assert_int_eq(nnc_model_set(&model, "hidden", hiddens[places[8]], NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_set(&device, "scale_up.bytes_per_s", rates[places[9]], NULL), NNC_OK);
    plan.devices = 16;
    plan.tensor = number_of(tensors[places[2]]);
    plan.pipeline = number_of(pipelines[places[3]]);
    plan.zero = number_of(zeros[places[4]]);
    plan.micro_batch = number_of(batches[places[5]]);
    plan.micro_batches = 8;
    ck_assert_int_eq(nnc_plan_set(&plan, "recompute", recomputes[places[6]], NULL), NNC_OK);
    plan.sequence_parallel = places[7] == 1;
    const nnc_status status = nnc_point_estimate(point, &swept, &err);
    ck_assert_int_eq(status, nnc_estimate(&model, &device, &software, &plan, other, &alone, &other_err));
    if (status != NNC_OK) {
        ck_assert_str_eq(err.what, other_err.what);
        return;
    }
    ck_assert(swept.step_s == alone.step_s && swept.mfu == alone.mfu && swept.upper_bound_s == alone.upper_bound_s &&
              swept.lower_bound_s == alone.lower_bound_s && swept.verdict == alone.verdict &&
              swept.memory.total_bytes == alone.memory.total_bytes);
    char *one = record_text(&point->model, &point->device, &point->software, &swept);
    char *two = record_text(&model, &device, &software, &alone);
    ck_assert_str_eq(one, two);
    free(one);
    free(two);
}

START_TEST(rows_are_estimates) {
    enum { ROWS = 600 };
    static const char *const sixteen[] = { "16" }, *const eight[] = { "8" };
    const nnc_model *models[] = { load_model("models/llama3-8b.json"), load_model("models/llama2-7b.json") };
    const nnc_device *devices[] = { load_device("hw/h100-sxm5-80gb.json"), load_device("hw/a100-sxm4-80gb.json") };
    const void *model_specs[] = { models[0], models[1] };
    const void *device_specs[] = { devices[0], devices[1] };
    nnc_sweep_axes *axes = calloc(1, sizeof *axes);
    nnc_point *point = calloc(1, sizeof *point);
    nnc_scratch *other = nnc_scratch_create();
    ck_assert(axes != NULL && point != NULL && other != NULL);
    add(axes, NNC_SWEEP_MODEL, "model", ids, 2, model_specs);
    add(axes, NNC_SWEEP_DEVICE, "device", ids, 2, device_specs);
    ADD(axes, NNC_SWEEP_PLAN_FIELD, "tensor", tensors);
    ADD(axes, NNC_SWEEP_PLAN_FIELD, "pipeline", pipelines);
    ADD(axes, NNC_SWEEP_PLAN_FIELD, "zero", zeros);
    ADD(axes, NNC_SWEEP_PLAN_FIELD, "micro_batch", batches);
    ADD(axes, NNC_SWEEP_PLAN_FIELD, "recompute", recomputes);
    ADD(axes, NNC_SWEEP_PLAN_FIELD, "sequence_parallel", switches);
    ADD(axes, NNC_SWEEP_MODEL_FIELD, "hidden", hiddens);
    ADD(axes, NNC_SWEEP_DEVICE_FIELD, "scale_up.bytes_per_s", rates);
    ADD(axes, NNC_SWEEP_PLAN_FIELD, "devices", sixteen);
    ADD(axes, NNC_SWEEP_PLAN_FIELD, "micro_batches", eight);
    ck_assert_int_eq(nnc_sweep_count(axes, NULL), NNC_OK);
    point->axes = axes;
    point->scratch = scratch;
    uint32_t seed = 20240607;
    for (int i = 0; i < ROWS; i++) {
        /* every second drawn row is in order, and each row between them is a random row */
        const int64_t row = i % 2 == 0 ? i : (int64_t)draw(&seed, (uint32_t)axes->rows);
        int32_t found[NNC_SWEEP_AXES_MAX];
        nnc_sweep_place(axes, row, found);
        nnc_point_move(point, row);
        check_row(point, found, other);
    }
    nnc_scratch_destroy(other);
    free(point);
    free(axes);
}
END_TEST

/* Writes the even numbers of a batch as text, and leaves out the odd numbers. */
static void work_evens(void *worker, nnc_batch *batch) {
    (void)worker;
    for (int64_t i = batch->first; i < batch->first + batch->count; i++) {
        char text[32];
        batch->tally.excluded += i % 2;
        if (i % 2 == 0) {
            snprintf(text, sizeof text, "%lld\n", (long long)i);
            nnc_buffer_text(&batch->bytes, text);
            nnc_batch_mark(batch, i, (double)i);
        }
    }
}

typedef struct gathered {
    nnc_buffer text;
    int64_t next, excluded, stop_at;
    bool fails;
} gathered;

static nnc_status gather(void *context, const nnc_batch *batch, bool *stop, nnc_error *err) {
    gathered *g = context;
    (void)err;
    ck_assert_int_eq(batch->first, g->next);
    g->next += batch->count;
    g->excluded += batch->tally.excluded;
    nnc_buffer_put(&g->text, batch->bytes.bytes, batch->bytes.size);
    *stop = g->next >= g->stop_at;
    return g->fails ? NNC_IO : NNC_OK;
}

static nnc_status run_pool(int threads, int64_t first, gathered *g) {
    void *workers[8] = { NULL };
    const nnc_pool pool = { .first = first,
                            .chunk = NNC_POOL_CHUNK,
                            .end = 5000,
                            .threads = threads,
                            .workers = workers,
                            .work = work_evens,
                            .emit = gather,
                            .context = g };
    nnc_error err;
    g->next = first;
    return nnc_pool_run(&pool, &err);
}

START_TEST(threads_do_not_show) {
    gathered one = { .stop_at = INT64_MAX };
    ck_assert_int_eq(run_pool(1, 0, &one), NNC_OK);
    ck_assert_int_eq(one.next, 5000);
    ck_assert_int_eq(one.excluded, 2500);
    for (int threads = 2; threads <= 5; threads++) {
        gathered more = { .stop_at = INT64_MAX };
        ck_assert_int_eq(run_pool(threads, 0, &more), NNC_OK);
        ck_assert_uint_eq(more.text.size, one.text.size);
        ck_assert_mem_eq(more.text.bytes, one.text.bytes, one.text.size);
        ck_assert_int_eq(more.excluded, one.excluded);
        nnc_buffer_free(&more.text);
    }
    nnc_buffer_free(&one.text);
    gathered none = { .stop_at = INT64_MAX };
    ck_assert_int_eq(run_pool(3, 5000, &none), NNC_OK);
    ck_assert_uint_eq(none.text.size, 0);
}
END_TEST

START_TEST(pools_stop) {
    for (int threads = 1; threads <= 5; threads += 2) {
        /* chunks that have started are output completely and in order */
        gathered stopped = { .stop_at = 1000 };
        ck_assert_int_eq(run_pool(threads, 0, &stopped), NNC_OK);
        ck_assert_int_ge(stopped.next, 1000);
        ck_assert_int_lt(stopped.next, 5000);
        ck_assert_int_eq(stopped.next % NNC_POOL_CHUNK, 0);
        nnc_buffer_free(&stopped.text);
        gathered failed = { .stop_at = INT64_MAX, .fails = true };
        ck_assert_int_eq(run_pool(threads, 0, &failed), NNC_IO);
        ck_assert_int_eq(failed.next, NNC_POOL_CHUNK);
        nnc_buffer_free(&failed.text);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        lists,       lists_refused,       sizes_double,       places_of_rows,      pairs_refused,
        constraints, constraints_refused, rows_are_estimates, threads_do_not_show, pools_stop,
    };
    return run_tests_with("sweep", open_arena, close_arena, tests, COUNT_OF(tests));
}
