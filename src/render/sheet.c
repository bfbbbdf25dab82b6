/* Lines of a page: "label   item, item, item", and the rows that describe a page as data (nnc_page_row). */
#include <assert.h>

#include "render/render_internal.h"

enum { LABEL_WIDTH = 10, REFERENCE_MAX = 96 };

nnc_sheet nnc_sheet_begin(nnc_buffer *out, nnc_style style)
{
    return (nnc_sheet){ .out = out, .style = style, .indent = LABEL_WIDTH };
}

static const nnc_page *page_of(const nnc_sheet *sheet)
{
    return sheet->style.format->page;
}

void nnc_sheet_label(nnc_sheet *sheet, const char *label)
{
    sheet->items = 0;
    page_of(sheet)->label(sheet, label);
}

/* Writes one unbreakable piece; on a new line when it, with `follows` columns after it, would pass the right
 * edge. */
static void put_piece(nnc_sheet *sheet, nnc_ink ink, const char *text, int follows)
{
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
    if (inked) {
        nnc_buffer_print(sheet->out, "\033[%sm", codes[ink]);
    }
    page->text(sheet, text);
    if (inked) {
        nnc_buffer_text(sheet->out, "\033[0m");
    }
    sheet->items++;
}

void nnc_sheet_item(nnc_sheet *sheet, nnc_ink ink, const char *format, ...)
{
    char text[NNC_PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    if (sheet->items > 0) {
        page_of(sheet)->text(sheet, ",");
    }
    put_piece(sheet, ink, text, 1); /* the comma of the next item */
}

void nnc_sheet_phrase(nnc_sheet *sheet, nnc_ink ink, const char *format, ...)
{
    char text[NNC_PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_piece(sheet, ink, text, 0);
}

/* Writes text word by word; changes the text. */
static void put_words(nnc_sheet *sheet, char *text)
{
    for (char *word = text; *word;) {
        const size_t length = strcspn(word, " ");
        const bool last = word[length] == '\0';
        word[length] = '\0';
        if (length > 0) {
            put_piece(sheet, NNC_INK_PLAIN, word, 0);
        }
        word += length + (last ? 0 : 1);
    }
}

void nnc_sheet_words(nnc_sheet *sheet, const char *format, ...)
{
    char text[NNC_PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_words(sheet, text);
}

void nnc_sheet_line(nnc_buffer *out, nnc_style style, const char *format, ...)
{
    char text[NNC_PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!style.format->page->wraps) {
        nnc_buffer_print(out, "%s\n", text);
        return;
    }
    nnc_sheet sheet = { .out = out, .style = style };
    put_words(&sheet, text);
    nnc_sheet_end(&sheet);
}

void nnc_sheet_end(nnc_sheet *sheet)
{
    nnc_buffer_byte(sheet->out, '\n');
    sheet->column = 0;
}

void nnc_sheet_gap(nnc_sheet *sheet)
{
    nnc_buffer_byte(sheet->out, '\n');
}

void nnc_sheet_heading(nnc_buffer *out, nnc_style style, const char *text)
{
    style.format->page->heading(out, text);
}

/* ---- rows ---- */

/* Forms in which a row shows a metric, in place of the form in its table: "{cost.step:count}". */
static const struct form {
    const char *name;
    nnc_show show;
    double divisor;     /* 0 = 1 */
    const char *printf; /* instead of show; NULL = none */
} forms[] = {
    { .name = "count", .show = NNC_SHOW_COUNT },       /* 1,557,611,200; 16.73 */
    { .name = "percent", .show = NNC_SHOW_PERCENT },   /* 41.2% */
    { .name = "percent2", .show = NNC_SHOW_PERCENT2 }, /* 41.23% */
    { .name = "plain", .show = NNC_SHOW_PLAIN },       /* every digit, 12 at most */
    { .name = "hours", .show = NNC_SHOW_COUNT, .divisor = 3600.0 },
    { .name = "kWh", .show = NNC_SHOW_COUNT, .divisor = 3.6e6 },
    { .name = "tonnes", .show = NNC_SHOW_COUNT, .divisor = 1000.0 },
    { .name = "ceil", .show = NNC_SHOW_COUNT }, /* the next whole number */
    { .name = "si" },                           /* with a prefix, without a unit: 15.00 T */
    { .name = "gib" },                          /* 80.00 GiB */
    { .name = "g", .printf = "%g" },
    { .name = "g4", .printf = "%.4g" },
};
enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

static const struct form *form_of(const char *name)
{
    for (int i = 0; i < FORM_COUNT; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

/* The value of an array by its name or its number. */
static int32_t index_of(const nnc_metric *row, const char *name)
{
    for (int32_t i = 0; i < row->each_count && nnc_metric_rare(row)->each != NULL; i++) {
        if (strcmp(nnc_metric_rare(row)->each((unsigned)i), name) == 0) {
            return i;
        }
    }
    return (int32_t)strtol(name, NULL, 10);
}

/* Length of a row's name if `name` begins with it, 0 for a row without a name; -1: another name. */
static int name_length(const nnc_metric *row, const char *name)
{
    int length = 0;
    if (row->name == NULL) {
        return 0;
    }
    while (row->name[length] != '\0' && row->name[length] == name[length]) {
        length++;
    }
    return row->name[length] == '\0' ? length : -1;
}

/* A metric by its full name, as nnc_metric_find, with the place that its row counts from. place->record may be NULL
 * when only the row is asked for. */
static const nnc_metric *find_row(const nnc_metrics *metrics, const char *name, nnc_place *place,
                                  int32_t *index)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        const int length = name_length(row, name);
        if (length < 0) {
            continue;
        }
        if (row->type == NNC_METRIC_OBJECT && (row->name == NULL || name[length] == '.')) {
            nnc_place inside = place->record != NULL ? nnc_metric_inside(row, place) : *place;
            const char *rest = row->name != NULL ? name + length + 1 : name;
            /* Tables nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
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

/* Copies text up to one of two characters, or its end; returns the text from there on. */
static const char *take(const char *text, char end, char or_end, char taken[REFERENCE_MAX])
{
    size_t length = 0;
    while (text[length] != '\0' && text[length] != end && text[length] != or_end &&
           length + 1 < REFERENCE_MAX) {
        taken[length] = text[length];
        length++;
    }
    taken[length] = '\0';
    return text + length;
}

/* The reference that begins at '{': its name, and its form or NULL. Returns the text after '}'. */
static const char *split(const char *at, char name[REFERENCE_MAX], char own_form[REFERENCE_MAX],
                         const char **form)
{
    at = take(at + 1, ':', '}', name);
    *form = *at == ':' ? own_form : NULL;
    if (*at == ':') {
        at = take(at + 1, '}', '}', own_form);
    }
    return at + 1;
}

static bool is_true(const nnc_cell *cell)
{
    switch (cell->kind) {
    case NNC_CELL_NULL: return false;
    case NNC_CELL_BOOL: return cell->flag;
    case NNC_CELL_TEXT: return cell->text[0] != '\0';
    case NNC_CELL_WHOLE: return cell->whole != 0;
    case NNC_CELL_NUMBER: break;
    }
    return cell->number < 0.0 || cell->number > 0.0;
}

static double number_of(const nnc_cell *cell)
{
    return cell->kind == NNC_CELL_WHOLE    ? (double)cell->whole
           : cell->kind == NNC_CELL_NUMBER ? cell->number
                                           : (double)NAN;
}

/* The cell of a metric; or of a number, or a word. */
static nnc_cell operand(const nnc_metrics *metrics, const void *record, const char *word,
                        char text[NNC_METRIC_TEXT_MAX])
{
    nnc_place place = { .record = record };
    int32_t index = 0;
    if (word[0] >= '0' && word[0] <= '9') {
        return nnc_number_cell(strtod(word, NULL));
    }
    const nnc_metric *row = find_row(metrics, word, &place, &index);
    return row != NULL ? nnc_metric_read(row, &place, index, text) : nnc_text_cell(word);
}

/* One part of a condition: a name, or two operands and the sign between them. */
typedef struct part {
    char left[REFERENCE_MAX], sign[REFERENCE_MAX], right[REFERENCE_MAX];
    bool not ;
} part;

/* Takes the next part; returns the text after it, NULL at the end. */
static const char *next_part(const char *when, part *p)
{
    p->not = *when == '!';
    p->left[0] = p->sign[0] = p->right[0] = '\0';
    when = take(when + (p->not ? 1 : 0), ' ', ',', p->left);
    if (*when == ' ') {
        when = take(take(when + 1, ' ', ' ', p->sign) + 1, ',', ',', p->right);
    }
    return *when == ',' ? when + 2 : NULL;
}

static bool holds(const nnc_metrics *metrics, const void *record, const char *when)
{
    char texts[2][NNC_METRIC_TEXT_MAX];
    bool all = true;
    for (part p = { .left = "" }; when != NULL && all;) {
        when = next_part(when, &p);
        const nnc_cell left = operand(metrics, record, p.left, texts[0]);
        const nnc_cell right =
            p.sign[0] != '\0' ? operand(metrics, record, p.right, texts[1]) : nnc_text_cell(NULL);
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
/* Do all rows, also those that are left out now, name existing metrics and forms? */
static bool all_known(const nnc_page_rows *page)
{
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
            if (find_row(page->metrics, name, &nowhere, &index) == NULL ||
                (form != NULL && form_of(form) == NULL)) {
                fprintf(stderr, "page row \"%s\": no metric or form \"%s\"\n", page->rows[i].text,
                        name);
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
                         char text[NNC_METRIC_TEXT_MAX])
{
    double value = cell.kind == NNC_CELL_WHOLE ? (double)cell.whole : cell.number;
    if (form == NULL) {
        return nnc_cell_text(&cell, row->show, row->unit, text);
    }
    if (form->printf != NULL) {
        snprintf(text, NNC_METRIC_TEXT_MAX, form->printf, value);
        return text;
    }
    if (strcmp(form->name, "gib") == 0) {
        return nnc_binary_text(value, text);
    }
    if (strcmp(form->name, "si") == 0) {
        return nnc_unit_text(value, "", text);
    }
    value = form->divisor > 0.0 ? value / form->divisor : value;
    value = strcmp(form->name, "ceil") == 0 ? ceil(value) : value;
    cell = nnc_number_cell(value);
    return nnc_cell_text(&cell, form->show, NULL, text);
}

bool nnc_page_text(const nnc_metrics *metrics, const void *record, const char *text,
                   char filled[NNC_PAGE_TEXT])
{
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
        if (cell.kind == NNC_CELL_NULL) {
            return false;
        }
        const struct form *as = form != NULL ? form_of(form) : NULL;
        const char *value = shown(row, cell, as, number);
        while (*value != '\0' && used + 1 < NNC_PAGE_TEXT) {
            filled[used++] = *value++;
        }
    }
    filled[used < NNC_PAGE_TEXT ? used : NNC_PAGE_TEXT - 1] = '\0';
    return true;
}

/* A line that is being written. */
typedef struct page_line {
    nnc_sheet *sheet;
    const char *label; /* to be written with the first item; NULL = written, or no line */
    const char *last;  /* label of the last line; a line of the same label continues it */
    bool open, skipped;
} page_line;

static void close_line(page_line *l)
{
    if (l->open) {
        nnc_sheet_end(l->sheet);
    }
    l->open = false;
    l->label = NULL;
}

static void open_line(page_line *l)
{
    if (l->label != NULL) {
        const bool same = l->last != NULL && strcmp(l->last, l->label) == 0;
        nnc_sheet_label(l->sheet, same ? "" : l->label);
        l->last = l->label;
        l->label = NULL;
        l->open = true;
    }
}

static void write_row(page_line *l, const nnc_page_rows *page, const nnc_page_row *row,
                      const void *record)
{
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
            nnc_sheet_item(l->sheet, row->ink, "%s", text);
        }
    }
}

void nnc_sheet_rows(nnc_sheet *sheet, const nnc_page_rows *page, const void *record)
{
    page_line l = { .sheet = sheet };
    char filled[NNC_PAGE_TEXT]; /* a label that names metrics; the only one of its page */
    CHECK_PAGE(page);
    for (size_t i = 0; i < page->count; i++) {
        const nnc_page_row *row = &page->rows[i];
        const bool block = row->kind == NNC_ROW_GAP || row->kind == NNC_ROW_BLOCK;
        if (l.skipped && row->label == NULL && !block) {
            continue;
        }
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
        if (shows && (block || !l.skipped)) {
            write_row(&l, page, row, record);
        }
    }
    close_line(&l);
}
