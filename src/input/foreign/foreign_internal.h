/* Configurations that other programs write (config.json of Hugging Face and diffusers), read as models.
 *
 * An architecture is a data file, foreign/MODEL_TYPE.json, in a data folder. It says which key sets which field, the
 * values of absent keys, and the fields that the architecture implies. No architecture has its own code.
 *
 *     config.json --model_type--> foreign/llama.json --like--> biased-decoder.json --like--> gated-decoder.json
 *                                 (foreign_files.c)
 *     keys (foreign_keys.c), kinds of layers (foreign_layers.c)  --> nnc_model        steps in order: foreign.c
 *
 * Invariant: each key of a configuration is read, or has a value that its data file allows, or is known to be harmless.
 * Any other key is refused unless its value is empty (null, false, 0, ""), so that a new architecture is never read as
 * an old one. */
#ifndef NNCOST_INPUT_FOREIGN_FOREIGN_INTERNAL_H
#define NNCOST_INPUT_FOREIGN_FOREIGN_INTERNAL_H

#include "input/input_internal.h"

/* ---- data files of architectures (foreign_files.c) ---- */

/* One entry of "keys": a key of a configuration and the field that it sets. Entries are read in order, after the
 * entries of the file that the key "like" names. Two entries that set the same field must agree. docs/models.md
 * describes each member.
 *
 * A value ("default", "null", the values in "values") is a number, a switch, a word of nncost, a field ("hidden"), a
 * multiple of a field ("4*hidden"), or an object of fields and their values; {} sets nothing. */
typedef struct nnc_foreign_key {
    char key[64];           /* "n_embd|hidden_size": two names of one key; "attn_config.alibi": a key inside an object;
                             * "^dim": a key at the top level, for a network inside the file */
    char to[32];            /* name of the field that the key sets; "" = the fields are in `to_each` or `values` */
    char times[32];         /* name of a field by whose value the number is multiplied; with `fraction`, the number may
                             * be below 1 */
    char uneven_to[32];     /* name of a list field (one value per level), used if the values differ */
    char none_if_equal[32]; /* if the number is equal to the value of this field, the key sets its field to 0 */
    int32_t plus, divide;   /* number of the field = number of the key / `divide` + `plus`; divide = 0 means 1 */
    bool optional;          /* true: an absent key sets nothing */
    bool fraction, counts_members, wins, is_set, may_be_zero, largest;
    bool same_each_level, last_of_list, may_be_shorter, backward;
    nnc_json to_each; /* a list of fields; each gets one item of the value */
    nnc_json absent;  /* member "default": value of an absent key; a key without "default" is required */
    nnc_json null;    /* member "null": value of a key that is null; without "null", such a key counts as absent */
    nnc_json values;  /* maps words of the configuration to values of nncost */
    nnc_json when;    /* condition: the key is read only if another key has this value */
    nnc_json two_thirds_multiple_of, less_listed;
} nnc_foreign_key;

/* One entry of "patterns": decides the kind of each layer. If it has several ways (list, letters, rule ...), the first
 * one that the configuration contains is used. A rule selects layers between `from` and `end`, if layer + shift -
 * offset is a multiple of `every` (layers count from 0). from, end, every and offset are numbers, or keys with
 * defaults. */
typedef struct nnc_foreign_pattern {
    char to[32];          /* field that receives the kinds: "mixers" or "mlps" */
    char needs[64];       /* name of a key; if the configuration lacks the key or it is null, all layers have the same
                           * kind */
    char list[64];        /* key of a list with a word for each layer, or with a few words that repeat */
    char letters[64];     /* key of a string with a letter for each layer */
    char matrix[64];      /* key of a list like [[["global", "local"], 12]] */
    char only[64];        /* key of a list with the indices of the layers that have the kind `in` */
    char in[24], out[24]; /* the rule: in: kind of the layers that the rule selects; out: kind of the other layers;
                           * "" = no rule */
    char except[64];      /* key of a list with the indices of layers that the rule selects but that have the kind
                           * `out` */
    char last[24];        /* kind of the last layer; it takes precedence over the other members */
    int32_t shift;
    nnc_json values; /* translates words of list, letters and matrix: {"full_attention": "full"} */
    nnc_json when;   /* condition: the entry is read only if another key has this value */
    nnc_json from, end, every, offset;
} nnc_foreign_pattern;

