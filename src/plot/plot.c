/* The table of pictures, and the functions with which all pictures are drawn: text, legends, labels, scales. */
#include "plot/plot_internal.h"

const nnc_picture *const nnc_pictures[NNC_PICTURE_COUNT] = {
    &nnc_plot_step, &nnc_plot_memory, &nnc_plot_roofline, &nnc_plot_timeline, &nnc_plot_front, &nnc_plot_scaling,
};

const char *nnc_picture_name(unsigned index) { return index < NNC_PICTURE_COUNT ? nnc_pictures[index]->name : "?"; }

void nnc_plot_draw(nnc_buffer *out, const nnc_picture *picture, const nnc_plot_data *data, const nnc_plot_how *how) {
    enum { NARROW = 500, MARGIN = 8 };
    char id[32];
    nnc_canvas canvas = {
        .how = how, .left = NNC_PX(MARGIN), .right = NNC_PX(how->width - MARGIN), .narrow = how->width < NARROW
    };
    snprintf(id, sizeof id, "nnc-%s", picture->name);
    nnc_svg_begin(&canvas.svg, how->id != NULL ? how->id : id);
    picture->draw(&canvas, data);
    nnc_svg_end(&canvas.svg, out, NNC_PX(how->width), canvas.y, canvas.title, canvas.desc, !how->fragment);
}

void nnc_canvas_say(nnc_canvas *canvas, const char *format, ...) {
    const size_t used = strlen(canvas->desc);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(canvas->desc + used, sizeof canvas->desc - used, format, arguments);
    va_end(arguments);
}

/* Writes running text that starts at position x of the current line. The text takes as many lines as its words need;
 * from the second line on, the lines have the full width of the canvas. */
static void put_words(nnc_canvas *canvas, nnc_px x, nnc_px right, const char *text) {
    char line[NNC_TEXT_PX_MAX];
    while (*text != '\0') {
        size_t fits = 0, length = 0;
        do { /* each round of the loop adds one word, until the words no longer fit on the line */
            fits = length;
            length += strspn(text + length, " ");
            length += strcspn(text + length, " ");
            snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : 0), text);
        } while (length > fits && length < sizeof line && nnc_text_px(line, NNC_TYPE_PLAIN) <= right - x);
        const bool first = x > canvas->left;
        if (fits == 0 && !first) { /* the next word is longer than a whole line, so the end of the word is cut off */
            fits = length;
        }
        if (fits > 0) {
            char cut[NNC_TEXT_PX_MAX];
            snprintf(line, sizeof line, "%.*s", (int)(fits < sizeof line ? fits : sizeof line - 1), text);
            nnc_svg_text(&canvas->svg, "dim", 's', x, canvas->y, nnc_text_cut(line, NNC_TYPE_PLAIN, right - x, cut));
            text += fits + strspn(text + fits, " ");
        }
        if (*text != '\0') {
            canvas->y += NNC_PX(16);
            x = canvas->left;
            right = canvas->right;
        }
    }
}

void nnc_canvas_heading(nnc_canvas *canvas, const char *name, const char *sentence, const char *result) {
    const nnc_px gap = NNC_PX(8);
    nnc_px right = canvas->right;
    canvas->y = NNC_PX(18);
    snprintf(canvas->title, sizeof canvas->title, "%s%s%s", name, *result != '\0' ? " " : "", result);
    nnc_canvas_say(canvas, "%s, %s%s%s.", name, sentence, *result != '\0' ? ": " : "", result);
    nnc_svg_text(&canvas->svg, "b", 's', canvas->left, canvas->y, name);
    nnc_px x = canvas->left + nnc_text_px(name, NNC_TYPE_BOLD) + gap;
    if (*result != '\0') {
        right -= nnc_text_px(result, NNC_TYPE_BOLD) + gap;
        canvas->y += right < x ? NNC_PX(16) : 0;
        nnc_svg_text(&canvas->svg, "b", 'e', canvas->right, canvas->y, result);
    }
    /* The text starts on a new line if less than a third of the width is left on the current line. */
    if (right - x < (canvas->right - canvas->left) / 3) {
        canvas->y += NNC_PX(16);
        x = canvas->left;
        right = canvas->right;
    }
    put_words(canvas, x, right, sentence);
    canvas->y += NNC_PX(10);
}

