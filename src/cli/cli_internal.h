/* Functions and types that the files of src/cli share. The files of src/cli read the command line and run the commands:
 *
 *     `main.c`           lists all commands, finds the command of a command line and runs it.
 *     `option_table.c`   has a row for every option: name, place in nnc_options, type, limits, default, help.
 *     `options.c`        reads a command line and the defaults file into one nnc_options, by the rows of
 *                        option_table.c.
 *     `scenario_args.c`  loads a scenario from operands and options, and writes the command line of a scenario.
 *     `search_args.c`    makes a search from operands and options, and runs it with progress and signals.
 *     `terminal.c`       writes standard output and files, shows progress and delays signals; some of its functions are
 *                        only for the browser page.
 *     `docs.c`           writes the help of the program and of a command, and has the commands docs and explain.
 *     `cmd_*.c`          each file contains one command or a few related commands. A command loads the specs that its
 *                        operands name, computes a result, and writes the result with an nnc_view.
 *
 * The page of a result is a list of rows (nnc_page_row: label, text with names of metrics in braces, ink, condition).
 * Only sentences that depend on several metrics are written by functions.
 *
 * A command is an nnc_command. A command gets a session (nnc_session): the options, the specs, and a buffer for the
 * output. The buffer is printed only if the command succeeds. */
#ifndef NNCOST_CLI_CLI_INTERNAL_H
#define NNCOST_CLI_CLI_INTERNAL_H

#include <nncost/spec.h>
#include <nncost/status.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "lab/lab_internal.h"
#include "launch/launch_internal.h"
#include "metrics/metrics_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"
#include "scenario/scenario_internal.h"
#include "search/search_internal.h"
#include "sweep/sweep_internal.h"

/* ---- order and grouping of the rows that the command ops prints ---- */

#define NNC_SORT_LIST(X)       \
    X(NNC_SORT_ORDER, "order") \
    X(NNC_SORT_TIME, "time")   \
    X(NNC_SORT_FLOPS, "flops") \
    X(NNC_SORT_BYTES, "bytes")
NNC_ENUM(nnc_ops_sort, NNC_SORT_LIST, NNC_SORT_COUNT);
const char *nnc_ops_sort_name(nnc_ops_sort value);

#define NNC_BY_LIST(X)                                                                              \
    X(NNC_BY_ROW, "row")     /* `ops` prints one row for each op in each phase */                   \
    X(NNC_BY_OP, "op")       /* `ops` prints one row for each op, the sum over all its phases */    \
    X(NNC_BY_GROUP, "group") /* `ops` prints one row for each group of ops (attention, mlp, ...) */ \
    X(NNC_BY_PHASE, "phase")
NNC_ENUM(nnc_ops_by, NNC_BY_LIST, NNC_BY_COUNT);
const char *nnc_ops_by_name(nnc_ops_by value);

typedef struct nnc_ops_view {
    nnc_ops_sort sort;
    nnc_ops_by by;
    int32_t top; /* number of rows that `ops` prints; 0 = all rows */
    bool bare;   /* true: `ops` prints only the table, without lines about model, device and plan */
} nnc_ops_view;

/* ---- options of the command line: option_table.c, options.c ---- */

/* Flags; each flag stands for a set of options. An nnc_command accepts the options of the sets in its member
 * `takes`. */
enum {
    NNC_TAKES_COMMON = 1,  /* the options --format, --output, --no-defaults and --help */
    NNC_TAKES_PLAN = 2,    /* one option for every field of the plan; --software, --set */
    NNC_TAKES_OPS = 4,     /* the options --sort, --top and --by, for rows of `ops` */
    NNC_LACKS_COST = 8,    /* the command has no options --price, --seller and --offer, because its answer has no
                            * cost */
    NNC_TAKES_STAGES = 16, /* the options --stages, --timeline, --trace, --measured and --sensitivity */
    NNC_TAKES_SEARCH = 32, /* one option for each member of nnc_search_options; --threads, --progress */
    /* options --scenario (a scenario of a plan file), --seller, --offer, --region, --building */
    NNC_TAKES_SCENARIO = 64,
    NNC_TAKES_CHECK = 128,  /* the options --update and --forget, and the output formats of `check` */
    NNC_TAKES_SWEEP = 256,  /* one option for each member of nnc_sweep_options; --top, --threads, --progress */
    NNC_TAKES_HELP = 512,   /* --help */
    NNC_TAKES_SCORE = 1024, /* the options --rows, --summary, --only, --fold and --group of `accuracy` */
    /* the options --device, --fit, --only, --fold, --group and --hold-out of `calibrate` */
    NNC_TAKES_CALIBRATE = 2048,
    NNC_TAKES_MODEL = 4096,      /* --lenient */
    NNC_TAKES_PLOT = 8192,       /* the options --width, --fragment, --from, --to, --against and --stages of `plot` */
    NNC_TAKES_REPORT = 16384,    /* --date */
    NNC_TAKES_RUN = 32768,       /* one option for every field of the run */
    NNC_TAKES_BUDGET = 65536,    /* one option for every field of a budget; --device */
    NNC_TAKES_SERVE = 131072,    /* one option for every field of a serve plan; --software, --set */
    NNC_TAKES_SERVING = 262144,  /* --serve */
    NNC_TAKES_SLO = 524288,      /* --slo, --max-devices */
    NNC_TAKES_TARGET = 1048576,  /* --target-step, --plans */
    NNC_TAKES_LAUNCH = 2097152,  /* launch files are accepted as operands; option --from */
    NNC_TAKES_SHOW = 4194304,    /* --to-options, --from */
    NNC_TAKES_MCP = 8388608,     /* one option for each member of nnc_mcp_options */
    NNC_TAKES_FILES = 16777216,  /* launch files are accepted as operands; the option --from is the start of a timeline,
                                  * not the format of a launch file */
    NNC_TAKES_SWITCH = 33554432, /* one option for every switch of a software profile */
    NNC_TAKES_EMIT = 67108864,   /* --emit */
    NNC_TAKES_LIMIT = 134217728, /* --of */
    /* the options of `op`: some options of the plan (--precision, --devices ...), and --kernel, --layout, --unmasked */
    NNC_TAKES_ONE_OP = 268435456,
    NNC_LACKS_RUN = 536870912, /* the command has no options --tokens and --samples, because its answer has no run */
    NNC_LACKS_MFU = 1073741824 /* the command has no option --flops-convention, because its answer has no MFU */
};

