/* A sweep, from its axes to its rows: the public functions, the digest by which two sweeps are distinguished, and the
 * command line that estimates a single row. */
#include <errno.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "sweep/sweep_internal.h"

static nnc_status add_specs(nnc_sweep *sweep, const char *models, const char *devices, const char *software,
                            nnc_error *err) {
    NNC_TRY(nnc_sweep_add_whole(sweep, NNC_SWEEP_MODEL, "model.id", models, err));
    NNC_TRY(nnc_sweep_add_whole(sweep, NNC_SWEEP_DEVICE, "device.id", devices, err));
    if (!nnc_software_is_chosen(software)) {
        return nnc_sweep_add_whole(sweep, NNC_SWEEP_SOFTWARE, "plan.software", software, err);
    }
    sweep->axes.profiles = &sweep->profiles;
    sweep->axes.each = software != NULL;
    return nnc_profiles_asked(sweep->specs, NULL, &sweep->profiles, err);
}

nnc_status nnc_sweep_create(nnc_specs *specs, const char *models, const char *devices, const char *software,
                            const char *cluster, nnc_sweep **sweep, nnc_error *err) {
    NNC_NEED(specs);
    NNC_NEED(models);
    NNC_NEED(devices);
    NNC_NEED(sweep);
    nnc_sweep *made = calloc(1, sizeof *made);
    *sweep = NULL;
    NNC_GOT(made, err);
    *made = (nnc_sweep){ .specs = specs, .cluster = cluster, .by = -1, .shard = { 1, 1 } };
    made->point.plan = nnc_plan_default();
    made->arena = nnc_arena_create();
    nnc_status status = made->arena != NULL ? NNC_OK : nnc_no_memory(err);
    if (status == NNC_OK && cluster != NULL) {
        made->cluster = nnc_arena_strdup(made->arena, cluster);
        status = made->cluster != NULL ? NNC_OK : nnc_no_memory(err);
    }
    if (status == NNC_OK) { status = add_specs(made, models, devices, software, err); }
    if (status != NNC_OK) {
        nnc_sweep_destroy(made);
        return status;
    }
    *sweep = made;
    return NNC_OK;
}

void nnc_sweep_destroy(nnc_sweep *sweep) {
    if (sweep != NULL) {
        nnc_arena_destroy(sweep->arena);
        free(sweep);
    }
}

nnc_status nnc_sweep_add(nnc_sweep *sweep, const char *name, const char *list, nnc_error *err) {
    NNC_NEED(sweep);
    NNC_NEED(name);
    NNC_NEED(list);
    return nnc_sweep_add_as(sweep, name, name, list, err);
}

nnc_status nnc_sweep_link(nnc_sweep *sweep, const char *axes, nnc_error *err) {
    NNC_NEED(sweep);
    NNC_NEED(axes);
    return nnc_sweep_add_link(sweep, "link", axes, err);
}

nnc_status nnc_sweep_part(nnc_sweep *sweep, int64_t number, int64_t of, nnc_error *err) {
    NNC_NEED(sweep);
    if (sweep->settled || of < 1 || of > NNC_SHARDS_MAX || number < 1 || number > of) {
        return nnc_fail(err, NNC_BAD_USAGE, "part",
                        "expected a number from 1 to the number of parts, set before the columns");
    }
    sweep->shard = (nnc_shard){ number, of };
    return NNC_OK;
}

static void find_first_profile(nnc_sweep *sweep) {
    nnc_sweep_axes *axes = &sweep->axes;
    const nnc_point *point = &sweep->point;
    for (int32_t i = 0; i < axes->axis_count; i++) {
        if (axes->axes[i].target == NNC_SWEEP_SOFTWARE) { axes->first = axes->axes[i].specs[0]; }
    }
    axes->kept = nnc_profile_kind_by_plan(&point->model, &point->plan);
    axes->kept_plan = point->plan;
    if (axes->profiles != NULL) {
        axes->first = nnc_profile_of(axes->profiles, &point->model, &point->device, &point->plan);
    }
}

