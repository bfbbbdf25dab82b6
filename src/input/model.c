/* Models of every family: a file names its family, and the row of the family reads the other members. Also scales a
 * model by --set hidden=N. */
#include "input/input_internal.h"

static const nnc_family_fields *const rows[] = {
#define NNC_FAMILY_FIELDS(name, text, help, row) [name] = &nnc_##row##_fields,
    NNC_FAMILY_LIST(NNC_FAMILY_FIELDS)
#undef NNC_FAMILY_FIELDS
};

const nnc_family_fields *nnc_family_fields_of(nnc_family family)
{
    return rows[(unsigned)family < NNC_FAMILY_COUNT ? family : 0];
}

const nnc_field_table *nnc_model_table(nnc_family family)
{
    return &nnc_family_fields_of(family)->table;
}

const nnc_field_table *nnc_model_table_of(const nnc_model *model)
{
    return model->graph.fields != NULL ? model->graph.fields : nnc_model_table(model->family);
}

void nnc_model_rules(nnc_json at, const nnc_model *model)
{
    const nnc_family_fields *row = rows[model->family];
    if (nnc_check_ranges(at, &row->table, model)) { /* checked first, because the rules divide by these numbers */
        nnc_scale_dims_check(at, model);
        row->rules(at, model);
    }
}

/* Reads the family, which decides the table of fields. Returns false when an error was noted. */
static bool read_family(nnc_json root, nnc_model *model)
{
    const nnc_json at = nnc_json_get(root, "family");
    const nnc_field *field = nnc_field_of_key(nnc_model_table((nnc_family)0), "family");
    const int family = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_names_find(field->names, nnc_json_text(at)) : -1;
    char expected[256];
    nnc_field_expected(field, expected, sizeof(expected));
    if (family >= 0) {
        model->family = (nnc_family)family;
        return true;
    }
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) {
        nnc_json_fault(root, "family", "missing, expected %s, found nothing", expected);
    } else {
        nnc_json_mismatch(at, "unknown family", expected);
    }
    return false;
}

static void complete(nnc_json root, nnc_model *model)
{
    rows[model->family]->complete(root, model);
    nnc_scale_dims_record(model);
    model->lenient = root.doc->lenient;
    if (root.doc->faults->count == 0) {
        nnc_model_rules(root, model);
    }
}

void nnc_model_read(nnc_json root, const char *stem, void *spec)
{
    nnc_model *model = spec;
    static const char *const keys[] = { "schema", "aliases", "sources", "references", "like", NULL };
    memset(model, 0, sizeof(*model));
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(root, "wrong type", "an object");
        return;
    }
    if (nnc_is_foreign(root)) {
        if (nnc_foreign_read(root, model)) {
            complete(root, model);
        }
        return;
    }
    if (nnc_is_capture(root)) {
        nnc_capture_read(root, model);
        return;
    }
    nnc_read_schema(root, "nncost.model/1");
    if (!read_family(root, model)) {
        return;
    }
    const nnc_family_fields *row = rows[model->family];
    const nnc_field_table *table = &row->table;
    const char *const *other_keys = row->keys != NULL ? row->keys : keys;
    if (row->begin != NULL) {
        row->begin(model);
    }
    nnc_read_object(root, table, other_keys, model);
    nnc_read_id(root, stem); /* checked last, because an error in the file name is the least important */
    nnc_name_by_id(model->name, sizeof model->name, model->id);
    nnc_read_texts(nnc_json_get(root, "aliases"), &model->aliases, &model->alias_count);
    nnc_read_sources(root, table, other_keys, &model->sources, &model->source_count);
    if (root.doc->faults->count > 0) {
        return;
    }
    complete(root, model);
}

nnc_status nnc_model_check(const nnc_model *model, const char *name, nnc_error *err)
{
    NNC_NEED(model);
    nnc_faults faults = { .name = name, .err = err };
    const nnc_json_doc none = { .faults = &faults };
    nnc_model_rules(nnc_json_root(&none), model);
    return faults.status;
}

nnc_status nnc_model_set(nnc_model *model, const char *field, const char *value, nnc_error *err)
{
    NNC_NEED(model);
    NNC_NEED(field);
    NNC_NEED(value);
    const nnc_family family = model->family;
    const nnc_status status = nnc_field_set(nnc_model_table_of(model), model, field, value, err);
    if (model->family != family) {
        model->family = family; /* a model of another family would have no fields */
        return nnc_fail(err, NNC_BAD_USAGE, field, "fixed, expected %s, found \"%s\"", nnc_family_name(family), value);
    }
    if (status == NNC_OK) {
        nnc_scale_dims_follow(model, field);
        model->published_params = strcmp(field, "published_params") == 0
                                      ? model->published_params
                                      : 0; /* the published number belongs to the model before the change */
    }
    return status;
}

