/* Functions on field tables: print and check a value, find a field by its dotted name, set it from text, and fill or
 * check a whole struct. */
#include "fields/fields_internal.h"

/* The smallest number above 0 that a field accepts. No real time, size, rate, share or price is smaller. Products of
 * numbers that are smaller than this limit could be too small for a double. */
#define LEAST 1e-15
#define EXACT_MAX 9007199254740992.0 /* 2^53: a double cannot represent every whole number above this value */

bool nnc_field_is_of(const nnc_field_table *table, const nnc_field *field) {
    return field >= table->fields && field < table->fields + table->count;
}

nnc_field_type nnc_field_element(nnc_field_type type) {
    switch (type) {
    case NNC_FIELD_RATES: return NNC_FIELD_F64;
    case NNC_FIELD_I32_LIST: return NNC_FIELD_I32;
    case NNC_FIELD_I64_LIST: return NNC_FIELD_I64;
    case NNC_FIELD_BOOL_LIST: return NNC_FIELD_BOOL;
    case NNC_FIELD_ENUM_LIST: return NNC_FIELD_ENUM;
    default: return type;
    }
}

static bool is_whole(const nnc_field *field) {
    const nnc_field_type type = nnc_field_element(field->type);
    return type == NNC_FIELD_I32 || type == NNC_FIELD_I64;
}

static bool has_limits(const nnc_field *field) { return field->min != 0 || field->max != 0; }

/* Writes a limit of a field with its unit: "80 B", "1e9", "1e15 FLOP/s". A limit with six or more zeros at its end is
 * written with an exponent; a limit such as 16777216 is written in full. */
static void limit_text(const nnc_field *field, double limit, char *text, size_t size) {
    char number[NNC_NUMBER_TEXT], power[16] = "";
    const char *unit = field->unit != NULL ? field->unit : "";
    int zeros = 0;
    while (limit >= 1e6 && fmod(limit, pow(10, zeros + 1)) == 0) { zeros++; }
    if (zeros >= 6) {
        limit /= pow(10, zeros);
        snprintf(power, sizeof(power), "e%d", zeros);
    }
    snprintf(text, size, "%s%s%s%s", nnc_number_text(limit, number), power, unit[0] != '\0' ? " " : "", unit);
}

/* If a value is out of range, the user has probably given it in another unit. Writes " (did you mean 312e12?)": the
 * value times the power of 1000 that brings it nearest to field->usual, a typical value of the field. Writes an empty
 * text if the field has no typical value, or if no power of 1000 brings the value nearer. */
static void slip_text(const nnc_field *field, double value, char *text, size_t size) {
    char number[NNC_NUMBER_TEXT];
    text[0] = '\0';
    if (!(field->usual > 0.0 && value > 0.0)) { return; }
    const double powers = round((log10(field->usual) - log10(value)) / 3.0) * 3.0;
    /* if `value` is infinite, `powers` is infinite, too, and no power is suggested */
    const int power = fabs(powers) < 1000.0 ? (int)powers : 0;
    nnc_number_text(value, number);
    if (power != 0 && strchr(number, 'e') == NULL) { snprintf(text, size, " (did you mean %se%d?)", number, power); }
}

const char *nnc_field_refuse(const nnc_field *field, double value, char *expected, size_t size) {
    char limit[64], slip[64];
    if (is_whole(field) && value != floor(value)) {
        snprintf(expected, size, "a whole number");
        return "not a whole number";
    }
    if (value != 0.0 && fabs(value) < LEAST) {
        snprintf(expected, size, field->above_min || field->min > 0 ? "at least %g" : "0 or at least %g", LEAST);
        return "out of range";
    }
    if (!has_limits(field)) {
        const double most = nnc_field_element(field->type) == NNC_FIELD_I32 ? INT32_MAX : EXACT_MAX;
        if (is_whole(field) && fabs(value) > most) {
            snprintf(expected, size, "at most %.0f", most);
            return "out of range";
        }
        return NULL;
    }
    if (field->min == field->max && value != field->min) {
        nnc_field_expected(field, expected, size);
        return "out of range";
    }
    if (value < field->min || (field->above_min && value == field->min)) {
        limit_text(field, field->min, limit, sizeof(limit));
        slip_text(field, value, slip, sizeof slip);
        snprintf(expected, size, "%s %s%s", field->above_min ? "above" : "at least", limit, slip);
        return "out of range";
    }
    if (value > field->max) {
        limit_text(field, field->max, limit, sizeof(limit));
        slip_text(field, value, slip, sizeof slip);
        snprintf(expected, size, "at most %s%s", limit, slip);
        return "out of range";
    }
    return NULL;
}

