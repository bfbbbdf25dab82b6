/* The state while launch files are read: the files, the fields that they set, and the keys that are still open.
 * launch.c opens the files; launch_rows.c reads their keys by the tables. */
#ifndef NNCOST_LAUNCH_LAUNCH_READING_H
#define NNCOST_LAUNCH_LAUNCH_READING_H

#include "launch/launch_internal.h"

enum {
    NNC_LAUNCH_FILES_MAX = 16,
    NNC_LAUNCH_VALUE = 64,     /* bytes of a value of a field of the plan */
    NNC_LAUNCH_KEY = 192,      /* longest key, with the keys around it */
    NNC_LAUNCH_TEXT = 1024,    /* longest value in a file */
    NNC_LAUNCH_FIELDS_MAX = 96 /* limit of fields that files set, and of questions */
};

/* A document and its faults. It must not be moved, because its nodes point to it. */
typedef struct nnc_document {
    nnc_json_doc doc;
    nnc_faults faults;
    char *text;      /* text of the file */
    nnc_buffer json; /* content of a file that is not JSON, converted to JSON */
    bool is_parsed;
} nnc_document;

/* A launch file and its table. A script has several: the options of its launcher, and those of its program. */
typedef struct nnc_launch_file {
    const char *path, *format; /* format NULL: not yet known */
    nnc_document content, table;
    nnc_document also; /* table that "also" names; is_parsed false: none */
} nnc_launch_file;

/* A field that a file sets. */
typedef struct nnc_set_field {
    const nnc_field *field;
    char value[NNC_LAUNCH_VALUE];
    int file;    /* file that set the field first */
    nnc_json at; /* node NULL: set by a rule or a default of a table */
    bool is_default;
    bool is_kept; /* the field keeps nncost's default, so no rule sets it */
} nnc_set_field;

/* A field of the model that the files describe. "MODEL" is the name of the model, "SOFTWARE" the software profile. */
typedef struct nnc_model_field {
    const char *name, *value; /* texts in the arena; the name has no "model." */
    int file;
    nnc_json at;
    bool is_default;
    bool is_set; /* set by --set, which takes precedence */
} nnc_model_field;

/* A key for which something else must set one of some fields. */
typedef struct nnc_question {
    nnc_json at, fields;
    const char *only; /* the only field, if `fields` is absent */
    const char *path; /* path of the key, in the arena */
    int file;
    bool is_open; /* nothing sets the fields */
} nnc_question;

/* A key whose value is the path of another launch file. */
typedef struct nnc_reference {
    nnc_json at;
    const char *format;
    const char *path; /* path of the key, in the arena */
    nnc_json known;   /* fields for paths that come with the program */
    int file;
} nnc_reference;

typedef struct nnc_reading {
    nnc_specs *specs;
    nnc_arena *arena;
    const nnc_launch_asked *asked;
    const nnc_scenario_args *given;
    nnc_launch_file files[NNC_LAUNCH_FILES_MAX];
    int file_count, file; /* file: index of the file that is being read */
    nnc_set_field sets[NNC_LAUNCH_FIELDS_MAX];
    int set_count;
    nnc_model_field model[NNC_LAUNCH_FIELDS_MAX];
    int model_count;
    nnc_question questions[NNC_LAUNCH_FIELDS_MAX];
    int question_count;
    nnc_reference references[NNC_LAUNCH_FILES_MAX];
    int reference_count;
    const char *defined;     /* assignments of variables, put in front of a script */
    const char *model_given; /* MODEL on the command line; NULL = not given */
    bool serves;             /* the files start an engine that serves */
    bool is_incomplete;      /* a file is missing, so the rules are not applied */
    nnc_launch_said *said;
    nnc_error *err;
    nnc_status status;
} nnc_reading;

/* ---- words of a script: shell.c, shell_command.c ---- */

typedef struct nnc_script_word {
    const char *text;
    int32_t line;
} nnc_script_word;

typedef struct nnc_script_words {
    nnc_script_word *items; /* in the arena */
    int32_t count, capacity;
} nnc_script_words;

/* The commands of a script that were kept. */
typedef struct nnc_shell_commands {
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    nnc_shell_command *list;
    int32_t count, capacity;
} nnc_shell_commands;

bool nnc_shell_is_option(const char *word);
bool nnc_shell_has_program(const nnc_script_words *w);
/* nnc_shell_keep keeps a command if it starts a program with options. nnc_shell_keep_options keeps words that are
 * options without a program. */
void nnc_shell_keep(nnc_shell_commands *s, const nnc_script_words *w);
void nnc_shell_keep_options(nnc_shell_commands *s, const nnc_script_words *w);

/* ---- documents and tables: launch.c ---- */

void nnc_document_free(nnc_document *d);
/* Parses a text, which must outlive the document. */
nnc_status nnc_document_parse(nnc_specs *specs, nnc_document *d, const char *text, size_t size);
/* Opens the table of a format. NNC_BAD_USAGE: the format is unknown. */
nnc_status nnc_launch_table(nnc_specs *specs, const char *format, nnc_document *table, nnc_error *err);

/* ---- the reading ---- */

bool nnc_reading_goes_on(const nnc_reading *r);
/* Makes the fault that was noted at a value the error of the reading. */
void nnc_reading_fail(nnc_reading *r, nnc_json at);
/* Lists a key that sets nothing. path: the keys from the root to it, joined by dots. */
void nnc_reading_ignore(nnc_reading *r, nnc_json at, const char *path, const char *why, bool skipped);
bool nnc_reading_is_given(const nnc_reading *r, const nnc_field *field);
/* Sets the fields that an object of a table lists. */
void nnc_reading_set(nnc_reading *r, nnc_json at, const char *path, nnc_json fields, bool are_defaults);
/* Finds a field of the model, or "MODEL" or "SOFTWARE"; NULL: no key sets it. */
nnc_model_field *nnc_reading_model(nnc_reading *r, const char *name);

/* Are the conditions of "when" (or "if") of a row or rule met, and those of "unless" not? */
bool nnc_reading_applies(nnc_reading *r, nnc_json row, const char *when);
/* Writes the text that a table gives to a field: a plain text, the result of a formula ('='), or the value of a key
 * ('@'). Returns false if an error was noted, or the key is absent. */
bool nnc_reading_text(nnc_reading *r, nnc_json at, const char *value, char *text, size_t size);
/* Finds the row of a key in the table, or in the table that "also" names. *below: there are rows for keys inside the
 * key. */
nnc_json nnc_reading_row(const nnc_reading *r, const char *path, bool *below);

/* nnc_reading_keys reads the keys of file `index`. nnc_reading_answer checks the questions from number `first` on.
 * nnc_reading_rules applies the rules of file `index`. */
void nnc_reading_keys(nnc_reading *r, int index);
void nnc_reading_answer(nnc_reading *r, int first);
void nnc_reading_rules(nnc_reading *r, int index);

#endif
