/* This machine, or another one, as the driver of NVIDIA describes it: `nvidia-smi -q -x` as the text of a device file.
 *
 *     <gpu ..><product_name>NVIDIA H100 80GB HBM3</product_name>     {"like": "H100 80GB HBM3",
 *       <fb_memory_usage><total>81559 MiB</total> ..            ->    "mem_bytes": 85520809984,
 *       <current_power_limit>700.00 W</current_power_limit>           "power_w": 700,
 *     <gpu ..>                                                        "scale_up": {"devices": 2}}
 *
 * All GPUs of the machine must be of one product. Rates, prices and efficiencies are those of the shipped device. */
#include "input/input_internal.h"

enum { WORD_MAX = 96, XML_BYTES_MAX = 4000 * 1000 };

bool nnc_is_machine(const char *text)
{
    return strncmp(text, "<?xml", 5) == 0 && strstr(text, "<nvidia_smi_log") != NULL;
}

/* Copies the text of the first element of a name between two places; false: no such element. */
static bool element(const char *from, const char *end, const char *name, char value[WORD_MAX])
{
    char open[WORD_MAX];
    const int length = snprintf(open, sizeof open, "<%s>", name);
    const char *at = strstr(from, open);
    if (at == NULL || at >= end) {
        return false;
    }
    at += length;
    snprintf(value, WORD_MAX, "%.*s", (int)strcspn(at, "<"), at);
    return true;
}

/* "81559 MiB": the number. false: "N/A" and the like. */
static bool number(const char *from, const char *end, const char *name, double *value)
{
    char word[WORD_MAX];
    if (!element(from, end, name, word)) {
        return false;
    }
    word[strcspn(word, " ")] = '\0';
    return nnc_read_double(word, value) && *value > 0.0;
}

nnc_status nnc_machine_json(const char *name, const char *text, nnc_buffer *json, nnc_error *err)
{
    char product[WORD_MAX] = "", other[WORD_MAX];
    double mib = 0.0, watts = 0.0;
    int count = 0;
    for (const char *gpu = strstr(text, "<gpu "); gpu != NULL; count++) {
        const char *next = strstr(gpu + 1, "<gpu "), *end = next != NULL ? next : gpu + strlen(gpu);
        const char *memory = strstr(gpu, "<fb_memory_usage>");
        if (!element(gpu, end, "product_name", other) || memory == NULL || memory > end ||
            !number(memory, end, "total", &mib)) {
            return nnc_fail(err, NNC_BAD_SPEC, name,
                            "GPU %d: expected product_name and fb_memory_usage.total, as "
                            "'nvidia-smi -q -x' writes them",
                            count);
        }
        if (count > 0 && strcmp(product, other) != 0) {
            return nnc_fail(err, NNC_BAD_SPEC, name,
                            "expected GPUs of one product, found %s and %s; give the id of one",
                            product, other);
        }
        snprintf(product, sizeof product, "%s", other);
        (void)(number(gpu, end, "current_power_limit", &watts) ||
               number(gpu, end, "power_limit", &watts));
        gpu = next;
    }
    if (count == 0) {
        return nnc_fail(err, NNC_BAD_SPEC, name, "expected a GPU, found none");
    }
    const char *brand[] = { "NVIDIA ", "Tesla " }, *like = product;
    for (size_t i = 0; i < NNC_COUNT_OF(brand); i++) {
        like += strncmp(like, brand[i], strlen(brand[i])) == 0 ? strlen(brand[i]) : 0;
    }
    const char *slash = strrchr(name, '/');
    nnc_buffer_text(json, "{\"schema\":\"nncost.device/1\",\"id\":");
    nnc_put_json_text(json, slash != NULL ? slash + 1 : name); /* as the file is called */
    nnc_buffer_text(json, ",\"like\":");
    nnc_put_json_text(json, like);
    nnc_buffer_text(json, ",\"name\":");
    nnc_put_json_text(json, product);
    nnc_buffer_text(json, ",\"mem_bytes\":");
    nnc_buffer_number(json, mib * 1048576.0);
    if (watts > 0.0) {
        nnc_buffer_text(json, ",\"power_w\":");
        nnc_buffer_number(json, watts);
    }
    if (count > 1) {
        nnc_buffer_text(json, ",\"scale_up\":{\"devices\":");
        nnc_buffer_number(json, count);
        nnc_buffer_text(json, "}");
    }
    nnc_buffer_text(json, ",\"sources\":{\"\":\"nvidia-smi -q -x\"}}");
    nnc_buffer_byte(json, '\0');
    return json->failed ? nnc_no_memory(err) : NNC_OK;
}

nnc_status nnc_machine_ask(char **text, size_t *size, nnc_error *err)
{
#if defined(__wasi__) /* no processes */
    FILE *told = NULL;
#define pclose fclose
#else
    FILE *told = popen("nvidia-smi -q -x 2>/dev/null", "r"); /* NOLINT(cert-env33-c): fixed text */
#endif
    char *bytes = malloc(XML_BYTES_MAX + 1);
    *size = told != NULL && bytes != NULL ? fread(bytes, 1, XML_BYTES_MAX, told) : 0;
    if (told != NULL) {
        pclose(told);
    }
    if (bytes == NULL) {
        return nnc_no_memory(err);
    }
    bytes[*size] = '\0';
    if (!nnc_is_machine(bytes)) {
        free(bytes);
        return nnc_fail(
            err, NNC_UNKNOWN_ID, "DEVICE",
            "\".\" is the measured machine, or the one that nvidia-smi describes; found "
            "neither: 'python3 -m nncost.measure' writes a file of it");
    }
    *text = bytes;
    return NNC_OK;
}
