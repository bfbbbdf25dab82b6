/* Checkpoints on the command line: shown by 'show', and as the MODEL of other commands. A model stands for a checkpoint
 * only if it has exactly as many parameters. */
#include <unistd.h>

#include "cli/cli_internal.h"
#include "cli/views_internal.h"

/* ---- the page ---- */

typedef struct shown {
    nnc_checkpoint file;
    const nnc_checkpoint_part *types;
    int32_t count;
} shown;

NNC_GET(get_params, shown,
        nnc_number_cell(self->file.params >= 0 ? (double)(self->file.params - self->file.constants)
                                               : (double)NAN))
NNC_GET(get_bytes, shown,
        nnc_number_cell(self->file.bytes >= 0 ? (double)self->file.bytes : (double)NAN))

static const nnc_metric type_rows[] = {
    NNC_CHARS(nnc_checkpoint_part, name, .head = "type",
              .help = "Number format or quantisation, as the file names it."),
    NNC_WHOLE(nnc_checkpoint_part, tensors, .head = "tensors", .help = "Tensors of this type."),
    NNC_WHOLE(nnc_checkpoint_part, params, .head = "parameters", .help = "Values in them."),
    NNC_WHOLE(nnc_checkpoint_part, bytes, .head = "bytes", .unit = "B",
              .help = "Bytes that they take."),
};
static const nnc_metrics type_metrics =
    NNC_METRICS("the tensors of one type", type_rows, nnc_checkpoint_part);

static const nnc_metric shown_rows[] = {
    NNC_AS("file", TEXT, NNC_IN(shown, file.path), .help = "The checkpoint."),
    NNC_AS("tensors", WHOLE, NNC_IN(shown, file.tensors), .help = "Its tensors."),
    NNC_AS("params", NUMBER, .get = get_params,
           .help =
               "Values of its tensors, without tables that are computed (rope_freqs); null for an "
               "index whose files are not next to it."),
    NNC_AS("bytes", NUMBER, .get = get_bytes, .unit = "B", .help = "Bytes of all tensors."),
    NNC_AS("types", LIST, NNC_IN(shown, types), NNC_COUNT(shown, count), .rows = &type_metrics,
           .help = "The tensors by type."),
};
static const nnc_metrics shown_metrics = NNC_METRICS("a checkpoint", shown_rows, shown);

static nnc_lines lines_of(const void *record)
{
    const shown *s = record;
    return (nnc_lines){ &type_metrics, s, s->types, s->count };
}

static void write_types(nnc_sheet *sheet, const void *record)
{
    nnc_table_of(sheet->out, sheet->style, lines_of(record));
}

static const nnc_page_row page_rows[] = {
    NNC_LINE("checkpoint"),
    NNC_ITEM("{file}"),
    NNC_ITEM("{tensors:count} tensors"),
    NNC_LINE("holds"),
    NNC_BOLD("{params:count} parameters", .when = "params"),
    NNC_ITEM("parameters unknown, because its files are not next to it", .when = "!params"),
    NNC_ITEM("{bytes:count} bytes", .when = "bytes"),
    NNC_GAP(),
    NNC_BLOCK(write_types),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&shown_metrics, page_rows);

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_rows(&sheet, &page, record);
}

const nnc_view nnc_checkpoint_view = { .schema = "nncost.checkpoint/1",
                                       .document = &shown_metrics,
                                       .lines = lines_of,
                                       .page = write_page };

nnc_status nnc_checkpoint_show(nnc_session *session, const char *path, nnc_error *err)
{
    shown s = { .count = 0 };
    const nnc_status status = nnc_checkpoint_read(session->specs, path, &s.file, err);
    nnc_buffer_free(&s.file.metadata);
    s.types = s.file.parts;
    s.count = s.file.part_count;
    if (status == NNC_OK) {
        nnc_view_write(session->out, session->style, &nnc_checkpoint_view, &s);
    }
    return status;
}

/* ---- as a model ---- */

nnc_status nnc_checkpoint_check(nnc_session *session, const char *path, const char *model,
                                nnc_error *err)
{
    nnc_checkpoint file;
    int64_t params = 0;
    const nnc_status status = nnc_checkpoint_read(session->specs, path, &file, err);
    nnc_buffer_free(&file.metadata);
    NNC_TRY(status);
    NNC_TRY(nnc_model_count(session->specs, model, &params, err));
    if (file.params >= 0 && file.params - file.constants != params) {
        return nnc_fail(err, NNC_BAD_SPEC, path,
                        "has %" PRId64 " parameters, but the network of %s has %" PRId64
                        ", so it is another one: give MODEL",
                        file.params - file.constants, model, params);
    }
    return NNC_OK;
}

nnc_status nnc_checkpoint_take(nnc_session *session, char **operand, nnc_error *err)
{
    nnc_arena *arena = nnc_specs_arena(session->specs);
    const char *config = nnc_path_from(arena, *operand, "config.json");
    char *kept = config != NULL ? nnc_arena_strdup(arena, config) : NULL;
    NNC_GOT(kept, err);
    if (access(kept, R_OK) != 0) {
        return nnc_fail(err, NNC_BAD_SPEC, *operand,
                        "names no architecture, expected a config.json next to it; "
                        "'nncost show' counts its parameters, and MODEL may be given in its place");
    }
    NNC_TRY(nnc_checkpoint_check(session, *operand, kept, err));
    *operand = kept;
    return NNC_OK;
}
