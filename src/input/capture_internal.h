/* Types and functions that capture.c (reads captured programs), capture_plan.c (units, autocast) and capture_modules.c
 * (frozen and checkpointed modules) share. */
#ifndef NNC_CAPTURE_INTERNAL_H
#define NNC_CAPTURE_INTERNAL_H

#include "graph/graph_internal.h"
#include "input/input_internal.h"

enum {
    RANK_MAX = 8,
    /* largest number of tensors that one operator may have; foreach operators have long lists of tensors */
    TENSORS_MAX = 4096,
};

typedef struct tensor {
    int64_t shape[RANK_MAX];
    int32_t rank;
    /* bytes: bytes of the tensor, at most the bytes of its storage; a tensor that is broadcast has more elements than
     * its storage */
    double elements, bytes;
    nnc_dtype dtype;
    bool whole; /* true: the elements of the tensor are not real numbers but integers, booleans or complex numbers */
    bool complex;
    int32_t storage;
    /* only for a result of an operator of backward: bits, set by mark_needed in capture_modules.c, that tell whether
     * the recorded step and the changed step need the result; 0 = no step needs the result */
    unsigned needed;
} tensor;

enum {
    OPS_MAX = 20000, /* largest number of operators that a capture file may list */
    /* largest number of operators of an unfolded step, in which every repeated layer has its own operators */
    POSITIONS_MAX = 1000000,
    STORAGES_MAX = 1000000,
};
#define BYTES_MAX 1e15

typedef enum storage_kind {
    PARAMETER,
    FROZEN, /* a parameter that training does not change */
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
    int32_t first, last;
    /* index of the last operator of forward that reads the storage; -1 = no operator of forward reads it */
    int32_t reader;
    /* index of the slot (see nnc_capture_slots) that counts the storage in its input_bytes: the slot that reads the
     * storage, or else the slot that creates the storage; -1 = no slot counts the storage */
    int32_t enters;
    /* number of times that input_bytes of the slot with the index `enters` counts this storage: mean over the repeats
     * of the slot */
    double enters_repeat;
    /* The members kind, dtype and width are bit fields, because a step has tens of thousands of storages. */
    storage_kind kind : 8;
    nnc_dtype dtype : 8;
    unsigned width : 8; /* number of bytes of one real number; a complex element has two real numbers */
    bool whole, seen;
    bool looked_up; /* true: operators only look up rows of the storage, which is a parameter */
} storage;

typedef struct tensors {
    tensor *of; /* array of at most TENSORS_MAX tensors, in the arena of the reader */
    int32_t count, capacity;
} tensors;

/* A list in the capture file. Other members of the file refer to the entries of a list by their index. */
typedef struct entries {
    nnc_json *of;
    int32_t count;
} entries;

/* A tensor that an operator of the file reads or writes, with the sizes that nnc_capture_fuse needs. */
typedef struct ref {
    int32_t storage; /* index of the storage; -1 = the operator overwrites the whole tensor and does not read it */
    bool written;
    /* elements: number of elements of the tensor; bytes: bytes of the tensor that the operator reads or writes */
    double elements, bytes;
    int64_t width; /* number of elements of the tensor along its last dimension */
} ref;

typedef enum form {
    FORM_KERNEL,
    /* the operator writes its outputs; the bytes that it reads of its first input are as many as the bytes of the
     * outputs */
    FORM_GATHER,
    /* the operator reads one row of its first input for each index in its second input, and writes sums of these
     * rows */
    FORM_BAG,
    FORM_WRITE, /* the operator writes to its first input and does not read this input */
    FORM_PRODUCT,
    FORM_CONV,
    FORM_CONV_BACKWARD,
    FORM_ATTENTION,
    FORM_ATTENTION_BACKWARD
} form;

/* Ways in which torch.compile can fuse an operator with other operators. */
typedef enum fusion {
    /* the operator is never fused, because it is a scatter or runs as the kernel of a library */
    FUSION_NONE,
    FUSION_POINTWISE, /* the operator computes each element of its result from one element of each input */
    FUSION_REDUCTION, /* the operator computes one value for each row, for each column, or for the whole tensor */
    /* the operator reduces each row to one value, and uses this value to compute a result that is as large as its
     * input */
    FUSION_NORM,
    /* like FUSION_NORM, but in addition a separate kernel reduces the columns, for the gradients of the gain and the
     * bias of the norm */
    FUSION_NORM_BACK,
    FUSION_MAP, /* like FUSION_POINTWISE, but one separate kernel reduces channels or groups */
    FUSION_MAP_BACK
} fusion;

/* Rule by which autocast chooses the number format of an operator. */
typedef enum rule { RULE_NARROW, RULE_FP32, RULE_MAP, RULE_WIDEST } rule;

/* Properties of an operator that follow from the name of the operator. nncost looks up the properties of a name once
 * and uses them for all operators with the same name. */
