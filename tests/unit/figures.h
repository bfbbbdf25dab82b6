/* Defines lists of metrics of an estimate, written by hand, and an arena for each test. */
#ifndef NNCOST_TESTS_UNIT_FIGURES_H
#define NNCOST_TESTS_UNIT_FIGURES_H

#include "base/base_internal.h"
#include "support.h"

static nnc_arena *arena;
static nnc_error err;

static inline void open_arena(void) {
    arena = nnc_arena_create();
    ck_assert_ptr_nonnull(arena);
    memset(&err, 0, sizeof err);
}

static inline void close_arena(void) { nnc_arena_destroy(arena); }

#define NUMBER(figure_name, value) \
    { .name = (figure_name), .number = (value) }
#define TEXT(figure_name, value) \
    { .name = (figure_name), .text = (value), .number = (double)NAN }

static const nnc_figure old_list[] = {
    TEXT("plan.precision", "bf16"),    NUMBER("step.step_s", 2.0),         NUMBER("step.forward_s", 0.5),
    NUMBER("step.backward_s", 1.5),    NUMBER("step.bubble_s", 0.0),       TEXT("step.bound", "compute"),
    NUMBER("memory.total_bytes", 100), NUMBER("memory.bound_s.host", 1.0), NUMBER("work.tokens", (double)NAN),
};
static const nnc_figures old_figures = { old_list, COUNT_OF(old_list) };

#endif
