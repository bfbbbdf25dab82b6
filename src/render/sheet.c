/* Writes the lines of a page ("label item, item, item"), and the rows that describe a whole page as data
 * (nnc_page_row). */
#include <assert.h>

#include "render/render_internal.h"

enum { LABEL_WIDTH = 10, REFERENCE_MAX = 96 };

nnc_sheet nnc_sheet_begin(nnc_buffer *out, nnc_style style) {
    return (nnc_sheet){ .out = out, .style = style, .indent = LABEL_WIDTH };
}

static const nnc_page *page_of(const nnc_sheet *sheet) { return sheet->style.format->page; }

void nnc_sheet_label(nnc_sheet *sheet, const char *label) {
    sheet->items = 0;
    page_of(sheet)->label(sheet, label);
}

/* Writes a piece of text that no line break divides. If the rest of the current line has fewer free columns than the
 * width of the piece plus `follows`, starts a new line. */
static void put_piece(nnc_sheet *sheet, nnc_ink ink, const char *text, int follows) {
    static const char *const codes[] = {
        [NNC_INK_PLAIN] = "", [NNC_INK_STRONG] = "1", [NNC_INK_GOOD] = "32", [NNC_INK_BAD] = "1;31"
    };
    const nnc_page *page = page_of(sheet);
    const int needed = nnc_text_width(text) + (sheet->items > 0 ? 1 : 0);
    const bool inked = sheet->style.colour && ink != NNC_INK_PLAIN && page->wraps;

    if (page->wraps && sheet->items > 0 && sheet->column + needed + follows > sheet->style.width) {
        nnc_buffer_byte(sheet->out, '\n');
        nnc_buffer_blanks(sheet->out, sheet->indent);
        sheet->column = sheet->indent;
    } else if (sheet->items > 0) {
        page->text(sheet, " ");
    }
    if (inked) { nnc_buffer_print(sheet->out, "\033[%sm", codes[ink]); }
    page->text(sheet, text);
    if (inked) { nnc_buffer_text(sheet->out, "\033[0m"); }
    sheet->items++;
}

static void put_item(nnc_sheet *sheet, nnc_ink ink, const char *text) {
    if (sheet->items > 0) { page_of(sheet)->text(sheet, ","); }
    put_piece(sheet, ink, text, 1); /* keeps one column free for the comma before the next item */
}

