/* A cluster: the links between devices, in place of those of the server a device file describes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "input/file.h"
#include "input/kind.h"
#include "input/read.h"

/* The network is described per device, or by the NICs that the devices of a node share. */
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

static const nnc_field scale_out_fields[] = {
    { NNC_FIELD_IN(network, link, bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX,
      .above_min = true, .help = "Network bandwidth of one device in one direction." },
    { NNC_FIELD(network, nics_per_node), .min = 1, .max = 1e6,
      .help = "Network interfaces that the devices of a node share." },
    { NNC_FIELD(network, nic_bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX, .above_min = true,
      .help = "Bandwidth of one of them in one direction." },
    { NNC_FIELD_IN(network, link, latency_s), .unit = "s", .max = 1,
      .help = "Latency of one step." },
    { NNC_FIELD_IN(network, link, knee_bytes), .unit = "B", .max = 1e15, .default_text = "0",
      .help = "A message of this size takes twice its time at full bandwidth; 0 = any size reaches "
              "it." },
    { NNC_FIELD_IN(network, link, oversubscription), .min = 1, .max = 1e3, .default_text = "1",
      .help = "Sum of the nodes' bandwidth over what the network core carries." },
};

static const nnc_field cluster_fields[] = {
    { NNC_FIELD(cluster, id), .required = true, .help = "File stem." },
    { NNC_FIELD(cluster, name), .required = true, .help = "Name in full." },
    { NNC_FIELD(cluster, devices_per_node), .min = 1, .max = 1e6, .required = true,
      .help = "Devices of one node; they share its network interfaces." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, cluster, scale_up), .fields = nnc_scale_up_fields,
      .field_count = NNC_SCALE_UP_FIELDS,
      .help = "The fast fabric between devices; devices: those of a node unless given." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, cluster, scale_out), NNC_FIELD_TABLE(scale_out_fields),
      .help = "The network between nodes." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, cluster, host), .fields = nnc_host_fields,
      .field_count = NNC_HOST_FIELDS, .help = "The link to the host." },
};

const nnc_field_table nnc_cluster_table = { "cluster", cluster_fields,
                                            NNC_COUNT_OF(cluster_fields) };

static const char *const other_keys[] = { "schema", "sources", "references", NULL };

static bool has(nnc_json root, const char *key)
{
    return nnc_json_type_of(nnc_json_get(root, key)) == NNC_JSON_OBJECT;
}

/* Per device, or by NICs: one of the two. */
static void settle_network(nnc_json root, cluster *c)
{
    network *n = &c->scale_out;
    const bool by_nics = n->nics_per_node > 0 || !isnan(n->nic_bytes_per_s);
    if (!isnan(n->link.bytes_per_s) && by_nics) {
        nnc_json_fault(root, "scale_out.bytes_per_s",
                       "said twice, expected it or nics_per_node and nic_bytes_per_s, found both");
    } else if (by_nics && (n->nics_per_node == 0 || isnan(n->nic_bytes_per_s))) {
        nnc_json_fault(
            root, n->nics_per_node == 0 ? "scale_out.nics_per_node" : "scale_out.nic_bytes_per_s",
            "missing, expected it beside the other one, found nothing");
    } else if (by_nics) {
        n->link.bytes_per_s = n->nics_per_node * n->nic_bytes_per_s / c->devices_per_node;
    } else if (isnan(n->link.bytes_per_s)) {
        nnc_json_fault(root, "scale_out.bytes_per_s",
                       "missing, expected it or nics_per_node and nic_bytes_per_s, found nothing");
    }
}

/* Puts the links of an open document in place of the device's; the device is complete only when
 * there are no faults. */
static void read_cluster(nnc_json root, const char *stem, nnc_device *device)
{
    const double none = (double)NAN;
    cluster c = { .scale_up = { .bytes_per_s = none, .latency_s = none, .knee_bytes = none },
                  .scale_out = { .link = { .bytes_per_s = none,
                                           .latency_s = none,
                                           .knee_bytes = none,
                                           .oversubscription = none },
                                 .nic_bytes_per_s = none },
                  .host = { .bytes_per_s = none, .mem_bytes_per_s = none } };
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(root, "wrong type", "an object");
        return;
    }
    nnc_read_identity(root, "nncost.cluster/1", stem); /* first: it may be some other file */
    nnc_read_object(root, &nnc_cluster_table, other_keys, &c);
    nnc_read_sources(root, &nnc_cluster_table, other_keys, &c.sources, &c.source_count);
    if (has(root, "scale_up")) {
        device->scale_up = c.scale_up;
        if (isnan(c.scale_up.bytes_per_s)) {
            nnc_json_fault(root, "scale_up.bytes_per_s",
                           "missing, expected the bandwidth of one device, found nothing");
        }
    }
    if (device->scale_up.devices == 0 || !has(root, "scale_up")) {
        device->scale_up.devices = c.devices_per_node;
    }
    if (has(root, "scale_out")) {
        settle_network(root, &c);
        device->scale_out = c.scale_out.link;
    }
    if (has(root, "host")) {
        device->host = c.host;
    }
    if (root.doc->faults->count == 0) {
        nnc_link_rules(root, &device->scale_up);
    }
}

bool nnc_is_cluster(nnc_json root)
{
    const nnc_json schema = nnc_json_get(root, "schema");
    return nnc_json_type_of(schema) == NNC_JSON_TEXT &&
           strcmp(nnc_json_text(schema), "nncost.cluster/1") == 0;
}

void nnc_cluster_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem,
                           nnc_device *device)
{
    if (nnc_spec_complete(doc, specs, NNC_SPEC_KIND_COUNT)) {
        read_cluster(nnc_json_root(doc), stem, device);
    }
}

/* stem NULL: any id. */
static nnc_status apply(nnc_specs *specs, const char *name, const char *stem, const char *text,
                        size_t size, nnc_device *device, nnc_error *err)
{
    nnc_device linked = *device;
    nnc_faults faults = { .name = name, .err = err };
    nnc_json_doc doc = {
        .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size
    };
    if (nnc_json_parse(&doc)) {
        nnc_cluster_read_open(&doc, specs, stem, &linked);
    }
    nnc_json_free(&doc);
    if (faults.status == NNC_OK) {
        *device = linked;
    }
    return faults.status;
}

nnc_status nnc_cluster_load(nnc_specs *specs, const char *path, nnc_device *device, nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(path);
    NNC_NEED(device);
    char *text = NULL;
    char stem[256];
    size_t size = 0;
    nnc_status status = nnc_file_read(path, &text, &size, err);
    if (status == NNC_IO) {
        nnc_error_within(err, "--cluster");
    }
    NNC_TRY(status);
    nnc_spec_stem(path, false, stem, sizeof(stem));
    status = apply(specs, path, stem, text, size, device, err);
    free(text);
    return status;
}

nnc_status nnc_cluster_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                             nnc_device *device, nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(name);
    NNC_NEED(text);
    NNC_NEED(device);
    char *copy = NULL;
    NNC_TRY(nnc_text_copy(name, text, size, &copy, err));
    const nnc_status status = apply(specs, name, NULL, copy, size, device, err);
    free(copy);
    return status;
}
