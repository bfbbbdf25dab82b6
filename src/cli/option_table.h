/* The table of options, and how they are spelled. */
#ifndef NNCOST_CLI_OPTION_TABLE_H
#define NNCOST_CLI_OPTION_TABLE_H

#include "cli/option.h"

/* An option of the command line itself; those of the plan come from its field table. */
typedef struct nnc_own_option {
    const char *name, *argument, *help; /* argument NULL: a switch */
    const char *group;
    unsigned takes;
    const char *(*value_name)(unsigned value); /* what the argument may be; NULL = anything */
    int value_count;
} nnc_own_option;

extern const nnc_own_option nnc_own_options[];
extern const int nnc_own_option_count;

enum { NNC_SPELLINGS_MAX = 192 };

/* One spelling of an option. */
typedef struct nnc_option_spelling {
    char name[NNC_OPTION_NAME]; /* "--micro-batch" */
    const nnc_own_option *own;  /* or */
    const nnc_field *field;
} nnc_option_spelling;

typedef struct nnc_option_spellings {
    nnc_option_spelling entries[NNC_SPELLINGS_MAX];
    int count;
} nnc_option_spellings;

/* All that a command with these takes understands; a plan field with an alias has two. */
void nnc_option_spellings_of(nnc_option_spellings *list, unsigned takes);

/* The entry spelled exactly like word, up to a '='; NULL if there is none. */
const nnc_option_spelling *nnc_option_find(const nnc_option_spellings *list, const char *word);

/* Fails with NNC_BAD_USAGE: word is no option of the command, and what may be meant. */
nnc_status nnc_option_unknown(const nnc_option_spellings *list, const char *command,
                              const char *word, nnc_error *err);

#endif
