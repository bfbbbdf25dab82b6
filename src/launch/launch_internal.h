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

/* Can this program read YAML? */
extern const bool nnc_yaml_is_read;

/* Writes a YAML text as JSON text, with each key and value on its line in the YAML. Words without quotes are read as
 * in YAML 1.1: yes, on and true are true; 500_000 is a number; an empty value is null. Aliases are replaced by their
 * values. NNC_BAD_SPEC: bad syntax, or a tag or a second document, which launch files do not need. NNC_IO: libyaml
 * cannot be loaded. */
nnc_status nnc_yaml_to_json(const char *name, const char *text, size_t size, nnc_buffer *json, nnc_error *err);

/* Writes a TOML text as JSON text in the same way. The keys of a table are joined to the name of the table by dots. */
nnc_status nnc_toml_to_json(const char *name, const char *text, size_t size, nnc_buffer *json, nnc_error *err);

/* A command of a shell script that starts a program with options. Its texts are in the arena. The JSON has the name
 * of the program, then each option on its line: { ".program": "pretrain_gpt.py", "num_layers": 32, "swiglu": true }. */
typedef struct nnc_shell_command {
    const char *launcher; /* format of its launcher, such as "torchrun"; NULL = no launcher */
    const char *launcher_options, *options;
    const char *config; /* configuration file that the command names; NULL = none */
    long line;
} nnc_shell_command;

/* Reads the commands of a shell script without running it. Expands variables, ${NAME:-default}, arrays, $((..)),
 * quotes, line continuation, and [ ] tests of known values. A variable that the script does not set stays as
 * written: "${NAME}". */
nnc_status nnc_shell_read(const char *name, const char *text, nnc_arena *arena, nnc_shell_command **commands,
                          int *count, nnc_error *err);
/* Reads the words of a command line, or options alone, in the same way. */
nnc_status nnc_shell_arguments(nnc_arena *arena, char **list, int count, const char **json, nnc_error *err);

/* Returns the path of a file that another file names. Looks in the folder of that file, in the folders above it, and
 * in the current folder; if no such file exists, returns the path in its folder. NULL when out of memory. */
const char *nnc_launch_path(nnc_arena *arena, const char *from, const char *name);

/* ---- checkpoints: checkpoint.c ---- */

enum { NNC_CHECKPOINT_PARTS = 48 };

/* The tensors of one type. */
typedef struct nnc_checkpoint_part {
    char name[16];
    int64_t tensors, params, bytes;
} nnc_checkpoint_part;

/* The header of a checkpoint. */
typedef struct nnc_checkpoint {
    const char *path;
    int64_t tensors, params, bytes; /* params and bytes: -1 = unknown */
    int64_t constants;              /* part of params: tables that are not parameters (rope_freqs) */
    int shards;                     /* number of files that an index names; 0 = not an index */
    nnc_checkpoint_part parts[NNC_CHECKPOINT_PARTS];
    int part_count;
    nnc_buffer metadata; /* keys of a GGUF file as JSON, for the table of GGUF keys; the caller frees it */
} nnc_checkpoint;

bool nnc_checkpoint_is_file(const char *path);
/* Reads the header, never the weights. NNC_BAD_SPEC: a length or a type is wrong. NNC_IO: the file cannot be read. */
nnc_status nnc_checkpoint_read(nnc_specs *specs, const char *path, nnc_checkpoint *c, nnc_error *err);
/* Reads an open file of `size` bytes in the same way; the name c->path decides its format. */
nnc_status nnc_checkpoint_parse(nnc_checkpoint *c, nnc_arena *arena, FILE *file, int64_t size, nnc_error *err);

/* How the launch files of a command line are to be read. */
typedef struct nnc_launch_asked {
    const char *format; /* --from: format of all files; NULL = the content decides */
    bool lenient;       /* skip keys that cannot be used, and list them */
    bool serves;        /* the command computes a deployment, not a training step */
    int leading;        /* number of operands before MODEL, such as the name of a picture */
    bool may_be_open;   /* list keys with the value "auto" whose field nothing else sets; otherwise they are errors */
} nnc_launch_asked;

/* Is the file a launch file, by its name and content? A YAML or TOML file always is, so that errors name it. */
bool nnc_launch_is_file(nnc_specs *specs, const char *path, const char *format);

/* Takes the launch files out of the operands, and adds the settings that the files state and the caller does not
 * give. If no operand is a launch file, changes nothing. The added settings live as long as the specs. Fails with
 * NNC_BAD_SPEC or NNC_BAD_USAGE; err names file, line and key. */
nnc_status nnc_launch_take(nnc_specs *specs, const nnc_launch_asked *asked, char **operands, int *operand_count,
                           nnc_scenario_args *given, nnc_error *err);

/* Reads a model from a launch file; a function of type nnc_model_reader. */
nnc_status nnc_launch_model(nnc_specs *specs, const char *device, const char **model, void *given, nnc_error *err);

/* Writes the command of an engine that serves a model by a plan. NNC_ILLEGAL_PLAN: the command cannot express a
 * field of the plan, which err names. NNC_BAD_USAGE: the format is not one of a command. */
nnc_status nnc_launch_emit(nnc_specs *specs, const char *format, const char *model, const nnc_serve_ask *plan,
                           nnc_buffer *out, nnc_error *err);

/* A training plan to write as a launch file. */
typedef struct nnc_launch_plan {
    const char *format, *software; /* software: id of the profile that the estimate uses */
    const char *model_asked, *device;
    const nnc_model *model;
    const nnc_device *on;
    const nnc_plan *plan; /* resolved plan */
} nnc_launch_plan;

/* Adds the profile and the fields that a plan for this format needs and that are not given; searches: also those of
 * a search. NNC_BAD_USAGE: there is no such format, or the given profile does not run its files. */
nnc_status nnc_launch_defaults(nnc_specs *specs, const char *format, bool searches, nnc_scenario_args *given,
                               nnc_error *err);

/* Returns the suffix of files of a format, such as ".sh". */
const char *nnc_launch_suffix(const char *format);

/* Writes a plan as a launch file. NNC_ILLEGAL_PLAN: the format cannot express the plan; err names the option.
 * NNC_BAD_USAGE: the format cannot be written. */
nnc_status nnc_launch_write(nnc_specs *specs, const nnc_launch_plan *asked, nnc_buffer *out, nnc_error *err);

#endif