/* The set of the option --ignore-memory. The flag NNC_TAKES_OVER_MEMORY is a macro, because enumerators of C17 are of
 * type int, in which bit 31 is the sign. */
#define NNC_TAKES_OVER_MEMORY 0x80000000u

enum { NNC_LINKS_MAX = 8, NNC_OWN_OPTIONS_MAX = 96 };

/* Options of a sweep. A string is NULL if the command line does not give the option. */
typedef struct nnc_sweep_options {
    const char *where[NNC_WHERES_MAX], *links[NNC_LINKS_MAX];
    int where_count, link_count;
    const char *columns, *by, *database;
    bool all;
} nnc_sweep_options;

/* Options of a search. If the command line does not give an option, the member for the value of the option is 0 (a
 * number) or NULL (a string). */
typedef struct nnc_search_options {
    int64_t best, max_devices, max_memory;
    double deadline_s, target_step_s;
    const char *risk; /* largest allowed probability that a plan runs out of memory, as text: "5%" or "0.05" */
    const char *objective, *budget; /* objective: a name of nnc_objective; budget: an amount of money with its
                                     * currency */
    const char *plans;              /* path of the plan file that --plans writes */
    const char *shards;             /* names of the shard files that --shards merges */
    bool no_prune;
    bool one_software; /* true: the plans on all numbers of devices use one software profile: the profile of the best
                        * plan on the smallest number of devices above 1 */
} nnc_search_options;

/* Limits for each tool call of the server 'nncost mcp'. */
typedef struct nnc_mcp_options {
    const char *root; /* folder whose files tool calls may read; NULL = tool calls may read any regular file */
    double deadline_s;
    int64_t memory_bytes;
} nnc_mcp_options;

#define NNC_PROGRESS_LIST(X)     \
    X(NNC_PROGRESS_LINE, "line") \
    X(NNC_PROGRESS_JSON, "json") \
    X(NNC_PROGRESS_NONE, "none")
NNC_ENUM(nnc_progress_form, NNC_PROGRESS_LIST, NNC_PROGRESS_COUNT);
const char *nnc_progress_form_name(nnc_progress_form value);

/* Options of a command line, converted to their types. Strings point into argv or into the text of the defaults file;
 * NULL = the option is not given. */
typedef struct nnc_options {
    const nnc_format *format;
    /* help: --help is given; brief: -h (short help) is given; help_all: --help-all is given */
    bool help, brief, help_all, no_defaults;
    unsigned level; /* value of the option --level (an nnc_level) of the command accuracy */
    nnc_limit limit_of;
    bool stages, timeline, sensitivity, update, forget, rows, lenient, summary, fragment;
    bool full, verdict;   /* full: --full is given, so the page of `estimate` is complete; verdict: --brief is given, so
                           * the page has only the verdict */
    bool serve;           /* true: the option --serve is given, so the serving form of the command runs */
    const char *measured; /* step time or rate that the user measured: "0.41s", "380samples/s", "12000tokens/s" */
    const char *output, *trace, *scenario, *date, *slo;
    const char *only, *fold, *group, *device, *fit, *hold_out, *explain;
    const char *against; /* command line of the estimate that --against draws as an outline */
    const char *power_cap, *format_name;
    const char *host, *implementation;
    const char *kernel, *layout; /* kernel and layout of the single op that the command op estimates */
    bool unmasked;
    /* format of the launch files (--from); NULL = nncost finds the format by the content */
    const char *launch_format;
    const char *emit; /* value of --emit: format of the launch file or engine command to print */
    bool to_options;
    int32_t width; /* width of a picture in pixels */
    bool ignore_memory;
    /* start and end of the drawn section of a timeline, in seconds; NaN = the start or the end of the step */
    double from_s, to_s;
    int64_t threads; /* number of threads; 0 = one thread per processor core */
    nnc_progress_form progress;
    nnc_search_options search;
    nnc_mcp_options mcp;
    nnc_sweep_options sweep;
    nnc_ops_view view;
    /* settings that options of the command line give; these settings override settings in files */
    nnc_scenario_args given;
    char **operands; /* words of the command line that are not options; NULL ends the list */
    int operand_count;
    /* for each row of the option table: value of the option as text; NULL = not given */
    const char *texts[NNC_OWN_OPTIONS_MAX];
    bool typed[NNC_OWN_OPTIONS_MAX]; /* for each row of the option table: true = the command line gives the option */
    char host_set[64];               /* text of the --set option that replaces --host */
    char power_cap_set[64];          /* text of the --set option that replaces --power-cap */
    char *defaults;                  /* content of the defaults file, whose lines give default options */
    char **expanded;                 /* argv with option names of other programs replaced; NULL = argv has no
                                             * such names */
} nnc_options;

typedef struct nnc_command nnc_command;

/* Reads the arguments after the name of the command, and moves the operands to the front of argv. Fails with
 * NNC_BAD_USAGE; err->where is the wrong option in the user's spelling. */
