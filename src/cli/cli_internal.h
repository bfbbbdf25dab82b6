/* The command line: functions and types that its files share.
 *
 *     main.c            finds the command of a command line and runs it
 *     option_table.c    has a row for every option: name, place in nnc_options, type, limits, default, help
 *     options.c         reads a command line and the defaults file into one nnc_options, with these rows
 *     scenario_args.c   turns operands and options into a loaded scenario, and a scenario into its command line
 *     search_args.c     turns operands and options into a search, which runs with progress and signals
 *     terminal.c        standard output and files, progress, signals, and their replacements on a browser page
 *     docs.c            help of the program and of a command; docs, explain
 *     cmd_*.c           one command each: it loads what the operands name, computes, and writes the result by an
 *                       nnc_view. The page is a list of nnc_page_row (label, text with metrics in braces, ink,
 *                       condition); only sentences that depend on several metrics are code
 *
 * A command is one nnc_command; main.c lists them. A command gets a session: its options, the specs, and a buffer. The
 * buffer is printed only when the command has succeeded. */
#ifndef NNCOST_CLI_CLI_INTERNAL_H
#define NNCOST_CLI_CLI_INTERNAL_H

#include <nncost/spec.h>
#include <nncost/status.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "launch/launch_internal.h"
#include "metrics/metrics_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"
#include "scenario/scenario_internal.h"
#include "search/search_internal.h"
#include "sweep/sweep_internal.h"

/* ---- order and grouping of the rows of `ops` ---- */

#define NNC_SORT_LIST(X)       \
    X(NNC_SORT_ORDER, "order") \
    X(NNC_SORT_TIME, "time")   \
    X(NNC_SORT_FLOPS, "flops") \
    X(NNC_SORT_BYTES, "bytes")
NNC_ENUM(nnc_ops_sort, NNC_SORT_LIST, NNC_SORT_COUNT);
const char *nnc_ops_sort_name(nnc_ops_sort value);

#define NNC_BY_LIST(X)                                                                             \
    X(NNC_BY_ROW, "row")     /* `ops` prints one row for each op in each phase */                  \
    X(NNC_BY_OP, "op")       /* `ops` prints one row for each op: the sum over its phases */       \
    X(NNC_BY_GROUP, "group") /* `ops` prints one row for each group of ops: attention, mlp, ... */ \
    X(NNC_BY_PHASE, "phase")
NNC_ENUM(nnc_ops_by, NNC_BY_LIST, NNC_BY_COUNT);
const char *nnc_ops_by_name(nnc_ops_by value);

typedef struct nnc_ops_view {
    nnc_ops_sort sort;
    nnc_ops_by by;
    int32_t top; /* number of rows to show, 0 = all */
    bool bare;   /* true: prints only the table, without the lines about model, device and plan */
} nnc_ops_view;

/* ---- options: option_table.c, options.c ---- */

/* Flags of sets of options. A command has the options of the sets in .takes of its nnc_command. */
enum {
    NNC_TAKES_COMMON = 1,        /* --format, --output, --no-defaults, --help */
    NNC_TAKES_PLAN = 2,          /* every field of the plan, --software, --set */
    NNC_TAKES_OPS = 4,           /* --sort, --top, --by */
    NNC_TAKES_STAGES = 16,       /* --stages, --timeline, --trace, --measured, --sensitivity */
    NNC_TAKES_SEARCH = 32,       /* members of nnc_search_options, --threads, --progress */
    NNC_TAKES_SCENARIO = 64,     /* --scenario of a plan file; --seller, --offer, --region, --building */
    NNC_TAKES_CHECK = 128,       /* --update, --forget, and the formats of a check */
    NNC_TAKES_SWEEP = 256,       /* members of nnc_sweep_options, --top, --threads, --progress */
    NNC_TAKES_HELP = 512,        /* --help */
    NNC_TAKES_SCORE = 1024,      /* --rows, --summary, --only, --fold, --group */
    NNC_TAKES_CALIBRATE = 2048,  /* --device, --fit, --only, --fold, --group, --hold-out */
    NNC_TAKES_MODEL = 4096,      /* --lenient */
    NNC_TAKES_PLOT = 8192,       /* --width, --fragment, --from, --to, --against, --stages */
    NNC_TAKES_REPORT = 16384,    /* --date */
    NNC_TAKES_RUN = 32768,       /* every field of the run */
    NNC_TAKES_BUDGET = 65536,    /* every field of a budget, --device */
    NNC_TAKES_SERVE = 131072,    /* every field of a serve plan, --software, --set */
    NNC_TAKES_SERVING = 262144,  /* --serve */
    NNC_TAKES_SLO = 524288,      /* --slo, --max-devices */
    NNC_TAKES_TARGET = 1048576,  /* --target-step, --plans */
    NNC_TAKES_LAUNCH = 2097152,  /* launch files among the operands; --from */
    NNC_TAKES_SHOW = 4194304,    /* --to-options, --from */
    NNC_TAKES_MCP = 8388608,     /* members of nnc_mcp_options */
    NNC_TAKES_FILES = 16777216,  /* launch files as operands; in these commands --from is the start of a timeline,
                                  * not a format */
    NNC_TAKES_SWITCH = 33554432, /* every switch of a software profile */
    NNC_TAKES_EMIT = 67108864,   /* --emit */
    NNC_TAKES_LIMIT = 134217728, /* --of */
    NNC_TAKES_ONE_OP = 268435456 /* --precision, --devices ...; --kernel, --layout, --unmasked */
};

