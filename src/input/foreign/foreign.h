/* Configurations of published models. Every key is read, allowed at the values that this version
 * understands, or known not to shape the network; any other key is refused unless it says nothing, so that
 * a new architecture is never read as an old one. An architecture is one row of a table, without a
 * function of its own. */
#ifndef NNCOST_INPUT_FOREIGN_FOREIGN_H
#define NNCOST_INPUT_FOREIGN_FOREIGN_H

#include "input/family_fields.h"

/* What few keys have beside: a field or a key, `other`, and what it is to the number. */
typedef enum nnc_foreign_rule {
    NNC_FOREIGN_NO_RULE,
    NNC_FOREIGN_LIST, /* the field of a list with a value for each level, where they differ */
    NNC_FOREIGN_NONE, /* a number equal to this field says nothing */
    /* two thirds of the number are meant, rounded up to a multiple of the number under a key: "key=256" */
    NNC_FOREIGN_MULTIPLE,
    /* as many fewer as a list of layers under another key has that are there: "key=3,8" and its default */
    NNC_FOREIGN_LESS
} nnc_foreign_rule;

/* A key and the field of the family that it sets. Keys are taken in the order of the row, those of the row it
 * is like first; two that set the same field have to agree.
 *
 * A value in a row is a number or a name of ours, a field read before ("hidden"), a multiple of one
 * ("4*hidden"), or other fields and their values ("heads=1,head_dim=64"); "" = nothing is set. */
typedef struct nnc_foreign_key {
    /* "n_embd|hidden_size": two names of one thing; "attn_config.alibi": inside an object;
     * "^dim": of the file around the part of a network */
    const char *key;
    const char *to; /* "layers"; "a,b,c": those of a list; NULL = what `words` say */
    const char
        *absent; /* the default of its class where there is no key; NULL = it has to be there */
    const char *null; /* where it is null; NULL = as if it were not there */
    const char
        *words; /* their values and ours: "gelu_new=gelu relu=relu"; NULL = they are the same */
    /* Only where another key has this value, else the key says nothing: "multi_query=true", or
     * "multi_query=true/true" with the default of that other key; '!' = another value than this. */
    const char *when;
    const char *times; /* the field that the number is a multiple, or a share, of */
    const char *other; /* what a rule is about */
    nnc_foreign_rule rule;
    int16_t plus;   /* ours is this much larger */
    int16_t divide; /* the number is this many times ours; 0 = the same */
    bool share;     /* of times: any number, such as 0.25; else a whole one */
    bool members;   /* ours is how many members it has */
    bool wins;      /* counts where another key has set the same field */
    bool flag;      /* ours is whether theirs says anything */
    bool zero;      /* may be 0 */
    bool most;      /* of keys that set the same field the largest counts */
    bool levels;    /* may be a list of equal numbers, one for each level */
    bool last;      /* the last number of a list */
    bool fewer;     /* a list for several fields, "a,b,c", may be shorter: the others are 0 */
    bool backward;  /* of several fields, the last of the list is the first's */
} nnc_foreign_key;

/* The keys of a row one after another, read out of its text:
 *     for (nnc_foreign_keys k = nnc_foreign_keys_of(row); nnc_foreign_next_key(&k);) */
enum { NNC_FOREIGN_KEY_MAX = 512 };
typedef struct nnc_foreign_keys {
    nnc_foreign_key key; /* until the next one is read; its texts lie in room */
    const char *begin, *rest;
    size_t used;
    char room[NNC_FOREIGN_KEY_MAX];
} nnc_foreign_keys;

/* Which kind each layer is. The first of these ways counts that the file has; keys may have two names. The
 * layers of a rule are those from `from` to `end` whose number, from 0 and more by `shift`, is `offset` above a
 * multiple of `every`: each of the four a key and its default, "sliding_window_pattern=6", or the
 * default alone, "=2". */