/* One data file of an architecture. Members of type nnc_json keep a JSON value of the file as it is. */
typedef struct nnc_architecture {
    char id[64];       /* value of "model_type" or "_class_name"; also the stem of the file */
    char like[64];     /* id of the file whose keys this file inherits, except keys that this file has itself */
    char refuses[192]; /* reason why nncost refuses the architecture, with the architecture to use instead; "" = not
                        * refused */
    char says[192];    /* text of a note on every configuration of this architecture */
    char graph[64];    /* name of the file with the network as a list of ops: foreign/graphs/NAME.json */
    char source[256];
    nnc_family family;    /* family of the models; NNC_FAMILY_COUNT = the family of the file that `like` names */
    bool base;            /* true: not an architecture, but a file from which others inherit */
    bool part, alone;     /* part: the file describes a part of a network; alone: this part can also be a whole
                           * network */
    bool flat;            /* true: keys of the text decoder may be at the top level of the configuration */
    nnc_json classes;     /* ends of class names, with the fields that they imply; the value false = such a class builds
                           * another network */
    nnc_json implies;     /* values of fields that no key of the configuration sets */
    nnc_json only;        /* allowed values of keys; another value is refused */
    nnc_json harmless;    /* keys of the configuration that are not read, because they do not change the network */
    nnc_json needs;       /* keys that a configuration of this architecture must have */
    nnc_json stands_for;  /* {"key": K, "is": {VALUE: ARCHITECTURE}}: the architecture to use instead */
    nnc_json text, parts; /* networks inside one file: {KEY: {"like": ARCHITECTURE, "sets": {}}} */
    nnc_json levels;      /* levels of a U-Net: blocks with attention, keys with head counts */
    nnc_json values;      /* named objects that map words to values; keys of any file may use them (any.json) */
    const nnc_foreign_key *keys;
    const nnc_foreign_pattern *patterns;
    int32_t key_count, pattern_count;
    const struct nnc_architecture *below; /* the architecture that `like` names; NULL = no `like` */
} nnc_architecture;

/* The data files that were read for one configuration. */
typedef struct nnc_foreign_set {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_faults *faults;          /* faults of the configuration; the first fault of a data file is also noted here */
    const nnc_architecture *any; /* any.json: keys that every configuration may have; NULL = no data folder has it */
    struct nnc_foreign_document *documents; /* data files that were read; the newest is first */
    bool quiet;                             /* true: files with faults are left out */
} nnc_foreign_set;

void nnc_foreign_open(nnc_foreign_set *set, nnc_specs *specs, nnc_arena *arena, nnc_faults *faults);
void nnc_foreign_close(nnc_foreign_set *set);
/* Adds the digests of the data files that were read to the digest of a configuration. */
void nnc_foreign_digest(const nnc_foreign_set *set, const nnc_json_doc *doc);
/* Returns the architecture with this name; NULL = no file has it, or a fault was noted. */
const nnc_architecture *nnc_foreign_find(nnc_foreign_set *set, const char *name);
/* Reads an architecture from an open document, to validate the file. Returns NULL when a fault was noted. stem:
 * required name of the file; NULL = any name. */
const nnc_architecture *nnc_foreign_read_open(nnc_foreign_set *set, nnc_json_doc *doc, const char *stem);
/* Returns all architectures of all folders, in the arena; *count is 0 if no folder has one. Leaves out files with
 * faults. */
const nnc_architecture *const *nnc_foreign_all(nnc_foreign_set *set, int32_t *count);
static inline bool nnc_foreign_is_network(const nnc_architecture *row) {
    return !row->base && (!row->part || row->alone);
}

/* Returns the id that is nearest to a name; NULL = no id is near. networks: true = only files that describe a network
 * are compared. *count: number of all files. */
const char *nnc_foreign_nearest(nnc_foreign_set *set, const char *name, bool networks, int32_t *count);
/* Notes a fault of a data file in the faults of the configuration. */
void nnc_foreign_pass_on(nnc_faults *faults, nnc_json in_file);

/* Steps through the chain of an architecture, from the last of its `like` files to the architecture itself. Each call
 * gets the result of the previous call, at first NULL; after the last it returns NULL. */