void nnc_canvas_subject(const nnc_model *model, const nnc_device *device, int32_t devices, const char *overrides,
                        char text[NNC_CANVAS_TITLE]) {
    char many[32] = "", set[64] = "";
    if (overrides != NULL) { snprintf(set, sizeof set, " with %.56s", overrides); }
    if (devices > 1) { snprintf(many, sizeof many, "%d x ", (int)devices); }
    snprintf(text, NNC_CANVAS_TITLE, "%.40s%s on %s%.40s", model->name[0] != '\0' ? model->name : model->id, set, many,
             device->name[0] != '\0' ? device->name : device->id);
}

void nnc_canvas_other(const nnc_report *other, double value, const char *unit, char sentence[NNC_CANVAS_SENTENCE]) {
    char subject[NNC_CANVAS_TITLE], text[NNC_NUMBER_TEXT];
    const size_t used = strlen(sentence);
    if (other != NULL) {
        nnc_canvas_subject(other->model, other->device, other->result->plan.devices, other->overrides, subject);
        snprintf(sentence + used, NNC_CANVAS_SENTENCE - used, "; outlined: %s%s%s", subject, *unit != '\0' ? ", " : "",
                 *unit != '\0' ? nnc_unit_text(value, unit, text) : "");
    }
}

/* ---- legends of a picture ---- */

enum { SWATCH = NNC_PX(9), INDENT = NNC_PX(13), LINE = NNC_PX(17) };

nnc_px nnc_canvas_entry_px(const nnc_legend *entry) {
    const nnc_px label = nnc_text_px(entry->label, NNC_TYPE_PLAIN);
    const nnc_px value = nnc_text_px(entry->value, NNC_TYPE_PLAIN);
    return INDENT + (label > value ? label : value);
}

static void swatch(nnc_canvas *canvas, nnc_px x, nnc_px y, const nnc_legend *entry) {
    const nnc_box box = { x, y - SWATCH, SWATCH, SWATCH };
    if (entry->hue[0] == '\0') {
        nnc_svg_hatched(&canvas->svg, box);
    } else {
        nnc_svg_round(&canvas->svg, entry->hue, box, NNC_PX(2));
    }
}

void nnc_canvas_entry(nnc_canvas *canvas, nnc_px x, nnc_px y, const nnc_legend *entry) {
    swatch(canvas, x, y, entry);
    nnc_svg_text(&canvas->svg, "", 's', x + INDENT, y, entry->label);
    if (entry->value[0] != '\0') { nnc_svg_text(&canvas->svg, "dim", 's', x + INDENT, y + NNC_PX(15), entry->value); }
}

void nnc_canvas_rows(nnc_canvas *canvas, const nnc_legend *entries, int count) {
    for (int i = 0; i < count; i++) {
        canvas->y += LINE;
        swatch(canvas, canvas->left, canvas->y, &entries[i]);
        nnc_svg_text(&canvas->svg, "", 's', canvas->left + INDENT, canvas->y, entries[i].label);
        nnc_svg_text(&canvas->svg, "dim", 'e', canvas->right, canvas->y, entries[i].value);
    }
    canvas->y += NNC_PX(8);
}

