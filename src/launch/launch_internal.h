/* Launch files: files that start a training run or a serving engine, read as options of a plan.
 *
 *     FILE -> document (JSON; YAML and TOML become JSON text with the same lines, yaml.c and toml.c)
 *          -> rows of foreign/launch/FORMAT.json, which state the meaning of each key (launch_rows.c)
 *          -> settings of the plan, as if they were given as options
 *
 * A format is data: one file with a row for each key. A key without a row is an error, because it may change the cost.
 * Options of the command line always take precedence. */
#ifndef NNCOST_LAUNCH_LAUNCH_INTERNAL_H
#define NNCOST_LAUNCH_LAUNCH_INTERNAL_H

#include <stdio.h>
#include <string.h>

#include "scenario/scenario_internal.h"

/* A browser page has no tables of launch formats and is given no binary files, so it reads neither launch files nor
 * checkpoints, and the linker removes their code. */
#ifdef __wasi__
enum { NNC_READS_LAUNCH_FILES = false };
#else
enum { NNC_READS_LAUNCH_FILES = true };
#endif

/* true: this program was built with a YAML reader */
extern const bool nnc_yaml_is_read;

/* Writes a YAML text as JSON text, with each key and value on its line in the YAML. Words without quotes are read as
 * in YAML 1.1: yes, on and true are true; 500_000 is a number; an empty value is null. Aliases are replaced by their
 * values. NNC_BAD_SPEC: bad syntax, or a tag or a second document, which launch files do not need. NNC_IO: libyaml
 * cannot be loaded. */
nnc_status nnc_yaml_to_json(const char *name, const char *text, size_t size, nnc_buffer *json, nnc_error *err);

/* Writes a TOML text as JSON text, with each key and value on its line in the TOML. The keys of a table are joined to
 * the name of the table by dots. */
nnc_status nnc_toml_to_json(const char *name, const char *text, size_t size, nnc_buffer *json, nnc_error *err);

/* Writes a text that is a JSON object, as in --speculative-config '{"method": "mtp"}', on one line. Returns false for
 * other texts. */
bool nnc_put_object(nnc_buffer *out, const char *text);

/* A command of a shell script that starts a program with options. Strings are in the arena. The options are JSON with
 * the lines of the script: { ".program": "pretrain_gpt.py", "num_layers": 32, "swiglu": true }. */
typedef struct nnc_shell_command {
    const char *launcher; /* format of the launcher's options, such as "torchrun"; NULL = the program has no launcher */
    const char *launcher_options, *options;
    const char *config; /* configuration file that the command names; NULL = no file */
    long line;
} nnc_shell_command;

/* A file that a script writes. */
typedef struct nnc_script_file {
    struct nnc_script_file *next;
    const char *path, *text; /* path: path of the file; text: its content; both in the arena */
} nnc_script_file;

typedef struct nnc_shell_script {
    /* Function that returns the text (in the arena) of a script that this script reads; NULL = not found. If the member
     * is NULL, scripts that this script reads are skipped. */
    const char *(*read)(void *context, const char *path);
    void *context;
    nnc_shell_command *commands;
    int count;
    nnc_script_file *files;
} nnc_shell_script;

/* Reads the commands of a shell script, which is never run: variables, ${NAME:-default}, arrays, $((..)), quotes, line
 * continuation, [ ] tests of known values. A value that the script does not set stays as it is written: "${NAME}". */
nnc_status nnc_shell_read(const char *name, const char *text, nnc_arena *arena, nnc_shell_script *script,
                          nnc_error *err);
/* Reads the words of a command line, or options without a program, into *command. */
nnc_status nnc_shell_arguments(nnc_arena *arena, char **list, int count, nnc_shell_command *command, nnc_error *err);

/* Returns the path of a file that another file names. Looks in the folder of that file, in the folders above it, and
 * in the current folder; if no such file exists, returns the path in its folder. NULL when out of memory. */
const char *nnc_launch_path(nnc_arena *arena, const char *from, const char *name);

/* ---- checkpoint.c: checkpoints ---- */

enum { NNC_CHECKPOINT_PARTS = 48 };

/* Number of tensors, parameters and bytes of all tensors of one type in a checkpoint. */
typedef struct nnc_checkpoint_part {
    char name[16];
    int64_t tensors, params, bytes;
} nnc_checkpoint_part;

