#include "input/walk.h"

#include <string.h>

static void skip_blanks(nnc_walk *w)
{
    for (; strchr(" \t\r\n", w->text[w->at]) != NULL && w->text[w->at] != '\0'; w->at++) {
        w->line += w->text[w->at] == '\n';
    }
}

static void skip_quoted(nnc_walk *w)
{
    for (w->at++; w->text[w->at] != '"'; w->at++) {
        w->at += w->text[w->at] == '\\';
    }
    w->at++;
}

nnc_walk nnc_walk_begin(const char *text)
{
    nnc_walk w = { .text = text, .line = 1, .key_line = 1 };
    skip_blanks(&w);
    return w;
}

bool nnc_walk_member(nnc_walk *w, bool object)
{
    skip_blanks(w);
    if (strchr("}]", w->text[w->at]) == NULL) { /* the opening bracket or a comma */
        w->at++;
        skip_blanks(w);
    }
    w->key = w->at;
    w->key_line = w->line;
    w->key_length = 0;
    if (strchr("}]", w->text[w->at]) != NULL) {
        w->at++;
        return false;
    }
    if (object) {
        skip_quoted(w);
        w->key_length = w->at - w->key;
        skip_blanks(w);
        w->at++; /* the colon */
        skip_blanks(w);
    }
    return true;
}

bool nnc_walk_key_is(const nnc_walk *w, const char *key)
{
    const size_t length = strlen(key);
    return w->key_length == length + 2 && memcmp(w->text + w->key + 1, key, length) == 0;
}

void nnc_walk_value(nnc_walk *w)
{
    int depth = 0;
    do {
        skip_blanks(w);
        const char c = w->text[w->at];
        if (c == '"') {
            skip_quoted(w);
        } else if (strchr("{[", c) != NULL) {
            depth++;
            w->at++;
        } else if (strchr("}]", c) != NULL) {
            depth--;
            w->at++;
        } else if (strchr(",:", c) != NULL) {
            w->at++;
        } else {
            w->at += strcspn(w->text + w->at, " \t\r\n,:{}[]\"");
        }
    } while (depth > 0);
}
