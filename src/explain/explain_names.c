/* All names that can be explained, and the page that lists them. */
#include <stdio.h>
#include <string.h>

#include "base/base_internal.h"
#include "explain/explain_internal.h"
#include "input/input_internal.h"
#include "render/render_internal.h"

/* Collects names: the first pass counts them, the second fills the list. */
typedef struct finder {
    nnc_arena *arena;
    const char *output;
    nnc_explained_name *list; /* NULL: only count */
    int32_t count;
    bool failed;
} finder;

static bool is_listed(const finder *f, const nnc_metrics *table)
{
    for (int32_t i = 0; i < f->count && f->list != NULL; i++) {
        if (f->list[i].table == table) {
            return true;
        }
    }
    return false;
}

static void add_name(finder *f, const nnc_metrics *table, const nnc_metric *row, const char *path,
                     bool again)
{
    if (f->list != NULL) {
        const char *kept = nnc_arena_strdup(f->arena, path);
        f->list[f->count] = (nnc_explained_name){ kept, f->output, table, row, again };
        f->failed = f->failed || kept == NULL;
    }
    f->count++;
}

/* Tables nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
static void find_names(finder *f, const nnc_metrics *table, const char *prefix)
{
    const bool again = is_listed(f, table);
    for (size_t i = 0; i < table->count; i++) {
        const nnc_metric *row = &table->rows[i];
        char path[192];
        snprintf(path, sizeof path, "%s%s%s", prefix,
                 row->name != NULL && *prefix != '\0' ? "." : "",
                 row->name != NULL ? row->name : "");
        if (row->name != NULL && row->type != NNC_METRIC_OBJECT) {
            add_name(f, table, row, path, again);
        }
        if (row->rows != NULL && (row->name != NULL || row->type == NNC_METRIC_OBJECT)) {
            find_names(f, row->rows, path);
            for (int k = 0;
                 nnc_metric_rare(row)->others != NULL && nnc_metric_rare(row)->others[k] != NULL;
                 k++) {
                find_names(f, nnc_metric_rare(row)->others[k], path);
            }
        }
    }
}

static void find_all(finder *f, const nnc_explain_output *outputs)
{
    f->output = "estimate";
    find_names(f, &nnc_estimate_document, "");
    for (; outputs != NULL && outputs->name != NULL; outputs++) {
        f->output = outputs->name;
        find_names(f, outputs->metrics, "");
    }
}

nnc_status nnc_explained_names_of(const nnc_explain_output *outputs, nnc_arena *arena,
                                  nnc_explained_names *names)
{
    finder f = { .arena = arena };
    find_all(&f, outputs);
    f.list = nnc_arena_array(arena, (size_t)f.count + 1, sizeof *f.list);
    if (f.list == NULL) {
        return NNC_NO_MEMORY;
    }
    f.count = 0;
    find_all(&f, outputs);
    *names = (nnc_explained_names){ f.list, f.count };
    return f.failed ? NNC_NO_MEMORY : NNC_OK;
}

/* Does `name` (of this length) end a path, after a dot or as a whole? */
static bool ends_path(const char *path, const char *name, size_t length)
{
    const size_t whole = strlen(path);
    return length <= whole && strncmp(path + whole - length, name, length) == 0 &&
           (length == whole || path[whole - length - 1] == '.');
}

/* Is it "exposed_comm.data", the array and one of its values? */
static bool is_value_of(const nnc_explained_name *name, const char *word)
{
    const char *dot = strrchr(word, '.');
    if (dot == NULL || name->row->each_count == 0 ||
        !ends_path(name->path, word, (size_t)(dot - word))) {
        return false;
    }
    for (int32_t i = 0; i < name->row->each_count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)i);
        if (strcmp(dot + 1, nnc_metric_rare(name->row)->each != NULL
                                ? nnc_metric_rare(name->row)->each((unsigned)i)
                                : number) == 0) {
            return true;
        }
    }
    return false;
}

const nnc_explained_name *nnc_explained_names_find(const nnc_explained_names *names,
                                                   const char *word)
{
    const nnc_explained_name *end = NULL;
    for (int32_t i = 0; i < names->count; i++) {
        const nnc_explained_name *name = &names->list[i];
        if (strcmp(name->path, word) == 0) {
            return name;
        }
        if (end == NULL && (ends_path(name->path, word, strlen(word)) || is_value_of(name, word))) {
            end = name;
        }
    }
    return end;
}

const char *nnc_metric_meaning(const nnc_metric *row)
{
    return row->help == NULL && row->name != NULL ? nnc_field_help(&nnc_plan_table, row->name)
                                                  : row->help;
}

