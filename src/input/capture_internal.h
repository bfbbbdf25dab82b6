/* Types and functions that capture.c (reads captured programs), capture_plan.c (units, autocast) and capture_modules.c
 * (frozen and checkpointed modules) share. */
#ifndef NNC_CAPTURE_INTERNAL_H
#define NNC_CAPTURE_INTERNAL_H

#include "graph/graph_internal.h"
#include "input/input_internal.h"

enum {
    RANK_MAX = 8,
    TENSORS_MAX = 4096, /* largest number of tensors of one operator; foreach kernels take lists of tensors */
};

typedef struct tensor {
    int64_t shape[RANK_MAX];
    int32_t rank;
    double elements, bytes; /* bytes: at most the bytes of the storage; a broadcast tensor has more elements than its
                             * storage */
    nnc_dtype dtype;
    bool whole; /* true: the elements of the tensor are integers, booleans or complex numbers */
    bool complex;
    int32_t storage;
    unsigned needed; /* for a result of an operator of backward: the marks that mark_needed (capture_modules.c) has set;
                      * 0 = not needed */
} tensor;

typedef enum storage_kind {
    PARAMETER,
    FROZEN, /* a parameter of the network that is not trained */
    BUFFER,
    INPUT,
    GRADIENT,
    STATE,
    KEPT,
    TEMPORARY,
    STORAGE_KINDS
} storage_kind;
typedef struct storage {
    double bytes;
    storage_kind kind;
    nnc_dtype dtype;
    int32_t width; /* bytes of one element of the storage */
    bool whole, seen;
    int32_t first, last;
    int32_t reader; /* index of the last forward op that reads the storage; -1 = no op */
    int32_t enters; /* index of the slot (see nnc_capture_slots) that counts the storage in input_bytes: the slot that
                     * reads it, or else the slot that creates it; -1 = no slot */
    double enters_repeat; /* number of times that each repeat of this slot counts the storage, as a mean over the
                           * repeats */
} storage;

typedef struct tensors {
    tensor *of; /* array of tensors in the arena of the reader; has at most TENSORS_MAX entries */
    int32_t count, capacity;
} tensors;

/* A list of the file whose entries other members of the file name by number. */
typedef struct entries {
    nnc_json *of;
    int32_t count;
} entries;

/* A tensor that an operator of the file reads or writes, with the sizes that nnc_capture_fuse needs. */
typedef struct ref {
    int32_t storage; /* index of the storage; -1 = the operator overwrites the tensor without reading it */
    bool written;
    double elements, bytes; /* elements: number of elements of the tensor; bytes: bytes of the tensor that the operator
                             * moves */
    int64_t width;          /* length of the last dimension of the tensor */
} ref;

typedef enum form {
    FORM_KERNEL,
    FORM_GATHER, /* an operator that writes its outputs, and reads the same number of bytes of its first input */
    FORM_BAG,    /* an operator that reads a row of its first input for each index in the second input, and writes sums
                  * of these rows */
    FORM_WRITE,  /* an operator that only writes its first input */
    FORM_PRODUCT,
    FORM_CONV,
    FORM_CONV_BACKWARD,
    FORM_ATTENTION,
    FORM_ATTENTION_BACKWARD
} form;

/* Decides how torch.compile fuses an operator. */
typedef enum fusion {
    FUSION_NONE,      /* the operator is not fused: it is the kernel of a library, or a scatter */
    FUSION_POINTWISE, /* the operator computes one value per element */
    FUSION_REDUCTION, /* the operator computes one value per row, per column, or for the whole tensor */
    FUSION_NORM,      /* the operator reduces each row to one value, and uses this value for a result as large as the
                       * input */
    FUSION_NORM_BACK, /* like FUSION_NORM, but a separate kernel also reduces the columns for the gradients of gain and
                       * bias */
    FUSION_MAP,       /* a separate kernel reduces channels or groups; the other work of the operator is pointwise */
    FUSION_MAP_BACK
} fusion;

/* format in which an operator runs under autocast */
typedef enum rule { RULE_NARROW, RULE_FP32, RULE_MAP, RULE_WIDEST } rule;

/* Everything that follows from the name of an operator alone, found once for each name. */
typedef struct naming {
    const char *full; /* name of the operator in the file: "aten.add_.Tensor" */
    const char *name; /* name of the operator without library and overload: "add_" */
    form form;
    nnc_group group;        /* NNC_GROUP_COUNT = the module and the shapes of the operator decide the group */
    bool own;               /* true: an operator of PyTorch, not of another library */
    bool product, factors;  /* product: the operator multiplies matrices; factors: the operator factorizes a matrix */
    fusion fusion;          /* how the operator fuses, if it only moves bytes */
    rule forward, backward; /* rules of autocast for an operator of forward, and of backward */
} naming;

