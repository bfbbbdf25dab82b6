/* The table of options, and how they are spelled. */
#ifndef NNCOST_CLI_OPTION_TABLE_H
#define NNCOST_CLI_OPTION_TABLE_H

#include "cli/option.h"

typedef enum nnc_place_kind {
    NNC_PLACE_NONE, /* a row without one does not compile */
    NNC_PLACE_SWITCH,
    NNC_PLACE_WORD,
    NNC_PLACE_WORDS /* may be repeated */
} nnc_place_kind;

/* Where the value of an option goes: members of nnc_options. */
typedef struct nnc_option_place {
    nnc_place_kind kind;
    size_t offset;
    size_t count_offset, max; /* of a list */
} nnc_option_place;

/* An option of the command line itself; those of the plan come from its field table. */
typedef struct nnc_own_option {
    const char *name, *argument, *help; /* argument NULL: a switch */
    const char *group;
    unsigned takes;
    nnc_option_place place;
    char letter;                               /* "-o"; 0 = none */
    const char *(*value_name)(unsigned value); /* what the argument may be; NULL = anything */
    int value_count;
} nnc_own_option;

extern const nnc_own_option nnc_own_options[];
extern const int nnc_own_option_count;

enum { NNC_SPELLINGS_MAX = 256 };

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

/* The entry spelled like word in either case, up to a '='; NULL if there is none. */
const nnc_option_spelling *nnc_option_find(const nnc_option_spellings *list, const char *word);

/* The entry of a letter, 'o'; NULL if there is none. */
const nnc_option_spelling *nnc_option_of_letter(const nnc_option_spellings *list, int letter);

/* Takes an option as it was given. value: NULL = a switch. */
nnc_status nnc_option_take(nnc_options *options, const nnc_option_spelling *entry,
                           const char *value, nnc_error *err);

/* Was the option given? */
bool nnc_option_is_given(const nnc_options *options, const nnc_option_spelling *entry);

/* Takes from the defaults file what a command understands and was not given. */
nnc_status nnc_option_defaults(nnc_options *options, const nnc_option_spellings *list,
                               nnc_error *err);

/* Fails with NNC_BAD_USAGE: word is no option of the command, and what may be meant. */
nnc_status nnc_option_unknown(const nnc_option_spellings *list, const char *command,
                              const char *word, nnc_error *err);

#endif