/* ---- the list of them ---- */

NNC_GET(get_meaning, nnc_explained_name, nnc_text_cell(nnc_metric_meaning(self->row)))
NNC_GET(get_source, nnc_explained_name, nnc_text_cell(nnc_metric_rare(self->row)->source))

static const nnc_metric name_rows[] = {
    NNC_AS("name", TEXT, NNC_IN(nnc_explained_name, path),
           .help = "The name, with the objects and lists around it."),
    NNC_TEXT(nnc_explained_name, output, .help = "The command that prints it."),
    NNC_AS("unit", TEXT, NNC_VIA(nnc_explained_name, row), NNC_IN(nnc_metric, unit),
           .help = "Unit of its value."),
    NNC_AS("meaning", TEXT, .get = get_meaning, .help = "Its meaning."),
    NNC_AS("source", TEXT, .get = get_source, .help = "Source of the formula or definition."),
};

/* A table shared by several outputs is listed once. */
NNC_IF(is_new, nnc_explained_name, !self->again)

static const nnc_metrics name_metrics = { .what = "a name that can be explained",
                                          .rows = name_rows,
                                          .count = sizeof name_rows / sizeof name_rows[0],
                                          .record_size = sizeof(nnc_explained_name),
                                          .listed = is_new };

static const nnc_metric list_rows[] = {
    NNC_AS("names", LIST, NNC_IN(nnc_explained_names, list), NNC_COUNT(nnc_explained_names, count),
           .rows = &name_metrics,
           .help = "Every name; also the name of any op, as in 'nncost ops'."),
};
const nnc_metrics nnc_explained_names_document =
    NNC_METRICS("names that can be explained", list_rows, nnc_explained_names);

static nnc_lines lines_of(const void *record)
{
    const nnc_explained_names *names = record;
    return (nnc_lines){ &name_metrics, names, names->list, names->count };
}

static void write_name(nnc_sheet *sheet, const char *name, const char *meaning, const char *unit)
{
    nnc_sheet_label(sheet, name);
    if ((int)strlen(name) >= sheet->indent) {
        nnc_sheet_end(sheet);
        nnc_sheet_label(sheet, "");
    }
    nnc_sheet_words(sheet, "%s", meaning != NULL ? meaning : "");
    if (unit != NULL) {
        nnc_sheet_words(sheet, "[%s]", unit);
    }
    nnc_sheet_end(sheet);
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_explained_names *names = record;
    const nnc_metrics *table = NULL;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 0;
    nnc_sheet_label(&sheet, "");
    nnc_sheet_words(
        &sheet,
        "'nncost explain NAMES' prints the meaning, formula and source of these names; 'nncost "
        "explain NAMES MODEL DEVICE' adds the numbers. Separate NAMES by commas; the last parts of "
        "a name suffice. Ops have the names of 'nncost ops', such as attn.qkv.");
    nnc_sheet_end(&sheet);
    sheet.indent = 32;
    nnc_sheet_heading(out, style, "groups of metrics");
    for (const nnc_alias *alias = nnc_aliases; alias->name != NULL; alias++) {
        write_name(&sheet, alias->name, alias->help, NULL);
    }
    for (int32_t i = 0; i < names->count; i++) {
        const nnc_explained_name *name = &names->list[i];
        char heading[128];
        if (name->again) {
            continue;
        }
        if (name->table != table) {
            snprintf(heading, sizeof heading, "%s: %s", name->output, name->table->what);
            nnc_sheet_heading(out, style, heading);
            table = name->table;
        }
        write_name(&sheet, name->path, nnc_metric_meaning(name->row), name->row->unit);
    }
}

const nnc_view nnc_explained_names_view = { .schema = "nncost.explain-list/1",
                                            .document = &nnc_explained_names_document,
                                            .lines = lines_of,
                                            .page = write_page };

nnc_status nnc_explain_list(nnc_buffer *out, nnc_style style, const nnc_explain_output *outputs,
                            nnc_error *err)
{
    nnc_explained_names names = { .count = 0 };
    nnc_arena *arena = nnc_arena_create();
    nnc_status status = NNC_NO_MEMORY;
    if (arena != NULL) {
        status = nnc_explained_names_of(outputs, arena, &names);
    }
    if (status == NNC_OK) {
        nnc_view_write(out, style, &nnc_explained_names_view, &names);
    }
    nnc_arena_destroy(arena);
    return status == NNC_OK ? NNC_OK : nnc_no_memory(err);
}