/* The dimensions of a family that scale together; NULL = the family lacks the dimension. */
typedef struct dims {
    int64_t *hidden, *heads, *kv_heads, *head_dim, *ffn_hidden, *expert_hidden, *shared_hidden;
} dims;

static dims dims_of(nnc_model *model)
{
    nnc_decoder *d = &model->decoder;
    nnc_vit *v = &model->vit;
    if (model->family == NNC_FAMILY_DECODER) {
        return (dims){ &d->hidden,     &d->heads,         &d->kv_heads,     &d->head_dim,
                       &d->ffn_hidden, &d->expert_hidden, &d->shared_hidden };
    }
    if (model->family == NNC_FAMILY_VIT) {
        return (dims){ .hidden = &v->hidden, .heads = &v->heads, .ffn_hidden = &v->ffn_hidden };
    }
    return (dims){ 0 };
}

enum { HIDDEN = 1, HEADS = 2, KV_HEADS = 4, HEAD_DIM = 8, FFN = 16, EXPERT = 32, SHARED = 64 };

static const struct {
    const char *name;
    unsigned flag;
} fields[] = { { "hidden", HIDDEN },  { "heads", HEADS },          { "kv_heads", KV_HEADS },   { "head_dim", HEAD_DIM },
               { "ffn_hidden", FFN }, { "expert_hidden", EXPERT }, { "shared_hidden", SHARED } };

static int64_t value_of(const int64_t *dim)
{
    return dim != NULL ? *dim : 0;
}

void nnc_scale_dims_record(nnc_model *model)
{
    const dims d = dims_of(model);
    model->recorded = (nnc_scale_dims){ .hidden = value_of(d.hidden),
                                        .heads = value_of(d.heads),
                                        .kv_heads = value_of(d.kv_heads),
                                        .head_dim = value_of(d.head_dim),
                                        .ffn_hidden = value_of(d.ffn_hidden),
                                        .expert_hidden = value_of(d.expert_hidden),
                                        .shared_hidden = value_of(d.shared_hidden) };
}

/* Returns a b / c; 0 if it is not a whole number. */
static int64_t share(int64_t a, int64_t b, int64_t c)
{
    int64_t product = 0;
    return nnc_mul_i64(a, b, &product) && c > 0 && product % c == 0 ? product / c : 0;
}

/* Scales a dimension in proportion to hidden. If the result is not whole, the dimension stays, and nnc_scale_dims_check
 * reports it. */
static void follow(int64_t *dim, int64_t recorded, int64_t hidden, int64_t was)
{
    if (dim != NULL && recorded > 0) {
        const int64_t value = share(recorded, hidden, was);
        *dim = value > 0 ? value : recorded;
    }
}

/* Tests whether the number of heads stays and their width changes: heads of the same width do not fill hidden, but
 * heads of this number do. */
static bool keeps_count(const nnc_scale_dims *was, int64_t hidden, unsigned set)
{
    return (set & (HEADS | HEAD_DIM)) == 0 && share(was->heads, hidden, was->hidden) == 0 &&
           (was->head_dim == 0 || was->heads * was->head_dim == was->hidden) && hidden % was->heads == 0;
}

/* Scales heads, which keep their width. If the user set their number, the width changes. */
static void follow_heads(const dims *d, const nnc_scale_dims *was, unsigned set)
{
    const int64_t hidden = *d->hidden;
    const bool fill = d->head_dim != NULL && was->heads * was->head_dim == was->hidden;
    if (keeps_count(was, hidden, set)) {
        *d->heads = was->heads;
        if (d->head_dim != NULL) {
            *d->head_dim = hidden / was->heads;
            *d->kv_heads = (set & KV_HEADS) != 0 ? *d->kv_heads : was->kv_heads;
        }
        return;
    }
    if ((set & HEADS) == 0) {
        const int64_t width =
            d->head_dim != NULL && (set & HEAD_DIM) != 0 && was->head_dim > 0 ? *d->head_dim : was->head_dim;
        follow(d->heads, share(was->heads, was->head_dim > 0 ? was->head_dim : 1, was->head_dim > 0 ? width : 1),
               hidden, was->hidden);
    }
    if ((set & HEAD_DIM) == 0 && fill) {
        const int64_t width = share(hidden, 1, *d->heads);
        *d->head_dim = (set & HEADS) != 0 && width > 0 ? width : was->head_dim;
    }
    if (d->kv_heads != NULL && (set & KV_HEADS) == 0) {
        const int64_t kv_heads = share(was->kv_heads, *d->heads, was->heads);
        *d->kv_heads = kv_heads > 0 ? kv_heads : was->kv_heads;
    }
}