enum { NNC_LINKS_MAX = 8, NNC_OWN_OPTIONS_MAX = 96 };

/* Options of a sweep. A string is NULL when it is not given. */
typedef struct nnc_sweep_options {
    const char *where[NNC_WHERES_MAX], *links[NNC_LINKS_MAX];
    int where_count, link_count;
    const char *columns, *by, *database;
    bool all;
} nnc_sweep_options;

/* Options of a search. If an option is not given, a number is 0 and a string is NULL. */
typedef struct nnc_search_options {
    int64_t best, max_devices, max_memory;
    double deadline_s, target_step_s;
    const char *risk;               /* largest allowed probability that a plan runs out of memory: "5%" or "0.05" */
    const char *objective, *budget; /* objective: a name of nnc_objective; budget: an amount of money with its
                                     * currency */
    const char *plans;              /* --plans: plan file to write */
    const char *shards;             /* --shards: shard files to merge */
    bool no_prune;
    bool one_software; /* true: the software profile of the best plan on the fewest devices is used for all numbers of
                        * devices */
} nnc_search_options;

/* Limits on one tool call of the server 'nncost mcp'. */
typedef struct nnc_mcp_options {
    const char *root; /* folder that calls may read; NULL = any regular file */
    double deadline_s;
    int64_t memory_bytes;
} nnc_mcp_options;

#define NNC_PROGRESS_LIST(X)     \
    X(NNC_PROGRESS_LINE, "line") \
    X(NNC_PROGRESS_JSON, "json") \
    X(NNC_PROGRESS_NONE, "none")
NNC_ENUM(nnc_progress_form, NNC_PROGRESS_LIST, NNC_PROGRESS_COUNT);
const char *nnc_progress_form_name(nnc_progress_form value);

/* The options of a command line, with their types. Strings point into argv or into the defaults file; NULL = not
 * given. */
typedef struct nnc_options {
    const nnc_format *format;
    bool help, brief, help_all, no_defaults; /* help: --help; brief: -h, the short help; help_all: --help-all */
    unsigned level;                          /* value of --level (an nnc_level), for the command accuracy */
    nnc_limit limit_of;
    bool stages, timeline, sensitivity, update, forget, rows, lenient, summary, fragment;
    bool full, verdict;   /* page of estimate: full (--full) prints all of it; verdict (--brief) prints only the
                           * verdict */
    bool serve;           /* true: --serve chooses the serving form of the command */
    const char *measured; /* step time or rate of the user's own run: "0.41s", "380samples/s", "12000tokens/s" */
    const char *output, *trace, *scenario, *date, *slo;
    const char *only, *fold, *group, *device, *fit, *hold_out, *explain;
    const char *against; /* --against: command line of a second estimate, which a picture outlines */
    const char *power_cap, *format_name;
    const char *host, *implementation;
    const char *kernel, *layout; /* kernel and layout of a single op */
    bool unmasked;
    const char *launch_format; /* --from: format of the launch files; NULL = the content decides */
    const char *emit;          /* format of the launch file or command to print */
    bool to_options;
    int32_t width;       /* width of a picture, pixels */
    double from_s, to_s; /* part of a timeline to draw: its start and its end; NaN = start or end of the step */
    int64_t threads;     /* number of threads; 0 = all cores */
    nnc_progress_form progress;
    nnc_search_options search;
    nnc_mcp_options mcp;
    nnc_sweep_options sweep;
    nnc_ops_view view;
    nnc_scenario_args given; /* settings of the command line; they take precedence over files */
    char **operands;         /* operands (words that are not options) of the command line; the list ends with NULL */
    int operand_count;
    const char *texts[NNC_OWN_OPTIONS_MAX]; /* text of the value of each row of the option table; NULL = not given */
    char host_set[64];                      /* text of the --set option that --host is converted to */
    char power_cap_set[64];                 /* text of the --set option that --power-cap is converted to */
    char *defaults;                         /* text of the defaults file */
    char **expanded;                        /* argv with option names of other programs replaced; NULL = argv has no
                                             * such names */
} nnc_options;

