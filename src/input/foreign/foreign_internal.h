/* Reads configurations that other programs write (config.json of Hugging Face and diffusers) as models.
 *
 * An architecture is a data file, foreign/MODEL_TYPE.json, in a data folder. The data file states which key sets which
 * field, the values of absent keys, and the fields that the architecture implies. No architecture has its own code.
 *
 *     config.json --model_type--> foreign/llama.json --like--> biased-decoder.json --like--> gated-decoder.json
 *                                 (foreign_files.c)
 *     keys (foreign_keys.c), kinds of layers (foreign_layers.c)  --> nnc_model        steps in order: foreign.c
 *
 * Invariant: each key of a configuration is read, or has a value that its data file allows, or is known to be harmless.
 * A key that is neither read, nor allowed, nor harmless is refused unless its value is empty (null, false, 0, ""). As a
 * result, nncost never reads a new architecture as an old one. */
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
    /* name of the key. "n_embd|hidden_size": the key has two names; "attn_config.alibi": the key is inside an object;
     * "^dim": the key is at the top level, although the network is in an object */
    char key[64];
    char to[32]; /* name of the field that the key sets; "" = `to_each` or `values` names the fields */
    /* name of a field, or a number: factor on the number of the key. If `fraction` is true, the number of the key may
     * be below 1 */
    char times[32];
    /* name of a list field (one value per level); if the values of the key differ, the key sets `uneven_to` instead of
     * `to` */
    char uneven_to[32];
    /* name of another field: if the value of the key equals the value of this field, the key sets `to` to 0 */
    char none_if_equal[32];
    int32_t plus, divide; /* value of the field = value of the key / `divide` + `plus`; divide 0 = no division */
    bool optional;        /* true: if the configuration lacks the key, the field is not set */
    bool fraction, counts_members, wins, is_set, may_be_zero, largest;
    bool same_each_level, last_of_list, may_be_shorter, backward;
    nnc_json to_each; /* list of fields; the value of the key is a list, and each field gets one item of the list */
    /* member "default" of the entry: the value that is used if the configuration lacks the key; an entry without
     * "default" requires the key */
    nnc_json absent;
    /* member "null" of the entry: the value that is used if the key is null; without this member, a key that is null is
     * treated as a missing key */
    nnc_json null;
    nnc_json values; /* translates words of the configuration to values of nncost */
    nnc_json when;   /* condition: the entry is used only if another key of the configuration has the stated value */
    nnc_json two_thirds_multiple_of, less_listed;
} nnc_foreign_key;

/* One entry of "patterns": decides the kind of each layer. An entry can describe several ways to find the kinds (list,
 * letters, matrix, only, rule); nncost uses the first way for which the configuration has the key. The rule selects the
 * layers from `from` to `end` (both included) for which layer + shift - offset is a multiple of `every`; the first
 * layer is layer 0. from, end, every and offset are numbers, or keys with defaults. */
typedef struct nnc_foreign_pattern {
    char to[32]; /* field of the model that gets the kinds of layers: "mixers", "mlps", or the numbers of `member` */
    /* name of a key. If the configuration lacks the key `needs`, or if its value is null, the entry is not used and all
     * layers have one kind */
    char needs[64];
    /* key of a list with one word per layer, or with a few words that repeat until all layers have a word */
    char list[64];
    /* `member`, `divides` and `two_thirds_multiple_of` are used only if the list that `list` names has an object for
     * each layer. member: name of the member with the word of the layer; "a.b" = member b of member a. With
     * two_thirds_multiple_of or divides, the member is a number. With two_thirds_multiple_of, the number gives the
     * width of the layer's MLP. With `divides`, the field of the model that `divides` names is divided by the number,
     * and the number must be equal in all layers. */
    char member[64], divides[32];
    int32_t two_thirds_multiple_of;
    char letters[64]; /* key of a string with one letter per layer */
    /* key of a list of pairs such as [[["global", "local"], 12]]: a list of kinds, and the number of its repetitions */
    char matrix[64];
    char only[64]; /* key of a list with the indices of those layers whose kind is `in` */
    int32_t first; /* index of the first layer in the lists `only` and `except` */
    /* the rule: in = kind of the layers that the rule selects; out = kind of all other layers; in "" = the entry has no
     * rule */
    char in[24], out[24];
    /* key of a list of layer indices; layers in this list get the kind `out` even if the rule selects them */
    char except[64];
    /* kind of the last layer of the network, which takes precedence over the kind that all members before this one give
     * for the layer */
    char last[24];
    int32_t shift;
    bool agrees; /* true: an earlier entry sets the same field; the two entries must give the same kinds of layers */
    /* translates the words and letters of the configuration to kinds of layers: {"full_attention": "full"} */
    nnc_json values;
    nnc_json when; /* condition: the entry is used only if another key of the configuration has the stated value */
    nnc_json from, end, every, offset;
} nnc_foreign_pattern;

/* The contents of one data file of an architecture. Members of type nnc_json are JSON values of the file that are not
 * converted. */
