#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plot/canvas.h"

const nnc_picture *const nnc_pictures[NNC_PICTURE_COUNT] = {
    &nnc_plot_step,     &nnc_plot_memory, &nnc_plot_roofline,
    &nnc_plot_timeline, &nnc_plot_front,  &nnc_plot_scaling,
};

const char *nnc_picture_name(unsigned index)
{
    return index < NNC_PICTURE_COUNT ? nnc_pictures[index]->name : "?";
}

void nnc_plot_draw(nnc_buffer *out, const nnc_picture *picture, const nnc_plot_data *data,
                   const nnc_plot_how *how)
{
    enum { NARROW = 500, MARGIN = 8 };
    char id[32];
    nnc_canvas canvas = { .how = how,
                          .left = NNC_PX(MARGIN),
                          .right = NNC_PX(how->width - MARGIN),
                          .narrow = how->width < NARROW };
    snprintf(id, sizeof id, "nnc-%s", picture->name);
    nnc_svg_begin(&canvas.svg, how->id != NULL ? how->id : id);
    picture->draw(&canvas, data);
    nnc_svg_end(&canvas.svg, out, NNC_PX(how->width), canvas.y, canvas.title, canvas.desc,
                !how->fragment);
}

void nnc_canvas_say(nnc_canvas *canvas, const char *format, ...)
{
    const size_t used = strlen(canvas->desc);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(canvas->desc + used, sizeof canvas->desc - used, format, arguments);
    va_end(arguments);
}

/* Puts running text from x on, over as many lines as it takes; those after the first go from side to
 * side. */
static void put_words(nnc_canvas *canvas, nnc_px x, nnc_px right, const char *text)
{
    char line[NNC_TEXT_PX_MAX];
    while (*text != '\0') {
        size_t fits = 0, length = 0;
        do { /* as many words as the line takes */
            fits = length;
            length += strspn(text + length, " ");
            length += strcspn(text + length, " ");
            snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : 0), text);
        } while (length > fits && length < sizeof line &&
                 nnc_text_px(line, NNC_TYPE_PLAIN) <= right - x);
        const bool first = x > canvas->left;
        if (fits == 0 && !first) { /* a word longer than the line */
            fits = length;
        }
        if (fits > 0) {
            char cut[NNC_TEXT_PX_MAX];
            snprintf(line, sizeof line, "%.*s", (int)(fits < sizeof line ? fits : sizeof line - 1),
                     text);
            nnc_svg_text(&canvas->svg, "dim", 's', x, canvas->y,
                         nnc_text_cut(line, NNC_TYPE_PLAIN, right - x, cut));
            text += fits + strspn(text + fits, " ");
        }
        if (*text != '\0') {
            canvas->y += NNC_PX(16);
            x = canvas->left;
            right = canvas->right;
        }
    }
}

void nnc_canvas_heading(nnc_canvas *canvas, const char *name, const char *sentence,
                        const char *result)
{
    const nnc_px gap = NNC_PX(8);
    nnc_px right = canvas->right;
    canvas->y = NNC_PX(18);
    snprintf(canvas->title, sizeof canvas->title, "%s%s%s", name, *result != '\0' ? " " : "",
             result);
    nnc_canvas_say(canvas, "%s, %s%s%s.", name, sentence, *result != '\0' ? ": " : "", result);
    nnc_svg_text(&canvas->svg, "b", 's', canvas->left, canvas->y, name);
    nnc_px x = canvas->left + nnc_text_px(name, NNC_TYPE_BOLD) + gap;
    if (*result != '\0') {
        right -= nnc_text_px(result, NNC_TYPE_BOLD) + gap;
        canvas->y += right < x ? NNC_PX(16) : 0;
        nnc_svg_text(&canvas->svg, "b", 'e', canvas->right, canvas->y, result);
    }
    if (right - x < (canvas->right - canvas->left) / 3) { /* a line of its own, not a word or two */
        canvas->y += NNC_PX(16);
        x = canvas->left;
        right = canvas->right;
    }
    put_words(canvas, x, right, sentence);
    canvas->y += NNC_PX(10);
}

