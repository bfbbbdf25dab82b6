/* Converts the commands of a shell script to JSON: one object with the options of the launcher, one with the options of
 * the program. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

/* Returns the last part of a path: the text after the last slash. */
static const char *base_name(const char *text) {
    const char *slash = strrchr(text, '/');
    return slash != NULL ? slash + 1 : text;
}

/* If a word is the name of a launcher, returns the name of the launch format of its options, such as "torchrun";
 * otherwise NULL. */
static const char *launcher_of(const char *text) {
    static const char *const launchers[][2] = {
        { "torchrun", "torchrun" },
        { "torch.distributed.run", "torchrun" },
        { "torch.distributed.launch", "torchrun" },
        { "composer", "torchrun" },
        { "accelerate", "accelerate-launch" },
        { "accelerate.commands.launch", "accelerate-launch" },
        { "deepspeed", "deepspeed-launch" },
        { "srun", "srun" },
        { "mpirun", "mpirun" },
        { "mpiexec", "mpirun" },
    };
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (strcmp(base_name(text), launchers[i][0]) == 0) { return launchers[i][1]; }
    }
    return NULL;
}

/* Tests whether a word names a training or serving program that a shell starts without python, such as "vllm". */
static bool is_program(const char *text) {
    static const char *const programs[] = { "llamafactory-cli", "axolotl", "vllm", "trtllm-serve", "sglang" };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(base_name(text), programs[i]) == 0) { return true; }
    }
    return false;
}

/* Returns the index of the first word that is an interpreter, such as "python" in "srun -n 8 python train.py", between
 * the indexes `from` and `end`; `end` = no word is an interpreter. */
static int32_t interpreter_at(const nnc_script_words *w, int32_t from, int32_t end) {
    static const char *const names[] = { "python", "python3", "bash", "sh", "env" };
    for (; from < end; from++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strcmp(base_name(w->items[from].text), names[i]) == 0) { return from; }
        }
    }
    return end;
}

/* Tests whether a word is the image of vLLM in "docker run vllm/vllm-openai:TAG OPTIONS", which starts its server. */
static bool is_vllm_image(const char *text) { return strncmp(base_name(text), "vllm-openai", 11) == 0; }

/* Returns the index of the word that names the program of a command: a Python file, the module after -m, or a known
 * program; -1 = the command has no such word. */
static int32_t program_at(const nnc_script_words *w) {
    for (int32_t i = 0; i < w->count; i++) {
        const char *text = w->items[i].text;
        const bool module = i > 0 && strcmp(w->items[i - 1].text, "-m") == 0;
        const bool engine = strcmp(base_name(text), "vllm") == 0 || strcmp(text, "sglang") == 0;
        const bool serves = i + 1 < w->count && strcmp(w->items[i + 1].text, "serve") == 0; /* true for "vllm serve",
                                                                                             * false for "vllm bench" */
        if (nnc_ends_in(text, ".py") || (is_program(text) && (!engine || serves)) ||
            (module && launcher_of(text) == NULL && strchr(text, '.') != NULL) || (i > 1 && is_vllm_image(text))) {
            return i;
        }
    }
    return -1;
}

bool nnc_shell_is_option(const char *text) {
    return text[0] == '-' && text[1] != '\0' && !isdigit((unsigned char)text[1]) && text[1] != '.';
}

/* An option of a command, and its values: the words between this option and the next one. */
typedef struct flag {
    const char *name;
    /* value that is joined to the option, as in "--name=value"; NULL = the option has no such value */
    const char *joined;
    int32_t first, count, line;
} flag;

bool nnc_put_object(nnc_buffer *out, const char *text) {
    nnc_json_scan_fault fault;
    if (text[strspn(text, " \n")] != '{' || !nnc_json_scan(text, strlen(text), NNC_SCAN_VALUES_RECORDED, &fault)) {
        return false;
    }
    for (; *text != '\0'; text++) { nnc_buffer_byte(out, (char)(*text == '\n' || *text == '\r' ? ' ' : *text)); }
    return true;
}

/* Writes the value of an option as JSON. Quotes around a value stay in it if the script joins words in a variable and
 * starts them by bash -c or eval, which removes these quotes. */
static void put_value(nnc_buffer *out, const char *text) {
    double number = 0.0;
    char inner[1024];
    const size_t length = strlen(text);
    const bool is_quoted = length >= 2 && strchr("'\"", text[0]) != NULL && text[length - 1] == text[0];
    if (is_quoted && length < sizeof inner) {
        snprintf(inner, sizeof inner, "%.*s", (int)length - 2, text + 1);
        text = inner;
    }
    if (nnc_read_double(text, &number)) {
        nnc_buffer_number(out, number);
    } else if (!nnc_put_object(out, text)) {
        nnc_put_json_text(out, text);
    }
}

