/* The start of the program: finds the command that a command line names, reads its options, opens the specs and runs
 * the command.
 *
 * A command prints into a buffer, and the buffer is written to standard output only if the command succeeds, so
 * standard output stays empty after a failure. nncost mcp runs command lines in the same way (nnc_command_call). */
#include <limits.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "onnx/onnx_import.h"
#include "sweep/sweep_internal.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

static const nnc_command *const commands[] = {
    &nnc_cmd_estimate, &nnc_cmd_advise,   &nnc_cmd_fit,       &nnc_cmd_ops,   &nnc_cmd_op,       &nnc_cmd_trace,
    &nnc_cmd_watch,    &nnc_cmd_compare,  &nnc_cmd_run,       &nnc_cmd_serve, &nnc_cmd_budget,   &nnc_cmd_explain,
    &nnc_cmd_sweep,    &nnc_cmd_merge,    &nnc_cmd_search,    &nnc_cmd_scale, &nnc_cmd_limit,    &nnc_cmd_check,
    &nnc_cmd_diff,     &nnc_cmd_accuracy, &nnc_cmd_calibrate, &nnc_cmd_init,  &nnc_cmd_plot,     &nnc_cmd_report,
    &nnc_cmd_explore,  &nnc_cmd_import,   &nnc_cmd_list,      &nnc_cmd_show,  &nnc_cmd_validate, &nnc_cmd_mcp,
    &nnc_cmd_docs,
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

const nnc_command *nnc_command_at(int index) { return index < COMMAND_COUNT ? commands[index] : NULL; }

/* Removes the last part of a path, with the slash before it. Returns false if no path is left. */
static bool to_parent(char *path) {
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path) { return false; }
    *slash = '\0';
    return true;
}

#ifdef NNCOST_SOURCE_DIR
static bool in_build_folder(const char *program) {
    char folder[PATH_MAX], cache[PATH_MAX + 32];
    snprintf(folder, sizeof folder, "%s", program);
    while (to_parent(folder)) {
        snprintf(cache, sizeof cache, "%s/CMakeCache.txt", folder);
        if (access(cache, F_OK) == 0) { return true; }
    }
    return false;
}
#endif

/* Finds the data folder of the program (hw/, models/ and software/). An installed program PREFIX/bin/nncost has its
 * data folder at PREFIX/share/nncost. A program in its build folder uses the source tree as data folder. Returns NULL
 * if no data folder was found. */
static const char *find_data(char path[PATH_MAX]) {
    char program[PATH_MAX], prefix[PATH_MAX], probe[PATH_MAX + 8];
    if (!nnc_program_path(program, sizeof program)) { return NULL; }
    snprintf(prefix, sizeof prefix, "%s", program);
    /* to_parent removes the name of the program from `prefix`, so that the folder PREFIX/bin is left; false = the path
     * of the program has no folder */
    const bool in_folder = to_parent(prefix);
    if (in_folder && to_parent(prefix) && snprintf(path, PATH_MAX, "%s/share/nncost", prefix) < PATH_MAX) {
        snprintf(probe, sizeof probe, "%s/hw", path);
        if (access(probe, F_OK) == 0) { return path; }
    }
#ifdef NNCOST_SOURCE_DIR
    if (in_build_folder(program) && access(NNCOST_SOURCE_DIR "/hw", F_OK) == 0) { return NNCOST_SOURCE_DIR; }
#endif
    return NULL;
}

/* Words that users often write as the name of a command, with the command that they mean. */
static const char *const other_words[][2] = {
    { "devices", "list devices" },
    { "gpus", "list devices" },
    { "hardware", "list devices" },
    { "models", "list models" },
    { "software", "list software" },
    { "predict", "estimate" },
    { "train", "estimate" },
    { "memory", "fit" },
    { "vram", "fit" },
    { "inference", "serve" },
    { "infer", "serve" },
    { "optimize", "advise" },
    { "tune", "search" },
    { "roofline", "plot roofline" },
    { "cost", "estimate" },
    { "measure", "python3 -m nncost.measure" },
};

