/* Reading each kind of spec from an open document. Faults are noted in the document's list; the
 * struct is complete only when there are none. */
#ifndef NNCOST_INPUT_KIND_H
#define NNCOST_INPUT_KIND_H

#include "input/field.h"
#include "input/json.h"

/* Into a struct of the kind. stem: what the id has to be; NULL = any. */
typedef void nnc_spec_read_fn(nnc_json root, const char *stem, void *spec);
nnc_spec_read_fn nnc_device_read, nnc_model_read, nnc_software_read;

/* The profile that is taken where none is named. */
#define NNC_SOFTWARE_DEFAULT "torch-compile"

/* Is it the configuration of a published model rather than one of our files? */
bool nnc_is_foreign(nnc_json root);
/* Reads one, but for what fields decide; model->id is the caller's. false: a fault was noted. */
bool nnc_foreign_read(nnc_json root, nnc_model *model);

/* The cross-field rules. at: the root of the document, or a value without one. */
void nnc_device_rules(nnc_json at, const nnc_device *device);
void nnc_model_rules(nnc_json at, const nnc_model *model);

/* Above any device that can be built: FLOP/s, bytes, B/s. */
#define NNC_RATE_MAX 1e21
#define NNC_BYTES_MAX 1e15
#define NNC_LINK_MAX 1e18

/* The fitted figures of a device. Neutral ones change nothing: every fraction 1, every fixed cost 0, no
 * tiles, the datasheet as it stands. */
enum { NNC_EFFICIENCIES_FIELDS = 14 };
extern const nnc_field nnc_efficiencies_fields[NNC_EFFICIENCIES_FIELDS];
void nnc_efficiencies_neutral(nnc_efficiencies *e);

/* Serving: fitted figures of a device, and of an engine in a software profile; nothing said. */
enum { NNC_SERVE_EFFICIENCY_FIELDS = 10, NNC_SERVE_ENGINE_FIELDS = 29 };
extern const nnc_field nnc_serve_efficiency_fields[NNC_SERVE_EFFICIENCY_FIELDS];
extern const nnc_field nnc_serve_engine_fields[NNC_SERVE_ENGINE_FIELDS];
void nnc_serve_efficiency_unsaid(nnc_serve_efficiency *e);
nnc_serve_engine nnc_serve_engine_default(void);

/* The links, which a cluster file has too. */
enum { NNC_SCALE_UP_FIELDS = 8, NNC_HOST_FIELDS = 2 };
extern const nnc_field nnc_scale_up_fields[NNC_SCALE_UP_FIELDS], nnc_host_fields[NNC_HOST_FIELDS];
void nnc_link_rules(nnc_json at, const nnc_scale_up *link);

/* A cluster is no kind of its own: it is read from an open document into the links of a device. Faults are
 * noted; the device is complete only when there are none. stem: what the id has to be. */
bool nnc_is_cluster(nnc_json root);
void nnc_cluster_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem,
                           nnc_device *device);

/* Nor are catalogues: what sellers ask for devices, "nncost.prices/1", the carbon intensity of regions,
 * "nncost.grid/1", and what buildings take, "nncost.buildings/1". */
bool nnc_is_catalogue(nnc_json root);
void nnc_catalogue_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem);

/* Nor are architectures of configurations, "nncost.foreign/1". */
bool nnc_is_architecture(nnc_json root);
void nnc_architecture_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem);

/* What differs between the kinds of spec. */
typedef struct nnc_spec_info {
    const char *what, *plural; /* in messages, and in "nncost list" */
    const char *folder;        /* of a data folder */
    const char *argument;      /* where a wrong id stands on the command line */
    const char *schema;
    size_t size;
    size_t path_offset;
    bool has_aliases;
    nnc_spec_read_fn *read;
} nnc_spec_info;
extern const nnc_spec_info nnc_spec_kinds[NNC_SPEC_KIND_COUNT];

/* The kind a document's "schema" names; NNC_SPEC_KIND_COUNT, _of with a fault, when it names none. */
nnc_spec_kind nnc_spec_kind_said(nnc_json root);
nnc_spec_kind nnc_spec_kind_of(nnc_json root);

/* One spec of a kind from an open document into out (of the kind's struct). */
void nnc_spec_read_open(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind, const char *stem,
                        void *out);
