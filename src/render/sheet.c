#include "render/sheet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "render/text.h"

enum { LABEL_WIDTH = 10, TEXT_MAX = 2048 };

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

/* Puts one unbreakable piece, on a new line when it, and what may follow it at once, would pass the right edge. */
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
    char text[TEXT_MAX];
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
    char text[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_piece(sheet, ink, text, 0);
}

/* Takes the text apart. */
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
    char text[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_words(sheet, text);
}

void nnc_sheet_line(nnc_buffer *out, nnc_style style, const char *format, ...)
{
    char text[TEXT_MAX];
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
