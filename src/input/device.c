/* Reads devices and the links of clusters. A device file separates values of the datasheet from fitted values. A
 * cluster file replaces the links of a device: the datasheet describes one server, but the servers of a cluster may
 * have other links. */
#include "input/input_internal.h"

static const nnc_field scale_up_fields[] = {
    { NNC_FIELD(nnc_scale_up, kind), NNC_FIELD_NAMES(nnc_link_kind, NNC_LINK_KIND_COUNT), .required = true,
      .help = "Topology of one scale-up domain." },
    { NNC_FIELD(nnc_scale_up, devices), .min = 1, .max = 1e6, .help = "Number of devices in one scale-up domain." },
    { NNC_FIELD(nnc_scale_up, dims), NNC_FIELD_COUNTED(nnc_scale_up, dims, dims_count), .min = 1, .max = 1e6,
      .help = "Torus: the length of each axis." },
    { NNC_FIELD(nnc_scale_up, wrap), NNC_FIELD_COUNTED(nnc_scale_up, wrap, wrap_count),
      .help = "Torus: whether the links of an axis form a closed ring." },
    { NNC_FIELD(nnc_scale_up, bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .min = 1e6, .usual = 2e11,
      .help = "Bandwidth of one device in one direction; torus: of one link." },
    { NNC_FIELD(nnc_scale_up, latency_s), .unit = "s", .max = 0.1, .usual = 3e-6,
      .help = "Latency of one step of a collective." },
    { NNC_FIELD(nnc_scale_up, knee_bytes), .unit = "B", .max = NNC_BYTES_MAX, .default_text = "0",
      .help = "Message size that takes twice as long as at full bandwidth; 0 = every size reaches full bandwidth." },
    { NNC_FIELD(nnc_scale_up, reduces_in_switch), .help = "The switch performs reductions." },
};

static const nnc_field scale_out_fields[] = {
    { NNC_FIELD(nnc_scale_out, bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .min = 1e6, .usual = 5e10,
      .help = "Network bandwidth of one device in one direction." },
    { NNC_FIELD(nnc_scale_out, latency_s), .unit = "s", .max = 0.1, .usual = 3e-6,
      .help = "Latency of one step of a collective." },
    { NNC_FIELD(nnc_scale_out, knee_bytes), .unit = "B", .max = NNC_BYTES_MAX, .default_text = "0",
      .help = "Message size that takes twice as long as at full bandwidth; 0 = every size reaches full bandwidth." },
    { NNC_FIELD(nnc_scale_out, oversubscription), .min = 1, .max = 1e3, .default_text = "1",
      .help = "Total bandwidth of the nodes divided by the bandwidth of the network core." },
};

static const nnc_field host_fields[] = {
    { NNC_FIELD(nnc_host_link, bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .min = 1e6, .usual = 5e10,
      .help = "Bandwidth between device and host memory in one direction." },
    { NNC_FIELD(nnc_host_link, mem_bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .min = 1e6, .usual = 5e10,
      .help = "Bandwidth of the host's memory, divided by the number of devices of the host." },
    { NNC_FIELD(nnc_host_link, kernel_s), .unit = "s", .max = 1, NNC_DEFAULT_AS(NNC_HOST_USUAL_S, "3.75e-5"),
      .help = "Time to issue one kernel of a program that is not compiled; --host sets it. 0 = "
              "the device is its own host." },
    { NNC_FIELD(nnc_host_link, new_bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .min = 1e6, .usual = 2e9,
      .help = "Bytes per second that the operating system can map at the first write to new memory (page faults), "
              "without the time of the write. On a CPU each step writes some of its tensors to new memory." },
};

static const nnc_field node_power_fields[] = {
    { NNC_FIELD(nnc_node_power, idle_w), .unit = "W", .max = 1e6,
      .help = "Power of an idle node, divided by its number of devices." },
    { NNC_FIELD(nnc_node_power, busy_w), .unit = "W", .max = 1e6, .above_min = true,
      .help = "Power of a node that computes without waiting, divided by its number of devices." },
};

static const nnc_field mtbf_fields[] = {
    { NNC_FIELD(nnc_mtbf, any_s), .unit = "s", .max = 1e12, .above_min = true,
      .help = "Device-seconds between failures of any cause." },
    { NNC_FIELD(nnc_mtbf, hardware_s), .unit = "s", .max = 1e12, .above_min = true,
      .help = "Device-seconds between failures of the hardware." },
};

static const nnc_field device_fields[] = {
    { NNC_FIELD(nnc_device, id), .required = true,
      .help = "Name of the file without \".json\"; the command line uses this name." },
    { NNC_FIELD(nnc_device, name), .default_text = "id", .help = "Full name of the device." },
    { NNC_FIELD(nnc_device, vendor), .help = "Company that makes the device." },
    { NNC_FIELD(nnc_device, architecture), .help = "Name of the hardware generation, such as Hopper." },
    { NNC_FIELD(nnc_device, year), .min = 1990, .max = 2100, .help = "Year in which the device was released." },
    { NNC_FIELD(nnc_device, units), .min = 1, .max = 1e6,
      .help = "Number of streaming multiprocessors, compute units or tensor cores. If --set changes this field, "
              "nncost also scales each peak that --set does not change." },
    { NNC_FIELD(nnc_device, wave), .min = 1, .max = 1024, .default_text = "32",
      .help = "Number of threads that execute an instruction together: a warp has 32, a wave of CDNA has 64." },
    { NNC_FIELD(nnc_device, clock_hz), .unit = "Hz", .max = 1e12, .min = 1e6, .usual = 1.5e9,
      .help = "Clock at which the peaks are stated (boost clock). If --set changes this field, nncost also scales "
              "each peak that --set does not change." },
    { NNC_FIELD(nnc_device, matmul_flops_per_s), .unit = "FLOP/s", .max = NNC_RATE_MAX, .required = true, .min = 1e9,
      .usual = 3e14, .help = "Dense peak of the matrix units, by number format." },
    { NNC_FIELD(nnc_device, vector_flops_per_s), .unit = "FLOP/s", .max = NNC_RATE_MAX, .min = 1e9, .usual = 3e13,
      .help = "Peak of the vector units, by number format." },
    { NNC_FIELD(nnc_device, mem_bytes), .unit = "B", .min = 1e6, .usual = 5e10, .max = NNC_BYTES_MAX, .required = true,
      .help = "Capacity of the device memory, as its driver reports it." },
    { NNC_FIELD(nnc_device, usable_bytes), .unit = "B", .min = 1e6, .usual = 5e10, .max = NNC_BYTES_MAX,
      .help =
          "Part of the memory that one process can use, including its driver context; not given: all of the memory." },
    { NNC_FIELD(nnc_device, mem_bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .required = true, .min = 1e8,
      .usual = 2e12, .help = "Peak bandwidth of the device memory." },
    { NNC_FIELD(nnc_device, l2_bytes), .unit = "B", .min = 1e3, .usual = 5e7, .max = NNC_BYTES_MAX,
      .help = "Total size of the last-level cache on the chip." },
    { NNC_FIELD(nnc_device, scratch_bytes), .unit = "B", .min = 1e3, .usual = 2e5, .max = NNC_BYTES_MAX,
      .help = "Software-managed memory of one unit." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_device, scale_up), NNC_FIELD_TABLE(scale_up_fields),
      .help = "The fast fabric between devices." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_device, scale_out), NNC_FIELD_TABLE(scale_out_fields),
      .help = "The network between servers." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_device, host), NNC_FIELD_TABLE(host_fields),
      .help = "The link between device and host memory." },
    { NNC_FIELD(nnc_device, power_w), .unit = "W", .max = 1e6, .above_min = true, .help = "Board power limit." },
    { NNC_FIELD(nnc_device, power_cap_w), .unit = "W", .max = 1e6, .above_min = true,
      .help = "Power limit that the operator set, below the limit of the board; not given: the limit of the board." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_device, node_power), NNC_FIELD_TABLE(node_power_fields),
      .help = "Measured power of a node in training, divided by its number of devices." },
    { NNC_FIELD(nnc_device, embodied_kg), .unit = "kg", .max = 1e6, .above_min = true,
      .help = "Embodied carbon dioxide, with the scope of its source." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_device, mtbf), NNC_FIELD_TABLE(mtbf_fields),
      .help = "Mean time between failures of a training job, multiplied by its number of devices." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_device, efficiency), NNC_FIELD_TABLE(nnc_efficiencies_fields),
      .help = "Fitted parameters, separate from the datasheet." },
};