/* Counts of the tensors of a checkpoint, from its header. */
typedef struct nnc_checkpoint {
    const char *path;
    int64_t tensors, params, bytes; /* tensors: number of tensors; params: number of parameters; bytes: bytes of all
                                     * tensors; -1 = unknown */
    int64_t constants;              /* number of elements in `params` that are no parameters, such as rope_freqs */
    int shards;                     /* number of files that an index names; 0 = not an index */
    nnc_checkpoint_part parts[NNC_CHECKPOINT_PARTS];
    int part_count;
    nnc_buffer metadata; /* keys of a GGUF file as JSON, for the table of GGUF keys; the caller frees it */
} nnc_checkpoint;

bool nnc_checkpoint_is_file(const char *path);
/* Reads the header of a checkpoint, never the weights. NNC_BAD_SPEC: wrong length or type. NNC_IO: cannot be read. */
nnc_status nnc_checkpoint_read(nnc_specs *specs, const char *path, nnc_checkpoint *c, nnc_error *err);
/* Reads an open file of `size` bytes as nnc_checkpoint_read does; the name c->path decides its format. */
nnc_status nnc_checkpoint_parse(nnc_checkpoint *c, nnc_arena *arena, FILE *file, int64_t size, nnc_error *err);

/* Options for reading the launch files of a command line. */
typedef struct nnc_launch_asked {
    const char *format; /* --from: format of all files; NULL = the content decides */
    bool lenient;       /* true: keys that cannot be used are listed and skipped */
    bool serves;        /* true: the command computes a deployment; false: it computes a training step */
    int leading;        /* number of operands before MODEL, such as the name of a picture */
    bool may_be_open;   /* true: a key with the value "auto" whose field nothing else sets is listed; false: such a key
                         * is an error */
} nnc_launch_asked;

/* Tests by name and content whether a file is a launch file. YAML and TOML files always are, so that errors name
 * them. */
bool nnc_launch_is_file(nnc_specs *specs, const char *path, const char *format);

/* Takes the launch files out of the operands, and adds the settings that the files state and the caller does not
 * give. If no operand is a launch file, changes nothing. The added settings live as long as the specs. Fails with
 * NNC_BAD_SPEC or NNC_BAD_USAGE; err names file, line and key. */
nnc_status nnc_launch_take(nnc_specs *specs, const nnc_launch_asked *asked, char **operands, int *operand_count,
                           nnc_scenario_args *given, nnc_error *err);

/* Reads a model from a launch file; a function of type nnc_model_reader. */
nnc_status nnc_launch_model(nnc_specs *specs, const char *device, const char **model, void *given, nnc_error *err);

/* Writes the command of an engine that serves a model by a plan. NNC_ILLEGAL_PLAN: the command cannot express a
 * field of the plan, which err names. NNC_BAD_USAGE: the format has no command. */
nnc_status nnc_launch_emit(nnc_specs *specs, const char *format, const char *model, const nnc_serve_ask *plan,
                           nnc_buffer *out, nnc_error *err);

/* A training plan to write as a launch file. */
typedef struct nnc_launch_plan {
    const char *format, *software; /* software: id of the software profile with which the plan is estimated */
    const char *model_asked, *device;
    const nnc_model *model;
    const nnc_device *on;
    const nnc_plan *plan; /* the plan, after all options and defaults were applied */
} nnc_launch_plan;

/* Adds to *given the software profile and the fields that a plan in this format needs, except those that the user
 * gives. searches: true = also adds the fields that a search needs. NNC_BAD_USAGE: the format is unknown, or frameworks
 * with the profile of the user do not read its files. */
nnc_status nnc_launch_defaults(nnc_specs *specs, const char *format, bool searches, nnc_scenario_args *given,
                               nnc_error *err);

/* Returns the suffix of files of a format, such as ".sh". */
const char *nnc_launch_suffix(const char *format);

/* Writes a plan as a launch file. NNC_ILLEGAL_PLAN: the format cannot express the plan; err names the option.
 * NNC_BAD_USAGE: the format cannot be written. */
nnc_status nnc_launch_write(nnc_specs *specs, const nnc_launch_plan *asked, nnc_buffer *out, nnc_error *err);

/* ---- the state while launch files are read: files, fields that are set, keys that are open ----
 * launch.c opens the files; launch_rows.c reads their keys by the tables. */

enum {
    NNC_LAUNCH_FILES_MAX = 16,
    NNC_LAUNCH_VALUE = 64,     /* largest number of bytes in the value of a field of the plan */
    NNC_LAUNCH_KEY = 192,      /* longest name of a key, with the names of the objects around it */
    NNC_LAUNCH_TEXT = 1024,    /* longest text of a value in a launch file, in bytes */
    NNC_LAUNCH_FIELDS_MAX = 96 /* largest number of fields that launch files set, and largest number of questions
                                * (nnc_launch_question) */
};