nnc_status nnc_options_parse(int argc, char **argv, const nnc_command *command, nnc_options *options, nnc_error *err);
/* Frees the memory to which members of an nnc_options point. */
void nnc_options_free(nnc_options *options);

/* Makes a new argv in which options of nncost replace option names of other programs (Megatron-LM, DeepSpeed, vLLM
 * ...). *expanded is NULL if argv has no option names of other programs. known: function that tests whether the command
 * has an option. An option name of another program is refused with NNC_BAD_USAGE and a hint, if the user has to compute
 * or choose the value of nncost's option. In aliases.c. */
typedef bool nnc_option_known(const void *context, const char *option);
nnc_status nnc_aliases_expand(int *argc, char **argv, nnc_option_known *known, const void *context, char ***expanded,
                              nnc_error *err);

/* A row of aliases.txt; a comment in aliases.txt describes the members of a row. The texts are arrays, not pointers,
 * because the loader would have to relocate pointers at each start of the program. Unused members are "". */
typedef struct nnc_option_alias {
    char name[48], value[20], words[40], hint[88], option[20];
} nnc_option_alias;
extern const nnc_option_alias nnc_option_aliases[]; /* aliases.cmake writes this array */
extern const int nnc_option_alias_count;

/* Tests whether the command line or the defaults file gives an option. name: name of the option, such as
 * "--max-devices". */
bool nnc_option_given(const nnc_options *options, const char *name);

/* Tests whether the command line itself gives an option. An option without effect is refused if the command line gives
 * it, and ignored if only the defaults file gives it. */
bool nnc_option_typed(const nnc_options *options, const char *name);

/* Copies the option value `given` to *value if it is above 0 (0 = the option is not given). Fails if `given` is above
 * `most`. */
nnc_status nnc_option_count(const char *option, int64_t given, int64_t most, int64_t *value, nnc_error *err);

/* Loads the device that the value of the option --device names. */
nnc_status nnc_option_device(nnc_specs *specs, const char *text, const nnc_device **device, nnc_error *err);

/* An option that is not a row of a field table (of the plan, the run ...). The member `field` contains the offset of
 * the option's value in nnc_options. A value of type NNC_FIELD_TEXT is a const char *, or a list of const char * if
 * capacity > 0. The words in field.names are offered by completion in a shell; the user may give other words too,
 * because the command itself checks the value. */
typedef struct nnc_own_option {
    nnc_field field;
    double default_value;
    const char *argument; /* placeholder for the value in help, such as "FILE"; NULL = the option is a switch */
    unsigned takes;       /* flags (NNC_TAKES_...) of the sets to which the option belongs */
    char letter;          /* letter of the short form, such as 'o' for -o; 0 = the option has no short form */
} nnc_own_option;

extern const nnc_own_option nnc_own_options[];
extern const int nnc_own_option_count;

/* Field tables. The options of one field table: each field of the table is an option, and `takes` is the flag of the
 * set to which these options belong. An entry with table = NULL ends the list. */
typedef struct nnc_option_fields {
    unsigned takes;
    const nnc_field_table *table;
    /* names of the fields that are options; NULL ends the list. A NULL pointer instead of a list means that all fields
     * are options */
    const char *const *only;
} nnc_option_fields;
extern const nnc_option_fields nnc_option_tables[];
bool nnc_option_has(const nnc_option_fields *of, const nnc_field *field);

/* Tests whether the flags NNC_LACKS_... of a command exclude an option. If `takes` is ~0u, which stands for all
 * commands together, the function returns false. */
bool nnc_option_lacks(unsigned takes, const char *name);

/* An option in the form that help, the man page and completion in a shell show. */
typedef struct nnc_option_text {
    char name[NNC_OPTION_NAME], alias[NNC_OPTION_NAME]; /* name: the name of the option, such as "--tensor"; alias: a
                                                         * second name, such as "--tp", "" = no second name */
    char argument[24];                                  /* text after the name in help: " N" or "[=off]"; "" = a
                                                         * switch */
    nnc_names values;                                   /* words that are allowed as value; count 0 = any text */
    const char *(*help_of)(unsigned value); /* returns the help of each allowed value; NULL = no help for values */
    bool of_plan;
    const nnc_field *field;
    /* true: `field` is a row of a field table; false: `field` is a member of an nnc_own_option */
    bool of_file;
    char default_text[64]; /* default value of the option, as text; "" = the option has no default */
    const char *group;     /* heading below which help lists the option */
    unsigned takes;
    char help[512];
} nnc_option_text;

/* Fills *text with one option of the sets `takes`: number `index` (from 0) in a list in which the options of the plan
 * come first. Returns false if the list has no such option. */
bool nnc_option_at(unsigned takes, int index, nnc_option_text *text);

/* ---- commands and the session of a command: main.c ---- */

/* Images of the shipped files: C structs that were read from the files at build time. The pointer to the images is NULL
 * in a cross-compiled program, which reads the shipped files at run time. */
#ifdef NNC_HAVE_IMAGES
extern const uint64_t nnc_shipped_images[];
#else
static const uint64_t *const nnc_shipped_images = NULL;
#endif

typedef struct nnc_session {
    nnc_options options;
    nnc_style style;
    nnc_specs *specs;
    const char *data;     /* folder of the data files that came with the program; NULL = not found */
    nnc_buffer *out;      /* output of the command; it is printed only if the command succeeds */
    nnc_buffer arguments; /* words of the command line from the name of the command on, each followed by a NUL */
    bool inside;          /* true: another command has called this command, so it must write no files */
    /* Exit code of a command that succeeded: 0, or 1 if the answer of the command is no, for example "does not fit". */
    int exit_code;
} nnc_session;

