/* Reads catalogues: prices of sellers, carbon intensity of regions, energy overhead (PUE) of buildings. Every entry
 * states its source. Every price states its source, its place and its date. */
#include <assert.h>
#include <strings.h>

#include "input/input_internal.h"

typedef struct entry {
    char device[48], region[48];
    nnc_offer offer;
    nnc_price price;
} entry;

/* The entries of one catalogue file. A file has one of three kinds of entries (prices, regions or buildings), so only
 * one of the three lists has elements. */
typedef struct catalogue {
    char id[48], name[96];
    entry *entries;
    nnc_region *regions;
    nnc_building *buildings;
    int32_t entry_count, region_count, building_count;
    const char *asked; /* id, name or code of the region for which the user wants values */
} catalogue;

static const nnc_field catalogue_fields[] = {
    { NNC_FIELD(catalogue, id), .required = true, .help = "Name of the file without \".json\"." },
    { NNC_FIELD(catalogue, name), .required = true, .help = "Full name of the seller or of the list." },
};
static const nnc_field_table catalogue_table = { "catalogue", catalogue_fields, NNC_COUNT_OF(catalogue_fields) };

static const nnc_field entry_fields[] = {
    { NNC_FIELD(entry, device), .required = true, .help = "Id of the device." },
    { NNC_FIELD(entry, offer), NNC_FIELD_NAMES(nnc_offer, NNC_OFFER_COUNT), .required = true,
      .help = "Terms on which the device is rented: on-demand, spot or reserved." },
    { NNC_FIELD_IN(entry, price, per_device_hour), .max = 1e6, .above_min = true, .required = true,
      .help = "Price of one device for one hour." },
    { NNC_FIELD_IN(entry, price, currency), .required = true, .help = "Currency of the price, an ISO 4217 code." },
    { NNC_FIELD(entry, region), .help = "The seller's name of the region." },
};
static const nnc_field_table entry_table = { "price", entry_fields, NNC_COUNT_OF(entry_fields) };

static const nnc_field region_fields[] = {
    { NNC_FIELD(nnc_region, id), .required = true,
      .help = "ISO 3166 code of a country, or the seller's name of the region." },
    { NNC_FIELD(nnc_region, name), .required = true, .help = "Full name of the region." },
    { NNC_FIELD(nnc_region, seller), .help = "Seller of the region; empty for a country." },
    { NNC_FIELD(nnc_region, carbon_g_per_kwh), .unit = "g/kWh", .max = 1e4, .required = true,
      .help = "Carbon intensity of the electricity." },
    { NNC_FIELD(nnc_region, year), .min = 1990, .max = 2100,
      .help = "Year in which the carbon intensity was measured." },
};
static const nnc_field_table region_table = { "region", region_fields, NNC_COUNT_OF(region_fields) };

static const nnc_field building_fields[] = {
    { NNC_FIELD(nnc_building, id), .required = true, .help = "Short name of the operator of the data centre." },
    { NNC_FIELD(nnc_building, name), .required = true, .help = "Full name of the operator." },
    { NNC_FIELD(nnc_building, pue), .min = 1, .max = 10, .required = true,
      .help = "Power usage effectiveness: energy of the building divided by the energy of its machines." },
    { NNC_FIELD(nnc_building, year), .min = 1990, .max = 2100, .required = true,
      .help = "Year in which the PUE was measured." },
};
static const nnc_field_table building_table = { "building", building_fields, NNC_COUNT_OF(building_fields) };

static const char PRICES[] = "nncost.prices/1", GRID[] = "nncost.grid/1", BUILDINGS[] = "nncost.buildings/1";

static bool is(nnc_json root, const char *schema) {
    const nnc_json at = nnc_json_get(root, "schema");
    return nnc_json_type_of(at) == NNC_JSON_TEXT && strcmp(nnc_json_text(at), schema) == 0;
}

bool nnc_is_catalogue(nnc_json root) { return is(root, PRICES) || is(root, GRID) || is(root, BUILDINGS); }

/* Returns a text that every entry must have: the value of the key "source", or of "where" or "date" in a price. If the
 * key is missing, notes an error and returns NULL. */
static const char *stated(nnc_json item, const char *key) {
    const char *text = nnc_read_text(nnc_json_get(item, key));
    if (nnc_json_type_of(nnc_json_get(item, key)) == NNC_JSON_ABSENT) {
        nnc_json_fault(item, key, "missing, expected in every entry, found nothing");
    }
    return text;
}

static void read_entries(nnc_json at, catalogue *c) {
    static const char *const others[] = { "where", "date", "source", NULL };
    c->entries = nnc_read_objects(at, &entry_table, others, sizeof *c->entries, &c->entry_count);
    nnc_json item = nnc_json_first(at);
    for (int32_t i = 0; i < c->entry_count; i++, item = nnc_json_next(item)) {
        nnc_price *price = &c->entries[i].price;
        price->where = stated(item, "where");
        price->date = stated(item, "date");
        price->source = stated(item, "source");
    }
}