nnc_status nnc_sweep_settle(nnc_sweep *sweep, nnc_error *err) {
    const nnc_shard shard = sweep->shard;
    if (sweep->settled) { return NNC_OK; }
    NNC_TRY(nnc_sweep_count(&sweep->axes, err));
    const int64_t rows = sweep->axes.rows;
    sweep->shard_rows = shard.number > rows ? 0 : (rows - shard.number) / shard.of + 1;
    find_first_profile(sweep);
    if (nnc_columns_of(&nnc_estimate_metrics, sweep->arena, &sweep->figures) != NNC_OK) { return nnc_no_memory(err); }
    sweep->settled = true;
    return NNC_OK;
}

void nnc_sweep_keep_all(nnc_sweep *sweep) {
    if (sweep != NULL) { sweep->all = true; }
}

nnc_status nnc_sweep_columns(nnc_sweep *sweep, const char *names, nnc_error *err) {
    NNC_NEED(sweep);
    return nnc_sweep_add_columns(sweep, "columns", names, err);
}

nnc_status nnc_sweep_where(nnc_sweep *sweep, const char *constraint, nnc_error *err) {
    NNC_NEED(sweep);
    NNC_NEED(constraint);
    return nnc_sweep_add_where(sweep, "where", constraint, err);
}

int nnc_sweep_column_count(const nnc_sweep *sweep) { return sweep != NULL ? sweep->column_count : 0; }

const char *nnc_sweep_column_name(const nnc_sweep *sweep, int column) {
    return sweep != NULL && column >= 0 && column < sweep->column_count ? sweep->heads[column].name : NULL;
}

nnc_status nnc_sweep_size(nnc_sweep *sweep, int64_t *rows, nnc_error *err) {
    NNC_NEED(sweep);
    NNC_NEED(rows);
    *rows = 0;
    NNC_TRY(nnc_sweep_settle(sweep, err));
    *rows = sweep->shard_rows;
    return NNC_OK;
}

void nnc_sweep_close_pool(nnc_pool *pool) {
    for (int i = 0; pool->workers != NULL && i < pool->threads; i++) { nnc_sweeper_destroy(pool->workers[i]); }
    free(pool->workers);
    pool->workers = NULL;
}

nnc_status nnc_sweep_open_pool(const nnc_sweep *sweep, int64_t first, int threads, nnc_pool *pool, nnc_error *err) {
    const int64_t chunks = (sweep->shard_rows - first) / NNC_POOL_CHUNK + 1;
    *pool = (nnc_pool){ .first = first,
                        .end = sweep->shard_rows,
                        .chunk = NNC_POOL_CHUNK,
                        .threads = threads > chunks ? (int)chunks : threads,
                        .work = nnc_sweeper_work };
    pool->workers = calloc((size_t)pool->threads, sizeof *pool->workers);
    bool made = pool->workers != NULL;
    for (int i = 0; made && i < pool->threads; i++) {
        pool->workers[i] = nnc_sweeper_create(sweep);
        made = pool->workers[i] != NULL;
    }
    if (!made) {
        nnc_sweep_close_pool(pool);
        return nnc_no_memory(err);
    }
    pool->chunk = nnc_sweeper_chunk(pool->workers[0]);
    return NNC_OK;
}

/* State of passing the rows of a sweep, one after the other, to a function of the caller. */
typedef struct teller {
    const nnc_sweep *sweep;
    nnc_sweep_row_fn *row;
    void *context;
    nnc_sweep_tally tally;
    bool ended;
} teller;

static nnc_status tell(void *context, const nnc_batch *batch, bool *stop, nnc_error *err) {
    teller *to = context;
    nnc_batch_row row;
    nnc_cell cells[NNC_TABLE_COLUMNS];
    (void)err;
    if (!to->ended) { /* after the caller has stopped the sweep, batches can still arrive, which are ignored */
        nnc_tally_add(&to->tally, &batch->tally);
    }
    for (size_t at = 0; !to->ended && nnc_batch_next(batch, &at, &row);) {
        nnc_cells_unpack(row.bytes, cells, to->sweep->column_count);
        to->ended = !to->row(to->context, row.number, cells);
    }
    *stop = to->ended;
    return NNC_OK;
}