typedef struct nnc_command nnc_command;

/* Reads argv after the name of the command, and moves the operands to its front. Fails with NNC_BAD_USAGE;
 * err->where is the option as it was written. */
nnc_status nnc_options_parse(int argc, char **argv, const nnc_command *command, nnc_options *options, nnc_error *err);
/* Frees the memory that the options point to. */
void nnc_options_free(nnc_options *options);

/* Replaces option names of other programs (Megatron-LM, DeepSpeed, vLLM ...) by options of nncost, in a new argv.
 * *expanded is NULL if there are no such names. known: tests whether the command has an option. If a name needs
 * arithmetic or a choice, fails with NNC_BAD_USAGE and a hint. In aliases.c. */
typedef bool nnc_option_known(const void *context, const char *option);
nnc_status nnc_aliases_expand(int *argc, char **argv, nnc_option_known *known, const void *context, char ***expanded,
                              nnc_error *err);

/* Tests whether an option was given on the command line or in the defaults file. name: "--max-devices". */
bool nnc_option_given(const nnc_options *options, const char *name);

/* Copies `given` to *value if it is above 0 (0 = not given). Fails if it is above `most`. */
nnc_status nnc_option_count(const char *option, int64_t given, int64_t most, int64_t *value, nnc_error *err);

/* Loads the device that --device names. */
nnc_status nnc_option_device(nnc_specs *specs, const char *text, const nnc_device **device, nnc_error *err);

/* An option of the command line itself; options of the plan, the run and so on are rows of field tables. `field` has
 * the offset of the value in nnc_options. A value of type NNC_FIELD_TEXT is a const char *, or a list of const char *
 * if capacity > 0. field.names are the words that completion offers; the command that reads the value checks the
 * value. */
typedef struct nnc_own_option {
    nnc_field field;
    double default_value;
    const char *argument; /* argument in help, such as "FILE"; NULL: the option is a switch */
    unsigned takes;       /* flags of all sets that contain the option */
    char letter;          /* short form: 'o' for -o; 0 = none */
} nnc_own_option;

extern const nnc_own_option nnc_own_options[];
extern const int nnc_own_option_count;

/* Field tables whose fields are options, each with the set of options to which its fields belong. The list ends with
 * table = NULL. */
typedef struct nnc_option_fields {
    unsigned takes;
    const nnc_field_table *table;
    const char *const *only; /* names of the fields in the set, NULL at the end; NULL = all fields of the table */
} nnc_option_fields;
extern const nnc_option_fields nnc_option_tables[];
bool nnc_option_has(const nnc_option_fields *of, const nnc_field *field);

/* An option in the form that help, the man page and completion use. */
typedef struct nnc_option_text {
    char name[NNC_OPTION_NAME], alias[NNC_OPTION_NAME]; /* name: the name of the option, such as "--tensor"; alias: a
                                                         * second name, such as "--tp", "" = no second name */
    char argument[24];                                  /* text after the name in help: " N" or "[=off]"; "" = a
                                                         * switch */
    nnc_names values;                                   /* allowed words; count 0 = any text */
    const char *(*help_of)(unsigned value);             /* help of each value; NULL = values have no help */
    bool of_plan;
    const nnc_field *field;
    bool of_file;          /* true: `field` is a row of a field table; false: `field` is a part of an nnc_own_option */
    char default_text[64]; /* default value of the option as text; "" = no default */
    const char *group;     /* heading of the option in help */
    unsigned takes;
    char help[512];
} nnc_option_text;