void nnc_scale_dims_follow(nnc_model *model, const char *field)
{
    const dims d = dims_of(model);
    nnc_scale_dims *was = &model->recorded;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        was->set |= strcmp(field, fields[i].name) == 0 ? fields[i].flag : 0U;
    }
    if (d.hidden == NULL || was->hidden == 0 || (was->set & HIDDEN) == 0) {
        return;
    }
    follow_heads(&d, was, was->set);
    if ((was->set & FFN) == 0) {
        follow(d.ffn_hidden, was->ffn_hidden, *d.hidden, was->hidden);
    }
    if ((was->set & EXPERT) == 0) {
        follow(d.expert_hidden, was->expert_hidden, *d.hidden, was->hidden);
    }
    if ((was->set & SHARED) == 0) {
        follow(d.shared_hidden, was->shared_hidden, *d.hidden, was->hidden);
    }
}

static void check_whole(nnc_json at, const nnc_scale_dims *was, const char *name, unsigned flag, int64_t recorded,
                        int64_t hidden)
{
    if ((was->set & flag) == 0 && recorded > 0 && share(recorded, hidden, was->hidden) == 0) {
        nnc_json_fault(at, name,
                       "does not scale with hidden, expected it to be set too, because %" PRId64 " x %" PRId64
                       " / %" PRId64 " is not whole, found %" PRId64,
                       recorded, hidden, was->hidden, recorded);
    }
}

void nnc_scale_dims_check(nnc_json at, const nnc_model *model)
{
    nnc_model copy = *model;
    const dims d = dims_of(&copy);
    const nnc_scale_dims *was = &model->recorded;
    if (d.hidden == NULL || was->hidden == 0 || (was->set & HIDDEN) == 0) {
        return;
    }
    const int64_t hidden = *d.hidden;
    const bool fill = was->heads * was->head_dim == was->hidden;
    if (keeps_count(was, hidden, was->set)) {
        /* head_dim was scaled instead */
    } else if ((was->set & (HEADS | HEAD_DIM)) == 0) {
        check_whole(at, was, "heads", HEADS, was->heads, hidden);
    } else if (d.head_dim != NULL && fill && (was->set & (HEADS | HEAD_DIM)) != (HEADS | HEAD_DIM) &&
               *d.heads * *d.head_dim != hidden) {
        const bool heads = (was->set & HEADS) != 0;
        nnc_json_fault(at, heads ? "heads" : "head_dim",
                       "does not divide hidden, expected a divisor of %" PRId64 ", found %" PRId64, hidden,
                       heads ? *d.heads : *d.head_dim);
    }
    check_whole(at, was, "ffn_hidden", FFN, was->ffn_hidden, hidden);
    check_whole(at, was, "expert_hidden", EXPERT, was->expert_hidden, hidden);
    check_whole(at, was, "shared_hidden", SHARED, was->shared_hidden, hidden);
}

void nnc_scale_dims_text(const nnc_model *model, char *text, size_t size)
{
    nnc_model copy = *model;
    const dims d = dims_of(&copy);
    const nnc_scale_dims *was = &model->recorded;
    const struct {
        const int64_t *dim;
        int64_t recorded;
    } all[] = { { d.hidden, 0 },
                { d.heads, was->heads },
                { d.kv_heads, was->kv_heads },
                { d.head_dim, was->head_dim },
                { d.ffn_hidden, was->ffn_hidden },
                { d.expert_hidden, was->expert_hidden },
                { d.shared_hidden, was->shared_hidden } };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 1; i < sizeof all / sizeof all[0] && (was->set & HIDDEN) != 0; i++) {
        if (all[i].dim != NULL && (was->set & fields[i].flag) == 0 && *all[i].dim != all[i].recorded && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%s=%" PRId64, used > 0 ? ", " : "", fields[i].name,
                                     *all[i].dim);
        }
    }
}
