/* SPDX-License-Identifier: Apache-2.0 */
/* Spec files: reading devices, models and software profiles by id or path. */
#ifndef NNCOST_SPEC_H
#define NNCOST_SPEC_H

#include <stdio.h>

#include <nncost/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of loaded specs: one arena, freed at once. Not for two threads at a time. */
typedef struct nnc_specs nnc_specs;

/* data_path: a folder that holds hw/, models/, software/ and foreign/, searched last; NULL = none.
 * Before it come $NNCOST_PATH (colon-separated), and $XDG_CONFIG_HOME/nncost/ or ~/.config/nncost/.
 * NULL when out of memory. */
NNC_API nnc_specs *nnc_specs_open(const char *data_path);
NNC_API void nnc_specs_close(nnc_specs *specs);

/* Loads a spec by id, alias or path (anything with a '/' or ending in ".json"). The struct is owned
 * by the set. A model path may be a Hugging Face config.json, a folder that holds one or a diffusers pipeline, or
 * "-", standard input. Errors: NNC_UNKNOWN_ID (err names the
 * nearest id), NNC_BAD_SPEC, NNC_IO, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_device_load(nnc_specs *specs, const char *id_or_path,
                                   const nnc_device **device, nnc_error *err);
NNC_API nnc_status nnc_model_load(nnc_specs *specs, const char *id_or_path, const nnc_model **model,
                                  nnc_error *err);
NNC_API nnc_status nnc_software_load(nnc_specs *specs, const char *id_or_path,
                                     const nnc_software **software, nnc_error *err);

/* Unknown keys of a Hugging Face or diffusers configuration are skipped, and named in the model's notes, where
 * they cannot be told to shape the network; else they are refused, which is the default. */
NNC_API void nnc_specs_set_lenient(nnc_specs *specs, bool lenient);

/* The profiles that plans are given by what they do: torch-compile, fsdp, megatron, maxtext. One that is not
 * found is the neutral one. any: a search offers what no framework of a plan's profile ships, too. Owned by
 * the set. */
NNC_API nnc_status nnc_profiles_get(nnc_specs *specs, bool any, const nnc_profiles **profiles,
                                    nnc_error *err);

/* The same from `size` bytes of JSON text in memory, which need no NUL at their end; name stands in
 * messages. */
NNC_API nnc_status nnc_device_parse(nnc_specs *specs, const char *name, const char *text,
                                    size_t size, const nnc_device **device, nnc_error *err);
NNC_API nnc_status nnc_model_parse(nnc_specs *specs, const char *name, const char *text,
                                   size_t size, const nnc_model **model, nnc_error *err);
NNC_API nnc_status nnc_software_parse(nnc_specs *specs, const char *name, const char *text,
                                      size_t size, const nnc_software **software, nnc_error *err);

/* A copy that may be changed, owned by the set; the original stays as it is. NNC_NO_MEMORY. */
NNC_API nnc_status nnc_device_copy(nnc_specs *specs, const nnc_device *from, nnc_device **copy,
                                   nnc_error *err);
NNC_API nnc_status nnc_model_copy(nnc_specs *specs, const nnc_model *from, nnc_model **copy,
                                  nnc_error *err);
NNC_API nnc_status nnc_software_copy(nnc_specs *specs, const nnc_software *from,
                                     nnc_software **copy, nnc_error *err);

/* Replaces the links of a device by those of a cluster file, "nncost.cluster/1": scale_up, scale_out
 * and host, each as a whole where the file has it. Devices share the NICs of their node. On a
 * failure the device is as it was. _parse: from text in memory. */
NNC_API nnc_status nnc_cluster_load(nnc_specs *specs, const char *path, nnc_device *device,
                                    nnc_error *err);
NNC_API nnc_status nnc_cluster_parse(nnc_specs *specs, const char *name, const char *text,
                                     size_t size, nnc_device *device, nnc_error *err);

/* On what terms a device is rented. */
#define NNC_OFFER_LIST(X)                                                        \
    X(NNC_OFFER_ON_DEMAND, "on-demand", "By the hour.")                          \
    X(NNC_OFFER_SPOT, "spot", "Spare capacity, which the seller may take back.") \
    X(NNC_OFFER_RESERVED_1Y, "reserved-1y", "Reserved for a year.")              \
    X(NNC_OFFER_RESERVED_3Y, "reserved-3y", "Reserved for three years.")
NNC_ENUM(nnc_offer, NNC_OFFER_LIST, NNC_OFFER_COUNT);
NNC_API const char *nnc_offer_name(nnc_offer offer);
NNC_API const char *nnc_offer_help(nnc_offer offer);

/* Replaces the prices of a device by what a seller asks for it: those of prices/SELLER.json of the data folders
 * ("nncost.prices/1", or a path), newest first, in one region or (NULL) any. NNC_UNKNOWN_ID: no such seller;
 * NNC_BAD_USAGE: it does not offer this, and err says what it offers. The device is then as it was. */
NNC_API nnc_status nnc_prices_load(nnc_specs *specs, const char *seller, nnc_offer offer,
                                   const char *region, nnc_device *device, nnc_error *err);