void nnc_sheet_item(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) {
    char text[NNC_PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_item(sheet, ink, text);
}

void nnc_sheet_phrase(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) {
    char text[NNC_PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_piece(sheet, ink, text, 1); /* keeps one column free for the comma before the next item */
}

/* Writes running text, which can be divided between two words by a line break. The function overwrites the blanks in
 * `text` with NUL. */
static void put_words(nnc_sheet *sheet, char *text) {
    for (char *word = text; *word;) {
        const size_t length = strcspn(word, " ");
        const bool last = word[length] == '\0';
        word[length] = '\0';
        if (length > 0) { put_piece(sheet, NNC_INK_PLAIN, word, 0); }
        word += length + (last ? 0 : 1);
    }
}

void nnc_sheet_words(nnc_sheet *sheet, const char *format, ...) {
    char text[NNC_PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_words(sheet, text);
}

void nnc_sheet_note(nnc_sheet *sheet, const char *label, const char *format, ...) {
    char text[NNC_PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    nnc_sheet_label(sheet, label);
    put_words(sheet, text);
    nnc_sheet_end(sheet);
}

void nnc_sheet_line(nnc_buffer *out, nnc_style style, const char *format, ...) {
    char text[NNC_PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    nnc_sheet sheet = { .out = out, .style = style };
    if (!style.format->page->wraps) {
        style.format->page->text(&sheet, text);
        nnc_buffer_byte(out, '\n');
        return;
    }
    put_words(&sheet, text);
    nnc_sheet_end(&sheet);
}

void nnc_sheet_end(nnc_sheet *sheet) {
    nnc_buffer_byte(sheet->out, '\n');
    sheet->column = 0;
}

void nnc_sheet_gap(nnc_sheet *sheet) { nnc_buffer_byte(sheet->out, '\n'); }

void nnc_sheet_heading(nnc_buffer *out, nnc_style style, const char *text) { style.format->page->heading(out, text); }

/* Number formats that the text of a page row can give after the name of a metric, such as "{cost.step:count}". The
 * number format of the page row replaces the number format that the metrics table gives for the metric. */
static const struct form {
    const char *name;
    nnc_show show;
    double divisor;     /* the value of the metric is divided by this number before it is written; 0 = no division */
    const char *printf; /* format string for printf, used if it is not NULL */
} forms[] = {
    { .name = "count", .show = NNC_SHOW_COUNT },       /* "{metric:count}" writes a number as 1,557,611,200 or 16.73 */
    { .name = "percent", .show = NNC_SHOW_PERCENT },   /* "{metric:percent}" writes a share as 41.2% */
    { .name = "percent2", .show = NNC_SHOW_PERCENT2 }, /* "{metric:percent2}" writes a share as 41.23% */
    { .name = "plain", .show = NNC_SHOW_PLAIN },       /* "{metric:plain}" writes all digits, at most 12 */
    { .name = "hours", .show = NNC_SHOW_COUNT, .divisor = 3600.0 },
    { .name = "kWh", .show = NNC_SHOW_COUNT, .divisor = 3.6e6 },
    { .name = "tonnes", .show = NNC_SHOW_COUNT, .divisor = 1000.0 },
    { .name = "ceil", .show = NNC_SHOW_COUNT }, /* "{metric:ceil}" rounds up to a whole number */
    { .name = "si" },  /* "{metric:si}" writes a number with a prefix but without its unit: 15.00 T */
    { .name = "gib" }, /* "{metric:gib}" writes a number of bytes as 80.00 GiB */
    { .name = "g", .printf = "%g" },
    { .name = "g4", .printf = "%.4g" },
};
enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

static const struct form *form_of(const char *name) {
    for (int i = 0; i < FORM_COUNT; i++) {
        if (strcmp(forms[i].name, name) == 0) { return &forms[i]; }
    }
    return NULL;
}

/* Returns the index of an element of an array metric. `name` is the name of the element, or its index as a decimal
 * number if the elements have no names. */
static int32_t index_of(const nnc_metric *row, const char *name) {
    for (int32_t i = 0; i < row->each_count && nnc_metric_rare(row)->each != NULL; i++) {
        if (strcmp(nnc_metric_rare(row)->each((unsigned)i), name) == 0) { return i; }
    }
    return (int32_t)strtol(name, NULL, 10);
}

/* Compares the name of a metric `row` with the beginning of `name`. Returns the number of bytes of the row's name if
 * `name` begins with it; 0 if the row has no name; -1 if `name` begins differently. */
static int name_length(const nnc_metric *row, const char *name) {
    int length = 0;
    if (row->name == NULL) { return 0; }
    if (row->name[0] != name[0]) { return -1; }
    while (row->name[length] != '\0' && row->name[length] == name[length]) { length++; }
    return row->name[length] == '\0' ? length : -1;
}

/* Finds a metric by its full name, as nnc_metric_find does. Sets *place to the record that contains the metric. The
 * caller can set place->record to NULL if it needs only the metric and no value. */
static const nnc_metric *find_row(const nnc_metrics *metrics, const char *name, nnc_place *place, int32_t *index) {
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        const int length = name_length(row, name);
        if (length < 0) { continue; }
        if (row->type == NNC_METRIC_OBJECT && (row->name == NULL || name[length] == '.')) {
            nnc_place inside = place->record != NULL ? nnc_metric_inside(row, place) : *place;
            const char *rest = row->name != NULL ? name + length + 1 : name;
            /* The recursion follows nested tables, which are only a few levels deep.
             * NOLINTNEXTLINE(misc-no-recursion) */
            const nnc_metric *found = find_row(row->rows, rest, &inside, index);
            if (found != NULL) {
                *place = inside;
                return found;
            }
        } else if (row->name != NULL && name[length] == (row->each_count > 0 ? '.' : '\0')) {
            *index = row->each_count > 0 ? index_of(row, name + length + 1) : 0;
            return row;
        }
    }
    return NULL;
}

/* Copies `text` to `taken` until the character `end` or `or_end`, or until the end of the text. Returns the address of
 * the first character that was not copied. */
static const char *take(const char *text, char end, char or_end, char taken[REFERENCE_MAX]) {
    size_t length = 0;
    while (text[length] != '\0' && text[length] != end && text[length] != or_end && length + 1 < REFERENCE_MAX) {
        taken[length] = text[length];
        length++;
    }
    taken[length] = '\0';
    return text + length;
}

/* Splits a reference "{name:form}", which begins at '{', into the name of the metric and the form; *form is NULL if the
 * reference has no form. Returns the text after '}'. */
static const char *split(const char *at, char name[REFERENCE_MAX], char own_form[REFERENCE_MAX], const char **form) {
    at = take(at + 1, ':', '}', name);
    *form = *at == ':' ? own_form : NULL;
    if (*at == ':') { at = take(at + 1, '}', '}', own_form); }
    return at + 1;
}

static bool is_true(const nnc_cell *cell) {
    switch (cell->kind) {
    case NNC_CELL_NULL: return false;
    case NNC_CELL_BOOL: return cell->flag;
    case NNC_CELL_TEXT: return cell->text[0] != '\0';
    case NNC_CELL_WHOLE: return cell->whole != 0;
    case NNC_CELL_NUMBER: break;
    }
    return cell->number < 0.0 || cell->number > 0.0;
}

static double number_of(const nnc_cell *cell) {
    return cell->kind == NNC_CELL_WHOLE    ? (double)cell->whole
           : cell->kind == NNC_CELL_NUMBER ? cell->number
                                           : (double)NAN;
}

/* Returns the value of an operand of a condition: the value of the metric if `word` is the name of a metric, otherwise
 * the number or the word itself. */
static nnc_cell operand(const nnc_metrics *metrics, const void *record, const char *word,
                        char text[NNC_METRIC_TEXT_MAX]) {
    nnc_place place = { .record = record };
    int32_t index = 0;
    if (word[0] >= '0' && word[0] <= '9') { return nnc_number_cell(strtod(word, NULL)); }
    const nnc_metric *row = find_row(metrics, word, &place, &index);
    return row != NULL ? nnc_metric_read(row, &place, index, text) : nnc_text_cell(word);
}

/* One term of the condition of a page row: a name, or two operands with a comparison sign between them. */
typedef struct part {
    char left[REFERENCE_MAX], sign[REFERENCE_MAX], right[REFERENCE_MAX];
    bool not ;
} part;

/* Reads one term of a condition into *p. Returns the text of the next term; NULL = the term was the last one. */
static const char *next_part(const char *when, part *p) {
    p->not = *when == '!';
    p->left[0] = p->sign[0] = p->right[0] = '\0';
    when = take(when + (p->not ? 1 : 0), ' ', ',', p->left);
    if (*when == ' ') { when = take(take(when + 1, ' ', ' ', p->sign) + 1, ',', ',', p->right); }
    return *when == ',' ? when + 2 : NULL;
}

static bool holds(const nnc_metrics *metrics, const void *record, const char *when) {
    char texts[2][NNC_METRIC_TEXT_MAX];
    bool all = true;
    for (part p = { .left = "" }; when != NULL && all;) {
        when = next_part(when, &p);
        const nnc_cell left = operand(metrics, record, p.left, texts[0]);
        const nnc_cell right = p.sign[0] != '\0' ? operand(metrics, record, p.right, texts[1]) : nnc_text_cell(NULL);
        if (p.sign[0] == '\0') {
            all = is_true(&left) != p.not ;
        } else if (p.sign[0] == '>') {
            all = number_of(&left) > number_of(&right);
        } else {
            const double a = number_of(&left), b = number_of(&right);
            const bool same = left.kind == NNC_CELL_TEXT && right.kind == NNC_CELL_TEXT
                                  ? strcmp(left.text, right.text) == 0
                                  : a >= b && a <= b;
            all = same == (p.sign[0] == '=');
        }
    }
    return all;
}

#ifdef NNC_CHECK_PAGES
/* Checks that all names in the rows of a page are existing metrics and forms; also checks the rows whose condition is
 * false. Returns true if all names exist; otherwise prints the first unknown name to standard error. */
static bool all_known(const nnc_page_rows *page) {
    for (size_t i = 0; i < page->count; i++) {
        const char *at = page->rows[i].text;
        const char *when = page->rows[i].when;
        for (part p = { .left = "" }; when != NULL;) {
            nnc_place nowhere = { .record = NULL };
            int32_t index = 0;
            when = next_part(when, &p);
            if (find_row(page->metrics, p.left, &nowhere, &index) == NULL) {
                fprintf(stderr, "page row: no metric \"%s\" for its condition\n", p.left);
                return false;
            }
        }
        for (at = at != NULL ? strchr(at, '{') : NULL; at != NULL; at = strchr(at, '{')) {
            char name[REFERENCE_MAX] = "", own_form[REFERENCE_MAX] = "";
            const char *form = NULL;
            nnc_place nowhere = { .record = NULL };
            int32_t index = 0;
            at = split(at, name, own_form, &form);
            if (find_row(page->metrics, name, &nowhere, &index) == NULL || (form != NULL && form_of(form) == NULL)) {
                fprintf(stderr, "page row \"%s\": no metric or form \"%s\"\n", page->rows[i].text, name);
                return false;
            }
        }
    }
    return true;
}
#define CHECK_PAGE(page) assert(all_known(page))
#else
#define CHECK_PAGE(page) (void)(page)
#endif

static const char *shown(const nnc_metric *row, nnc_cell cell, const struct form *form,
                         char text[NNC_METRIC_TEXT_MAX]) {
    double value = cell.kind == NNC_CELL_WHOLE ? (double)cell.whole : cell.number;
    if (form == NULL) { return nnc_cell_text(&cell, row->show, row->unit, text); }
    if (form->printf != NULL) {
        snprintf(text, NNC_METRIC_TEXT_MAX, form->printf, value);
        return text;
    }
    if (strcmp(form->name, "gib") == 0) { return nnc_binary_text(value, text); }
    if (strcmp(form->name, "si") == 0) { return nnc_unit_text(value, "", text); }
    value = form->divisor > 0.0 ? value / form->divisor : value;
    value = strcmp(form->name, "ceil") == 0 ? ceil(value) : value;
    cell = nnc_number_cell(value);
    return nnc_cell_text(&cell, form->show, NULL, text);
}

bool nnc_page_text(const nnc_metrics *metrics, const void *record, const char *text, char filled[NNC_PAGE_TEXT]) {
    size_t used = 0;
    while (*text != '\0' && used + 1 < NNC_PAGE_TEXT) {
        char name[REFERENCE_MAX] = "", own_form[REFERENCE_MAX] = "";
        char own[NNC_METRIC_TEXT_MAX], number[NNC_METRIC_TEXT_MAX];
        const char *form = NULL;
        if (*text != '{') {
            filled[used++] = *text++;
            continue;
        }
        nnc_place place = { .record = record };
        int32_t index = 0;
        text = split(text, name, own_form, &form);
        const nnc_metric *row = find_row(metrics, name, &place, &index);
        const nnc_cell cell = nnc_metric_read(row, &place, index, own);
        if (cell.kind == NNC_CELL_NULL) { return false; }
        const struct form *as = form != NULL ? form_of(form) : NULL;
        const char *value = shown(row, cell, as, number);
        while (*value != '\0' && used + 1 < NNC_PAGE_TEXT) { filled[used++] = *value++; }
    }
    filled[used < NNC_PAGE_TEXT ? used : NNC_PAGE_TEXT - 1] = '\0';
    return true;
}

/* State of the page line that is being written. */
typedef struct page_line {
    nnc_sheet *sheet;
    /* label that the first item of the line will write; NULL = the label is written, or no line is open */
    const char *label;
    const char *last; /* label of the line written last; a new line with the same label shows no label */
    bool open, skipped;
} page_line;

static void close_line(page_line *l) {
    if (l->open) { nnc_sheet_end(l->sheet); }
    l->open = false;
    l->label = NULL;
}

static void open_line(page_line *l) {
    if (l->label != NULL) {
        const bool same = l->last != NULL && strcmp(l->last, l->label) == 0;
        nnc_sheet_label(l->sheet, same ? "" : l->label);
        l->last = l->label;
        l->label = NULL;
        l->open = true;
    }
}

static void write_row(page_line *l, const nnc_page_rows *page, const nnc_page_row *row, const void *record) {
    char text[NNC_PAGE_TEXT];
    if (row->kind == NNC_ROW_GAP || row->kind == NNC_ROW_BLOCK) {
        close_line(l);
        if (row->kind == NNC_ROW_GAP) {
            nnc_sheet_gap(l->sheet);
        } else {
            row->write(l->sheet, record);
        }
    } else if (row->write != NULL) {
        open_line(l);
        row->write(l->sheet, record);
    } else if (row->text != NULL && nnc_page_text(page->metrics, record, row->text, text)) {
        open_line(l);
        if (row->kind == NNC_ROW_WORDS) {
            put_words(l->sheet, text);
        } else {
            put_item(l->sheet, row->ink, text);
        }
    }
}

void nnc_sheet_rows(nnc_sheet *sheet, const nnc_page_rows *page, const void *record) {
    page_line l = { .sheet = sheet };
    char filled[NNC_PAGE_TEXT]; /* text of a label after names in braces are replaced; a page has at most one such
                                 * label */
    CHECK_PAGE(page);
    for (size_t i = 0; i < page->count; i++) {
        const nnc_page_row *row = &page->rows[i];
        const bool block = row->kind == NNC_ROW_GAP || row->kind == NNC_ROW_BLOCK;
        if (l.skipped && row->label == NULL && !block) { continue; }
        const bool shows = holds(page->metrics, record, row->when);
        if (row->label != NULL) {
            close_line(&l);
            l.skipped = !shows;
            l.label = row->label;
            if (shows && strchr(row->label, '{') != NULL) {
                l.skipped = !nnc_page_text(page->metrics, record, row->label, filled);
                l.label = filled;
                l.last = NULL;
            }
        }
        if (shows && (block || !l.skipped)) { write_row(&l, page, row, record); }
    }
    close_line(&l);
}

void nnc_page_write(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record) {
    if (view->page != NULL) {
        view->page(out, style, record);
        return;
    }
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = view->indent > 0 ? view->indent : sheet.indent;
    nnc_sheet_rows(&sheet, view->rows, record);
}

/* ---- the first lines of a page: model, device, links, plan; the sources of prices, carbon intensity and PUE ---- */

#define PLAN_OF(record) (&((const nnc_report *)(record))->result->plan)

/* Adds the id of a model or device to the current line. If the user named the model or device by another word (an alias
 * or a path), adds this word and the id: "a100 = a100-sxm4-80gb". */
static void add_id(nnc_sheet *sheet, const char *asked, const char *id) {
    const bool same = asked == NULL || strcmp(asked, id) == 0;
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s%s%s", same ? "" : asked, same ? "" : " = ", id);
}

void nnc_sheet_model(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    add_id(sheet, report->model_asked, report->model->id);
}

void nnc_sheet_device(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    add_id(sheet, report->device_asked, report->device->id);
}

#define PLAN self->result->plan

/* ---- metrics that only the page uses, not the JSON output ---- */

/* Writes those degrees of parallelism of a plan that are above 1: "data 2 x tensor 8 x pipeline 8". */
static void degrees_text(const nnc_plan *plan, char *text, size_t size) {
    const struct {
        const char *name;
        int32_t degree;
    } degrees[] = {
        { "data", plan->data }, { "tensor", plan->tensor }, { "context", plan->context }, { "pipeline", plan->pipeline }
    };
    text[0] = '\0';
    for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++) {
        if (degrees[i].degree > 1) {
            nnc_text_append(text, size, " x ", "%s %" PRId32, degrees[i].name, degrees[i].degree);
        }
    }
}

/* Writes the recomputation setting of a plan: "full", "full every 2 layers", "full of 12 layers per stage". */
static void recompute_text(const nnc_plan *plan, char *text, size_t size) {
    const bool full = (plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    nnc_recompute_text(plan->recompute, text, size);
    if (full && plan->recompute_every > 1) {
        nnc_text_append(text, size, "", " every %" PRId64 " layers", plan->recompute_every);
    }
    if (full && plan->recompute_layers > 0) {
        nnc_text_append(text, size, "", " of %" PRId64 " layers per stage", plan->recompute_layers);
    }
}

/* Writes which layers of the model a plan trains: "8 to 11", "the last 4". */
static void layers_text(const nnc_plan *plan, char *text, size_t size) {
    if (plan->train_from < 0) {
        snprintf(text, size, "the last %" PRId64, plan->train_layers);
    } else {
        snprintf(text, size, "%" PRId64 " to %" PRId64, plan->train_from, plan->train_from + plan->train_layers - 1);
    }
}

NNC_GET(get_degrees, nnc_report, (degrees_text(&PLAN, text, NNC_METRIC_TEXT_MAX), nnc_text_cell(text)))
NNC_GET(get_recompute, nnc_report, (recompute_text(&PLAN, text, NNC_METRIC_TEXT_MAX), nnc_text_cell(text)))
NNC_GET(get_trained, nnc_report, (nnc_train_text(PLAN.train, text, NNC_METRIC_TEXT_MAX), nnc_text_cell(text)))
NNC_GET(get_trained_layers, nnc_report, (layers_text(&PLAN, text, NNC_METRIC_TEXT_MAX), nnc_text_cell(text)))
NNC_GET(get_adapted, nnc_report, (nnc_adapted_text(PLAN.adapters, text, NNC_METRIC_TEXT_MAX), nnc_text_cell(text)))
NNC_GET(get_dora, nnc_report, nnc_text_cell(PLAN.dora ? " (DoRA)" : PLAN.oft ? " (OFT)" : ""))
NNC_GET(get_resharding, nnc_report, nnc_text_cell(PLAN.zero == 3 && !PLAN.reshard ? " without resharding" : ""))
NNC_GET(get_linked, nnc_report, nnc_bool_cell(PLAN.devices > 1 || self->cluster != NULL))
NNC_GET(get_leaves_node, nnc_report,
        nnc_bool_cell(self->device->scale_up.kind == NNC_LINK_NONE || PLAN.devices > PLAN.devices_per_node))
NNC_GET(get_replicas, nnc_report, nnc_whole_cell((int64_t)PLAN.data *PLAN.context))

#define DEVICE(member) NNC_VIA(nnc_report, device), NNC_IN(nnc_device, member)
#define RESULT(member) NNC_VIA(nnc_report, result), NNC_IN(nnc_result, member)
static const nnc_metric page_metric_rows[] = {
    NNC_ROWS(&nnc_estimate_metrics),
    NNC_AS("linked", BOOL, .get = get_linked),
    NNC_AS("leaves_node", BOOL, .get = get_leaves_node),
    NNC_AS("resharding", TEXT, .get = get_resharding),
    NNC_AS("fp8_inputs", BOOL, RESULT(plan.fp8_inputs)),
    NNC_AS("next_tokens", BOOL, RESULT(plan.next_tokens)),
    NNC_AS("degrees", TEXT, .get = get_degrees),
    NNC_AS("replicas", WHOLE, .get = get_replicas),
    NNC_AS("recompute", TEXT, .get = get_recompute),
    NNC_AS("trained", TEXT, .get = get_trained),
    NNC_AS("train_layers", WHOLE, RESULT(plan.train_layers)),
    NNC_AS("trained_layers", TEXT, .get = get_trained_layers),
    NNC_AS("adapter_rank", WHOLE, RESULT(plan.adapter_rank)),
    NNC_AS("adapters", TEXT, .get = get_adapted),
    NNC_AS("dora", TEXT, .get = get_dora),
    NNC_AS("frozen", ENUM, RESULT(plan.frozen), .name_of = nnc_frozen_name, .values = NNC_FROZEN_COUNT),
    NNC_AS("scale_up", ENUM, DEVICE(scale_up.kind), .name_of = nnc_link_kind_name, .values = NNC_LINK_KIND_COUNT),
    NNC_AS("scale_up_bytes_per_s", NUMBER, DEVICE(scale_up.bytes_per_s), .unit = "B/s"),
    NNC_AS("scale_out_bytes_per_s", NUMBER, DEVICE(scale_out.bytes_per_s), .unit = "B/s"),
    NNC_AS("oversubscription", NUMBER, DEVICE(scale_out.oversubscription), .show = NNC_SHOW_PLAIN),
    NNC_AS("host_bytes_per_s", NUMBER, DEVICE(host.bytes_per_s), .unit = "B/s"),
};
static const nnc_metrics page_metrics = NNC_METRICS("a subject", page_metric_rows, nnc_report);

/* If the model has multi-token prediction layers that the plan does not train (next_tokens is off), adds the number of
 * these layers to the current line. */
static void add_left_out(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    const int64_t layers = report->model->decoder.next_layers;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT] = "";
    if (report->result->next_params > 0) {
        if (layers > 1) { snprintf(b, sizeof b, "%" PRId64 " ", layers); }
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "without its %smulti-token prediction layer%s (+%s)", b,
                       layers > 1 ? "s" : "", nnc_count_text((double)report->result->next_params, a));
    }
}

static void write_notes(nnc_sheet *sheet, const void *record) {
    const nnc_model *model = ((const nnc_report *)record)->model;
    for (int32_t i = 0; i < model->note_count; i++) {
        nnc_sheet_note(sheet, i == 0 ? "noted" : "", "%s", model->notes[i]);
    }
}

/* Adds the batch of the plan to the current line: "batch 256 = 4 micro-batches of 2 x data 32". */
static void add_batch(nnc_sheet *sheet, const void *record) {
    const nnc_plan *plan = PLAN_OF(record);
    char text[96] = "", data[24] = "";
    if (plan->data > 1) { snprintf(data, sizeof data, " x data %" PRId32, plan->data); }
    if (plan->data > 1 || plan->micro_batches > 1) {
        snprintf(text, sizeof text, " = %" PRId64 " micro-batch%s of %" PRId64 "%s", plan->micro_batches,
                 plan->micro_batches > 1 ? "es" : "", plan->micro_batch, data);
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "batch %" PRId64 "%s", plan->global_batch, text);
}

/* Adds to the current line the time in which the host issues a kernel, for a plan whose operators run one by one. */
static void add_host(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    const double kernel_s = nnc_report_issue_s(report);
    char text[NNC_NUMBER_TEXT];
    if (report->result->kernels > 0.0 && kernel_s > 0.0 && PLAN_OF(record)->mode == NNC_MODE_PREDICTED) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "host %s per kernel", nnc_unit_text(kernel_s, "s", text));
    }
}