const nnc_field_table nnc_device_table = { "device", device_fields, NNC_COUNT_OF(device_fields) };

static const char *const other_keys[] = { "schema",  "aliases",    "prices", "instances",
                                          "sources", "references", "like",   NULL };

static const nnc_field price_fields[] = {
    { NNC_FIELD(nnc_price, per_device_hour), .max = 1e6, .required = true,
      .help = "Price of one device for one hour." },
    { NNC_FIELD(nnc_price, currency), .required = true, .help = "Currency of the price, an ISO 4217 code." },
};
const nnc_field_table nnc_price_table = { "price", price_fields, NNC_COUNT_OF(price_fields) };

/* Checks "instances": names of servers that clouds rent out, and the number of devices in each server. Names of servers
 * are not stored in the device; nnc_folders reads the names from the file to suggest a device name in messages. */
static void check_instances(nnc_json at) {
    for (nnc_json one = nnc_json_first(at); one.node != NULL; one = nnc_json_next(one)) {
        if (nnc_json_type_of(one) != NNC_JSON_NUMBER || nnc_json_number(one) < 1) {
            nnc_json_mismatch(one, "not possible", "the number of devices of the server");
        }
    }
}

static void read_prices(nnc_json at, nnc_device *device) {
    static const char *const others[] = { "where", "date", "source", NULL };
    nnc_price *prices = nnc_read_objects(at, &nnc_price_table, others, sizeof(*prices), &device->price_count);
    nnc_json item = nnc_json_first(at);
    for (int32_t i = 0; i < device->price_count; i++, item = nnc_json_next(item)) {
        nnc_price *price = &prices[i];
        price->where = nnc_read_text(nnc_json_get(item, "where"));
        price->date = nnc_read_text(nnc_json_get(item, "date"));
        price->source = nnc_read_text(nnc_json_get(item, "source"));
        /* an entry of "prices" must state a date, and a place or a source */
        if (nnc_json_go_on(item) && price->date == NULL) {
            nnc_json_fault(item, "date", "missing, expected together with a price, found nothing");
        } else if (nnc_json_go_on(item) && price->where == NULL && price->source == NULL) {
            nnc_json_fault(item, "where", "missing, expected where or source with a price, found neither");
        }
    }
    device->prices = prices;
}

static void link_rules(nnc_json at, const nnc_scale_up *link) {
    int64_t devices = 1;
    if (link->kind != NNC_LINK_TORUS) {
        if (link->dims_count > 0 || link->wrap_count > 0) {
            nnc_json_fault(at, link->dims_count > 0 ? "scale_up.dims" : "scale_up.wrap",
                           "does not apply, expected nothing for kind %s, found a list",
                           nnc_link_kind_name(link->kind));
        }
        return;
    }
    for (int32_t i = 0; i < link->dims_count; i++) {
        devices *= link->dims[i]; /* at most three axis lengths of at most 1e6 each, so the product cannot overflow */
    }
    if (link->dims_count == 0) {
        nnc_json_fault(at, "scale_up.dims", "missing, expected the length of one axis or more, found nothing");
    } else if (link->wrap_count != link->dims_count) {
        nnc_json_fault(at, "scale_up.wrap", "wrong length, expected %d, one per axis, found %d", link->dims_count,
                       link->wrap_count);
    } else if (link->devices != 0 && devices != link->devices) {
        nnc_json_fault(at, "scale_up.devices", "is not the product of dims, expected %lld, found %d",
                       (long long)devices, link->devices);
    }
}

/* Checks rules between the fields of a device. at: the JSON value at which faults are noted. For a device file, `at` is
 * the root of the file. For a device without a file, `at` is a JSON value whose document has only a list of faults. */
static void device_rules(nnc_json at, const nnc_device *device) {
    int peaks = 0;
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) { peaks += device->matmul_flops_per_s[i] > 0; }
    nnc_check_ranges(at, &nnc_device_table, device);
    if (peaks == 0) { nnc_json_fault(at, "matmul_flops_per_s", "empty, expected at least one peak, found none"); }
    link_rules(at, &device->scale_up);
}

/* Tests whether a device file states a rate. A rate that the file inherits by its key "like" is not stated by this
 * file. */
static bool says_rate(nnc_json root) {
    static const char *const rates[] = { "units",           "clock_hz", "matmul_flops_per_s", "vector_flops_per_s",
                                         "mem_bytes_per_s", "l2_bytes", "scratch_bytes",      NULL };
    nnc_json at = nnc_json_first(root);
    while (at.node != NULL && (nnc_json_inherited(at) || !nnc_is_one_of(nnc_json_key(at), rates))) {
        at = nnc_json_next(at);
    }
    return at.node != NULL;
}

