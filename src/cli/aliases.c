/* Replaces option names of other programs (Megatron-LM, torchtitan, DeepSpeed, accelerate, Hugging Face, PEFT,
 * torchrun, vLLM, SGLang, TensorRT-LLM) by options of nncost with the same meaning. A name is refused with a hint if
 * the user has to compute or choose the value of nncost's option. The names are in aliases.txt. */
#include <ctype.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"

typedef nnc_option_alias alias;

/* Returns true if an option name as the user typed it equals `name`. Upper-case letters count as lower-case letters,
 * '_' counts as '-', and "microBatch" counts as "micro-batch". A '=' ends the typed name; a '*' in `name` stands for
 * any ending. */
static bool alike(const char *name, const char *word) {
    for (char before = '\0'; *name != '\0' && *name != '*'; name++, before = *word++) {
        const char c = (char)tolower((unsigned char)*word);
        if (*name == '-' && islower((unsigned char)before) && isupper((unsigned char)*word)) { name++; }
        if ((c == '_' ? '-' : c) != *name) { return false; }
    }
    return *name == '*' || *word == '\0' || *word == '=';
}

typedef struct expansion {
    nnc_option_known *known;
    const void *context;
    bool has_load;    /* true: the command line has an option that says how requests arrive (--request-rate) */
    nnc_buffer words; /* words of the new command line; each word ends with a NUL */
    int count;
} expansion;

static void put(expansion *e, const char *text, size_t size) {
    nnc_buffer_put(&e->words, text, size);
    nnc_buffer_byte(&e->words, '\0');
    e->count++;
}

/* Adds the words of an alias to the new command line, and replaces '%' in these words by the value of the user. */
static void put_words(expansion *e, const char *words, const char *value) {
    while (*words != '\0') {
        const size_t length = strcspn(words, " ");
        const char *mark = memchr(words, '%', length);
        if (mark != NULL) {
            nnc_buffer_put(&e->words, words, (size_t)(mark - words));
            put(e, value, strlen(value));
        } else {
            put(e, words, length);
        }
        words += length + (words[length] == ' ' ? 1 : 0);
    }
}

static bool is_refused(const alias *row) { return row->hint[0] != '\0'; }

static bool is_for_any(const alias *row) { return row->value[0] == '\0'; }

static bool applies(const expansion *e, const alias *row, const char *word) {
    char option[NNC_OPTION_NAME];
    const char *words = is_refused(row) ? row->option : row->words;
    snprintf(option, sizeof option, "%.*s", (int)strcspn(words, " ="), words);
    return alike(row->name, word) && (option[0] == '\0' || e->known(e->context, option));
}

/* Returns 1 if a value turns a switch on ("true"), 0 if the value turns a switch off, and -1 for any other text. */
static int switch_value(const char *value) {
    static const char *const words[] = { "false", "true", "0", "1", "no", "yes", "off", "on" };
    for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++) {
        if (alike(words[i], value)) { return i % 2; }
    }
    return -1;
}

static nnc_status refuse_value(const expansion *e, const char *word, const char *typed, const char *value,
                               nnc_error *err) {
    char expected[256] = "";
    for (int i = 0; i < nnc_option_alias_count; i++) {
        const size_t length = strlen(expected);
        if (applies(e, &nnc_option_aliases[i], word)) {
            snprintf(expected + length, sizeof expected - length, "%s%s", length > 0 ? ", " : "",
                     nnc_option_aliases[i].value);
        }
    }
    return nnc_fail(err, NNC_BAD_USAGE, typed, "expected one of %s, found \"%.40s\"", expected,
                    value != NULL ? value : "");
}

/* Returns true if an alias applies to a single value of an option, such as "float16" of --precision, and this value is
 * `value`. */
static bool is_for_value(const alias *row, const char *value) {
    return !is_for_any(row) && value != NULL && alike(row->value, value);
}

/* Returns the alias of an option name: the alias for the given value if the list has an alias for this value, otherwise
 * the alias for any value. Returns NULL if there is no alias for the value; *found is then true if the name has aliases
 * for other values. own: true = the name is an option of nncost itself, and only some values of this option have
 * aliases. */
static const alias *row_of(const expansion *e, const char *word, const char *value, bool own, bool *found) {
    const alias *any = NULL;
    const char first = (char)tolower((unsigned char)word[2]);
    *found = false;
    for (int i = 0; i < nnc_option_alias_count; i++) {
        const alias *row = &nnc_option_aliases[i];
        if (row->name[2] != first) { continue; /* saves time: comparing first letters excludes most names */ }
        if (!applies(e, row, word) || (own && !is_for_value(row, value))) { continue; }
        *found = true;
        if (!is_for_any(row) && (row->value[0] == '@' ? e->has_load : value != NULL && alike(row->value, value))) {
            return row;
        }
        any = any == NULL && is_for_any(row) ? row : any;
    }
    return any;
}

/* Returns true if a word is an option of training programs that has no effect on the results of nncost. nncost refuses
 * options without effect. */