/* Fills *text with the option at position `index` (from 0) among all options in the sets `takes`; options of the plan
 * come first. Returns false after the last option. */
bool nnc_option_at(unsigned takes, int index, nnc_option_text *text);

/* ---- commands: main.c ---- */

/* Structs that were read from the shipped files at build time; NULL in a cross-compiled program, which parses the
 * files. */
#ifdef NNC_HAVE_IMAGES
extern const uint64_t nnc_shipped_images[];
#else
static const uint64_t *const nnc_shipped_images = NULL;
#endif

typedef struct nnc_session {
    nnc_options options;
    nnc_style style;
    nnc_specs *specs;
    const char *data;     /* folder of the data that came with the program; NULL = not found */
    nnc_buffer *out;      /* output; it is printed only when the command has succeeded */
    nnc_buffer arguments; /* words of the command line from the command on, each followed by a NUL */
    bool inside;          /* true: another command calls this command, which must then write no files */
    /* exit code of a command that succeeded: 0, or 1 if the answer is no, for example "does not fit" */
    int exit_code;
} nnc_session;

/* A form of a command, such as "report diff", which the operands choose. It takes a part of the command's options. */
typedef struct nnc_form {
    char name[32]; /* name in errors: "report diff" */
    unsigned takes;
} nnc_form;

struct nnc_command {
    const char *name;
    const char *part_of;  /* two words that also name the command, "check diff"; help lists it so. NULL = only `name` */
    const char *operands; /* operands in help: "MODEL DEVICE" */
    const char *summary;  /* description in help, one line */
    const char *notes;    /* closing paragraph of --help; NULL = no paragraph */
    int min_operands, max_operands;
    int leading_operands;                                     /* number of operands before MODEL, such as the name of
                                                               * a picture */
    unsigned takes;                                           /* NNC_TAKES_... of all its options */
    void (*form)(const nnc_options *options, nnc_form *form); /* sets the form that the operands choose; NULL = the
                                                               * command has one form */
    bool ranks;                                               /* true: several MPI ranks can share the work of the
                                                               * command */
    const nnc_command *serving;                               /* form that --serve chooses; NULL = no such form */
    nnc_status (*run)(nnc_session *session, nnc_error *err);
};

extern const nnc_command nnc_cmd_estimate, nnc_cmd_advise, nnc_cmd_ops, nnc_cmd_op, nnc_cmd_trace, nnc_cmd_watch,
    nnc_cmd_compare, nnc_cmd_list, nnc_cmd_show, nnc_cmd_validate, nnc_cmd_explain, nnc_cmd_search, nnc_cmd_docs,
    nnc_cmd_check, nnc_cmd_diff, nnc_cmd_init, nnc_cmd_run, nnc_cmd_budget, nnc_cmd_sweep, nnc_cmd_merge,
    nnc_cmd_accuracy, nnc_cmd_calibrate, nnc_cmd_plot, nnc_cmd_report, nnc_cmd_mcp, nnc_cmd_import, nnc_cmd_explore,
    nnc_cmd_serve, nnc_cmd_scale, nnc_cmd_fit, nnc_cmd_limit;
/* Serving forms of commands, which --serve chooses. */
extern const nnc_command nnc_cmd_serve_ops, nnc_cmd_serve_search, nnc_cmd_serve_sweep, nnc_cmd_serve_compare,
    nnc_cmd_serve_explain, nnc_cmd_serve_calibrate, nnc_cmd_serve_init;

/* Returns the command with an index from 0, in the order of help; NULL after the last. */
const nnc_command *nnc_command_at(int index);

/* Runs a command line inside the program and prints into out. Refuses options that write a file. Returns NNC_OK also
 * when the answer of the command is no (exit code 1). */
nnc_status nnc_command_call(int argc, char **argv, nnc_buffer *out, nnc_error *err);

/* Functions that write help: of the program, in full and brief (-h); of a command. BRIEF: -h. USUAL: --help, with one
 * line per option if there are many. ALL: --help-all. */
void nnc_help_program(nnc_buffer *out, nnc_style style);
void nnc_help_program_brief(nnc_buffer *out);
typedef enum nnc_help_level { NNC_HELP_BRIEF, NNC_HELP_USUAL, NNC_HELP_ALL } nnc_help_level;
void nnc_help_command(nnc_buffer *out, nnc_style style, const nnc_command *command, nnc_help_level level);