static void put_flag(nnc_buffer *out, const flag *f, const nnc_script_words *w) {
    nnc_put_json_text(out, f->name);
    nnc_buffer_byte(out, ':');
    if (f->joined != NULL) {
        put_value(out, f->joined);
    } else if (f->count == 0) {
        nnc_buffer_text(out, "true");
    } else if (f->count == 1) {
        put_value(out, w->items[f->first].text);
    } else {
        for (int32_t i = 0; i < f->count; i++) {
            nnc_buffer_byte(out, i == 0 ? '[' : ',');
            put_value(out, w->items[f->first + i].text);
        }
        nnc_buffer_byte(out, ']');
    }
}

/* Reads the option at index `at` of the words, and its values, into *f. Returns the index of the word after the
 * values. */
static int32_t read_flag(nnc_shell_commands *s, const nnc_script_words *w, int32_t at, int32_t end, flag *f) {
    const char *text = w->items[at].text + strspn(w->items[at].text, "-");
    const char *equals = strchr(text, '=');
    *f = (flag){ .first = at + 1, .line = w->items[at].line };
    char *name = nnc_arena_strdup(s->arena, text);
    if (name == NULL) {
        s->status = nnc_no_memory(s->err);
        name = "";
    } else if (equals != NULL) {
        name[equals - text] = '\0';
        f->joined = equals + 1;
    }
    f->name = name;
    for (at++; at < end && !nnc_shell_is_option(w->items[at].text); at++) { f->count++; }
    return at;
}

static int compare_lines(const void *a, const void *b) {
    const flag *x = a, *y = b;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->first < y->first ? -1 : 1;
}

/* Returns the options among the words `from` to `end` as a JSON object: ".program" (not if `program` is NULL), then one
 * member per option, on the line of the option in the script. If an option occurs more than once, the last one is
 * used. */
static const char *options_json(nnc_shell_commands *s, const nnc_script_words *w, int32_t from, int32_t end,
                                const char *program) {
    nnc_buffer out = { 0 };
    int32_t count = 0, line = 1;
    flag *flags = nnc_arena_array(s->arena, (size_t)(end - from) + 1, sizeof *flags);
    for (int32_t i = from; flags != NULL && i < end;) {
        if (!nnc_shell_is_option(w->items[i].text)) {
            i++;
            continue;
        }
        i = read_flag(s, w, i, end, &flags[count]);
        int32_t same = 0;
        while (strcmp(flags[same].name, flags[count].name) != 0) { same++; }
        flags[same] = flags[count];
        count += same == count;
    }
    if (flags == NULL) {
        s->status = nnc_no_memory(s->err);
        return "{}";
    }
    qsort(flags, (size_t)count, sizeof *flags, compare_lines);
    nnc_buffer_byte(&out, '{');
    if (program != NULL) {
        nnc_buffer_text(&out, "\".program\":");
        nnc_put_json_text(&out, program);
    }
    for (int32_t i = 0; i < count; i++) {
        nnc_buffer_text(&out, i > 0 || program != NULL ? "," : "");
        for (; line < flags[i].line; line++) { nnc_buffer_byte(&out, '\n'); }
        put_flag(&out, &flags[i], w);
    }
    nnc_buffer_byte(&out, '}');
    nnc_buffer_byte(&out, '\0');
    const char *json = out.failed ? NULL : nnc_arena_strdup(s->arena, out.bytes);
    nnc_buffer_free(&out);
    if (json == NULL) { s->status = nnc_no_memory(s->err); }
    return json != NULL ? json : "{}";
}

/* If the program is a serving engine, returns the JSON options with the engine and its model as the first member,
 * {"vllm":"MODEL",..}; for any other program, returns `options`. */
static const char *with_engine(nnc_shell_commands *s, const nnc_script_words *w, int32_t program, const char *options) {
    static const char *const engines[] = { "vllm",
                                           "trtllm-serve",
                                           "sglang",
                                           "sglang.launch_server",
                                           "atom.entrypoints.openai_server",
                                           "vllm.entrypoints.openai.api_server" };
    const char *name = is_vllm_image(w->items[program].text) ? "vllm" : base_name(w->items[program].text), *model = "";
    size_t engine = 0;
    while (engine < sizeof engines / sizeof *engines && strcmp(engines[engine], name) != 0) { engine++; }
    if (engine == sizeof engines / sizeof *engines) { return options; }
    for (int32_t i = program + 1; i < w->count && !nnc_shell_is_option(w->items[i].text); i++) {
        model = strcmp(w->items[i].text, "serve") != 0 ? w->items[i].text : model;
    }
    nnc_buffer out = { 0 };
    nnc_buffer_byte(&out, '{');
    nnc_put_json_text(&out, name);
    nnc_buffer_byte(&out, ':');
    nnc_put_json_text(&out, model);
    nnc_buffer_text(&out, options[1] == '}' ? "" : ",");
    nnc_buffer_text(&out, options + 1);
    nnc_buffer_byte(&out, '\0');
    const char *json = out.failed ? NULL : nnc_arena_strdup(s->arena, out.bytes);
    nnc_buffer_free(&out);
    if (json == NULL) { s->status = nnc_no_memory(s->err); }
    return json != NULL ? json : options;
}

