/* Configurations that other programs write (config.json of Hugging Face and diffusers), read as models.
 *
 * An architecture is a data file, foreign/MODEL_TYPE.json, in a data folder: which key is which field, what stands
 * for an absent key, what the architecture implies. No architecture has code of its own.
 *
 *     config.json --model_type--> foreign/llama.json --like--> biased-decoder.json --like--> gated-decoder.json
 *                                 (foreign_files.c)
 *     keys (foreign_keys.c), kinds of layers (foreign_layers.c)  --> nnc_model        steps in order: foreign.c
 *
 * Invariant: each key of a configuration is read, or allowed at the values that its file lists, or known to be
 * harmless. Any other key is refused unless it says nothing (null, false, 0, empty), so that a new architecture is
 * never read as an old one. */
#ifndef NNCOST_INPUT_FOREIGN_FOREIGN_INTERNAL_H
#define NNCOST_INPUT_FOREIGN_FOREIGN_INTERNAL_H

#include "input/input_internal.h"

/* ---- data files of architectures (foreign_files.c) ---- */

/* One entry of "keys": a key of a configuration and the field that it sets. Entries are read in order, those of the
 * file it is like first; two entries that set the same field have to agree. docs/models.md says what each member does.
 *
 * A value ("default", "null", those of "values") is a number, a switch, a word of ours, a field ("hidden"), a multiple
 * of one ("4*hidden"), or an object of fields and their values; {} sets nothing. */
typedef struct nnc_foreign_key {
    char key[64];           /* "n_embd|hidden_size": two names; "attn_config.alibi": inside an object; "^dim":
               * a key of the whole file, where the network is a part of it */
    char to[32];            /* the field; "" = `to_each`, or the fields that `values` name */
    char times[32];         /* the number is a multiple of this field, with `fraction` a share */
    char uneven_to[32];     /* field that is a list with a value for each level, used where the
                             * values differ */
    char none_if_equal[32]; /* a number equal to this field sets nothing */
    int32_t plus, divide;   /* ours is larger by `plus`; ours is the number over `divide`, 0 = the number */
    bool optional;          /* an absent key sets nothing */
    bool fraction, counts_members, wins, is_set, may_be_zero, largest;
    bool same_each_level, last_of_list, may_be_shorter, backward;
    nnc_json to_each; /* a list of fields: an item of the value for each */
    nnc_json absent;  /* "default": value when the key is absent; without it the key is required */
    nnc_json null;    /* value when the key is null; without it null counts as absent */
    nnc_json values;  /* words of the configuration, with our values */
    nnc_json when;    /* read the key only if another key has this value */
    nnc_json two_thirds_multiple_of, less_listed;
} nnc_foreign_key;

/* One entry of "patterns": which kind each layer is. The first of these ways counts that the configuration has. The
 * layers of the rule are those from `from` to `end` whose number, from 0 and more by `shift`, is `offset` above a
 * multiple of `every`; each of the four a number, or a key and its default. */
typedef struct nnc_foreign_pattern {
    char to[32];          /* the field: "mixers", "mlps" */
    char needs[64];       /* key; if it is absent or null, all layers are alike */
    char list[64];        /* key: a word for each layer, or letters that repeat */
    char letters[64];     /* key of a text with a letter per layer */
    char matrix[64];      /* key: [[["global", "local"], 12]] */
    char only[64];        /* key: the numbers of the layers that are `in` */
    char in[24], out[24]; /* kind of the layers that the rule names, and of the other layers; ""
                           * = no such rule */
    char except[64];      /* key: numbers of the layers that are `out` despite the rule */
    char last[24];        /* kind of the last layer, which overrides the rules */
    int32_t shift;
    nnc_json values; /* words of list, letters and matrix: {"full_attention": "full"} */
    nnc_json when;   /* condition of the rule, as for a key */
    nnc_json from, end, every, offset;
} nnc_foreign_pattern;

