/* Makes the text of a device file from the description of a machine. The description is the XML of NVIDIA's driver
 * (`nvidia-smi -q -x`) or of hwloc (`lstopo --of xml`).
 *
 * From nvidia-smi, <product_name>NVIDIA H100 80GB HBM3</product_name> becomes "like": "H100 80GB HBM3".
 * From nvidia-smi, <fb_memory_usage><total>81559 MiB</total> becomes "mem_bytes": 85520809984.
 * From nvidia-smi, <current_power_limit>700.00 W</current_power_limit> becomes "power_w": 700.
 * From nvidia-smi, two elements <gpu> become "scale_up": {"devices": 2}.
 * From hwloc, <info name="GPUModel" value="Tesla P100-SXM2-16GB"/> becomes "like": "P100-SXM2-16GB".
 * From hwloc, <info name="CUDAGlobalMemorySize" value="16671616KiB"/> becomes "mem_bytes": 17071734784.
 * From hwloc, the matrix "NVLinkBandwidth" of two joined GPUs becomes "scale_up": {"devices": 2}.
 *
 * All GPUs of the machine must be of one product. The device file inherits rates, prices and efficiencies from the
 * shipped device ("like"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/input_internal.h"

enum { WORD_MAX = 96, XML_BYTES_MAX = 4000 * 1000, LINKED_MAX = 128 };

/* The GPUs of a machine, as read from the output of nvidia-smi or hwloc. */
typedef struct machine {
    char product[WORD_MAX];
    /* mem_bytes: bytes of memory of one GPU; power_w: power limit of one GPU; 0 = the description of the machine does
     * not state the value */
    double mem_bytes, power_w;
    int count, linked; /* count: number of GPUs; linked: number of GPUs that fast links join with the first
                        * GPU */
    const char *tool;
} machine;

static bool is_topology(const char *text) {
    return strstr(text, "<topology") != NULL && strstr(text, "<object type=\"Machine\"") != NULL;
}

/* Tests whether a text is the matrix of links that `nvidia-smi topo -m` prints, which begins with the names of the
 * GPUs. */
static bool is_matrix(const char *text) {
    text += strcspn(text, "G"); /* the text may begin with control codes, which underline the names of the GPUs */
    return strncmp(text, "GPU0", 4) == 0 && strstr(text, "\nLegend:") != NULL;
}

bool nnc_is_machine(const char *text) {
    return is_matrix(text) ||
           (strncmp(text, "<?xml", 5) == 0 && (strstr(text, "<nvidia_smi_log") != NULL || is_topology(text)));
}

/* Counts a GPU of the description. Returns false if the GPU is of another product than the GPUs before it. */
static bool add_gpu(const char *name, machine *m, const char *product, nnc_error *err) {
    if (m->count++ > 0 && strcmp(m->product, product) != 0) {
        nnc_fail(err, NNC_BAD_SPEC, name, "expected GPUs of one product, found %s and %s; name one of the two devices",
                 m->product, product);
        return false;
    }
    snprintf(m->product, sizeof m->product, "%s", product);
    return true;
}

/* Searches for the text `open` between `from` and `end`, and copies the characters that follow, up to a character that
 * is in `stop`. Returns false if `open` is not found. */
static bool after(const char *from, const char *end, const char *open, const char *stop, char value[WORD_MAX]) {
    const char *at = strstr(from, open);
    if (at == NULL || at >= end) { return false; }
    at += strlen(open);
    snprintf(value, WORD_MAX, "%.*s", (int)strcspn(at, stop), at);
    return true;
}

/* ---- reads the XML of nvidia-smi ---- */

/* Copies the content of the first XML element with the name `name` between `from` and `end`. Returns false if no XML
 * element between `from` and `end` has the name `name`. */
static bool element(const char *from, const char *end, const char *name, char value[WORD_MAX]) {
    char open[WORD_MAX];
    snprintf(open, sizeof open, "<%s>", name);
    return after(from, end, open, "<", value);
}

/* Reads the number in an XML element, such as 81559 in "81559 MiB". Returns false if the element has no number, such as
 * "N/A". */
static bool number(const char *from, const char *end, const char *name, double *value) {
    char word[WORD_MAX];
    if (!element(from, end, name, word)) { return false; }
    word[strcspn(word, " ")] = '\0';
    return nnc_read_double(word, value) && *value > 0.0;
}

static nnc_status read_driver(const char *name, const char *text, machine *m, nnc_error *err) {
    m->tool = "nvidia-smi -q -x";
    for (const char *gpu = strstr(text, "<gpu "); gpu != NULL;) {
        char product[WORD_MAX];
        double mib = 0.0;
        const char *next = strstr(gpu + 1, "<gpu "), *end = next != NULL ? next : gpu + strlen(gpu);
        const char *memory = strstr(gpu, "<fb_memory_usage>");
        if (!element(gpu, end, "product_name", product) || memory == NULL || memory > end ||
            !number(memory, end, "total", &mib)) {
            return nnc_fail(err, NNC_BAD_SPEC, name,
                            "GPU %d: expected product_name and fb_memory_usage.total, as "
                            "'nvidia-smi -q -x' writes them",
                            m->count);
        }
        if (!add_gpu(name, m, product, err)) { return NNC_BAD_SPEC; }
        m->mem_bytes = mib * 1048576.0;
        (void)(number(gpu, end, "current_power_limit", &m->power_w) || number(gpu, end, "power_limit", &m->power_w));
        gpu = next;
    }
    m->linked = m->count;
    return NNC_OK;
}