/* The rows of a table by the first characters of their keys, and the members of the table that are read often. */
typedef struct nnc_table_index {
    const char **keys; /* key of each row */
    nnc_json *rows;
    int32_t *next;      /* 1 + number of the next row whose key has the same first character; 0 = no such row */
    int32_t first[256]; /* 1 + number of the first row for each first character; 0 = no such row */
    nnc_json absent, arguments, inside, layers;
} nnc_table_index;

/* A document and its faults. It must not be moved, because its nodes point to it. */
typedef struct nnc_document {
    nnc_json_doc doc;
    nnc_faults faults;
    char *text;      /* text of the file of the document */
    nnc_buffer json; /* content of a file that is not JSON, converted to JSON */
    bool is_parsed;
    nnc_table_index *index; /* of an open table; in the arena */
} nnc_document;

/* A launch file and its table. A script becomes several launch files: the options of its launcher, and of its
 * program. */
typedef struct nnc_launch_file {
    const char *path, *format; /* path: path of the file; format: name of its format, NULL = not yet known */
    nnc_document content, table;
    nnc_document also; /* table that "also" names; is_parsed is false if there is no such table */
    int beneath;       /* 1 + index of the file in which keys that this file lacks are looked up; 0 = no such file */
    bool is_beneath;   /* true: another file is looked up before this file (its `beneath`); the rules of the table are
                      * applied only to that file */
} nnc_launch_file;

/* A field of the plan, the run or the deployment that a launch file sets. */
typedef struct nnc_set_field {
    const nnc_field *field;
    char value[NNC_LAUNCH_VALUE];
    int file;    /* index of the file that set the field first */
    nnc_json at; /* the value in the file that sets the field; node NULL: a rule or a default of the table sets it */
    bool is_default;
    bool is_kept; /* true: the field keeps the default of nncost, and no rule may change it */
} nnc_set_field;

/* A field of the model that the files describe; or "MODEL", the name of the model; or "SOFTWARE", its profile. */
typedef struct nnc_model_field {
    const char *name, *value; /* name: name of the field without "model."; value: its value as text; both in the
                               * arena */
    int file;
    nnc_json at;
    bool is_default;
    bool is_set; /* true: --set sets the field; this value takes precedence over the value in a file */
} nnc_model_field;

/* A question: a key whose value is not enough, so that an option or another file must set one of the listed fields. */
typedef struct nnc_launch_question {
    nnc_json at, fields;
    const char *only; /* the only field to set; used if the table lists no `fields` */
    const char *path; /* path of the key, in the arena */
    int file;
    bool is_open; /* true: no option and no file sets any of the fields */
} nnc_launch_question;

/* A key whose value is the path of another launch file. */
typedef struct nnc_reference {
    nnc_json at;
    const char *format;
    const char *path; /* path of the key, in the arena */
    nnc_json known;   /* object {FILE NAME: fields to set}, for files that are shipped with the framework */
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
    nnc_launch_question questions[NNC_LAUNCH_FIELDS_MAX];
    int question_count;
    nnc_reference references[NNC_LAUNCH_FILES_MAX];
    int reference_count;
    const char *defined;     /* assignments of variables from the command line, put in front of a script */
    const char *model_given; /* MODEL on the command line; NULL = not given */
    bool serves;             /* true: the files start a serving engine */
    bool is_incomplete;      /* true: a file is missing, so the rules of the tables are not applied */
    nnc_launch_said *said;
    nnc_error *err;
    nnc_status status;
} nnc_reading;

/* ---- shell.c, shell_words.c, shell_command.c: reading a script ---- */

typedef struct nnc_script_word {
    const char *text;
    int32_t line;
} nnc_script_word;

typedef struct nnc_script_words {
    nnc_script_word *items; /* array of words in the arena */
    int32_t count, capacity;
} nnc_script_words;

/* The commands of a script that start programs. */
typedef struct nnc_shell_commands {
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    nnc_shell_command *list;
    int32_t count, capacity;
    nnc_script_words slurm; /* options of #SBATCH lines, which srun takes over */
} nnc_shell_commands;

enum {
    NNC_SHELL_NESTING_MAX = 32,       /* deepest nesting of constructs such as `if` and `for`, and of expansions such
                                       * as ${A:-${B}} */
    NNC_SCRIPT_CELLS_MAX = 200 * 1000 /* largest number of cells in a value, because each line of a script can double
                                       * the length of a text */
};