/* One form of a command, such as "report diff". The operands choose the form. A form of a command accepts only some of
 * the options of the command. */
typedef struct nnc_form {
    char name[32]; /* name of the form in error messages: "report diff" */
    unsigned takes;
} nnc_form;

struct nnc_command {
    const char *name;
    /* a second name of the command, which help shows and which has two words, such as "check diff"; NULL = no second
     * name */
    const char *part_of;
    const char *operands; /* operands of the command in help: "MODEL DEVICE" */
    const char *summary;  /* description of the command in help, one line */
    const char *notes;    /* last paragraph of the --help of the command; NULL = no such paragraph */
    int min_operands, max_operands;
    int leading_operands;                                     /* number of operands before MODEL, such as the name of
                                                               * a picture */
    unsigned takes;                                           /* NNC_TAKES_... flags of all options of the command */
    void (*form)(const nnc_options *options, nnc_form *form); /* sets the form that the operands choose; NULL = the
                                                               * command has one form */
    bool ranks;                                               /* true: several MPI ranks can share the work of the
                                                               * command */
    const nnc_command *serving; /* the command that runs with --serve; NULL = the command has no --serve */
    nnc_status (*run)(nnc_session *session, nnc_error *err);
};

extern const nnc_command nnc_cmd_estimate, nnc_cmd_advise, nnc_cmd_ops, nnc_cmd_op, nnc_cmd_trace, nnc_cmd_watch,
    nnc_cmd_compare, nnc_cmd_list, nnc_cmd_show, nnc_cmd_validate, nnc_cmd_explain, nnc_cmd_search, nnc_cmd_docs,
    nnc_cmd_check, nnc_cmd_diff, nnc_cmd_init, nnc_cmd_run, nnc_cmd_budget, nnc_cmd_sweep, nnc_cmd_merge,
    nnc_cmd_accuracy, nnc_cmd_calibrate, nnc_cmd_plot, nnc_cmd_report, nnc_cmd_mcp, nnc_cmd_import, nnc_cmd_explore,
    nnc_cmd_serve, nnc_cmd_scale, nnc_cmd_fit, nnc_cmd_limit;
/* Commands for serving: if --serve is given, a command of this list runs in place of the command with the same name. */
extern const nnc_command nnc_cmd_serve_ops, nnc_cmd_serve_search, nnc_cmd_serve_sweep, nnc_cmd_serve_compare,
    nnc_cmd_serve_explain, nnc_cmd_serve_calibrate, nnc_cmd_serve_init;

/* Returns command number `index` (from 0) in the order of help; NULL = there is no such command. */
const nnc_command *nnc_command_at(int index);

/* Runs a command line inside the program and prints into `out`. Refuses options that write a file. Returns NNC_OK even
 * if the answer of the command is no (exit code 1). */
nnc_status nnc_command_call(int argc, char **argv, nnc_buffer *out, nnc_error *err);

/* Functions that write help: help of the program, in full or brief (-h), and help of a command. The level
 * NNC_HELP_BRIEF selects the help that -h prints. The level NNC_HELP_USUAL selects the help that --help prints; this
 * help has one line per option if the command has many options. The level NNC_HELP_ALL selects the help that --help-all
 * prints. */
void nnc_help_program(nnc_buffer *out, nnc_style style);
void nnc_help_program_brief(nnc_buffer *out);
typedef enum nnc_help_level { NNC_HELP_BRIEF, NNC_HELP_USUAL, NNC_HELP_ALL } nnc_help_level;
void nnc_help_command(nnc_buffer *out, nnc_style style, const nnc_command *command, nnc_help_level level);

/* ---- loading a scenario from operands and options: scenario_args.c ---- */

/* Opens the plan file that the first operand (`model`) names, and finds the scenario that --scenario names. If the
 * first operand is a model, sets *plans to NULL; `device` must then be given. */
nnc_status nnc_plans_of_args(nnc_session *session, const char *model, const char *device, const nnc_plans **plans,
                             const nnc_plans_scenario **picked, nnc_error *err);

/* Refuses options of a run for a command whose answer has no run. Options of fine-tuning methods are allowed. Options
 * of data loading are allowed if `input` is true. The error contains the text `needs`, which names the command or the
 * options with which the refused options have an effect. */
nnc_status nnc_run_options_refuse(const nnc_scenario_args *given, bool input, const char *needs, nnc_error *err);

/* Loads a scenario from the operands of a command. `model` is a model, or a plan file in which the option --scenario
 * selects the scenario. If `model` is a plan file and `device` is NULL, the device of the scenario is used. Data that
 * come from a plan file are valid as long as the specs of the session. */
nnc_status nnc_scenario_load_args(nnc_session *session, const char *model, const char *device, nnc_scenario *scenario,
                                  nnc_error *err);

/* The function nnc_scenario_load_any loads a scenario as nnc_scenario_load_args does, but accepts options without
 * effect. The function nnc_scenarios_check_read refuses an option of the command line if the option has no effect on
 * any of the `count` scenarios. */
nnc_status nnc_scenario_load_any(nnc_session *session, const char *model, const char *device, nnc_scenario *scenario,
                                 nnc_error *err);
nnc_status nnc_scenarios_check_read(const nnc_options *options, const nnc_scenario *scenarios, int32_t count,
                                    nnc_error *err);

/* Makes the estimate of a scenario compute the metrics of the whole run too, if --tokens or --samples is given. */
void nnc_scenario_request_run(nnc_scenario *scenario);

