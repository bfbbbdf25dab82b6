/* Loads a system library when the program first needs it. dlopen.c belongs to the program `nncost`, and not to the
 * library `libnncost`. */
#include <dlfcn.h>

#include "base/base_internal.h"

/* Returns the last error message of dlopen or dlsym, without the name of the library at the start of the message;
 * "unknown" = there is no message. */
static const char *reason(const char *library) {
    const char *text = dlerror();
    const size_t length = strlen(library);
    return text == NULL                                                                  ? "unknown"
           : strncmp(text, library, length) == 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2
                                                                                         : text;
}

/* Tests whether an error message of dlopen means that memory ran out. dlopen reports a lack of memory only by the text
 * of the message: "cannot create shared object descriptor" or "cannot allocate name record". */
static bool means_memory(const char *text) {
    return strstr(text, "cannot create") != NULL || strstr(text, "cannot allocate") != NULL ||
           strstr(text, "cannot extend") != NULL || strstr(text, "memory") != NULL;
}

nnc_status nnc_dlopen_functions(const char *library, const char *package, const char *const *names, size_t count,
                                void *functions, nnc_error *err) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < count; i++) {
        void *function = handle != NULL ? dlsym(handle, names[i]) : NULL;
        if (function == NULL) {
            const char *why = reason(library);
            return means_memory(why)
                       ? nnc_fail(err, NNC_NO_MEMORY, library, "out of memory")
                       : nnc_fail(err, NNC_IO, library, "cannot load, expected Debian's package %s: %s", package, why);
        }
        memcpy((char *)functions + i * sizeof function, &function, sizeof function);
    }
    return NNC_OK;
}