const nnc_architecture *nnc_foreign_next(const nnc_architecture *chain, const nnc_architecture *previous);
nnc_family nnc_foreign_family(const nnc_architecture *row);
/* Tests whether a string is in a list of strings. '*' at the start or the end of an item matches any characters. */
bool nnc_foreign_listed(nnc_json list, const char *text);
/* Tests whether a rule of an architecture file uses a key: reads it, lists it, or marks it as harmless. Does not search
 * the files that "like" names. */
bool nnc_foreign_mentions(const nnc_architecture *row, const char *key);
/* Tests whether a rule of an architecture file, or of a file in its chain of "like" keys, uses a key. */
bool nnc_foreign_speaks_of(const nnc_architecture *row, const char *key);
/* Tests whether a file in the chain from `row` (excluded) to `asked` uses a key with one of the names. */
bool nnc_foreign_overridden(const nnc_architecture *asked, const nnc_architecture *row, const char *names);
/* Tests whether any architecture uses a key to set a dimension of a network. */
bool nnc_foreign_shapes(nnc_foreign_set *set, const char *key);
/* Tests whether an architecture file has rules for keys inside the object `key`. */
bool nnc_foreign_speaks_inside(const nnc_architecture *row, const char *key);

/* ---- state while a configuration is read ---- */

typedef struct nnc_foreign_file {
    nnc_json at; /* the JSON object with the keys of this network */
    nnc_foreign_set *set;
    const nnc_architecture *row;
    const nnc_architecture *around; /* architecture of another network whose keys are in the same object; NULL = no
                                     * other network */
    nnc_json implied;               /* values of fields that the architecture of the whole file sets in this tower */
    nnc_model *model;
    char taken[512];   /* names of absent keys and the defaults that were used for them */
    char skipped[256]; /* unknown keys that --lenient skipped */
    char noted[256];   /* remarks on the whole file */
} nnc_foreign_file;

/* ---- keys and values (foreign_keys.c) ---- */

/* Both functions test whether a value of a configuration is neither absent nor null. */
bool nnc_foreign_is_given(nnc_json at);
bool nnc_foreign_given(nnc_json at, const char *key);
/* Tests whether a value of a configuration is null, false, 0, "", [] or {}. */
bool nnc_foreign_is_empty(nnc_json at);
/* Returns the value of a key under one of its names, "n_embd|hidden_size"; node NULL = the configuration lacks the key.
 * Notes a fault when two names have different values. */
nnc_json nnc_foreign_get(nnc_json at, const char *names);
/* Returns the value as text: "true", "8", "silu", "null"; NULL = it is a list or an object. */
const char *nnc_foreign_text(nnc_json at, char *text, size_t size);
/* Tests whether the configuration meets the condition "when"; without a condition, returns true. For "architectures",
 * compares the end of its first item. */
bool nnc_foreign_speaks(nnc_json at, nnc_json when);
/* Sets the field `to` to a value of a data file. If the value is not suitable, notes a fault: at `at` if the value is a
 * multiple of a field, otherwise in the data file. */
void nnc_foreign_set_value(nnc_json at, nnc_model *model, const char *to, nnc_json value);
void nnc_foreign_set_number(nnc_json at, nnc_model *model, const char *to, int64_t number);
/* Reads all keys of an architecture and of the files in its chain of "like" keys. */
void nnc_foreign_read_keys(nnc_foreign_file *file);
/* Reads a key of the configuration, or its default, into its field. again: an earlier key that has set the same field,
 * with which the value must agree; NULL = no such key. */
void nnc_foreign_read_key(nnc_foreign_file *file, const nnc_foreign_key *key, const nnc_foreign_key *again);
/* Appends an item to `list`, with a comma before it unless the list is empty. */
void nnc_foreign_note(char *list, size_t size, const char *format, ...) NNC_PRINTF(3, 4);
/* Writes `begin`, then the keys of an object or the items of a list, separated by `between`: "one of silu, gelu". */
void nnc_foreign_expected(char *text, size_t size, const char *begin, const char *between, nnc_json names);

/* ---- layers (foreign_layers.c) ---- */

void nnc_foreign_pattern_read(nnc_foreign_file *file, const nnc_foreign_pattern *pattern);
void nnc_foreign_levels_read(nnc_foreign_file *file, nnc_json levels);

/* ---- steps of reading a configuration (foreign.c) ---- */

/* Checks that the fields named in all files of the chain exist in the model. Returns false when a fault was noted. */
bool nnc_foreign_begin(nnc_foreign_file *file);

#endif