void nnc_canvas_legend(nnc_canvas *canvas, nnc_px x, const nnc_legend *entries, int count) {
    const nnc_px gap = NNC_PX(16), first = x;
    bool values = false;
    for (int i = 0; i < count; i++) { values = values || entries[i].value[0] != '\0'; }
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

static bool apart(nnc_box a, nnc_box b) {
    return a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
}

void nnc_place_take(nnc_places *places, nnc_box box, bool text) {
    if (places->count < NNC_TAKEN_MAX) {
        places->text[places->count] = text;
        places->taken[places->count++] = box;
    } else {
        /* the list of occupied boxes is full, so the area for labels is made empty, and no label is placed from now
         * on */
        places->area.w = 0;
    }
}

void nnc_place_take_line(nnc_places *places, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2, nnc_px thick) {
    const int length = abs(x2 - x1) > abs(y2 - y1) ? abs(x2 - x1) : abs(y2 - y1);
    const int parts = length / NNC_PX(6) + 1;
    for (int i = 0; i < parts; i++) { /* a sloping line is stored as a chain of small boxes */
        const nnc_px ax = x1 + (x2 - x1) * i / parts, bx = x1 + (x2 - x1) * (i + 1) / parts;
        const nnc_px ay = y1 + (y2 - y1) * i / parts, by = y1 + (y2 - y1) * (i + 1) / parts;
        nnc_place_take(places,
                       (nnc_box){ (ax < bx ? ax : bx) - thick / 2, (ay < by ? ay : by) - thick / 2,
                                  abs(bx - ax) + thick, abs(by - ay) + thick },
                       false);
    }
}

static bool is_free(const nnc_places *places, nnc_box box) {
    const nnc_box in = places->area;
    if (box.x < in.x || box.y < in.y || box.x + box.w > in.x + in.w || box.y + box.h > in.y + in.h) { return false; }
    for (int i = 0; i < places->count; i++) {
        if (!apart(places->taken[i], box)) { return false; }
    }
    return true;
}

/* Positions around a symbol at which the centre of its label is tried, in this order: right, left, below, above, the
 * four corners, and places between them. off: additional distance between symbol and label. */
static const struct {
    /* side, up: offset of the label from the symbol, in halves of the label's size, from -2 to 2 */
    int side, up;
    nnc_px off;
} places_of[] = {
    { 2, 0, 30 }, { -2, 0, 30 }, { 0, 2, 20 }, { 0, -2, 20 }, { 2, 2, 0 },   { -2, 2, 0 },
    { 2, -2, 0 }, { -2, -2, 0 }, { 1, 2, 20 }, { -1, 2, 20 }, { 1, -2, 20 }, { -1, -2, 20 },
};

static nnc_px between(nnc_px value, nnc_px least, nnc_px most) {
    return value < least ? least : value > most ? most : value;
}

/* The leader line of a label: from the edge of the symbol to the nearest point of the label. */
typedef struct leader {
    nnc_px x1, y1, x2, y2;
} leader;

static leader leader_to(nnc_spot spot, nnc_box box) {
    const nnc_px x = between(spot.x, box.x, box.x + box.w);
    const nnc_px y = between(spot.y, box.y, box.y + box.h);
    const double dx = x - spot.x, dy = y - spot.y, length = hypot(dx, dy);
    const double part = length > spot.radius ? spot.radius / length : 1.0;
    return (leader){ spot.x + (nnc_px)lround(dx * part), spot.y + (nnc_px)lround(dy * part), x, y };
}

static bool crosses_text(const nnc_places *places, leader line) {
    enum { POINTS = 24 };
    for (int i = 0; i < places->count; i++) {
        for (int k = 0; places->text[i] && k <= POINTS; k++) {
            const nnc_box point = { line.x1 + (line.x2 - line.x1) * k / POINTS,
                                    line.y1 + (line.y2 - line.y1) * k / POINTS, 1, 1 };
            if (!apart(places->taken[i], point)) { return true; }
        }
    }
    return false;
}

bool nnc_place_by(nnc_places *places, nnc_spot spot, nnc_px w, nnc_px h, nnc_px far, nnc_box *found) {
    for (nnc_px ring = 0; ring <= far; ring += NNC_PX(12)) {
        for (size_t i = 0; i < sizeof places_of / sizeof places_of[0]; i++) {
            const int side = places_of[i].side, up = places_of[i].up;
            const bool corner = abs(side) == 2 && abs(up) == 2;
            const nnc_px reach = (spot.radius + ring) * (corner ? 7 : 10) / 10 + places_of[i].off;
            const nnc_px x = spot.x + side * w / 4 + (abs(side) == 2 ? side / 2 * reach : 0);
            const nnc_px y = spot.y + up * h / 4 + (abs(up) == 2 ? up / 2 * reach : 0);
            const nnc_box box = { x - w / 2, y - h / 2, w, h };
            if (is_free(places, box) && (ring == 0 || !crosses_text(places, leader_to(spot, box)))) {
                nnc_place_take(places, box, true);
                *found = box;
                return true;
            }
        }
    }
    return false;
}

bool nnc_canvas_label(nnc_canvas *canvas, nnc_places *places, nnc_spot spot, nnc_px far, const char *line,
                      const char *below) {
    const bool two = below[0] != '\0';
    const nnc_px a = nnc_text_px(line, two ? NNC_TYPE_BOLD : NNC_TYPE_PLAIN);
    const nnc_px b = nnc_text_px(below, NNC_TYPE_PLAIN);
    nnc_box box;
    if (!nnc_place_by(places, spot, a > b ? a : b, NNC_PX(two ? 29 : 13), far, &box)) { return false; }
    const leader to = leader_to(spot, box);
    if (abs(to.x2 - to.x1) + abs(to.y2 - to.y1) > NNC_PX(8)) {
        nnc_svg_line(&canvas->svg, "axis", to.x1, to.y1, to.x2, to.y2);
        nnc_place_take_line(places, to.x1, to.y1, to.x2, to.y2, NNC_PX(1));
    }
    nnc_svg_text(&canvas->svg, two ? "b halo" : "halo", 's', box.x, box.y + NNC_PX(10), line);
    if (two) { nnc_svg_text(&canvas->svg, "dim halo", 's', box.x, box.y + NNC_PX(25), below); }
    return true;
}

bool nnc_place_row(nnc_px *x, const nnc_px *w, int count, nnc_px from, nnc_px to, nnc_px gap) {
    for (int i = 0; i < count; i++) { /* first moves each label to the right until it begins after the previous label */
        const nnc_px least = i == 0 ? from : x[i - 1] + w[i - 1] + gap;
        x[i] = x[i] < least ? least : x[i];
    }
    for (int i = count - 1; i >= 0; i--) { /* then move labels to the left until they end before `to` and before the
                                            * next label */
        const nnc_px most = (i == count - 1 ? to : x[i + 1] - gap) - w[i];
        x[i] = x[i] > most ? most : x[i];
    }
    return count == 0 || x[0] >= from;
}

nnc_px nnc_scale_at(const nnc_scale *scale, double value) {
    const double share = scale->log ? log(value / scale->from) / log(scale->to / scale->from)
                                    : (value - scale->from) / (scale->to - scale->from);
    return scale->start + nnc_px_of(share * (scale->end - scale->start) / 10.0);
}

/* Lists the tick values of a logarithmic scale: each factor in `steps` times each power of ten whose exponent is a
 * multiple of `every`. Returns the number of ticks. */
static int decade_ticks(const nnc_scale *scale, const double *steps, int step_count, int every,
                        double ticks[NNC_TICKS_MAX]) {
    const int first = (int)floor(log10(scale->from)), last = (int)ceil(log10(scale->to));
    int count = 0;
    for (int decade = first; decade <= last; decade++) {
        for (int i = 0; i < step_count && count < NNC_TICKS_MAX; i++) {
            const double value = steps[i] * pow(10.0, decade);
            const bool inside = value >= scale->from * (1.0 - 1e-9) && value <= scale->to * (1.0 + 1e-9);
            if (inside && decade % every == 0) { ticks[count++] = value; }
        }
    }
    return count;
}

/* Lists the tick values of a logarithmic scale: 1, 2 and 5 times each power of ten. If fewer than three ticks with the
 * factors 1, 2 and 5 are on the scale, the function uses more factors. If more than `most` of these ticks are on the
 * scale, the function lists one tick for each power of ten, or for every second (third ...) power of ten. */
static int log_ticks(const nnc_scale *scale, int most, double ticks[NNC_TICKS_MAX]) {
    static const double few[] = { 1.0, 2.0, 5.0 }, many[] = { 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0 };
    int count = decade_ticks(scale, few, 3, 1, ticks);
    if (count < 3) {
        count = decade_ticks(scale, many, 7, 1, ticks);
        return count <= most ? count : decade_ticks(scale, few, 3, 1, ticks);
    }
    for (int every = 1; count > most && every < 64; every++) { count = decade_ticks(scale, few, 1, every, ticks); }
    return count;
}

int nnc_scale_ticks(const nnc_scale *scale, int most, double ticks[NNC_TICKS_MAX]) {
    static const double steps[] = { 1.0, 2.0, 5.0, 10.0 };
    int count = 0;
    if (scale->log) { return log_ticks(scale, most, ticks); }
    const double least = (scale->to - scale->from) / (most > 1 ? most : 1);
    const double decade = pow(10.0, floor(log10(least)));
    size_t i = 0;
    while (i < 3 && steps[i] * decade < least) { i++; }
    const double step = steps[i] * decade;
    const double first = ceil(scale->from / step - 1e-9);
    while (count < NNC_TICKS_MAX && (first + count) * step <= scale->to + 1e-9 * step) {
        ticks[count] = (first + count) * step;
        count++;
    }
    return count;
}

/* Writes the value of a tick as a short text: "200 ms" instead of "200.0 ms", "1 s" instead of "1.000 s", "0.1" instead
 * of "100.0 m". */
char *nnc_tick_text(double value, const char *unit, char text[NNC_NUMBER_TEXT]) {
    /* a value without a unit is written as "0.1", not as "100 m" */
    if (unit[0] == '\0' && value >= 0.01 && value < 1.0) {
        snprintf(text, NNC_NUMBER_TEXT, "%g", value);
        return text;
    }
    nnc_unit_text(value, unit, text);
    char *end = text + strcspn(text, " ");
    char *last = end;
    if (memchr(text, '.', (size_t)(end - text)) != NULL) {
        while (last[-1] == '0') { last--; }
        last -= last[-1] == '.' ? 1 : 0;
    }
    memmove(last, end, strlen(end) + 1);
    return text;
}

void nnc_canvas_grid(nnc_canvas *canvas, nnc_box area, nnc_ticks x, nnc_ticks y, const char *name) {
    double ticks[NNC_TICKS_MAX];
    char text[NNC_NUMBER_TEXT];
    nnc_svg *svg = &canvas->svg;
    int count = nnc_scale_ticks(x.scale, x.most, ticks);
    for (int i = 0; i < count; i++) {
        const nnc_px at = nnc_scale_at(x.scale, ticks[i]);
        nnc_svg_line(svg, "grid", at, area.y, at, area.y + area.h);
        nnc_svg_text(svg, "dim", 'm', at, area.y + area.h + NNC_PX(17), nnc_tick_text(ticks[i], x.unit, text));
    }
    count = nnc_scale_ticks(y.scale, y.most, ticks);
    for (int i = 0; i < count; i++) {
        const nnc_px at = nnc_scale_at(y.scale, ticks[i]);
        nnc_svg_line(svg, "grid", area.x, at, area.x + area.w, at);
        nnc_svg_text(svg, "dim", 'e', area.x - NNC_PX(6), at + NNC_PX(4), nnc_tick_text(ticks[i], y.unit, text));
    }
    nnc_svg_text(svg, "dim", 'm', area.x + area.w / 2, area.y + area.h + NNC_PX(34), name);
}
