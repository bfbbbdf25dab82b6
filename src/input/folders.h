/* Data folders, and the file in them that an id stands for. */
#ifndef NNCOST_INPUT_FOLDERS_H
#define NNCOST_INPUT_FOLDERS_H

#include "base/arena.h"
#include "input/id_list.h"
#include "input/kind.h"

typedef struct nnc_folders {
    nnc_arena *arena;
    const char **paths; /* the first wins */
    int count;
} nnc_folders;

/* Those of $NNCOST_PATH, the user's own, and data_path unless it is NULL. false: out of memory. */
bool nnc_folders_open(nnc_folders *folders, const char *data_path);
/* The ids of all folders, sorted. false: out of memory. */
bool nnc_folders_list(nnc_folders *folders, nnc_spec_kind kind, nnc_id_list *list);
/* The same of another folder, "foreign". */
bool nnc_folders_list_folder(nnc_folders *folders, const char *folder, nnc_id_list *list);
/* The file of an id or an alias; *path stays NULL when there is none. */
nnc_status nnc_folders_id(nnc_folders *folders, nnc_spec_kind kind, const char *id,
                          const char **path, nnc_error *err);
/* The same; NNC_UNKNOWN_ID names the nearest. */
nnc_status nnc_folders_find(nnc_folders *folders, nnc_spec_kind kind, const char *id,
                            const char **path, nnc_error *err);
/* The same of files that are no kind of spec. */
nnc_status nnc_folders_find_like(nnc_folders *folders, const nnc_spec_info *info, const char *id,
                                 const char **path, nnc_error *err);
/* A file by its path below a folder; *path stays NULL when there is none. */
nnc_status nnc_folders_file(nnc_folders *folders, const char *name, const char **path,
                            nnc_error *err);

/* The ids of the JSON files in a folder of all data folders, sorted. false: out of memory. */
bool nnc_specs_list_folder(nnc_specs *specs, const char *folder, nnc_id_list *list);

/* Lines "hw/h100=h100-sxm5-80gb", of the files that come with the program. */
extern const char nnc_shipped_aliases[];

#endif