typedef struct nnc_foreign_pattern {
    const char *to;      /* the field: "mixers", "mlps" */
    const char *needs;   /* key: without it, or where it is null, layers are alike */
    const char *list;    /* key: a word for each layer, or letters that repeat */
    const char *letters; /* another key of letters */
    const char *matrix;  /* key: [[["global", "local"], 12]] */
    const char *words;   /* theirs and ours, of the two above: "full_attention=full" */
    const char *only;    /* key: the numbers of the layers that are `in` */
    const char *in,
        *out;         /* of the layers of the rule, and of the others; NULL = there is no rule */
    const char *when; /* the rule holds: as in nnc_foreign_key */
    const char *from, *end, *every, *offset;
    int shift;
    const char *except; /* key: the numbers of layers that are `out` all the same */
    const char *last;   /* the kind of the last layer, whatever was said; NULL = as the others */
} nnc_foreign_pattern;

/* The levels of a U-Net. */
typedef struct nnc_foreign_levels {
    const char *attending_down, *attending_up; /* blocks with attention; the others are plain */
    const char
        *heads[2]; /* keys of how many heads each level has, the first that is given; NULL = others
                             say so */
    const char *default_heads;
} nnc_foreign_levels;

/* Lists of words are separated by blanks. */
typedef struct nnc_architecture {
    const char *name;    /* as "model_type" or "_class_name" say it */
    const char *refuses; /* why it is not read, and what is expected; NULL = it is */
    bool base;           /* no architecture: what rows are like */
    const char
        *like; /* row whose words and keys it takes over, but for keys that it names itself */
    nnc_family family;
    /* Ends of the names of classes ("architectures") that build this network, and the fields that each
     * implies: "ForMaskedLM=head=masked Model=head=pooler !LMHeadModel"; '!' = those that build another. The
     * first end of a name counts; without a class the first of the list. */
    const char *classes;
    const char *implies; /* fields that no key says: "norm=rms mlp=swiglu" */
    const char *keys;    /* the text of nnc_foreign_key's, see NNC_KEYS; NULL = none */
    /* Keys and the values that are understood: "hidden_act=silu|swish"; null always is; "empty" = a list or
     * object of nothing, "each:full" = a list of this value alone. */
    const char *only;
    const char *harmless; /* keys that do not shape the network */
    const char *reads;    /* keys of `levels` */
    const char *says;     /* to be noted of every file; NULL = nothing */
    const nnc_foreign_pattern
        *patterns; /* ends with a NULL field; NULL = those of the row it is like */
    const nnc_foreign_levels *levels;
    /* A network as a list of ops: the file of graphs/ with its steps. Fields are the numbers of its "let", of
     * which "text_hidden" is the width of the text's stream where the network is a part of another. */
    const char *graph;
    /* Networks of several kinds in one file, each the key of an object and the row that it has where it does
     * not name one: "text_config=llama". The text may also stand in the file itself, where `flat` says so; the
     * others make what it reads beside words. */
    const char *text, *parts;
    bool flat;
    bool part;      /* is no network by itself */
    bool alone;     /* or is one, too */
    const char *as; /* stands for the row that a key says: "norm_type=ada_norm_zero:DiT ..." */
} nnc_architecture;

/* A file of graphs/. */
typedef struct nnc_foreign_graph {
    const char *name, *text;
    size_t size;
} nnc_foreign_graph;
extern const nnc_foreign_graph nnc_foreign_graphs[]; /* ends with a NULL name */

/* The tables, one for each kind of network; each ends with a NULL name. */
enum { NNC_FOREIGN_TABLES = 10 };
extern const nnc_architecture nnc_foreign_decoders[], nnc_foreign_experts[], nnc_foreign_plain[],
    nnc_foreign_encoders[], nnc_foreign_vision[], nnc_foreign_unets[], nnc_foreign_mixers[],
    nnc_foreign_images[], nnc_foreign_several[], nnc_foreign_refused[];
extern const nnc_architecture *const nnc_foreign_tables[NNC_FOREIGN_TABLES];

/* A configuration while it is read. */
typedef struct nnc_foreign_file {
    nnc_json at; /* the object that holds the keys */
    const nnc_architecture *row;
    const nnc_architecture *around; /* whose keys stand in the same object; NULL = none */
    char implied[96];               /* ":field=value,..." of a part, by the row around */
    nnc_model *model;
    char taken[512];   /* defaults that stand for absent keys */
    char skipped[256]; /* unknown keys that were let pass */
    char noted[256];   /* what is told of the whole file */
} nnc_foreign_file;

/* ---- keys (foreign_keys.c) ---- */

