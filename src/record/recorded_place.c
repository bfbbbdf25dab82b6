/* Plan files as text: where the recorded part stands, and putting another one in its place. */
#include <string.h>

#include "input/walk.h"
#include "record/plan_file.h"

/* Past the recorded part, most of a large file, of which the end of the estimates is known; 0 = it is not. */
static void pass_recorded(nnc_walk *w, size_t estimates_end)
{
    if (estimates_end <= w->at) {
        nnc_walk_value(w);
        return;
    }
    nnc_walk_on(w, estimates_end);
    while (nnc_walk_member(w, true)) {
        nnc_walk_value(w);
    }
}

void nnc_plans_find_places(nnc_plans *plans, size_t estimates_end, long *lines, int32_t count)
{
    nnc_walk w = nnc_walk_begin(plans->text);
    while (nnc_walk_member(&w, true)) {
        const size_t begin = w.at;
        const bool recorded = nnc_walk_key_is(&w, "recorded");
        if (nnc_walk_key_is(&w, "scenarios")) {
            for (int32_t i = 0; nnc_walk_member(&w, false); i++) {
                lines[i < count ? i : count] = w.line;
                nnc_walk_value(&w);
            }
        } else if (recorded) {
            pass_recorded(&w, estimates_end);
        } else {
            nnc_walk_value(&w);
        }
        if (recorded) {
            plans->places.begin = begin;
            plans->places.end = w.at;
        }
        plans->places.insert = w.at;
    }
}

/* Fills in the digest of a recorded part where it stands open; false when out of memory. */
static bool complete(nnc_arena *arena, char *recorded)
{
    static const char *const skip[] = { "digest", NULL };
    char digest[NNC_DIGEST_TEXT];
    nnc_faults faults = { .name = "recorded" };
    nnc_json_doc doc = { .faults = &faults,
                         .arena = arena,
                         .text = recorded,
                         .size = strlen(recorded),
                         .values_max = INT32_MAX,
                         .apart = { .name = "estimates" } };
    char *place = strstr(recorded, "\"" NNC_DIGEST_OPEN "\"");
    const bool parsed = place != NULL && nnc_json_parse(&doc);
    nnc_json item = nnc_json_first(nnc_json_get(nnc_json_root(&doc), "estimates"));
    for (int32_t i = 0; parsed && item.node != NULL; item = nnc_json_next(item), i++) {
        if (nnc_json_open(item, i)) {
            nnc_json_close(item, i, skip);
        }
    }
    if (parsed && faults.count == 0) {
        nnc_digest_print(nnc_json_digest(nnc_json_root(&doc), skip), digest);
        memcpy(place + 1, digest, sizeof(digest) - 1);
    }
    nnc_json_free(&doc);
    return parsed && faults.count == 0;
}

/* Copies bytes to a place; returns the place behind them. */
static char *put(char *at, const char *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

const char *nnc_plans_with_recorded(nnc_arena *arena, const nnc_plans *plans, char *recorded,
                                    size_t *size)
{
    static const char member[] = ",\n  \"recorded\": ";
    const nnc_plans_places *places = &plans->places;
    const bool there = places->end > 0;
    const size_t head = there ? places->begin : places->insert;
    const size_t tail = there ? places->end : places->insert;
    const size_t key = there ? 0 : sizeof(member) - 1, part = strlen(recorded);
    if (!complete(arena, recorded)) {
        return NULL;
    }
    *size = head + key + part + (plans->size - tail);
    char *text = nnc_arena_alloc(arena, *size + 1);
    if (text != NULL) {
        char *at = put(text, plans->text, head);
        at = put(at, member, key);
        at = put(at, recorded, part);
        at = put(at, plans->text + tail, plans->size - tail);
        *at = '\0';
    }
    return text;
}
