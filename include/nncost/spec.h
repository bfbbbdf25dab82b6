/* SPDX-License-Identifier: Apache-2.0 */
/* Spec files: reads devices, models and software profiles by id or path. */
#ifndef NNCOST_SPEC_H
#define NNCOST_SPEC_H

#include <stdio.h>

#include <nncost/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of loaded specs. nnc_specs_close frees all of them at once. Use a set in one thread at a time. */
typedef struct nnc_specs nnc_specs;

/* Opens a set. data_path: a folder with hw/, models/, software/ and foreign/; may be NULL. Folders are searched in this
 * order: $NNCOST_PATH (colon-separated), $XDG_CONFIG_HOME/nncost/ or ~/.config/nncost/, data_path. Returns NULL when
 * out of memory. */
NNC_API nnc_specs *nnc_specs_open(const char *data_path);
NNC_API void nnc_specs_close(nnc_specs *specs);

/* Loads a spec by id, alias or path (contains '/' or ends in ".json"). The set owns the struct. A model path may be a
 * Hugging Face config.json, a folder with a config.json or with a diffusers pipeline, or "-" for standard input.
 * Errors: NNC_UNKNOWN_ID (err names the nearest id), NNC_BAD_SPEC, NNC_IO, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_device_load(nnc_specs *specs, const char *id_or_path, const nnc_device **device, nnc_error *err);
NNC_API nnc_status nnc_model_load(nnc_specs *specs, const char *id_or_path, const nnc_model **model, nnc_error *err);
NNC_API nnc_status nnc_software_load(nnc_specs *specs, const char *id_or_path, const nnc_software **software,
                                     nnc_error *err);

/* Sets whether unknown keys of a Hugging Face or diffusers configuration are errors. lenient false (the default): they
 * are errors. lenient true: only keys that look like dimensions are errors; other unknown keys are skipped and listed
 * in the model's notes. */
NNC_API void nnc_specs_set_lenient(nnc_specs *specs, bool lenient);

/* Returns the default profile of each kind of plan: torch-compile, fsdp, megatron, maxtext. The neutral profile
 * replaces a profile whose file is missing. any = true: a search also tries features that a profile does not support.
 * The set owns the profiles. */
NNC_API nnc_status nnc_profiles_get(nnc_specs *specs, bool any, const nnc_profiles **profiles, nnc_error *err);

/* Reads a spec from `size` bytes of JSON in memory; a NUL at the end is not needed. name is used in error messages. */
NNC_API nnc_status nnc_device_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                                    const nnc_device **device, nnc_error *err);
NNC_API nnc_status nnc_model_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                                   const nnc_model **model, nnc_error *err);
NNC_API nnc_status nnc_software_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                                      const nnc_software **software, nnc_error *err);

/* Makes a copy of a spec that may be changed. The set owns the copy. Error: NNC_NO_MEMORY. */
NNC_API nnc_status nnc_device_copy(nnc_specs *specs, const nnc_device *from, nnc_device **copy, nnc_error *err);
NNC_API nnc_status nnc_model_copy(nnc_specs *specs, const nnc_model *from, nnc_model **copy, nnc_error *err);
NNC_API nnc_status nnc_software_copy(nnc_specs *specs, const nnc_software *from, nnc_software **copy, nnc_error *err);

/* Replaces the links of a device by the links in a cluster file ("nncost.cluster/1"): scale_up, scale_out and host,
 * each as a whole if the file has it. Devices share the NICs of their node. On failure the device is unchanged.
 * nnc_cluster_parse reads from memory. */
NNC_API nnc_status nnc_cluster_load(nnc_specs *specs, const char *path, nnc_device *device, nnc_error *err);
NNC_API nnc_status nnc_cluster_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                                     nnc_device *device, nnc_error *err);

/* Terms on which a device is rented. */
#define NNC_OFFER_LIST(X)                                                      \
    X(NNC_OFFER_ON_DEMAND, "on-demand", "By the hour.")                        \
    X(NNC_OFFER_SPOT, "spot", "Spare capacity that the seller may take back.") \
    X(NNC_OFFER_RESERVED_1Y, "reserved-1y", "Reserved for a year.")            \
    X(NNC_OFFER_RESERVED_3Y, "reserved-3y", "Reserved for three years.")
NNC_ENUM(nnc_offer, NNC_OFFER_LIST, NNC_OFFER_COUNT);
NNC_API const char *nnc_offer_name(nnc_offer offer);
NNC_API const char *nnc_offer_help(nnc_offer offer);

/* Replaces the prices of a device by the prices of a seller, newest first. seller: prices/SELLER.json of the data
 * folders ("nncost.prices/1"), or a path. region NULL: any region. NNC_UNKNOWN_ID: unknown seller; NNC_BAD_USAGE: the
 * seller has no such offer, and err lists its offers. On failure the device is unchanged. */
NNC_API nnc_status nnc_prices_load(nnc_specs *specs, const char *seller, nnc_offer offer, const char *region,
                                   nnc_device *device, nnc_error *err);