typedef struct naming {
    const char *full; /* full name of the operator in the file, such as "aten.add_.Tensor" */
    const char *name; /* name without library and overload, such as "add_" */
    form form;
    /* group to which operators with this name always belong; NNC_GROUP_COUNT = module and shapes of the operator
     * decide */
    nnc_group group;
    bool own;              /* true: the operator belongs to PyTorch; false: it belongs to another library */
    bool product, factors; /* product: the operator multiplies matrices; factors: the operator factorizes a matrix */
    /* how torch.compile can fuse the operator; used only for an operator whose cost is computed from bytes */
    fusion fusion;
    /* rules of autocast: `forward` for the operator in forward, `backward` for the operator in backward */
    rule forward, backward;
} naming;

/* An operator whose work is not computed yet. Before unfolding, an issue is an operator of the file. After unfolding,
 * an issue is an operator of one layer: each of several equal layers then has its own operators. */
typedef struct issue {
    nnc_json at;   /* the JSON value of the operator in the file */
    nnc_json args; /* arguments of the operator that are not tensors; an absent value = the file does not state them */
    /* change of the storage numbers of the operator from one equal layer to the next; an absent value = the file does
     * not state the change */
    nnc_json moves;
    const naming *by; /* properties of the operator that follow from its name alone */
    nnc_phase phase;
    bool counts;    /* true: the operator belongs to forward or backward; false: it belongs to the optimizer */
    bool again;     /* true: a second run of an operator of forward, in backward (recomputation) */
    int64_t repeat; /* number of equal operators that this entry stands for, one per equal layer */
    int64_t steps;  /* number of time steps of a recurrent layer in one call, as `steps` of nnc_captured_op */
    int64_t module; /* index in reader.modules of the module that called the operator */
    tensors in, out;
    /* only for an operator of backward: bits, set by mark_needed in capture_modules.c, that tell whether the recorded
     * step and the changed step need the operator; 0 = no step needs the operator */
    unsigned needed;
} issue;

typedef struct reader {
    nnc_arena *arena;
    nnc_faults *faults;
    const char **modules;
    int32_t module_count;
    /* list of shape_count entries, each with a format and a shape; operators of the file refer to an entry by its
     * index */
    tensor *shapes;
    int32_t shape_count;
    /* cache of the properties of operator names; the digest of the name gives the index; NULL = unused entry */
    naming *names[256];
    entries args, moves; /* the lists "args" and "moves" of the file, whose entries operators refer to by index */
    storage *storages;
    int32_t storage_count;
    nnc_captured_op *ops;
    int32_t count, capacity;
    /* for each operator of the file: first_of = index in `ops` of its first entry; last_of = index in `ops` after its
     * last entry */
    int32_t *first_of, *last_of;
    int32_t file_ops;
    /* list of file_ops operators: the operators of the file, or, after unfolding, the operators of every layer */
    issue *issues;
    /* the member "blocks" of the file, which lists equal layers; an absent value = the step is unfolded, or the file
     * has no equal layers */
    nnc_json blocks;
    /* modules that the user freezes or checkpoints; NULL = the recorded step is not changed */
    const nnc_modules *asked;
    /* numbers of parameters that the file states: count_params = all parameters; trained_params = parameters that are
     * trained */
    int64_t count_params, trained_params;
    nnc_optimizer optimizer;
    struct saving *saved; /* the saved_count tensors that the backward of a module saves but does not read */
    int32_t saved_count;
    ref *refs; /* input and output tensors of all operators of the file, in the order of the operators */
    int32_t ref_count, ref_capacity;
    /* for each operator of the file: index in `refs` of its first tensor; the entry after the last operator is
     * ref_count */
    int32_t *refs_of;
    const char **module_of; /* for each operator of the file: path of the module that called the operator */
    bool *backward_of;      /* for each operator of the file: true = the operator belongs to backward */
    /* number of parameters that are not yet counted at an operator: [0] = trained, [1] = frozen */
    double loose[2];
    int64_t frozen_params; /* number of frozen parameters that are counted at operators */
    nnc_captured_slot *slots;
    /* first of the forward operators that look up the largest number of tokens; NULL = no operator looks up tokens */
    const issue *lookup;
    /* number of those lookups of the module of `lookup` that look up as many tokens as `lookup` does */
    int64_t lookups;
    bool updates; /* true: the step has at least one operator of the optimizer */
    bool divides; /* true: one of the operators of the optimizer is addcdiv or a fused kernel of Adam */
    bool fuses;   /* true: the whole optimizer update is one operator, such as _fused_adamw_ */
    bool signs;   /* true: one of the operators of the optimizer is `sign` */
    struct nnc_captured *program;
} reader;

/* Returns the properties of an operator that follow from its name alone; NULL = out of memory. */
const naming *nnc_capture_name(reader *r, const char *full);
/* Tests whether the FLOPs of an operator are known. Notes a fault and returns false for an operator that does not
 * belong to PyTorch, and for an operator that multiplies matrices but is not in the table `operators`. */
