#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "input/csv.h"
#include "input/file.h"
#include "input/kind.h"
#include "lab/measured_cells.h"

typedef enum column_type { TEXT, WHOLE, NUMBER, FLAG } column_type;

typedef struct column_info {
    const char *name;
    column_type type;
    bool used;
} column_info;

static const column_info columns[NNC_COLUMN_COUNT] = {
#define COLUMN_ROW(id, text, kind, part) \
    [NNC_COLUMN_##id] = { .name = (text), .type = (kind), .used = (part) },
    NNC_MEASURED_COLUMNS(COLUMN_ROW)
#undef COLUMN_ROW
};

/* A file being read. */
typedef struct reading {
    nnc_csv csv;
    nnc_arena *arena;
    nnc_words *words;
    nnc_members *members;
    nnc_measured_column order[NNC_CSV_CELLS_MAX]; /* column of each cell */
    int width;
    bool has[NNC_COLUMN_COUNT + 1]; /* the last: of columns that are not read */
    const char **unused;
    int32_t unused_count;
    nnc_measured_kind kind;
    nnc_measured *rows;
    int32_t count, capacity;
} reading;

NNC_ENUM_NAMES(nnc_measured_kind, NNC_MEASURED_KIND_LIST)
NNC_ENUM_NAMES(nnc_memory_stat, NNC_MEMORY_STAT_LIST)
NNC_ENUM_NAMES(nnc_served, NNC_SERVED_LIST)

const char *nnc_measured_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool nnc_measured_is_fitted(const char *source, const char *model_name)
{
    uint32_t crc = nnc_crc32(0, source, strlen(source));
    crc = nnc_crc32(crc, "/", 1);
    return nnc_crc32(crc, model_name, strlen(model_name)) % 2 == 0;
}

/* "owner/repo:file@commit" without what follows the colon. */
static const char *source_of(nnc_measured_cells *cells, const char *file)
{
    char text[128];
    const char *cell = cells->text[NNC_COLUMN_SOURCE];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(cell, ":"), cell);
    const char *source = nnc_arena_strdup(cells->arena, text[0] != '\0' ? text : file);
    cells->no_memory = cells->no_memory || source == NULL;
    return source != NULL ? source : "";
}

const char *nnc_measured_column_name(nnc_measured_column column)
{
    return columns[column].name;
}

static nnc_status no_memory(const reading *r, nnc_error *err)
{
    return nnc_fail(err, NNC_NO_MEMORY, r->csv.name, "out of memory");
}

/* "FILE:LINE" */
static const char *place(const reading *r, char text[512])
{
    snprintf(text, 512, "%.480s:%ld", r->csv.name, r->csv.row_line);
    return text;
}

static nnc_status unknown_column(const reading *r, const char *name, nnc_error *err)
{
    const char *names[NNC_COLUMN_COUNT];
    char where[512];
    for (int i = 0; i < NNC_COLUMN_COUNT; i++) {
        names[i] = columns[i].name;
    }
    const char *nearest = nnc_nearest(name, names, NNC_COLUMN_COUNT);
    if (nearest == NULL) {
        return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "unknown column \"%.64s\"", name);
    }
    return nnc_fail(err, NNC_BAD_SPEC, place(r, where),
                    "unknown column \"%.64s\", did you mean %s?", name, nearest);
}

static bool is_twice(const nnc_csv *csv, int i)
{
    int k = 0;
    while (strcmp(csv->cells[k], csv->cells[i]) != 0) {
        k++;
    }
    return k < i;
}

static nnc_status read_heading(reading *r, nnc_error *err)
{
    char where[512];
    r->unused = nnc_arena_array(r->arena, NNC_CSV_CELLS_MAX, sizeof *r->unused);
    if (r->unused == NULL) {
        return no_memory(r, err);
    }
    for (int i = 0; i < r->csv.count; i++) {
        const char *name = r->csv.cells[i];
        int found = 0;
        while (found < NNC_COLUMN_COUNT && strcmp(columns[found].name, name) != 0) {
            found++;
        }
        if (found == NNC_COLUMN_COUNT && !nnc_words_unused_column(r->words, name)) {
            return unknown_column(r, name, err);
        }
        if (is_twice(&r->csv, i)) {
            return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "column \"%s\" is there twice",
                            name);
        }
        r->has[found] = true;
        r->order[i] = (nnc_measured_column)found;
        if (found == NNC_COLUMN_COUNT || !columns[found].used) {
            r->unused[r->unused_count++] = name;
        }
    }
    r->width = r->csv.count;
    return NNC_OK;
}