static bool says_basis(nnc_json root) {
    const nnc_json all = nnc_json_get(root, "efficiency"), basis = nnc_json_get(all, "basis");
    return basis.node != NULL && !nnc_json_inherited(all) && !nnc_json_inherited(basis);
}

/* Returns the basis (kind of measurements) of the efficiencies. If a file inherits the efficiencies by its key "like"
 * but sets a rate itself, the efficiencies were measured on another device, so the basis is "default". */
static nnc_basis basis_of(nnc_json root, nnc_basis basis) {
    for (const nnc_json_doc *doc = root.doc; doc->like != NULL; doc = doc->like) {
        if (says_basis(nnc_json_root(doc))) { return basis; }
        if (says_rate(nnc_json_root(doc))) { return basis > NNC_BASIS_DEFAULT ? NNC_BASIS_DEFAULT : basis; }
    }
    return basis;
}

/* Fills in the fitted values of the number formats for which the file has no values. A number format without values
 * gets the values of another format: for a format below 16 bits, fp8 is tried first; for any other format, the 16-bit
 * formats are tried first. The traffic of the L2 cache per FLOP is proportional to the bytes of an element of the
 * format. */
static void fill_formats(nnc_json gemm, nnc_efficiencies *e) {
    static const double bytes_of[NNC_DTYPE_COUNT] = {
#define BYTES(name, text, bytes) [name] = (bytes),
        NNC_DTYPE_LIST(BYTES)
#undef BYTES
    };
    static const nnc_dtype narrow[] = { NNC_FP8, NNC_BF16, NNC_FP16 };
    static const nnc_dtype wide[] = { NNC_BF16, NNC_FP16, NNC_FP8 };
    enum { NEAR = 3 };
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        const nnc_dtype dtype = (nnc_dtype)i;
        const nnc_dtype *near = bytes_of[i] < 2.0 ? narrow : wide;
        int k = 0;
        while (k < NEAR && nnc_json_get(gemm, nnc_dtype_name(near[k])).node == NULL) { k++; }
        if (k < NEAR && nnc_json_get(gemm, nnc_dtype_name(dtype)).node == NULL) {
            e->gemm[i] = e->gemm[near[k]];
            e->gemm[i].l2_bytes_per_flop *= bytes_of[i] / bytes_of[near[k]];
            /* fp32 and fp64 run on the vector units; only products on the matrix units need aligned dimensions */
            if (dtype == NNC_FP32 || dtype == NNC_FP64) {
                e->gemm[i].unaligned_ratio = 1.0;
                e->gemm[i].unaligned_backward_ratio = (double)NAN;
            }
        }
    }
}

static nnc_rated rated_of(const nnc_device *device) {
    nnc_rated rated = { .units = device->units, .clock_hz = device->clock_hz };
    memcpy(rated.matmul_flops_per_s, device->matmul_flops_per_s, sizeof rated.matmul_flops_per_s);
    memcpy(rated.vector_flops_per_s, device->vector_flops_per_s, sizeof rated.vector_flops_per_s);
    return rated;
}

/* Checks that the values mtbf, node_power and embodied_kg, from which failures, energy and carbon are computed, name
 * their source. If a value is inherited, the file that states the value must name the source. */
static void need_sources(nnc_json root, const nnc_device *device) {
    static const char *const keys[] = { "mtbf", "node_power", "embodied_kg" };
    for (size_t k = 0; k < NNC_COUNT_OF(keys); k++) {
        const nnc_json at = nnc_json_get(root, keys[k]);
        bool sourced = at.node == NULL || nnc_json_inherited(at);
        for (int32_t i = 0; i < device->source_count; i++) {
            /* An entry of "sources" covers a value if the key of the entry is a prefix of the key of the value, or if
             * the key of the value is a prefix of the key of the entry. */
            const char *of = device->sources[i].key;
            sourced = sourced || strncmp(of, keys[k], strlen(of)) == 0 || nnc_begins(of, keys[k]);
        }
        if (!sourced) { nnc_json_fault(root, keys[k], "has no source, expected one under \"sources\", found none"); }
    }
}

/* If the device has implausible values, refuses the device. With --lenient, marks the device as implausible instead. */
static void judge(nnc_json at, nnc_device *device) {
    char why[NNC_IMPLAUSIBLE_TEXT];
    device->implausible = at.doc->faults->count == 0 && at.doc->faults->status == NNC_OK &&
                          !nnc_device_is_plausible(device, why, sizeof why);
    if (device->implausible && !device->lenient) {
        nnc_json_fault(at, "implausible", "%s; --lenient accepts the value", why);
    }
}

/* Fractions of the link rate that collectives over PCIe reach, for kinds of collectives to which a device file gives no
 * values. Groups of eight cards reach a smaller fraction than pairs, because more cards share the bridges and sockets.
 * The measured fractions are 0.393 for a group of eight A100 of SimuMax (mean of three kinds of collectives) and 0.64
 * for pairs of L40S (collectives_aiconfigurator.csv). */
static const nnc_collective_efficiency over_pcie = { .bus_fraction = 0.377, .small_group_loss = -2.8 };
static const nnc_collective_efficiency full_rate = { .bus_fraction = 1.0 };

