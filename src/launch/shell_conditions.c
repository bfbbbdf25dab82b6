/* Evaluates conditions of a shell script: [ .. ] and [[ .. ]] with values that are known. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

#if defined(_WIN32)
/* Replacement for fnmatch(), which Windows does not have: compares a text with a pattern that may contain '*' and '?'.
 * Returns 0 if the text matches the pattern. */
static int fnmatch(const char *pattern, const char *text, int flags) {
    for (; *pattern != '\0' && *pattern != '*'; pattern++, text++) {
        if (*text == '\0' || (*pattern != '?' && *pattern != *text)) { return 1; }
    }
    if (*pattern == '\0') { return *text != '\0'; }
    while (fnmatch(pattern + 1, text, flags) != 0) {
        if (*text++ == '\0') { return 1; }
    }
    return 0;
}
#else
#include <fnmatch.h>
#endif

nnc_certainty nnc_shell_not(nnc_certainty t) {
    return t == NNC_RUNS          ? NNC_RUNS_NOT
           : t == NNC_RUNS_NOT    ? NNC_RUNS
           : t == NNC_RUNS_LIKELY ? NNC_RUNS_NOT
                                  : NNC_RUNS_MAYBE;
}

const char *nnc_shell_operand(const char *text, const nnc_shell *s) {
    const size_t length = strlen(text);
    if (strstr(text, "${") == NULL) { return text; }
    const bool whole = strncmp(text, "${", 2) == 0 && strchr(text, '}') == text + length - 1;
    return whole && nnc_shell_variable(s, text + 2, length - 3) == NULL &&
                   (nnc_shell_name_length(text + 2) == length - 3 || length == 4)
               ? ""
               : NULL;
}

nnc_certainty nnc_shell_truth(bool holds) { return holds ? NNC_RUNS : NNC_RUNS_NOT; }

/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): one case after the other */
static nnc_certainty compare(const char *a, const char *of, const char *b, bool has_patterns) {
    double x = 0.0, y = 0.0;
    const bool differs = strcmp(of, "!=") == 0;
    if (differs || strcmp(of, "=") == 0 || strcmp(of, "==") == 0) {
        const bool is_pattern = strpbrk(b, "*?[") != NULL;
        const bool same = is_pattern ? fnmatch(b, a, 0) == 0 : strcmp(a, b) == 0;
        return is_pattern && !has_patterns ? NNC_RUNS_MAYBE : nnc_shell_truth(same != differs);
    }
    if (!nnc_read_double(a, &x) || !nnc_read_double(b, &y)) { return NNC_RUNS_MAYBE; }
    return strcmp(of, "-eq") == 0   ? nnc_shell_truth(!(x < y || x > y))
           : strcmp(of, "-ne") == 0 ? nnc_shell_truth(x < y || x > y)
           : strcmp(of, "-gt") == 0 ? nnc_shell_truth(x > y)
           : strcmp(of, "-ge") == 0 ? nnc_shell_truth(x >= y)
           : strcmp(of, "-lt") == 0 ? nnc_shell_truth(x < y)
           : strcmp(of, "-le") == 0 ? nnc_shell_truth(x <= y)
                                    : NNC_RUNS_MAYBE;
}

/* Joins `count` words from index `from` with blanks: the operand of a [[ ]] test may have blanks. Returns "" if out of
 * memory. */
static const char *joined(const nnc_shell *s, const nnc_script_words *w, int32_t from, int32_t count) {
    nnc_buffer text = { 0 };
    for (int32_t i = from; i < from + count; i++) {
        nnc_buffer_text(&text, i > from ? " " : "");
        nnc_buffer_text(&text, w->items[i].text);
    }
    nnc_buffer_byte(&text, '\0');
    const char *kept = text.failed ? NULL : nnc_arena_strdup(s->arena, text.bytes);
    nnc_buffer_free(&text);
    return kept != NULL ? kept : "";
}

nnc_certainty nnc_shell_test(const nnc_shell *s, const nnc_script_words *w, int32_t from) {
    int32_t count = w->count - from;
    const bool bracket = count > 0 && w->items[w->count - 1].text[0] == ']';
    count -= bracket ? 1 : 0;
    const bool negated = count > 0 && strcmp(w->items[from].text, "!") == 0;
    from += negated ? 1 : 0;
    count -= negated ? 1 : 0;
    const char *a = count > 0 ? nnc_shell_operand(w->items[from].text, s) : NULL;
    const char *b = count > 1 ? nnc_shell_operand(w->items[from + 1].text, s) : NULL;
    const char *c = count > 2 ? nnc_shell_operand(w->items[from + 2].text, s) : NULL;
    const bool is_double = strcmp(w->items[0].text, "[[") == 0;
    nnc_certainty found = NNC_RUNS_MAYBE;
    if (count == 2 && a != NULL && (strcmp(a, "==") == 0 || strcmp(a, "=") == 0 || strcmp(a, "!=") == 0)) {
        c = b, b = a, a = ""; /* the left operand is empty and thus is no word */
        count = 3;
    }
    if (is_double && count > 3) {
        a = nnc_shell_operand(joined(s, w, from, count - 2), s);
        b = w->items[from + count - 2].text;
        c = nnc_shell_operand(w->items[from + count - 1].text, s);
        count = 3;
    }
    if (count == 1 && a != NULL && (strcmp(a, "-z") == 0 || strcmp(a, "-n") == 0)) {
        /* "[ -z ]" or "[ -n ]": the operand was empty and thus is no word; -z is true, -n is false */
        found = nnc_shell_truth(a[1] == 'z');
    } else if (count == 1 && a != NULL) {
        found = nnc_shell_truth(a[0] != '\0');
    } else if (count == 2 && a != NULL && b != NULL && (strcmp(a, "-z") == 0 || strcmp(a, "-n") == 0)) {
        found = nnc_shell_truth((b[0] == '\0') == (a[1] == 'z'));
    } else if (count == 2 && a != NULL && b != NULL && strcmp(a, "-v") == 0) {
        found = nnc_shell_truth(nnc_shell_variable(s, b, strlen(b)) != NULL);
    } else if (count == 3 && a != NULL && b != NULL && c != NULL) {
        found = compare(a, b, c, is_double);
    }
    return negated ? nnc_shell_not(found) : found;
}
