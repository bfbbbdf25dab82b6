/* The command line of a row. */
#include <string.h>

#include "base/shell_word.h"
#include "input/kind.h"
#include "sweep/sweep.h"

/* A model, device or profile as a whole, with a space before it. */
static void put_whole(const nnc_sweep *sweep, const int32_t *places, nnc_sweep_target target,
                      const char *option, nnc_buffer *out)
{
    for (int32_t i = 0; i < sweep->axes.axis_count; i++) {
        const nnc_sweep_axis *axis = &sweep->axes.axes[i];
        if (axis->target == target) {
            nnc_buffer_text(out, option);
            nnc_shell_word(out, axis->values[places[axis->group]]);
        }
    }
}

static void put_field(const nnc_sweep_axis *axis, const char *value, nnc_buffer *out)
{
    nnc_buffer_text(out, axis->option);
    if (!axis->is_switch) {
        nnc_shell_word(out, value);
    } else if (strcmp(value, "on") != 0) { /* its value is no word of its own */
        nnc_buffer_byte(out, '=');
        nnc_buffer_text(out, value);
    }
}

void nnc_sweep_command(const nnc_sweep *sweep, const int32_t *places, nnc_buffer *out)
{
    const nnc_sweep_axes *axes = &sweep->axes;
    nnc_buffer_clear(out);
    nnc_buffer_text(out, "nncost estimate");
    put_whole(sweep, places, NNC_SWEEP_MODEL, " ", out);
    put_whole(sweep, places, NNC_SWEEP_DEVICE, " ", out);
    put_whole(sweep, places, NNC_SWEEP_SOFTWARE, " --software ", out);
    if (sweep->cluster != NULL) {
        nnc_buffer_text(out, " --cluster ");
        nnc_shell_word(out, sweep->cluster);
    }
    nnc_buffer_text(out, nnc_specs_are_lenient(sweep->specs) ? " --lenient" : "");
    for (int pass = 0; pass < 2; pass++) { /* options, then what --set changes on top of them */
        for (int32_t i = 0; i < axes->axis_count; i++) {
            const nnc_sweep_axis *axis = &axes->axes[i];
            if (axis->field != NULL && (axis->target == NNC_SWEEP_PLAN_FIELD) == (pass == 0)) {
                put_field(axis, axis->values[places[axis->group]], out);
            }
        }
    }
    nnc_buffer_byte(out, '\0');
}