void nnc_field_store(const nnc_field *field, void *place, int index, double value) {
    switch (nnc_field_element(field->type)) {
    case NNC_FIELD_BOOL: ((bool *)place)[index] = value != 0; break;
    case NNC_FIELD_I32: ((int32_t *)place)[index] = (int32_t)value; break;
    case NNC_FIELD_I64: ((int64_t *)place)[index] = (int64_t)value; break;
    case NNC_FIELD_F64: ((double *)place)[index] = value; break;
    case NNC_FIELD_ENUM:
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_TRAIN:
    case NNC_FIELD_ADAPTERS:
    case NNC_FIELD_OFFLOAD: ((unsigned *)place)[index] = (unsigned)value; break;
    default: break;
    }
}

static void expect_number(const nnc_field *field, char *text, size_t size) {
    const char *what = is_whole(field) ? "a whole number" : "a number";
    char min[64], max[64];
    limit_text(field, field->min, min, sizeof(min));
    limit_text(field, field->max, max, sizeof(max));
    if (!has_limits(field)) {
        snprintf(text, size, "%s", what);
    } else if (field->min == field->max) {
        /* smallest and largest allowed value are equal, so the field accepts only one value */
        snprintf(text, size, "%s in this version", min);
    } else if (field->above_min) {
        snprintf(text, size, "%s above %s, at most %s", what, min, max);
    } else {
        snprintf(text, size, "%s from %s to %s", what, min, max);
    }
}

static void expect_name(const nnc_field *field, const char *before, char *text, size_t size) {
    if (field->names.count == 1) {
        snprintf(text, size, "%s in this version", field->names.of(0));
        return;
    }
    size_t used = (size_t)snprintf(text, size, "%s", before);
    for (int i = 0; i < field->names.count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, i > 0 ? ", %s" : "%s", field->names.of((unsigned)i));
    }
}

void nnc_field_expected(const nnc_field *field, char *text, size_t size) {
    switch (field->type) {
    case NNC_FIELD_BOOL: snprintf(text, size, "true or false"); break;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64: expect_number(field, text, size); break;
    case NNC_FIELD_ENUM: expect_name(field, "one of ", text, size); break;
    case NNC_FIELD_ENUM_LIST: expect_name(field, "a list out of ", text, size); break;
    case NNC_FIELD_TEXT:
        if (field->size > 0) {
            snprintf(text, size, "text of 1 to %" PRIu32 " bytes", field->size - 1);
        } else {
            snprintf(text, size, "text");
        }
        break;
    case NNC_FIELD_I32_LIST:
    case NNC_FIELD_I64_LIST: snprintf(text, size, "a list of 1 to %d whole numbers", field->capacity); break;
    case NNC_FIELD_BOOL_LIST: snprintf(text, size, "a list of 1 to %d times true or false", field->capacity); break;
    case NNC_FIELD_RECOMPUTE:
        snprintf(text, size,
                 "none, selective, full, or some of attention,norm,activation,mla_up_proj,moe_act,"
                 "shared_experts,mlp,moe");
        break;
    case NNC_FIELD_OFFLOAD: snprintf(text, size, "none, or some of optimizer,activations,weights"); break;
    case NNC_FIELD_TRAIN:
        snprintf(text, size, "all, or some of embedding,attention,mlp,norm,conv,time,head,towers,adapters");
        break;
    case NNC_FIELD_ADAPTERS:
        snprintf(text, size,
                 "linear, or some of attention,mlp,q,k,v,out,qkv,gate,up,down,mixer_in,mixer_out,"
                 "shared_gate,shared_up,shared_down,experts");
        break;
    case NNC_FIELD_RATES:
    case NNC_FIELD_OBJECT_BY_DTYPE: snprintf(text, size, "an object keyed by number format"); break;
    case NNC_FIELD_OBJECT: snprintf(text, size, "an object"); break;
    }
}