#define KIND(kind) \
    { #kind, offsetof(nnc_collective_efficiencies, kind) }
static const struct {
    const char *name;
    size_t offset;
} collective_kinds[] = { KIND(all_reduce), KIND(all_gather), KIND(reduce_scatter), KIND(all_to_all) };
#undef KIND

static nnc_collective_efficiency *collective_of(nnc_device *device, size_t i) {
    return (nnc_collective_efficiency *)(void *)((char *)&device->efficiency.collectives + collective_kinds[i].offset);
}

static bool same_values(const nnc_collective_efficiency *a, const nnc_collective_efficiency *b) {
    return a->bus_fraction == b->bus_fraction && a->small_group_loss == b->small_group_loss &&
           a->fixed_s == b->fixed_s && a->log2_s == b->log2_s && a->knee_bytes == b->knee_bytes;
}

/* Sets the values of the kinds of collective for which the device file has no values: the function uses the usual
 * values of the kind of link (PCIe, or another link). given: the values in the device file. */
static void fill_collectives(nnc_json given, nnc_device *device) {
    const bool pcie = device->scale_up.kind == NNC_LINK_PCIE && device->efficiency.basis != NNC_BASIS_NONE;
    const nnc_collective_efficiency *from = pcie ? &full_rate : &over_pcie, *to = pcie ? &over_pcie : &full_rate;
    for (size_t i = 0; i < NNC_COUNT_OF(collective_kinds); i++) {
        nnc_collective_efficiency *values = collective_of(device, i);
        const bool own = nnc_json_type_of(nnc_json_get(given, collective_kinds[i].name)) == NNC_JSON_OBJECT;
        if (!own && same_values(values, from)) { *values = *to; }
    }
}

/* The program calls this function after the user has changed `field`. If `field` is a bus_fraction, the value that the
 * user has set replaces both values of over_pcie (for pairs and for larger groups), so this value holds for groups of
 * all sizes. */
static void replace_over_pcie(const char *field, nnc_device *device) {
    for (size_t i = 0; i < NNC_COUNT_OF(collective_kinds); i++) {
        char name[64];
        nnc_collective_efficiency *values = collective_of(device, i);
        snprintf(name, sizeof name, "efficiency.collectives.%s.bus_fraction", collective_kinds[i].name);
        if (strcmp(field, name) == 0 && values->small_group_loss < 0.0) { values->small_group_loss = 0.0; }
    }
}

void nnc_device_read(nnc_json root, const char *stem, void *spec) {
    nnc_device *device = spec;
    memset(device, 0, sizeof *device);
    nnc_fields_init(&nnc_device_table, device);
    nnc_efficiencies_neutral(&device->efficiency);
    nnc_read_object(root, &nnc_device_table, other_keys, device);
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) { return; }
    nnc_read_identity(root, "nncost.device/1", stem);
    nnc_name_by_id(device->name, sizeof device->name, device->id);
    nnc_read_texts(nnc_json_get(root, "aliases"), &device->aliases, &device->alias_count);
    read_prices(nnc_json_get(root, "prices"), device);
    check_instances(nnc_json_get(root, "instances"));
    nnc_read_sources(root, &nnc_device_table, other_keys, &device->sources, &device->source_count);
    nnc_read_fitted(root, "efficiency", &device->sources, &device->source_count);
    need_sources(root, device);
    device->efficiency.basis = basis_of(root, device->efficiency.basis);
    device->efficiency.fitted = nnc_json_type_of(nnc_json_get(root, "efficiency")) == NNC_JSON_OBJECT;
    device->efficiency.collectives.fitted =
        nnc_json_type_of(nnc_json_get(nnc_json_get(root, "efficiency"), "collectives")) == NNC_JSON_OBJECT;
    fill_collectives(nnc_json_get(nnc_json_get(root, "efficiency"), "collectives"), device);
    device->efficiency.serving.fitted =
        nnc_json_type_of(nnc_json_get(nnc_json_get(root, "efficiency"), "serving")) == NNC_JSON_OBJECT;
    fill_formats(nnc_json_get(nnc_json_get(root, "efficiency"), "gemm"), &device->efficiency);
    device->rated = rated_of(device);
    if (nnc_json_inherited(nnc_json_get(root, "usable_bytes")) &&
        !nnc_json_inherited(nnc_json_get(root, "mem_bytes"))) {
        /* The file inherits usable_bytes from a file with another mem_bytes, so the inherited value does not hold for
         * this device. */
        device->usable_bytes = (double)NAN;
    }
    if (root.doc->faults->count == 0) { device_rules(root, device); }
    device->lenient = root.doc->lenient;
    judge(root, device);
}

nnc_status nnc_device_check(const nnc_device *device, const char *name, nnc_error *err) {
    NNC_NEED(device);
    nnc_faults faults = { .name = name, .err = err };
    const nnc_json_doc none = { .faults = &faults };
    device_rules(nnc_json_root(&none), device);
    nnc_device judged = *device;
    judge(nnc_json_root(&none), &judged);
    return faults.status;
}

/* After a change of the number of units or of the clock, multiplies the peaks by the factor of this change. Peaks that
 * the user has set with --set keep their values. */
static void scale_peaks(nnc_device *device) {
    const nnc_rated *rated = &device->rated;
    const double units = rated->units > 0 ? (double)device->units / rated->units : 1.0;
    const double clock = rated->clock_hz > 0.0 ? device->clock_hz / rated->clock_hz : 1.0;
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        if ((rated->matmul_set >> i & 1U) == 0 && rated->matmul_flops_per_s[i] > 0.0) {
            device->matmul_flops_per_s[i] = rated->matmul_flops_per_s[i] * units * clock;
        }
        if ((rated->vector_set >> i & 1U) == 0 && rated->vector_flops_per_s[i] > 0.0) {
            device->vector_flops_per_s[i] = rated->vector_flops_per_s[i] * units * clock;
        }
    }
}

/* If a name has the form "<peaks>.<format>", returns a word in which only the bit of this number format is set; 0 = the
 * name has another form. */
static uint32_t format_of(const char *field, const char *peaks) {
    const size_t length = strlen(peaks);
    for (int i = 0; strncmp(field, peaks, length) == 0 && i < NNC_DTYPE_COUNT; i++) {
        if (strcmp(field + length, nnc_dtype_name((nnc_dtype)i)) == 0) { return 1U << i; }
    }
    return 0;
}

static nnc_status set_field(nnc_device *device, const char *field, const char *value, nnc_error *err) {
    const nnc_status status = nnc_field_set(&nnc_device_table, device, field, value, err);
    if (status == NNC_OK && strcmp(field, "efficiency.basis") == 0 &&
        device->efficiency.basis == NNC_BASIS_NONE) { /* with basis "none" a device has only the values of its
                                                       * datasheet */
        nnc_efficiencies_neutral(&device->efficiency);
    } else if (status == NNC_OK && nnc_begins(field, "efficiency.")) {
        device->efficiency.fitted = true;
        device->efficiency.collectives.fitted |= nnc_begins(field, "efficiency.collectives.");
        device->efficiency.serving.fitted |= nnc_begins(field, "efficiency.serving.");
        replace_over_pcie(field, device);
    } else if (status == NNC_OK) {
        device->rated.matmul_set |= format_of(field, "matmul_flops_per_s.");
        device->rated.vector_set |= format_of(field, "vector_flops_per_s.");
        device->usable_set |= strcmp(field, "usable_bytes") == 0;
        if (strcmp(field, "mem_bytes") == 0 && !device->usable_set) { device->usable_bytes = (double)NAN; }
        if (strcmp(field, "units") == 0 || strcmp(field, "clock_hz") == 0) { scale_peaks(device); }
    }
    if (status == NNC_OK && (strcmp(field, "scale_up.kind") == 0 || strcmp(field, "efficiency.basis") == 0)) {
        fill_collectives((nnc_json){ .doc = NULL }, device);
    }
    char why[NNC_IMPLAUSIBLE_TEXT];
    device->implausible = !nnc_device_is_plausible(device, why, sizeof why);
    return status;
}