/* Returns true if a word only joins model and device, such as "on" in "gpt2 on h100". */
static bool is_filler(const char *word) {
    static const char *const words[] = { "on", "for", "with", "using" };
    bool found = false;
    for (size_t i = 0; i < NNC_COUNT_OF(words); i++) { found = found || strcasecmp(words[i], word) == 0; }
    return found;
}

/* Finds the command with the name `name`, the first word of a command line; `rest` are the words after it. The error
 * about an unknown name suggests a command: for "gpt2 h100", "nncost estimate gpt2 h100". */
static const nnc_command *find_command(const char *name, char **rest, nnc_error *err) {
    static const char *const asked[] = { "--version", "--help", "--help-all" };
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
        if (strcmp(name, names[i]) == 0) { return commands[i]; }
    }
    const char *nearest = NULL;
    for (size_t i = 0; i < NNC_COUNT_OF(other_words); i++) {
        nearest = strcmp(name, other_words[i][0]) == 0 ? other_words[i][1] : nearest;
    }
    for (int i = 0; i < COMMAND_COUNT && nearest == NULL && strlen(name) >= 3; i++) {
        nearest = strncmp(names[i], name, strlen(name)) == 0 ? names[i] : NULL;
    }
    nearest = nearest != NULL  ? nearest
              : name[0] == '-' ? nnc_nearest(name, asked, NNC_COUNT_OF(asked))
                               : nnc_nearest(name, names, COMMAND_COUNT);
    const char *device = rest[0] != NULL && is_filler(rest[0]) ? rest[1] : rest[0];
    if (nearest == NULL && name[0] != '-' && device != NULL && device[0] != '-') {
        nnc_fail(err, NNC_BAD_USAGE, name, "unknown command, did you mean \"nncost estimate %.60s %.60s\"?", name,
                 device);
    } else if (nearest != NULL) {
        nnc_fail(err, NNC_BAD_USAGE, name, "unknown command, did you mean %s?", nearest);
    } else {
        nnc_fail(err, NNC_BAD_USAGE, name,
                 "unknown command, expected a command as the first word, as in \"nncost estimate gpt2 h100\"; "
                 "'nncost --help' lists all commands");
    }
    return NULL;
}

/* Returns the command with the two-word name `words`, such as "check diff"; NULL = no command has this name. */
static const nnc_command *find_part(int argc, char **argv) {
    char words[64];
    if (argc < 3 || snprintf(words, sizeof words, "%s %s", argv[1], argv[2]) >= (int)sizeof words) { return NULL; }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (commands[i]->part_of != NULL && strcmp(commands[i]->part_of, words) == 0) { return commands[i]; }
    }
    return NULL;
}

/* Returns true if a word stands between two devices, such as "vs" in "compare gpt2 4090 vs 3090". */
static bool joins_devices(const char *word) {
    static const char *const words[] = { "vs", "vs.", "versus", "and", "or", "," };
    bool found = false;
    for (size_t i = 0; i < NNC_COUNT_OF(words); i++) { found = found || strcasecmp(words[i], word) == 0; }
    return found;
}

/* Returns the digits of a word that is a number of devices, such as 8 in "8", "x8" and "8x"; NULL = the word is no
 * number of devices. */
static const char *count_in(const char *word, char digits[16]) {
    const char *start = word[0] == 'x' || word[0] == 'X' ? word + 1 : word;
    const size_t length = strspn(start, "0123456789");
    const char *end = start + length;
    if (length == 0 || length >= 16 || (*end != '\0' && (start != word || strcasecmp(end, "x") != 0))) { return NULL; }
    snprintf(digits, 16, "%.*s", (int)length, start);
    return digits;
}

/* Fails if the operands after the model are several devices, as in "gpt2 4090 3090", or a device and a number of
 * devices, as in "gpt2 8 h100" and "gpt2 h100 x8". */