static void append(char *text, size_t size, size_t *used, const char *part) {
    const int n = *used < size ? snprintf(text + *used, size - *used, "%s%s", *used > 0 ? ", " : "", part) : 0;
    *used += n > 0 ? (size_t)n : 0;
}

/* Writes one value of a field as text. If the field is a list, writes the element with the index `index`. Writes "-" if
 * the field has no value. */
static void value_text(const nnc_field *field, const void *place, int index, char *text, size_t size) {
    char number[NNC_NUMBER_TEXT];
    double value = (double)NAN;
    switch (nnc_field_element(field->type)) {
    case NNC_FIELD_BOOL: snprintf(text, size, "%s", ((const bool *)place)[index] ? "on" : "off"); return;
    case NNC_FIELD_ENUM: {
        const unsigned name = ((const unsigned *)place)[index];
        snprintf(text, size, "%s", name < (unsigned)field->names.count ? field->names.of(name) : "-");
        return;
    }
    case NNC_FIELD_I32: value = ((const int32_t *)place)[index]; break;
    case NNC_FIELD_I64: value = (double)((const int64_t *)place)[index]; break;
    case NNC_FIELD_F64: value = ((const double *)place)[index]; break;
    default: break;
    }
    value = field->zero_unknown && value == 0.0 ? (double)NAN : value;
    snprintf(text, size, "%s", isnan(value) ? "-" : nnc_number_text(value, number));
}

static void rates_text(const nnc_field *field, const double *rates, char *text, size_t size) {
    size_t used = 0;
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        if (!isnan(rates[i])) {
            char number[NNC_NUMBER_TEXT], part[64];
            value_text(field, rates, i, number, sizeof(number));
            snprintf(part, sizeof(part), "%s %s", nnc_dtype_name((nnc_dtype)i), number);
            append(text, size, &used, part);
        }
    }
    if (used == 0) { snprintf(text, size, "-"); }
}

static void list_text(const nnc_field *field, const void *object, char *text, size_t size) {
    const char *base = object;
    size_t used = 0;
    int32_t count;
    memcpy(&count, base + field->count_offset, sizeof(count));
    for (int32_t i = 0; i < count; i++) {
        char part[NNC_NUMBER_TEXT];
        value_text(field, base + field->offset, i, part, sizeof(part));
        append(text, size, &used, part);
    }
    if (used == 0) { snprintf(text, size, "-"); }
}

void nnc_field_text(const nnc_field *field, const void *object, char *text, size_t size) {
    const void *place = (const char *)object + field->offset;
    switch (field->type) {
    case NNC_FIELD_TEXT:
        snprintf(text, size, "%s", field->size > 0 && *(const char *)place != '\0' ? (const char *)place : "-");
        break;
    case NNC_FIELD_RATES: rates_text(field, place, text, size); break;
    case NNC_FIELD_I32_LIST:
    case NNC_FIELD_I64_LIST:
    case NNC_FIELD_BOOL_LIST:
    case NNC_FIELD_ENUM_LIST: list_text(field, object, text, size); break;
    case NNC_FIELD_RECOMPUTE: nnc_recompute_text(*(const unsigned *)place, text, size); break;
    case NNC_FIELD_TRAIN: nnc_train_text(*(const unsigned *)place, text, size); break;
    case NNC_FIELD_ADAPTERS: nnc_adapted_text(*(const unsigned *)place, text, size); break;
    case NNC_FIELD_OFFLOAD: nnc_offload_text(*(const unsigned *)place, text, size); break;
    case NNC_FIELD_OBJECT:
    case NNC_FIELD_OBJECT_BY_DTYPE: snprintf(text, size, "-"); break;
    default: value_text(field, place, 0, text, size); break;
    }
}