static const nnc_page_row subject_rows[] = {
    NNC_LINE("model"),
    NNC_ADD(nnc_sheet_model),
    NNC_ITEM("{model.name}"),
    NNC_ITEM("{model.family}"),
    NNC_ITEM("{model.params} parameters"),
    NNC_ITEM("{model.active_params} active per token", .when = "model.active_params != model.params"),
    NNC_ADD(add_left_out),
    NNC_ITEM("vocabulary padded to {model.padded_vocab} rows for {plan.tensor} tensor ranks"),
    NNC_ITEM("{model.trained_params} trained", .when = "model.trained_params != model.params"),
    NNC_BLOCK(write_notes),
    NNC_LINE("device"),
    NNC_ADD(nnc_sheet_device),
    NNC_ITEM("{device.name}"),
    NNC_ITEM("{device.peak_flops_per_s} {plan.precision}"),
    NNC_ITEM("{device.mem_bytes_per_s}"),
    NNC_ITEM("ridge {device.ridge_flops_per_byte:count} FLOP/B"),
    NNC_LINE("links", .when = "linked"),
    NNC_ITEM("{plan.cluster}"),
    NNC_ITEM("{scale_up} of {plan.devices_per_node} at {scale_up_bytes_per_s}", .when = "scale_up != none"),
    NNC_ITEM("network {scale_out_bytes_per_s} per device", .when = "leaves_node"),
    NNC_ITEM("oversubscribed {oversubscription} to 1", .when = "leaves_node, oversubscription > 1"),
    NNC_ITEM("host {host_bytes_per_s}", .when = "plan.offload != none"),

    NNC_LINE("plan"),
    NNC_ITEM("{plan.devices} devices = {degrees}", .when = "plan.devices > 1"),
    NNC_ITEM("expert {plan.expert}", .when = "plan.devices > 1, plan.expert > 1"),
    NNC_ITEM("sequence parallel", .when = "plan.devices > 1, plan.sequence_parallel"),
    NNC_ITEM("context by {plan.context_kind}", .when = "plan.devices > 1, plan.context > 1"),
    NNC_ITEM("ZeRO {plan.zero}{resharding}", .when = "plan.devices > 1, plan.zero > 0"),
    NNC_ITEM("sharded over {plan.shard} of {replicas} ranks",
             .when = "plan.devices > 1, plan.zero > 0, replicas > plan.shard"),
    NNC_ITEM("{plan.schedule}", .when = "plan.pipeline > 1"),
    NNC_ITEM("{plan.virtual_stages} virtual stages", .when = "plan.pipeline > 1, plan.virtual_stages > 1"),
    NNC_ITEM("ranks by {plan.rank_order}", .when = "plan.devices > 1, plan.rank_order != tensor-context-data-pipeline"),
    NNC_ITEM("offload {plan.offload}", .when = "plan.offload != none"),
    NNC_ITEM("overlap {plan.overlap:plain}"),
    NNC_ITEM("capacity factor {plan.capacity_factor:plain}", .when = "plan.capacity_factor > 0"),
    NNC_ITEM("imbalance {plan.imbalance:plain}", .when = "plan.imbalance > 1"),
    NNC_LINE("plan"),
    NNC_ADD(add_batch),
    NNC_ITEM("sequence {plan.seq_len}"),
    NNC_ITEM("image {plan.image}"),
    NNC_ITEM("{plan.precision}"),
    NNC_ITEM("policy {plan.policy}"),
    NNC_ITEM("{plan.optimizer}"),
    NNC_ITEM("{plan.attention} attention"),
    NNC_ITEM("recompute {recompute}"),
    NNC_ITEM("8-bit activation inputs", .when = "fp8_inputs"),
    NNC_ITEM("multi-token prediction", .when = "next_tokens"),
    NNC_ITEM("adapters of rank {adapter_rank} on {adapters} layers{dora}", .when = "adapter_rank > 0"),
    NNC_ITEM("trained {trained}", .when = "trained != all"),
    NNC_ITEM("trained layers {trained_layers}", .when = "train_layers > 0"),
    NNC_ITEM("frozen weights in {frozen}", .when = "trained != all"),
    NNC_ITEM("frozen weights in {frozen}", .when = "trained = all, adapter_rank > 0"),
    NNC_ITEM("software {plan.software}", .when = "!plan.software_chosen"),
    NNC_ITEM("software {plan.software} (chosen for this plan)", .when = "plan.software_chosen"),
    NNC_ADD(add_host),
    NNC_ITEM("mode {plan.mode}"),
    NNC_LINE("set"),
    NNC_ITEM("{plan.overrides}"),
};
static const nnc_page_rows subject_page = NNC_PAGE_ROWS(&page_metrics, subject_rows);