static nnc_status check_several(nnc_specs *specs, const nnc_options *options, nnc_error *err) {
    const nnc_device *device;
    char list[128] = "", digits[16];
    char *const *words = options->operands;
    const char *other = NULL; /* the word that is no device */
    int devices = 0;
    for (int i = 1; i < options->operand_count; i++) {
        if (joins_devices(words[i])) { continue; }
        if (nnc_device_load(specs, words[i], &device, NULL) == NNC_OK) {
            nnc_text_append(list, sizeof list, ",", "%s", words[i]);
            devices++;
        } else {
            other = words[i];
        }
    }
    if (devices == 1 && other != NULL && count_in(other, digits) != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, other,
                        "is a number of devices, expected as the value of an option: %s --devices %s", list, digits);
    }
    return devices < 2 || other != NULL
               ? NNC_OK
               : nnc_fail(
                     err, NNC_BAD_USAGE, words[2],
                     "one argument too many, expected one device; to compare several devices: nncost compare %s %s",
                     words[0], list);
}

/* Fails if the operands after the model are several words of one device name (as in "gpt2 rtx 3060"), or the names of
 * several devices, or a device and a number of devices. */
static nnc_status check_quotes(nnc_specs *specs, const nnc_options *options, nnc_error *err) {
    char name[128] = "";
    const nnc_device *device;
    for (int i = 1; i < options->operand_count; i++) {
        nnc_text_append(name, sizeof name, " ", "%s", options->operands[i]);
    }
    if (nnc_device_load(specs, name, &device, NULL) != NNC_OK) { return check_several(specs, options, err); }
    return nnc_fail(err, NNC_BAD_USAGE, "DEVICE", "the name has several words, expected quotes around the name: \"%s\"",
                    name);
}

/* Fails if the first operand is the name of another command, as in "serve search MODEL DEVICE". The error suggests one
 * command, here "nncost search MODEL DEVICE --serve". */
static nnc_status check_two_commands(const nnc_command *command, const nnc_options *options, nnc_error *err) {
    const char *word = options->operands[0];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(word, commands[i]->name) != 0) { continue; }
        const bool serves = strcmp(command->name, "serve") == 0 || strcmp(word, "serve") == 0;
        return nnc_fail(err, NNC_BAD_USAGE, word, "expected one command, did you mean \"nncost %s %.60s %.60s%s\"?",
                        strcmp(word, "serve") == 0 ? command->name : word, options->operands[1], options->operands[2],
                        serves ? " --serve" : "");
    }
    return NNC_OK;
}

/* Checks the number of operands of a command. specs NULL: specs are not open yet, so names of devices are not
 * checked. */
static nnc_status check_operands(nnc_specs *specs, const nnc_command *command, const nnc_options *options,
                                 nnc_error *err) {
    if (options->operand_count < command->min_operands) {
        return nnc_fail(err, NNC_BAD_USAGE, command->name, "too few arguments, expected %s", command->operands);
    }
    if (options->operand_count > command->max_operands) {
        for (int i = 0; i < options->operand_count; i++) {
            if (is_filler(options->operands[i])) {
                return nnc_fail(err, NNC_BAD_USAGE, options->operands[i], "leave this word out, expected %s %s",
                                command->name, command->operands);
            }
        }
        NNC_TRY(check_two_commands(command, options, err));
        if (nnc_ends_in(options->operands[0], ".json")) {
            return nnc_fail(err, NNC_BAD_USAGE, options->operands[0],
                            "not a launch file that nncost knows, expected a format of docs/files.md (--from FORMAT "
                            "sets the format), or %s %s",
                            command->name, command->operands);
        }
        if (specs != NULL && command->max_operands == 2) { NNC_TRY(check_quotes(specs, options, err)); }
        return nnc_fail(err, NNC_BAD_USAGE, options->operands[command->max_operands],
                        "one argument too many, expected %s %s", command->name, command->operands);
    }
    return NNC_OK;
}

/* On MPI rank 0, returns the error `status`, so that rank 0 reports the error. On every MPI rank except 0, returns
 * NNC_OK, because rank 0 reports the error, which occurs on every rank. */
static nnc_status refuse_once(nnc_session *session, const nnc_command *command, nnc_status status, nnc_error *err) {
    if (command->ranks) {
        const nnc_rank_group ranks = nnc_rank_group_begin();
        (void)nnc_rank_group_all_well(ranks, 0, &status, err);
        nnc_rank_group_end();
    }
    if (status == NNC_OK) {
        /* MPI rank 0 alone reports errors and results; other ranks must not write a file. */
        session->options.output = NULL;
    }
    return status;
}

/* Replaces launch files among the operands by options that have the same effect, if the command accepts launch
 * files. */
