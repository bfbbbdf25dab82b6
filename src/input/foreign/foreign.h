/* Configurations of published models. Every key is read, allowed at the values that this version
 * understands, or known not to shape the network; any other key is refused, so that a new architecture is
 * never read as an old one. An architecture is one row of a table, without a function of its own. */
#ifndef NNCOST_INPUT_FOREIGN_FOREIGN_H
#define NNCOST_INPUT_FOREIGN_FOREIGN_H

#include "input/family_fields.h"

/* A key and the field of the family that it sets. Keys are taken in the order of the row; two that set the
 * same field have to agree. */
typedef struct nnc_foreign_key {
    const char *key; /* NULL ends a list */
    const char *to;  /* "layers" */
    const char
        *absent; /* where the key is not there, the default of its class: "8", a field read before
                           ("hidden") or a multiple of one ("4*hidden"), another field and its value
                           ("heads=1"); "" = nothing is set; NULL = it has to be there */
    const char *null; /* where it is null; NULL = as if it were not there */
    const char
        *words;  /* their names for ours: "gelu_new=gelu relu=relu"; NULL = they are the same */
    bool most;   /* of keys that set the same field the largest counts */
    bool levels; /* may be a list of equal numbers, one for each level */
} nnc_foreign_key;

/* A window on the attention of some layers; only all of them or none can be expressed. */
typedef struct nnc_foreign_window {
    const char *tokens, *used; /* keys: how wide it is, and whether it is used at all */
    const char *full_layers;   /* key: how many layers, the first, see everything */
    const char *types;         /* key: a list with the kind of each layer */
    int64_t default_tokens, default_full_layers;
} nnc_foreign_window;

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
    const char *name; /* as "model_type" or "_class_name" say it */
    nnc_family family;
    const char *implies; /* fields that no key says: "norm=rms mlp=swiglu" */
    const nnc_foreign_key *keys;
    const char
        *only; /* keys and the values that are understood: "hidden_act=silu|swish"; null always is;
                         "empty" = a list or object of nothing */
    const char *harmless;             /* keys that do not shape the network */
    const char *reads;                /* those of the two that follow */
    const nnc_foreign_window *window; /* NULL = its layers are alike */
    const nnc_foreign_levels *levels;
} nnc_architecture;

/* Ends with a NULL name. */
extern const nnc_architecture nnc_architectures[];

bool nnc_foreign_given(nnc_json root, const char *key);
/* Reads a key into its field, or what it stands for where it is not there. again: another key has set the
 * field, and has to agree. */
void nnc_foreign_read_key(nnc_json root, const nnc_foreign_key *key, const nnc_foreign_key *again,
                          nnc_model *model);
/* What the keys of one field cannot say. */
void nnc_foreign_window_read(nnc_json root, const nnc_foreign_window *window, nnc_decoder *d);
void nnc_foreign_levels_read(nnc_json root, const nnc_foreign_levels *levels, nnc_unet *u);

#endif
