/* SPDX-License-Identifier: Apache-2.0 */
/* Loads spec files of devices, models and software profiles, each by id or by path. */
#ifndef NNCOST_SPEC_H
#define NNCOST_SPEC_H

#include <stdio.h>

#include <nncost/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of loaded specs (devices, models, software profiles). nnc_specs_close frees the set with all its specs. Only
 * one thread at a time may use a set of specs. */
typedef struct nnc_specs nnc_specs;

/* Opens a set of specs. data_path: a data folder with hw/, models/, software/ and foreign/; may be NULL. Spec files are
 * searched first in the folders of $NNCOST_PATH (separated by colons), then in $XDG_CONFIG_HOME/nncost/ or
 * ~/.config/nncost/, then in data_path. Returns NULL if there is not enough memory. */
NNC_API nnc_specs *nnc_specs_open(const char *data_path);
NNC_API void nnc_specs_close(nnc_specs *specs);

/* These functions load a spec by id, by alias, or by path (a text with '/' or with the end ".json"). The nnc_specs owns
 * the loaded struct. A model can also be given as the path of a Hugging Face config.json, as a folder with a
 * config.json or with a diffusers pipeline, or as "-" for standard input. Errors: NNC_UNKNOWN_ID (err names the most
 * similar id), NNC_BAD_SPEC, NNC_IO, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_device_load(nnc_specs *specs, const char *id_or_path, const nnc_device **device, nnc_error *err);
NNC_API nnc_status nnc_model_load(nnc_specs *specs, const char *id_or_path, const nnc_model **model, nnc_error *err);
NNC_API nnc_status nnc_software_load(nnc_specs *specs, const char *id_or_path, const nnc_software **software,
                                     nnc_error *err);

/* Chooses how unknown keys in a configuration of Hugging Face or diffusers are treated. lenient false (the default):
 * every unknown key is an error. lenient true: an unknown key is an error only if it looks like a dimension; the reader
 * skips every unknown key that does not look like a dimension, and lists it in the notes of the model. */
NNC_API void nnc_specs_set_lenient(nnc_specs *specs, bool lenient);

/* Returns the default software profile of each kind of plan, for example torch-compile, fsdp, megatron, maxtext. A kind
 * whose profile file is missing gets the neutral profile. any true: searches may use features that a profile does not
 * have. The nnc_specs owns *profiles. */
NNC_API nnc_status nnc_profiles_get(nnc_specs *specs, bool any, const nnc_profiles **profiles, nnc_error *err);

/* These functions read a spec from `size` bytes of JSON text in memory; the text need not end with a NUL. name: name of
 * the text in error messages. */
NNC_API nnc_status nnc_device_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                                    const nnc_device **device, nnc_error *err);
NNC_API nnc_status nnc_model_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                                   const nnc_model **model, nnc_error *err);
NNC_API nnc_status nnc_software_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                                      const nnc_software **software, nnc_error *err);

/* These functions make a copy of a spec, which the caller may change. The nnc_specs owns the copy. Error:
 * NNC_NO_MEMORY. */
NNC_API nnc_status nnc_device_copy(nnc_specs *specs, const nnc_device *from, nnc_device **copy, nnc_error *err);
NNC_API nnc_status nnc_model_copy(nnc_specs *specs, const nnc_model *from, nnc_model **copy, nnc_error *err);
NNC_API nnc_status nnc_software_copy(nnc_specs *specs, const nnc_software *from, nnc_software **copy, nnc_error *err);

/* nnc_cluster_load replaces the links of a device by the links in a cluster file ("nncost.cluster/1"). Each of the
 * objects scale_up, scale_out and host in the file replaces the whole object of the device. The devices of a node share
 * the NICs of the node. If loading fails, the device is not changed. nnc_cluster_parse reads a cluster file from `size`
 * bytes of memory; name: name of the file in error messages. */
NNC_API nnc_status nnc_cluster_load(nnc_specs *specs, const char *path, nnc_device *device, nnc_error *err);
NNC_API nnc_status nnc_cluster_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                                     nnc_device *device, nnc_error *err);

/* The terms on which a seller of computing time rents a device. */
#define NNC_OFFER_LIST(X)                                                      \
    X(NNC_OFFER_ON_DEMAND, "on-demand", "By the hour.")                        \
    X(NNC_OFFER_SPOT, "spot", "Spare capacity that the seller may take back.") \
    X(NNC_OFFER_RESERVED_1Y, "reserved-1y", "Reserved for a year.")            \
    X(NNC_OFFER_RESERVED_3Y, "reserved-3y", "Reserved for three years.")
NNC_ENUM(nnc_offer, NNC_OFFER_LIST, NNC_OFFER_COUNT);
NNC_API const char *nnc_offer_name(nnc_offer offer);
NNC_API const char *nnc_offer_help(nnc_offer offer);

/* Replaces the prices of a device by the prices of one seller, the newest first. seller: name SELLER of a file
 * prices/SELLER.json in the data folders ("nncost.prices/1"), or a path. region NULL = any region. Returns
 * NNC_UNKNOWN_ID for an unknown seller, and NNC_BAD_USAGE if the seller has no such offer; err lists the offers of the
 * seller. If the function fails, the device is not changed. */
NNC_API nnc_status nnc_prices_load(nnc_specs *specs, const char *seller, nnc_offer offer, const char *region,
                                   nnc_device *device, nnc_error *err);

/* Carbon intensity of the electricity in a country or in a cloud region. Texts of an nnc_region are valid as long as
 * the nnc_specs that found it. */
