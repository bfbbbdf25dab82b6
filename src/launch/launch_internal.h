/* Launch files are files that start a training run or a serving engine. nncost reads them as options of a plan.
 *
 * nncost reads a launch file in three steps. First, the file becomes a document of JSON; YAML and TOML become JSON text
 * in which each value keeps its line (yaml.c and toml.c). Second, the rows of foreign/launch/FORMAT.json give the
 * meaning of each key (launch_rows.c). Third, the values become settings of the plan, as if they were given as options.
 *
 * Each format is described by data, not by code: by one file with a row for each key. A key without a row is an error,
 * because the key may change the cost. The options of the command line always take precedence. */
#ifndef NNCOST_LAUNCH_LAUNCH_INTERNAL_H
#define NNCOST_LAUNCH_LAUNCH_INTERNAL_H

#include <stdio.h>
#include <string.h>

#include "scenario/scenario_internal.h"

/* false in a WebAssembly build. A browser page has no tables of launch formats and gets no binary files, so the page
 * reads neither launch files nor checkpoints. Because the value is false, the linker removes the code that reads launch
 * files and checkpoints. */
#ifdef __wasi__
enum { NNC_READS_LAUNCH_FILES = false };
#else
enum { NNC_READS_LAUNCH_FILES = true };
#endif

/* true: this program was built with libyaml and can read YAML files */
extern const bool nnc_yaml_is_read;

/* Converts a YAML text to JSON; each key and value keeps its line number. Words without quotes are read as in YAML 1.1:
 * yes, on and true are true; 500_000 is a number; an empty value is null. Aliases are replaced by their values.
 * NNC_BAD_SPEC: bad syntax, or a tag or a second document, which launch files do not need. NNC_IO: libyaml cannot be
 * loaded. */
nnc_status nnc_yaml_to_json(const char *name, const char *text, size_t size, nnc_buffer *json, nnc_error *err);

/* Converts a TOML text to JSON; each key and value keeps its line number. The keys of a TOML table are joined to the
 * name of the table by dots. */
nnc_status nnc_toml_to_json(const char *name, const char *text, size_t size, nnc_buffer *json, nnc_error *err);

/* If a text is a JSON object, such as the value of --speculative-config '{"method": "mtp"}', writes it on one line and
 * returns true. Returns false if the text is not a JSON object. */
bool nnc_put_object(nnc_buffer *out, const char *text);

/* A command of a shell script that starts a program with options. The strings are in the arena. The options are a JSON
 * object whose keys keep the line numbers of the script: { ".program": "pretrain_gpt.py", "num_layers": 32, "swiglu":
 * true }. */
typedef struct nnc_shell_command {
    /* format of the launcher's options, such as "torchrun"; NULL = no launcher starts the program */
    const char *launcher;
    const char *launcher_options, *options;
    const char *config; /* path of the configuration file that the command names; NULL = the command names none */
    /* for a command that names a configuration file: JSON object with the words KEY=VALUE of the command, and with all
     * its options except the one that names the file; these values replace the values of the same keys in the file */
    const char *changes;
    /* name of a variable of the script whose value decides whether the branch with this command runs; NULL = it is
     * certain that the command runs, or it is not known which variable decides */
    const char *decides;
    long line;
} nnc_shell_command;

/* A file that a shell script writes, with its content. */
typedef struct nnc_script_file {
    struct nnc_script_file *next;
    const char *path, *text; /* path: path of the file; text: its content; both in the arena */
} nnc_script_file;

typedef struct nnc_shell_script {
    /* function that returns the text of a script that this script reads; the text is in the arena; NULL = the function
     * does not find the script. If the member `read` is NULL, other scripts are skipped. */
    const char *(*read)(void *context, const char *path);
    void *context;
    /* assignments of the user, "A='1'; B='2'; ", which are read before the script. If the script assigns an unknown
     * value to a variable that the user has set, the value of the user stays. NULL = no assignments */
    const char *given;
    nnc_shell_command *commands;
    int count;
    nnc_script_file *files;
} nnc_shell_script;

/* Finds the commands in a shell script, without running the script. Understands variables, ${NAME:-default}, arrays,
 * $((..)), quotes, line continuation, and [ ] tests of known values. A variable that the script does not set stays in
 * the text: "${NAME}". */
nnc_status nnc_shell_read(const char *name, const char *text, nnc_arena *arena, nnc_shell_script *script,
                          nnc_error *err);
/* Converts the words of a command line (a program with options, or only options) to *command. */
nnc_status nnc_shell_arguments(nnc_arena *arena, char **list, int count, nnc_shell_command *command, nnc_error *err);

/* Returns the path of a file that another file names. Looks in the folder of the naming file, in the folders above it,
 * and in the current folder. If none of these folders has the file, returns the path in the folder of the naming file.
 * If the name begins with a variable that a script does not set, "${A}/x.yaml", looks for the part after this variable,
 * "x.yaml". If a path from the root does not exist, such as "/workspace/configs/x.yaml" of a container, looks for the
 * end of the path, "configs/x.yaml". NULL when out of memory. */