void nnc_sheet_launch(nnc_sheet *sheet, const nnc_report *report) {
    const nnc_launch_said *said = report->launch;
    int32_t harmless = 0;
    if (said == NULL) { return; }
    for (int32_t i = 0; i < said->file_count; i++) {
        const nnc_source_file *file = &said->files[i];
        nnc_sheet_note(sheet, i == 0 ? "read" : "", "%s (%s): %s", file->file, file->format,
                       file->options[0] != '\0' ? file->options : "no options");
    }
    for (int32_t i = 0; i < said->ignored_count; i++) {
        const nnc_ignored_key *key = &said->ignored[i];
        harmless += key->skipped ? 0 : 1;
        if (key->skipped) {
            nnc_sheet_note(sheet, "skipped", "%s:%" PRId64 ": %s: %s", key->file, key->line, key->key, key->why);
        }
    }
    if (harmless > 0) {
        nnc_sheet_note(sheet, "", "%" PRId32 " other %s no effect on the estimate (--format json lists them)", harmless,
                       harmless == 1 ? "key has" : "keys have");
    }
}

void nnc_sheet_subject(nnc_sheet *sheet, const nnc_report *report) {
    nnc_sheet_rows(sheet, &subject_page, report);
    nnc_sheet_launch(sheet, report);
}

