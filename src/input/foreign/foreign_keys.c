/* The keys of a row, out of their text. */
#include <stdlib.h>
#include <string.h>

#include "input/foreign/foreign.h"

typedef enum member_kind { TEXT, FLAG, NUMBER, RULE } member_kind;

/* Names stand in the table itself: a pointer to each would be for the loader to set. */
typedef struct member {
    char name[10];
    uint8_t kind, offset;
} member;

#define MEMBER(name, kind)                           \
    {                                                \
#name, kind, offsetof(nnc_foreign_key, name) \
    }
static const member members[] = {
    MEMBER(key, TEXT),      MEMBER(to, TEXT),     MEMBER(absent, TEXT),   MEMBER(null, TEXT),
    MEMBER(words, TEXT),    MEMBER(when, TEXT),   MEMBER(times, TEXT),    MEMBER(other, TEXT),
    MEMBER(rule, RULE),     MEMBER(plus, NUMBER), MEMBER(divide, NUMBER), MEMBER(share, FLAG),
    MEMBER(members, FLAG),  MEMBER(wins, FLAG),   MEMBER(flag, FLAG),     MEMBER(zero, FLAG),
    MEMBER(most, FLAG),     MEMBER(levels, FLAG), MEMBER(last, FLAG),     MEMBER(fewer, FLAG),
    MEMBER(backward, FLAG),
};

/* Those of nnc_foreign_rule, in its order. */
static const char rules[][24] = { "NNC_FOREIGN_NO_RULE", "NNC_FOREIGN_LIST", "NNC_FOREIGN_NONE",
                                  "NNC_FOREIGN_MULTIPLE", "NNC_FOREIGN_LESS" };

nnc_foreign_keys nnc_foreign_keys_of(const nnc_architecture *row)
{
    return (nnc_foreign_keys){ .rest = row->keys != NULL ? row->keys : "" };
}

static size_t word_length(const char *at)
{
    return strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
}

/* Texts side by side are one: "a" "b". NULL: more than there is room for. */
static const char *read_text(nnc_foreign_keys *keys)
{
    const char *begin = keys->room + keys->used;
    while (*keys->rest == '"') {
        const size_t length = strcspn(keys->rest + 1, "\"");
        if (keys->used + length >= sizeof keys->room) {
            return NULL;
        }
        memcpy(keys->room + keys->used, keys->rest + 1, length);
        keys->used += length;
        keys->rest += length + 1;
        keys->rest += *keys->rest == '"';
        keys->rest += strspn(keys->rest, " ");
    }
    keys->room[keys->used++] = '\0';
    return begin;
}

static nnc_foreign_rule read_rule(nnc_foreign_keys *keys)
{
    const size_t length = word_length(keys->rest);
    unsigned rule = 0;
    while (rule < NNC_FOREIGN_LESS && strncmp(rules[rule], keys->rest, length) != 0) {
        rule++;
    }
    keys->rest += length;
    return (nnc_foreign_rule)rule;
}

static const member *find_member(const char *name, size_t length)
{
    for (size_t i = 0; i < NNC_COUNT_OF(members); i++) {
        if (strlen(members[i].name) == length && memcmp(members[i].name, name, length) == 0) {
            return &members[i];
        }
    }
    return NULL;
}

/* ".name = value", of the first member the value alone. false: it is no such thing. */
static bool read_member(nnc_foreign_keys *keys)
{
    const member *one = members;
    if (*keys->rest == '.') {
        const size_t length = word_length(++keys->rest);
        one = find_member(keys->rest, length);
        keys->rest += length;
        keys->rest += strspn(keys->rest, " =");
    }
    if (one == NULL) {
        return false;
    }
    char *place = (char *)&keys->key + one->offset;
    const char *begin = keys->rest;
    if (one->kind == TEXT) {
        const char *text = read_text(keys);
        memcpy(place, &text, sizeof text);
        return text != NULL && keys->rest > begin;
    }
    if (one->kind == RULE) {
        const nnc_foreign_rule rule = read_rule(keys);
        memcpy(place, &rule, sizeof rule);
        return keys->rest > begin;
    }
    char *end;
    const bool word = strncmp(begin, "true", 4) == 0; /* of a macro in C17, which is a 1 here */
    const int16_t number = (int16_t)(strtol(begin + (word ? 4 : 0), &end, 10) + word);
    const bool flag = number != 0;
    keys->rest = end;
    if (one->kind == FLAG) {
        memcpy(place, &flag, sizeof flag);
    } else {
        memcpy(place, &number, sizeof number);
    }
    return end > begin;
}

bool nnc_foreign_next_key(nnc_foreign_keys *keys)
{
    keys->key = (nnc_foreign_key){ .key = NULL };
    keys->used = 0;
    keys->rest += strspn(keys->rest, " ,{");
    keys->begin = keys->rest;
    while (*keys->rest != '\0' && *keys->rest != '}' && read_member(keys)) {
        keys->rest += strspn(keys->rest, " ,");
    }
    const bool whole = keys->key.key != NULL && *keys->rest == '}';
    keys->rest += whole;
    return whole;
}