const char *nnc_launch_path(nnc_arena *arena, const char *from, const char *name);

/* ---- checkpoint.c: counts the tensors of checkpoints ---- */

enum { NNC_CHECKPOINT_PARTS = 48 };

/* Number of tensors, parameters and bytes of the tensors in one number format of a checkpoint. */
typedef struct nnc_checkpoint_part {
    char name[16];
    int64_t tensors, params, bytes;
} nnc_checkpoint_part;

/* Numbers of tensors, parameters and bytes of a checkpoint, read from its header. */
typedef struct nnc_checkpoint {
    const char *path;
    int64_t tensors, params, bytes; /* tensors: number of tensors; params: number of parameters; bytes: bytes of all
                                     * tensors; -1 = unknown */
    /* number of elements counted in `params` that are no parameters of the model, such as rope_freqs */
    int64_t constants;
    int shards; /* number of files that the index of a sharded checkpoint names; 0 = the file is no index */
    nnc_checkpoint_part parts[NNC_CHECKPOINT_PARTS];
    int part_count;
    /* keys of a GGUF file as JSON, which the table foreign/launch/gguf.json reads; the caller frees them */
    nnc_buffer metadata;
} nnc_checkpoint;

bool nnc_checkpoint_is_file(const char *path);
/* Reads the header of a checkpoint file; the weights are not read. NNC_BAD_SPEC: a length or type in the header is
 * wrong. NNC_IO: the file cannot be read. */
nnc_status nnc_checkpoint_read(nnc_specs *specs, const char *path, nnc_checkpoint *c, nnc_error *err);
/* Works as nnc_checkpoint_read for a file of `size` bytes that is already open; the suffix of c->path decides the
 * format. */
nnc_status nnc_checkpoint_parse(nnc_checkpoint *c, nnc_arena *arena, FILE *file, int64_t size, nnc_error *err);

/* How the launch files of a command line are read. */
typedef struct nnc_launch_asked {
    const char *format; /* --from: format of all launch files; NULL = found from the content of each file */
    bool lenient;       /* true: keys of launch files that nncost cannot use are listed and skipped */
    bool serves; /* true: the command is for serving, so it computes a deployment; false: it computes a training step */
    int leading; /* number of operands before MODEL, such as the name of a picture in `nncost plot` */
    /* true: a key with the value "auto" is listed if nothing else sets its field; false: such a key is an error */
    bool may_be_open;
} nnc_launch_asked;

/* Tests whether a file is a launch file, by its name and content. Returns true for every YAML and TOML file, so that
 * errors name a file that cannot be used. */
bool nnc_launch_is_file(nnc_specs *specs, const char *path, const char *format);

/* Takes the launch files out of the operands of a command, and adds the settings that the files state and the command
 * line does not give. If no operand is a launch file, nothing changes. The added settings live as long as the specs.
 * Fails with NNC_BAD_SPEC or NNC_BAD_USAGE; err names file, line and key. */
nnc_status nnc_launch_take(nnc_specs *specs, const nnc_launch_asked *asked, char **operands, int *operand_count,
                           nnc_scenario_args *given, nnc_error *err);

/* Reads the model that a launch file describes; a function of type nnc_model_reader. */
nnc_status nnc_launch_model(nnc_specs *specs, const char *device, const char **model, void *given, nnc_error *err);

/* Writes the command line of an engine that serves a model as the deployment `plan` states. NNC_ILLEGAL_PLAN: no option
 * of the engine expresses a field of the plan, which err names. NNC_BAD_USAGE: nncost cannot write commands in this
 * format. */
nnc_status nnc_launch_emit(nnc_specs *specs, const char *format, const char *model, const nnc_serve_ask *plan,
                           nnc_buffer *out, nnc_error *err);

/* A training plan that is to be written as a launch file, with its model and device. */
typedef struct nnc_launch_plan {
    const char *format, *software; /* software: id of the software profile with which the plan was estimated */
    const char *model_asked, *device;
    const nnc_model *model;
    const nnc_device *on;
    const nnc_plan *plan; /* the training plan, after all options and defaults were applied */
} nnc_launch_plan;

/* Adds to *given the fields that a plan in this launch format needs, and the software profile of its framework; fields
 * that the user gives are not changed. searches: true = also adds the fields that a search needs. *model: the model as
 * the user names it. If files of this format contain the model's name, the function replaces the id of a shipped model
 * by the usual name of this model on the hub. NNC_BAD_USAGE: the format is unknown, or the framework of the user's
 * software profile does not read files of this format. */
nnc_status nnc_launch_defaults(nnc_specs *specs, const char *format, bool searches, char **model,
                               nnc_scenario_args *given, nnc_error *err);

/* Returns the suffix of file names for a launch format, such as ".sh". */
const char *nnc_launch_suffix(const char *format);

