/* Widths of the characters of DejaVu Sans in thousandths of its size, from blank to '~'. */
#include <stdio.h>
#include <string.h>

#include "render/svg.h"

enum { FIRST = ' ', LAST = '~', OTHER = 1000 }; /* OTHER: outside ASCII, where few are wider */

static const uint16_t plain[LAST - FIRST + 1] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838,
};

static const uint16_t bold[LAST - FIRST + 1] = {
    348,  456, 521, 838, 696, 1002, 872, 306,  457, 457, 523, 838, 380, 415,  380, 365,
    696,  696, 696, 696, 696, 696,  696, 696,  696, 696, 400, 400, 838, 838,  838, 580,
    1000, 774, 762, 734, 830, 683,  683, 821,  837, 372, 372, 775, 637, 995,  837, 850,
    733,  850, 770, 720, 682, 812,  774, 1103, 771, 724, 725, 457, 365, 457,  838, 500,
    500,  675, 716, 593, 716, 678,  435, 716,  712, 343, 343, 665, 343, 1042, 712, 687,
    716,  716, 493, 595, 478, 712,  652, 924,  645, 652, 582, 712, 365, 712,  838,
};

/* Thousandths of the size that the first bytes of a text take. */
static int64_t advance_of(const char *text, size_t size, nnc_type type)
{
    const uint16_t *widths = type == NNC_TYPE_BOLD ? bold : plain;
    int64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte >= FIRST && byte <= LAST) {
            sum += widths[byte - FIRST];
        } else if ((byte & 0xC0U) != 0x80U) { /* begins a character */
            sum += OTHER;
        }
    }
    return sum;
}

static nnc_px width_of(const char *text, size_t size, nnc_type type)
{
    const int64_t points = type == NNC_TYPE_SMALL ? 10 : 12;
    return (nnc_px)((advance_of(text, size, type) * points * 105 + 9999) / 10000);
}

nnc_px nnc_text_px(const char *text, nnc_type type)
{
    return width_of(text, strlen(text), type);
}

char *nnc_text_cut(const char *text, nnc_type type, nnc_px width, char cut[NNC_TEXT_PX_MAX])
{
    size_t size = strlen(text);
    if (size < NNC_TEXT_PX_MAX && width_of(text, size, type) <= width) {
        memcpy(cut, text, size + 1);
        return cut;
    }
    const nnc_px dots = nnc_text_px("..", type);
    while (size > 0 && (size > NNC_TEXT_PX_MAX - 3 || width_of(text, size, type) + dots > width)) {
        do {
            size--;
        } while (size > 0 && ((unsigned char)text[size] & 0xC0U) == 0x80U);
    }
    snprintf(cut, NNC_TEXT_PX_MAX, "%.*s..", (int)size, text);
    return cut;
}
