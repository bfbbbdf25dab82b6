/* Recorded estimates as text: the same figures give the same bytes. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "record/plan_file.h"
#include "render/json_writer.h"

static void put_member(nnc_buffer *out, int indent, const char *key, const char *text)
{
    nnc_buffer_print(out, "%*s\"%s\": ", indent, "", key);
    nnc_put_json_text(out, text);
}

/* Digests come sorted by kind. */
static void put_digests(nnc_buffer *out, const nnc_recorded *recorded)
{
    const char *kind = NULL;
    nnc_buffer_text(out, "    \"digests\": {");
    for (int32_t i = 0; i < recorded->digest_count; i++) {
        const nnc_recorded_digest *digest = &recorded->digests[i];
        if (kind == NULL || strcmp(kind, digest->kind) != 0) {
            nnc_buffer_print(out, "%s\n      \"%s\": {", kind != NULL ? "\n      }," : "",
                             digest->kind);
            kind = digest->kind;
        } else {
            nnc_buffer_byte(out, ',');
        }
        nnc_buffer_text(out, "\n        ");
        nnc_put_json_text(out, digest->name);
        nnc_buffer_print(out, ": \"%s\"", digest->digest);
    }
    nnc_buffer_text(out, kind != NULL ? "\n      }\n    },\n" : "},\n");
}

static void put_figure(nnc_buffer *out, const nnc_figure *figure)
{
    char number[NNC_NUMBER_TEXT];
    const char *rest = strchr(figure->name, '.');
    nnc_put_json_text(out, rest != NULL ? rest + 1 : figure->name);
    nnc_buffer_text(out, ": ");
    if (figure->text == NULL) {
        nnc_buffer_text(out, nnc_number_text(figure->number, number));
    } else if (strcmp(figure->text, "true") == 0 || strcmp(figure->text, "false") == 0) {
        nnc_buffer_text(out, figure->text);
    } else {
        nnc_put_json_text(out, figure->text);
    }
}

/* Figures come part by part: "step.step_s", "step.forward_s". */
static void put_estimate(nnc_buffer *out, const nnc_packed *figures, bool one_line)
{
    const char *part = "";
    size_t length = 0;
    const int32_t count = nnc_packed_count(figures);
    for (int32_t i = 0; i < count; i++) {
        const nnc_figure figure = nnc_packed_figure(figures, i);
        const char *name = figure.name;
        const size_t own = strcspn(name, ".");
        if (own == length && memcmp(part, name, own) == 0) {
            nnc_buffer_text(out, ", ");
        } else {
            nnc_buffer_text(out, i > 0 ? "}," : "");
            nnc_buffer_print(out, one_line ? "%s" : "\n        %s", i > 0 && one_line ? " " : "");
            nnc_buffer_print(out, "\"%.*s\": {", (int)own, name);
            part = name;
            length = own;
        }
        put_figure(out, &figure);
    }
    nnc_buffer_text(out, count > 0 ? "}" : "");
    nnc_buffer_text(out, one_line ? "" : "\n      ");
}

void nnc_recorded_write(nnc_buffer *out, const nnc_recorded *recorded, bool one_line)
{
    nnc_buffer_text(out, "{\n    \"schema\": \"" NNC_RECORDED_SCHEMA "\",\n");
    put_member(out, 4, "note", "Written by 'nncost check --update' and by nothing else.");
    nnc_buffer_text(out, ",\n");
    put_member(out, 4, "tool", recorded->tool);
    nnc_buffer_text(out, ",\n");
    put_member(out, 4, "conventions", recorded->conventions);
    nnc_buffer_text(out, ",\n    \"digest\": \"" NNC_DIGEST_OPEN "\",\n");
    put_digests(out, recorded);
    nnc_buffer_text(out, "    \"estimates\": {");
    for (int32_t i = 0; i < recorded->estimate_count; i++) {
        nnc_buffer_text(out, i > 0 ? ",\n      " : "\n      ");
        nnc_put_json_text(out, recorded->estimates[i].id);
        nnc_buffer_text(out, ": {");
        put_estimate(out, &recorded->estimates[i].figures, one_line);
        nnc_buffer_byte(out, '}');
    }
    nnc_buffer_text(out, "\n    }\n  }");
}