/* ---- reads the XML of hwloc ---- */

/* Copies the value of an attribute of the XML tag that begins at `tag`. Returns false if the tag does not have the
 * attribute. */
static bool attribute(const char *tag, const char *name, char value[WORD_MAX]) {
    char open[WORD_MAX];
    snprintf(open, sizeof open, " %s=\"", name);
    return after(tag, tag + strcspn(tag, ">"), open, "\"", value);
}

/* Copies the value of the XML element <info name="NAME" value=".."> between `from` and `end`. Returns false if no
 * element "info" between `from` and `end` has the name NAME. */
static bool info(const char *from, const char *end, const char *name, char value[WORD_MAX]) {
    char open[WORD_MAX];
    snprintf(open, sizeof open, "<info name=\"%s\"", name);
    const char *at = strstr(from, open);
    return at != NULL && at < end && attribute(at, "value", value);
}

/* Sets *bytes to the memory of a GPU. The file states the memory in KiB, with the unit ("16671616KiB") or without. If
 * the file does not state the memory, *bytes does not change. */
static void read_memory(const char *from, const char *end, double *bytes) {
    static const char *const names[] = { "CUDAGlobalMemorySize", "RSMIVRAMSize" };
    char word[WORD_MAX];
    double kib = 0.0;
    for (size_t i = 0; i < NNC_COUNT_OF(names); i++) {
        if (info(from, end, names[i], word)) {
            word[strspn(word, "0123456789")] = '\0';
            *bytes = nnc_read_double(word, &kib) ? kib * 1024.0 : *bytes;
        }
    }
}

/* Sets of GPUs and switches that fast links join. The objects of a set form a tree: root[i] is the parent of object i.
 * root_of returns the root of the tree, which identifies the set. */
typedef struct linked {
    int root[LINKED_MAX], count;
    /* is_gpu[i]: true = object i is a GPU; is_link[i]: true = object i is a GPU or a switch */
    bool is_gpu[LINKED_MAX], is_link[LINKED_MAX];
} linked;

static int root_of(const linked *l, int i) {
    while (l->root[i] != i) { i = l->root[i]; }
    return i;
}

/* Returns the place after the end of the XML tag that begins at `tag`. */
static const char *content_of(const char *tag) {
    const char *end = tag + strcspn(tag, ">");
    return end + (*end == '>' ? 1 : 0);
}

/* Reads the objects of the bandwidth matrix, "OSDev:802 PCIDev:449 Package:3": GPUs (OSDev), switches (PCIDev), and
 * hosts (Package), which do not join GPUs. */
static void read_objects(const char *from, const char *end, linked *l) {
    for (const char *at = strstr(from, "<indexes"); at != NULL && at < end; at = strstr(at + 1, "<indexes")) {
        const char *word = content_of(at);
        for (; *word != '<' && *word != '\0' && l->count < LINKED_MAX; word += strcspn(word, " <") + (*word == ' ')) {
            if (strchr(word, ':') != NULL && *word != ' ') {
                l->is_gpu[l->count] = strncmp(word, "OSDev:", 6) == 0;
                l->is_link[l->count] = l->is_gpu[l->count] || strncmp(word, "PCIDev:", 7) == 0;
                l->root[l->count] = l->count;
                l->count++;
                word += strcspn(word, " <");
            }
        }
    }
}

/* For each pair of objects in the bandwidth matrix (GPUs or switches): if the bandwidth between the objects is above 0,
 * joins the sets that contain them. */
static void join_objects(const char *from, const char *end, linked *l) {
    int i = 0;
    for (const char *at = strstr(from, "<u64values"); at != NULL && at < end; at = strstr(at + 1, "<u64values")) {
        const char *word = content_of(at);
        while (*word >= '0' && *word <= '9' && i < l->count * l->count) {
            char *next = NULL;
            const int a = i / l->count, b = i % l->count;
            i++;
            if (strtoull(word, &next, 10) > 0 && l->is_link[a] && l->is_link[b]) {
                l->root[root_of(l, a)] = root_of(l, b);
            }
            word = next + strspn(next, " ");
        }
    }
}

/* Returns the number of GPUs that NVLink joins with the first GPU, plus the first GPU itself. 0 = the file has no
 * matrix of NVLink bandwidths. */
static int count_linked(const char *text) {
    const char *from = strstr(text, "name=\"NVLinkBandwidth\"");
    const char *end = from != NULL ? strstr(from, "</distances2") : NULL;
    linked l = { .count = 0 };
    int first = -1, joined = 0;
    if (end == NULL) { return 0; }
    read_objects(from, end, &l);
    join_objects(from, end, &l);
    for (int i = 0; i < l.count; i++) {
        first = first < 0 && l.is_gpu[i] ? i : first;
        joined += first >= 0 && l.is_gpu[i] && root_of(&l, i) == root_of(&l, first) ? 1 : 0;
    }
    return joined;
}