/* Writes a training plan as a launch file. NNC_ILLEGAL_PLAN: the format cannot express the plan; err names the option
 * to change. NNC_BAD_USAGE: nncost cannot write this format. */
nnc_status nnc_launch_write(nnc_specs *specs, const nnc_launch_plan *asked, nnc_buffer *out, nnc_error *err);

/* ---- the state while launch files are read: the files, the fields that they set, the questions (keys whose value is
 * not enough) ---- launch.c opens the files; launch_rows.c reads their keys with the tables of the formats. */

enum {
    NNC_LAUNCH_FILES_MAX = 16,
    NNC_LAUNCH_VALUE = 64,     /* size of the text of a field of the plan, in bytes */
    NNC_LAUNCH_KEY = 192,      /* size of the name of a key with the names of the objects around it, in bytes */
    NNC_LAUNCH_TEXT = 1024,    /* size of the text of a value in a launch file, in bytes */
    NNC_LAUNCH_FIELDS_MAX = 96 /* largest number of fields that launch files set, and largest number of questions
                                * (nnc_launch_question) */
};

enum { NNC_ROW_LISTS = 256 };

/* Index of the table of a launch format: its rows in lists, and the members of the table that are read often. A row
 * with a '*' before the first dot of its key is in one of the lists `wide`; the first two characters of the key select
 * the list. A row without such a '*' is in one of the lists `first`; the part of the key before the first dot selects
 * the list. */
typedef struct nnc_table_index {
    const char **keys; /* keys[i]: key of row i of the table */
    nnc_json *rows;
    uint32_t *digests; /* digests[i]: digest of the part of keys[i] before the first dot */
    /* next[i]: 1 + number of the next row in the list of row i; 0 = no such row */
    int32_t *next;
    /* first[c], wide[c]: 1 + number of the first row of list c; 0 = the list is empty */
    int32_t first[NNC_ROW_LISTS], wide[NNC_ROW_LISTS];
    nnc_json absent, arguments, inside, layers, renamed;
} nnc_table_index;

/* A JSON document and its faults. A struct of this type must not be moved in memory, because its JSON nodes contain its
 * address. */
typedef struct nnc_document {
    nnc_json_doc doc;
    nnc_faults faults;
    char *text;      /* text of the file from which the document was read */
    nnc_buffer json; /* JSON text into which the content of a YAML, TOML or other file was converted */
    bool is_parsed;
    nnc_table_index *index; /* index of the rows, if the document is an open table of a launch format; in the arena */
    /* hash table of the members of the root, in the arena. The node of a member is at members[digest of the key &
     * member_mask], or at the next free element. NULL = no hash table, because the root has few members or is no
     * object */
    const struct cJSON **members;
    size_t member_mask;
} nnc_document;

/* A launch file, and the table of its format. A shell script becomes several launch files: one for the options of the
 * launcher, one for the options of the program. */
typedef struct nnc_launch_file {
    /* path: path of the launch file; format: name of its format, such as "megatron"; NULL = not yet known */
    const char *path, *format;
    nnc_document content, table;
    /* the table that the member "also" of `table` names; is_parsed is false if `table` has no such member */
    nnc_document also;
    /* 1 + index of the launch file in which keys that this file does not have are looked up; 0 = no such file */
    int beneath;
    /* 1 + index of the file that names this file and whose settings take precedence over those of this file; 0 = no
     * such file */
    int yields_to;
    /* true: the member `beneath` of another launch file names this file. A key is first looked up in the file whose
     * member `beneath` names this file (the file on top), and the rules of the table are applied only to the file on
     * top */
    bool is_beneath;
} nnc_launch_file;

/* A field of the plan, the run or the deployment to which a launch file gives a value. */
typedef struct nnc_set_field {
    const nnc_field *field;
    char value[NNC_LAUNCH_VALUE];
    int file; /* index of the first launch file that gives a value to the field */
    /* the JSON value in the launch file; an absent value: the value is a rule or a default of the format's table */
    nnc_json at;
    bool is_default;
    bool is_kept; /* true: a table states that the field keeps the default of nncost, so no rule may set the field */
} nnc_set_field;

/* A field of the model that launch files describe; name "MODEL": the name of the model; name "SOFTWARE": the software
 * profile. */
typedef struct nnc_model_field {
    const char *name, *value; /* name: name of the field without "model."; value: its value as text; both in the
                               * arena */
    int file;
    nnc_json at;
    bool is_default;
    bool is_set; /* true: the option --set gives the value, which takes precedence over the values of launch files */
} nnc_model_field;

/* A question of a launch file: a key whose value is not enough, so that an option or another file must set one of the
 * listed fields. */
typedef struct nnc_launch_question {
    nnc_json at, fields;
    /* name of the single field that must be set; used if the table gives no list `fields` */
    const char *only;
    const char *path; /* path of the key from which the question comes, in the arena */
    int file;
    bool is_open; /* true: the question has no answer, because no option and no file sets any of the fields */
} nnc_launch_question;

