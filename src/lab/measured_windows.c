/* Cells of a measured step that take some reading: windows of attention, peaks of memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/measured_cells.h"

static bool take_number(const char **text, long *value)
{
    char *end = NULL;
    *value = strtol(*text, &end, 10);
    const bool any = end != *text;
    *text = end;
    return any;
}

static bool take_word(const char **text, const char *word)
{
    const size_t length = strlen(word);
    const bool is = strncmp(*text, word, length) == 0;
    *text += is ? length : 0;
    return is;
}

/* "128", "128 on every 2nd layer", "1024 on 5 of 6 layers": some of so many layers have a window. */
static bool read_windows(const char *text, long *window, long *some, long *of)
{
    *some = *of = 1;
    if (!take_number(&text, window)) {
        return false;
    }
    if (take_word(&text, " on every ")) {
        return take_number(&text, of);
    }
    return *text == '\0' || (take_word(&text, " on ") && take_number(&text, some) &&
                             take_word(&text, " of ") && take_number(&text, of));
}

void nnc_measured_windows(nnc_measured_cells *cells, nnc_measured *row, nnc_decoder *d)
{
    const char *text = cells->text[NNC_COLUMN_SLIDING_WINDOW];
    long window = 0, some = 1, of = 1;
    if (text[0] == '\0') {
        return;
    }
    if (!read_windows(text, &window, &some, &of) || window < 1 || some < 0 || of < some || of < 1 ||
        of > NNC_PATTERN_MAX) {
        nnc_measured_refuse(cells, row, "sliding_window \"%.48s\" has no meaning here", text);
        return;
    }
    d->sliding_window = window;
    d->mixers_count = of > 1 ? (int32_t)of : 0;
    for (int32_t i = 0; i < d->mixers_count; i++) {
        d->mixers[i] = i < some ? NNC_MIXER_WINDOW : NNC_MIXER_FULL;
    }
}

void nnc_measured_network(const nnc_measured_cells *cells, nnc_measured *row)
{
    const double node = nnc_cell_number(cells, NNC_COLUMN_INTERNODE);
    const int32_t devices = row->plan.devices_per_node;
    if (node > 0.0 && devices > 0) {
        row->internode_bytes_per_s = node * 1e9 / 8.0 / (double)devices;
    }
}

void nnc_measured_peaks(nnc_measured_cells *cells, nnc_measured *row)
{
    const double gib = 1073741824.0;
    double *bytes = row->measured_bytes;
    const double peak = nnc_cell_given(cells, NNC_COLUMN_PEAK_MEM_GIB)
                            ? gib * nnc_cell_number(cells, NNC_COLUMN_PEAK_MEM_GIB)
                            : 1e9 * nnc_cell_number(cells, NNC_COLUMN_PEAK_MEM_GB);
    const nnc_memory_stat stat =
        nnc_cell_starts(cells, NNC_COLUMN_MEM_STAT, "reserved")   ? NNC_MEMORY_RESERVED
        : nnc_cell_starts(cells, NNC_COLUMN_MEM_STAT, "unstated") ? NNC_MEMORY_UNSTATED
                                                                  : NNC_MEMORY_ALLOCATED;
    bytes[stat] = peak;
    if (nnc_cell_given(cells, NNC_COLUMN_PEAK_RESERVED_GIB)) {
        bytes[NNC_MEMORY_RESERVED] = gib * nnc_cell_number(cells, NNC_COLUMN_PEAK_RESERVED_GIB);
    }
    for (int i = 0; i < NNC_MEMORY_STAT_COUNT; i++) {
        if (bytes[i] <= 0.0) {
            nnc_measured_refuse(cells, row, "a measured peak of %g B", bytes[i]);
        }
    }
}