/* The same from text, text[size] being NUL. */
nnc_status nnc_spec_read(nnc_specs *specs, nnc_spec_kind kind, const char *stem, const char *text,
                         size_t size, nnc_faults *faults, void *out);
/* The same from a file into the arena, with its path; the id has to be the file's stem. */
nnc_status nnc_spec_load(nnc_specs *specs, nnc_spec_kind kind, const char *path, const void **out,
                         nnc_error *err);
/* The file of an id or an alias. NNC_UNKNOWN_ID names the nearest. */
nnc_status nnc_specs_find(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path,
                          nnc_error *err);

/* The same of files that are no kind of spec. */
nnc_status nnc_specs_find_like(nnc_specs *specs, const nnc_spec_info *info, const char *id,
                               const char **path, nnc_error *err);
/* The same of an id in whatever spelling; *path stays NULL when there is none. */
nnc_status nnc_specs_find_spelled(nnc_specs *specs, nnc_spec_kind kind, const char *id,
                                  const char **path, nnc_error *err);

bool nnc_specs_are_lenient(const nnc_specs *specs);

/* A file of another kind by its path below a data folder, "lab/words.json". *path stays NULL when there is
 * none. */
nnc_status nnc_specs_file(nnc_specs *specs, const char *name, const char **path, nnc_error *err);

/* A file may be like one that is like another, this many times. */
enum { NNC_LIKE_MAX = 4 };
/* Between these two a file of this name waits for the one it is like; false: too many do. */
bool nnc_specs_begin_like(nnc_specs *specs, const char *name);
void nnc_specs_end_like(nnc_specs *specs);
/* Does the file wait for another? */
bool nnc_specs_is_reading(const nnc_specs *specs, const char *path);

/* Puts the texts of "references" in their places, takes over what the file that this one is "like" says
 * (of kinds other than NNC_SPEC_KIND_COUNT), and fills in objects that are "same_as" another. What was
 * taken over is marked in the document. false: a fault was noted, and reading makes no sense. */
bool nnc_spec_complete(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind);

/* Files, each like the next, and who of them says what. *lineage stays NULL when the file is like no
 * other, or path is NULL. */
typedef struct nnc_lineage nnc_lineage;
nnc_status nnc_lineage_open(nnc_specs *specs, nnc_spec_kind kind, const char *path,
                            nnc_lineage **lineage, nnc_error *err);
void nnc_lineage_close(nnc_lineage *lineage);
/* The id of the file that says the field of this dotted name; NULL: none does. */
const char *nnc_lineage_of(const nnc_lineage *lineage, const char *dotted);

/* "hw/h100.json" -> "h100"; with config, a config.json is called after its folder. */
void nnc_spec_stem(const char *path, bool config, char *stem, size_t size);
/* Gives a model without an id (a foreign one) the name of its file, or of the folder of a
 * config.json. */
void nnc_spec_name(nnc_model *model, const char *path);

/* Digest of what a spec file says, what it takes over included: keys in any order, notes and sources left
 * out. */
nnc_status nnc_spec_digest(nnc_specs *specs, const char *path, uint64_t *digest, nnc_error *err);

nnc_arena *nnc_specs_arena(nnc_specs *specs);

/* Text of the caller's, which need not end with the NUL that the reader wants; *copy must be freed,
 * and stays NULL on failure. */
nnc_status nnc_text_copy(const char *name, const char *text, size_t size, char **copy,
                         nnc_error *err);

/* Every plan with its own profile: NULL, and "any", with which a search is not held to what a profile ships; or one
 * profile for all of them. */
#define NNC_SOFTWARE_ANY "any"
bool nnc_software_is_chosen(const char *asked);
nnc_status nnc_profiles_asked(nnc_specs *specs, const char *asked, nnc_profiles *profiles,
                              nnc_error *err);

/* One of the profiles. */
nnc_status nnc_profile_load(nnc_specs *specs, nnc_profile_kind kind, const nnc_software **software,
                            nnc_error *err);

/* The software profile asked for; NULL = the default one, from its file where there is one. */
nnc_status nnc_software_asked(nnc_specs *specs, const char *asked, nnc_software *software,
                              nnc_error *err);

#endif