char *nnc_option_name(const char *field, char text[NNC_OPTION_NAME]) {
    size_t size = 2;
    memcpy(text, "--", size);
    for (; *field != '\0' && size < NNC_OPTION_NAME - 1;
         field++) { /* the loop avoids snprintf, because every command writes the names of all its options at its
                     * start */
        text[size++] = (char)(*field == '_' ? '-' : *field);
    }
    text[size] = '\0';
    return text;
}

/* ---- finding a field, and setting it from text ---- */

static const nnc_field *find_here(const nnc_field *fields, size_t count, const char *text, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (nnc_same_name(fields[i].name, text, length) || nnc_same_name(fields[i].alias, text, length)) {
            return &fields[i];
        }
    }
    return NULL;
}

static nnc_dtype dtype_named(const char *text, size_t length) {
    int i = 0;
    while (i < NNC_DTYPE_COUNT && !nnc_same_name(nnc_dtype_name((nnc_dtype)i), text, length)) { i++; }
    return (nnc_dtype)i;
}

/* State of the search for a field by its dotted name, such as "a.b.c": the field table in which the next part of the
 * name is searched, and the part of the name that is not yet found (rest). */
typedef struct search {
    const char *what;
    const nnc_field *fields;
    size_t count;
    const char *rest;
} search;

static const nnc_field *find(search *s, void **object, nnc_dtype *dtype) {
    *dtype = NNC_DTYPE_COUNT;
    for (;;) {
        const size_t length = strcspn(s->rest, ".");
        const nnc_field *field = find_here(s->fields, s->count, s->rest, length);
        if (field == NULL || s->rest[length] == '\0') { return field; }
        const char *next = s->rest + length + 1;
        size_t offset = field->offset;
        if (field->type == NNC_FIELD_RATES || field->type == NNC_FIELD_OBJECT_BY_DTYPE) {
            const size_t part = strcspn(next, ".");
            *dtype = dtype_named(next, part);
            const bool last = next[part] == '\0';
            if (*dtype == NNC_DTYPE_COUNT || (!last && field->type == NNC_FIELD_RATES)) {
                *s = (search){ field->name, NULL, 0, next };
                return NULL;
            }
            if (last) { return field; }
            offset += (size_t)*dtype * (field->size / NNC_DTYPE_COUNT);
            next += part + 1;
        } else if (field->type != NNC_FIELD_OBJECT) {
            *s = (search){ field->name, NULL, 0, next };
            return NULL;
        }
        *object = *object != NULL ? (char *)*object + offset : NULL; /* NULL: only the name is searched */
        *s = (search){ field->name, field->fields, field->field_count, next };
    }
}

const nnc_field *nnc_field_find(const nnc_field_table *table, const char *dotted, void **object, nnc_dtype *dtype) {
    search s = { table->what, table->fields, table->count, dotted };
    return find(&s, object, dtype);
}

const nnc_field *nnc_field_of_key(const nnc_field_table *table, const char *key) {
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->fields[i].name;
        /* comparing the first letters avoids most calls of strcmp, because most keys begin with another letter than the
         * name */
        if (name[0] == key[0] && strcmp(name, key) == 0) { return &table->fields[i]; }
    }
    return NULL;
}

const char *nnc_field_help(const nnc_field_table *table, const char *name) {
    const nnc_field *field = nnc_field_of_key(table, name);
    return field != NULL ? field->help : NULL;
}