bool nnc_capture_is_known(nnc_json at, const naming *n, const tensors *in);
/* Returns the group (part of the network) of an operator. The function tries the name of the operator first, then the
 * path of its module, then the shape of its tensor (a feature map has four axes). */
nnc_group nnc_capture_group(const reader *r, const char *name, const char *module, nnc_group known, const tensors *out,
                            const tensors *in);

/* Returns an array with one entry for each position of the unfolded step: the index of the operator of the file that
 * ran there. *count receives the number of positions. If the input is not valid, notes an error and returns NULL. */
int32_t *nnc_capture_places(reader *r, nnc_json root, int32_t *count);
/* Returns the optimizer of the step. The optimizer follows from the operators of the update and from the number of
 * state elements per trained weight. NNC_OPTIMIZER_COUNT = the step has no operators of an optimizer. Adam and RMSprop
 * divide by the root of their second moment; RMSprop and Adagrad have no first moment. Lion takes the sign. SGD without
 * momentum has no state. RAdam and Adadelta have two states per weight and are counted as Adam. */
nnc_optimizer nnc_capture_optimizer(const reader *r);
/* Returns the kind of kernels of the optimizer update. If the file does not state the kind, the kind is fused for an
 * update of one operator, and foreach (kernels for lists of tensors) for an update of several operators. foreach is the
 * default of torch.optim on a GPU; nncost assumes foreach even if the step was recorded on a CPU with one operator per
 * tensor. After a fault, the function returns NNC_OPTIMIZER_KERNELS_COUNT. */
nnc_optimizer_kernels nnc_capture_kernels(const reader *r, nnc_json root);
/* Reads the lists of tensors that the optimizers update. All trained parameters are one list if the file has no lists,
 * or if the caller changes the recorded step (r->asked is set). If the input is not valid, notes a fault and returns
 * false. */
bool nnc_capture_groups(reader *r, nnc_json root);

/* Notes an operator of forward that looks up tokens, and updates three members. r->program->tokens: the largest number
 * of tokens that one operator looks up. r->lookup: the first operator with this number of tokens. r->lookups: number of
 * operators with this number of tokens that the module of r->lookup has run. */
void nnc_capture_note_lookup(reader *r, const issue *o);

/* Computes the tokens of a step that accumulates the gradients of several micro-batches: each lookup then has the
 * tokens of one micro-batch, and the step has the tokens of all lookups. A step accumulates gradients if the looked-up
 * tokens have an axis of the length samples / lookups. If an encoder and a decoder read all samples with one table, no
 * axis has the length samples / lookups, and the function changes nothing. */
void nnc_capture_count_tokens(reader *r);

/* Computes kept and temporary bytes of the operators from the lifetimes of the storages, and the peak of the step.
 * places: for each of the `count` positions of the step, the index of its operator in the file. Returns false when out
 * of memory. */
bool nnc_capture_lifetimes(reader *r, const int32_t *places, int32_t count);

/* Divides the step into slots (modules or layers whose weights ZeRO 3 gathers at once, and the operators between them),
 * and sets the slot of each operator. Returns false when out of memory. */
bool nnc_capture_slots(reader *r, const int32_t *places, int32_t count);
/* Adds the input and output tensors of an operator to r->refs, which nnc_capture_fuse reads. If the input is not valid,
 * notes an error and returns false. */
bool nnc_capture_note_tensors(reader *r, form how, const tensors *in, const tensors *out);

/* If operators looked up rows of a parameter, and a product also multiplies with this parameter, marks the parameter as
 * a matrix. */
void nnc_capture_tie(reader *r, storage *s);
/* Finds the kernels that the step would run under torch.compile, and sets the members fused_* of the operators to their
 * numbers and bytes. Returns false when out of memory. */
bool nnc_capture_fuse(reader *r, const int32_t *places, int32_t count);
/* Sets input_bytes of each slot to the sum of the bytes of the storages whose member `enters` is this slot. */
void nnc_capture_slot_bytes(reader *r);

/* Unfolds the step (each of several equal layers gets its own operators), and freezes or checkpoints the modules that
 * r->asked names. Returns, for each position of the changed step, the index of its operator, and sets *count to the
 * number of positions. If the input is not valid, notes an error and returns NULL. */
int32_t *nnc_capture_change(reader *r, nnc_json root, const int32_t *places, int32_t *count);

/* Returns a copy of the recorded step in which the operators run as under autocast on CUDA; if the input is not valid,
 * notes an error and returns NULL. */
struct nnc_captured *nnc_capture_autocast(const reader *recorded, const int32_t *places, int32_t count);

/* Reads the format of the autocast regions of the program. If the file does not state a format, the program has no
 * autocast regions. If the input is not valid, notes a fault and returns false. */
bool nnc_capture_read_autocast(reader *r, nnc_json root);

#endif
