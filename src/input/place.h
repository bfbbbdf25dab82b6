/* Where a spec is: a file, a folder that holds one, a pipe. */
#ifndef NNCOST_INPUT_PLACE_H
#define NNCOST_INPUT_PLACE_H

#include "input/kind.h"

/* Texts of pipes, which can be read once only. */
typedef struct nnc_piped {
    const struct nnc_piped *next;
    const char *path;
    char *text; /* in the arena */
    size_t size;
} nnc_piped;
const nnc_piped **nnc_specs_piped(nnc_specs *specs);

/* Is it standard input or another pipe, which has no name that an id could follow? */
bool nnc_is_pipe(const char *path);

/* nnc_file_read, but "-" is standard input, and what a pipe held stays with the specs. */
nnc_status nnc_specs_read(nnc_specs *specs, const char *path, char **text, size_t *size,
                          nnc_error *err);

/* The file that a path of a model stands for: of a folder its config.json, or that of the network which its
 * model_index.json names; of a file itself. Says how to fetch the file where the path is that of a model on
 * the Hugging Face hub. */
nnc_status nnc_place_of_model(nnc_specs *specs, const char *asked, const char **path,
                              nnc_error *err);

/* Does a folder of this name hold a model? */
bool nnc_is_folder(const char *path);

#endif