/* Loads a model and a device, estimates the plan that the options describe, and then calls the function `write`. The
 * function `write` gets `context`, and the scratch that contains the lists of the report. If `model` is a plan file,
 * `device` may be NULL. */
typedef nnc_status nnc_report_writer(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                                     nnc_error *err);
nnc_status nnc_scenario_report(nnc_session *session, const char *model, const char *device, nnc_report_writer *write,
                               void *context, nnc_error *err);

/* Writes the fields that --set changes, such as "with layers=4", and an empty line. Without --set, the function writes
 * nothing. */
void nnc_put_sets(nnc_buffer *out, const nnc_scenario_args *given);

/* Functions for the option --emit FORMAT[=FILE], which writes the plan of a command as a launch file. `nnc_emit_file`
 * writes the FORMAT of the option to `format`, and returns the FILE of the option; NULL = no FILE. `nnc_emit_begin`
 * changes options that the user did not give: they get the defaults of the framework that reads the launch format. If
 * the operand is a plan file, the function changes nothing. `nnc_emit_begin` must be called before the scenario is
 * loaded.
 * `nnc_emit_instead` returns true if the command prints only the launch file, and no page.
 * `nnc_emit_plan` prints the launch file, or writes it to FILE. If FILE is a folder DIR/, the path of the launch file
 * is DIR/NAME with the suffix of the format, and NAME is the argument `name`. If the command writes a single plan,
 * `name` is NULL. */
enum { NNC_EMIT_FORMAT = 32 };
const char *nnc_emit_file(const nnc_options *options, char format[NNC_EMIT_FORMAT]);
nnc_status nnc_emit_begin(nnc_session *session, bool searches, nnc_error *err);
bool nnc_emit_instead(const nnc_session *session);
nnc_status nnc_emit_plan(nnc_session *session, const nnc_launch_plan *plan, const char *name, nnc_error *err);
/* Writes a scenario as a launch file (--emit). name: name of the scenario if the command writes several; NULL = a
 * single scenario. If the command writes several scenarios and cannot write one of them, the command prints a line to
 * standard error, continues, and exits with code 1. */
nnc_status nnc_emit_scenario(nnc_session *session, const nnc_scenario *scenario, const char *name, nnc_error *err);

/* Writes the command line that starts the serving engine of a deployment (--emit). In cmd_serve.c. */
nnc_status nnc_emit_deployment(nnc_session *session, const nnc_report *report, const nnc_serve_ask *ask,
                               nnc_error *err);

/* The operands and options from which the command line of an estimate is written. */
typedef struct nnc_command_args {
    const char *model, *device; /* model: id or path of a model, or path of a plan file; device: NULL = not given */
    const char *scenario;       /* name of the scenario in the plan file; NULL = not given */
    const nnc_scenario_args *given;
    bool lenient;
    /* scenario whose framework release sets the plan fields that no option sets; NULL = the scenario has no framework
     * release */
    const nnc_scenario *of_release;
} nnc_command_args;

/* Writes the command line of an estimate, such as "nncost estimate gpt2 a100 --tensor 2". */
void nnc_command_put(nnc_buffer *out, const nnc_command_args *args);
/* Adds to each plan of a search report the command line that estimates the plan. The texts are allocated in `arena`.
 * of_plan_file: true = args->model is a plan file, whose plan may differ from the default plan. Fails with
 * NNC_NO_MEMORY. */
nnc_status nnc_command_all(nnc_arena *arena, const nnc_command_args *args, bool of_plan_file, nnc_search_report *report,
                           nnc_error *err);
/* Returns the text of a buffer as a copy in the arena, and empties the buffer. Returns NULL when out of memory. */
const char *nnc_command_keep(nnc_arena *arena, nnc_buffer *out);

/* ---- running a search from operands and options: search_args.c ---- */

/* Searches plans for the model and device of the operands (as nnc_scenario_load_args loads them), and shows progress on
 * standard error. After the search, calls the function `write` with its context (the argument of the caller) and the
 * result of the search, on MPI rank 0 only. Removes the options of the search from the options of the session. Sets the
 * exit code: 1 if no plan was found, 128 + signal if a signal stopped the search. */
typedef nnc_status nnc_search_writer(nnc_session *session, void *context, const nnc_search_report *report,
                                     nnc_error *err);
nnc_status nnc_search_args_run(nnc_session *session, const char *model, const char *device, nnc_search_writer *write,
                               void *context, nnc_error *err);

/* Tests whether a setting is --shard I/N, the option that restricts a search to one part. (--shard N without a slash is
 * an option of the plan.) */
bool nnc_is_shard(const nnc_setting *setting);
/* Reads the value "I/N" of the option --shard. Fails with NNC_BAD_USAGE if the text has another form or I is above
 * N. */
nnc_status nnc_shard_read(const char *text, nnc_shard *shard, nnc_error *err);

/* ---- standard output, clock, progress and signals: terminal.c ---- */

/* Returns the style (format, width and colour) in which a command writes to standard output or to the file of
 * --output. */
nnc_style nnc_output_style(const nnc_options *options);
/* Writes a text to a file; after a failure, the file is as it was before. path NULL: standard output. */
nnc_status nnc_output_write(const char *path, const char *text, size_t size, nnc_error *err);

/* Returns the seconds of a clock that is never set back. Only the difference of two values of this clock has a
 * meaning. */
double nnc_clock_s(void);

/* State of the progress that a command shows on standard error: one line with rate and remaining time, or JSON
 * objects. */
typedef struct nnc_progress {
    bool shown; /* true: progress is shown, because the user wants JSON objects, or because standard error is a
                 * terminal */
    bool json;
    /* done: number of finished items; shown_done: value of `done` in the line that is shown now */
    int64_t done, shown_done;
    const char *what;  /* plural noun for the counted items: "rows" */
    int64_t from, end; /* from: number of items that were finished before the start; end: number of all items */
    double begun_s, next_s;
} nnc_progress;