nnc_status nnc_device_set(nnc_device *device, const char *field, const char *value, nnc_error *err) {
    NNC_NEED(device);
    NNC_NEED(field);
    NNC_NEED(value);
    if (strcmp(field, NNC_LINK_SHARE) != 0) { return set_field(device, field, value, err); }
    for (size_t i = 0; i < NNC_COUNT_OF(collective_kinds); i++) {
        char name[64];
        snprintf(name, sizeof name, "efficiency.collectives.%s.bus_fraction", collective_kinds[i].name);
        NNC_TRY(set_field(device, name, value, err));
    }
    return NNC_OK;
}

/* ---- clusters ---- */

/* The bandwidth of a network. A cluster file states the bandwidth per device (link), or the NICs of a node and their
 * rate (nics_per_node, nic_bytes_per_s), which the devices of the node share. */
typedef struct network {
    nnc_scale_out link;
    int32_t nics_per_node;
    double nic_bytes_per_s;
} network;

typedef struct cluster {
    char id[48], name[96];
    int32_t devices_per_node;
    nnc_scale_up scale_up;
    network scale_out;
    nnc_host_link host;
    const nnc_source *sources;
    int32_t source_count;
} cluster;

static const nnc_field cluster_network_fields[] = {
    { NNC_FIELD_IN(network, link, bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .above_min = true,
      .help = "Network bandwidth of one device in one direction." },
    { NNC_FIELD(network, nics_per_node), .min = 1, .max = 1e6, .help = "Network interfaces (NICs) of one node." },
    { NNC_FIELD(network, nic_bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .above_min = true,
      .help = "Bandwidth of one NIC in one direction." },
    { NNC_FIELD_IN(network, link, latency_s), .unit = "s", .max = 1, .help = "Latency of one step of a collective." },
    { NNC_FIELD_IN(network, link, knee_bytes), .unit = "B", .max = 1e15, .default_text = "0",
      .help = "Message size that takes twice as long as at full bandwidth; 0 = every size reaches full bandwidth." },
    { NNC_FIELD_IN(network, link, oversubscription), .min = 1, .max = 1e3, .default_text = "1",
      .help = "Total bandwidth of the nodes divided by the bandwidth of the network core." },
};

static const nnc_field cluster_fields[] = {
    { NNC_FIELD(cluster, id), .required = true, .help = "Name of the file without \".json\"." },
    { NNC_FIELD(cluster, name), .required = true, .help = "Full name of the cluster." },
    { NNC_FIELD(cluster, devices_per_node), .min = 1, .max = 1e6, .required = true,
      .help = "Number of devices per node; the devices of a node share the network interfaces of the node." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, cluster, scale_up), NNC_FIELD_TABLE(scale_up_fields),
      .help = "The fast fabric between devices; if its key `devices` is not given, the fabric joins the devices of "
              "one node." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, cluster, scale_out), NNC_FIELD_TABLE(cluster_network_fields),
      .help = "The network between nodes." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, cluster, host), NNC_FIELD_TABLE(host_fields),
      .help = "The link between device and host memory." },
};

const nnc_field_table nnc_cluster_table = { "cluster", cluster_fields, NNC_COUNT_OF(cluster_fields) };

static const char *const cluster_keys[] = { "schema", "sources", "references", NULL };

static bool has(nnc_json root, const char *key) { return nnc_json_type_of(nnc_json_get(root, key)) == NNC_JSON_OBJECT; }

/* Computes the network bandwidth per device from the members of the cluster file: the bandwidth per device, or the
 * number and the rate of the NICs of a node. */
static void settle_network(nnc_json root, cluster *c) {
    network *n = &c->scale_out;
    const bool by_nics = n->nics_per_node > 0 || !isnan(n->nic_bytes_per_s);
    if (!isnan(n->link.bytes_per_s) && by_nics) {
        nnc_json_fault(root, "scale_out.bytes_per_s",
                       "given twice, expected either this key or nics_per_node and nic_bytes_per_s, found both");
    } else if (by_nics && (n->nics_per_node == 0 || isnan(n->nic_bytes_per_s))) {
        nnc_json_fault(root, n->nics_per_node == 0 ? "scale_out.nics_per_node" : "scale_out.nic_bytes_per_s",
                       "missing, expected nics_per_node and nic_bytes_per_s together, found one");
    } else if (by_nics) {
        n->link.bytes_per_s = n->nics_per_node * n->nic_bytes_per_s / c->devices_per_node;
    } else if (isnan(n->link.bytes_per_s)) {
        nnc_json_fault(root, "scale_out.bytes_per_s",
                       "missing, expected this key or nics_per_node and nic_bytes_per_s, found nothing");
    }
}

/* Replaces the links of *device by the links that the cluster file states. If the file has faults, *device is not valid
 * after the call. */
static void read_cluster(nnc_json root, const char *stem, nnc_device *device) {
    cluster c = { .devices_per_node = 0 };
    if (!nnc_json_expect(root, NNC_JSON_OBJECT, "an object")) { return; }
    nnc_fields_init(&nnc_cluster_table, &c);
    /* schema and id are checked first, because the file may be of another kind */
    nnc_read_identity(root, "nncost.cluster/1", stem);
    nnc_read_object(root, &nnc_cluster_table, cluster_keys, &c);
    nnc_read_sources(root, &nnc_cluster_table, cluster_keys, &c.sources, &c.source_count);
    if (has(root, "scale_up")) {
        device->scale_up = c.scale_up;
        if (isnan(c.scale_up.bytes_per_s)) {
            nnc_json_fault(root, "scale_up.bytes_per_s",
                           "missing, expected the bandwidth of one device, found nothing");
        }
    }
    if (device->scale_up.devices == 0 || !has(root, "scale_up")) { device->scale_up.devices = c.devices_per_node; }
    if (has(root, "scale_out")) {
        settle_network(root, &c);
        device->scale_out = c.scale_out.link;
    }
    if (has(root, "host")) { device->host = c.host; }
    fill_collectives((nnc_json){ .doc = NULL }, device);
    if (root.doc->faults->count == 0) { link_rules(root, &device->scale_up); }
    device->lenient = root.doc->lenient;
    judge(root, device);
}

