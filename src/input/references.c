/* "references": texts that a file cites by short keys, as in "@nv-h100-ds, table 3". */
#include "input/references.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "input/read.h"

enum { KEYS_MAX = 256 };

/* Not strspn, which makes a table of its letters each time. */
static size_t key_length(const char *text)
{
    const char *c = text;
    while ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
           *c == '_' || *c == '-') {
        c++;
    }
    return (size_t)(c - text);
}

/* Length of the key that is cited here; 0 = none is. An '@' inside a word is a letter like others. */
static size_t cited(const char *text, const char *at)
{
    const bool begins = at == text || strchr(" (\"'[", at[-1]) != NULL;
    return *at == '@' && begins ? key_length(at + 1) : 0;
}

/* The text of a key in this file, or in those that it is like; NULL = none. */
static const char *find(const nnc_json_doc *doc, const char *key, size_t length)
{
    for (; doc != NULL; doc = doc->like) {
        nnc_json at = nnc_json_first(nnc_json_get(nnc_json_root(doc), "references"));
        for (; at.node != NULL; at = nnc_json_next(at)) {
            if (strlen(nnc_json_key(at)) == length && memcmp(nnc_json_key(at), key, length) == 0) {
                return nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
            }
        }
    }
    return NULL;
}

static void refuse(nnc_json at, const char *key, size_t length)
{
    char found[64];
    const char *names[KEYS_MAX];
    size_t count = 0;
    snprintf(found, sizeof found, "%.*s", (int)(length < 60 ? length : 60), key);
    for (const nnc_json_doc *doc = at.doc; doc != NULL; doc = doc->like) {
        nnc_json one = nnc_json_first(nnc_json_get(nnc_json_root(doc), "references"));
        for (; one.node != NULL && count < KEYS_MAX; one = nnc_json_next(one)) {
            names[count++] = nnc_json_key(one);
        }
    }
    const char *near = nnc_nearest(found, names, count);
    nnc_json_fault(at, NULL,
                   "unknown reference, expected a key of \"references\"%s%s%s, found \"@%s\"",
                   near != NULL ? ", perhaps \"@" : "", near != NULL ? near : "",
                   near != NULL ? "\"" : "", found);
}

static void expand_text(nnc_json at)
{
    const char *text = nnc_json_text(at); /* what is not in out yet */
    nnc_buffer out = { 0 };
    for (const char *c = strchr(text, '@'); c != NULL; c = strchr(c + 1, '@')) {
        const size_t length = cited(nnc_json_text(at), c);
        const char *meant = length > 0 ? find(at.doc, c + 1, length) : NULL;
        if (length > 0 && meant == NULL) {
            refuse(at, c + 1, length);
        }
        if (meant != NULL) {
            nnc_buffer_put(&out, text, (size_t)(c - text));
            nnc_buffer_text(&out, meant);
            text = c + 1 + length;
        }
    }
    if (text == nnc_json_text(at)) {
        return;
    }
    nnc_buffer_text(&out, text);
    nnc_buffer_byte(&out, '\0');
    if (out.failed) {
        nnc_faults_no_memory(at.doc->faults);
    } else {
        nnc_json_set_text(at, out.bytes);
    }
    nnc_buffer_free(&out);
}

/* Calls itself as deep as the text is nested. cites: texts here name sources, whatever their key. */
static void expand(nnc_json at, bool cites)
{
    static const char *const keys[] = { "fitted_on", "source", NULL };
    if (nnc_json_type_of(at) == NNC_JSON_TEXT && (cites || nnc_is_one_of(nnc_json_key(at), keys))) {
        expand_text(at);
    }
    cites = cites || strcmp(nnc_json_key(at), "sources") == 0;
    for (nnc_json child = nnc_json_first(at); child.node != NULL; child = nnc_json_next(child)) {
        expand(child, cites);
    }
}

void nnc_references_expand(nnc_json root)
{
    const nnc_json at = nnc_json_get(root, "references");
    if (at.node != NULL && nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object of texts");
        return;
    }
    for (nnc_json one = nnc_json_first(at); one.node != NULL; one = nnc_json_next(one)) {
        const char *key = nnc_json_key(one);
        if (key[0] == '\0' || key_length(key) != strlen(key)) {
            nnc_json_fault(one, NULL,
                           "bad key, expected letters, digits, '-' and '_', found \"%s\"", key);
        } else if (nnc_json_type_of(one) != NNC_JSON_TEXT) {
            nnc_json_mismatch(one, "wrong type", "text");
        }
    }
    expand(root, false);
}
