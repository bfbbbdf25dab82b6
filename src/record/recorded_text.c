/* Recorded estimates as text: the same figures give the same bytes. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "record/plan_file.h"

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7F) {
            fprintf(out, "\\u%04x", (unsigned)byte);
        } else {
            fputs(byte == '"' || byte == '\\' ? "\\" : "", out);
            fputc(byte, out);
        }
    }
    fputc('"', out);
}

static void put_member(FILE *out, int indent, const char *key, const char *text)
{
    fprintf(out, "%*s\"%s\": ", indent, "", key);
    put_text(out, text);
}

/* Digests come sorted by kind. */
static void put_digests(FILE *out, const nnc_recorded *recorded)
{
    const char *kind = NULL;
    fputs("    \"digests\": {", out);
    for (int32_t i = 0; i < recorded->digest_count; i++) {
        const nnc_recorded_digest *digest = &recorded->digests[i];
        if (kind == NULL || strcmp(kind, digest->kind) != 0) {
            fprintf(out, "%s\n      \"%s\": {", kind != NULL ? "\n      }," : "", digest->kind);
            kind = digest->kind;
        } else {
            fputc(',', out);
        }
        fputs("\n        ", out);
        put_text(out, digest->name);
        fprintf(out, ": \"%s\"", digest->digest);
    }
    fputs(kind != NULL ? "\n      }\n    },\n" : "},\n", out);
}

static void put_figure(FILE *out, const nnc_figure *figure)
{
    char number[NNC_NUMBER_TEXT];
    const char *rest = strchr(figure->name, '.');
    put_text(out, rest != NULL ? rest + 1 : figure->name);
    fputs(": ", out);
    if (figure->text == NULL) {
        fputs(nnc_number_text(figure->number, number), out);
    } else if (strcmp(figure->text, "true") == 0 || strcmp(figure->text, "false") == 0) {
        fputs(figure->text, out);
    } else {
        put_text(out, figure->text);
    }
}

/* Figures come part by part: "step.step_s", "step.forward_s". */
static void put_estimate(FILE *out, nnc_figures figures, bool one_line)
{
    const char *part = "";
    size_t length = 0;
    for (int32_t i = 0; i < figures.count; i++) {
        const char *name = figures.list[i].name;
        const size_t own = strcspn(name, ".");
        if (own == length && memcmp(part, name, own) == 0) {
            fputs(", ", out);
        } else {
            fputs(i > 0 ? "}," : "", out);
            fprintf(out, one_line ? "%s" : "\n        %s", i > 0 && one_line ? " " : "");
            fprintf(out, "\"%.*s\": {", (int)own, name);
            part = name;
            length = own;
        }
        put_figure(out, &figures.list[i]);
    }
    fputs(figures.count > 0 ? "}" : "", out);
    fputs(one_line ? "" : "\n      ", out);
}

void nnc_recorded_write(FILE *out, const nnc_recorded *recorded, bool one_line)
{
    fputs("{\n    \"schema\": \"" NNC_RECORDED_SCHEMA "\",\n", out);
    put_member(out, 4, "note", "Written by 'nncost check --update' and by nothing else.");
    fputs(",\n", out);
    put_member(out, 4, "tool", recorded->tool);
    fputs(",\n", out);
    put_member(out, 4, "conventions", recorded->conventions);
    fputs(",\n    \"digest\": \"" NNC_DIGEST_OPEN "\",\n", out);
    put_digests(out, recorded);
    fputs("    \"estimates\": {", out);
    for (int32_t i = 0; i < recorded->estimate_count; i++) {
        fputs(i > 0 ? ",\n      " : "\n      ", out);
        put_text(out, recorded->estimates[i].id);
        fputs(": {", out);
        put_estimate(out, recorded->estimates[i].figures, one_line);
        fputc('}', out);
    }
    fputs("\n    }\n  }", out);
}