/* A key of a launch file whose value is the path of another launch file. */
typedef struct nnc_reference {
    nnc_json at;
    const char *format;
    const char *path; /* path of the key that names the file, in the arena */
    /* JSON object {FILE NAME: fields to set} for files that are shipped with the framework */
    nnc_json known;
    int file;
    bool yields; /* true: the settings of the naming file take precedence over those of the named file */
} nnc_reference;

typedef struct nnc_reading {
    nnc_specs *specs;
    nnc_arena *arena;
    const nnc_launch_asked *asked;
    const nnc_scenario_args *given;
    nnc_launch_file files[NNC_LAUNCH_FILES_MAX];
    int file_count, file; /* file: index in `files` of the launch file whose keys are being read */
    nnc_set_field sets[NNC_LAUNCH_FIELDS_MAX];
    int set_count;
    nnc_model_field model[NNC_LAUNCH_FIELDS_MAX];
    int model_count;
    nnc_launch_question questions[NNC_LAUNCH_FIELDS_MAX];
    int question_count;
    nnc_reference references[NNC_LAUNCH_FILES_MAX];
    int reference_count;
    /* assignments NAME=VALUE of the command line, as the text that is read before a script */
    const char *defined;
    /* JSON text of the file NNC_RUN_PARAMETERS while the command of a run file is read; NULL = no run file */
    const char *parameters;
    const char *model_given; /* operand MODEL of the command line; NULL = not given */
    bool serves;             /* true: the launch files start a serving engine */
    /* true: a file that a launch file names is missing, so the rules of the tables are not applied */
    bool is_incomplete;
    nnc_launch_said *said;
    nnc_error *err;
    nnc_status status;
} nnc_reading;

/* ---- shell.c, shell_words.c: reading a shell script without running it ---- */

typedef struct nnc_script_word {
    const char *text;
    int32_t line;
} nnc_script_word;

typedef struct nnc_script_words {
    nnc_script_word *items; /* array of `count` words of a command, in the arena */
    int32_t count, capacity;
} nnc_script_words;

/* The commands found so far in a shell script that start programs with options. */
typedef struct nnc_shell_commands {
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    nnc_shell_command *list;
    int32_t count, capacity;
    nnc_script_words slurm; /* options in #SBATCH lines of the script, which apply to a program that srun starts */
} nnc_shell_commands;

enum {
    NNC_SHELL_NESTING_MAX = 32,       /* deepest nesting of constructs such as `if` and `for`, and of expansions such
                                       * as ${A:-${B}} */
    NNC_SCRIPT_CELLS_MAX = 200 * 1000 /* largest number of cells in a value, because each line of a script can double
                                       * the length of a text */
};

/* A cell: one character of the value of a shell variable, with its line in the script. */
typedef struct nnc_script_cell {
    int32_t line;
    char c;       /* the character; '\0' stands for an empty text in quotes, which is also a word */
    bool is_kept; /* true: the character was in quotes, so a blank does not separate words */
} nnc_script_cell;

typedef struct nnc_script_cells {
    nnc_buffer bytes; /* bytes of an array of nnc_script_cell, one cell after the other */
} nnc_script_cells;

typedef struct nnc_shell_var {
    struct nnc_shell_var *next;
    const char *name;
    nnc_script_cell *value; /* cells of the value; unquoted spaces separate the items of an array */
    int32_t count;
    bool is_unknown;
    bool is_given; /* true: the user gives the value */
    /* only for an assignment in a branch (of an if or case) of the script: name of the variable on which the condition
     * of this branch depends; NULL = not known */
    const char *decides;
} nnc_shell_var;

typedef struct nnc_shell_function {
    struct nnc_shell_function *next;
    const char *name, *file, *body;
    int32_t line, reads_at;
} nnc_shell_function;

/* Degrees of certainty that a command of a script runs, or that a condition is true. A command that is not a test is
 * assumed to succeed: NNC_RUNS_LIKELY. */
typedef enum nnc_certainty { NNC_RUNS_NOT, NNC_RUNS_MAYBE, NNC_RUNS_LIKELY, NNC_RUNS } nnc_certainty;

/* A construct of a shell script whose end is not yet read: an if, a loop, a case, a function, or brackets. */
typedef struct nnc_shell_frame {
    char kind;             /* the construct: 'i' = if, 'l' = loop, 'c' = case, 'f' = function, '{' or '(' = commands
                            * in such brackets */
    nnc_certainty outside; /* certainty that the script reaches this construct */
    nnc_certainty behind;  /* certainty that the commands after the end of this construct run */
    nnc_certainty taken;   /* certainty that an earlier branch of this construct was taken */
    bool at_pattern;
    const char *subject; /* value of the word after `case`; NULL = unknown, or the construct is no case */
    /* name of the variable, without a known value, on which the condition of the branch depends; NULL = the condition
     * has no such variable */
    const char *decides;
} nnc_shell_frame;

