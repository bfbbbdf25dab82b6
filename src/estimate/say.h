/* What an estimate says of itself that is a sum over rows, or over what a device holds. The other
 * formulas stand where they are computed. */
#ifndef NNCOST_ESTIMATE_SAY_H
#define NNCOST_ESTIMATE_SAY_H

#include "estimate/step.h"

/* Lines from here on belong to a row of the op table; to the step again. Nothing if why is NULL. */
static inline void nnc_say_of_row(nnc_derivation *why, int32_t row)
{
    NNC_WHEN(why, nnc_say_of(why, "#%d", (int)row));
}

static inline void nnc_say_of_step(nnc_derivation *why)
{
    NNC_WHEN(why, nnc_say_of(why, "%s", ""));
}

/* "host.layers1.forward": of one instance of a segment in one part of a pass. */
enum { NNC_SAY_NAME = 64 };
void nnc_say_name(const char *what, int32_t segment, nnc_part part, char name[NNC_SAY_NAME]);

/* The degrees and the batch of a plan, as operands. */
void nnc_say_plan(const nnc_plan *plan, nnc_derivation *why);

/* Parameters by the part of the network, and each of these by its ops. */
void nnc_say_params(const nnc_op_list *list, const nnc_result *r, nnc_derivation *why);

void nnc_say_groups(const nnc_group_sums *groups, nnc_part part, const char *name, double result,
                    nnc_derivation *why);
/* A sum over the parts of the step. */
void nnc_say_parts(const double sums[NNC_PARTS], const char *name, const char *unit, double result,
                   nnc_derivation *why);

/* Of the busiest stage, before its rows are there: what issuing ops adds, exposed communication. */
void nnc_say_step(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                  const nnc_holding *holding, const nnc_result *r);
/* What sums over the rows of the step: its parts, communication, traffic; what bounds it. */
void nnc_say_rows(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
void nnc_say_bounds(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
/* Without a pipeline: the upper bound as a sum. With one: the bubble in closed form. */
void nnc_say_serial(const nnc_step *step, const nnc_rows *rows, const nnc_result *r);
void nnc_say_equal_stages(const nnc_step *step, const nnc_stage *busiest);

#endif