bool nnc_is_cluster(nnc_json root) { return nnc_json_has_schema(root, "nncost.cluster/1"); }

void nnc_cluster_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem, nnc_device *device) {
    if (nnc_spec_complete(doc, specs, NNC_SPEC_KIND_COUNT)) { read_cluster(nnc_json_root(doc), stem, device); }
}

/* Reads the text of a cluster file and replaces the links of a device by the links in the file. stem: the id that the
 * file must state (its file name without the ending); NULL = the file may state any id. */
static nnc_status apply_cluster(nnc_specs *specs, const char *name, const char *stem, const char *text, size_t size,
                                nnc_device *device, nnc_error *err) {
    nnc_device linked = *device;
    nnc_faults faults = { .name = name, .err = err };
    nnc_json_doc doc = { .faults = &faults,
                         .arena = nnc_specs_arena(specs),
                         .text = text,
                         .size = size,
                         .lenient = nnc_specs_are_lenient(specs) };
    if (nnc_json_parse(&doc)) { nnc_cluster_read_open(&doc, specs, stem, &linked); }
    nnc_json_free(&doc);
    if (faults.status == NNC_OK) { *device = linked; }
    return faults.status;
}

nnc_status nnc_cluster_load(nnc_specs *specs, const char *path, nnc_device *device, nnc_error *err) {
    NNC_NEED(specs);
    NNC_NEED(path);
    NNC_NEED(device);
    char *text = NULL;
    char stem[NNC_STEM_MAX];
    size_t size = 0;
    nnc_status status = nnc_file_read(path, &text, &size, err);
    if (status == NNC_IO) { nnc_error_within(err, "--cluster"); }
    NNC_TRY(status);
    status = apply_cluster(specs, path, nnc_spec_required_id(path, stem), text, size, device, err);
    free(text);
    return status;
}

nnc_status nnc_cluster_parse(nnc_specs *specs, const char *name, const char *text, size_t size, nnc_device *device,
                             nnc_error *err) {
    NNC_NEED(specs);
    NNC_NEED(name);
    NNC_NEED(text);
    NNC_NEED(device);
    char *copy = NULL;
    NNC_TRY(nnc_text_copy(name, text, size, &copy, err));
    const nnc_status status = apply_cluster(specs, name, NULL, copy, size, device, err);
    free(copy);
    return status;
}

/* ---- The fields of a device's fitted parameters, by kind of kernel. Defaults are neutral (fractions 1, fixed times
 * 0), so a device without measurements runs at the rates of its datasheet. ---- */

#define FITTED_ON                                                                                              \
    {                                                                                                          \
        NNC_FIELD_COMMENT("fitted_on"),                                                                        \
            .required = true, .help = "Measurements to which the values were fitted, and the date of the fit." \
    }
#define SUSTAINED(type)                                                                                          \
    {                                                                                                            \
        NNC_FIELD(type, sustained_fraction), .max = 1, .above_min = true, NNC_DEFAULT(1),                        \
                                             .help = "Share of the peak FLOP/s that kernels of this kind reach." \
    }
#define MEMORY(type)                                                                                               \
    {                                                                                                              \
        NNC_FIELD(type, memory_fraction), .max = 1, .above_min = true, NNC_DEFAULT(1),                             \
                                          .help = "Share of the memory bandwidth that kernels of this kind reach." \
    }
#define FIXED(type)                                                                         \
    {                                                                                       \
        NNC_FIELD(type, fixed_s), .unit = "s", .max = 1, NNC_DEFAULT(0),                    \
                                  .help = "Fixed time per kernel, independent of its work." \
    }

static const nnc_field efficiency_fields[] = {
    SUSTAINED(nnc_efficiency),
    MEMORY(nnc_efficiency),
    FIXED(nnc_efficiency),
    FITTED_ON,
};

static const nnc_field map_fields[] = {
    { NNC_FIELD(nnc_efficiency, memory_fraction), .max = 1, .above_min = true,
      .help = "Share of the memory bandwidth that norms, activations and sums of feature maps "
              "reach; not given: as pointwise." },
    FIXED(nnc_efficiency),
    FITTED_ON,
};

static const nnc_field conv_fields[] = {
    SUSTAINED(nnc_conv_efficiency),
    MEMORY(nnc_conv_efficiency),
    FIXED(nnc_conv_efficiency),
    { NNC_FIELD(nnc_conv_efficiency, channels_half), .max = 1e5, NNC_DEFAULT(0),
      .help = "Channels per group at which a convolution reaches half of its highest rate." },
    { NNC_FIELD(nnc_conv_efficiency, depth_half), .max = 1e5, NNC_DEFAULT(0),
      .help =
          "Number of terms in the sum of one output value at which a convolution reaches half of its highest rate." },
    { NNC_FIELD(nnc_conv_efficiency, library_sustained_fraction), .max = 1, .above_min = true,
      .help = "sustained_fraction of the convolutions that PyTorch issues; not given: sustained_fraction." },
    { NNC_FIELD(nnc_conv_efficiency, library_channels_half), .max = 1e5,
      .help = "channels_half of the convolutions that PyTorch issues." },
    { NNC_FIELD(nnc_conv_efficiency, library_tf32_backward_ratio), .min = 0.1, .max = 10,
      .help = "Convolutions that PyTorch issues in tf32, channels last: time of one gradient divided by the time of "
              "forward; not given: 1." },
    { NNC_FIELD(nnc_conv_efficiency, library_tf32_contiguous_ratio), .min = 0.1, .max = 10,
      .help = "Convolutions that PyTorch issues in tf32, contiguous maps (NCHW): time of one gradient divided by the "
              "time of forward; not given: library_tf32_backward_ratio." },
    { NNC_FIELD(nnc_conv_efficiency, library_channel_fraction), .max = 1, .above_min = true,
      .help = "Depthwise convolutions that PyTorch issues, contiguous maps, any format: share of the vector units' "
              "fp32 peak that they reach; not given: vector_fraction. On a CPU: weight gradients "
              "of depthwise convolutions with more than 3 taps on a side." },
    { NNC_FIELD(nnc_conv_efficiency, library_channel_weight_ratio), .min = 0.1, .max = 100,
      .help = "Depthwise convolutions that PyTorch issues: factor on the time of the weight gradient; not given: 1." },
    { NNC_FIELD(nnc_conv_efficiency, vector_fraction), .max = 1, .above_min = true,
      .help = "Share of their peak that the vector units reach in convolutions. Convolutions run on the vector "
              "units if these are faster than the matrix units. Not given: not used." },
    FITTED_ON,
};