nnc_status nnc_sweep_run(nnc_sweep *sweep, int threads, nnc_sweep_row_fn *row, void *context, nnc_sweep_tally *tally,
                         nnc_error *err) {
    NNC_NEED(sweep);
    NNC_NEED(row);
    teller to = { .sweep = sweep, .row = row, .context = context };
    nnc_pool pool;
    if (threads < 1 || threads > NNC_POOL_THREADS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "threads", "expected a number from 1 to %d, found %d", NNC_POOL_THREADS_MAX,
                        threads);
    }
    if (sweep->column_count == 0) { NNC_TRY(nnc_sweep_columns(sweep, NULL, err)); }
    NNC_TRY(nnc_sweep_open_pool(sweep, 0, threads, &pool, err));
    pool.emit = tell;
    pool.context = &to;
    const nnc_status status = nnc_pool_run(&pool, err);
    nnc_sweep_close_pool(&pool);
    if (tally != NULL) { *tally = to.tally; }
    return status;
}

static nnc_status add_file(uint64_t *digest, const char *path, nnc_error *err) {
    char block[4096];
    FILE *file = fopen(path, "rb");
    bool ok = file != NULL;
    while (ok) {
        const size_t size = fread(block, 1, sizeof block, file);
        *digest = nnc_digest_bytes(*digest, block, size);
        if (size < sizeof block) {
            ok = ferror(file) == 0;
            break;
        }
    }
    if (file != NULL) { fclose(file); }
    *digest = nnc_digest_text(*digest, "");
    if (file == NULL && errno == ENOMEM) { return nnc_no_memory(err); }
    return ok ? NNC_OK : nnc_fail(err, NNC_IO, path, "cannot read");
}

static nnc_status add_axis(uint64_t *digest, const nnc_sweep_axis *axis, nnc_error *err) {
    nnc_status status = NNC_OK;
    *digest = nnc_digest_text(*digest, axis->name);
    *digest = nnc_digest_number(*digest, (uint64_t)axis->group);
    for (int32_t i = 0; i < axis->count && status == NNC_OK; i++) {
        const char *path = NULL;
        *digest = nnc_digest_text(*digest, axis->values[i]);
        if (axis->target == NNC_SWEEP_MODEL) {
            path = ((const nnc_model *)axis->specs[i])->path;
        } else if (axis->target == NNC_SWEEP_DEVICE) {
            path = ((const nnc_device *)axis->specs[i])->path;
        } else if (axis->target == NNC_SWEEP_SOFTWARE) {
            path = ((const nnc_software *)axis->specs[i])->path;
        }
        status = path != NULL ? add_file(digest, path, err) : NNC_OK;
    }
    return status;
}

nnc_status nnc_sweep_digest(const nnc_sweep *sweep, uint64_t *made, nnc_error *err) {
    uint64_t digest = nnc_digest_text(NNC_DIGEST_START, nnc_version());
    for (int32_t i = 0; i < sweep->axes.axis_count; i++) { NNC_TRY(add_axis(&digest, &sweep->axes.axes[i], err)); }
    if (sweep->cluster != NULL) { NNC_TRY(add_file(&digest, sweep->cluster, err)); }
    const nnc_profiles *p = sweep->axes.profiles;
    for (int i = 0; i < NNC_PROFILE_KINDS && p != NULL; i++) {
        if (p->of[i] != NULL && p->of[i]->path != NULL) { NNC_TRY(add_file(&digest, p->of[i]->path, err)); }
    }
    for (int32_t i = 0; i < sweep->column_count; i++) { digest = nnc_digest_text(digest, sweep->heads[i].name); }
    for (int32_t i = 0; i < sweep->where_count; i++) { digest = nnc_digest_text(digest, sweep->where_texts[i]); }
    digest = nnc_digest_text(digest, sweep->all ? "all" : "fits");
    *made = digest;
    return NNC_OK;
}

/* ---- the command line that estimates one row of a sweep ---- */

/* For each axis whose values are whole models, devices or profiles (as `target` says), writes the option and the value
 * that this axis has in the row. */