/* The state while the commands of a shell script are read. */
typedef struct nnc_shell {
    const char *name, *at;
    int32_t line;
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    nnc_shell_var *variables;
    nnc_shell_var *skipped; /* variables that the script sets only in branches (of an if or case) that do not run */
    /* name of the first variable without a known value in the condition that was read last; NULL = all variables in the
     * condition have known values */
    const char *decides;
    nnc_shell_frame frames[NNC_SHELL_NESTING_MAX];
    int depth, nesting;
    int32_t shifted;    /* number of arguments of the script that "shift" has removed */
    nnc_certainty runs; /* certainty that the script reaches the current command */
    nnc_certainty last; /* certainty that the previous command succeeded */
    bool reads_given;   /* true: the assignments of the user are being read */
    bool in_test;       /* true: the read position is inside "[[ .. ]]", after && or || */
    bool in_condition;  /* true: the read position is in the condition of an if, between "if" and "then" */
    char after[3];      /* operator before the current command: "&&", "||" or "" (no operator) */
    const char *marker; /* word that ends a here document; its text begins on the next line */
    size_t marker_length;
    bool is_plain;    /* true: the here document has no expansion of variables, because its end word is quoted */
    const char *into; /* path of the file that receives the text of the here document; NULL = no file */
    /* text that the previous command of a shell pipeline (a | b) passes to the current command; NULL = not known */
    const char *stream;
    bool appends;
    /* certainty that the command that writes the here document to a file runs */
    nnc_certainty writes;
    nnc_shell_commands made;
    bool starts_unknown; /* true: a launcher of the script starts a program whose name is not known */
    nnc_shell_script *script;
    /* path of a script that a command reads or runs but nncost could not read; NULL = no such script */
    const char *sourced;
    int32_t reads_at; /* line of the command that reads the current script; 0 = the current script is the first one */
    int sources, calls, called; /* sources: number of scripts read; calls: number of function calls so far; called:
                                 * number of calls that are open */
    nnc_shell_function *functions;
} nnc_shell;

/* ---- shell_words.c: expands words and variables of a script ---- */

bool nnc_shell_goes_on(const nnc_shell *s);
void nnc_shell_refuse(nnc_shell *s, const char *what);
int32_t nnc_script_cells_count(const nnc_script_cells *of);
void nnc_script_cells_put(nnc_shell *s, nnc_script_cells *to, char c, int32_t line, bool kept);
void nnc_script_cells_put_text(nnc_shell *s, nnc_script_cells *to, const char *text, size_t length, bool kept);
nnc_shell_var *nnc_shell_variable(const nnc_shell *s, const char *name, size_t length);
bool nnc_script_cell_is_blank(const nnc_script_cell *c);
/* Returns the characters of `count` cells as a string in the arena; *from is the first cell. */
const char *nnc_script_cells_text(nnc_shell *s, const nnc_script_cell *from, int32_t count);
/* Sets a variable of the script, or appends to it. If it is not certain that the assignment runs, the value of the
 * variable becomes unknown. */
void nnc_shell_assign(nnc_shell *s, const char *name, size_t length, const nnc_script_cells *value, bool append,
                      bool is_array);
/* Returns the end of the quoted text, "${..}", "$(..)" or "`..`" that begins at `at`; NULL = the text has no end. The
 * function calls itself for each pair of brackets inside the text. */
const char *nnc_shell_end_of(const char *at, int depth);
size_t nnc_shell_name_length(const char *at);
/* Returns the length of the name of a variable, or of the digits of an argument such as $12, at `at`. */
size_t nnc_shell_parameter_length(const char *at);
/* Returns the position of the ']' that ends the subscript of an array item; `at` is the position of its '['. NULL = the
 * text before `end` has no ']' for this '['. */
const char *nnc_shell_subscript_end(const char *at, const char *end);
/* Returns the length of the placeholder at `at`, a text that the user of a script has to replace, such as "<path of the
 * data>"; 0: the text at `at` is no placeholder (its '<' may be a redirection). */
size_t nnc_shell_blank_length(const char *at);
/* Expands the shell expression that begins at `at` with '$' or '`', and appends its value to the cells `to`. Returns
 * the position after the expression. */
const char *nnc_shell_expand_one(nnc_shell *s, const char *at, const char *limit, bool quoted, nnc_script_cells *to);
/* Expands the shell text from `at` to `end`, and appends its value to the cells `to`. Before the call, s->line must be
 * the number of the line with `at`; after the call, s->line is the number of the line with `end`. */
void nnc_shell_expand(nnc_shell *s, const char *at, const char *end, nnc_script_cells *to);
/* Expands the shell text from `at` to `end` as nnc_shell_expand does, and returns the value as a string in the
 * arena. */
const char *nnc_shell_expand_text(nnc_shell *s, const char *at, const char *end);