/* Carbon intensity of electricity in a country or a cloud region. Texts are valid as long as the nnc_specs. */
typedef struct nnc_region {
    char id[48], name[64], seller[16]; /* id, name, and the cloud that owns the region; seller "" = the region is a
                                        * country */
    double carbon_g_per_kwh;           /* carbon of the local grid (location-based; certificates do not count) */
    int32_t year;                      /* year of the carbon intensity; 0 = not stated */
    const char *source;
} nnc_region;

/* Energy overhead of the buildings of an operator. */
typedef struct nnc_building {
    char id[48], name[96];
    double pue; /* energy of the building over the energy of its machines */
    int32_t year;
    const char *source;
} nnc_building;

/* Finds a building by id or name (any case) in grid/buildings.json of the data folders. NNC_UNKNOWN_ID: not found. */
NNC_API nnc_status nnc_building_load(nnc_specs *specs, const char *id_or_name, nnc_building *building, nnc_error *err);

/* Finds a region by id or name (any case) in grid/regions.json of the data folders. NNC_UNKNOWN_ID: not found. */
NNC_API nnc_status nnc_region_load(nnc_specs *specs, const char *id_or_name, nnc_region *region, nnc_error *err);

/* Return the value of one field by its dotted name in the file ("scale_up.bytes_per_s", "matmul_flops_per_s.bf16");
 * `nncost show` lists the names. nnc_device_number and similar functions return a number, or 0 or 1 for a switch; NaN =
 * not recorded. nnc_device_text and similar functions write any field as `nncost show` prints it ("-" = not recorded),
 * cut to size bytes including the NUL. NNC_BAD_USAGE: the field is unknown (err names the nearest) or is not a
 * number. */
NNC_API nnc_status nnc_device_number(const nnc_device *device, const char *field, double *value, nnc_error *err);
NNC_API nnc_status nnc_device_text(const nnc_device *device, const char *field, char *text, size_t size,
                                   nnc_error *err);
NNC_API nnc_status nnc_model_number(const nnc_model *model, const char *field, double *value, nnc_error *err);
NNC_API nnc_status nnc_model_text(const nnc_model *model, const char *field, char *text, size_t size, nnc_error *err);
NNC_API nnc_status nnc_software_number(const nnc_software *software, const char *field, double *value, nnc_error *err);
NNC_API nnc_status nnc_software_text(const nnc_software *software, const char *field, char *text, size_t size,
                                     nnc_error *err);
NNC_API nnc_status nnc_plan_text(const nnc_plan *plan, const char *field, char *text, size_t size, nnc_error *err);

/* Set one field by its dotted name from text, within the limits of files: nnc_device_set(copy, "scale_up.bytes_per_s",
 * "450e9", &err). NNC_BAD_USAGE: unknown field or bad value; nothing is changed, and err->where is the name. */
NNC_API nnc_status nnc_device_set(nnc_device *device, const char *field, const char *value, nnc_error *err);
NNC_API nnc_status nnc_model_set(nnc_model *model, const char *field, const char *value, nnc_error *err);
NNC_API nnc_status nnc_software_set(nnc_software *software, const char *field, const char *value, nnc_error *err);
NNC_API nnc_status nnc_plan_set(nnc_plan *plan, const char *field, const char *value, nnc_error *err);

/* Check rules between fields (kv_heads divides heads, wrap has one entry per axis ...). Loading checks them already;
 * call these functions after nnc_device_set or nnc_model_set. name is used in messages; NULL = no name. */
NNC_API nnc_status nnc_device_check(const nnc_device *device, const char *name, nnc_error *err);
NNC_API nnc_status nnc_model_check(const nnc_model *model, const char *name, nnc_error *err);

/* The kinds of spec. */
typedef enum nnc_spec_kind { NNC_SPEC_DEVICE, NNC_SPEC_MODEL, NNC_SPEC_SOFTWARE, NNC_SPEC_KIND_COUNT } nnc_spec_kind;

/* Lists the ids that can be loaded, sorted, without duplicates. The list is valid as long as the nnc_specs. */
NNC_API nnc_status nnc_specs_list(nnc_specs *specs, nnc_spec_kind kind, const char *const **ids, int32_t *count,
                                  nnc_error *err);

/* Checks a file and calls `report` once for each error; returns the number of errors. The key "schema" of the file
 * decides which kind of file it is. */
typedef void nnc_fault_fn(void *context, const nnc_error *fault);
NNC_API int nnc_spec_validate(nnc_specs *specs, const char *path, nnc_fault_fn *report, void *context);

#ifdef NNC_STATIC_LINKING_ONLY

/* Loads the default profiles into a struct of the caller, with `any` false; see nnc_profiles_get. Loads a kind only if
 * wanted[kind] is true; other kinds stay NULL. wanted NULL = all kinds. */
nnc_status nnc_profiles_load(nnc_specs *specs, const bool *wanted, nnc_profiles *profiles, nnc_error *err);

/* Read a spec from JSON in memory into a struct of the caller; see nnc_device_parse. */
nnc_status nnc_device_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size, nnc_device *device,
                                 nnc_error *err);
nnc_status nnc_model_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size, nnc_model *model,
                                nnc_error *err);
nnc_status nnc_software_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size,
                                   nnc_software *software, nnc_error *err);

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef __cplusplus
}
#endif

#endif