void nnc_sheet_price(nnc_sheet *sheet, const nnc_price *price) {
    if (price != NULL && (price->where != NULL || price->date != NULL)) {
        nnc_sheet_words(sheet, "(%s%s%s)", price->where != NULL ? price->where : "",
                        price->where != NULL && price->date != NULL ? ", " : "",
                        price->date != NULL ? price->date : "");
    }
}

/* Writes the name of the data centre, and the year and source of its PUE, because different sources state very
 * different values. Writes nothing if the report has no data centre. */
void nnc_sheet_building(nnc_sheet *sheet, const void *record) {
    const nnc_building *building = ((const nnc_report *)record)->building;
    if (building != NULL) {
        nnc_sheet_words(sheet, "(%s, %" PRId32 ": %s)", building->name, building->year, building->source);
    }
}

void nnc_sheet_region(nnc_sheet *sheet, const void *record) {
    const nnc_region *region = ((const nnc_report *)record)->region;
    if (region == NULL) { return; }
    char year[16] = "year not stated";
    if (region->year > 0) { snprintf(year, sizeof year, "%" PRId32, region->year); }
    nnc_sheet_words(sheet, "(%s, %s, location-based: %s)", region->name, year, region->source);
}

/* ---- errors of earlier predictions, and the origin of the range of a step time ---- */