/* Returns the index of the word that ends a command inside quotes, such as ">" in "cd x; train.py --a > log"; the
 * number of words if no word ends it. */
static int32_t command_end(const nnc_script_words *w, int32_t from) {
    static const char *const ends[] = { ">", ">>", "<", "|", "||", "&&", ";", "2>&1", "&>", "&>>", "2>", "&" };
    for (; from < w->count; from++) {
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            if (strcmp(w->items[from].text, ends[i]) == 0) { return from; }
        }
    }
    return from;
}

static void add_command(nnc_shell_commands *s, nnc_shell_command made) {
    nnc_shell_command *grown = nnc_arena_grow(s->arena, s->list, s->count, &s->capacity, sizeof *grown);
    if (grown == NULL) {
        s->status = nnc_no_memory(s->err);
        return;
    }
    s->list = grown;
    s->list[s->count++] = made;
}

/* Returns the words of a launcher's options: the words after the launcher, up to `end`. For srun, the options of
 * #SBATCH lines come first, so that srun's own options, which come later, replace them. */
static nnc_script_words launcher_words(nnc_shell_commands *s, const nnc_script_words *w, int32_t launcher,
                                       int32_t end) {
    const bool is_srun = strcmp(launcher_of(w->items[launcher].text), "srun") == 0;
    const int32_t before = is_srun ? s->slurm.count : 0, count = before + end - launcher - 1;
    nnc_script_words all = { .items = nnc_arena_array(s->arena, (size_t)count + 1, sizeof *all.items) };
    if (all.items == NULL) {
        s->status = nnc_no_memory(s->err);
        return all;
    }
    for (int32_t i = 0; i < count; i++) {
        all.items[i] = i < before ? s->slurm.items[i] : w->items[launcher + 1 + i - before];
    }
    all.count = count;
    return all;
}

/* Tests whether a word is the path of a configuration file in YAML or TOML. */
static bool is_config(const char *text) {
    return nnc_ends_in(text, ".yaml") || nnc_ends_in(text, ".yml") || nnc_ends_in(text, ".toml");
}

/* Tests whether an option names the configuration file of a training program, such as --config-file. */
static bool names_config(const char *text) {
    static const char *const names[] = { "--config", "--config-file", "--config_file", "--job.config_file",
                                         "--job.config-file" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) { return true; }
    }
    return false;
}

/* Tests whether a program trains, by the last part of its name ("maxtext.trainers.pre_train.train", "run_sft.py") or by
 * the word after it ("axolotl train"). Other programs that read a configuration convert, evaluate or generate. */
static bool trains(const nnc_script_words *w, int32_t program, int32_t end) {
    static const char *const words[] = { "train", "tune", "sft", "dpo", "orpo", "kto" };
    char name[96];
    snprintf(name, sizeof name, "%s", base_name(w->items[program].text));
    char *suffix = nnc_ends_in(name, ".py") ? strrchr(name, '.') : NULL;
    if (suffix != NULL) { *suffix = '\0'; }
    const char *last = strrchr(name, '.'), *next = program + 1 < end ? w->items[program + 1].text : "";
    last = last != NULL ? last : name;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(last, words[i]) != NULL || strcmp(next, words[i]) == 0) { return true; }
    }
    return false;
}

/* Returns a word KEY=VALUE or an option as the option "--key=value", with '_' for each '-' of the key; NULL = the word
 * is neither. Only words before the first option can be KEY=VALUE (is_first). */
static const char *change_of(nnc_shell_commands *s, const char *text, bool is_first) {
    const bool option = nnc_shell_is_option(text);
    const char *key = text + (option ? strspn(text, "-") : 0), *equals = strchr(key, '=');
    const size_t length = equals != NULL ? (size_t)(equals - key) : strlen(key);
    if (!option && (!is_first || equals == NULL || strcspn(key, "/${} ") < length)) { return NULL; }
    char *change = nnc_arena_alloc(s->arena, strlen(key) + 3);
    if (change == NULL) {
        s->status = nnc_no_memory(s->err);
        return NULL;
    }
    snprintf(change, strlen(key) + 3, "--%s", key);
    for (size_t i = 2; i < length + 2; i++) { change[i] = (char)(change[i] == '-' ? '_' : change[i]); }
    return change;
}