static nnc_status take_launch_files(nnc_session *session, const nnc_command *command, nnc_error *err) {
    nnc_options *options = &session->options;
    const bool searches =
        command == &nnc_cmd_report && options->operand_count > 0 && strcmp(options->operands[0], "search") == 0;
    const nnc_launch_asked asked = { .format = options->launch_format,
                                     .lenient = options->lenient,
                                     .serves = (command->takes & NNC_TAKES_SERVE) != 0,
                                     .leading = searches ? 1 : command->leading_operands };
    if (!(command->takes & (NNC_TAKES_LAUNCH | NNC_TAKES_FILES))) { return NNC_OK; }
    return nnc_launch_take(session->specs, &asked, options->operands, &options->operand_count, &options->given, err);
}

/* Replaces --host HOST by --set device.host.kernel_s=S, with the kernel time S of the host. If an option names the
 * library that runs models, stores the library in the specs. */
static nnc_status take_host(nnc_session *session, nnc_error *err) {
    nnc_options *options = &session->options;
    double kernel_s = 0.0;
    if (options->implementation != NULL) {
        NNC_TRY(nnc_specs_set_implementation(session->specs, options->implementation, err));
    }
    if (options->host == NULL) { return NNC_OK; }
    if (!nnc_read_double(options->host, &kernel_s)) {
        NNC_TRY(nnc_host_kernel_s(session->specs, options->host, &kernel_s, err));
    }
    if (options->given.set_count == NNC_SETS_MAX) { return nnc_fail(err, NNC_BAD_USAGE, "--host", "too many options"); }
    snprintf(options->host_set, sizeof options->host_set, "device.host.kernel_s=%.12g", kernel_s);
    options->given.sets[options->given.set_count++] = options->host_set;
    return NNC_OK;
}

static nnc_status run_command(nnc_session *session, const nnc_command *command, nnc_error *err) {
    char path[PATH_MAX];
    nnc_status status = NNC_OK;
    if (!(command->takes & (NNC_TAKES_LAUNCH | NNC_TAKES_FILES))) {
        status = check_operands(NULL, command, &session->options, err);
    }
    if (status != NNC_OK) { return refuse_once(session, command, status, err); }
    const char *data = find_data(path);
    session->specs = nnc_specs_open(data);
    NNC_GOT(session->specs, err);
    session->data = data;
    nnc_specs_set_lenient(session->specs, session->options.lenient);
    nnc_specs_set_images(session->specs, nnc_shipped_images);
    *nnc_specs_model_reader(session->specs) = nnc_launch_model;
    session->style.mark = nnc_specs_marks(session->specs);
    status = take_host(session, err);
    status = status == NNC_OK ? take_launch_files(session, command, err) : status;
    if (status == NNC_OK && (command->takes & (NNC_TAKES_LAUNCH | NNC_TAKES_FILES))) {
        status = check_operands(session->specs, command, &session->options, err);
    }
    for (int i = 0; status == NNC_OK && i < session->options.operand_count; i++) {
        char **operand = &session->options.operands[i];
        if (strchr(*operand, '.') == NULL) {
            continue; /* an operand without '.' is an id; names of files of other programs contain a '.' */
        }
        if (command != &nnc_cmd_import && nnc_onnx_is_file(*operand)) {
            status = nnc_onnx_take(session->specs, operand, err);
        } else if (!(command->takes & NNC_TAKES_SHOW) && nnc_checkpoint_is_file(*operand)) {
            status = nnc_ends_in(*operand, ".gguf") ? nnc_checkpoint_check(session, *operand, *operand, err)
                                                    : nnc_checkpoint_take(session, operand, err);
        }
    }
    status = status == NNC_OK ? command->run(session, err) : status;
    if (status == NNC_OK && nnc_is_marked(session->style) && !session->inside) {
        fprintf(stderr, "nncost: implausible: %s\n", session->style.mark);
    }
    session->style.mark = NULL;
    nnc_specs_close(session->specs);
    session->data = NULL; /* session->data points into the array `path`, which does not exist after the return */
    return status;
}