/* Begins to show progress. quiet: true = no progress line is shown, because the result goes to the terminal on which
 * the progress line would be. */
nnc_progress nnc_progress_begin(const char *what, int64_t from, int64_t end, nnc_progress_form form, bool quiet);
void nnc_progress_show(nnc_progress *progress, int64_t done);
/* Removes the progress line from the terminal. If progress is shown as JSON objects, prints the last object. */
void nnc_progress_end(nnc_progress *progress);

/* State of delayed signals: SIGHUP, SIGINT and SIGTERM, and also SIGUSR1 and SIGXCPU, which batch systems send before
 * they end a job. Long computations call nnc_interrupt_pending at points where they can stop. Threads that start during
 * the delay also delay these signals. */
typedef struct nnc_interrupt {
    uint32_t held, blocked; /* sets of signals, one bit per signal. held: signals that are delayed; blocked: signals
                             * that nnc_interrupt_hold blocked and that were not blocked before */
} nnc_interrupt;

void nnc_interrupt_hold(nnc_interrupt *interrupt);
/* Returns a signal that has arrived while signals are delayed; 0 = no signal has arrived. */
int nnc_interrupt_pending(const nnc_interrupt *interrupt);
/* Ends the delay of signals, and discards the signals that have arrived meanwhile. */
void nnc_interrupt_release(nnc_interrupt *interrupt);

/* The program on a browser page has no folders, no pipes and no measurements. Commands that need folders, pipes or
 * measurements fail on a page, and the linker removes the code of these commands. */
#ifdef __wasi__
#define NNC_NOT_ON_PAGE(run) (1 ? nnc_run_outside_program : (run))
#define NNC_NO_PAGE_IN_BROWSER(page) (1 ? NULL : (page))
#else
#define NNC_NOT_ON_PAGE(run) run
/* In the program of a browser page, the macro NNC_NO_PAGE_IN_BROWSER becomes NULL, so that the linker removes the
 * function `page`. */
#define NNC_NO_PAGE_IN_BROWSER(page) page
#endif
/* Commands that need fork(), such as 'mcp', fail on Windows, which has no fork(). */
#ifdef NNC_NO_PROCESSES
#define NNC_WITH_PROCESSES(run) nnc_run_outside_program
#else
#define NNC_WITH_PROCESSES(run) run
#endif
nnc_status nnc_run_outside_program(nnc_session *session, nnc_error *err);

/* ---- functions of single commands that other files use ---- */

/* Runs the server 'nncost mcp', which answers each message on standard input until standard input ends. In
 * mcp_server.c. */
nnc_status nnc_mcp_serve(nnc_session *session, nnc_error *err);
/* Writes the id of a JSON-RPC request, if the id is a number or a quoted string; otherwise writes null. */
void nnc_mcp_put_id(nnc_buffer *out, nnc_json id);
/* Writes the answer of 'nncost mcp' to one message, which is one line. Writes nothing if the message needs no
 * answer. */
nnc_status nnc_mcp_answer(const char *line, size_t size, nnc_buffer *out, nnc_error *err);

/* View that writes a list of estimates as a table with one row per estimate. */
extern const nnc_view nnc_comparison_view;

/* ---- checkpoint files (.safetensors) ---- */

/* Prints the contents of the header of a checkpoint file. */
nnc_status nnc_checkpoint_show(nnc_session *session, const char *path, nnc_error *err);
/* Fails unless a model has exactly as many parameters as a checkpoint file. */
nnc_status nnc_checkpoint_check(nnc_session *session, const char *path, const char *model, nnc_error *err);
/* Replaces an operand that is a .safetensors file, or the index of such files, by the model configuration in the same
 * folder. Fails if the configuration has another number of parameters than the checkpoint. */
nnc_status nnc_checkpoint_take(nnc_session *session, char **operand, nnc_error *err);
/* Counts the parameters of a model. id: id or path of the model. */
nnc_status nnc_model_count(nnc_specs *specs, const char *id, int64_t *params, nnc_error *err);

/* ---- views; the comment of a view names the type of the record that the view writes ---- */

extern const nnc_view nnc_estimate_view; /* this view writes an nnc_report */
extern const nnc_view nnc_checkpoint_view;
/* each view of the next line writes a record whose type is declared only in the file of the view's command */
extern const nnc_view nnc_op_view, nnc_budget_view, nnc_trace_view, nnc_watch_view;
extern const nnc_view nnc_ops_output;                  /* private record type, see
                                                                                     * nnc_report_ops */
extern const nnc_view nnc_run_view, nnc_bare_run_view; /* the record is an nnc_report with a run; for nnc_bare_run_view,
                                                        * `result` of the report is NULL */
extern const nnc_view nnc_search_output;               /* this view writes an nnc_search_report */
extern const nnc_view nnc_choices_view, nnc_scale_view, nnc_fit_view, nnc_limit_view; /* the records have private
                                                                                       * types */
/* the record is an nnc_report about serving; nnc_serve_view writes the results, nnc_serve_ops_view the ops */
extern const nnc_view nnc_serve_view, nnc_serve_ops_view;
extern const nnc_view nnc_images_view; /* this view writes an nnc_report with images */
extern const nnc_view nnc_serve_sweep_view, nnc_images_sweep_view, nnc_serve_search_view; /* the records have private
                                                                                           * types */
extern const nnc_view nnc_check_output, nnc_diff_output;                                  /* the record is an
                                                                                           * nnc_check_report */