/* ---- operands and options as a scenario: scenario_args.c ---- */

/* Opens the plan file that the first operand names, and finds its scenario. If the operand is a model, sets *plans to
 * NULL; a device is then required. */
nnc_status nnc_plans_of_args(nnc_session *session, const char *model, const char *device, const nnc_plans **plans,
                             const nnc_plans_scenario **picked, nnc_error *err);

/* Refuses options of a run, other than those of fine-tuning, where an answer has no run. needs: what the options need
 * to have an effect. */
nnc_status nnc_run_options_refuse(const nnc_scenario_args *given, const char *needs, nnc_error *err);

/* Loads a scenario from the operands. `model` is a model, or a plan file in which --scenario selects the scenario. With
 * a plan file, device NULL means the device of the scenario. Parts that come from a plan file live as long as the specs
 * of the session. */
nnc_status nnc_scenario_load_args(nnc_session *session, const char *model, const char *device, nnc_scenario *scenario,
                                  nnc_error *err);

/* If --tokens or --samples is given, makes the estimate also compute the metrics of the whole run. */
void nnc_scenario_request_run(nnc_scenario *scenario);

/* Loads the model and the device, and estimates. Then calls `write` with `context` and a scratch, which holds the lists
 * of the report. If `model` is a plan file, `device` may be NULL. */
typedef nnc_status nnc_report_writer(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                                     nnc_error *err);
nnc_status nnc_scenario_report(nnc_session *session, const char *model, const char *device, nnc_report_writer *write,
                               void *context, nnc_error *err);

/* If --set changes fields, writes "with layers=4" and an empty line. */
void nnc_put_sets(nnc_buffer *out, const nnc_scenario_args *given);

/* --emit FORMAT[=FILE]: writes the plan as a launch file.
 * nnc_emit_file     returns FILE or NULL, and the format
 * nnc_emit_begin    sets options that are not given to the values of the format, unless the operand is a plan file;
 *                   call it before the scenario is loaded
 * nnc_emit_instead  returns true if the command prints only the launch file, instead of its page
 * nnc_emit_plan     prints the launch file or writes FILE. If FILE is a folder, DIR/, writes DIR/name with the suffix
 *                   of the format; name NULL = there is only one plan */
enum { NNC_EMIT_FORMAT = 32 };
const char *nnc_emit_file(const nnc_options *options, char format[NNC_EMIT_FORMAT]);
nnc_status nnc_emit_begin(nnc_session *session, bool searches, nnc_error *err);
bool nnc_emit_instead(const nnc_session *session);
nnc_status nnc_emit_plan(nnc_session *session, const nnc_launch_plan *plan, const char *name, nnc_error *err);
/* Writes a scenario as a launch file. name: NULL if there is one scenario. If there are several, a scenario that cannot
 * be written only prints a line on standard error and sets exit code 1. */
nnc_status nnc_emit_scenario(nnc_session *session, const nnc_scenario *scenario, const char *name, nnc_error *err);

/* Writes the command of an engine for a deployment (--emit). In cmd_serve.c. */
nnc_status nnc_emit_deployment(nnc_session *session, const nnc_report *report, const nnc_serve_ask *ask,
                               nnc_error *err);

/* The operands and options of an estimate. */
typedef struct nnc_command_args {
    const char *model, *device; /* model: id or path of a model or a plan file; device: NULL = not given */
    const char *scenario;       /* scenario of a plan file; NULL = not given */
    const nnc_scenario_args *given;
    bool lenient;
    const nnc_scenario *of_release; /* scenario whose release sets fields of the plan that no option gives; NULL = no
                                     * release */
} nnc_command_args;

/* Writes a command line such as "nncost estimate gpt2 a100 --tensor 2". */
void nnc_command_put(nnc_buffer *out, const nnc_command_args *args);
/* Stores with each plan of a search report the command line that estimates this plan, in the arena. of_plan_file:
 * args->model is a plan file, whose plan may differ from the default plan. Fails with NNC_NO_MEMORY. */
nnc_status nnc_command_all(nnc_arena *arena, const nnc_command_args *args, bool of_plan_file, nnc_search_report *report,
                           nnc_error *err);
/* Copies the text of a buffer into the arena, and empties the buffer. Returns NULL when out of memory. */
const char *nnc_command_keep(nnc_arena *arena, nnc_buffer *out);

/* ---- operands and options as a search: search_args.c ---- */