/* Tests whether the command line has the option --serve. */
static bool asks_to_serve(int argc, char **argv) {
    int i = 2;
    while (i < argc && strcmp(argv[i], "--") != 0 && strcmp(argv[i], "--serve") != 0) { i++; }
    return i < argc && strcmp(argv[i], "--serve") == 0;
}

/* Tests whether a word is an option for version or help. Returns 'v' for the version of the program, 'h' for brief
 * help, 'H' for full help; 0 = another word. */
static int about_itself(const char *word) {
    static const struct {
        const char *word;
        int about;
    } words[] = { { "--version", 'v' }, { "-V", 'v' },   { "version", 'v' },
                  { "--help", 'H' },    { "help", 'H' }, { "-h", 'h' } };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].word, word) == 0) { return words[i].about; }
    }
    return 0;
}

static nnc_status write_about(nnc_session *session, int about, int argc, char **argv, nnc_error *err) {
    const nnc_command *part = find_part(argc - 1, argv + 1);
    const int most = strcmp(argv[1], "help") != 0 ? 2 : part != NULL ? 4 : 3;
    if (argc > most) {
        return nnc_fail(err, NNC_BAD_USAGE, argv[most], "unexpected argument after %s", argv[most - 1]);
    }
    session->style = nnc_output_style(&session->options);
    if (about == 'v') {
        nnc_buffer_print(session->out, "nncost %s\n", nnc_version());
    } else if (about == 'h') {
        nnc_help_program_brief(session->out);
    } else if (argc >= 3) {
        const nnc_command *command = part != NULL ? part : find_command(argv[2], argv + 3, err);
        if (command == NULL) { return NNC_BAD_USAGE; }
        nnc_help_command(session->out, session->style, command, NNC_HELP_ALL);
    } else {
        nnc_help_program(session->out, session->style);
    }
    return NNC_OK;
}

/* Returns the first option of the command line that writes a file; NULL = no option writes a file. */
static const char *writing_option(const nnc_options *options) {
    return options->output != NULL           ? "--output"
           : options->trace != NULL          ? "--trace"
           : options->search.plans != NULL   ? "--plans"
           : options->sweep.database != NULL ? "--db"
           : options->update                 ? "--update"
           : options->forget                 ? "--forget"
                                             : NULL;
}

/* Fails if --output names a file that the command reads, even under another name of the file. */
static nnc_status check_output(const nnc_options *options, nnc_error *err) {
    struct stat out, in;
    if (options->output == NULL || stat(options->output, &out) != 0 || !S_ISREG(out.st_mode)) { return NNC_OK; }
    for (int i = 0; i < options->operand_count; i++) {
        if (stat(options->operands[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino &&
            in.st_ino != 0) { /* on Windows st_ino is 0 for all files, so it identifies no file */
            return nnc_fail(err, NNC_BAD_USAGE, "--output",
                            "the output would replace an input of the command, found %s", options->output);
        }
    }
    return NNC_OK;
}

static nnc_status dispatch(nnc_session *session, int argc, char **argv, nnc_error *err) {
    if (argc < 2) {
        return nnc_fail(err, NNC_BAD_USAGE, "command line",
                        "no command, expected a command such as \"nncost estimate gpt2 h100\"; 'nncost -h' lists the "
                        "commands");
    }
    const int about = about_itself(argv[1]);
    if (about != 0) { return write_about(session, about, argc, argv, err); }
    const nnc_command *part = find_part(argc, argv);
    if (part != NULL) { /* a name of two words, such as "check diff", is replaced by the command's own name */
        argc--;
        argv++;
        nnc_buffer_put(&session->arguments, part->name, strlen(part->name) + 1);
    }
    /* stores the words before getopt changes the order of argv */
    for (int i = part != NULL ? 2 : 1; i < argc; i++) {
        nnc_buffer_put(&session->arguments, argv[i], strlen(argv[i]) + 1);
    }
    if (session->arguments.failed) { return nnc_no_memory(err); }
    const nnc_command *command = part != NULL ? part : find_command(argv[1], argv + 2, err);
    if (command == NULL) { return NNC_BAD_USAGE; }
    if (command->serving != NULL && asks_to_serve(argc, argv)) { command = command->serving; }
    const nnc_status status = nnc_options_parse(argc - 1, argv + 1, command, &session->options, err);
    if (status != NNC_OK) { return refuse_once(session, command, status, err); }
    const char *writing = session->inside ? writing_option(&session->options) : NULL;
    if (writing != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, writing,
                        "is not allowed in a tool call, because the answer of the call is the output");
    }
    NNC_TRY(check_output(&session->options, err));
    session->style = nnc_output_style(&session->options);
    if (session->options.help || session->options.help_all) {
        session->style.format = &nnc_format_table;
        nnc_help_command(session->out, session->style, command,
                         session->options.brief      ? NNC_HELP_BRIEF
                         : session->options.help_all ? NNC_HELP_ALL
                                                     : NNC_HELP_USUAL);
        return NNC_OK;
    }
    return run_command(session, command, err);
}

nnc_status nnc_command_call(int argc, char **argv, nnc_buffer *out, nnc_error *err) {
    nnc_session session = { .out = out, .inside = true };
    const nnc_status status = dispatch(&session, argc, argv, err);
    nnc_options_free(&session.options);
    nnc_buffer_free(&session.arguments);
    return status == NNC_OK && out->failed ? nnc_no_memory(err) : status;
}

/* Makes malloc allocate large blocks with mmap, as zeroed pages that are not touched yet, even after a large block was
 * freed. The scratch of an estimate has 27 MB, and an estimate uses few of its pages. */
static void keep_blocks_apart(void) {
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 26); /* memory of freed smaller blocks stays in the process, and later
                                               * allocations use it */
#endif
}