/* What the columns say that a file holds. */
static nnc_measured_kind kind_of(const bool *has)
{
    return has[NNC_COLUMN_MEASURED_STEP_S]                      ? NNC_MEASURED_STEP
           : has[NNC_COLUMN_MODE] && has[NNC_COLUMN_INPUT_LEN]  ? NNC_MEASURED_SERVING
           : has[NNC_COLUMN_VALUE] || has[NNC_COLUMN_VALUE_GIB] ? NNC_MEASURED_MEMORY
           : !has[NNC_COLUMN_TIME_US]                           ? NNC_MEASURED_KIND_COUNT
           : has[NNC_COLUMN_BYTES]                              ? NNC_MEASURED_COLLECTIVE
           : has[NNC_COLUMN_SEQ_LEN]                            ? NNC_MEASURED_ATTENTION
                                                                : NNC_MEASURED_GEMM;
}

/* The columns without which no row of a kind can be read. */
static nnc_status check_heading(reading *r, nnc_error *err)
{
    static const nnc_measured_column needed[NNC_MEASURED_KIND_COUNT][4] = {
        [NNC_MEASURED_STEP] = { NNC_COLUMN_ID, NNC_COLUMN_HARDWARE, NNC_COLUMN_N_DEVICES,
                                NNC_COLUMN_MEASURED_STEP_S },
        [NNC_MEASURED_GEMM] = { NNC_COLUMN_HARDWARE, NNC_COLUMN_M, NNC_COLUMN_N, NNC_COLUMN_DTYPE },
        [NNC_MEASURED_ATTENTION] = { NNC_COLUMN_HARDWARE, NNC_COLUMN_BATCH, NNC_COLUMN_N_HEADS,
                                     NNC_COLUMN_DTYPE },
        [NNC_MEASURED_VECTOR] = { NNC_COLUMN_ID },
        [NNC_MEASURED_COLLECTIVE] = { NNC_COLUMN_HARDWARE, NNC_COLUMN_N_DEVICES, NNC_COLUMN_OP,
                                      NNC_COLUMN_BYTES },
        [NNC_MEASURED_MEMORY] = { NNC_COLUMN_HARDWARE },
        [NNC_MEASURED_SERVING] = { NNC_COLUMN_DEVICE, NNC_COLUMN_MODEL, NNC_COLUMN_FRAMEWORK,
                                   NNC_COLUMN_WEIGHTS },
    };
    char where[512];
    r->kind = kind_of(r->has);
    if (r->kind == NNC_MEASURED_KIND_COUNT) {
        return nnc_fail(err, NNC_BAD_SPEC, place(r, where),
                        "no measured column, expected measured_step_s, time_us, or mode and "
                        "input_len");
    }
    for (size_t i = 0; i < sizeof needed[0] / sizeof needed[0][0]; i++) {
        if (!r->has[NNC_COLUMN_ID] || !r->has[needed[r->kind][i]]) {
            const nnc_measured_column missing =
                r->has[NNC_COLUMN_ID] ? needed[r->kind][i] : NNC_COLUMN_ID;
            return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "column %s is missing",
                            columns[missing].name);
        }
    }
    return NNC_OK;
}

/* Does a cell that is not empty read as its column's type? */
static const char *expected_of(column_type type, const char *text)
{
    int64_t whole = 0;
    double number = 0.0;
    switch (type) {
    case WHOLE: return nnc_read_i64(text, &whole) ? NULL : "a whole number";
    case NUMBER: return nnc_read_double(text, &number) ? NULL : "a number";
    case FLAG: return strcmp(text, "0") == 0 || strcmp(text, "1") == 0 ? NULL : "0 or 1";
    default: return NULL;
    }
}

static nnc_status take_cells(reading *r, nnc_measured_cells *cells, nnc_error *err)
{
    char where[512];
    if (r->csv.count != r->width) {
        return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "expected %d cells, found %d", r->width,
                        r->csv.count);
    }
    *cells = (nnc_measured_cells){ .arena = r->arena, .words = r->words, .members = r->members };
    for (int i = 0; i < NNC_COLUMN_COUNT; i++) {
        cells->text[i] = "";
    }
    for (int i = 0; i < r->width; i++) {
        const char *text = r->csv.cells[i];
        if (r->order[i] == NNC_COLUMN_COUNT) {
            continue;
        }
        const column_info *column = &columns[r->order[i]];
        const char *expected = text[0] != '\0' ? expected_of(column->type, text) : NULL;
        if (expected != NULL) {
            return nnc_fail(err, NNC_BAD_SPEC, place(r, where),
                            "column %s: expected %s, found \"%.64s\"", column->name, expected,
                            text);
        }
        cells->text[r->order[i]] = text;
    }
    return NNC_OK;
}

