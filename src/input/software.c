/* Software profiles: reading them, the frameworks that each stands for, and the choice of a profile by the
 * plan. */
#include "input/input_internal.h"

static const nnc_field compared_fields[] = {
    { NNC_FIELD(nnc_track, device), .required = true, .help = "Id of a device." },
    { NNC_FIELD(nnc_track, family), .required = true,
      .help = "Family of models; \"experts\" for decoders with experts." },
    { NNC_FIELD(nnc_track, rows), .max = 1e9, .required = true, .help = "Measured steps." },
    { NNC_FIELD(nnc_track, unseen), .max = 1e9, .required = true,
      .help = "Measured steps from groups that no fit has used." },
    { NNC_FIELD(nnc_track, error), .max = 1e3, .required = true,
      .help = "Mean absolute value of predicted / measured - 1." },
    { NNC_FIELD(nnc_track, bias), .min = -1, .max = 1e3, .required = true,
      .help = "Mean of predicted / measured - 1." },
};
static const nnc_field range_fields[] = {
    { NNC_FIELD(nnc_range, device), .required = true, .help = "Id of a device." },
    { NNC_FIELD(nnc_range, of), .required = true,
      .help = "Id of a graph network, else the family of models; \"experts\" for decoders with "
              "experts." },
    { NNC_FIELD(nnc_range, own), .max = 5, .above_min = true, .required = true,
      .help = "Replaces all parts of spread except network and idle." },
};
const nnc_field_table nnc_range_table = { "range", range_fields, NNC_COUNT_OF(range_fields) };

const nnc_field_table nnc_track_table = { "comparison", compared_fields,
                                          NNC_COUNT_OF(compared_fields) };

void nnc_software_read(nnc_json root, const char *stem, void *spec)
{
    nnc_software *software = spec;
    static const char *const no_keys[] = { NULL };
    static const char *const other_keys[] = { "schema",  "sources",  "references", "stands_for",
                                              "like",    "compared", "ranges",     "recipes",
                                              "aliases", NULL };
    *software = nnc_software_default();
    nnc_read_object(root, &nnc_software_table, other_keys, software);
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        return;
    }
    nnc_read_identity(root, "nncost.software/1", stem);
    nnc_read_sources(root, &nnc_software_table, other_keys, &software->sources,
                     &software->source_count);
    software->stands_for =
        nnc_read_objects(nnc_json_get(root, "stands_for"), &nnc_framework_table, no_keys,
                         sizeof(nnc_framework), &software->stands_for_count);
    software->recipes = nnc_read_objects(nnc_json_get(root, "recipes"), &nnc_recipe_table, no_keys,
                                         sizeof(nnc_recipe), &software->recipe_count);
    software->compared = nnc_read_objects(nnc_json_get(root, "compared"), &nnc_track_table, no_keys,
                                          sizeof(nnc_track), &software->compared_count);
    software->ranges = nnc_read_objects(nnc_json_get(root, "ranges"), &nnc_range_table, no_keys,
                                        sizeof(nnc_range), &software->range_count);
    nnc_read_fitted(root, "spread", &software->sources, &software->source_count);
    nnc_read_fitted(root, "serving", &software->sources, &software->source_count);
    char why[NNC_IMPLAUSIBLE_TEXT];
    software->implausible =
        root.doc->faults->count == 0 && !nnc_software_is_plausible(software, why, sizeof why);
    if (software->implausible && !root.doc->lenient) {
        nnc_json_fault(root, "implausible", "%s; --lenient computes with it", why);
    }
    software->serving.fitted = nnc_json_type_of(nnc_json_get(root, "serving")) == NNC_JSON_OBJECT;
}

nnc_status nnc_software_asked(nnc_specs *specs, const char *asked, nnc_software *software,
                              nnc_error *err)
{
    const nnc_software *loaded = NULL;
    nnc_error missing = { 0 };
    *software = nnc_software_default();
    nnc_status status =
        nnc_software_load(specs, asked != NULL ? asked : software->id, &loaded, &missing);
    if (status == NNC_UNKNOWN_ID && asked == NULL) {
        return NNC_OK; /* no data folder has profiles */
    }
    if (status == NNC_OK) {
        *software = *loaded;
    } else {
        *err = missing;
    }
    return status;
}

/* Loads a profile; the neutral one if no folder has it. */
static nnc_status load_or_neutral(nnc_specs *specs, const char *id, const nnc_software **software,
                                  nnc_error *err)
{
    const nnc_status status = nnc_software_load(specs, id, software, err);
    if (status != NNC_UNKNOWN_ID) {
        return status;
    }
    if (strcmp(id, NNC_SOFTWARE_DEFAULT) != 0) {
        return load_or_neutral(specs, NNC_SOFTWARE_DEFAULT, software, err);
    }
    nnc_software *made = nnc_arena_alloc(nnc_specs_arena(specs), sizeof *made);
    NNC_GOT(made, err);
    *made = nnc_software_default();
    *software = made;
    return NNC_OK;
}

static const char *const profile_ids[NNC_PROFILE_KINDS] = {
    [NNC_PROFILE_COPIES] = "torch-compile", [NNC_PROFILE_SHARDED] = "fsdp",
    [NNC_PROFILE_SPLIT] = "megatron",       [NNC_PROFILE_TPU] = "maxtext",
    [NNC_PROFILE_EAGER] = "torch-eager",
};

nnc_status nnc_profile_load(nnc_specs *specs, nnc_profile_kind kind, const nnc_software **software,
                            nnc_error *err)
{
    return load_or_neutral(specs, profile_ids[kind], software, err);
}

nnc_status nnc_profiles_load(nnc_specs *specs, nnc_profiles *profiles, nnc_error *err)
{
    profiles->any = false;
    for (int i = 0; i < NNC_PROFILE_KINDS; i++) {
        NNC_TRY(load_or_neutral(specs, profile_ids[i], &profiles->of[i], err));
    }
    return NNC_OK;
}

nnc_status nnc_profiles_get(nnc_specs *specs, bool any, const nnc_profiles **profiles,
                            nnc_error *err)
{
    nnc_profiles *made = NULL;
    NNC_TRY(nnc_need("nnc_profiles_get", "specs", specs != NULL, err));
    NNC_TRY(nnc_need("nnc_profiles_get", "profiles", profiles != NULL, err));
    *profiles = NULL;
    made = nnc_arena_alloc(nnc_specs_arena(specs), sizeof *made);
    NNC_GOT(made, err);
    NNC_TRY(nnc_profiles_load(specs, made, err));
    made->any = any;
    *profiles = made;
    return NNC_OK;
}

bool nnc_software_is_chosen(const char *asked)
{
    return asked == NULL || strcmp(asked, NNC_SOFTWARE_ANY) == 0;
}

nnc_status nnc_profiles_asked(nnc_specs *specs, const char *asked, nnc_profiles *profiles,
                              nnc_error *err)
{
    const nnc_software *one = NULL;
    if (nnc_software_is_chosen(asked)) {
        NNC_TRY(nnc_profiles_load(specs, profiles, err));
        profiles->any = asked != NULL;
        return NNC_OK;
    }
    NNC_TRY(nnc_software_load(specs, asked, &one, err));
    *profiles = (nnc_profiles){ .any = false };
    for (int i = 0; i < NNC_PROFILE_KINDS; i++) {
        profiles->of[i] = one;
    }
    return NNC_OK;
}