/* Memory for the parsed tree of a JSON file; main() owns this memory. The parsed tree of a JSON file consists of
 * several hundred small allocations, which are freed together. When the last allocation is freed, all of the memory can
 * be used for the next tree. An allocation that does not fit into the tree memory is made by malloc. The tree memory
 * saves 14 % of the instructions of an estimate. The pointer is global, because the allocation hooks of cJSON have no
 * context argument. */
enum { TREES_BYTES = 1 << 20, TREES_ALIGN = 16 };
typedef struct tree_memory {
    size_t used, live;
    _Alignas(TREES_ALIGN) unsigned char bytes[TREES_BYTES];
} tree_memory;
static tree_memory *trees;

static void *allocate_tree(size_t size) {
    /* a command that uses only images of shipped files parses no file, so the tree memory is allocated only when a file
     * is parsed */
    if (trees == NULL) { trees = calloc(1, sizeof *trees); }
    if (trees == NULL || size > TREES_BYTES - trees->used) { return malloc(size); }
    void *made = &trees->bytes[trees->used];
    trees->used += (size + TREES_ALIGN - 1) / TREES_ALIGN * TREES_ALIGN;
    trees->live++;
    return made;
}

static void release_tree(void *block) {
    if (trees == NULL || (uintptr_t)block - (uintptr_t)trees->bytes >= TREES_BYTES) {
        free(block);
    } else if (--trees->live == 0) {
        trees->used = 0;
    }
}

static void share_trees(void) { nnc_json_allocate_with(allocate_tree, release_tree); }

int main(int argc, char **argv) {
    nnc_buffer out = { 0 };
    nnc_session session = { .out = &out };
    nnc_error err = { 0 };
    nnc_system_prepare(argc, argv);
    keep_blocks_apart();
    share_trees();
    nnc_status status = dispatch(&session, argc, argv, &err);
    /* a signal stopped the command; the output of the command shows the results so far */
    const bool stopped = session.exit_code > 128;
    if (status == NNC_OK && out.failed) { status = nnc_no_memory(&err); }
    if (status == NNC_OK && (session.exit_code <= 1 || stopped)) {
        status = nnc_output_write(session.options.output, out.bytes, out.size, &err);
    }
    nnc_options_free(&session.options);
    nnc_buffer_free(&session.arguments);
    nnc_buffer_free(&out);
    if (status != NNC_OK) {
        nnc_error shown; /* a copy of the message without control characters: `where` may be an option as the user typed
                          * it */
        nnc_fail(&shown, status, err.where, "%s", err.what);
        fprintf(stderr, "nncost: %s: %s\n", shown.where, shown.what);
        return nnc_status_exit_code(status);
    }
    return session.exit_code;
}