/* Word of a command that stands for all arguments of the script. The arguments are known only when the script runs. */
#define NNC_SHELL_ARGUMENTS "${@}"
/* Returns $#: the number of arguments of the current function or script; 0 = the user gives none. */
int32_t nnc_shell_arguments_given(const nnc_shell *s);

/* Expands the variables in one line of a here document; in a here document, quotes have no special meaning. If it is
 * not certain that the command with the here document runs, the value of a line "key: value" becomes unknown. */
void nnc_shell_expand_line(nnc_shell *s, const char *at, const char *end, nnc_script_cells *to);
/* Stores the text of a here document as the content of the file that a command of the script writes. */
void nnc_shell_write_file(nnc_shell *s, const nnc_script_cells *text);

/* Returns the name of the variable on which the condition of the current branch of the script depends; NULL = not
 * known. */
const char *nnc_shell_decides(const nnc_shell *s);

/* ---- shell_options.c: conditions of a script ---- */

nnc_certainty nnc_shell_not(nnc_certainty t);
nnc_certainty nnc_shell_truth(bool holds);
/* Returns the value of an operand of a shell test. If the operand is a variable that the script never sets, the value
 * is empty. NULL: the value is not known. */
const char *nnc_shell_operand(const char *text, const nnc_shell *s);
/* Evaluates a test "[ .. ]" or "[[ .. ]]", or the part of a test between && and ||. from: index of its first word.
 * Returns NNC_RUNS if the test is true, NNC_RUNS_NOT if the test is false, NNC_RUNS_MAYBE if its result is not
 * known. */
nnc_certainty nnc_shell_test(const nnc_shell *s, const nnc_script_words *w, int32_t from);

/* ---- shell_options.c: files that a script makes from templates ---- */

/* If a command is cat, or sed with replacements of words, stores the text that the command writes. is_piped: true = the
 * next command of the shell pipeline (a | b) receives the text. file: path of the file that receives the text of a
 * command that is not piped; NULL = no file. */
void nnc_shell_edit(nnc_shell *s, const nnc_script_words *w, const char *file, bool is_piped);

/* ---- shell_words.c: splits commands of a script into launcher, program and options ---- */

bool nnc_shell_is_option(const char *word);
bool nnc_shell_has_program(const nnc_script_words *w);
/* Tests whether the words of a command are a launcher that starts a program whose name is not known. */
bool nnc_shell_starts_unknown(const nnc_script_words *w);
/* nnc_shell_keep adds a command of the script to the list if the command starts a program with options.
 * nnc_shell_keep_options adds options that belong to no program. */
void nnc_shell_keep(nnc_shell_commands *s, const nnc_script_words *w);
void nnc_shell_keep_options(nnc_shell_commands *s, const nnc_script_words *w);

/* ---- shell_options.c: options of a command as JSON, and arithmetic ---- */

/* Works as nnc_shell_keep, and stores three more values: the variable that decides whether the command runs, the number
 * of processes from environment variables of ms-swift, and the number of tokens of a step with drafts from an
 * environment variable of SGLang. */
void nnc_shell_keep_command(nnc_shell *s, const nnc_script_words *w);

/* Computes a whole-number expression of the shell, as in $((..)), including choices "a > b ? a : b". Returns false if
 * the value of a name in the expression is not known. */
bool nnc_shell_calculate(nnc_shell *s, const char *text, double *result);

/* Returns the name of a model in an unknown folder: "gpt-oss-120b" for "${MODELS}/gpt-oss-120b". A text that is no path
 * in an unknown folder is returned unchanged. */
const char *nnc_name_in_folder(const char *text);
/* Returns the last part of a path: the text after the last slash. */
const char *nnc_shell_base_name(const char *text);
/* Tests whether a word is the image of vLLM in "docker run vllm/vllm-openai:TAG OPTIONS", which starts its server. */
bool nnc_shell_is_vllm_image(const char *text);
/* Returns the name of the serving engine that a word starts, or "swift"; NULL for any other program. */
const char *nnc_shell_engine(const char *word);
/* Returns the index of the word that names the model of a serving engine, or the task of ms-swift: the first word after
 * the program, or after "serve"; -1 = an option comes first. */
int32_t nnc_shell_model_at(const nnc_script_words *w, int32_t program);
/* Returns the options among the words `from` to `end` as a JSON object: ".program" (not if `program` is NULL), then one
 * member per option, on the line of the option in the script. If an option occurs more than once, the last one is
 * used. */
const char *nnc_shell_options(nnc_shell_commands *s, const nnc_script_words *w, int32_t from, int32_t end,
                              const char *program);

/* ---- launch.c: opens documents and tables ---- */

void nnc_document_free(nnc_document *d);
/* Parses the JSON text of a document. The caller must keep the text as long as the document. */
nnc_status nnc_document_parse(nnc_specs *specs, nnc_document *d, const char *text, size_t size);
/* Opens the table of a launch format, foreign/launch/FORMAT.json. NNC_BAD_USAGE: the format is unknown. */
nnc_status nnc_launch_table(nnc_specs *specs, const char *format, nnc_document *table, nnc_error *err);

