/* nncost list: prints the devices, models or software profiles that nncost can load by id. */

#include <strings.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "shape/shape_internal.h"

/* Returns the default precision of a plan on a device: the first of bf16, fp16 and fp32 in which the device can
 * compute. */
static nnc_dtype usual_precision(const nnc_device *device) {
    return !isnan(device->matmul_flops_per_s[NNC_BF16])   ? NNC_BF16
           : !isnan(device->matmul_flops_per_s[NNC_FP16]) ? NNC_FP16
                                                          : NNC_FP32;
}

static void join_aliases(const nnc_device *device, char *text, size_t size) {
    text[0] = '\0';
    for (int32_t i = 0; i < device->alias_count; i++) { nnc_text_append(text, size, ", ", "%s", device->aliases[i]); }
}

NNC_GET(get_precision, void, nnc_text_cell(nnc_dtype_name(usual_precision(self))))

NNC_GET(get_peak, nnc_device, nnc_number_cell(nnc_device_matmul_peak(self, usual_precision(self))))

NNC_GET(get_ridge, nnc_device, nnc_number_cell(nnc_device_ridge(self, usual_precision(self))))

NNC_GET(get_price, nnc_device, nnc_number_cell(self->price_count > 0 ? self->prices[0].per_device_hour : (double)NAN))

NNC_GET(get_currency, nnc_device, nnc_text_cell(nnc_price_currency(self)))

static nnc_cell get_shown_price(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_device *device = place->record;
    char amount[NNC_NUMBER_TEXT];
    if (device->price_count == 0) { return nnc_text_cell(NULL); }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s %s", nnc_count_text(device->prices[0].per_device_hour, amount),
             nnc_price_currency(device));
    return nnc_text_cell(text);
}

NNC_GET(get_year, nnc_device,
        (nnc_cell){ .kind = self->year > 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL, .whole = self->year })

static nnc_cell get_aliases(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_device *device = place->record;
    join_aliases(device, text, NNC_METRIC_TEXT_MAX);
    return nnc_text_cell(text);
}

static const nnc_metric device_rows[] = {
    NNC_CHARS(nnc_device, id, .head = "id"),
    NNC_CHARS(nnc_device, name, .head = "name", .shrinks = true, .drop = 1),
    NNC_WHOLE(nnc_device, year),
    NNC_HEAD("year", WHOLE, .get = get_year, .drop = 2),
    NNC_AS("precision", TEXT, .get = get_precision),
    NNC_AS("peak_flops_per_s", NUMBER, .get = get_peak, .head = "peak", .unit = "FLOP/s"),
    NNC_HEAD("in", TEXT, .get = get_precision),
    NNC_WHOLE(nnc_device, mem_bytes, .head = "memory", .unit = "B"),
    NNC_NUMBER(nnc_device, mem_bytes_per_s, .head = "bandwidth", .unit = "B/s"),
    NNC_AS("ridge_flops_per_byte", NUMBER, .get = get_ridge, .head = "ridge", .show = NNC_SHOW_COUNT, .drop = 5),
    NNC_AS("link_bytes_per_s", NUMBER, NNC_IN(nnc_device, scale_up.bytes_per_s), .head = "link", .unit = "B/s",
           .drop = 4),
    NNC_HEAD("price/h", TEXT, .get = get_shown_price, .drop = 6),
    NNC_AS("price_per_device_hour", NUMBER, .get = get_price),
    NNC_AS("currency", TEXT, .get = get_currency),
    NNC_AS("fitted", BOOL, NNC_IN(nnc_device, efficiency.fitted)),
    NNC_AS("basis", ENUM, NNC_IN(nnc_device, efficiency.basis), .name_of = nnc_basis_name, .values = NNC_BASIS_COUNT,
           .head = "measured", .drop = 7),
    NNC_AS("aliases", TEXT, .get = get_aliases, .head = "aliases", .shrinks = true, .drop = 3),
};
static const nnc_metrics device_metrics = NNC_METRICS("a device", device_rows, nnc_device);

/* A model in a list: its dimensions, and an estimate, which gives its number of parameters. */
typedef struct counted_model {
    nnc_model model;
    nnc_model_sizes sizes;
    nnc_result result;
} counted_model;

static nnc_cell get_shape(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_model *model = &((const counted_model *)place->record)->model;
    char input[NNC_SHAPE_TEXT];
    nnc_family_of(model)->describe(model, text, input);
    return nnc_text_cell(text);
}

static nnc_cell get_input(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_model *model = &((const counted_model *)place->record)->model;
    char shape[NNC_SHAPE_TEXT];
    nnc_family_of(model)->describe(model, shape, text);
    return nnc_text_cell(text);
}