/* Searches plans for the operands, which are loaded as by nnc_scenario_load_args; shows progress on standard error.
 * Then calls `write` with its context and the result, on MPI rank 0 only. Removes the options of the search from
 * the options of the session. Sets the exit code: 1 when no plan was found, 128 + signal when a signal stopped the
 * search. */
typedef nnc_status nnc_search_writer(nnc_session *session, void *context, const nnc_search_report *report,
                                     nnc_error *err);
nnc_status nnc_search_args_run(nnc_session *session, const char *model, const char *device, nnc_search_writer *write,
                               void *context, nnc_error *err);

/* Tests whether a setting is --shard I/N, a part of the work. (--shard N is an option of the plan.) */
bool nnc_is_shard(const nnc_setting *setting);
/* Reads the value I/N of --shard. Fails with NNC_BAD_USAGE if the text has another form, or I is above N. */
nnc_status nnc_shard_read(const char *text, nnc_shard *shard, nnc_error *err);

/* ---- the system: terminal.c ---- */

/* Returns the format, width and colour in which a command writes to standard output or to the file of --output. */
nnc_style nnc_output_style(const nnc_options *options);
/* Writes text to a file, completely or not at all. path NULL: standard output. */
nnc_status nnc_output_write(const char *path, const char *text, size_t size, nnc_error *err);

/* Returns a time in seconds of a clock that is never set back; only differences have a meaning. */
double nnc_clock_s(void);

/* Progress on standard error: a line with rate and time left, or JSON objects. */
typedef struct nnc_progress {
    bool shown; /* true: JSON objects are wanted, or standard error is a terminal to which nothing else is written */
    bool json;
    int64_t done, shown_done; /* done: number of items done; shown_done: number of done items in the last shown line */
    const char *what;         /* name of the items: "rows" */
    int64_t from, end;        /* from: number of items done before the start; end: number of all items */
    double begun_s, next_s;
} nnc_progress;

/* Begins to show progress. quiet: shows no progress line, because the result is written to the same terminal. */
nnc_progress nnc_progress_begin(const char *what, int64_t from, int64_t end, nnc_progress_form form, bool quiet);
void nnc_progress_show(nnc_progress *progress, int64_t done);
/* Removes the progress line, or prints the last JSON object of the progress. */
void nnc_progress_end(nnc_progress *progress);

/* State of signals that are held back: SIGHUP, SIGINT, SIGTERM, and SIGUSR1 and SIGXCPU, which batch systems send
 * before they end a job. Long work calls nnc_interrupt_pending at points where it can stop. Threads that start while
 * signals are held back also hold them back. */
typedef struct nnc_interrupt {
    uint32_t held, blocked; /* one bit per signal: held: the signal is held back; blocked: nnc_interrupt_hold blocked
                             * it, and it was not blocked before */
} nnc_interrupt;

void nnc_interrupt_hold(nnc_interrupt *interrupt);
/* Returns a signal that was held back; 0 = no signal. */
int nnc_interrupt_pending(const nnc_interrupt *interrupt);
/* Stops holding signals back, and discards signals that arrived while they were held back. */
void nnc_interrupt_release(nnc_interrupt *interrupt);

/* A browser page has no folder, no pipe and no measurements. Commands that need them fail on a page, and the linker
 * removes their code. */
#ifdef __wasi__
#define NNC_NOT_ON_PAGE(run) (1 ? nnc_run_outside_program : (run))
#define NNC_NO_PAGE_IN_BROWSER(page) (1 ? NULL : (page))
#else
#define NNC_NOT_ON_PAGE(run) run
#define NNC_NO_PAGE_IN_BROWSER(page) page /* on a browser page NULL, so that the linker removes the function */
#endif
/* Commands that need fork(), such as 'mcp', fail on Windows, which lacks it. */
#ifdef NNC_NO_PROCESSES
#define NNC_WITH_PROCESSES(run) nnc_run_outside_program
#else
#define NNC_WITH_PROCESSES(run) run
#endif
nnc_status nnc_run_outside_program(nnc_session *session, nnc_error *err);

/* ---- single commands ---- */

/* Runs the server 'nncost mcp': answers messages until standard input ends. In mcp_server.c. */
nnc_status nnc_mcp_serve(nnc_session *session, nnc_error *err);
/* Writes the id of a request: a number or a quoted string; otherwise null. */
void nnc_mcp_put_id(nnc_buffer *out, nnc_json id);
/* Writes the line with which 'nncost mcp' answers a message. Writes nothing if the message needs no answer. */
nnc_status nnc_mcp_answer(const char *line, size_t size, nnc_buffer *out, nnc_error *err);