typedef struct nnc_architecture {
    /* value of "model_type" or "_class_name" in configurations of this architecture; the data file has this name,
     * without the ending */
    char id[64];
    char like[64]; /* id of the data file from which this file inherits the keys that it does not have */
    /* reason why nncost refuses the architecture, and the architecture to use instead; "" = nncost reads the
     * architecture */
    char refuses[192];
    char says[192]; /* note that is printed for every configuration of this architecture */
    /* name of a file foreign/graphs/NAME.json, which lists the ops of the network; "" = the architecture has no list of
     * ops */
    char graph[64];
    char source[256];
    /* family of the models; NNC_FAMILY_COUNT = the family that the file named by `like` has */
    nnc_family family;
    bool base; /* true: the file describes no architecture; it has keys that the files of architectures inherit */
    /* part: true = the file describes a part of a network, such as a tower; alone: true = the part can also be a whole
     * network */
    bool part, alone;
    /* true: keys of the text decoder may be outside of its object, at the top level of the configuration */
    bool flat;
    /* ends of PyTorch class names. For each ending of a class name, the value is an object with the fields that a class
     * with this ending implies; the value false = a class with this ending builds another network. */
    nnc_json classes;
    /* values of fields that every network of this architecture has and that no key states */
    nnc_json implies;
    nnc_json only;     /* for some keys the values that are allowed; a configuration with another value is refused */
    nnc_json harmless; /* keys of the configuration that nncost does not read, because they do not change the network */
    nnc_json needs;    /* keys without which a configuration of this architecture is refused */
    /* {"key": K, "is": {VALUE: ARCHITECTURE}}: if the key K has the value VALUE, nncost uses ARCHITECTURE instead of
     * this architecture */
    nnc_json stands_for;
    /* text: the text decoder in a configuration with several networks; parts: towers in such a configuration. The
     * members text and parts have the form {KEY: {"like": ARCHITECTURE, "sets": {}}} */
    nnc_json text, parts;
    /* rules to read the levels of a U-Net: names of blocks with attention, and keys with the numbers of heads */
    nnc_json levels;
    /* named objects that translate words to values; only the file any.json has named objects, and the entries of every
     * data file may use the name of such an object */
    nnc_json values;
    const nnc_foreign_key *keys;
    const nnc_foreign_pattern *patterns;
    int32_t key_count, pattern_count;
    /* the architecture from which this architecture inherits (named by `like`); NULL = it inherits from no
     * architecture */
    const struct nnc_architecture *below;
} nnc_architecture;

/* The data files of architectures that were read for one configuration. */
typedef struct nnc_foreign_set {
    nnc_specs *specs;
    nnc_arena *arena;
    /* list of faults of the configuration; if the list is empty, the first fault of a data file is added to the list */
    nnc_faults *faults;
    /* the file any.json, whose keys every configuration may have; NULL = no data folder has this file */
    const nnc_architecture *any;
    /* list of the data files that were read; the file that was read last comes first */
    struct nnc_foreign_document *documents;
    bool quiet; /* true: a data file with a fault is skipped without a message */
} nnc_foreign_set;

void nnc_foreign_open(nnc_foreign_set *set, nnc_specs *specs, nnc_arena *arena, nnc_faults *faults);
void nnc_foreign_close(nnc_foreign_set *set);
/* Adds the digests of all data files that were read to the digest of the configuration. */
void nnc_foreign_digest(const nnc_foreign_set *set, const nnc_json_doc *doc);
/* Returns the architecture with the id `name`. NULL = no folder has a file with this id, or the file has a fault, which
 * was noted. */
const nnc_architecture *nnc_foreign_find(nnc_foreign_set *set, const char *name);
/* Reads an architecture from an open document, to validate the file. If the input is not valid, notes a fault and
 * returns NULL. stem: the id that the file must state (its file name without the ending); NULL = the file may state any
 * id. */
const nnc_architecture *nnc_foreign_read_open(nnc_foreign_set *set, nnc_json_doc *doc, const char *stem);
/* Returns a list, allocated in the arena, of the architectures in all data folders, without files that have faults.
 * *count: number of architectures; 0 = no folder has an architecture. */
const nnc_architecture *const *nnc_foreign_all(nnc_foreign_set *set, int32_t *count);
static inline bool nnc_foreign_is_network(const nnc_architecture *row) {
    return !row->base && (!row->part || row->alone);
}

/* Returns the id of the architecture that is most similar to a name; NULL = no id is similar. networks: true = only
 * files that describe a network are compared. *count receives the number of architecture files in all data folders. */
const char *nnc_foreign_nearest(nnc_foreign_set *set, const char *name, bool networks, int32_t *count);
/* Copies the fault of a data file to the list of faults of the configuration. */
void nnc_foreign_pass_on(nnc_faults *faults, nnc_json in_file);

/* Returns the architectures in the chain of `like` keys of `chain`, one per call: first the architecture that does not
 * inherit, last `chain` itself. previous: the result of the previous call, or NULL in the first call. Returns NULL
 * after the last architecture. */