/* Makes the index of the rows of a launch format's table. NNC_BAD_SPEC: a row has no key. */
nnc_status nnc_table_index_make(nnc_document *table);

/* Makes the hash table of the members of a document's root, if the root has many members. */
nnc_status nnc_document_index(nnc_document *d);
/* Tests whether the root of a document is an object with a member `key`. */
bool nnc_document_has(const nnc_document *d, const char *key);

/* ---- shell_options.c: compares commands of a script ---- */

/* Tests whether two commands start one program with equal options. The lines of the two commands in the script may
 * differ, because a script may print a command before it runs the command. If command `b` has an option with the rank
 * of its node, options such as the rank, the host and the port may differ. */
bool nnc_commands_start_same(nnc_specs *specs, const nnc_shell_command *a, const nnc_shell_command *b);

/* ---- shell_options.c: divides a run file of a platform into its parts ---- */

/* Path of a file that the MosaicML platform writes. The platform writes the member "parameters" of a run file to the
 * file with this path, and the command of the run file reads this file. */
#define NNC_RUN_PARAMETERS "/mnt/config/parameters.yaml"

/* The parts of a run file, in the arena: the script, the configuration of the program as JSON, and options of torchrun
 * that give the number of devices. */
typedef struct nnc_run_file {
    const char *command, *parameters, *devices;
} nnc_run_file;

/* Tests whether a document is a run file. */
bool nnc_run_file_is(nnc_json root);
nnc_status nnc_run_file_read(nnc_arena *arena, const nnc_document *d, nnc_run_file *parts, nnc_error *err);

/* ---- launch_rows.c: reads the keys of launch files ---- */

bool nnc_reading_goes_on(const nnc_reading *r);
/* Sets r->status to the status of the fault that was noted at the value `at` of a launch file. */
void nnc_reading_fail(nnc_reading *r, nnc_json at);
/* Adds a key that sets no field to the list of ignored keys. path: the keys from the root of the file to this key,
 * joined by dots. */
void nnc_reading_ignore(nnc_reading *r, nnc_json at, const char *path, const char *why, bool skipped);
bool nnc_reading_is_given(const nnc_reading *r, const nnc_field *field);
/* Sets the fields that a JSON object in the table of a format lists, such as { "zero": "3" }. at, path: value and path
 * of the key of the launch file that sets these fields. are_defaults: true = fields that already have a value are not
 * changed. */
void nnc_reading_set(nnc_reading *r, nnc_json at, const char *path, nnc_json fields, bool are_defaults);
/* Returns the field `name` of the model (or "MODEL", "SOFTWARE") that a launch file has set; NULL = no launch file has
 * set this field. */
nnc_model_field *nnc_reading_model(nnc_reading *r, const char *name);

/* Returns the text of the script `name` that another script reads, if `name` is a script of a framework. The scripts of
 * frameworks are entries in the member "scripts" of the tables in foreign/launch/. `script` is the text of the script
 * that reads the script `name`; `script` must contain the word "sign" of the entry. Returns NULL if no table has an
 * entry for the script `name`. */
const char *nnc_launch_shipped(nnc_specs *specs, const char *script, const char *name);
/* Adds to `given` the fields of the model that file number `index` sets, as the option --set does, and writes these
 * options to *text. Does nothing if the table of this file has no member "changes", if no file names a model, or if the
 * command line gives a model. */
void nnc_reading_change_model(nnc_reading *r, int index, nnc_scenario_args *given, nnc_buffer *text);

/* Tests whether a row or a rule of a format's table applies: the conditions in its member with the name `when` are met,
 * and the conditions in its member "unless" are not met. */
bool nnc_reading_applies(nnc_reading *r, nnc_json row, const char *when);
/* Computes the value that a table gives to a field, as text: a plain string, the result of a formula (value begins with
 * '='), or the value of a key (begins with '@'). Returns false if an error was noted, or if the launch file does not
 * have the key. */
bool nnc_reading_text(nnc_reading *r, nnc_json at, const char *value, char *text, size_t size);
/* Finds the row for the key `path` in the table of the current file's format, or in the table that the member "also"
 * names. *below: true if the table has rows for keys inside this key. */
nnc_json nnc_reading_row(const nnc_reading *r, const char *path, bool *below);

/* nnc_reading_keys reads the keys of file `index`. nnc_reading_beneath reads the keys of the files beneath file `index`
 * (the files in which missing keys of file `index` are looked up), except keys that file `index` also has.
 * nnc_reading_answer checks that the questions from index `first` on are answered. nnc_reading_rules applies the rules
 * of the table of file `index`. */
void nnc_reading_keys(nnc_reading *r, int index);
void nnc_reading_beneath(nnc_reading *r, int index);
void nnc_reading_answer(nnc_reading *r, int first);
void nnc_reading_rules(nnc_reading *r, int index);