/* View of a list of estimates: a table with one row for each. */
extern const nnc_view nnc_comparison_view;

/* ---- checkpoints ---- */

/* Shows the contents of the header of a checkpoint. */
nnc_status nnc_checkpoint_show(nnc_session *session, const char *path, nnc_error *err);
/* Fails unless the model has exactly as many parameters as the checkpoint. */
nnc_status nnc_checkpoint_check(nnc_session *session, const char *path, const char *model, nnc_error *err);
/* Replaces an operand that is a .safetensors file or an index by the configuration in its folder. The configuration
 * must have the same number of parameters. */
nnc_status nnc_checkpoint_take(nnc_session *session, char **operand, nnc_error *err);
/* Counts the parameters of a model, which is given by id or path. */
nnc_status nnc_model_count(nnc_specs *specs, const char *id, int64_t *params, nnc_error *err);

/* ---- views: each comment names the type of the record that a view writes ---- */

extern const nnc_view nnc_estimate_view; /* the record is an nnc_report */
extern const nnc_view nnc_checkpoint_view;
extern const nnc_view nnc_op_view, nnc_budget_view, nnc_trace_view, nnc_watch_view; /* the records have private types */
extern const nnc_view nnc_ops_output;                                               /* private record type, see
                                                                                     * nnc_report_ops */
extern const nnc_view nnc_run_view, nnc_bare_run_view; /* the record is an nnc_report with a run; for nnc_bare_run_view,
                                                        * `result` of the report is NULL */
extern const nnc_view nnc_search_output;               /* the record is an nnc_search_report */
extern const nnc_view nnc_choices_view, nnc_scale_view, nnc_fit_view, nnc_limit_view; /* the records have private
                                                                                       * types */
extern const nnc_view nnc_serve_view, nnc_serve_ops_view; /* the record is an nnc_report with `serve`; the views show
                                                           * its results, and its ops */
extern const nnc_view nnc_images_view;                    /* the record is an nnc_report with images */
extern const nnc_view nnc_serve_sweep_view, nnc_images_sweep_view, nnc_serve_search_view; /* the records have private
                                                                                           * types */
extern const nnc_view nnc_check_output, nnc_diff_output;                                  /* the record is an
                                                                                           * nnc_check_report */

/* ---- cmd_estimate.c: parts of the estimate's page that the page of `run` shows, too ---- */

/* Writes the step time, the range in which measurements lie, and the errors of earlier predictions for models of the
 * same kind. */
void nnc_step_write(nnc_sheet *sheet, const nnc_report *report);
/* Writes a line with a given label: the verdict (fits, tight or does not fit), and the smallest changes that make the
 * plan fit. */
void nnc_fit_write(nnc_sheet *sheet, const char *label, const nnc_report *report);

/* ---- cmd_advise.c ---- */

extern const nnc_view nnc_advise_view; /* the record type is private to cmd_advise.c */

/* ---- timeline_page.c ---- */

/* --timeline: writes one bar of letters per stage, and its first and last passes. */
void nnc_timeline_write(nnc_buffer *out, nnc_style style, const nnc_report *report);
/* --trace: writes the timeline as a trace for chrome://tracing and Perfetto, with a thread per stage, arrows between
 * stages, the passes in flight, and the ops of a step. */
void nnc_report_trace(nnc_buffer *out, const nnc_report *report);

/* ---- cmd_ops.c ---- */

/* Writes the table of ops of an estimate. Returns NNC_OK or NNC_NO_MEMORY. */
nnc_status nnc_report_ops(nnc_buffer *out, nnc_style style, const nnc_report *report, nnc_ops_view view);

/* ---- cmd_search.c: functions for searches over devices and over numbers of devices ---- */

/* Returns the global batch of the options. If they give no batch, adds an option with a usual batch for the model, and
 * sets *chosen to a text in brackets that says how the batch was chosen; "" = given. For a captured program, this batch
 * has the recorded number of samples on each device. A plan file has its own batch; *global_batch is then 0 if the
 * options give none. */
nnc_status nnc_batch_choose(nnc_session *session, const char *model_asked, int64_t *global_batch, const char **chosen,
                            nnc_error *err);