static void put_whole(const nnc_sweep *sweep, const int32_t *places, nnc_sweep_target target, const char *option,
                      nnc_buffer *out) {
    for (int32_t i = 0; i < sweep->axes.axis_count; i++) {
        const nnc_sweep_axis *axis = &sweep->axes.axes[i];
        if (axis->target == target) {
            nnc_buffer_text(out, option);
            nnc_shell_word(out, axis->values[places[axis->group]]);
        }
    }
}

static void put_field(const nnc_sweep_axis *axis, const char *value, nnc_buffer *out) {
    nnc_buffer_text(out, axis->option);
    if (!axis->is_switch) {
        nnc_shell_word(out, value);
    } else if (strcmp(value, "on") != 0) { /* an option that is a switch has its value after '=', and needs no value for
                                            * "on" */
        nnc_buffer_byte(out, '=');
        nnc_buffer_text(out, value);
    }
}

/* Returns the software profile of a row, if it is not the profile that `nncost estimate` would choose for the plan of
 * this row. Returns NULL if `nncost estimate` would choose the same profile, if an axis lists the profiles, or if the
 * sweep chooses a profile for each row. */
static const nnc_software *unusual_profile(const nnc_sweep *sweep, const int32_t *places) {
    const nnc_sweep_axes *axes = &sweep->axes;
    const nnc_model *model = &sweep->point.model;
    const nnc_device *device = &sweep->point.device;
    nnc_plan plan = sweep->point.plan;
    if (axes->profiles == NULL || axes->each) { return NULL; }
    for (int32_t i = 0; i < axes->axis_count; i++) {
        const nnc_sweep_axis *axis = &axes->axes[i];
        const int32_t place = places[axis->group];
        if (axis->target == NNC_SWEEP_MODEL) {
            model = axis->specs[place];
        } else if (axis->target == NNC_SWEEP_DEVICE) {
            device = axis->specs[place];
        } else if (axis->target == NNC_SWEEP_PLAN_FIELD) {
            nnc_plan_set(&plan, axis->field, axis->values[place], NULL);
        }
    }
    const nnc_software *kept = axes->profiles->of[nnc_profile_kind_kept(model, device, &axes->kept_plan, axes->kept)];
    const nnc_software *usual = nnc_profile_of(axes->profiles, model, device, &plan);
    return strcmp(kept->id, usual->id) != 0 ? kept : NULL;
}

void nnc_sweep_command(const nnc_sweep *sweep, const int32_t *places, nnc_buffer *out) {
    const nnc_sweep_axes *axes = &sweep->axes;
    nnc_buffer_clear(out);
    nnc_buffer_text(out, "nncost estimate");
    put_whole(sweep, places, NNC_SWEEP_MODEL, " ", out);
    put_whole(sweep, places, NNC_SWEEP_DEVICE, " ", out);
    put_whole(sweep, places, NNC_SWEEP_SOFTWARE, " --software ", out);
    const nnc_software *profile = unusual_profile(sweep, places);
    if (profile != NULL) {
        nnc_buffer_text(out, " --software ");
        nnc_shell_word(out, profile->id);
    }
    if (sweep->cluster != NULL) {
        nnc_buffer_text(out, " --cluster ");
        nnc_shell_word(out, sweep->cluster);
    }
    nnc_buffer_text(out, nnc_specs_are_lenient(sweep->specs) ? " --lenient" : "");
    for (int pass = 0; pass < 2; pass++) { /* the command has first the options of plan fields, then --set for the other
                                            * fields */
        for (int32_t i = 0; i < axes->axis_count; i++) {
            const nnc_sweep_axis *axis = &axes->axes[i];
            if (axis->field != NULL && (axis->target == NNC_SWEEP_PLAN_FIELD) == (pass == 0)) {
                put_field(axis, axis->values[places[axis->group]], out);
            }
        }
    }
    nnc_buffer_byte(out, '\0');
}

/* ---- Constraints (--where): reading a constraint as a tree, and testing it on a row in which some values are not
 * known yet ---- */

typedef struct reading {
    const char *option, *text;
    nnc_where_name *name;
    void *context;
    nnc_where *where;
    /* indices of the nodes that are operands of operators which have not been read yet */
    int32_t waiting[NNC_WHERE_NODES];
    int32_t waiting_count;
    nnc_error *err;
    nnc_status status;
} reading;

