/* A file that appears whole or not at all: it is written in the folder of the one it is to replace, and takes
 * that name once it is complete. */
#ifndef NNCOST_BASE_ATOMIC_FILE_H
#define NNCOST_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct nnc_beside {
    char *target; /* what is replaced; a link stays, what it names is the target. NULL = not open */
    char *temporary; /* what is written; NULL = it has no name yet */
    int descriptor;  /* of what is written */
} nnc_beside;

/* Creates an empty file with the rights that path has or would get; it has no name where the system knows such
 * files, so that nothing is left of it when the process is killed. Unless it fails, nnc_beside_keep or
 * nnc_beside_drop must follow. On failure nothing is left and errno says why. */
bool nnc_beside_open(nnc_beside *file, const char *path);

/* The same of a file that has a name, .nncost- and six letters, for those who open it by that. */
bool nnc_beside_open_named(nnc_beside *file, const char *path);

/* Closes the file and gives it its name. durable: it is on the disk first. On failure what path held
 * before stays, and errno says why. */
bool nnc_beside_keep(nnc_beside *file, bool durable);

/* Removes the file; what path held before stays. Without effect on one that is not open. */
void nnc_beside_drop(nnc_beside *file);

/* Puts a text in the place of what path held, durably. On failure that stays, and errno says why. */
bool nnc_beside_write(const char *path, const char *text, size_t size);

/* Writes size bytes to a descriptor. Returns how many got there: fewer only when the rest cannot be
 * written, and errno says why. */
size_t nnc_write_bytes(int descriptor, const char *bytes, size_t size);

#endif
