#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "render/sheet.h"

/* Headings in help, in their order. */
static const char *const groups[] = {
    "Batch", "Parallelism", "Memory", "Numbers", "Cost", "Output"
};

static void write_option(nnc_sheet *sheet, const nnc_option_text *option)
{
    char label[NNC_OPTION_NAME + 32];
    snprintf(label, sizeof label, "  %s%s", option->name, option->argument);
    nnc_sheet_label(sheet, label);
    nnc_sheet_words(sheet, "%s", option->help);
    nnc_sheet_end(sheet);
}

void nnc_options_help(nnc_buffer *out, nnc_style style, unsigned takes)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_option_text option;
    sheet.indent = 26;
    nnc_buffer_text(out, "\nOptions, always in full.\n");
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        bool any = false;
        for (int i = 0; nnc_option_at(takes, i, &option); i++) {
            if (strcmp(option.group, groups[g]) == 0) {
                if (!any) {
                    nnc_buffer_print(out, "\n%s:\n", groups[g]);
                }
                any = true;
                write_option(&sheet, &option);
            }
        }
    }
}