nnc_foreign_keys nnc_foreign_keys_of(const nnc_architecture *row);
bool nnc_foreign_next_key(nnc_foreign_keys *keys);

/* ---- rows (foreign_row.c) ---- */

/* The row of a name; NULL = there is none. */
const nnc_architecture *nnc_foreign_row(const char *name);
/* The row and those that it is like, the last one first: each call with the one before, NULL begins. */
const nnc_architecture *nnc_foreign_next(const nnc_architecture *chain,
                                         const nnc_architecture *previous);
/* The word of a list that is the key, or begins with it and a '='; NULL = none. */
const char *nnc_foreign_word(const char *words, const char *key);
/* What stands behind the '=' of a word; NULL = there is no such word. */
const char *nnc_foreign_value(const char *words, const char *key, char *value, size_t size);
/* Null, false, 0, "" or nothing inside. */
bool nnc_foreign_is_empty(nnc_json at);
/* Is it one of the names of a key ("n_embd|hidden_size"), or the object one of them is in? */
bool nnc_foreign_names(const char *names, const char *key);
/* Does a row between this one and the one that was asked for speak of the key itself? */
bool nnc_foreign_overridden(const nnc_architecture *asked, const nnc_architecture *row,
                            const char *names);
/* Does the row, or one that it is like, know the key? */
bool nnc_foreign_speaks_of(const nnc_architecture *row, const char *key);
/* Does any architecture take this key for a part of its shape? */
bool nnc_foreign_shapes(const char *key);

/* Faults for keys that the row does not know, and for values that it does not. */
void nnc_foreign_check_keys(nnc_foreign_file *file);

/* ---- values (foreign_value.c) and keys (foreign_key.c) ---- */

/* The value of a key by one of its names; faults where two names disagree. */
nnc_json nnc_foreign_get(nnc_json at, const char *names);
bool nnc_foreign_given(nnc_json at, const char *key);
/* The value as words write it: "true", "8", "silu"; "null"; NULL = a list or an object. */
const char *nnc_foreign_text(nnc_json at, char *text, size_t size);
/* Does a name end with the first `length` characters of a text? */
bool nnc_foreign_ends(const char *name, const char *end, size_t length);
/* Does the file say what a `when` asks for, of "architectures" the end of the first? NULL asks for nothing. */
bool nnc_foreign_speaks(nnc_json at, const char *when);
/* The number in a field. Of a decoder whose file does not say how wide a head is, the width that the family
 * will take. */
double nnc_foreign_number(const nnc_field *field, const nnc_model *model);
/* Sets a field to a value as rows write it; faults at `at` where it does not suit. */
void nnc_foreign_set(nnc_json at, nnc_model *model, const char *to, const char *text);
/* Reads a key into its field, or what it stands for where it is not there. again: another key has set the
 * field, and has to agree. */
void nnc_foreign_read_key(nnc_foreign_file *file, const nnc_foreign_key *key,
                          const nnc_foreign_key *again);
/* The field that a key sets; NULL with a fault where the model has none of that name. */
const nnc_field *nnc_foreign_field_of(const nnc_foreign_file *file, const nnc_foreign_key *key);
/* A list with a number for each of several fields, or as many numbers as its default has. */
void nnc_foreign_read_several(nnc_foreign_file *file, const nnc_foreign_key *key);
/* How many numbers of the list that `less` names are below a number. */
int64_t nnc_foreign_listed_below(nnc_json root, const char *less, int64_t number);
/* Adds "what" to a list in a text, with a comma where it is not the first. */
void nnc_foreign_note(char *list, size_t size, const char *format, ...) NNC_PRINTF(3, 4);

/* What the class of the file implies, and what its keys and those of its class say. */
void nnc_foreign_fill(nnc_foreign_file *file);
/* Gives the model the network that the row names, with its own numbers; nothing where it names none. */
void nnc_foreign_graph_read(nnc_foreign_file *file);
/* A file of several networks: its text, and what stands beside it. */
void nnc_foreign_parts_read(nnc_foreign_file *file);

/* What the keys of one field cannot say. */
void nnc_foreign_pattern_read(nnc_foreign_file *file, const nnc_foreign_pattern *pattern);
void nnc_foreign_levels_read(nnc_foreign_file *file, const nnc_foreign_levels *levels);

#endif