static const nnc_field gemm_fields[] = {
    SUSTAINED(nnc_gemm_efficiency),
    { NNC_FIELD(nnc_gemm_efficiency, boost_ratio), .min = 1, .max = 10, NNC_DEFAULT(1),
      .help = "Rate of short kernels divided by the rate of long kernels: the power limit lowers the clock of long "
              "kernels." },
    MEMORY(nnc_gemm_efficiency),
    FIXED(nnc_gemm_efficiency),
    { NNC_FIELD(nnc_gemm_efficiency, library_memory_fraction), .max = 1, .above_min = true,
      .help = "Share of the memory bandwidth that products reach when PyTorch issues the products one by one; not "
              "given: memory_fraction." },
    { NNC_FIELD(nnc_gemm_efficiency, k_fill), .max = 1e5, NNC_DEFAULT(0),
      .help = "Time to start and end a tile of a product, as the number of elements of the dimension k that take this "
              "time." },
    { NNC_FIELD(nnc_gemm_efficiency, l2_bytes_per_flop), .unit = "B/FLOP", .max = 1e3, .above_min = true,
      .help = "Operand bytes that the L2 cache delivers per FLOP of the peak: the bandwidth of the cache is this value "
              "x the peak." },
    { NNC_FIELD(nnc_gemm_efficiency, l2_bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .above_min = true,
      .help = "Bandwidth at which the L2 cache delivers operands, independent of the peak; this value replaces "
              "l2_bytes_per_flop." },
    { NNC_FIELD(nnc_gemm_efficiency, wave_quantization), .max = 1,
      .help = "Time of a partly filled wave of tiles: 1, as long as a full wave; 0, in proportion to its tiles. Not "
              "given: the rate does not depend on tiles." },
    { NNC_FIELD(nnc_gemm_efficiency, unaligned_ratio), .min = 1, .max = 100, NNC_DEFAULT(1),
      .help = "Time of a product divided by the time of a product whose dimensions are multiples of 8." },
    { NNC_FIELD(nnc_gemm_efficiency, unaligned_backward_ratio), .min = 1, .max = 100,
      .help = "unaligned_ratio of the products of backward; not given: unaligned_ratio." },
    { NNC_FIELD(nnc_gemm_efficiency, block_ratio), .min = 0.1, .max = 100, NNC_DEFAULT(1),
      .help =
          "Time of a product with one scale per block of 128 values, divided by its time with one scale per tensor." },
    { NNC_FIELD(nnc_gemm_efficiency, group_ratio), .min = 0.1, .max = 100, NNC_DEFAULT(1),
      .help = "Time of grouped products with varying numbers of rows, divided by the time of one product with as many "
              "rows in total." },
    { NNC_FIELD(nnc_gemm_efficiency, power_share), .max = 10,
      .help = "Share of the board power that the matrix units would draw at their peak. If this value is above 1, "
              "the matrix units cannot sustain their peak." },
    FITTED_ON,
};

static const nnc_field flash_fields[] = {
    SUSTAINED(nnc_flash_efficiency),
    { NNC_FIELD(nnc_flash_efficiency, backward_ratio), .max = 10, .above_min = true, NNC_DEFAULT(1),
      .help = "Rate of the backward kernels divided by the rate of the forward kernels." },
    MEMORY(nnc_flash_efficiency),
    FIXED(nnc_flash_efficiency),
    { NNC_FIELD(nnc_flash_efficiency, seq_half), .max = 1e6, NNC_DEFAULT(0),
      .help = "Sequence length at which attention reaches half of its highest rate." },
    { NNC_FIELD(nnc_flash_efficiency, library_unmasked_half), .max = 1e6,
      .help = "seq_half of attention without a mask, for the kernels that PyTorch issues; not given: seq_half." },
    { NNC_FIELD(nnc_flash_efficiency, library_backward_ratio), .max = 10, .above_min = true,
      .help = "backward_ratio of the attention kernels that PyTorch issues; not given: backward_ratio." },
    { NNC_FIELD(nnc_flash_efficiency, library_backward_bytes), .unit = "B", .max = 1000,
      .help = "Bytes that backward kernels of PyTorch move per value of the queries, in addition to the operands of "
              "their products; not given: 0." },
    { NNC_FIELD(nnc_flash_efficiency, narrow_ratio), .max = 1, .above_min = true, NNC_DEFAULT(1),
      .help = "Rate of heads of width 64 divided by the rate of heads of width 128 and more." },
    { NNC_FIELD(nnc_flash_efficiency, block_penalty), .max = 1e3, NNC_DEFAULT(0),
      .help = "The time is multiplied by 1 + block_penalty x units of the device / blocks of 128 queries." },
    { NNC_FIELD(nnc_flash_efficiency, head_multiple), .min = 1, .max = 1024, NNC_DEFAULT(32),
      .help = "Attention kernels support head widths that are multiples of this value; other widths are padded." },
    FITTED_ON,
};

#define KERNEL(kernel, text, about)                      \
    { .name = (text),                                    \
      .type = NNC_FIELD_OBJECT,                          \
      .offset = (kernel) * sizeof(nnc_flash_efficiency), \
      .size = sizeof(nnc_flash_efficiency),              \
      NNC_FIELD_TABLE(flash_fields),                     \
      .help = (about) },
static const nnc_field attention_fields[] = { NNC_FLASH_KERNEL_LIST(KERNEL) };

static const nnc_field collective_fields[] = {
    { NNC_FIELD(nnc_collective_efficiency, fixed_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Fixed time of one collective." },
    { NNC_FIELD(nnc_collective_efficiency, log2_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Additional time of a collective per doubling of the number of ranks." },
    { NNC_FIELD(nnc_collective_efficiency, bus_fraction), .max = 1, .above_min = true, NNC_DEFAULT(1),
      .help = "Share of the link bandwidth that large messages reach." },
    { NNC_FIELD(nnc_collective_efficiency, knee_bytes), .unit = "B", .max = NNC_BYTES_MAX, NNC_DEFAULT(0),
      .help = "Bytes per rank for which a collective takes twice as long as at the full rate." },
    { NNC_FIELD(nnc_collective_efficiency, small_group_loss), .max = 3.9, NNC_DEFAULT(0),
      .help = "A group of n ranks reaches the share 1 - small_group_loss / n^2 of the rate." },
    FITTED_ON,
};

static const nnc_field collectives_fields[] = {
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_collective_efficiencies, all_reduce), NNC_FIELD_TABLE(collective_fields),
      .help = "Efficiency of all-reduces inside a scale-up domain." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_collective_efficiencies, all_gather), NNC_FIELD_TABLE(collective_fields),
      .help = "Efficiency of all-gathers inside a scale-up domain." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_collective_efficiencies, reduce_scatter), NNC_FIELD_TABLE(collective_fields),
      .help = "Efficiency of reduce-scatters inside a scale-up domain." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_collective_efficiencies, all_to_all), NNC_FIELD_TABLE(collective_fields),
      .help = "Efficiency of all-to-alls inside a scale-up domain." },
    { NNC_FIELD(nnc_collective_efficiencies, step_fixed_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Additional time of a collective inside a training step: its launch, and the time that ranks wait for "
              "each other." },
    { NNC_FIELD(nnc_collective_efficiencies, scale_out_fraction), .max = 1, .above_min = true, NNC_DEFAULT(1),
      .help = "Share of the network bandwidth that collectives reach." },
    { NNC_FIELD(nnc_collective_efficiencies, scale_out_fixed_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Additional time of a collective between scale-up domains." },
    FITTED_ON,
};

static const nnc_field power_fields[] = {
    { NNC_FIELD(nnc_power_efficiency, idle_share), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the board power that an idle device draws." },
    { NNC_FIELD(nnc_power_efficiency, memory_share), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the board power that the memory draws at full bandwidth." },
    { NNC_FIELD(nnc_power_efficiency, exponent), .max = 1, NNC_DEFAULT(0),
      .help = "If kernels draw more power than the limit, their time grows by (power drawn / power limit)^exponent; 0 "
              "= no effect." },
    FITTED_ON,
};

/* Default values for devices without measurements. The default values are the fractions that were measured on
 * h100-sxm5-80gb. */
#define STREAM(member, value) NNC_FIELD(nnc_stream_efficiency, member), .max = 1, .above_min = true, NNC_DEFAULT(value)
static const nnc_field stream_fields[] = {
    { STREAM(memory_fraction, 0.88), .help = "Share of the memory bandwidth that a kernel reaches." },
    { STREAM(mixed_fraction, 0.58),
      .help = "Share of the memory bandwidth that casts and kernels with operands of two formats reach." },
    { STREAM(norm_fraction, 0.7), .help = "Share of the memory bandwidth that norms reach, if a norm is one kernel." },
    { STREAM(softmax_fraction, 0.38), .help = "Share of the memory bandwidth that softmax reaches." },
    { STREAM(loss_fraction, 0.66), .help = "Share of the memory bandwidth that cross-entropy reaches." },
    { STREAM(adamw_fraction, 0.78),
      .help = "Share of the memory bandwidth that fused AdamW with fp32 states reaches." },
    { STREAM(adamw_narrow_fraction, 0.66),
      .help = "Share of the memory bandwidth that fused AdamW with 16-bit states reaches." },
    { NNC_FIELD(nnc_stream_efficiency, norm_row_s), .unit = "s", .max = 1, NNC_DEFAULT(9.3e-10),
      .help = "Additional time for each row of a norm." },
    { NNC_FIELD(nnc_stream_efficiency, norm_row_backward_s), .unit = "s", .max = 1, NNC_DEFAULT(3.9e-9),
      .help = "Additional time for each row of a norm in backward." },
    { NNC_FIELD(nnc_stream_efficiency, fixed_s), .unit = "s", .max = 1, NNC_DEFAULT(3e-6),
      .help = "Time of an empty kernel that directly follows another kernel." },
    FITTED_ON,
};

const nnc_field nnc_efficiencies_fields[NNC_EFFICIENCIES_FIELDS] = {
    { NNC_FIELD(nnc_efficiencies, basis), NNC_FIELD_NAMES(nnc_basis, NNC_BASIS_COUNT),
      .help = "Kind of measurements behind the efficiencies; none: all efficiencies are neutral, so that only "
              "datasheet rates count." },
    { NNC_FIELD(nnc_efficiencies, calibration), .max = 10, .above_min = true, NNC_DEFAULT(1),
      .help = "Factor of one machine on the rate of matrix products, attention and convolution." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT_BY_DTYPE, nnc_efficiencies, gemm), NNC_FIELD_TABLE(gemm_fields),
      .help = "Matrix products, by the format of the operands." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, attention), NNC_FIELD_TABLE(attention_fields),
      .help = "Fused attention, by generation of kernels." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, conv), NNC_FIELD_TABLE(conv_fields),
      .help = "Efficiency of convolutions." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, maps), NNC_FIELD_TABLE(map_fields),
      .help = "Norms, activations, sums and copies of feature maps." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, maps_tuned), NNC_FIELD_TABLE(map_fields),
      .help = "Efficiency of feature-map kernels that were written for the device; not given: as maps." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, pointwise), NNC_FIELD_TABLE(efficiency_fields),
      .help = "Norms, activations, copies and the loss." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, pointwise_tuned), NNC_FIELD_TABLE(efficiency_fields),
      .help = "Efficiency of pointwise kernels that were written for the device; not given: as pointwise." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, optimizer), NNC_FIELD_TABLE(efficiency_fields),
      .help = "Kernels of the optimizer update." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, stream), NNC_FIELD_TABLE(stream_fields),
      .help = "Kernels that PyTorch issues one by one, each for one operator." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, collectives), NNC_FIELD_TABLE(collectives_fields),
      .help = "Efficiency of collectives." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, power), NNC_FIELD_TABLE(power_fields),
      .help = "Parameters of the power draw, by which the power limit reduces rates." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, serving), NNC_FIELD_TABLE(nnc_serve_efficiency_fields),
      .help = "Efficiencies of serving: small batches, with kernels in recorded CUDA graphs. Not used for training." },
    { NNC_FIELD_COMMENT("fitted_on"), .help = "Measurements to which the calibration was fitted." },
};

void nnc_efficiencies_neutral(nnc_efficiencies *e) {
    static const nnc_field_table table = { "efficiency", nnc_efficiencies_fields, NNC_EFFICIENCIES_FIELDS };
    memset(e, 0, sizeof *e);
    nnc_fields_init(&table, e);
    /* NaN = the file gives no fraction, so the fraction of `pointwise` is used */
    e->pointwise_tuned.memory_fraction = (double)NAN;
    /* the object `maps` of a device file has no key sustained_fraction, so this fraction keeps its neutral value 1 */
    e->maps.sustained_fraction = e->maps_tuned.sustained_fraction = 1.0;
}
