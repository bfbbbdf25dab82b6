#include "input/walk.h"

#include <string.h>

/* Files of megabytes are walked: what a byte is takes no search in a text. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool opens(char c)
{
    return c == '{' || c == '[';
}

static bool closes(char c)
{
    return c == '}' || c == ']' || c == '\0';
}

static bool parts(char c)
{
    return c == ',' || c == ':';
}

static void skip_blanks(nnc_walk *w)
{
    const char *at = w->text + w->at;
    for (; is_blank(*at); at++) {
        w->line += *at == '\n';
    }
    w->at = (size_t)(at - w->text);
}

/* A number or a word. */
static void skip_plain(nnc_walk *w)
{
    const char *at = w->text + w->at;
    while (*at != '"' && !is_blank(*at) && !parts(*at) && !opens(*at) && !closes(*at)) {
        at++;
    }
    w->at = (size_t)(at - w->text);
}

static void skip_quoted(nnc_walk *w)
{
    const char *at = w->text + w->at + 1;
    for (; *at != '"'; at++) {
        at += *at == '\\';
    }
    w->at = (size_t)(at - w->text) + 1;
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
    if (!closes(w->text[w->at])) { /* the opening bracket or a comma */
        w->at++;
        skip_blanks(w);
    }
    w->key = w->at;
    w->key_line = w->line;
    w->key_length = 0;
    if (closes(w->text[w->at])) {
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
        } else if (opens(c)) {
            depth++;
            w->at++;
        } else if (closes(c)) {
            depth--;
            w->at++;
        } else if (parts(c)) {
            w->at++;
        } else {
            skip_plain(w);
        }
    } while (depth > 0);
}

void nnc_walk_on(nnc_walk *w, size_t to)
{
    const char *end = w->text + to;
    for (const char *at = w->text + w->at; (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
        w->line++;
        at++;
    }
    w->at = to;
}