/* The best plan that a search found for a device, or for a number of devices. */
typedef struct nnc_best {
    nnc_found found;          /* the plan; all its numbers are NaN if no plan was found */
    const nnc_result *result; /* estimate of the plan, without a valid op table; NULL = no plan was found */
    const char *software;     /* id of the software profile of the plan; NULL = no plan was found */
    const char *reason;       /* why no plan was found, set by the caller; NULL = a plan was found */
    const char *currency;
    double cost; /* cost of the run; if the length of the run is not known, cost of a step */
} nnc_best;

/* Fills *best for a plan, and estimates it into the arena of the specs. found NULL = no plan was found. Strings belong
 * to the report. */
nnc_status nnc_best_fill(const nnc_session *session, const nnc_search_report *report, const nnc_found *found,
                         nnc_scratch *scratch, nnc_best *best, nnc_error *err);

/* Getters for rows whose first member is an nnc_best. They return texts such as "16", "1.23 GB", "dp8 tp2 mb1" and
 * "12.3 USD". */
nnc_metric_get nnc_best_devices, nnc_best_memory, nnc_best_plan, nnc_best_cost;
/* Writes the command line that estimates the best plan. */
void nnc_best_command(nnc_buffer *out, const nnc_best *best);

/* Writes plans as a table. sizes: true = the plans have different numbers of devices, which are then a column. The cost
 * of a run or a step is shown if `sizes` is true, or if the length of the run is known. currency: currency of all
 * costs. */
void nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count, const char *currency,
                     bool sizes);

/* Writes the result of a search in the format of `style`: a page, or JSON or CSV. */
void nnc_report_search(nnc_buffer *out, nnc_style style, const nnc_search_report *report);

/* ---- device_ranking.c: search MODEL DEVICE,DEVICE ... ---- */

/* Tests whether the operands name several devices. */
bool nnc_device_ranking_asked(const nnc_options *options);
/* Searches for the best plan on each device, and ranks the devices. */
nnc_status nnc_device_ranking_run(nnc_session *session, nnc_error *err);

/* ---- cmd_serve.c ---- */

/* Loads the operands. `model` is a model, or a plan file in which --scenario selects the scenario. With a plan file,
 * device NULL means the device of the scenario. Then calls `write` with a scratch. nnc_serve_report computes the
 * deployment first, and sets the exit code to 1 if the requests do not fit or arrive too fast. */
typedef nnc_status nnc_serve_writer(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                                    nnc_error *err);
nnc_status nnc_serve_with(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                          nnc_error *err);
nnc_status nnc_serve_report(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                            nnc_error *err);

/* ---- cmd_check.c ---- */

/* Formats that only `check` has, for programs that run checks; `check` and all other commands also have the formats of
 * nnc_formats. */
extern const nnc_format nnc_format_junit, nnc_format_github;
enum { NNC_CHECK_FORMAT_COUNT = NNC_FORMAT_COUNT + 2 };
const nnc_format *nnc_check_format_at(unsigned index);
const char *nnc_check_format_name(unsigned index); /* name of a format of `check`; "?" for an index after the last
                                                    * format */

/* Writes the changed metrics of one scenario of a check as a table, at most `most` of them. */
void nnc_changes_write(nnc_buffer *out, nnc_style style, const nnc_check_row *row, int32_t most, const char *old_head,
                       const char *now_head);

/* ---- cmd_init.c: scenarios of plan files ---- */

/* nnc_scenario_field writes a field of the struct that `object` points to, in SI units. nnc_scenario_sets writes the
 * --set options, if there are any. */
void nnc_scenario_field(nnc_record *record, const nnc_field *field, const void *object);
void nnc_scenario_sets(nnc_record *record, const nnc_scenario_args *given);

/* ---- cmd_run.c: lines about a run that other pages show ---- */

/* Writes lines about the loading of training data, if options describe it. */
void nnc_run_input_lines(nnc_buffer *out, nnc_style style, const nnc_run *run);
/* Writes the page of a run, which `estimate` shows below its own page. */
void nnc_run_lines(nnc_buffer *out, nnc_style style, const nnc_report *report);

/* ---- cmd_plot.c ---- */

/* Replaces the SVG text of a picture by PNG bytes, which an installed program computes from it. */
nnc_status nnc_make_png(nnc_buffer *text, nnc_error *err);

#endif