#define MODEL(member) NNC_IN(counted_model, model.member)
static const nnc_metric model_rows[] = {
    NNC_AS("id", CHARS, MODEL(id), .head = "id"),
    NNC_AS("name", CHARS, MODEL(name), .head = "name", .shrinks = true, .drop = 1),
    NNC_AS("family", ENUM, MODEL(family), .name_of = nnc_family_name, .values = NNC_FAMILY_COUNT, .head = "family"),
    NNC_AS("params", WHOLE, NNC_IN(counted_model, result.params), .head = "parameters", .show = NNC_SHOW_COUNT),
    NNC_AS("layers", WHOLE, NNC_IN(counted_model, sizes.layers)),
    NNC_AS("hidden", WHOLE, NNC_IN(counted_model, sizes.hidden)),
    NNC_AS("seq_len", WHOLE, NNC_IN(counted_model, sizes.seq_len)),
    NNC_AS("channels", WHOLE, NNC_IN(counted_model, sizes.channels)),
    NNC_AS("image", WHOLE, NNC_IN(counted_model, sizes.image)),
    NNC_HEAD("shape", TEXT, .get = get_shape),
    NNC_HEAD("input", TEXT, .get = get_input, .drop = 2),
};
#undef MODEL
static const nnc_metrics model_metrics = NNC_METRICS("a model", model_rows, counted_model);

static const nnc_metric software_rows[] = {
    NNC_CHARS(nnc_software, id, .head = "id"),
    NNC_CHARS(nnc_software, date, .head = "release"),
    NNC_CHARS(nnc_software, name, .head = "name", .shrinks = true),
};
static const nnc_metrics software_metrics = NNC_METRICS("a software profile", software_rows, nnc_software);

static nnc_status load_device(nnc_specs *specs, const char *id, nnc_scratch *scratch, void *record, nnc_error *err) {
    const nnc_device *device = NULL;
    (void)scratch;
    NNC_TRY(nnc_device_load(specs, id, &device, err));
    *(nnc_device *)record = *device;
    return NNC_OK;
}

static nnc_status load_model(nnc_specs *specs, const char *id, nnc_scratch *scratch, void *record, nnc_error *err) {
    const nnc_device device = nnc_counting_device();
    const nnc_software software = nnc_software_default();
    const nnc_plan plan = nnc_plan_default();
    const nnc_model *model = NULL;
    counted_model *counted = record;
    NNC_TRY(nnc_model_load(specs, id, &model, err));
    counted->model = *model;
    counted->sizes = nnc_model_sizes_of(model);
    return nnc_estimate(model, &device, &software, &plan, scratch, &counted->result, err);
}

nnc_status nnc_model_count(nnc_specs *specs, const char *id, int64_t *params, nnc_error *err) {
    counted_model counted = { .result = { .params = 0 } };
    nnc_scratch *scratch = nnc_scratch_create();
    const nnc_status status = scratch != NULL ? load_model(specs, id, scratch, &counted, err) : nnc_no_memory(err);
    nnc_scratch_destroy(scratch);
    *params = counted.result.params;
    return status;
}

static nnc_status load_software(nnc_specs *specs, const char *id, nnc_scratch *scratch, void *record, nnc_error *err) {
    const nnc_software *software = NULL;
    (void)scratch;
    NNC_TRY(nnc_software_load(specs, id, &software, err));
    *(nnc_software *)record = *software;
    return NNC_OK;
}

/* The specs of one kind (devices, models or software) that `list` prints, as records of a metrics table. */
typedef struct listing {
    const nnc_metrics *metrics;
    void *records;
    int32_t count;
} listing;

static nnc_lines lines_of(const void *record) {
    const listing *list = record;
    return (nnc_lines){ list->metrics, list, list->records, list->count };
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    nnc_table_of(out, style, lines_of(record));
}

/* Metrics table for the JSON document of `list`: a single member that lists all records. */
#define DOCUMENT(key, table)                                    \
    {                                                           \
        .rows = &(const nnc_metric){ .name = (key),             \
                                     .type = NNC_METRIC_LIST,   \
                                     NNC_IN(listing, records),  \
                                     NNC_COUNT(listing, count), \
                                     .rows = &(table) },        \
        .count = 1,                                             \
    }
static const struct {
    const char *name, *schema;
    nnc_spec_kind kind;
    nnc_metrics document;
    nnc_status (*load)(nnc_specs *specs, const char *id, nnc_scratch *scratch, void *record, nnc_error *err);
} lists[] = {
    { .name = "devices",
      .schema = "nncost.devices/1",
      .kind = NNC_SPEC_DEVICE,
      .document = DOCUMENT("devices", device_metrics),
      .load = load_device },
    { .name = "models",
      .schema = "nncost.models/1",
      .kind = NNC_SPEC_MODEL,
      .document = DOCUMENT("models", model_metrics),
      .load = load_model },
    { .name = "software",
      .schema = "nncost.software-list/1",
      .kind = NNC_SPEC_SOFTWARE,
      .document = DOCUMENT("software", software_metrics),
      .load = load_software },
};
enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

/* Returns true if the id, the name or an alias of a spec contains `text`; upper and lower case count as equal. text
 * NULL = always true. */