const nnc_architecture *nnc_foreign_next(const nnc_architecture *chain, const nnc_architecture *previous);
nnc_family nnc_foreign_family(const nnc_architecture *row);
/* Tests whether a list of strings contains `text`. A '*' at the start or the end of a string in the list stands for any
 * characters. */
bool nnc_foreign_listed(nnc_json list, const char *text);
/* Tests whether an architecture file uses a key: the file reads the key into a field, lists its allowed values, or
 * lists it as harmless. The files in the chain of its key "like" are not tested. */
bool nnc_foreign_mentions(const nnc_architecture *row, const char *key);
/* Tests whether an architecture file, or a file in the chain of its key "like", uses a key. */
bool nnc_foreign_speaks_of(const nnc_architecture *row, const char *key);
/* Tests whether a file in the chain of `like` keys from `asked` to `row` uses a key that has one of the given names.
 * The file `asked` is tested, and the file `row` is not. */
bool nnc_foreign_overridden(const nnc_architecture *asked, const nnc_architecture *row, const char *names);
/* Tests whether any architecture uses a key to set a dimension of a network. */
bool nnc_foreign_shapes(nnc_foreign_set *set, const char *key);
/* Tests whether an architecture file has rules for keys that are members of the object with the key `key`. */
bool nnc_foreign_speaks_inside(const nnc_architecture *row, const char *key);

/* ---- state while a configuration is read ---- */

typedef struct nnc_foreign_file {
    nnc_json at; /* the JSON object of the configuration with the keys of this network */
    nnc_foreign_set *set;
    const nnc_architecture *row;
    /* architecture of a second network whose keys are in the same object as the keys of this network; NULL = there is
     * no second network */
    const nnc_architecture *around;
    nnc_json implied; /* values of fields of a tower that the architecture of the whole file sets */
    nnc_model *model;
    /* text that lists the keys that the configuration lacks, with the default values that were used */
    char taken[512];
    char skipped[256]; /* text that lists the unknown keys that were ignored because of --lenient */
    char noted[256];   /* text with remarks on the whole configuration file */
} nnc_foreign_file;

/* ---- keys and values (foreign_keys.c) ---- */

/* nnc_foreign_is_given tests whether a value of a configuration is present and not null. nnc_foreign_given tests this
 * for the value of the key `key` of the object `at`. */
bool nnc_foreign_is_given(nnc_json at);
bool nnc_foreign_given(nnc_json at, const char *key);
/* Tests whether a value of a configuration is null, false, 0, "", [] or {}. */
bool nnc_foreign_is_empty(nnc_json at);
/* Returns the value of a key that has several names, such as "n_embd|hidden_size"; an absent value = the configuration
 * has none of the names. If the configuration has two of the names with different values, notes a fault. */
nnc_json nnc_foreign_get(nnc_json at, const char *names);
/* Returns a value of a configuration as text, such as "true", "8", "silu" or "null". NULL = the value is a list or an
 * object. */
const char *nnc_foreign_text(nnc_json at, char *text, size_t size);
/* Tests whether the configuration meets the condition `when` of a data file; without a condition, returns true. If the
 * condition is about the key "architectures", compares the end of the first class name in its list. */
bool nnc_foreign_speaks(nnc_json at, nnc_json when);
/* Sets the field `to` of the model to a value from a data file. If the field cannot have the value, notes a fault. If
 * the value is a multiple of another field, the fault is noted in the configuration, at `at`; for any other value, the
 * fault is noted in the data file. */
void nnc_foreign_set_value(nnc_json at, nnc_model *model, const char *to, nnc_json value);
void nnc_foreign_set_number(nnc_json at, nnc_model *model, const char *to, int64_t number);
/* Reads all keys for which an architecture, or a file in its chain of `like` keys, has an entry. */
void nnc_foreign_read_keys(nnc_foreign_file *file);
/* Reads a key of the configuration and sets its field; if the key is absent, uses the default of the entry. again: an
 * earlier entry that has set the same field; the values of the two entries must be equal. NULL = no earlier entry has
 * set the field. */
void nnc_foreign_read_key(nnc_foreign_file *file, const nnc_foreign_key *key, const nnc_foreign_key *again);
/* Appends an item to the text `list`. If the text is not empty, writes a comma before the item. */
void nnc_foreign_note(char *list, size_t size, const char *format, ...) NNC_PRINTF(3, 4);
/* Writes the text `begin`, followed by the keys of the object `names` (or the items of the list `names`) with `between`
 * as separator: "one of silu, gelu". */
void nnc_foreign_expected(char *text, size_t size, const char *begin, const char *between, nnc_json names);

/* ---- layers (foreign_layers.c) ---- */

void nnc_foreign_pattern_read(nnc_foreign_file *file, const nnc_foreign_pattern *pattern);
void nnc_foreign_levels_read(nnc_foreign_file *file, nnc_json levels);

/* ---- steps of reading a configuration (foreign.c) ---- */

/* Checks that the model has all fields that the architecture file, and the files in its chain of `like` keys, name. If
 * the input is not valid, notes a fault and returns false. */
bool nnc_foreign_begin(nnc_foreign_file *file);

#endif