void nnc_canvas_subject(const nnc_model *model, const nnc_device *device, int32_t devices,
                        char text[NNC_CANVAS_TITLE])
{
    char many[32] = "";
    if (devices > 1) {
        snprintf(many, sizeof many, "%d x ", (int)devices);
    }
    snprintf(text, NNC_CANVAS_TITLE, "%.70s on %s%.70s",
             model->name[0] != '\0' ? model->name : model->id, many,
             device->name[0] != '\0' ? device->name : device->id);
}

void nnc_canvas_other(const nnc_report *other, double value, const char *unit,
                      char sentence[NNC_CANVAS_SENTENCE])
{
    char subject[NNC_CANVAS_TITLE], text[NNC_NUMBER_TEXT];
    const size_t used = strlen(sentence);
    if (other != NULL) {
        nnc_canvas_subject(other->model, other->device, other->result->plan.devices, subject);
        snprintf(sentence + used, NNC_CANVAS_SENTENCE - used, "; outlined: %s%s%s", subject,
                 *unit != '\0' ? ", " : "", *unit != '\0' ? nnc_unit_text(value, unit, text) : "");
    }
}

/* ---- legends ---- */

enum { SWATCH = NNC_PX(9), INDENT = NNC_PX(13), LINE = NNC_PX(17) };

nnc_px nnc_canvas_entry_px(const nnc_legend *entry)
{
    const nnc_px label = nnc_text_px(entry->label, NNC_TYPE_PLAIN);
    const nnc_px value = nnc_text_px(entry->value, NNC_TYPE_PLAIN);
    return INDENT + (label > value ? label : value);
}

static void swatch(nnc_canvas *canvas, nnc_px x, nnc_px y, const nnc_legend *entry)
{
    const nnc_box box = { x, y - SWATCH, SWATCH, SWATCH };
    if (entry->hue[0] == '\0') {
        nnc_svg_hatched(&canvas->svg, box);
    } else {
        nnc_svg_round(&canvas->svg, entry->hue, box, NNC_PX(2));
    }
}

void nnc_canvas_entry(nnc_canvas *canvas, nnc_px x, nnc_px y, const nnc_legend *entry)
{
    swatch(canvas, x, y, entry);
    nnc_svg_text(&canvas->svg, "", 's', x + INDENT, y, entry->label);
    if (entry->value[0] != '\0') {
        nnc_svg_text(&canvas->svg, "dim", 's', x + INDENT, y + NNC_PX(15), entry->value);
    }
}

void nnc_canvas_rows(nnc_canvas *canvas, const nnc_legend *entries, int count)
{
    for (int i = 0; i < count; i++) {
        canvas->y += LINE;
        swatch(canvas, canvas->left, canvas->y, &entries[i]);
        nnc_svg_text(&canvas->svg, "", 's', canvas->left + INDENT, canvas->y, entries[i].label);
        nnc_svg_text(&canvas->svg, "dim", 'e', canvas->right, canvas->y, entries[i].value);
    }
    canvas->y += NNC_PX(8);
}

void nnc_canvas_legend(nnc_canvas *canvas, nnc_px x, const nnc_legend *entries, int count)
{
    const nnc_px gap = NNC_PX(16), first = x;
    bool values = false;
    for (int i = 0; i < count; i++) {
        values = values || entries[i].value[0] != '\0';
    }
    if (canvas->narrow && values) {
        nnc_canvas_rows(canvas, entries, count);
        return;
    }
    canvas->y += LINE;
    for (int i = 0; i < count; i++) {
        const nnc_px w = nnc_canvas_entry_px(&entries[i]);
        if (x + w > canvas->right && x > first) {
            x = first;
            canvas->y += LINE + (values ? LINE : 0);
        }
        nnc_canvas_entry(canvas, x, canvas->y, &entries[i]);
        x += w + gap;
    }
    canvas->y += NNC_PX(8) + (values ? NNC_PX(15) : 0);
}
