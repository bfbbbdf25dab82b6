#include "input/walk.h"

#include <string.h>

void nnc_walk_blanks(nnc_walk *w)
{
    for (; strchr(" \t\r\n", w->text[w->at]) != NULL && w->text[w->at] != '\0'; w->at++) {
        w->line += w->text[w->at] == '\n';
    }
}

void nnc_walk_quoted(nnc_walk *w)
{
    for (w->at++; w->text[w->at] != '"'; w->at++) {
        w->at += w->text[w->at] == '\\';
    }
    w->at++;
}

void nnc_walk_value(nnc_walk *w)
{
    int depth = 0;
    do {
        nnc_walk_blanks(w);
        const char c = w->text[w->at];
        if (c == '"') {
            nnc_walk_quoted(w);
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