/* A country has an id and several codes. If the user's text c->asked is one of `codes`, replaces c->asked by the id
 * `id` of the country. */
static void take_code(nnc_json codes, const char *id, catalogue *c) {
    nnc_json code = nnc_json_first(codes);
    for (int i = nnc_json_count(codes); i > 0; i--, code = nnc_json_next(code)) {
        const char *text = nnc_read_text(code);
        c->asked = text != NULL && c->asked != NULL && strcasecmp(text, c->asked) == 0 ? id : c->asked;
    }
}

static void read_regions(nnc_json at, catalogue *c) {
    static const char *const others[] = { "source", "codes", NULL };
    c->regions = nnc_read_objects(at, &region_table, others, sizeof *c->regions, &c->region_count);
    nnc_json item = nnc_json_first(at);
    for (int32_t i = 0; i < c->region_count; i++, item = nnc_json_next(item)) {
        c->regions[i].source = stated(item, "source");
        take_code(nnc_json_get(item, "codes"), c->regions[i].id, c);
    }
}

static void read_buildings(nnc_json at, catalogue *c) {
    static const char *const others[] = { "source", NULL };
    c->buildings = nnc_read_objects(at, &building_table, others, sizeof *c->buildings, &c->building_count);
    nnc_json item = nnc_json_first(at);
    for (int32_t i = 0; i < c->building_count; i++, item = nnc_json_next(item)) {
        c->buildings[i].source = stated(item, "source");
    }
}

static void read_catalogue(nnc_json root, const char *stem, catalogue *c) {
    static const struct {
        const char *schema, *list;
        void (*read)(nnc_json at, catalogue *c);
    } kinds[] = { { PRICES, "prices", read_entries },
                  { GRID, "regions", read_regions },
                  { BUILDINGS, "buildings", read_buildings } };
    const int kind = is(root, PRICES) ? 0 : is(root, GRID) ? 1 : 2;
    const char *list = kinds[kind].list;
    const char *const others[] = { "schema", "references", list, NULL };
    nnc_read_identity(root, kinds[kind].schema, stem);
    nnc_read_object(root, &catalogue_table, others, c);
    if (nnc_json_count(nnc_json_get(root, list)) == 0) {
        nnc_json_fault(root, list, "missing, expected a list of objects, found nothing");
    } else {
        kinds[kind].read(nnc_json_get(root, list), c);
    }
}

void nnc_catalogue_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem) {
    catalogue c = { .entry_count = 0 };
    if (nnc_spec_complete(doc, specs, NNC_SPEC_KIND_COUNT)) { read_catalogue(nnc_json_root(doc), stem, &c); }
}

static nnc_status load(nnc_specs *specs, const char *path, const char *schema, catalogue *c, nnc_error *err) {
    char stem[256];
    char *text = NULL;
    size_t size = 0;
    nnc_faults faults = { .name = path, .err = err };
    NNC_TRY(nnc_specs_read(specs, path, &text, &size, err));
    nnc_json_doc doc = { .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size };
    nnc_spec_stem(path, false, stem, sizeof stem);
    if (nnc_json_parse(&doc) && nnc_spec_complete(&doc, specs, NNC_SPEC_KIND_COUNT)) {
        const nnc_json root = nnc_json_root(&doc);
        if (is(root, schema)) {
            read_catalogue(root, stem, c);
        } else {
            nnc_json_fault(root, "schema", "expected \"%s\", found another value or none", schema);
        }
    }
    nnc_json_free(&doc);
    free(text);
    return faults.status;
}

/* ---- prices of sellers ---- */

static bool suits(const entry *e, const nnc_device *device, nnc_offer offer, const char *region) {
    return strcmp(e->device, device->id) == 0 && e->offer == offer &&
           (region == NULL || strcasecmp(e->region, region) == 0);
}

/* Reports that a catalogue has no price for the user's request. The error lists the prices for the device. Without
 * prices for the device, the error lists the devices for which the seller has prices. */
static nnc_status fail_offer(const char *seller, const catalogue *c, const nnc_device *device, nnc_offer offer,
                             const char *region, nnc_error *err) {
    char known[256] = "";
    bool same = false;
    for (int32_t i = 0; i < c->entry_count; i++) { same = same || strcmp(c->entries[i].device, device->id) == 0; }
    for (int32_t i = 0; i < c->entry_count; i++) {
        const entry *e = &c->entries[i];
        if (same ? strcmp(e->device, device->id) == 0 : i == 0 || strcmp(e->device, e[-1].device) != 0) {
            nnc_text_append(known, sizeof known, ", ", "%s%s%s", same ? nnc_offer_name(e->offer) : e->device,
                            same && e->region[0] ? " in " : "", same ? e->region : "");
        }
    }
    return nnc_fail(err, NNC_BAD_USAGE, "--seller", "%s has no price of %s %s%s%s, expected one of %s", seller,
                    device->id, nnc_offer_name(offer), region != NULL ? " in " : "", region != NULL ? region : "",
                    known);
}