typedef struct nnc_region {
    char id[48], name[64], seller[16]; /* seller: cloud provider of the region; "" = the region is a country */
    double carbon_g_per_kwh;           /* grams of carbon per kWh of the local grid (location-based: bought certificates
                                        * do not count) */
    int32_t year;                      /* year in which the carbon intensity was measured; 0 = not stated */
    const char *source;
} nnc_region;

/* Power usage effectiveness (PUE) of the data centres of one operator. Texts of an nnc_building are valid as long as
 * the nnc_specs that found it. */
typedef struct nnc_building {
    char id[48], name[96];
    double pue; /* PUE: energy of the data centre / energy of the machines in the data centre */
    int32_t year;
    const char *source;
} nnc_building;

/* Finds the data centres of an operator by id or name in grid/buildings.json of the data folders; the comparison
 * ignores the case of letters. Returns NNC_UNKNOWN_ID if no entry has this id or name. */
NNC_API nnc_status nnc_building_load(nnc_specs *specs, const char *id_or_name, nnc_building *building, nnc_error *err);

/* Finds a country or cloud region by id or name in grid/regions.json of the data folders; the comparison ignores the
 * case of letters. Returns NNC_UNKNOWN_ID if no entry has this id or name. */
NNC_API nnc_status nnc_region_load(nnc_specs *specs, const char *id_or_name, nnc_region *region, nnc_error *err);

/* These functions return the value of one field of a spec by the field's name in the file, where dots join keys
 * ("scale_up.bytes_per_s", "matmul_flops_per_s.bf16"); `nncost show` lists the names. Functions ..._number return a
 * number (1 or 0 for a switch; NaN = not recorded). Functions ..._text write any field as `nncost show` prints it ("-"
 * = not recorded), cut to `size` bytes including the NUL. NNC_BAD_USAGE: no field has this name (err gives the most
 * similar name), or ..._number is called for a field that is no number. */
NNC_API nnc_status nnc_device_number(const nnc_device *device, const char *field, double *value, nnc_error *err);
NNC_API nnc_status nnc_device_text(const nnc_device *device, const char *field, char *text, size_t size,
                                   nnc_error *err);
NNC_API nnc_status nnc_model_number(const nnc_model *model, const char *field, double *value, nnc_error *err);
NNC_API nnc_status nnc_model_text(const nnc_model *model, const char *field, char *text, size_t size, nnc_error *err);
NNC_API nnc_status nnc_software_number(const nnc_software *software, const char *field, double *value, nnc_error *err);
NNC_API nnc_status nnc_software_text(const nnc_software *software, const char *field, char *text, size_t size,
                                     nnc_error *err);
NNC_API nnc_status nnc_plan_text(const nnc_plan *plan, const char *field, char *text, size_t size, nnc_error *err);

/* These functions set one field of a spec from a text, by the field's name in the file: nnc_device_set(copy,
 * "scale_up.bytes_per_s", "450e9", &err). The limits of the values are those that apply in files. NNC_BAD_USAGE: the
 * field is unknown or the value is wrong; the spec is then not changed, and err->where is the name of the field. For
 * the name NNC_LINK_SHARE, nnc_device_set sets the bus_fraction of all kinds of collectives. */
#define NNC_LINK_SHARE "efficiency.collectives.bus_fraction"
NNC_API nnc_status nnc_device_set(nnc_device *device, const char *field, const char *value, nnc_error *err);
NNC_API nnc_status nnc_model_set(nnc_model *model, const char *field, const char *value, nnc_error *err);
NNC_API nnc_status nnc_software_set(nnc_software *software, const char *field, const char *value, nnc_error *err);
NNC_API nnc_status nnc_plan_set(nnc_plan *plan, const char *field, const char *value, nnc_error *err);

/* These functions check rules that several fields of a spec must fulfil together, for example that kv_heads divides
 * heads. A loaded spec has passed the checks of all rules; call the functions after nnc_device_set or nnc_model_set.
 * name: name of the spec in error messages; NULL = no name. */
NNC_API nnc_status nnc_device_check(const nnc_device *device, const char *name, nnc_error *err);
NNC_API nnc_status nnc_model_check(const nnc_model *model, const char *name, nnc_error *err);

/* Kinds of spec files: device, model, software profile. */
typedef enum nnc_spec_kind { NNC_SPEC_DEVICE, NNC_SPEC_MODEL, NNC_SPEC_SOFTWARE, NNC_SPEC_KIND_COUNT } nnc_spec_kind;

/* Lists the ids of all specs of one kind that nncost can load, sorted and without duplicates. The list is valid as long
 * as the nnc_specs. */
NNC_API nnc_status nnc_specs_list(nnc_specs *specs, nnc_spec_kind kind, const char *const **ids, int32_t *count,
                                  nnc_error *err);

/* Checks a file of nncost, and calls the function `report` once for each fault in the file. Returns the number of
 * faults. The value of the key "schema" in the file decides which rules are checked. */
typedef void nnc_fault_fn(void *context, const nnc_error *fault);
NNC_API int nnc_spec_validate(nnc_specs *specs, const char *path, nnc_fault_fn *report, void *context);

#ifdef NNC_STATIC_LINKING_ONLY

/* Loads the default software profiles of plans into a struct of the caller, as nnc_profiles_get does with `any` false.
 * For kinds of plan with wanted[kind] false, no profile is loaded and the pointer is NULL. wanted NULL = all kinds are
 * loaded. */
nnc_status nnc_profiles_load(nnc_specs *specs, const bool *wanted, nnc_profiles *profiles, nnc_error *err);

/* Like nnc_device_parse, these functions read a spec from JSON text in memory, but they store it in a struct of the
 * caller. */
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
