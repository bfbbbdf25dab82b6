/* Reading each kind of spec from an open document. Faults are noted in the document's list; the
 * struct is complete only when there are none. */
#ifndef NNCOST_INPUT_KIND_H
#define NNCOST_INPUT_KIND_H

#include "input/field.h"
#include "input/json.h"

/* stem: what the id has to be; NULL = any. */
void nnc_device_read(nnc_json root, const char *stem, nnc_device *device);
void nnc_model_read(nnc_json root, const char *stem, nnc_model *model);
void nnc_software_read(nnc_json root, const char *stem, nnc_software *software);

/* The profile that is taken where none is named. */
#define NNC_SOFTWARE_DEFAULT "torch-compile"

/* Is it the configuration of a published model rather than one of our files? */
bool nnc_is_foreign(nnc_json root);
/* Reads one; model->id is the caller's. */
void nnc_foreign_read(nnc_json root, nnc_model *model);

/* The cross-field rules. at: the root of the document, or a value without one. */
void nnc_device_rules(nnc_json at, const nnc_device *device);
void nnc_model_rules(nnc_json at, const nnc_model *model);

/* Above any device that can be built: FLOP/s, bytes, B/s. */
#define NNC_RATE_MAX 1e21
#define NNC_BYTES_MAX 1e15
#define NNC_LINK_MAX 1e18

/* The fitted figures of a device. Neutral ones change nothing: every fraction 1, every fixed cost 0, no
 * tiles, the datasheet as it stands. */
enum { NNC_EFFICIENCIES_FIELDS = 9 };
extern const nnc_field nnc_efficiencies_fields[NNC_EFFICIENCIES_FIELDS];
void nnc_efficiencies_neutral(nnc_efficiencies *e);

/* The links, which a cluster file has too. */
enum { NNC_SCALE_UP_FIELDS = 8, NNC_HOST_FIELDS = 2 };
extern const nnc_field nnc_scale_up_fields[NNC_SCALE_UP_FIELDS], nnc_host_fields[NNC_HOST_FIELDS];
void nnc_link_rules(nnc_json at, const nnc_scale_up *link);

/* A cluster is no kind of its own: it is read into the links of a device. Faults are noted; the
 * device is complete only when there are none. text[size] is NUL; stem: what the id has to be. */
bool nnc_is_cluster(nnc_json root);
void nnc_cluster_read(nnc_arena *arena, const char *stem, const char *text, size_t size,
                      nnc_faults *faults, nnc_device *device);

/* What differs between the kinds of spec. */
typedef struct nnc_spec_info {
    const char *what, *plural; /* in messages, and in "nncost list" */
    const char *folder;        /* of a data folder */
    const char *argument;      /* where a wrong id stands on the command line */
    const char *schema;
    size_t size;
    size_t aliases_offset, alias_count_offset; /* both 0: the kind has none */
    size_t path_offset;
} nnc_spec_info;
extern const nnc_spec_info nnc_spec_kinds[NNC_SPEC_KIND_COUNT];

/* The kind a document's "schema" names; NNC_SPEC_KIND_COUNT with a fault when it names none. */
nnc_spec_kind nnc_spec_kind_of(nnc_json root);

/* One spec of a kind from text, text[size] being NUL, into out (of the kind's struct). */
nnc_status nnc_spec_read(nnc_arena *arena, nnc_spec_kind kind, const char *stem, const char *text,
                         size_t size, nnc_faults *faults, void *out);
/* The same from a file into the arena, with its path; the id has to be the file's stem. */
nnc_status nnc_spec_load(nnc_arena *arena, nnc_spec_kind kind, const char *path, const void **out,
                         nnc_error *err);
/* "hw/h100.json" -> "h100"; with config, a config.json is called after its folder. */
void nnc_spec_stem(const char *path, bool config, char *stem, size_t size);
/* Gives a model without an id (a foreign one) the name of its file, or of the folder of a
 * config.json. */
void nnc_spec_name(nnc_model *model, const char *path);

/* Digest of what a spec file says: keys in any order, notes and sources left out. */
nnc_status nnc_spec_digest(const char *path, uint64_t *digest, nnc_error *err);

nnc_arena *nnc_specs_arena(nnc_specs *specs);

/* Text of the caller's, which need not end with the NUL that the reader wants; *copy must be freed,
 * and stays NULL on failure. */
nnc_status nnc_text_copy(const char *name, const char *text, size_t size, char **copy,
                         nnc_error *err);

#endif