/* false: the line has no such row */
static bool read_row(const reading *r, nnc_measured_cells *cells, nnc_served served,
                     nnc_measured *row)
{
    const char *source = source_of(cells, nnc_measured_file_name(r->csv.name));
    *row = (nnc_measured){
        .id = cells->text[NNC_COLUMN_ID],
        .file = r->csv.name,
        .line = r->csv.row_line,
        .kind = r->kind,
        .device = cells->text[NNC_COLUMN_HARDWARE],
        .framework = cells->text[NNC_COLUMN_FRAMEWORK],
        .source = source,
        .model_name = cells->text[NNC_COLUMN_MODEL_NAME],
        .fitted = nnc_measured_is_fitted(source, cells->text[NNC_COLUMN_MODEL_NAME]),
        .plan = nnc_plan_default(),
        .internode_bytes_per_s = NAN,
        .measured_s = 1e-6 * nnc_cell_number(cells, NNC_COLUMN_TIME_US),
        .rounding = NAN,
        .measured_bytes = { NAN, NAN, NAN },
        .undecided = "",
    };
    switch (r->kind) {
    case NNC_MEASURED_STEP: nnc_measured_step(cells, row); break;
    case NNC_MEASURED_ATTENTION: nnc_measured_attention(cells, row); break;
    case NNC_MEASURED_COLLECTIVE: nnc_measured_collective(cells, row); break;
    case NNC_MEASURED_MEMORY:
        nnc_measured_refuse(cells, row, "memory of one rank, whose run is in another file");
        break;
    case NNC_MEASURED_SERVING: row->served = served; return nnc_measured_serving(cells, row);
    default: nnc_measured_product(cells, row); break;
    }
    if (row->reason == NULL && !(row->measured_s > 0.0)) {
        nnc_measured_refuse(cells, row, "no measured time");
    }
    return true;
}

/* The rows that a line gives: one, or of requests that were served one for each measurement. */
static nnc_status read_line(reading *r, nnc_measured_cells *cells, nnc_error *err)
{
    const int most = r->kind == NNC_MEASURED_SERVING ? NNC_SERVED_COUNT : 1;
    for (int i = 0; i < most; i++) {
        nnc_measured *rows =
            nnc_arena_grow(r->arena, r->rows, r->count, &r->capacity, sizeof *rows);
        if (rows == NULL) {
            return no_memory(r, err);
        }
        r->rows = rows;
        r->count += read_row(r, cells, (nnc_served)i, &r->rows[r->count]) ? 1 : 0;
        if (cells->no_memory) {
            return no_memory(r, err);
        }
    }
    return NNC_OK;
}

static nnc_status read_rows(reading *r, nnc_error *err)
{
    nnc_measured_cells cells = { 0 };
    bool more = true;
    NNC_TRY(nnc_csv_next(&r->csv, &more, err));
    while (more) {
        NNC_TRY(take_cells(r, &cells, err));
        NNC_TRY(read_line(r, &cells, err));
        NNC_TRY(nnc_csv_next(&r->csv, &more, err));
    }
    return NNC_OK;
}

static nnc_status read_all(reading *r, nnc_measured_file *file, nnc_error *err)
{
    bool more = false;
    NNC_TRY(nnc_csv_next(&r->csv, &more, err));
    if (!more) {
        return nnc_fail(err, NNC_BAD_SPEC, r->csv.name, "empty, expected a row of column names");
    }
    NNC_TRY(read_heading(r, err));
    NNC_TRY(check_heading(r, err));
    NNC_TRY(read_rows(r, err));
    file->rows = r->rows;
    file->count = r->count;
    file->unused = r->unused;
    file->unused_count = r->unused_count;
    return NNC_OK;
}

nnc_status nnc_measured_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                              nnc_measured_file *file, nnc_error *err)
{
    nnc_arena *arena = nnc_specs_arena(specs);
    char *copy = nnc_arena_alloc(arena, size + 1); /* cells are decoded in it, and stay there */
    const char *path = nnc_arena_strdup(arena, name);
    reading *r = nnc_arena_alloc(arena, sizeof *r);
    *file = (nnc_measured_file){ .path = path };
    if (copy == NULL || path == NULL || r == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, name, "out of memory");
    }
    if (size > 0) {
        memcpy(copy, text, size);
    }
    r->csv = nnc_csv_begin(path, copy, size);
    r->arena = arena;
    nnc_status status = nnc_words_open(specs, &r->words, err);
    if (status == NNC_OK) {
        status = nnc_members_open(specs, &r->members, err);
    }
    if (status == NNC_OK) {
        status = read_all(r, file, err);
    }
    nnc_members_close(r->members);
    nnc_words_close(r->words);
    return status;
}

nnc_status nnc_measured_load(nnc_specs *specs, const char *path, nnc_measured_file *file,
                             nnc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_file_read(path, &text, &size, err));
    const nnc_status status = nnc_measured_parse(specs, path, text, size, file, err);
    free(text);
    return status;
}