static bool has_text(const nnc_metrics *metrics, const void *record, const char *text) {
    static const char *const columns[] = { "id", "name", "aliases" };
    char space[NNC_METRIC_TEXT_MAX];
    const nnc_place place = { .record = record };
    bool found = text == NULL;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0] && !found; i++) {
        const nnc_metric *row = nnc_metric_find(metrics, columns[i]);
        const nnc_cell cell =
            row != NULL ? nnc_metric_read(row, &place, 0, space) : (nnc_cell){ .kind = NNC_CELL_NULL };
        found = cell.kind == NNC_CELL_TEXT && nnc_contains_nocase(cell.text, text);
    }
    return found;
}

/* Prints all specs of one kind. text: prints only specs whose id, name or alias contains this text, and fails if there
 * are none; NULL = prints all. If a file has errors, prints the errors, continues with the next file, and sets exit
 * code 1. */
static nnc_status list_all(nnc_session *session, int which, const char *const *ids, int32_t count, const char *text,
                           nnc_error *err) {
    const nnc_view view = {
        .schema = lists[which].schema, .document = &lists[which].document, .lines = lines_of, .page = write_page
    };
    listing list = { .metrics = lists[which].document.rows->rows };
    const size_t size = list.metrics->record_size;
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_status status = NNC_OK;
    list.records = calloc((size_t)count + 1, size);
    if (scratch == NULL || list.records == NULL) { status = nnc_no_memory(err); }
    for (int32_t i = 0; i < count && status == NNC_OK; i++) {
        status =
            lists[which].load(session->specs, ids[i], scratch, (char *)list.records + (size_t)list.count * size, err);
        const char *record = (const char *)list.records + (size_t)list.count * size;
        list.count += status == NNC_OK && has_text(list.metrics, record, text);
        /* An error in a file lets the command continue with the next file; an error of the system (memory, disk) ends
         * the command. */
        if (status == NNC_BAD_SPEC || (status == NNC_IO && (nnc_is_pipe(err->where) || nnc_is_folder(err->where)))) {
            fprintf(stderr, "nncost: %s: %s\n", err->where, err->what);
            session->exit_code = 1;
            status = NNC_OK;
        }
    }
    if (status == NNC_OK && list.count == 0 && text != NULL) {
        status = nnc_fail(err, NNC_UNKNOWN_ID, text, "no id and no name contains this text, 'nncost list %s' lists all",
                          lists[which].name);
    }
    if (status == NNC_OK) { nnc_view_write(session->out, session->style, &view, &list); }
    free(list.records);
    nnc_scratch_destroy(scratch);
    return status;
}

static nnc_status list_one(nnc_session *session, int which, const char *text, nnc_error *err) {
    const char *const *ids = NULL;
    int32_t count = 0;
    const nnc_status status = nnc_specs_list(session->specs, lists[which].kind, &ids, &count, err);
    return status == NNC_OK ? list_all(session, which, ids, count, text, err) : status;
}

/* Tests whether a word is the name of a list, in the plural or the singular ("devices", "device"). "gpus", "cards" and
 * "hardware" name the list of devices too. */
static bool is_called(const char *name, const char *word) {
    const size_t length = strlen(name);
    const bool cards =
        strcasecmp(word, "gpus") == 0 || strcasecmp(word, "cards") == 0 || strcasecmp(word, "hardware") == 0;
    return strcasecmp(name, word) == 0 || (cards && strcmp(name, "devices") == 0) ||
           (name[length - 1] == 's' && strlen(word) == length - 1 && strncasecmp(name, word, length - 1) == 0);
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    const nnc_options *options = &session->options;
    const char *what = options->operands[0];
    const char *text = options->operand_count > 1 ? options->operands[1] : NULL;
    for (int which = 0; which < LIST_COUNT && what != NULL; which++) {
        if (is_called(lists[which].name, what)) { return list_one(session, which, text, err); }
    }
    if (what != NULL && strcasecmp(what, "prices") == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "list",
                        "unknown list: 'nncost list devices' prints one price of each device, 'nncost show DEVICE' all "
                        "prices of a device, found \"%s\"",
                        what);
    }
    if (what != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "list",
                        "unknown list, expected one of devices, models, software, found \"%s\"", what);
    }
    const nnc_format *format = session->style.format;
    if (format != &nnc_format_table && format != &nnc_format_markdown) {
        return nnc_fail(err, NNC_BAD_USAGE, "list",
                        "only the formats table and markdown can show all lists at once, expected devices, models or "
                        "software, found nothing");
    }
    nnc_status status = NNC_OK;
    for (int which = 0; which < LIST_COUNT && status == NNC_OK; which++) {
        nnc_buffer_text(session->out, which > 0 ? "\n" : "");
        status = list_one(session, which, NULL, err);
    }
    return status;
}

const nnc_command nnc_cmd_list = {
    .name = "list",
    .operands = "[devices|models|software [TEXT]]",
    .summary = "The devices, models and software profiles that have an id. With TEXT, only entries with TEXT in an "
               "id, a name or an alias are listed.",
    .notes = "If a file cannot be read, the command leaves it out, reports it on standard error and exits with 1.",
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON,
    .run = run,
};
