/* The state of a reading of launch files: the files, the fields that they set, and the keys that they leave open.
 * launch.c opens the files, launch_rows.c reads their keys by the tables. */
#ifndef NNCOST_LAUNCH_LAUNCH_READING_H
#define NNCOST_LAUNCH_LAUNCH_READING_H

#include "launch/launch_internal.h"

enum {
    NNC_LAUNCH_FILES_MAX = 16,
    NNC_LAUNCH_VALUE = 64,     /* bytes of a value of a field of the plan */
    NNC_LAUNCH_KEY = 192,      /* longest key, with the keys around it */
    NNC_LAUNCH_TEXT = 1024,    /* longest value in a file */
    NNC_LAUNCH_FIELDS_MAX = 96 /* fields that files set; questions */
};

/* A document and its faults. It may not move: its nodes point to it. */
typedef struct nnc_document {
    nnc_json_doc doc;
    nnc_faults faults;
    char *text;      /* text of the file */
    nnc_buffer json; /* content of a file that is not JSON, as JSON */
    bool is_parsed;
} nnc_document;

/* A launch file with its table. A script has several: that of its launcher, and that of the program. */
typedef struct nnc_launch_file {
    const char *path, *format; /* format NULL: not known yet */
    nnc_document content, table;
    nnc_document also; /* the table that "also" names; is_parsed false: none */
} nnc_launch_file;

/* A field that a file sets. */
typedef struct nnc_set_field {
    const nnc_field *field;
    char value[NNC_LAUNCH_VALUE];
    int file;    /* file that set the field first */
    nnc_json at; /* node NULL: a rule or a default of a table */
    bool is_default;
    bool is_kept; /* the field keeps nncost's default, whatever the rules set */
} nnc_set_field;

/* A field of the model that the files describe; "MODEL" is its name, "SOFTWARE" the profile. */
typedef struct nnc_model_field {
    const char *name, *value; /* texts in the arena; name without "model." */
    int file;
    nnc_json at;
    bool is_default;
    bool is_set; /* set by --set, which takes precedence */
} nnc_model_field;

/* A key that wants one of some fields set elsewhere. */
typedef struct nnc_question {
    nnc_json at, fields;
    const char *only; /* the field, when `fields` is absent */
    const char *path; /* path of the key, in the arena */
    int file;
    bool is_open; /* nothing sets them */
} nnc_question;

/* A path in a file to another launch file. */
typedef struct nnc_reference {
    nnc_json at;
    const char *format;
    const char *path; /* path of the key, in the arena */
    nnc_json known;   /* fields of paths that come with the program */
    int file;
} nnc_reference;

typedef struct nnc_reading {
    nnc_specs *specs;
    nnc_arena *arena;
    const nnc_launch_asked *asked;
    const nnc_scenario_args *given;
    nnc_launch_file files[NNC_LAUNCH_FILES_MAX];
    int file_count, file; /* file: the one that is read now */
    nnc_set_field sets[NNC_LAUNCH_FIELDS_MAX];
    int set_count;
    nnc_model_field model[NNC_LAUNCH_FIELDS_MAX];
    int model_count;
    nnc_question questions[NNC_LAUNCH_FIELDS_MAX];
    int question_count;
    nnc_reference references[NNC_LAUNCH_FILES_MAX];
    int reference_count;
    const char *defined;     /* assignments of variables, in front of a script */
    const char *model_given; /* MODEL of the command line; NULL = none */
    bool serves;             /* the files start an engine that serves */
    bool is_incomplete;      /* a file is missing, so no rule applies */
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

/* The commands that were found. */
typedef struct nnc_shell_commands {
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    nnc_shell_command *list;
    int32_t count, capacity;
} nnc_shell_commands;

bool nnc_shell_is_option(const char *word);
bool nnc_shell_has_program(const nnc_script_words *w);
/* Keeps the command if it starts a program with options; keeps words that are options alone. */
void nnc_shell_keep(nnc_shell_commands *s, const nnc_script_words *w);
void nnc_shell_keep_options(nnc_shell_commands *s, const nnc_script_words *w);

/* ---- documents and tables: launch.c ---- */

void nnc_document_free(nnc_document *d);
/* Parses a text that outlives the document. */
nnc_status nnc_document_parse(nnc_specs *specs, nnc_document *d, const char *text, size_t size);
/* Opens the table of a format. NNC_BAD_USAGE: the format is unknown. */
nnc_status nnc_launch_table(nnc_specs *specs, const char *format, nnc_document *table, nnc_error *err);

/* ---- the reading ---- */

bool nnc_reading_goes_on(const nnc_reading *r);
/* The fault that was noted at a value becomes the error of the reading. */
void nnc_reading_fail(nnc_reading *r, nnc_json at);
/* Lists a key that sets nothing. path: keys from the root to it, joined by dots. */
void nnc_reading_ignore(nnc_reading *r, nnc_json at, const char *path, const char *why, bool skipped);
bool nnc_reading_is_given(const nnc_reading *r, const nnc_field *field);
/* Sets the fields of an object of a table. */
void nnc_reading_set(nnc_reading *r, nnc_json at, const char *path, nnc_json fields, bool are_defaults);
/* A field of the model or its name; NULL: no key sets it. */
nnc_model_field *nnc_reading_model(nnc_reading *r, const char *name);

/* Do the "when" (or "if") of a row or rule hold, and its "unless" not? */
bool nnc_reading_applies(nnc_reading *r, nnc_json row, const char *when);
/* The text that a table gives to a field: as it is, '=' a formula, '@' the value of a key. false: an error was noted, or
 * the key is absent. */
bool nnc_reading_text(nnc_reading *r, nnc_json at, const char *value, char *text, size_t size);
/* The row of a key in the table, else in the one that the table names by "also". below: there are rows for keys inside
 * it. */
nnc_json nnc_reading_row(const nnc_reading *r, const char *path, bool *below);

/* Reads the keys of file number index; answers the questions from number first on; applies the rules of a file. */
void nnc_reading_keys(nnc_reading *r, int index);
void nnc_reading_answer(nnc_reading *r, int first);
void nnc_reading_rules(nnc_reading *r, int index);

#endif