/* An operator before its work is computed: an operator of the file, or of the unfolded step. In an unfolded step, each
 * of several equal layers has its own operators. */
typedef struct issue {
    nnc_json at;      /* the JSON value of the operator in the file */
    nnc_json args;    /* arguments of the operator that are not tensors; node NULL = not recorded */
    nnc_json moves;   /* changes of the storage numbers of this operator from one equal layer to the next; node NULL =
                       * not recorded */
    const naming *by; /* properties that follow from the operator's name */
    nnc_phase phase;
    bool counts;    /* false: the operator belongs to the optimizer */
    bool again;     /* true: a forward operator that runs again in backward (recomputation) */
    int64_t repeat; /* number of equal operators for which this entry stands */
    int64_t steps;  /* see the member `steps` of nnc_captured_op */
    int64_t module; /* index of the operator's module in the list of modules */
    tensors in, out;
    unsigned needed; /* for an operator of backward: the marks that mark_needed (capture_modules.c) has set; 0 = not
                      * needed */
} issue;

typedef struct reader {
    nnc_arena *arena;
    nnc_faults *faults;
    const char **modules;
    int32_t module_count;
    tensor *shapes; /* formats and shapes that the operators name by number; shape_count: their number */
    int32_t shape_count;
    naming *names[256];  /* a cache of names of operators, by digest; NULL = empty */
    entries args, moves; /* lists that operators name by number in members args and moves */
    storage *storages;
    int32_t storage_count;
    nnc_captured_op *ops;
    int32_t count, capacity;
    int32_t *first_of, *last_of; /* for each op of the file: first_of: index of the first entry of the op in ops;
                                  * last_of: index after the last entry */
    int32_t file_ops;
    issue *issues;            /* the ops of the file, or of the unfolded step; file_ops = their number */
    nnc_json blocks;          /* equal layers: the member "blocks" of the file; node NULL = the step is unfolded */
    const nnc_modules *asked; /* modules whose treatment changes; NULL = the step stays as it was recorded */
    int64_t count_params, trained_params; /* numbers of parameters that the file states: count_params: all;
                                           * trained_params: the trained ones */
    nnc_optimizer optimizer;
    struct saving *saved; /* tensors that backward of a module saves and does not read; saved_count: their number */
    int32_t saved_count;
    ref *refs; /* tensors of the operators of the file, in order */
    int32_t ref_count, ref_capacity;
    int32_t *refs_of;       /* for each op of the file: index of its first tensor in refs; last entry: ref_count */
    const char **module_of; /* path of the module of each op of the file */
    bool *backward_of;      /* for each op of the file: true if it belongs to backward */
    double loose[2];        /* parameters that no operator counts yet: [0] trained, [1] frozen */
    int64_t frozen_params;  /* number of frozen parameters that operators read */
    nnc_captured_slot *slots;
    bool updates; /* true: the step has operators of the optimizer */
    bool divides; /* true: an operator of the optimizer is addcdiv or a fused Adam */
    bool fuses;   /* true: the optimizer is one operator, such as _fused_adamw_ */
    bool signs;   /* true: an operator of the optimizer is sign */
    struct nnc_captured *program;
} reader;

/* Sets the rules of torch.compile and of autocast that follow from the name of an operator. */
void nnc_capture_set_rules(naming *n);

/* Computes kept and temporary bytes of the operators, and the peak, from the lifetimes of the storages. places: for
 * each of the `count` positions of the step, the index of its operator in the file. Returns false when out of
 * memory. */
bool nnc_capture_lifetimes(reader *r, const int32_t *places, int32_t count);

/* Divides the step into slots (modules or layers whose weights ZeRO 3 gathers at once, and the operators between them),
 * and sets the slot of each operator. Returns false when out of memory. */
bool nnc_capture_slots(reader *r, const int32_t *places, int32_t count);
/* Adds the tensors of an operator to r->refs, for nnc_capture_fuse. Returns false when an error was noted. */
bool nnc_capture_note_tensors(reader *r, form how, const tensors *in, const tensors *out);
/* Finds the kernels of the step under torch.compile: sets the members fused_* of the operators. Returns false when out
 * of memory. */
bool nnc_capture_fuse(reader *r, const int32_t *places, int32_t count);
/* Sums the input_bytes of each slot: the bytes of the storages that the slot counts (member `enters`). */
void nnc_capture_slot_bytes(reader *r);

/* Unfolds the step, and freezes or checkpoints the modules that r->asked names. Returns the places of the changed step,
 * and sets *count to its number of positions; NULL when an error was noted. */
int32_t *nnc_capture_change(reader *r, nnc_json root, const int32_t *places, int32_t *count);

/* Returns a copy of the recorded step, changed as if it ran under autocast on CUDA; NULL when an error was noted. */
struct nnc_captured *nnc_capture_autocast(const reader *recorded, const int32_t *places, int32_t count);

#endif