/* A character of the value of a shell variable, with its line in the script. */
typedef struct nnc_script_cell {
    int32_t line;
    char c;       /* the character itself; '\0' stands for an empty text in quotes */
    bool is_kept; /* true: the character was quoted, so it does not separate words */
} nnc_script_cell;

typedef struct nnc_script_cells {
    nnc_buffer bytes; /* the cells one after the other: an array of nnc_script_cell */
} nnc_script_cells;

typedef struct nnc_shell_var {
    struct nnc_shell_var *next;
    const char *name;
    nnc_script_cell *value; /* the value; for an array: its items, with unquoted spaces between them */
    int32_t count;
    bool is_unknown;
} nnc_shell_var;

typedef struct nnc_shell_function {
    struct nnc_shell_function *next;
    const char *name, *file, *body;
    int32_t line, reads_at;
} nnc_shell_function;

/* Certainty that a command runs, or that a condition holds. A command that is not a test counts as likely to
 * succeed. */
typedef enum nnc_certainty { NNC_RUNS_NOT, NNC_RUNS_MAYBE, NNC_RUNS_LIKELY, NNC_RUNS } nnc_certainty;

/* A construct whose end is not yet read: if, a loop, case, a function, braces. */
typedef struct nnc_shell_frame {
    char kind;             /* the construct: 'i' = if, 'l' = loop, 'c' = case, 'f' = function, '{' or '(' = commands
                            * in such brackets */
    nnc_certainty outside; /* certainty that the construct itself runs */
    nnc_certainty behind;  /* certainty that commands after the end of the construct run */
    nnc_certainty taken;   /* certainty that a branch of the construct has run */
    bool at_pattern;
    const char *subject; /* for a case: the word after `case`; NULL = unknown */
} nnc_shell_frame;

/* The state while a script is read. */
typedef struct nnc_shell {
    const char *name, *at;
    int32_t line;
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    nnc_shell_var *variables;
    nnc_shell_frame frames[NNC_SHELL_NESTING_MAX];
    int depth, nesting;
    nnc_certainty runs; /* certainty that the current branch runs */
    nnc_certainty last; /* certainty that the last command has succeeded */
    bool in_test;       /* true: the position is inside "[[ .. ]]", after && or || */
    bool in_condition;  /* true: the position is between "if" and "then" */
    char after[3];      /* the operator before the command: "&&", "||" or "" */
    const char *marker; /* word that ends a here document whose text begins on the next line */
    size_t marker_length;
    bool is_plain;    /* true: variables in the here document are not expanded */
    const char *into; /* file that receives the text of the here document; NULL = no file */
    bool appends;
    nnc_certainty writes; /* certainty that the command that writes the file runs */
    nnc_shell_commands made;
    bool starts_unknown; /* true: a launcher starts a program that is not known */
    nnc_shell_script *script;
    const char *sourced;        /* name of a script to read next; NULL = no script */
    int32_t reads_at;           /* line of the command that reads the script s->name; 0 = s->name is the first script */
    int sources, calls, called; /* sources: number of scripts read; calls: number of function calls so far; called:
                                 * number of calls that are open */
    nnc_shell_function *functions;
} nnc_shell;

/* ---- shell_words.c: words and variables ---- */

bool nnc_shell_goes_on(const nnc_shell *s);
void nnc_shell_refuse(nnc_shell *s, const char *what);
int32_t nnc_script_cells_count(const nnc_script_cells *of);
void nnc_script_cells_put(nnc_shell *s, nnc_script_cells *to, char c, int32_t line, bool kept);
void nnc_script_cells_put_text(nnc_shell *s, nnc_script_cells *to, const char *text, size_t length, bool kept);
nnc_shell_var *nnc_shell_variable(const nnc_shell *s, const char *name, size_t length);
bool nnc_script_cell_is_blank(const nnc_script_cell *c);
/* Returns the characters of `count` cells, from the cell *from on, as a string in the arena. */
const char *nnc_script_cells_text(nnc_shell *s, const nnc_script_cell *from, int32_t count);
/* Sets a variable of the script, or appends to it. In a branch that may not run, the variable becomes unknown. */
void nnc_shell_assign(nnc_shell *s, const char *name, size_t length, const nnc_script_cells *value, bool append,
                      bool is_array);
/* Finds the end of a quoted text, of "${..}", "$(..)" or "`..`" that begins at `at`; NULL = no end. The recursion is as
 * deep as the brackets are nested. */
const char *nnc_shell_end_of(const char *at, int depth);
size_t nnc_shell_name_length(const char *at);
/* Returns the position of the ']' that ends the subscript of an array; the subscript begins with '[' at `at`. NULL =
 * there is no such ']' before `end`. */