static nnc_status fail_unknown(const search *s, const char *dotted, nnc_error *err) {
    const char *names[NNC_DTYPE_COUNT + 128];
    size_t count = 0;
    for (size_t i = 0; i < s->count && count < 128; i++) { names[count++] = s->fields[i].name; }
    if (s->fields == NULL) {
        for (int i = 0; i < NNC_DTYPE_COUNT; i++) { names[count++] = nnc_dtype_name((nnc_dtype)i); }
    }
    const char *near = nnc_nearest(s->rest, names, count);
    return nnc_fail(err, NNC_BAD_USAGE, dotted, "unknown field, expected a field of the %s%s%s%s, found \"%s\"",
                    s->what, near != NULL ? ", perhaps \"" : "", near != NULL ? near : "", near != NULL ? "\"" : "",
                    s->rest);
}

static bool read_bool(const char *text, double *value) {
    static const char *const words[] = { "off", "on", "false", "true", "0", "1" };
    for (int i = 0; i < 6; i++) {
        if (strcmp(text, words[i]) == 0) {
            *value = i % 2;
            return true;
        }
    }
    return false;
}

static bool read_flags(const nnc_flag *names, const char *text, double *value) {
    unsigned flags;
    const bool read = nnc_flags_read(names, text, &flags);
    *value = flags;
    return read;
}

/* Reads a number with its unit. An amount of money may have a currency; this function skips the currency, and the
 * caller compares it with the currency of the device's prices. Returns false if the text is not a number with an
 * allowed unit. */
static bool read_number(const nnc_field *field, const char *text, double *value) {
    char currency[NNC_CURRENCY_TEXT];
    const bool is_money =
        field->unit == NULL && (strstr(field->name, "price") != NULL || strcmp(field->name, "cost") == 0);
    return is_money ? nnc_read_money(text, value, currency)
                    : nnc_read_quantity(text, field->unit, field->type != NNC_FIELD_F64, value);
}

/* Reads one value of a field, or one element of a list. Returns NULL if the value was read. If the value is wrong,
 * returns the error, such as "not a switch", and writes to `expected` which values the field accepts. */
static const char *parse(const nnc_field *field, const char *text, double *value, char *expected, size_t size) {
    const char *what = NULL;
    switch (nnc_field_element(field->type)) {
    case NNC_FIELD_BOOL: what = read_bool(text, value) ? NULL : "not a switch"; break;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64:
        if (read_number(field, text, value)) { return nnc_field_refuse(field, *value, expected, size); }
        what = "not a number";
        break;
    case NNC_FIELD_ENUM:
        *value = nnc_names_find_nocase(field->names, text);
        what = *value < 0 ? "unknown value" : NULL;
        break;
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_OFFLOAD:
    case NNC_FIELD_ADAPTERS:
    case NNC_FIELD_TRAIN: what = read_flags(nnc_flags_of(field->type), text, value) ? NULL : "unknown value"; break;
    default: what = "not a single value"; break;
    }
    /* the text of the accepted values is written only for a wrong value, to save time: a sweep sets millions of
     * values */
    if (what != NULL) { nnc_field_expected(field, expected, size); }
    return what;
}