nnc_status nnc_prices_load(nnc_specs *specs, const char *seller, nnc_offer offer, const char *region,
                           nnc_device *device, nnc_error *err) {
    static const nnc_spec_info lists = {
        .what = "seller", .plural = "prices", .folder = "prices", .argument = "--seller"
    };
    NNC_NEED(specs);
    NNC_NEED(seller);
    NNC_NEED(device);
    assert(seller != NULL && device != NULL); /* NNC_NEED has checked that both pointers are not NULL */
    catalogue c = { .entry_count = 0 };
    const char *path = seller;
    if (!nnc_is_path(seller)) {
        char id[64];
        snprintf(id, sizeof id, "%s", seller);
        for (char *at = id; *at; at++) { *at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at); }
        NNC_TRY(nnc_specs_find_like(specs, &lists, id, &path, err));
    }
    NNC_TRY(load(specs, path, PRICES, &c, err));
    nnc_price *prices = nnc_arena_array(nnc_specs_arena(specs), (size_t)c.entry_count, sizeof *prices);
    int32_t count = 0;
    if (prices == NULL) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    for (int32_t i = 0; i < c.entry_count; i++) {
        if (suits(&c.entries[i], device, offer, region)) { prices[count++] = c.entries[i].price; }
    }
    if (count == 0) { return fail_offer(seller, &c, device, offer, region, err); }
    device->prices = prices;
    device->price_count = count;
    return NNC_OK;
}

/* ---- regions and buildings ---- */

/* Loads a catalogue (regions or buildings) from a data folder. Returns NNC_UNKNOWN_ID if no data folder has the
 * file. */
static nnc_status open_grid(nnc_specs *specs, const char *file, const char *schema, const char *option, catalogue *c,
                            nnc_error *err) {
    const char *path = NULL;
    NNC_TRY(nnc_specs_file(specs, file, &path, err));
    return path != NULL ? load(specs, path, schema, c, err)
                        : nnc_fail(err, NNC_UNKNOWN_ID, option,
                                   "expected %s in NNCOST_PATH or the installed data, found none", file);
}

/* Finds an entry of a list by its id or name `asked`, in upper or lower case, and copies the entry to *found. The first
 * member of each struct in `list` is the id. If no entry has the id or name, returns NNC_UNKNOWN_ID, and err names the
 * most similar id or name. */
static nnc_status find(nnc_specs *specs, const char *asked, const void *list, int32_t count, size_t size,
                       size_t name_at, const char *option, const char *expected, void *found, nnc_error *err) {
    const char **names = nnc_arena_array(nnc_specs_arena(specs), 2 * (size_t)count + 1, sizeof *names);
    NNC_GOT(names, err);
    for (size_t i = 0; i < (size_t)count; i++) {
        const char *id = (const char *)list + i * size;
        if (strcasecmp(id, asked) == 0 || strcasecmp(id + name_at, asked) == 0) {
            memcpy(found, id, size);
            return NNC_OK;
        }
        names[2 * i] = id;
        names[2 * i + 1] = id + name_at;
    }
    const char *near = nnc_nearest(asked, names, 2 * (size_t)count);
    return nnc_fail(err, NNC_UNKNOWN_ID, option, "expected %s%s%s%s, found \"%.60s\"", expected,
                    near != NULL ? ", nearest \"" : "", near != NULL ? near : "", near != NULL ? "\"" : "", asked);
}

nnc_status nnc_region_load(nnc_specs *specs, const char *id_or_name, nnc_region *region, nnc_error *err) {
    catalogue c = { .asked = id_or_name };
    NNC_NEED(specs);
    NNC_NEED(id_or_name);
    NNC_NEED(region);
    NNC_TRY(open_grid(specs, "grid/regions.json", GRID, "--region", &c, err));
    return find(specs, c.asked, c.regions, c.region_count, sizeof *region, offsetof(nnc_region, name), "--region",
                "a country, its ISO code or a cloud's region", region, err);
}

nnc_status nnc_building_load(nnc_specs *specs, const char *id_or_name, nnc_building *building, nnc_error *err) {
    catalogue c = { .entry_count = 0 };
    NNC_NEED(specs);
    NNC_NEED(id_or_name);
    NNC_NEED(building);
    NNC_TRY(open_grid(specs, "grid/buildings.json", BUILDINGS, "--building", &c, err));
    return find(specs, id_or_name, c.buildings, c.building_count, sizeof *building, offsetof(nnc_building, name),
                "--building", "an operator such as google or aws", building, err);
}
