/* The command line: one table of options feeds getopt_long, --help, the man page and completion. */
#ifndef NNCOST_CLI_OPTION_H
#define NNCOST_CLI_OPTION_H

#include "cli/estimate/estimate_view.h"
#include "cli/progress.h"
#include "cli/record/check_view.h"
#include "input/field.h"
#include "metrics/report.h"
#include "record/scenario.h"
#include "render/format.h"
#include "sweep/where.h"

/* Which options a command takes. */
enum {
    NNC_TAKES_COMMON = 1,       /* --format, --output, --help */
    NNC_TAKES_PLAN = 2,         /* every field of the plan, --software, --set */
    NNC_TAKES_OPS = 4,          /* --sort, --top, --by */
    NNC_TAKES_LISTS = 8,        /* values of plan options may be comma lists */
    NNC_TAKES_STAGES = 16,      /* --stages, --timeline, --trace, --sensitivity */
    NNC_TAKES_SEARCH = 32,      /* what nnc_search_options holds, --threads */
    NNC_TAKES_SCENARIO = 64,    /* --scenario, of a plan file */
    NNC_TAKES_CHECK = 128,      /* --update, --forget, and the formats of a check */
    NNC_TAKES_SWEEP = 256,      /* what nnc_sweep_options holds, --top, --threads */
    NNC_TAKES_HELP = 512,       /* --help alone */
    NNC_TAKES_SCORE = 1024,     /* --rows, --only, --fold, --group */
    NNC_TAKES_CALIBRATE = 2048, /* --device, --fit, --only, --fold, --group, --hold-out */
    NNC_TAKES_MODEL = 4096,     /* --lenient, as those that take a plan */
    NNC_TAKES_PLOT = 8192,      /* --width, --fragment, --from, --to, --stages */
    NNC_TAKES_REPORT = 16384,   /* --date */
    NNC_TAKES_BUDGET = 65536,   /* every field of a budget, --device */
    NNC_TAKES_RUN = 32768,      /* every field of the run */
    NNC_TAKES_SERVE = 131072,   /* every field of a serve plan, --software, --set */
    NNC_TAKES_SERVING = 262144, /* --serve */
    NNC_TAKES_SLO = 524288,     /* --slo, --max-devices */
    NNC_TAKES_TARGET = 1048576  /* --target-step, --plans */
};

enum { NNC_LINKS_MAX = 8 };

/* The options of a sweep as given; NULL = not given. */
typedef struct nnc_sweep_options {
    const char *where[NNC_WHERES_MAX], *links[NNC_LINKS_MAX];
    int where_count, link_count;
    const char *columns, *by, *database;
    bool all;
} nnc_sweep_options;

/* The options of a search as given; NULL = not given. */
typedef struct nnc_search_options {
    const char *best, *objective, *max_memory, *max_devices, *deadline, *budget, *target_step;
    const char *plans;  /* file to write */
    const char *shards; /* files to read */
    bool no_prune;
} nnc_search_options;

typedef struct nnc_options {
    const nnc_format *format;
    bool help, brief, no_defaults; /* brief: help in short */
    bool stages, timeline, sensitivity, update, forget, rows, lenient, summary;
    const char *power_cap;
    const char *measured;                  /* "0.41s", "380samples/s", "12000tokens/s" */
    char power_cap_set[64];                /* as the --set that it stands for */
    const char *output, *trace, *scenario; /* NULL = not given */
    const char *only, *fold, *group, *device, *fit, *hold_out;
    const char *width, *from, *to; /* of a picture */
    const char *against;           /* command line of another estimate */
    nnc_progress_form progress;
    bool fragment;
    const char *date;
    bool serve;      /* --serve: another form of the command */
    const char *slo; /* of a search for a deployment */
    const char *threads;
    nnc_search_options search;
    nnc_sweep_options sweep;
    nnc_ops_view view;
    struct {
        const char *format, *sort, *by, *top, *progress;
    } asked;         /* texts of what is read into the members above */
    char *defaults;  /* the text of the defaults file, which values point into; to be freed */
    nnc_given given; /* on top of the files */
    char **operands; /* ends with NULL */
    int operand_count;
} nnc_options;

/* Reads argv after the command's name. Operands are moved to the front of argv.
 * Fails with NNC_BAD_USAGE; err->where is the option as it was written. */
struct nnc_command;
nnc_status nnc_options_parse(int argc, char **argv, const struct nnc_command *command,
                             nnc_options *options, nnc_error *err);

/* Reads a count from 1 to most; *value stays as it is when the option is not given, text NULL. */
nnc_status nnc_option_count(const char *option, const char *text, int64_t most, int64_t *value,
                            nnc_error *err);

/* The same of bytes, with a unit or not: "60GB", "40GiB". */
nnc_status nnc_option_bytes(const char *option, const char *text, int64_t *value, nnc_error *err);

/* "2.5s", "800ms", "30d", and plain seconds; stays as it is without text. */
nnc_status nnc_option_time(const char *option, const char *text, double *seconds, nnc_error *err);

/* The device that --device names. */
nnc_status nnc_option_device(nnc_specs *specs, const char *text, const nnc_device **device,
                             nnc_error *err);

/* An option as --help, the man page and completion show it. */
typedef struct nnc_option_text {
    char name[NNC_OPTION_NAME], alias[NNC_OPTION_NAME]; /* "--tensor", "--tp"; "" = none */
    char argument[24]; /* as it follows the name: " N", "[=off]"; "" = a switch */
    nnc_names values;  /* the words it may be; none = not from a list */
    const char *(*help_of)(unsigned value); /* what each of them means; NULL = they say it */
    bool of_plan;
    const struct nnc_field *field; /* of the plan or the run; NULL = none */
    const char *group;             /* heading in help */
    unsigned takes;                /* the kind of command that takes it, NNC_TAKES_... */
    char help[512];
} nnc_option_text;

/* Number index of the options that a command with these takes has, those of the plan first; false
 * past the last. */
bool nnc_option_at(unsigned takes, int index, nnc_option_text *text);

/* The options of a command, for --help; brief: those most asked for, for -h. */
void nnc_options_help(nnc_buffer *out, nnc_style style, unsigned takes);
void nnc_options_brief(nnc_buffer *out, nnc_style style, const char *command, unsigned takes);

#endif