void nnc_sheet_past(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    const char *as = report->software_chosen ? " predicted without their framework" : "";
    char error[NNC_ERROR_TEXT], bias[NNC_NUMBER_TEXT], others[64] = "";
    const nnc_past *p = &report->past;
    if (p->of == NNC_PAST_NONE) { return; }
    nnc_sheet_label(sheet, "");
    if (p->of == NNC_PAST_FEW) {
        _Static_assert(NNC_PAST_FEWEST == 10, "the text names another number of steps");
        nnc_sheet_words(sheet, "the error is not known: %s",
                        nnc_past_lacks_cpu(report)
                            ? "no step of a CPU was measured"
                            : "fewer than 10 measured steps of this family and profile that no fit has used");
        nnc_sheet_end(sheet);
        return;
    }
    if (p->of == NNC_PAST_SEEN) {
        nnc_sheet_words(sheet,
                        "%" PRId64 " measured steps of this device, family and profile%s, %" PRId64
                        " of them not used by any fit: mean error %s, bias %s%s",
                        p->rows, as, p->unseen, nnc_error_text(p, error), p->bias < 0.0 ? "-" : "+",
                        nnc_percent_text(fabs(p->bias), bias));
        nnc_sheet_end(sheet);
        return;
    }
    if (p->of == NNC_PAST_OTHER_DEVICES) {
        snprintf(others, sizeof others, " on other devices");
    } else if (p->of == NNC_PAST_ALL_DEVICES) {
        snprintf(others, sizeof others, " on any device, %" PRId64 " on this one", p->device_rows);
    }
    nnc_sheet_words(sheet,
                    "%" PRId64 " measured steps of this %sfamily and profile%s that no fit has "
                    "used%s%s: mean error %s, bias %s%s",
                    p->unseen, p->of == NNC_PAST_DEVICE ? "device, " : "", others, *as != '\0' ? "," : "", as,
                    nnc_error_text(p, error), p->bias < 0.0 ? "-" : "+", nnc_percent_text(fabs(p->bias), bias));
    nnc_sheet_end(sheet);
}

