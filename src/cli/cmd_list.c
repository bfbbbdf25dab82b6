#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "cli/command.h"
#include "input/kind.h"
#include "render/grid.h"
#include "render/record.h"
#include "render/text.h"
#include "shape/family.h"

/* Any device will do to count parameters. */
static nnc_device counting_device(void)
{
    nnc_device device = { .id = "counting", .mem_bytes = 1, .mem_bytes_per_s = 1.0 };
    nnc_efficiencies_neutral(&device.efficiency);
    for (int dtype = 0; dtype < NNC_DTYPE_COUNT; dtype++) {
        device.matmul_flops_per_s[dtype] = 1.0;
        device.vector_flops_per_s[dtype] = 1.0;
    }
    device.power_w = (double)NAN;
    return device;
}

/* The 16-bit format that a plan would use, or fp32. */
static nnc_dtype usual_precision(const nnc_device *device)
{
    return !isnan(device->matmul_flops_per_s[NNC_BF16])   ? NNC_BF16
           : !isnan(device->matmul_flops_per_s[NNC_FP16]) ? NNC_FP16
                                                          : NNC_FP32;
}

static void join_aliases(const nnc_device *device, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < device->alias_count && used < size; i++) {
        const int n =
            snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", device->aliases[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* Everything a listing writes: one row at a time, either as a record or as cells. */
typedef struct listing {
    nnc_session *session;
    nnc_record record; /* JSON and CSV */
    nnc_grid grid;     /* table and Markdown */
    nnc_scratch *scratch;
} listing;

static void record_device(nnc_record *record, const nnc_device *device)
{
    const nnc_dtype dtype = usual_precision(device);
    char aliases[256];
    join_aliases(device, aliases, sizeof aliases);
    nnc_record_text(record, "id", device->id);
    nnc_record_text(record, "name", device->name);
    nnc_record_whole(record, "year", device->year);
    nnc_record_text(record, "precision", nnc_dtype_name(dtype));
    nnc_record_number(record, "peak_flops_per_s", nnc_device_matmul_peak(device, dtype));
    nnc_record_whole(record, "mem_bytes", device->mem_bytes);
    nnc_record_number(record, "mem_bytes_per_s", device->mem_bytes_per_s);
    nnc_record_number(record, "ridge_flops_per_byte", nnc_device_ridge(device, dtype));
    nnc_record_number(record, "link_bytes_per_s", device->scale_up.bytes_per_s);
    nnc_record_number(record, "price_per_device_hour",
                      device->price_count > 0 ? device->prices[0].per_device_hour : (double)NAN);
    nnc_record_bool(record, "fitted", device->efficiency.fitted);
    nnc_record_text(record, "aliases", aliases);
}

static const nnc_grid_column device_columns[] = {
    { .head = "id", .left = true },
    { .head = "name", .left = true, .shrinks = true, .drop = 1 },
    { .head = "year", .drop = 2 },
    { .head = "peak" },
    { .head = "in", .left = true },
    { .head = "memory" },
    { .head = "bandwidth" },
    { .head = "ridge", .drop = 5 },
    { .head = "link", .drop = 4 },
    { .head = "price/h", .drop = 6 },
    { .head = "aliases", .left = true, .shrinks = true, .drop = 3 },
};

static void device_cells(nnc_grid *grid, const nnc_device *device)
{
    const nnc_dtype dtype = usual_precision(device);
    char text[256], number[NNC_NUMBER_TEXT];
    nnc_grid_cell(grid, device->id);
    nnc_grid_cell(grid, device->name);
    snprintf(text, sizeof text, "%d", (int)device->year);
    nnc_grid_cell(grid, device->year > 0 ? text : "-");
    nnc_grid_cell(grid, nnc_unit_text(nnc_device_matmul_peak(device, dtype), "FLOP/s", number));
    nnc_grid_cell(grid, nnc_dtype_name(dtype));
    nnc_grid_cell(grid, nnc_unit_text((double)device->mem_bytes, "B", number));
    nnc_grid_cell(grid, nnc_unit_text(device->mem_bytes_per_s, "B/s", number));
    nnc_grid_cell(grid, nnc_count_text(nnc_device_ridge(device, dtype), number));
    nnc_grid_cell(grid, nnc_unit_text(device->scale_up.bytes_per_s, "B/s", number));
    nnc_grid_cell(grid, device->price_count > 0
                            ? nnc_count_text(device->prices[0].per_device_hour, number)
                            : "-");
    join_aliases(device, text, sizeof text);
    nnc_grid_cell(grid, text);
}

static nnc_status list_device(listing *list, const char *id, nnc_error *err)
{
    const nnc_device *device = NULL;
    const nnc_status status = nnc_device_load(list->session->specs, id, &device, err);
    if (status == NNC_OK && list->grid.columns != NULL) {
        device_cells(&list->grid, device);
    } else if (status == NNC_OK) {
        record_device(&list->record, device);
    }
    return status;
}

static void record_model(nnc_record *record, const nnc_model *model, const nnc_result *result)
{
    const nnc_model_sizes sizes = nnc_model_sizes_of(model);
    nnc_record_text(record, "id", model->id);
    nnc_record_text(record, "name", model->name);
    nnc_record_text(record, "family", nnc_family_name(model->family));
    nnc_record_whole(record, "params", result->params);
    nnc_record_whole(record, "layers", sizes.layers);
    nnc_record_whole(record, "hidden", sizes.hidden);
    nnc_record_whole(record, "seq_len", sizes.seq_len);
    nnc_record_whole(record, "channels", sizes.channels);
    nnc_record_whole(record, "image", sizes.image);
}

static const nnc_grid_column model_columns[] = {
    { .head = "id", .left = true },
    { .head = "name", .left = true, .shrinks = true, .drop = 1 },
    { .head = "family", .left = true },
    { .head = "parameters" },
    { .head = "shape", .left = true },
    { .head = "input", .left = true },
};

static void model_cells(nnc_grid *grid, const nnc_model *model, const nnc_result *result)
{
    char shape[NNC_SHAPE_TEXT], input[NNC_SHAPE_TEXT], number[NNC_NUMBER_TEXT];
    nnc_grid_cell(grid, model->id);
    nnc_grid_cell(grid, model->name);
    nnc_grid_cell(grid, nnc_family_name(model->family));
    nnc_grid_cell(grid, nnc_count_text((double)result->params, number));
    nnc_family_of(model)->describe(model, shape, input);
    nnc_grid_cell(grid, shape);
    nnc_grid_cell(grid, input);
}

static nnc_status list_model(listing *list, const char *id, nnc_error *err)
{
    const nnc_device device = counting_device();
    const nnc_software software = nnc_software_default();
    const nnc_plan plan = nnc_plan_default();
    const nnc_model *model = NULL;
    nnc_result result;
    nnc_status status = nnc_model_load(list->session->specs, id, &model, err);
    if (status == NNC_OK) {
        status = nnc_estimate(model, &device, &software, &plan, list->scratch, &result, err);
    }
    if (status == NNC_OK && list->grid.columns != NULL) {
        model_cells(&list->grid, model, &result);
    } else if (status == NNC_OK) {
        record_model(&list->record, model, &result);
    }
    return status;
}

static const nnc_grid_column software_columns[] = {
    { .head = "id", .left = true },
    { .head = "name", .left = true, .shrinks = true },
};

static nnc_status list_software(listing *list, const char *id, nnc_error *err)
{
    const nnc_software *software = NULL;
    const nnc_status status = nnc_software_load(list->session->specs, id, &software, err);
    if (status == NNC_OK && list->grid.columns != NULL) {
        nnc_grid_cell(&list->grid, software->id);
        nnc_grid_cell(&list->grid, software->name);
    } else if (status == NNC_OK) {
        nnc_record_text(&list->record, "id", software->id);
        nnc_record_text(&list->record, "name", software->name);
    }
    return status;
}

static const struct {
    const char *name, *schema;
    nnc_spec_kind kind;
    const nnc_grid_column *columns;
    int column_count;
    nnc_status (*row)(listing *list, const char *id, nnc_error *err);
} lists[] = {
    { "devices", "nncost.devices/1", NNC_SPEC_DEVICE, device_columns,
      sizeof device_columns / sizeof device_columns[0], list_device },
    { "models", "nncost.models/1", NNC_SPEC_MODEL, model_columns,
      sizeof model_columns / sizeof model_columns[0], list_model },
    { "software", "nncost.software-list/1", NNC_SPEC_SOFTWARE, software_columns,
      sizeof software_columns / sizeof software_columns[0], list_software },
};
enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

static nnc_status write_records(listing *list, int which, const char *const *ids, int32_t count,
                                nnc_error *err)
{
    nnc_buffer *out = list->session->out;
    const bool csv = list->session->options.format == NNC_FORMAT_CSV;
    nnc_status status = NNC_OK;
    list->record = csv ? nnc_record_csv(out) : nnc_record_begin(out, lists[which].schema);
    if (!csv) {
        nnc_record_list(&list->record, lists[which].name);
    }
    for (int32_t i = csv && count > 0 ? -1 : 0; i < count && status == NNC_OK; i++) {
        if (csv) {
            nnc_record_row(&list->record, i < 0);
        } else {
            nnc_record_object(&list->record, NULL);
        }
        status = lists[which].row(list, ids[i < 0 ? 0 : i], err);
        if (csv) {
            nnc_record_row_end(&list->record);
        } else {
            nnc_record_close(&list->record);
        }
    }
    if (!csv) {
        nnc_record_close(&list->record);
        nnc_record_end(&list->record);
    }
    return status;
}

static nnc_status write_grid(listing *list, int which, const char *const *ids, int32_t count,
                             nnc_error *err)
{
    nnc_arena *arena = nnc_arena_create();
    nnc_status status = NNC_OK;
    if (arena == NULL) {
        return nnc_no_memory(err);
    }
    list->grid = nnc_grid_begin(arena, lists[which].columns, lists[which].column_count);
    for (int32_t i = 0; i < count && status == NNC_OK; i++) {
        status = lists[which].row(list, ids[i], err);
    }
    if (status == NNC_OK &&
        nnc_grid_write(&list->grid, list->session->out, list->session->style) != NNC_OK) {
        status = nnc_no_memory(err);
    }
    nnc_arena_destroy(arena);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const char *what = session->options.operands[0];
    const nnc_format format = session->options.format;
    const char *const *ids = NULL;
    int32_t count = 0;
    int which = 0;
    while (which < LIST_COUNT && strcmp(lists[which].name, what) != 0) {
        which++;
    }
    if (which == LIST_COUNT) {
        return nnc_fail(err, NNC_BAD_USAGE, "list",
                        "unknown list, expected one of devices, models, software, found \"%s\"",
                        what);
    }
    listing list = { .session = session, .scratch = nnc_scratch_create() };
    if (list.scratch == NULL) {
        return nnc_no_memory(err);
    }
    nnc_status status = nnc_specs_list(session->specs, lists[which].kind, &ids, &count, err);
    if (status == NNC_OK) {
        status = format == NNC_FORMAT_JSON || format == NNC_FORMAT_CSV
                     ? write_records(&list, which, ids, count, err)
                     : write_grid(&list, which, ids, count, err);
    }
    nnc_scratch_destroy(list.scratch);
    return status;
}

const nnc_command nnc_cmd_list = {
    .name = "list",
    .operands = "devices|models|software",
    .summary = "The devices, models or software profiles that can be named by id.",
    .min_operands = 1,
    .max_operands = 1,
    .takes = NNC_TAKES_COMMON,
    .run = run,
};