/* ---- cmd_estimate.c: sections that are on the page of `estimate` and on the page of `run` ---- */

/* Writes the step time, the interval in which measurements are expected, and the errors of predictions for measured
 * steps of similar models. */
void nnc_step_write(nnc_sheet *sheet, const nnc_report *report);
/* Writes the verdict of a plan (fits, tight or does not fit) after a given label, and the smallest changes with which
 * the plan fits. */
void nnc_fit_write(nnc_sheet *sheet, const char *label, const nnc_report *report);

/* ---- the view of the commands in cmd_advise.c ---- */

extern const nnc_view nnc_advise_view; /* this view writes a record of a type that only cmd_advise.c knows */

/* ---- timeline_page.c: functions for --timeline and --trace ---- */

/* Writes the page of --timeline: for each pipeline stage a bar of letters, and the first and last passes of the
 * stage. */
void nnc_timeline_write(nnc_buffer *out, nnc_style style, const nnc_report *report);
/* Writes the timeline of a step as the file of --trace, which chrome://tracing and Perfetto show: one thread per stage,
 * arrows between stages, the number of micro-batches in flight, and the ops of a step. */
void nnc_report_trace(nnc_buffer *out, const nnc_report *report);

/* ---- cmd_ops.c: a function that other pages use ---- */

/* Writes the ops of an estimate as a table. Returns NNC_OK or NNC_NO_MEMORY. */
nnc_status nnc_report_ops(nnc_buffer *out, nnc_style style, const nnc_report *report, nnc_ops_view view);

/* ---- cmd_search.c: functions that searches over several devices or numbers of devices use ---- */

/* Writes the global batch of the command line to *global_batch. If the options give no batch, nncost chooses a batch
 * that is usual for the model: the function adds an option with this batch, and sets *chosen to a text in brackets that
 * explains the choice. If the options give a batch, *chosen is "". For a captured program, the chosen batch has the
 * recorded number of samples on each device. If the first operand is a plan file and the options give no batch,
 * *global_batch is 0, because the plan file states the batch. */
nnc_status nnc_batch_choose(nnc_session *session, const char *model_asked, int64_t *global_batch, const char **chosen,
                            nnc_error *err);

/* The best plan that a search found on one device, or with one number of devices. */
typedef struct nnc_best {
    nnc_found found;          /* the best plan; all numbers in it are NaN if the search found no plan */
    const nnc_result *result; /* estimate of the best plan, without its op table; NULL = no plan was found */
    const char *software;     /* id of the software profile of the best plan; NULL = no plan was found */
    const char *reason;       /* why the search found no plan, set by the caller; NULL = a plan was found */
    const char *currency;
    double cost; /* cost of the run of the best plan; if the length of the run is unknown, cost of one step */
} nnc_best;

/* Fills *best for a plan that a search found, with an estimate in the arena of the specs. found NULL = the search found
 * no plan. The texts in *best belong to the search report. */
nnc_status nnc_best_fill(const nnc_session *session, const nnc_search_report *report, const nnc_found *found,
                         nnc_scratch *scratch, nnc_best *best, nnc_error *err);

/* Getters for rows whose first member is an nnc_best. The getters return texts such as "16", "1.23 GB", "dp8 tp2 mb1"
 * and "12.3 USD". */
nnc_metric_get nnc_best_devices, nnc_best_memory, nnc_best_plan, nnc_best_cost;
/* Writes the command line that estimates the plan of an nnc_best. */
void nnc_best_command(nnc_buffer *out, const nnc_best *best);

/* Writes the plans of a search as a table. sizes: true = the plans have different numbers of devices, and the table has
 * a column for this number. The table has a cost column if `sizes` is true or the length of the run is known. currency:
 * currency of all costs. */
void nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count, const char *currency,
                     bool sizes);

/* Writes the result of a search in the format of `style`: as a page, or as JSON or CSV. */
void nnc_report_search(nnc_buffer *out, nnc_style style, const nnc_search_report *report);

/* ---- device_ranking.c: the form `search MODEL DEVICE,DEVICE ...` ---- */

/* Tests whether the operands of `search` name several devices, joined by commas. */
bool nnc_device_ranking_asked(const nnc_options *options);
/* Searches for the best plan on each of several devices, and ranks the devices by cost or time. */
nnc_status nnc_device_ranking_run(nnc_session *session, nnc_error *err);

/* ---- cmd_serve.c: loading a deployment ---- */

/* Loads the model and device of the operands for serving. `model` is a model, or a plan file in which the option
 * --scenario selects the scenario. If `model` is a plan file and `device` is NULL, the device of the scenario is used.
 * After loading, the functions nnc_serve_with and nnc_serve_report call the function `write` with a scratch. Before it
 * calls `write`, nnc_serve_report computes the deployment; the exit code is 1 if the deployment does not fit in memory
 * or cannot serve the request rate. */
typedef nnc_status nnc_serve_writer(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                                    nnc_error *err);
nnc_status nnc_serve_with(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                          nnc_error *err);
nnc_status nnc_serve_report(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                            nnc_error *err);

/* ---- cmd_check.c: formats and tables of checks ---- */

/* Output formats of `check` in addition to nnc_formats, the formats of all commands. CI programs read the formats junit
 * and github. */
extern const nnc_format nnc_format_junit, nnc_format_github;
enum { NNC_CHECK_FORMAT_COUNT = NNC_FORMAT_COUNT + 2 };
const nnc_format *nnc_check_format_at(unsigned index);
const char *nnc_check_format_name(unsigned index); /* name of a format of `check`; "?" for an index after the last
                                                    * format */

