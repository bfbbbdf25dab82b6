#include "record/packed.h"

#include <math.h>
#include <string.h>

static bool same_kinds(const nnc_figures *kinds, nnc_figures figures)
{
    bool same = kinds != NULL && kinds->count == figures.count;
    for (int32_t i = 0; same && i < figures.count; i++) {
        const nnc_figure *a = &kinds->list[i], *b = &figures.list[i];
        same = (a->text != NULL) == (b->text != NULL) &&
               (a->name == b->name || strcmp(a->name, b->name) == 0);
    }
    return same;
}

static const nnc_figures *copy_kinds(nnc_arena *arena, nnc_figures figures)
{
    nnc_figures *kinds = nnc_arena_alloc(arena, sizeof *kinds);
    nnc_figure *list = nnc_arena_array(arena, (size_t)figures.count + 1, sizeof *list);
    if (kinds == NULL || list == NULL) {
        return NULL;
    }
    if (figures.count > 0) {
        memcpy(list, figures.list, (size_t)figures.count * sizeof *list);
    }
    *kinds = (nnc_figures){ list, figures.count };
    return kinds;
}

bool nnc_packed_make(nnc_arena *arena, nnc_figures figures, const nnc_packed *before,
                     nnc_packed *packed)
{
    const bool same = before != NULL && same_kinds(before->kinds, figures);
    nnc_packed_value *values = nnc_arena_array(arena, (size_t)figures.count + 1, sizeof *values);
    *packed = (nnc_packed){ same ? before->kinds : copy_kinds(arena, figures), values };
    if (values == NULL || packed->kinds == NULL) {
        return false;
    }
    for (int32_t i = 0; i < figures.count; i++) {
        const nnc_figure *figure = &figures.list[i];
        if (figure->text != NULL) {
            values[i].text = figure->text;
        } else {
            values[i].number = figure->number;
        }
    }
    return true;
}

nnc_figure nnc_packed_figure(const nnc_packed *packed, int32_t index)
{
    const nnc_figure *kind = &packed->kinds->list[index];
    const nnc_packed_value value = packed->values[index];
    nnc_figure figure = { .name = kind->name, .number = (double)NAN };
    if (kind->text != NULL) {
        figure.text = value.text;
    } else {
        figure.number = value.number;
    }
    return figure;
}

const nnc_figure *nnc_packed_list(nnc_arena *arena, const nnc_packed *packed)
{
    const int32_t count = nnc_packed_count(packed);
    nnc_figure *list = nnc_arena_array(arena, (size_t)count + 1, sizeof *list);
    for (int32_t i = 0; list != NULL && i < count; i++) {
        list[i] = nnc_packed_figure(packed, i);
    }
    return list;
}
