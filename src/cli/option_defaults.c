/* The defaults file: options, one on a line, for every command that has them. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/option_table.h"
#include "input/file.h"
#include "input/place.h"
#include "record/plan_file.h"

/* $XDG_CONFIG_HOME/nncost/defaults; by the specification a relative path counts as unset. */
static bool find_file(char path[PATH_MAX])
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    int length = -1;
    if (config != NULL && config[0] == '/') {
        length = snprintf(path, PATH_MAX, "%s/nncost/defaults", config);
    } else if (home != NULL && home[0] != '\0') {
        length = snprintf(path, PATH_MAX, "%s/.config/nncost/defaults", home);
    }
    return length > 0 && length < PATH_MAX && access(path, F_OK) == 0;
}

/* A plan file says all that its estimates depend on. */
static bool asks_plan_file(const nnc_options *options)
{
    const char *first = options->operand_count > 0 ? options->operands[0] : "";
    return nnc_is_path(first) &&
           (nnc_is_pipe(first) ? options->operand_count == 1 : nnc_plans_is(NULL, first));
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

/* Cuts "--name value" or "--name=value" in two; NULL = no value. */
static char *cut_value(char *line)
{
    char *end = line + strcspn(line, " \t=");
    if (*end == '\0') {
        return NULL;
    }
    *end = '\0';
    return trim(end + 1);
}

static const char *wrong_with(const nnc_option_spelling *entry, const char *value)
{
    const nnc_own_option *own = entry->own;
    if (own != NULL && (own->place.kind == NNC_PLACE_WORDS || own->letter == 'h' ||
                        own->letter == 'o' || strcmp(own->name, "no-defaults") == 0)) {
        return "belongs on the command line";
    }
    const bool wants = own != NULL ? own->argument != NULL : entry->field->type != NNC_FIELD_BOOL;
    const bool has = value != NULL;
    if (wants && !has) {
        return "a value is missing";
    }
    return own != NULL && !wants && has ? "takes no value" : NULL;
}

/* What a line has to do with this run of the command. */
typedef struct reading {
    nnc_options *options;
    const nnc_option_spellings *list; /* of the command */
    nnc_option_spellings all;
    bool plan_file;
} reading;

static nnc_status take_line(reading *r, char *line, const char *where, nnc_error *err)
{
    const char *value = cut_value(line);
    const nnc_option_spelling *known = nnc_option_find(&r->all, line);
    const nnc_option_spelling *entry = nnc_option_find(r->list, line);
    if (known == NULL) {
        const nnc_status status = nnc_option_unknown(&r->all, "COMMAND", line, err);
        nnc_error why = err != NULL ? *err : (nnc_error){ 0 };
        return nnc_fail(err, status, where, "%s: %s", why.where, why.what);
    }
    const char *wrong = wrong_with(known, value);
    if (wrong != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, where, "%s: %s", known->name, wrong);
    }
    const bool of_plan =
        entry != NULL && (entry->own == NULL || (entry->own->takes & NNC_TAKES_PLAN));
    if (entry == NULL || (r->plan_file && of_plan) || nnc_option_is_given(r->options, entry)) {
        return NNC_OK;
    }
    return nnc_option_take(r->options, entry, value, err);
}

nnc_status nnc_option_defaults(nnc_options *options, const nnc_option_spellings *list,
                               nnc_error *err)
{
    char path[PATH_MAX], where[PATH_MAX + 24];
    size_t size = 0;
    if (!find_file(path)) {
        return NNC_OK;
    }
    nnc_status status = nnc_file_read(path, &options->defaults, &size, err);
    reading r = { .options = options, .list = list, .plan_file = asks_plan_file(options) };
    nnc_option_spellings_of(&r.all, ~0u);
    char *next = status == NNC_OK ? options->defaults : NULL;
    for (long number = 1; status == NNC_OK && next != NULL; number++) {
        char *line = next;
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        line = trim(line);
        snprintf(where, sizeof where, "%s:%ld", path, number);
        if (*line != '\0' && *line != '#') {
            status = take_line(&r, line, where, err);
        }
    }
    return status;
}