/* ---- launch_values.c: keys, values and formulas of a launch file ---- */

/* Returns the member `part` of the table of the file that is being read. */
nnc_json nnc_reading_table_part(const nnc_reading *r, const char *part);

const nnc_table_index *nnc_reading_table(const nnc_reading *r);

/* Converts an option to the name of a key in the table: "--num-layers" -> "num_layers". If the format's keys are not
 * options of a command line, copies the key. */
void nnc_reading_key_name(const nnc_reading *r, const char *key, char *name, size_t size);

/* Returns the JSON object of a launch file whose members are its keys: the object that the member "inside" of the table
 * names, or the root of the file. */
nnc_json nnc_reading_keys_in(const nnc_reading *r, const nnc_launch_file *file);

nnc_json nnc_reading_keys_of(const nnc_reading *r);

/* Returns the string that a member of a row of the table has; "" if the row has no such member. */
const char *nnc_row_member(nnc_json row, const char *member);

/* Returns the file in which the keys that `file` does not have are looked up; NULL = there is no such file. */
const nnc_launch_file *nnc_file_beneath(const nnc_reading *r, const nnc_launch_file *file);

/* Tests whether `key` is a key of `file` whose value is the path of the file beneath (the file in which missing keys
 * are looked up). Only the last parts of the two paths are compared. */
bool nnc_reading_names_file(const nnc_reading *r, const nnc_launch_file *file, const char *key);

/* If a value is a reference to a key, such as "${a.b}", returns the value of this key. The key is looked up first in
 * the files that take precedence over the file with the reference (the files on top of it), then in the file with the
 * reference. Returns a value that is no reference unchanged. path: path of the key that has the value, for references
 * such as "${.b}". A reference may contain one of the functions multiply, sum, divide_floor and divide_ceil, as in
 * "${multiply:4, ${.b}}". */
nnc_json nnc_launch_referred(const nnc_reading *r, nnc_json at, const char *path);

/* Returns the value of a key: from the file that is being read, or, if this file does not have the key, from the files
 * beneath it, in which missing keys are looked up. If no file has the key, returns the program's default, which is in
 * the member "absent" of the table; an absent value: the table has no default. */
nnc_json nnc_reading_value(const nnc_reading *r, const char *key);

/* Tests whether a key of a file has no effect. A key has no effect if a file that takes precedence over its file (a
 * file on top) also has the key. A key in a file that only supplies missing keys of another file (a file beneath) also
 * has no effect if its value is the program's default. */
bool nnc_reading_is_replaced(const nnc_reading *r, nnc_json at, const char *key);

/* Writes a value as text: "true", "5e8", "cpu". NOLINTNEXTLINE(misc-no-recursion): a list has no list inside */
bool nnc_launch_value_text(nnc_json at, char *text, size_t size);

/* Returns true if a text is equal to a word, without regard to case. A word of the form "*x*" also matches each text
 * that contains x. */
bool nnc_text_is_like(const char *text, const char *word);

/* Reads a key with a list of regular expressions: the parameters whose names match are trained. The member "families"
 * of the table row lists the names of parameters for each family of models. The member "inside" of "families" has the
 * names of parameters in a layer, for each part that --train can name. The member "outside" of "families" has the names
 * of parameters outside the layers. */
void nnc_reading_parameters(nnc_reading *r, nnc_json at, const char *path, nnc_json row);

/* ---- launch_rows.c: sets the fields that a launch file states ---- */

void nnc_reading_refuse(nnc_reading *r, nnc_json at, const char *path, const char *what, nnc_json row);

nnc_set_field *nnc_reading_find_set(nnc_reading *r, const nnc_field *field);

/* Returns the field that a table of a launch format calls `name`. If the file starts a serving engine, the field
 * belongs to the deployment. If the file does not start a serving engine, the field belongs to the plan, to the run, or
 * to the switches of a software profile. NULL = no such field. */
const nnc_field *nnc_reading_field(const nnc_reading *r, const char *name);

/* Returns the name of a field of the model without "model.": "model.hidden" -> "hidden". Also returns "MODEL" and
 * "SOFTWARE" themselves, because the list of model fields contains these two names, too. NULL for any other name. */
const char *nnc_model_field_name(const char *name);

/* Converts the value of a field to the form that nncost writes, so that two spellings of a value become equal. Fails if
 * the field cannot have this value; err has the reason. */
nnc_status nnc_usual_text(const nnc_field *field, const char *value, char text[NNC_LAUNCH_VALUE], nnc_error *err);

/* Sets a field to a value of a launch file; the value must fulfil the conditions of the option that sets the field. If
 * the field has a value already, lists of flags are joined, and a default is ignored. Two different values of a field
 * are a fault, unless both are lists of flags, one is a default, or an option gives the field. */
void nnc_reading_set_text(nnc_reading *r, nnc_json at, const char *name, const char *value, bool is_default);

#endif