/* Writes a table of the changed metrics of one scenario of a check, with at most `most` rows. */
void nnc_changes_write(nnc_buffer *out, nnc_style style, const nnc_check_row *row, int32_t most, const char *old_head,
                       const char *now_head);

/* ---- cmd_init.c: writing scenarios of plan files ---- */

/* nnc_scenario_field writes one field of the struct `object` as a member of a scenario, in SI units. nnc_scenario_sets
 * writes the options --set of the command line, if there are any. */
void nnc_scenario_field(nnc_record *record, const nnc_field *field, const void *object);
void nnc_scenario_sets(nnc_record *record, const nnc_scenario_args *given);

/* ---- cmd_run.c: lines of the page of `run` that other pages show too ---- */

/* Writes page lines about loading training data. If no option describes data loading, the function writes nothing. */
void nnc_run_input_lines(nnc_buffer *out, nnc_style style, const nnc_run *run);
/* Writes the page of a run. `estimate` shows the page of the run below its own page. */
void nnc_run_lines(nnc_buffer *out, nnc_style style, const nnc_report *report);

/* ---- cmd_plot.c: converting a picture to PNG ---- */

/* Replaces the SVG text of a picture by PNG bytes. A converter program of the system computes the PNG bytes. */
nnc_status nnc_make_png(nnc_buffer *text, nnc_error *err);

/* ---- lab/: functions that the commands accuracy and calibrate share ---- */

/* Views for the results of two commands: accuracy (an nnc_accuracy_report) and calibrate (an
 * nnc_calibration_report). */
extern const nnc_view nnc_accuracy_view, nnc_calibration_view;

/* ---- measured_rows.c: rows that options of the command line select ---- */

/* The selection of rows by --only, --fold and --group. --fold divides rows into parts by a digest; "--fold not:2/5"
 * selects all rows except those in the second of five parts. */
typedef struct nnc_row_choice {
    const char *only; /* text that the id of a selected row contains; NULL = no --only */
    /* part: number of the part that --fold selects, counted from 1; parts: number of parts, 0 = the option --fold is
     * not given */
    int64_t part, parts;
    bool others;
    /* flags of row values. If `together` is not 0, --fold puts rows that have the same values in all flagged properties
     * into the same part; if `together` is 0, the id of a row decides the part of the row */
    unsigned together;
} nnc_row_choice;

/* Reads the options --only, --fold and --group. Fails with NNC_BAD_USAGE. */
nnc_status nnc_row_choice_read(const nnc_options *options, nnc_row_choice *choice, nnc_error *err);

/* Changes a selection so that --fold puts rows of the same source and model into the same part. */
void nnc_row_choice_by_model(nnc_row_choice *choice);

/* nnc_row_passes tests whether --only selects a row; nnc_row_in_fold tests whether --fold selects it. */
bool nnc_row_passes(const nnc_row_choice *choice, const nnc_measured *row);
bool nnc_row_in_fold(const nnc_row_choice *choice, const nnc_measured *row);

/* Returns the digest that decides in which part --fold puts a row. The option --fold puts rows with equal digests into
 * the same part. */
uint64_t nnc_row_digest(const nnc_row_choice *choice, const nnc_measured *row);

/* Reads the files of measured rows that the operands name; the rows are allocated in the arena. NNC_BAD_USAGE: --only
 * selects no row. */
nnc_status nnc_rows_read(nnc_session *session, const nnc_row_choice *choice, nnc_arena *arena,
                         nnc_measured_file **files, int32_t *count, nnc_error *err);

/* Loads the device that a row names, and stores it in the scenario; *id gets the id of the device. */
nnc_status nnc_row_load_device(nnc_specs *specs, const nnc_measured *row, nnc_scenario *scenario, const char **id,
                               nnc_error *err);
/* Loads the model, plan and software profile of a row into the scenario, whose device must already be loaded. A row
 * that measures a single kernel also gets a model in the scenario, so that the option --set model.X can be checked.
 * Afterwards the caller calls nnc_scenario_apply, so that options can change the scenario. */
nnc_status nnc_row_load(nnc_specs *specs, const nnc_options *options, const nnc_measured *row, nnc_scenario *scenario,
                        nnc_error *err);

/* Information about the software that the prediction of a row may use (--level): the release of the row's framework,
 * the settings of this release, or only the information in the row. */
#define NNC_LEVEL_LIST(X)                                                                                             \
    X(NNC_LEVEL_MATCHED, "matched", "The release of the row's framework, as --software names it.")                    \
    X(NNC_LEVEL_PLAN, "plan", "The plan settings of the release, with the profile that nncost chooses for the plan.") \
    X(NNC_LEVEL_USER, "user", "Only the row itself, as in an estimate without --software.")
NNC_ENUM(nnc_level, NNC_LEVEL_LIST, NNC_LEVEL_COUNT);
const char *nnc_level_name(nnc_level value);

/* Number of rows that were left out, for one file and one reason. */
typedef struct nnc_left_out {
    const char *file, *reason, *first; /* first: id of the first row of the file that was left out for the reason */
    int32_t rows;
} nnc_left_out;

/* Counts a row that is left out, with the reason. `list` must have space for one entry per row. */
void nnc_left_out_add(nnc_left_out *list, int32_t *count, const nnc_measured *row, const char *reason);

/* Turns the error `why` of a row into the text of a reason for leaving the row out; the text is allocated in the arena.
 * If the error comes from the machine (memory, files), returns the error, and *reason is NULL. */
nnc_status nnc_left_out_reason(nnc_arena *arena, const nnc_error *why, const char **reason, nnc_error *err);

/* Metrics of an nnc_left_out: file, number of rows, reason, id of the first row. */
extern const nnc_metrics nnc_left_out_metrics;

#endif