const char *nnc_shell_subscript_end(const char *at, const char *end);
/* Returns the length of a placeholder that the user of a script has to fill in, such as "<path of the data>"; 0: the
 * text at `at` is no placeholder, but may be a redirection. */
size_t nnc_shell_blank_length(const char *at);
bool nnc_shell_calculate(nnc_shell *s, const char *text, double *result);
/* Expands the expression at `at`, which begins with '$' or '`', and appends its value to `to`. Returns the position
 * after the expression. */
const char *nnc_shell_expand_one(nnc_shell *s, const char *at, const char *limit, bool quoted, nnc_script_cells *to);
/* Expands the text from `at` to `end`. s->line is the line of `at` before the call, and the line of `end` after it. */
void nnc_shell_expand(nnc_shell *s, const char *at, const char *end, nnc_script_cells *to);
/* Expands the text from `at` to `end` as nnc_shell_expand does. Returns it as a string in the arena. */
const char *nnc_shell_expand_text(nnc_shell *s, const char *at, const char *end);

/* ---- shell_command.c: commands ---- */

bool nnc_shell_is_option(const char *word);
bool nnc_shell_has_program(const nnc_script_words *w);
/* Tests whether a launcher starts a program whose name is not known. */
bool nnc_shell_starts_unknown(const nnc_script_words *w);
/* nnc_shell_keep stores a command if it starts a program with options. nnc_shell_keep_options stores options without a
 * program. */
void nnc_shell_keep(nnc_shell_commands *s, const nnc_script_words *w);
void nnc_shell_keep_options(nnc_shell_commands *s, const nnc_script_words *w);

/* ---- launch.c: documents and tables ---- */

void nnc_document_free(nnc_document *d);
/* Parses a text, which must outlive the document. */
nnc_status nnc_document_parse(nnc_specs *specs, nnc_document *d, const char *text, size_t size);
/* Opens the table of a format. NNC_BAD_USAGE: the format is unknown. */
nnc_status nnc_launch_table(nnc_specs *specs, const char *format, nnc_document *table, nnc_error *err);

/* Makes the index of a table. NNC_BAD_SPEC: a row has no key. */
nnc_status nnc_table_index_make(nnc_document *table);

/* ---- the reading ---- */

bool nnc_reading_goes_on(const nnc_reading *r);
/* Sets r->status and r->err from the fault that was noted at a value of a file. */
void nnc_reading_fail(nnc_reading *r, nnc_json at);
/* Adds a key that sets no field to the list of ignored keys. path: keys from the root to it, joined by dots. */
void nnc_reading_ignore(nnc_reading *r, nnc_json at, const char *path, const char *why, bool skipped);
bool nnc_reading_is_given(const nnc_reading *r, const nnc_field *field);
/* Sets the fields that an object of a table lists, such as { "zero": "3" }. at, path: the key of the launch file for
 * which they are set. are_defaults: true = a field that is already set keeps its value. */
void nnc_reading_set(nnc_reading *r, nnc_json at, const char *path, nnc_json fields, bool are_defaults);
/* Finds a field of the model that was set, by name (also "MODEL" and "SOFTWARE"); NULL = not set. */
nnc_model_field *nnc_reading_model(nnc_reading *r, const char *name);

/* Tests whether a row or rule of a table applies: the conditions of "when" (or "if") hold, and the conditions of
 * "unless" do not. */
bool nnc_reading_applies(nnc_reading *r, nnc_json row, const char *when);
/* Computes the text that a table gives to a field: a plain string, the result of a formula ('='), or the value of a key
 * ('@'). Returns false if an error was noted, or the key is absent. */
bool nnc_reading_text(nnc_reading *r, nnc_json at, const char *value, char *text, size_t size);
/* Finds the row of a key in the table of its file, or in the table that "also" names. *below: true if there are rows
 * for keys inside the key. */
nnc_json nnc_reading_row(const nnc_reading *r, const char *path, bool *below);

/* nnc_reading_keys reads the keys of file `index`. nnc_reading_beneath reads the keys of the files beneath file
 * `index`, except keys that file `index` has itself. nnc_reading_answer checks that the questions from index `first` on
 * are answered. nnc_reading_rules applies the rules of the table of file `index`. */
void nnc_reading_keys(nnc_reading *r, int index);
void nnc_reading_beneath(nnc_reading *r, int index);
void nnc_reading_answer(nnc_reading *r, int first);
void nnc_reading_rules(nnc_reading *r, int index);

#endif