/* One file. Members that are objects or lists are read in place. */
typedef struct nnc_architecture {
    char id[64];       /* value of "model_type" or "_class_name"; the stem of the file */
    char like[64];     /* the file that it inherits from, except for keys that it names itself */
    char refuses[192]; /* why nncost refuses it, and what is expected; "" = not refused */
    char says[192];    /* a note on every configuration */
    char graph[64];    /* foreign/graphs/NAME.json: the network as a list of ops */
    char source[256];
    nnc_family family;    /* NNC_FAMILY_COUNT = the family of the file that it is like */
    bool base;            /* not an architecture: only others inherit from it */
    bool part, alone;     /* part: no network by itself; alone: a part that may also stand alone */
    bool flat;            /* keys of `text` may stand in the file itself */
    nnc_json classes;     /* ends of class names and the fields they imply; false = builds another network */
    nnc_json implies;     /* fields that no key sets */
    nnc_json only;        /* keys and the values that are understood */
    nnc_json harmless;    /* keys that do not shape the network */
    nnc_json needs;       /* required keys */
    nnc_json stands_for;  /* {"key": K, "is": {VALUE: ARCHITECTURE}} */
    nnc_json text, parts; /* several networks in one file: {KEY: {"like": ARCHITECTURE, "sets": {}}} */
    nnc_json levels;      /* levels of a U-Net: blocks with attention, keys of head counts */
    nnc_json values;      /* objects of words and values that keys of any file may name (any.json) */
    const nnc_foreign_key *keys;
    const nnc_foreign_pattern *patterns;
    int32_t key_count, pattern_count;
    const struct nnc_architecture *below; /* architecture that `like` names; NULL = none */
} nnc_architecture;

/* The files that were read for one configuration. */
typedef struct nnc_foreign_set {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_faults *faults;          /* faults of the configuration: the first fault of a data file is noted here,
                  * too */
    const nnc_architecture *any; /* keys that any configuration may have; NULL = no data folder has the file */
    struct nnc_foreign_document *documents; /* newest first */
    bool quiet;                             /* leave out files with faults */
} nnc_foreign_set;

void nnc_foreign_open(nnc_foreign_set *set, nnc_specs *specs, nnc_arena *arena, nnc_faults *faults);
void nnc_foreign_close(nnc_foreign_set *set);
/* Adds the digests of the files that were read to those of a configuration. */
void nnc_foreign_digest(const nnc_foreign_set *set, const nnc_json_doc *doc);
/* The architecture with this name; NULL = no file has it, or a fault was noted. */
const nnc_architecture *nnc_foreign_find(nnc_foreign_set *set, const char *name);
/* One from an open document, a file that is validated; NULL with a fault. stem: the name of the file; NULL = any. */
const nnc_architecture *nnc_foreign_read_open(nnc_foreign_set *set, nnc_json_doc *doc, const char *stem);
/* All architectures of all folders, in the arena; *count 0 where no folder has any. A file with a fault is left out. */
const nnc_architecture *const *nnc_foreign_all(nnc_foreign_set *set, int32_t *count);
static inline bool nnc_foreign_is_network(const nnc_architecture *row)
{
    return !row->base && (!row->part || row->alone);
}

/* The id that is nearest to a name, among networks alone or all files; NULL = no id is near. *count: of all files. */
const char *nnc_foreign_nearest(nnc_foreign_set *set, const char *name, bool networks, int32_t *count);
/* Notes in the configuration's list a fault that was found in a data file. */
void nnc_foreign_pass_on(nnc_faults *faults, nnc_json in_file);

/* Walks the chain of an architecture from the root of its `like` files to itself: each call takes the previous one,
 * NULL begins. */