static void refuse(void *context, const char *expected, const char *at) {
    reading *r = context;
    r->status = *at == '\0'
                    ? nnc_fail(r->err, NNC_BAD_USAGE, r->option, "expected %s at the end of \"%s\"", expected, r->text)
                    : nnc_fail(r->err, NNC_BAD_USAGE, r->option, "expected %s at column %d of \"%s\", found \"%.20s\"",
                               expected, (int)(at - r->text) + 1, r->text, at);
}

static bool add_node(reading *r, nnc_where_node node) {
    if (r->where->node_count == NNC_WHERE_NODES) {
        r->status = nnc_fail(r->err, NNC_BAD_USAGE, r->option,
                             "too long, expected at most %d names, numbers and operators", NNC_WHERE_NODES);
        return false;
    }
    r->waiting[r->waiting_count++] = r->where->root = r->where->node_count;
    r->where->nodes[r->where->node_count++] = node;
    return true;
}

static size_t add_number(void *context, const char *at) {
    char number[NNC_NUMBER_TEXT * 2];
    nnc_where_node node = { .kind = NNC_WHERE_NUMBER };
    size_t length = nnc_number_span(at, strlen(at));
    if (length > 0) { /* a number in a constraint can have a unit, such as 40GB or 3TB/s */
        length += strspn(at + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        length += strncmp(at + length, "/s", 2) == 0 ? 2 : 0;
    }
    snprintf(number, sizeof number, "%.*s", (int)length, at);
    if (length == 0 || length >= sizeof number || !nnc_read_typed(number, &node.number)) {
        refuse(context, "a number, such as 9.5, 860ms or 70GB", at);
        return 0;
    }
    return add_node(context, node) ? length : 0;
}

static bool add_text(void *context, const char *text, size_t length) {
    reading *r = context;
    nnc_where *where = r->where;
    if (length + 1 > sizeof where->texts - (size_t)where->text_size) {
        refuse(r, "texts of fewer characters", text - 1);
        return false;
    }
    const nnc_where_node node = { .kind = NNC_WHERE_WORD, .text = where->text_size };
    memcpy(where->texts + where->text_size, text, length);
    where->texts[where->text_size + (int32_t)length] = '\0';
    where->text_size += (int32_t)length + 1;
    return add_node(r, node);
}

static bool add_name(void *context, const char *text, size_t length) {
    enum { NAME_SIZE = 64 };
    char name[NAME_SIZE];
    reading *r = context;
    nnc_where_node node = { .kind = NNC_WHERE_VARIABLE };
    if (length >= sizeof name) {
        refuse(r, "a name", text);
        return false;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    r->status = r->name(r->context, name, &node.variable, r->err);
    return r->status == NNC_OK && add_node(r, node);
}

static bool add_operator(void *context, nnc_operator of) {
    reading *r = context;
    nnc_where_node node = { .kind = NNC_WHERE_OPERATOR, .of = of };
    node.right = of < NNC_OPERATOR_COUNT ? r->waiting[--r->waiting_count] : -1;
    node.left = r->waiting[--r->waiting_count];
    return add_node(r, node);
}

nnc_status nnc_where_parse(const char *option, const char *text, nnc_where_name *name, void *context, nnc_where *where,
                           nnc_error *err) {
    static const nnc_expression_reader grammar = { .operators = NNC_OPERATORS_ALL,
                                                   .nesting_max = 64,
                                                   .name_marks = "_.",
                                                   .number = add_number,
                                                   .name = add_name,
                                                   .text = add_text,
                                                   .operate = add_operator,
                                                   .refuse = refuse };
    reading r = { .option = option, .text = text, .name = name, .context = context, .where = where, .err = err };
    *where = (nnc_where){ 0 };
    (void)nnc_expression_read(&grammar, text, &r); /* the return value is not needed, because r.status has the error */
    return r.status;
}

/* Value of one node of a constraint for the current row. */
typedef struct value {
    bool later; /* true: the value is not known yet, for example a metric before the estimate of the row */
    double number;
    const char *text; /* the value, if it is a text; NULL = the value is a number */
} value;

typedef struct tester {
    const nnc_where *where;
    nnc_where_read *read;
    void *context;
} tester;

static value of_number(double number) { return (value){ .number = number }; }

static value of_cell(const nnc_cell *cell) {
    if (cell == NULL) { return (value){ .later = true }; }
    switch (cell->kind) {
    case NNC_CELL_NUMBER: return of_number(cell->number);
    case NNC_CELL_WHOLE: return of_number((double)cell->whole);
    case NNC_CELL_BOOL: return of_number(cell->flag ? 1.0 : 0.0);
    case NNC_CELL_TEXT: return (value){ .number = (double)NAN, .text = cell->text };
    case NNC_CELL_NULL: break;
    }
    return of_number((double)NAN);
}

static double compute(nnc_operator of, value a, value b) {
    const double x = a.number, y = b.number;
    switch (of) {
    case NNC_OPERATOR_EQUAL:
    case NNC_OPERATOR_NOT_EQUAL: {
        const bool texts = a.text != NULL && b.text != NULL;
        const bool equal = texts ? strcmp(a.text, b.text) == 0 : x == y;
        return equal == (of == NNC_OPERATOR_EQUAL);
    }
    case NNC_OPERATOR_AT_MOST: return x <= y;
    case NNC_OPERATOR_AT_LEAST: return x >= y;
    case NNC_OPERATOR_LESS: return x < y;
    case NNC_OPERATOR_MORE: return x > y;
    case NNC_OPERATOR_ADD: return x + y;
    case NNC_OPERATOR_SUBTRACT: return x - y;
    case NNC_OPERATOR_MULTIPLY: return x * y;
    case NNC_OPERATOR_DIVIDE: return x / y;
    default: return fmod(x, y);
    }
}

/* Converts the value of a node to a truth value. A text is true; a number is true unless it is 0 or NaN (not recorded).
 * Returns NNC_NOT_KNOWN_YET if the value is not known yet. */
static nnc_truth truth_of(value v) {
    if (v.later) { return NNC_NOT_KNOWN_YET; }
    return v.text != NULL || (!isnan(v.number) && v.number != 0.0) ? NNC_TRUE : NNC_FALSE;
}

static value of_truth(nnc_truth truth) {
    return (value){ .later = truth == NNC_NOT_KNOWN_YET, .number = truth == NNC_TRUE };
}

static value test_node(const tester *t, int32_t index) /* NOLINT(misc-no-recursion): at most NNC_WHERE_NODES deep */
{
    const nnc_where_node *node = &t->where->nodes[index];
    switch (node->kind) {
    case NNC_WHERE_NUMBER: return of_number(node->number);
    case NNC_WHERE_WORD: return (value){ .number = (double)NAN, .text = t->where->texts + node->text };
    case NNC_WHERE_VARIABLE: return of_cell(t->read(t->context, node->variable));
    case NNC_WHERE_OPERATOR: break;
    }
    const value a = test_node(t, node->left);
    if (node->of >= NNC_OPERATOR_COUNT) {
        const nnc_truth truth = truth_of(a);
        return a.later ? a : node->of == NNC_OPERATOR_NEGATE ? of_number(-a.number) : of_number(truth == NNC_FALSE);
    }
    const bool is_and = node->of == NNC_OPERATOR_AND, joins = is_and || node->of == NNC_OPERATOR_OR;
    const nnc_truth decides = is_and ? NNC_FALSE : NNC_TRUE;
    if (joins && truth_of(a) == decides) { return of_truth(decides); }
    const value b = test_node(t, node->right);
    if (joins) {
        const nnc_truth right = truth_of(b);
        return of_truth(right == decides ? decides : a.later ? NNC_NOT_KNOWN_YET : right);
    }
    if (a.later || b.later) { return (value){ .later = true }; }
    return of_number(compute(node->of, a, b));
}

nnc_truth nnc_where_test(const nnc_where *where, nnc_where_read *read, void *context) {
    const tester t = { where, read, context };
    return truth_of(test_node(&t, where->root));
}