static const char *set_list(const nnc_field *field, void *object, const char *text, char *expected, size_t size) {
    double values[NNC_PATTERN_MAX]; /* NNC_PATTERN_MAX: number of elements of the longest list that a field can have */
    int32_t count = 0;
    for (const char *at = text; at != NULL;) {
        char part[64];
        at += strspn(at, " ");
        const size_t length = strcspn(at, ",");
        if (count == field->capacity || count == NNC_PATTERN_MAX || length >= sizeof(part)) {
            nnc_field_expected(field, expected, size);
            return "too long";
        }
        memcpy(part, at, length);
        part[length] = '\0';
        const char *what = parse(field, part, &values[count++], expected, size);
        if (what != NULL) { return what; }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    for (int32_t i = 0; i < count; i++) { nnc_field_store(field, (char *)object + field->offset, i, values[i]); }
    memcpy((char *)object + field->count_offset, &count, sizeof(count));
    return NULL;
}

static const char *set_text(const nnc_field *field, void *object, const char *text, char *expected, size_t size) {
    const size_t length = strlen(text);
    if (field->size == 0 || length == 0 || length >= field->size) {
        nnc_field_expected(field, expected, size);
        return field->size == 0 ? "not kept" : length == 0 ? "empty" : "too long";
    }
    memcpy((char *)object + field->offset, text, length + 1);
    return NULL;
}

nnc_status nnc_field_at(const nnc_field_table *table, const char *dotted, void **object, const nnc_field **field,
                        nnc_dtype *dtype, nnc_error *err) {
    search s = { table->what, table->fields, table->count, dotted };
    *field = find(&s, object, dtype);
    return *field != NULL ? NNC_OK : fail_unknown(&s, dotted, err);
}

nnc_status nnc_field_set(const nnc_field_table *table, void *object, const char *dotted, const char *value,
                         nnc_error *err) {
    nnc_dtype dtype;
    const nnc_field *field = NULL;
    NNC_TRY(nnc_field_at(table, dotted, &object, &field, &dtype, err));
    return nnc_field_set_found(field, object, dtype, dotted, value, err);
}

nnc_status nnc_field_set_known(const nnc_field_table *table, void *object, const nnc_field *field, const char *value,
                               nnc_error *err) {
    return nnc_field_is_of(table, field) ? nnc_field_set_found(field, object, NNC_DTYPE_COUNT, field->name, value, err)
                                         : nnc_field_set(table, object, field->name, value, err);
}

nnc_status nnc_field_set_found(const nnc_field *field, void *object, nnc_dtype dtype, const char *dotted,
                               const char *value, nnc_error *err) {
    char expected[256];
    const char *what;
    double number = 0;
    if (field->type == NNC_FIELD_TEXT) {
        what = set_text(field, object, value, expected, sizeof(expected));
    } else if (field->capacity > 0) {
        what = set_list(field, object, value, expected, sizeof(expected));
    } else if (field->type == NNC_FIELD_RATES && dtype == NNC_DTYPE_COUNT) {
        what = "not a single value";
        nnc_field_expected(field, expected, sizeof(expected));
    } else {
        what = parse(field, value, &number, expected, sizeof(expected));
        if (what == NULL) {
            nnc_field_store(field, (char *)object + field->offset, field->type == NNC_FIELD_RATES ? (int)dtype : 0,
                            number);
        }
    }
    if (what != NULL) {
        const char *quote = nnc_read_double(value, &number) ? "" : "\"";
        return nnc_fail(err, NNC_BAD_USAGE, dotted, "%s, expected %s, found %s%s%s", what, expected, quote, value,
                        quote);
    }
    return NNC_OK;
}

/* ---- setting the defaults of a struct, and checking it ---- */

/* Returns the initial value of a member of a struct: the default of its field; if the field has no default, NaN for a
 * double and 0 for any other type. */
static double initial_value(const nnc_field *field) {
    return field->has_default                                ? field->default_value
           : nnc_field_element(field->type) == NNC_FIELD_F64 ? (double)NAN
                                                             : 0.0;
}

/* Sets the members of a struct to the defaults of their fields. All bytes of the struct must be 0 before, so members
 * whose default is 0 are skipped. Skipping members saves time, because the function runs for each scenario of a plan
 * file. */
static void init(const nnc_field *fields, size_t count, char *object) {
    for (const nnc_field *f = fields; f < fields + count; f++) {
        char *place = object + f->offset;
        if (f->type == NNC_FIELD_F64) {
            *(double *)(void *)place = f->has_default ? f->default_value : (double)NAN;
        } else if (f->type == NNC_FIELD_OBJECT || f->type == NNC_FIELD_OBJECT_BY_DTYPE) {
            const size_t copies = f->type == NNC_FIELD_OBJECT ? 1 : NNC_DTYPE_COUNT;
            for (size_t i = 0; i < copies; i++) { init(f->fields, f->field_count, place + i * (f->size / copies)); }
        } else if (f->type == NNC_FIELD_RATES) {
            for (int i = 0; i < NNC_DTYPE_COUNT; i++) { nnc_field_store(f, place, i, initial_value(f)); }
        } else if (f->has_default) {
            nnc_field_store(f, place, 0, f->default_value);
        }
    }
}

void nnc_fields_init(const nnc_field_table *table, void *object) { init(table->fields, table->count, object); }

/* Tests whether a number is allowed in a field: it is within the limits of the field, or it is the initial value of the
 * member (initial_value). */
static bool number_suits(const nnc_field *field, double value) {
    const double unset = initial_value(field);
    const bool open = field->min == 0.0 && field->max == 0.0;
    if (value == unset || (isnan(value) && isnan(unset))) { return true; }
    return open ? isfinite(value)
                : (field->above_min ? value > field->min : value >= field->min) && value <= field->max;
}

static bool suits(const nnc_field *field, const char *at) {
    unsigned value = 0;
    switch (field->type) {
    case NNC_FIELD_BOOL: return *(const unsigned char *)at <= 1;
    case NNC_FIELD_I32: return number_suits(field, *(const int32_t *)(const void *)at);
    case NNC_FIELD_I64: return number_suits(field, (double)*(const int64_t *)(const void *)at);
    case NNC_FIELD_F64: return number_suits(field, *(const double *)(const void *)at);
    case NNC_FIELD_ENUM:
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_OFFLOAD:
    case NNC_FIELD_ADAPTERS:
    case NNC_FIELD_TRAIN:
        memcpy(&value, at, sizeof value);
        return nnc_flags_of(field->type) != NULL
                   ? (value & ~nnc_flags_all(nnc_flags_of(field->type))) == 0
                   : value < (unsigned)field->names.count || value == (unsigned)initial_value(field);
    default: return true; /* a text has no limits; a nested struct is checked by all_suit(), member by member */
    }
}

static void found_text(const nnc_field *field, const char *at, char *text, size_t size) {
    char number[NNC_NUMBER_TEXT];
    switch (field->type) {
    case NNC_FIELD_BOOL: snprintf(text, size, "%u", *(const unsigned char *)at); break;
    case NNC_FIELD_I32: snprintf(text, size, "%d", *(const int32_t *)(const void *)at); break;
    case NNC_FIELD_I64: snprintf(text, size, "%lld", (long long)*(const int64_t *)(const void *)at); break;
    case NNC_FIELD_F64: snprintf(text, size, "%s", nnc_number_text(*(const double *)(const void *)at, number)); break;
    default: snprintf(text, size, "%d", *(const int *)(const void *)at); break;
    }
}

static bool all_suit(const nnc_field *fields, size_t count, const char *object) {
    for (const nnc_field *f = fields; f < fields + count; f++) {
        const char *at = object + f->offset;
        if (f->type == NNC_FIELD_OBJECT ? !all_suit(f->fields, f->field_count, at) : !suits(f, at)) { return false; }
    }
    return true;
}

/* Finds the first field of the struct with a wrong value, and writes an error about it. The error names the place
 * "prefix.name"; if prefix is NULL, it names the command-line option of the field. The caller has to make sure that at
 * least one field is wrong. */
static nnc_status refuse_first(const nnc_field *fields, size_t count, const char *prefix, const char *object,
                               nnc_error *err) {
    while (count > 0 && all_suit(fields, 1, object)) {
        fields++;
        count--;
    }
    const char *at = object + fields->offset;
    char where[96], expected[256], found[64];
    if (prefix == NULL) {
        nnc_option_name(fields->name, where);
    } else {
        snprintf(where, sizeof where, "%s.%s", prefix, fields->name);
    }
    if (fields->type == NNC_FIELD_OBJECT) { return refuse_first(fields->fields, fields->field_count, where, at, err); }
    nnc_field_expected(fields, expected, sizeof expected);
    found_text(fields, at, found, sizeof found);
    return nnc_fail(err, NNC_ILLEGAL_PLAN, where, "out of range, expected %s, found %s", expected, found);
}

nnc_status nnc_fields_check(const nnc_field_table *table, const char *prefix, const void *object, nnc_error *err) {
    return all_suit(table->fields, table->count, object)
               ? NNC_OK
               : refuse_first(table->fields, table->count, prefix, object, err);
}