const nnc_architecture *nnc_foreign_next(const nnc_architecture *chain, const nnc_architecture *previous);
nnc_family nnc_foreign_family(const nnc_architecture *row);
/* Is a text in a list of texts? '*' at the start or the end of an item stands for any characters. */
bool nnc_foreign_listed(nnc_json list, const char *text);
/* Does the file itself read the key, list it, or know it as harmless? */
bool nnc_foreign_mentions(const nnc_architecture *row, const char *key);
/* The same of the file or one that it is like. */
bool nnc_foreign_speaks_of(const nnc_architecture *row, const char *key);
/* Does a file between this one and the one that was asked for mention one of the names? */
bool nnc_foreign_overridden(const nnc_architecture *asked, const nnc_architecture *row, const char *names);
/* Does any architecture take this key for a part of its shape? */
bool nnc_foreign_shapes(nnc_foreign_set *set, const char *key);
/* Does the file speak of keys inside the object of this key? */
bool nnc_foreign_speaks_inside(const nnc_architecture *row, const char *key);

/* ---- a configuration while it is read ---- */

typedef struct nnc_foreign_file {
    nnc_json at; /* the object that holds the keys */
    nnc_foreign_set *set;
    const nnc_architecture *row;
    const nnc_architecture *around; /* architecture whose keys stand in the same object; NULL =
                                     * none */
    nnc_json implied;               /* fields of a part that the architecture around it sets */
    nnc_model *model;
    char taken[512];   /* list of defaults that were used for absent keys */
    char skipped[256]; /* unknown keys that were skipped */
    char noted[256];   /* remarks on the whole file */
} nnc_foreign_file;

/* ---- keys and values (foreign_keys.c) ---- */

/* Neither absent nor null. */
bool nnc_foreign_is_given(nnc_json at);
bool nnc_foreign_given(nnc_json at, const char *key);
/* Null, false, 0, "" or nothing inside. */
bool nnc_foreign_is_empty(nnc_json at);
/* The value of a key under one of its names; a fault where two names disagree. */
nnc_json nnc_foreign_get(nnc_json at, const char *names);
/* The value as text: "true", "8", "silu"; "null"; NULL = a list or an object. */
const char *nnc_foreign_text(nnc_json at, char *text, size_t size);
/* Does a name have this end? */
bool nnc_foreign_ends(const char *name, const char *end);
/* Does the configuration meet the condition "when"? For "architectures", the end of its first item counts. No
 * condition: true. */
bool nnc_foreign_speaks(nnc_json at, nnc_json when);
/* Sets a field to a value of a data file. Faults where it does not suit: in the data file, or at `at` where the value
 * is a multiple of a field. */
void nnc_foreign_set_value(nnc_json at, nnc_model *model, const char *to, nnc_json value);
void nnc_foreign_set_number(nnc_json at, nnc_model *model, const char *to, int64_t number);
/* Reads all keys of the architecture and of its chain of `like` files. */
void nnc_foreign_read_keys(nnc_foreign_file *file);
/* Reads a key, or its default, into its field. again: another key has set the field, and both must agree. */
void nnc_foreign_read_key(nnc_foreign_file *file, const nnc_foreign_key *key, const nnc_foreign_key *again);
/* Adds an item to a list in a text, with a comma where it is not the first. */
void nnc_foreign_note(char *list, size_t size, const char *format, ...) NNC_PRINTF(3, 4);
/* Adds the keys of an object, or the items of a list, to a text: "one of silu, gelu". */
void nnc_foreign_expected(char *text, size_t size, const char *begin, const char *between, nnc_json names);

/* ---- layers (foreign_layers.c) ---- */

void nnc_foreign_pattern_read(nnc_foreign_file *file, const nnc_foreign_pattern *pattern);
void nnc_foreign_levels_read(nnc_foreign_file *file, nnc_json levels);

/* ---- the configuration (foreign.c) ---- */

/* Do all files of the chain name fields that the model has? false: a fault was noted. */
bool nnc_foreign_begin(nnc_foreign_file *file);

#endif