/* Reads the GPUs from the XML of hwloc. hwloc lists every GPU once for each library that has found it (cuda0, nvml0,
 * opencl0d0), so only the entries of one library are read. An entry whose name has a dot is a part of a GPU and is
 * skipped. */
static nnc_status read_topology(const char *name, const char *text, machine *m, nnc_error *err) {
    static const char *const libraries[] = { "cuda", "nvml", "rsmi", "ze" };
    m->tool = "lstopo --of xml";
    for (size_t i = 0; i < NNC_COUNT_OF(libraries) && m->count == 0; i++) {
        for (const char *at = strstr(text, "<object type=\"OSDev\""); at != NULL;) {
            char word[WORD_MAX];
            const char *next = strstr(at + 1, "<object type=\"OSDev\""), *end = strstr(at, "</object>");
            const size_t length = strlen(libraries[i]);
            if (end != NULL && attribute(at, "name", word) && strncmp(word, libraries[i], length) == 0 &&
                word[length] >= '0' && word[length] <= '9' && strchr(word, '.') == NULL &&
                info(at, end, "GPUModel", word)) {
                if (!add_gpu(name, m, word, err)) { return NNC_BAD_SPEC; }
                read_memory(at, end, &m->mem_bytes);
            }
            at = next;
        }
    }
    const int joined = count_linked(text);
    m->linked = joined > 0 ? joined : m->count;
    return NNC_OK;
}

/* ---- writes the device file ---- */

nnc_status nnc_machine_json(const char *name, const char *text, nnc_buffer *json, nnc_error *err) {
    machine m = { .count = 0 };
    if (is_matrix(text)) {
        return nnc_fail(err, NNC_BAD_SPEC, name,
                        "names no product, expected the output of 'nvidia-smi -q -x' or of 'lstopo --of xml'");
    }
    NNC_TRY(is_topology(text) ? read_topology(name, text, &m, err) : read_driver(name, text, &m, err));
    if (m.count == 0) { return nnc_fail(err, NNC_BAD_SPEC, name, "expected a GPU, found none"); }
    const char *brand[] = { "NVIDIA ", "Tesla " }, *like = m.product;
    for (size_t i = 0; i < NNC_COUNT_OF(brand); i++) {
        like += strncmp(like, brand[i], strlen(brand[i])) == 0 ? strlen(brand[i]) : 0;
    }
    const char *slash = strrchr(name, '/');
    nnc_buffer_text(json, "{\"schema\":\"nncost.device/1\",\"id\":");
    /* the id of the device is the file name of the description, without the folder */
    nnc_put_json_text(json, slash != NULL ? slash + 1 : name);
    nnc_buffer_text(json, ",\"like\":");
    nnc_put_json_text(json, like);
    nnc_buffer_text(json, ",\"name\":");
    nnc_put_json_text(json, m.product);
    if (m.mem_bytes > 0.0) {
        nnc_buffer_text(json, ",\"mem_bytes\":");
        nnc_buffer_number(json, m.mem_bytes);
    }
    if (m.power_w > 0.0) {
        nnc_buffer_text(json, ",\"power_w\":");
        nnc_buffer_number(json, m.power_w);
    }
    if (m.linked > 1) {
        nnc_buffer_text(json, ",\"scale_up\":{\"devices\":");
        nnc_buffer_number(json, m.linked);
        nnc_buffer_text(json, "}");
    }
    nnc_buffer_text(json, ",\"sources\":{\"\":");
    nnc_put_json_text(json, m.tool);
    nnc_buffer_text(json, "}}");
    nnc_buffer_byte(json, '\0');
    return json->failed ? nnc_no_memory(err) : NNC_OK;
}

nnc_status nnc_machine_ask(char **text, size_t *size, nnc_error *err) {
#if defined(__wasi__) /* a WebAssembly program cannot start other programs */
    FILE *told = NULL;
#define pclose fclose
#else
    FILE *told = popen("nvidia-smi -q -x 2>/dev/null", "r"); /* NOLINT(cert-env33-c): fixed text */
#endif
    char *bytes = malloc(XML_BYTES_MAX + 1);
    *size = told != NULL && bytes != NULL ? fread(bytes, 1, XML_BYTES_MAX, told) : 0;
    if (told != NULL) { pclose(told); }
    if (bytes == NULL) { return nnc_no_memory(err); }
    bytes[*size] = '\0';
    if (!nnc_is_machine(bytes)) {
        free(bytes);
        return nnc_fail(err, NNC_UNKNOWN_ID, "DEVICE",
                        "\".\" means the measured machine, or the GPU that nvidia-smi describes; found neither: "
                        "'python3 -m nncost.measure' writes a file of the machine");
    }
    *text = bytes;
    return NNC_OK;
}