/* Carbon intensity of the electricity of a country or of a cloud's region. The texts live in the set's
 * arena. */
typedef struct nnc_region {
    char id[48], name[64], seller[16]; /* seller "" = a country */
    double carbon_g_per_kwh;           /* where the machines stand, not what certificates say */
    int32_t year;                      /* 0 = not stated */
    const char *source;
} nnc_region;

/* What a building takes beside its machines, by operator. */
typedef struct nnc_building {
    char id[48], name[96];
    double pue; /* energy of the building over that of its machines */
    int32_t year;
    const char *source;
} nnc_building;

/* By id or name, in capitals or not, from grid/buildings.json of the data folders. NNC_UNKNOWN_ID names the
 * nearest. */
NNC_API nnc_status nnc_building_load(nnc_specs *specs, const char *id_or_name,
                                     nnc_building *building, nnc_error *err);

/* By id or name, in capitals or not, from grid/regions.json of the data folders. NNC_UNKNOWN_ID names the
 * nearest. */
NNC_API nnc_status nnc_region_load(nnc_specs *specs, const char *id_or_name, nnc_region *region,
                                   nnc_error *err);

/* One field by its dotted name, "scale_up.bytes_per_s", "matmul_flops_per_s.bf16": the names of the file,
 * which `nncost show` lists. _number: numbers and switches (0, 1); NaN = not recorded. _text: any field, as
 * `nncost show` prints it ("-" = not recorded), cut at size bytes, the NUL included. NNC_BAD_USAGE: no such
 * field (err names the nearest), or no number. */
NNC_API nnc_status nnc_device_number(const nnc_device *device, const char *field, double *value,
                                     nnc_error *err);
NNC_API nnc_status nnc_device_text(const nnc_device *device, const char *field, char *text,
                                   size_t size, nnc_error *err);
NNC_API nnc_status nnc_model_number(const nnc_model *model, const char *field, double *value,
                                    nnc_error *err);
NNC_API nnc_status nnc_model_text(const nnc_model *model, const char *field, char *text,
                                  size_t size, nnc_error *err);
NNC_API nnc_status nnc_software_number(const nnc_software *software, const char *field,
                                       double *value, nnc_error *err);
NNC_API nnc_status nnc_software_text(const nnc_software *software, const char *field, char *text,
                                     size_t size, nnc_error *err);
NNC_API nnc_status nnc_plan_text(const nnc_plan *plan, const char *field, char *text, size_t size,
                                 nnc_error *err);

/* Sets one field by its dotted name from text, with the limits of files:
 * nnc_device_set(copy, "scale_up.bytes_per_s", "450e9", &err). err->where is the name. NNC_BAD_USAGE: no
 * such field, no such value; nothing is changed then. */
NNC_API nnc_status nnc_device_set(nnc_device *device, const char *field, const char *value,
                                  nnc_error *err);
NNC_API nnc_status nnc_model_set(nnc_model *model, const char *field, const char *value,
                                 nnc_error *err);
NNC_API nnc_status nnc_software_set(nnc_software *software, const char *field, const char *value,
                                    nnc_error *err);
NNC_API nnc_status nnc_plan_set(nnc_plan *plan, const char *field, const char *value,
                                nnc_error *err);

/* Cross-field rules (heads divide by kv_heads, wrap has one entry per axis ...), run after reading
 * and again after nnc_..._set. name stands in messages; NULL = none. */
NNC_API nnc_status nnc_device_check(const nnc_device *device, const char *name, nnc_error *err);
NNC_API nnc_status nnc_model_check(const nnc_model *model, const char *name, nnc_error *err);

/* What kinds of spec there are. */
typedef enum nnc_spec_kind {
    NNC_SPEC_DEVICE,
    NNC_SPEC_MODEL,
    NNC_SPEC_SOFTWARE,
    NNC_SPEC_KIND_COUNT
} nnc_spec_kind;

/* Ids that can be loaded, sorted, each once; they live in the set's arena. */
NNC_API nnc_status nnc_specs_list(nnc_specs *specs, nnc_spec_kind kind, const char *const **ids,
                                  int32_t *count, nnc_error *err);

/* Every fault of a file, one call of report per fault; returns the number of faults.
 * The kind is taken from the file's "schema". */
typedef void nnc_fault_fn(void *context, const nnc_error *fault);
NNC_API int nnc_spec_validate(nnc_specs *specs, const char *path, nnc_fault_fn *report,
                              void *context);

#ifdef NNC_STATIC_LINKING_ONLY

/* As nnc_profiles_get, into a struct of the caller's, without any. */
nnc_status nnc_profiles_load(nnc_specs *specs, nnc_profiles *profiles, nnc_error *err);

/* As nnc_..._parse, into a struct of the caller's. */
nnc_status nnc_device_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size,
                                 nnc_device *device, nnc_error *err);
nnc_status nnc_model_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size,
                                nnc_model *model, nnc_error *err);
nnc_status nnc_software_parse_into(nnc_specs *specs, const char *name, const char *text,
                                   size_t size, nnc_software *software, nnc_error *err);

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef __cplusplus
}
#endif

#endif