/* Tests whether the range of the step time reaches much farther above the prediction than below it. A range that
 * reaches much farther above the prediction also covers programs that are slower than the program of the software
 * profile (`skew` of the profile, docs/accuracy.md). */
static bool covers_slower(const nnc_result *r) {
    /* limit of the ratio of two distances, which are differences of logarithms: distance from the prediction to the
     * upper end / distance from the lower end to the prediction. The ratio is usually 1.35, and 2.33 for vision models
     * without a stated framework */
    enum { SKEWED = 2 };
    return r->interval_s[0] > r->lower_bound_s &&
           log(r->interval_s[1] / r->step_s) > SKEWED * log(r->step_s / r->interval_s[0]);
}

void nnc_sheet_trust(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    const nnc_past *p = &report->past;
    char error[NNC_NUMBER_TEXT], bias[NNC_NUMBER_TEXT];
    /* With --measured, another line of the page compares the prediction with the step time that the user measured. */
    if (report->own != NULL) { return; }
    nnc_sheet_label(sheet, "");
    if (nnc_report_is_implausible(report)) {
        nnc_sheet_words(sheet, "no range: the input is implausible");
    } else if (report->model->stand_in) {
        nnc_sheet_words(sheet, "estimated with a network of similar counts (a stand-in), so ranges are wider");
    } else if (report->result->plan.mode == NNC_MODE_IDEAL) {
        nnc_sheet_words(sheet, "the lower bound: datasheet rates, all communication overlaps");
    } else if (!report->device->efficiency.fitted) {
        nnc_sheet_words(sheet, "datasheet rates: no efficiency of this device was measured");
    } else if (p->of >= NNC_PAST_DEVICE) {
        nnc_sheet_words(sheet, "%" PRId64 "%s measured steps %s: mean error %s, on average %s too %s%s",
                        p->of == NNC_PAST_SEEN ? p->rows : p->unseen, p->of == NNC_PAST_SEEN ? "" : " unseen",
                        p->of == NNC_PAST_OTHER_DEVICES ? "on other devices"
                        : p->of == NNC_PAST_ALL_DEVICES ? "on all devices"
                                                        : "of this kind",
                        nnc_percent_text(p->error, error), nnc_percent_text(fabs(p->bias), bias),
                        p->bias < 0.0 ? "fast" : "slow",
                        covers_slower(report->result) ? "; the range also covers slower frameworks" : "");
    } else if ((report->result->plan.train & NNC_TRAIN_NONE) != 0) {
        nnc_sheet_words(sheet, "range of training steps, because few forward passes were measured");
    } else if (nnc_past_lacks_cpu(report)) {
        nnc_sheet_words(sheet, "range of GPU steps, because no step of a CPU was measured");
    } else {
        nnc_sheet_words(sheet, "range of similar steps, because too few of this kind were measured");
    }
    nnc_sheet_end(sheet);
}