/* Finds the configuration file that a command names, among the words `from` to `end`, and what the command changes in
 * it. "axolotl train FILE --launcher torchrun -- OPTIONS" has options of a launcher at the end. */
static void read_config(nnc_shell_commands *s, const nnc_script_words *w, int32_t from, int32_t end,
                        nnc_shell_command *made) {
    nnc_script_words own = { .items = nnc_arena_array(s->arena, (size_t)(end - from) + 1, sizeof *own.items) };
    bool is_first = true;
    if (own.items == NULL) {
        s->status = nnc_no_memory(s->err);
        return;
    }
    for (int32_t i = from; i < end; i++) {
        const char *text = w->items[i].text;
        is_first = is_first && !nnc_shell_is_option(text);
        if (strcmp(text, "--") == 0 && made->launcher != NULL) {
            made->launcher_options = options_json(s, w, i + 1, end, made->launcher);
            break;
        }
        if (strcmp(text, "--launcher") == 0 && i + 1 < end && launcher_of(w->items[i + 1].text) != NULL) {
            made->launcher = launcher_of(w->items[++i].text);
        } else if (names_config(text) && i + 1 < end && is_config(w->items[i + 1].text)) {
            made->config = w->items[++i].text;
        } else if (is_first && is_config(text) && strchr(text, '=') == NULL) {
            made->config = text;
        } else {
            const char *change = change_of(s, text, is_first);
            if (change == NULL && is_first) { continue; }
            own.items[own.count++] = (nnc_script_word){ change != NULL ? change : text, w->items[i].line };
        }
    }
    made->changes = options_json(s, &own, 0, own.count, NULL);
}

void nnc_shell_keep(nnc_shell_commands *s, const nnc_script_words *w) {
    const int32_t program = program_at(w);
    int32_t launcher = -1;
    nnc_shell_command made = { .line = 1 };
    for (int32_t i = 0; i < program; i++) { launcher = launcher_of(w->items[i].text) != NULL ? i : launcher; }
    const int32_t end = program < 0 ? 0 : command_end(w, program + 1);
    if (program < 0 || end - program < 2) { return; }
    made.line = w->items[program].line;
    const char *options = options_json(s, w, program + 1, end, base_name(w->items[program].text));
    made.options = with_engine(s, w, program, options);
    made.launcher_options = "{}";
    if (launcher >= 0) {
        made.launcher = launcher_of(w->items[launcher].text);
        const nnc_script_words own = launcher_words(s, w, launcher, interpreter_at(w, launcher + 1, program));
        made.launcher_options = options_json(s, &own, 0, own.count, made.launcher);
    }
    if (made.options == options && trains(w, program, end)) { read_config(s, w, program + 1, end, &made); }
    add_command(s, made);
}

bool nnc_shell_has_program(const nnc_script_words *w) { return program_at(w) >= 0; }

bool nnc_shell_starts_unknown(const nnc_script_words *w) {
    bool is_unknown = false;
    for (int32_t i = 1; i < w->count && launcher_of(w->items[0].text) != NULL && program_at(w) < 0; i++) {
        if (is_unknown && nnc_shell_is_option(w->items[i].text)) { return true; }
        is_unknown = !nnc_shell_is_option(w->items[i - 1].text) && strstr(w->items[i].text, "${") != NULL;
    }
    return false;
}

void nnc_shell_keep_options(nnc_shell_commands *s, const nnc_script_words *w) {
    add_command(s, (nnc_shell_command){ .options = options_json(s, w, 0, w->count, ""),
                                        .launcher_options = "{}",
                                        .line = w->items[0].line });
}

nnc_status nnc_shell_arguments(nnc_arena *arena, char **list, int count, nnc_shell_command *command, nnc_error *err) {
    nnc_shell_commands s = { .arena = arena, .err = err };
    nnc_script_words w = { .items = nnc_arena_array(arena, (size_t)count, sizeof(nnc_script_word)), .count = count };
    if (w.items == NULL) { return nnc_no_memory(err); }
    for (int i = 0; i < count; i++) { w.items[i] = (nnc_script_word){ list[i], 1 }; }
    if (!nnc_shell_is_option(list[0])) { nnc_shell_keep(&s, &w); }
    if (s.count > 0) {
        *command = s.list[0];
    } else {
        command->options = options_json(&s, &w, 0, count, "");
    }
    return s.status;
}
