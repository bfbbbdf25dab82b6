/* Members of model families: what published measurements call a network, and how it is made from a model
 * file. The table lab/members.json of the data folders. */
#ifndef NNCOST_LAB_MEASURED_MEMBER_H
#define NNCOST_LAB_MEASURED_MEMBER_H

#include "lab/measured.h"

typedef struct nnc_members nnc_members;

/* In the set's arena, to be closed. Without a data folder no name is known. */
nnc_status nnc_members_open(nnc_specs *specs, nnc_members **members, nnc_error *err);
void nnc_members_close(nnc_members *members);

/* A network of that name. Made once; lives as long as the set. */
typedef struct nnc_member {
    const char *key;
    const nnc_model *model; /* NULL: reason */
    const char *reason;     /* why it has no place here */
} nnc_member;

/* *member stays NULL where the table does not know the name: "NAME/TASK" is looked for before "NAME". Fails
 * with NNC_NO_MEMORY alone. */
nnc_status nnc_members_find(nnc_members *members, const char *name, const char *task,
                            const nnc_member **member, nnc_error *err);

#endif