static bool is_free(const expansion *e, const char *word) {
    static const char *const names[] = {
        "--lr",           "--lr-*",         "--learning-rate*",  "--min-lr*",       "--warmup-steps",
        "--warmup-ratio", "--seed",         "--weight-decay*",   "--adam-beta*",    "--adam-eps*",
        "--lora-alpha",   "--lora-dropout", "--init-method-std", "--logging-steps", "--log-interval",
        "--output-dir",   "--wandb-*",      "--report-to",       "--run-name"
    };
    bool found = false;
    for (size_t i = 0; i < NNC_COUNT_OF(names) && !found; i++) { found = alike(names[i], word); }
    return found && e->known(e->context, "--optimizer");
}

/* Replaces one option of another program in argv, together with its value if it has one. *used: number of words of argv
 * that were read. *found: true if the word is an alias. */
static nnc_status expand_word(expansion *e, char **argv, bool last, bool own, int *used, bool *found, nnc_error *err) {
    const char *word = argv[0], *equals = strchr(word, '=');
    const char *value = equals != NULL ? equals + 1 : last || strncmp(argv[1], "--", 2) == 0 ? NULL : argv[1];
    const alias *row = row_of(e, word, value, own, found);
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    if (!*found && !own && is_free(e, word)) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "has no effect on time, memory and cost, so leave it out");
    }
    if (!*found) { return NNC_OK; }
    if (row == NULL) { return refuse_value(e, word, typed, value, err); }
    if (is_refused(row)) {
        return own ? nnc_fail(err, NNC_BAD_USAGE, typed, "unknown value \"%.40s\", did you mean %s?", value, row->hint)
                   : nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, did you mean %s?", row->hint);
    }
    const bool takes = strchr(row->words, '%') != NULL;
    const int on = value != NULL && !takes && is_for_any(row) ? switch_value(value) : -1;
    if (takes && value == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, typed,
                        "a value is missing, expected \"%s VALUE\", short for \"%.*sVALUE%s\"", typed,
                        (int)strcspn(row->words, "%"), row->words, strchr(row->words, '%') + 1);
    }
    if (equals != NULL && !takes && is_for_any(row) && on < 0) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "expected true or false, found \"%.40s\"", value);
    }
    if (on != 0) { put_words(e, row->words, value != NULL ? value : ""); }
    *used = equals == NULL && (takes || !is_for_any(row) || on >= 0) ? 2 : 1;
    return NNC_OK;
}

/* Returns a new argv (an array of pointers, then the words) in one allocation, which the caller frees. NULL = out of
 * memory. */
static char **pack(const expansion *e) {
    const size_t pointers = ((size_t)e->count + 1) * sizeof(char *);
    char *block = malloc(pointers + e->words.size);
    if (block == NULL || e->words.bytes == NULL) {
        free(block);
        return NULL;
    }
    char **argv = (char **)(void *)block;
    char *text = block + pointers;
    memcpy(text, e->words.bytes, e->words.size);
    for (int i = 0; i < e->count; i++) {
        argv[i] = text;
        text += strlen(text) + 1;
    }
    argv[e->count] = NULL;
    return argv;
}

nnc_status nnc_aliases_expand(int *argc, char **argv, nnc_option_known *known, const void *context, char ***expanded,
                              nnc_error *err) {
    static const char *const loads[] = { "--request-rate",    "--arrivals", "--concurrency",
                                         "--max-concurrency", "--offline",  "--serve" };
    expansion e = { .known = known, .context = context };
    for (int i = 0; i < *argc; i++) {
        for (size_t j = 0; argv[i][0] == '-' && j < NNC_COUNT_OF(loads); j++) {
            e.has_load = e.has_load || alike(loads[j], argv[i]);
        }
    }
    nnc_status status = NNC_OK;
    bool any = false, ended = false;
    *expanded = NULL;
    for (int i = 0, used = 1; i < *argc && status == NNC_OK; i += used) {
        char option[NNC_OPTION_NAME];
        bool found = false;
        used = 1;
        ended = ended || strcmp(argv[i], "--") == 0;
        snprintf(option, sizeof option, "%.*s", (int)strcspn(argv[i], "="), argv[i]);
        const bool own = argv[i][0] == '-' && known(context, option);
        /* --precision, --optimizer and --weights are the only options of nncost whose values have aliases. */
        const bool has_values = strcmp(option, "--precision") == 0 || strcmp(option, "--optimizer") == 0 ||
                                strcmp(option, "--weights") == 0;
        if (!ended && argv[i][0] == '-' && argv[i][1] != '\0' && (!own || has_values)) {
            status = expand_word(&e, argv + i, i + 1 == *argc, own, &used, &found, err);
        }
        if (!found) { put(&e, argv[i], strlen(argv[i])); }
        any = any || found;
    }
    if (status == NNC_OK && any) {
        *expanded = e.words.failed ? NULL : pack(&e);
        *argc = e.count;
        status = *expanded != NULL ? NNC_OK : nnc_no_memory(err);
    }
    nnc_buffer_free(&e.words);
    return status;
}
