/* The columns of tables of measurements, and other spellings of their names and values.
 *
 * A column sets a field of the plan ("tensor"), of the serving plan ("input_len"), or of the model, device or software
 * profile ("model.layers", "device.scale_out.bytes_per_s"), or it is one of the special columns listed below. Tables
 * from other sources may have other names for some columns; the other names that nncost reads are also listed below.
 * tools/lab/canonical.py changes them to the usual names. */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "lab/lab_internal.h"

/* The lists of columns and spellings below are strings of the form "|ENTRY|ENTRY|" or "|KEY=VALUE|KEY=VALUE|". */

/* Special columns with text: their name is no field, or their cells have another format than the field of the same
 * name. */
static const char text_columns[] =
    "|id|source|device|framework|software|open|refused|model|model_name|mode|weights|op|dtype|"
    "accumulate|out_dtype|stage|attention|sharding|mem_stat|framework_version|notes|quality|"
    "step_basis|model_family|task|variable_length|flash_attention|lora_rank|length_spread|"
    "model.sliding_window|config|kernel|what|";

static const char whole_columns[] = "|max_batch|nodes|m|n|k|groups|qk_head_dim|gated_mlp|causal|fitted|compiled|"
                                    "channels_last|rows|cols|channels_in|side|channels_out|kernel_side|stride|";

static const char number_columns[] =
    "|measured_s|measured_ms|steps_per_s|time_us|forward_us|both_us|rounding|allocated_bytes|reserved_bytes|unstated_"
    "bytes|"
    "measured_peak_mem_gb|measured_peak_mem_gib|measured_peak_reserved_gib|host_pass_s|"
    "host_sample_s|input_samples_per_s|internode_gbps_per_node|tokens_per_step|micro_batch|"
    "micro_batches|global_batch|bytes|ttft_s|tpot_s|latency_s|output_tokens_per_s|"
    "iterations_per_s|least_bytes|time_s|";

/* Columns that nncost knows and does not use; reports of errors list them as unused. */
static const char people_columns[] =
    "|url|hardware_stated|n_slices|n_params|measured_tokens_per_s_per_device|"
    "measured_samples_per_s|measured_tflops_per_device|measured_mfu|peer_pred_step_s|"
    "peer_pred_peak_mem_gib|flops_convention|check_mfu_causal|check_mfu_full|note|algo|"
    "time_inplace_us|busbw_gbs|layout|tflops|peak_tflops|efficiency|gbs|tflops_causal|"
    "contiguous|cuda_graph|power_w|power_limit_w|run_id|rank|quantity|reserved_gib|unit|"
    "trained_params|p10_s|p90_s|forward_s|backward_s|update_s|outside_gb|sm_mhz|"
    "fails_at|value_kind|family|total_tokens_per_s|memory_gb|samples_per_s|activations|"
    "value|value_gib|";

/* Other spellings of column names: SPELLING=NAME, where NAME is the name that nncost uses. */
static const char column_spellings[] =
    "|hardware=device|n_devices=devices|n_nodes=nodes|version=framework_version|"
    "measured_step_s=measured_s|step_s=measured_s|step_time_s=measured_s|"
    "step_ms=measured_ms|step_time_ms=measured_ms|steps/s=steps_per_s|it/"
    "s=steps_per_s|gpu=device|gpus=devices|step_rel_unc=rounding|"
    "n_layers=model.layers|"
    "d_model=model.hidden|n_heads=model.heads|n_kv_heads=model.kv_heads|"
    "head_dim=model.head_dim|d_ff=model.ffn_hidden|vocab=model.vocab|"
    "tied_embeddings=model.tied_head|pos_embedding=model.positions|"
    "q_lora_rank=model.q_lora_rank|kv_lora_rank=model.kv_lora_rank|"
    "qk_nope_dim=model.qk_nope_head_dim|qk_rope_dim=model.qk_rope_head_dim|"
    "v_head_dim=model.v_head_dim|n_experts=model.experts|top_k=model.experts_per_token|"
    "moe_d_ff=model.expert_hidden|shared_d_ff=model.shared_hidden|"
    "n_dense_layers=model.dense_layers|mtp_layers=model.next_layers|"
    "sliding_window=model.sliding_window|image_size=image|tp=tensor|pp=pipeline|"
    "vpp=virtual_stages|dp=data|cp=context|ep=expert|sp=sequence_parallel|zero_stage=zero|"
    "shard_size=shard|grad_accum=micro_batches|attention_dp=attention_data|"
    "kv_cache=kv_precision|";

/* Other spellings of the values of a column: COLUMN:VALUE=MEANING. If the meaning is empty, the cell states no
 * value. */
static const char value_spellings[] =
    "|gated_mlp:causal=fitted|precision:amp fp16=fp16|precision:fp8-cs=fp8|precision:fp8-mx=fp8|"
    "precision:nvfp4=fp4|recompute:minimal (matmul outputs saved)=attention,norm,activation|"
    "recompute:full, qkv offloaded to host=full|recompute:custom/offload=full|"
    "optimizer:adamw fused=adamw|optimizer:adamw (fp32 weights)=adamw|"
    "optimizer:decoupled_adamw=adamw|optimizer:distributed adam=adam|optimizer:cpu adamw=adamw|"
    "optimizer:adam (fp32 grad accumulation)=adam|"
    "optimizer:adam (fp32 master, fp32 grad accumulation)=adam|"
    "offload:optimizer states on CPU (ZeRO-Offload AdamW)=optimizer|"
    "offload:activations to host=activations|model.positions:rope=rotary|"
    "model.positions:alibi=none|attention:mha=|attention:gqa=|attention:mla=|"
    "flash_attention:unknown=|flash_attention:0=unfused|flash_attention:1=flash|"
    "weights:q4_k_m=int4|sharding:none=0|sharding:ddp=0|sharding:zero0=0|sharding:zero1=1|"
    "sharding:distributed-optimizer=1|sharding:zero2=2|sharding:fsdp-shard_grad_op=2|"
    "sharding:zero3=3|sharding:fsdp=3|sharding:fsdp2=3|sharding:fsdp-full_shard=3|"
    "sharding:fsdp within slice, dp across slices=3|"
    "sharding:fsdp within node, dp across nodes=3|id:device=devices|";

/* Finds the entry of a key in a list such as "|KEY=VALUE|KEY=VALUE|" (end: '=') or "|KEY|KEY|" (end: '|'). Returns the
 * text after the key and the character `end`, up to the next '|'. NULL = the list does not have the key. */
static const char *entry_of(const char *list, const char *key, char end) {
    const size_t length = strlen(key);
    for (const char *at = list + 1; *at != '\0'; at += strcspn(at, "|") + 1) {
        if (*at == *key && strncmp(at, key, length) == 0 && at[length] == end) { return at + length + 1; }
    }
    return NULL;
}

/* Finds the field of the table whose name, with `prefix` in front, is the column name `name`; NULL: the table has no
 * such field. */
static const nnc_field *column_field(const nnc_field_table *table, const char *prefix, const char *name) {
    static char nothing[sizeof(nnc_model) + sizeof(nnc_device) + sizeof(nnc_software)];
    void *object = nothing; /* not a real struct: only its address is used, because offsets of fields are counted
                             * from it */
    nnc_dtype dtype;
    return strncmp(name, prefix, strlen(prefix)) == 0 ? nnc_field_find(table, name + strlen(prefix), &object, &dtype)
                                                      : NULL;
}

/* Returns the field that a column sets: of the plan, the serving plan, the device, the software profile or the model.
 * NULL: no field has the name of the column. */
static const nnc_field *field_of(const char *name) {
    const nnc_field *field = column_field(&nnc_plan_table, "", name);
    field = field != NULL ? field : column_field(&nnc_serve_table, "", name);
    field = field != NULL ? field : column_field(&nnc_device_table, "device.", name);
    field = field != NULL ? field : column_field(&nnc_software_table, "software.", name);
    for (int f = 0; f < NNC_FAMILY_COUNT && field == NULL; f++) {
        field = column_field(nnc_model_table((nnc_family)f), "model.", name);
    }
    return field;
}

/* Finds the column that a word in the heading of a file means. The column's name is in the arena. Returns false if no
 * column has this name or spelling. */
static bool column_find(nnc_arena *arena, const char *spelling, nnc_measured_column *found) {
    static const char *const lists[] = { text_columns, whole_columns, number_columns };
    const char *other = entry_of(column_spellings, spelling, '=');
    *found = (nnc_measured_column){ .spelling = spelling };
    if (entry_of(people_columns, spelling, '|') != NULL) { return true; }
    char *name = nnc_arena_strdup(arena, other != NULL ? other : spelling);
    if (name == NULL) { return false; }
    name[strcspn(name, "|")] = '\0';
    found->name = name;
    for (int type = NNC_COLUMN_TEXT; type <= NNC_COLUMN_NUMBER; type++) {
        if (entry_of(lists[type], name, '|') != NULL) {
            found->type = (nnc_column_type)type;
            return true;
        }
    }
    const nnc_field *field = field_of(name);
    if (field != NULL) {
        found->type = field->type == NNC_FIELD_I32 || field->type == NNC_FIELD_I64 ? NNC_COLUMN_WHOLE
                      : field->type == NNC_FIELD_F64                               ? NNC_COLUMN_NUMBER
                                                                                   : NNC_COLUMN_TEXT;
    }
    return field != NULL;
}

/* Returns the name of the column nearest to a misspelt heading; NULL: no column name is near. The returned name is in
 * `space`, which must have at least 2 kB. */
static const char *column_nearest(const char *spelling, char *space, size_t size) {
    const char *names[256];
    size_t count = 0;
    snprintf(space, size, "%s%s%s", text_columns + 1, number_columns + 1, column_spellings + 1);
    for (char *at = space; *at != '\0' && count < 128; count++) {
        char *end = at + strcspn(at, "|");
        *end = at[strcspn(at, "=|")] = '\0';
        names[count] = at;
        at = end + 1;
    }
    for (size_t i = 0; i < nnc_plan_table.count && count < sizeof names / sizeof names[0]; i++) {
        names[count++] = nnc_plan_table.fields[i].name;
    }
    return nnc_nearest(spelling, names, count);
}

/* Copies the meaning of a cell to `text`: the meaning that value_spellings gives to the cell, otherwise the cell
 * itself; "" = the cell states no value. */
static void column_meaning(const char *name, const char *cell, char *text, size_t size) {
    char key[160];
    snprintf(key, sizeof key, "%s:%.100s", name, cell);
    const char *meaning = entry_of(value_spellings, key, '=');
    snprintf(text, size, "%.*s", meaning != NULL ? (int)strcspn(meaning, "|") : (int)size - 1,
             meaning != NULL ? meaning : cell);
}

/* ---- reads tables of measurements: a CSV file becomes a list of nnc_measured ----
 *
 * Each column gets the name that nncost uses. The cells of a line set the fields of a plan and a model; an empty cell
 * sets nothing. A file with an unknown column is refused. If a line has a wrong number of cells, a cell of the wrong
 * type, or a value without a meaning, its row gets a `reason`: it is listed, but not predicted. */

NNC_ENUM_NAMES(nnc_measured_kind, NNC_MEASURED_KIND_LIST)
NNC_ENUM_NAMES(nnc_memory_stat, NNC_MEMORY_STAT_LIST)
NNC_ENUM_NAMES(nnc_served, NNC_SERVED_LIST)

/* State of reading a CSV file of measurements. */
typedef struct reading {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_csv csv;
    nnc_measured_column columns[NNC_CSV_CELLS_MAX];
    int width;
    const char **unused;
    int32_t unused_count;
    nnc_measured_kind kind;
    nnc_measured *rows;
    int32_t count, capacity;
    nnc_measured *row; /* the measured row that is being read */
    bool no_memory;
    /* why a cell of the current line is wrong (its type, or the number of cells); "" = no cell is wrong */
    char bad[256];
} reading;

static bool is(const char *text, const char *other) { return *text == *other && strcmp(text, other) == 0; }

/* Writes the place in the file for an error message, "FILE:LINE", to `text`. Returns `text`. */
static const char *place(const reading *r, char text[512]) {
    snprintf(text, 512, "%.480s:%ld", r->csv.name, r->csv.row_line);
    return text;
}

static nnc_status unknown_column(const reading *r, const char *name, nnc_error *err) {
    char space[2048], where[512];
    const char *nearest = column_nearest(name, space, sizeof space);
    if (r->csv.count == 1 && strpbrk(name, ";\t|") != NULL) {
        return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "one column, expected names with commas between them");
    }
    return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "unknown column \"%.64s\"%s%s%s", name,
                    nearest != NULL ? ", did you mean " : "",
                    nearest != NULL ? nearest : ", 'nncost init rows' has the usual ones", nearest != NULL ? "?" : "");
}

static bool has(const reading *r, const char *name) {
    for (int i = 0; i < r->width; i++) {
        if (r->columns[i].name != NULL && is(r->columns[i].name, name)) { return true; }
    }
    return false;
}

static nnc_status read_heading(reading *r, nnc_error *err) {
    char where[512];
    for (r->width = 0; r->width < r->csv.count; r->width++) {
        const char *spelling = r->csv.cells[r->width];
        nnc_measured_column *found = &r->columns[r->width];
        if (!column_find(r->arena, spelling, found)) { return unknown_column(r, spelling, err); }
        bool twice = found->name != NULL && has(r, found->name);
        for (int32_t i = 0; i < r->unused_count && found->name == NULL; i++) {
            twice = twice || is(r->unused[i], spelling);
        }
        if (twice) { return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "column \"%s\" is there twice", spelling); }
        if (found->name == NULL) { r->unused[r->unused_count++] = spelling; }
    }
    return NNC_OK;
}

/* Returns the kind of measurement of a file with a column of times: collectives, training steps, or kernels. */
static nnc_measured_kind kind_of_timed(const reading *r) {
    return has(r, "bytes")     ? NNC_MEASURED_COLLECTIVE
           : !has(r, "dtype")  ? NNC_MEASURED_STEP
           : has(r, "seq_len") ? NNC_MEASURED_ATTENTION
                               : NNC_MEASURED_GEMM;
}

static bool has_time(const reading *r) {
    return has(r, "measured_s") || has(r, "measured_ms") || has(r, "steps_per_s") || has(r, "time_us");
}

/* Returns the kind of measurement of a file, which its column names decide. */
static nnc_measured_kind kind_of(const reading *r) {
    for (int32_t i = 0; i < r->unused_count; i++) {
        if (nnc_begins(r->unused[i], "value")) { return NNC_MEASURED_MEMORY; }
    }
    const bool served = has(r, "mode") && (has(r, "input_len") || has(r, "iterations_per_s"));
    return served || (has(r, "what") && has(r, "time_s")) ? NNC_MEASURED_SERVING
           : has(r, "max_batch")                          ? NNC_MEASURED_STEP
           : has(r, "forward_us") && has(r, "side")       ? NNC_MEASURED_CONV
           : !has_time(r)                                 ? NNC_MEASURED_KIND_COUNT
                                                          : kind_of_timed(r);
}

/* Finds the kind of measurement of the file, and checks that the file has the columns that every row of this kind
 * needs. */
static nnc_status check_heading(reading *r, nnc_error *err) {
    static const char *const needed[NNC_MEASURED_KIND_COUNT][4] = {
        [NNC_MEASURED_STEP] = { "device" },
        [NNC_MEASURED_GEMM] = { "id", "device", "n" },
        [NNC_MEASURED_ATTENTION] = { "id", "device", "batch", "model.heads" },
        [NNC_MEASURED_VECTOR] = { "id" },
        [NNC_MEASURED_CONV] = { "id", "device", "channels_in", "side" },
        [NNC_MEASURED_COLLECTIVE] = { "id", "device", "devices", "op" },
        [NNC_MEASURED_MEMORY] = { "id" },
        [NNC_MEASURED_SERVING] = { "id", "device", "model", "weights" },
    };
    char where[512];
    r->kind = kind_of(r);
    if (r->kind == NNC_MEASURED_KIND_COUNT) {
        return nnc_fail(err, NNC_BAD_SPEC, place(r, where),
                        "no measured column, expected measured_s, measured_ms, steps_per_s, time_us, or mode with "
                        "input_len or iterations_per_s");
    }
    for (size_t i = 0; i < 4 && needed[r->kind][i] != NULL; i++) {
        if (!has(r, needed[r->kind][i])) {
            return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "column %s is missing", needed[r->kind][i]);
        }
    }
    return NNC_OK;
}

/* Checks the number of cells of a line and their types. A fault is stored in r->bad; it becomes the reason why the row
 * is not predicted, and the file is still read. */
static void check_cells(reading *r) {
    static const char *const expected[] = { "", "a whole number", "a number" };
    static char empty[] = "";
    r->bad[0] = '\0';
    if (r->csv.count != r->width) {
        snprintf(r->bad, sizeof r->bad, "expected %d cells, found %d", r->width, r->csv.count);
        /* The cells of a line with a wrong number of cells are emptied, except the first, which most often is the id of
         * the row. */
        for (int i = 1; i < r->width; i++) { r->csv.cells[i] = empty; }
        return;
    }
    for (int i = 0; i < r->width; i++) {
        const char *text = r->csv.cells[i];
        const nnc_measured_column *c = &r->columns[i];
        int64_t whole = 0;
        double number = 0.0;
        if (text[0] != '\0' && ((c->type == NNC_COLUMN_WHOLE && !nnc_read_i64(text, &whole)) ||
                                (c->type == NNC_COLUMN_NUMBER && !nnc_read_double(text, &number)))) {
            snprintf(r->bad, sizeof r->bad, "column %.64s: expected %s, found \"%.64s\"", c->spelling,
                     expected[c->type], text);
            return;
        }
    }
}

/* Returns the index of the column with this name if its cell in the current line is not empty; otherwise -1. */
static int index_of(const reading *r, const char *name) {
    for (int i = 0; i < r->width; i++) {
        if (r->columns[i].name != NULL && is(r->columns[i].name, name)) { return r->csv.cells[i][0] != '\0' ? i : -1; }
    }
    return -1;
}

static bool given(const reading *r, const char *name) { return index_of(r, name) >= 0; }

static const char *text_of(const reading *r, const char *name) {
    const int i = index_of(r, name);
    return i >= 0 ? r->csv.cells[i] : "";
}

/* Returns the whole number in the cell of a column; 0 if the cell is empty or has no whole number. A number above 1e15,
 * more than any field allows, becomes 1e15, so that sums cannot overflow. */
static int64_t whole_of(const reading *r, const char *name) {
    const int64_t most = 1000000000000000;
    int64_t value = 0;
    if (!nnc_read_i64(text_of(r, name), &value)) { return 0; }
    return value < -most ? -most : value > most ? most : value;
}

static double number_of(const reading *r, const char *name) {
    double value = (double)NAN;
    return nnc_read_double(text_of(r, name), &value) ? value : (double)NAN;
}

static const char *keep(reading *r, const char *text) {
    const char *kept = nnc_arena_strdup(r->arena, text);
    r->no_memory = r->no_memory || kept == NULL;
    return kept != NULL ? kept : "";
}

/* Stores the reason why the current row cannot be predicted. If the row already has a reason, keeps the earlier one. */
static void refuse(reading *r, const char *format, ...) NNC_PRINTF(2, 3);
static void refuse(reading *r, const char *format, ...) {
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->row->reason = r->row->reason != NULL ? r->row->reason : keep(r, text);
}

/* Type of the functions that set a field of a plan, a deployment or a model from text. */
typedef nnc_status nnc_set_text(void *object, const char *field, const char *value);

static nnc_status set_plan(void *object, const char *field, const char *value) {
    return nnc_plan_set(object, field, value, NULL);
}

static nnc_status set_serve(void *object, const char *field, const char *value) {
    return nnc_field_set(&nnc_serve_table, object, field, value, NULL);
}

static nnc_status set_model(void *object, const char *field, const char *value) {
    /* nnc_field_set sets only this field; nnc_model_set would scale the other widths of the model, too */
    return nnc_field_set(nnc_model_table(NNC_FAMILY_DECODER), object, field, value, NULL);
}

/* Sets a field to the meaning of the cell of column i. If the cell has no meaning for this field, stores the reason why
 * the row is not predicted. */
static void set_cell(reading *r, int i, nnc_set_text *set, void *object, const char *field) {
    char text[128];
    column_meaning(i >= 0 ? r->columns[i].name : "", i >= 0 ? r->csv.cells[i] : "", text, sizeof text);
    if (text[0] != '\0' && set(object, field, text) != NNC_OK) {
        refuse(r, "%s \"%.64s\" has no meaning here", r->columns[i].spelling, r->csv.cells[i]);
    }
}

/* Sets each field of a table for which the current line has a cell; the column is `prefix` and the name of the field.
 * Fields whose column is in `others` are left out, because other functions set them. A cell 0 of a model field sets
 * nothing. */
static void set_fields(reading *r, const nnc_field_table *table, const char *prefix, nnc_set_text *set, void *object,
                       const char *const *others) {
    for (int i = 0; i < r->width; i++) {
        const char *name = r->columns[i].name;
        if (name == NULL || r->csv.cells[i][0] == '\0' || !nnc_begins(name, prefix) ||
            (prefix[0] != '\0' && is(r->csv.cells[i], "0"))) {
            continue;
        }
        const char *const *other = others;
        while (*other != NULL && !is(*other, name)) { other++; }
        name += strlen(prefix);
        if (*other == NULL && column_field(table, "", name) != NULL) { set_cell(r, i, set, object, name); }
    }
}

/* Marks in row->given that the cell of a column sets a field of the plan. A cell such as "unknown", which states no
 * value, is not marked. */
static void note_given(reading *r, int cell) {
    char text[128];
    const char *name = r->columns[cell].name;
    const char *field = is(name, "sharding") ? "zero" : is(name, "flash_attention") ? "attention" : name;
    column_meaning(name, r->csv.cells[cell], text, sizeof text);
    if (text[0] == '\0') { return; }
    const nnc_field *found = nnc_field_of_key(&nnc_plan_table, field);
    if (found != NULL) {
        const size_t i = (size_t)(found - nnc_plan_table.fields);
        r->row->given[i / 64] |= (uint64_t)1 << i % 64;
    }
}

bool nnc_measured_gives(const void *in, const char *field) {
    const nnc_measured *row = in;
    const nnc_field *found = nnc_field_of_key(&nnc_plan_table, field);
    const size_t i = found != NULL ? (size_t)(found - nnc_plan_table.fields) : 0;
    return found != NULL && (row->given[i / 64] >> i % 64 & 1) != 0;
}

/* ---- reads the row of a training step ---- */

/* Returns the number of sequences in a column. If it is a fraction, which no plan can have, returns 0 and stores the
 * reason why the row is not predicted. */
static int64_t sequences(reading *r, const char *name) {
    const double value = number_of(r, name);
    if (isnan(value)) { return 0; }
    if (!(value >= 1.0 && value <= 1e15) || floor(value) != value) {
        refuse(r, "%s is not a whole number", r->columns[index_of(r, name)].spelling);
        return 0;
    }
    return (int64_t)value;
}

static void read_plan(reading *r, nnc_plan *p) {
    enum { USUAL_RANK = 16 };
    static const char *const own_rules[] = { "attention", "micro_batch", "micro_batches", "global_batch", "seq_len",
                                             "image",     NULL };
    set_fields(r, &nnc_plan_table, "", set_plan, p, own_rules);
    set_cell(r, index_of(r, "flash_attention"), set_plan, p, "attention");
    set_cell(r, index_of(r, "attention"), set_plan, p, "attention");
    if (!given(r, "zero")) { set_cell(r, index_of(r, "sharding"), set_plan, p, "zero"); }
    for (int i = 0; i < r->width; i++) {
        if (r->columns[i].name != NULL && r->csv.cells[i][0] != '\0') { note_given(r, i); }
    }
    p->shard = p->zero > 0 || !nnc_measured_gives(r->row, "zero") ? p->shard : 0;
    p->sequence_parallel &= p->tensor > 1; /* some tables state sequence parallelism even for runs without tensor
                                            * parallelism */
    if (is(text_of(r, "task"), "lora") && !given(r, "adapter_rank")) {
        p->adapter_rank = USUAL_RANK;
        set_cell(r, index_of(r, "lora_rank"), set_plan, p, "adapter_rank");
    }
    p->micro_batch = sequences(r, "micro_batch");
    p->micro_batches = sequences(r, "micro_batches");
    p->global_batch = sequences(r, "global_batch");
    const double tokens = number_of(r, "tokens_per_step");
    const double full = (double)p->global_batch * (double)whole_of(r, "seq_len");
    if (full > 0.0 && !isnan(tokens) && fabs(tokens / full - 1.0) > 0.001) {
        refuse(r, "tokens_per_step: sequences are packed or padded");
    }
}

/* Returns the names of the settings that decide the time of the step and that the row does not state: the text of the
 * column "open" if the file has this column, otherwise the settings whose cells are empty. */
static const char *left_open(reading *r, const nnc_plan *p) {
    char text[128];
    const bool parallelism = p->devices > 1 && !given(r, "tensor") && !given(r, "data");
    const bool stages = p->pipeline > 1 && !given(r, "virtual_stages");
    const bool batch = p->micro_batch == 0 && p->micro_batches == 0;
    if (has(r, "open")) { return text_of(r, "open"); }
    snprintf(text, sizeof text, "%s%s%s%s%s%s", parallelism ? ", parallelism" : "",
             stages && !parallelism ? ", vpp" : "", batch ? ", micro_batch" : "",
             given(r, "recompute") ? "" : ", recompute",
             strstr(text_of(r, "step_basis"), "composed from parts") != NULL ? ", composed from parts" : "",
             is(text_of(r, "quality"), "B") ? ", quality B" : "");
    return text[0] != '\0' ? keep(r, text + strlen(", ")) : "";
}

/* Reads the fields of a decoder from the columns "model.FIELD". If its MLP is not gated, the other properties are those
 * of GPT: biases, GELU, layer norm, learned positions. If its MLP is gated, they are those of LLaMA: no biases, SwiGLU,
 * RMS norm, rotary positions. */
static void read_decoder(reading *r, nnc_model *model) {
    static const char *const none[] = { NULL };
    nnc_decoder *d = &model->decoder;
    nnc_error err = { 0 };
    const bool gated = whole_of(r, "gated_mlp") == 1;
    *d = (nnc_decoder){ .mlp = gated ? NNC_MLP_SWIGLU : NNC_MLP_GELU,
                        .positions = gated ? NNC_POSITIONS_ROTARY : NNC_POSITIONS_LEARNED,
                        .norm = gated ? NNC_NORM_RMS : NNC_NORM_LAYER,
                        .vocab_multiple = 1,
                        .seq_len = whole_of(r, "seq_len") };
    set_fields(r, nnc_model_table(NNC_FAMILY_DECODER), "model.", set_model, model, none);
    d->kv_heads = d->kv_heads == 0 || d->kv_lora_rank > 0 ? d->heads : d->kv_heads;
    d->head_dim = d->kv_lora_rank > 0                ? d->qk_nope_head_dim + d->qk_rope_head_dim
                  : d->head_dim == 0 && d->heads > 0 ? d->hidden / d->heads
                                                     : d->head_dim;
    /* The width of the MLP. A model without dense layers gets the width of its experts. */
    d->ffn_hidden = d->ffn_hidden == 0 ? d->expert_hidden : d->ffn_hidden;
    if (!given(r, "model.biases")) { d->biases = !gated && d->positions != NNC_POSITIONS_ROTARY; }
    if (!given(r, "next_tokens")) { r->row->plan.next_tokens = d->next_layers > 0; }
    if (nnc_model_check(model, "model", &err) != NNC_OK) {
        const char *field = strrchr(err.where, ' ');
        refuse(r, "%.64s %.200s", field != NULL ? field + 1 : err.where, err.what);
    }
}

/* Makes a model from a text "ID FIELD=VALUE ...": a shipped model with changed fields. If an earlier row has the same
 * text, the row uses the model of that row. */
static nnc_status make_model(reading *r, const char *text, nnc_error *err) {
    nnc_model *made = NULL;
    for (int32_t i = r->count - 1; i >= 0; i--) {
        if (r->rows[i].model_text != NULL && is(r->rows[i].model_text, text)) {
            r->row->model = r->rows[i].model;
            return NNC_OK;
        }
    }
    NNC_TRY(nnc_model_make(r->specs, text, r->row->model_name, &made, err));
    r->row->model = made;
    r->row->model_text = text;
    return NNC_OK;
}

/* Loads or makes the model that the row names. If nncost has only a stand-in, another network with equal counts,
 * "network" is added to the settings that the row leaves open. If the model cannot be made, stores the reason why the
 * row is not predicted. */
static void name_model(reading *r, const char *text) {
    nnc_error err = { 0 };
    const nnc_model *loaded = NULL;
    if (strchr(text, '=') == NULL) {
        r->row->model_id = text;
        if (nnc_model_load(r->specs, text, &loaded, &err) == NNC_OK && loaded->stand_in) {
            char open[160];
            const char *others = r->row->undecided;
            snprintf(open, sizeof open, "network%s%.120s", others[0] != '\0' ? ", " : "", others);
            r->row->undecided = keep(r, open);
        }
        return;
    }
    const nnc_status status = make_model(r, text, &err);
    r->no_memory = r->no_memory || status == NNC_NO_MEMORY;
    if (status != NNC_OK) { refuse(r, "model %.60s: %.60s %.160s", text, err.where, err.what); }
}

/* Loads a model from the file that the column "config" names; the path is relative to the folder of the measurements.
 * If the row has the column model.tied_head, its cell decides whether the head shares the weights of the word table. */
static void read_configuration(reading *r) {
    char path[1024];
    nnc_measured *row = r->row;
    nnc_error err = { 0 };
    const nnc_model *loaded = NULL;
    nnc_model *made = NULL;
    const char *slash = strrchr(r->csv.name, '/');
    const int folder = slash != NULL ? (int)(slash + 1 - r->csv.name) : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, r->csv.name, text_of(r, "config"));
    nnc_status status = nnc_model_load(r->specs, path, &loaded, &err);
    if (status == NNC_OK) { status = nnc_model_copy(r->specs, loaded, &made, &err); }
    r->no_memory = r->no_memory || status == NNC_NO_MEMORY;
    if (status != NNC_OK) {
        refuse(r, "config %.60s: %.200s", text_of(r, "config"), err.what);
        return;
    }
    if (made->family == NNC_FAMILY_DECODER && given(r, "model.tied_head")) {
        made->decoder.tied_head = whole_of(r, "model.tied_head") == 1;
    }
    if (made->decoder.encoder_layers > 0 && made->decoder.positions == NNC_POSITIONS_RELATIVE) {
        made->decoder.encoder_seq_len = row->plan.seq_len; /* the encoder gets all tokens of the row; the decoder gets
                                                            * the labels, a quarter of that number */
        row->plan.seq_len /= 4;
    }
    row->model = made;
}

static void read_model(reading *r) {
    nnc_measured *row = r->row;
    if (given(r, "config")) {
        row->plan.image = whole_of(r, "image");
        row->plan.seq_len = whole_of(r, "seq_len");
        read_configuration(r);
        return;
    }
    if (given(r, "model") || !given(r, "model.layers")) {
        row->plan.image = whole_of(r, "image");
        row->plan.seq_len = whole_of(r, "seq_len");
        name_model(r, row->model_name[0] == '\0' || given(r, "model") ? text_of(r, "model") : row->model_name);
        if (row->model_id != NULL && row->model_id[0] == '\0') { refuse(r, "no model, and no model.layers"); }
        return;
    }
    nnc_model *model = nnc_arena_alloc(r->arena, sizeof *model);
    if (model == NULL) {
        r->no_memory = true;
        return;
    }
    model->family = NNC_FAMILY_DECODER;
    snprintf(model->id, sizeof model->id, "%.63s", row->model_name);
    snprintf(model->name, sizeof model->name, "%.95s", row->model_name);
    row->model = model;
    read_decoder(r, model);
}

/* Sets the software profile and the library of the model for a row of a file with the column "config". The training
 * steps of such a file have forward, backward and optimizer; they clip gradients only if the row states this. The row
 * states whether the program was compiled and whether feature maps are channels last. */
static void read_program(reading *r, nnc_measured *row) {
    if (!has(r, "config")) { return; }
    if (!given(r, "clip_gradients")) { row->plan.clip_gradients = false; }
    row->implementation = given(r, "config") ? NNC_IMPLEMENTATION_NONE : NNC_IMPLEMENTATION_TIMM;
    if (!given(r, "software") && nnc_begins(row->framework, "torch-")) {
        row->software = whole_of(r, "compiled") == 1        ? "torch-compile"
                        : whole_of(r, "channels_last") == 1 ? "torch-channels-last"
                                                            : row->framework;
    }
}

static void set_peak(reading *r, nnc_memory_stat stat, const char *name, double unit) {
    if (given(r, name)) { r->row->measured_bytes[stat] = unit * number_of(r, name); }
}

static void read_peaks(reading *r) {
    const double gib = 1073741824.0;
    const char *stated = text_of(r, "mem_stat");
    const nnc_memory_stat stat = nnc_begins(stated, "reserved")   ? NNC_MEMORY_RESERVED
                                 : nnc_begins(stated, "unstated") ? NNC_MEMORY_UNSTATED
                                                                  : NNC_MEMORY_ALLOCATED;
    set_peak(r, stat, "measured_peak_mem_gb", 1e9);
    set_peak(r, stat, "measured_peak_mem_gib", gib);
    set_peak(r, NNC_MEMORY_RESERVED, "measured_peak_reserved_gib", gib);
    set_peak(r, NNC_MEMORY_ALLOCATED, "allocated_bytes", 1.0);
    set_peak(r, NNC_MEMORY_RESERVED, "reserved_bytes", 1.0);
    set_peak(r, NNC_MEMORY_UNSTATED, "unstated_bytes", 1.0);
    for (int i = 0; i < NNC_MEMORY_STAT_COUNT; i++) {
        if (r->row->measured_bytes[i] <= 0.0) { refuse(r, "a measured peak of %g B", r->row->measured_bytes[i]); }
    }
}

static void read_step(reading *r) {
    nnc_measured *row = r->row;
    const double node = number_of(r, "internode_gbps_per_node");
    read_plan(r, &row->plan);
    read_program(r, row);
    row->undecided = left_open(r, &row->plan);
    read_model(r);
    if (node > 0.0 && row->plan.devices_per_node > 0) {
        row->internode_bytes_per_s = node * 1e9 / 8.0 / (double)row->plan.devices_per_node;
    }
    row->rounding = number_of(r, "rounding");
    row->max_batch = whole_of(r, "max_batch");
    row->host_pass_s = nnc_max(0.0, given(r, "host_pass_s") ? number_of(r, "host_pass_s") : 0.0);
    row->host_sample_s = nnc_max(0.0, given(r, "host_sample_s") ? number_of(r, "host_sample_s") : 0.0);
    row->input_samples_per_s = number_of(r, "input_samples_per_s");
    read_peaks(r);
}

/* ---- reads the rows of kernels and collectives ---- */

/* Returns the number format in the column "dtype". If no format has this name, returns NNC_DTYPE_COUNT and stores the
 * reason why the row is not predicted. */
static nnc_dtype dtype_of(reading *r) {
    const char *text = text_of(r, "dtype");
    const int found = nnc_names_find((nnc_names){ nnc_dtype_name, NNC_DTYPE_COUNT }, text);
    if (found < 0) { refuse(r, "number format \"%.32s\" has no meaning here", text); }
    return found < 0 ? NNC_DTYPE_COUNT : (nnc_dtype)found;
}

/* Returns true if the kernel was timed in PyTorch; the id of a row of such a kernel contains "-torch/". */
static bool by_torch(const reading *r) { return strstr(text_of(r, "id"), "-torch/") != NULL; }

/* Reads the sizes of a matrix product. For a group of products, the file states the size of one product of the group.
 * For a weight gradient of a group, the file states the sizes of the forward product, whose rows become the inner
 * dimension of the gradient. */
static void set_product(reading *r, nnc_op *op) {
    const char *stage = text_of(r, "stage");
    const bool wide = is(text_of(r, "out_dtype"), "fp32");
    const bool adds = is(text_of(r, "accumulate"), "True");
    const bool grad_weight = is(stage, "wgrad") || is(stage, "bwd_grad_w") || adds;
    const int64_t groups = whole_of(r, "groups");
    nnc_matmul p = { .batch = 1,
                     .m = whole_of(r, "m"),
                     .n = whole_of(r, "n"),
                     .k = whole_of(r, "k"),
                     .experts = groups > 1 ? groups : 0,
                     .one_by_one = groups > 1,
                     .b_shared = 1,
                     /* true: the product uses a weight, so unaligned dimensions are not padded, as in PyTorch */
                     .b_is_weight = by_torch(r),
                     .kept_divisor = 1 };
    if (groups > 1 && p.m > 0 && p.m <= INT64_MAX / groups) {
        const int64_t rows = p.m * groups;
        p.m = grad_weight ? p.k : rows;
        p.k = grad_weight ? rows : p.k;
    }
    if (p.m < 1 || p.n < 1 || p.k < 1) { refuse(r, "no size"); }
    op->name = "gemm";
    op->kind = NNC_OP_MATMUL;
    op->grad_bytes = wide || (adds && !is(text_of(r, "op"), "matmul")) ? 4.0 : 2.0;
    op->grad_accumulate = adds ? 1.0 : 0.0;
    op->phase = grad_weight ? NNC_PHASE_GRAD_WEIGHT : op->phase;
    op->u.matmul = p;
}

/* Kinds of rows in the output of nncost.measure that are figures of a device or a whole step instead of an op, and the
 * reason why the prediction leaves these rows out. */
static const struct {
    const char *kind, *reason;
} figures[] = { { "launch", "is host.kernel_s of the device file" },
                { "memory", "is host.new_bytes_per_s of the device file" },
                { "link", "is host.bytes_per_s of the device file" },
                { "step", "is a step of a program, without its model and plan" } };

static const char *reason_of_kind(const char *kind) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (is(kind, figures[i].kind)) { return figures[i].reason; }
    }
    return NULL;
}

/* Reads the op of a measured kernel that is neither a matrix product nor a convolution: a norm, an optimizer or a
 * pointwise op. Its number of elements is rows x cols; in a file without a column `rows`, m x n; in a file without
 * `rows` and `m`, n. Copies, additions and ReLU are single operators of PyTorch, which read and write their tensors
 * once. */
static void set_vector(reading *r, nnc_op *op) {
    static const struct {
        const char *name;
        nnc_op_kind kind;
        int32_t of; /* which pointwise op, norm or optimizer it is: a value of its enum */
        bool alone;
    } known[] = { { "gelu", NNC_OP_POINTWISE, NNC_PW_GELU, false },
                  { "softmax", NNC_OP_POINTWISE, NNC_PW_SOFTMAX, false },
                  { "cast", NNC_OP_POINTWISE, NNC_PW_CAST, false },
                  { "copy", NNC_OP_POINTWISE, NNC_PW_COPY, true },
                  { "add", NNC_OP_POINTWISE, NNC_PW_MUL, true }, /* an addition reads two tensors and writes one, as an
                                                                  * elementwise multiplication does */
                  { "relu", NNC_OP_POINTWISE, NNC_PW_RELU, true },
                  { "layernorm", NNC_OP_NORM, NNC_NORM_LAYER, false },
                  { "layer_norm", NNC_OP_NORM, NNC_NORM_LAYER, false },
                  { "layer_norm_fb", NNC_OP_NORM, NNC_NORM_LAYER, false },
                  { "batch_norm", NNC_OP_NORM, NNC_NORM_BATCH, false },
                  { "adamw", NNC_OP_UPDATE, NNC_OPTIMIZER_ADAMW, false },
                  { "adamw_fused", NNC_OP_UPDATE, NNC_OPTIMIZER_ADAMW, false },
                  { "momentum", NNC_OP_UPDATE, NNC_OPTIMIZER_MOMENTUM, false } };
    const char *name = text_of(r, "op");
    const bool table = given(r, "rows");
    const int64_t m = table ? whole_of(r, "rows") : given(r, "m") ? whole_of(r, "m") : 1;
    const int64_t n = whole_of(r, table ? "cols" : "n");
    const int64_t elements = m > 0 && n > 0 && m <= INT64_MAX / n ? m * n : 0;
    size_t i = 0;
    const size_t count = sizeof known / sizeof known[0];
    while (i < count && !is(name, known[i].name)) { i++; }
    r->row->kind = NNC_MEASURED_VECTOR;
    r->row->both = is(name, "batch_norm") || is(name, "layer_norm_fb");
    if (i == count) {
        refuse(r, "operation \"%.32s\" has no meaning here", name);
        return;
    }
    op->name = known[i].kind == NNC_OP_NORM ? "norm" : known[i].name;
    op->kind = known[i].kind;
    if (op->kind == NNC_OP_NORM) {
        op->u.norm = (nnc_norm){ .kind = (nnc_norm_kind)known[i].of, .elements = elements, .rows = m, .fused = true };
    } else if (op->kind == NNC_OP_UPDATE) {
        const bool narrow = op->dtype == NNC_BF16;
        op->u.update = (nnc_update){ .kind = NNC_UPDATE_STEP,
                                     .optimizer = (nnc_optimizer)known[i].of,
                                     .policy = narrow ? NNC_POLICY_BF16_PURE : NNC_POLICY_AMP,
                                     .fused = true,
                                     .params = elements };
    } else {
        op->dtype = known[i].of == NNC_PW_CAST ? NNC_BF16 : op->dtype;
        op->u.pointwise =
            (nnc_pointwise){ .kind = (nnc_pointwise_kind)known[i].of, .elements = elements, .fused = true };
    }
    if (known[i].alone) {
        const nnc_work own = nnc_op_work(op);
        op->issued[0] = (nnc_issued){ 1, own.read_bytes + own.write_bytes, 0 };
        op->issued_as = NNC_ISSUED_INSTEAD;
    }
    if (elements <= 0) { refuse(r, "no size"); }
}

/* Returns the whole part of a number of elements; 0 if the number is NaN, below 1 or above 1e15. */
static int64_t count_of(double number) { return number >= 1.0 && number <= 1e15 ? (int64_t)number : 0; }

/* Reads a measured PyTorch operator by its name. The suffix "_fb" means that forward and backward were timed together;
 * "_f32", that the loss casts the logits to fp32. */
static void set_operator(reading *r, nnc_op *op) {
    static const char names[] =
        "|copy=copy|add=add|cast_f32=cast|cast=cast|gelu=gelu|softmax=softmax|layer_norm=norm|"
        "layer_norm_fb=norm|cross_entropy_fb=loss|cross_entropy_fb_f32=loss-fp32|adamw_fused=optimizer|"
        "embedding=embedding|";
    const char *name = text_of(r, "op");
    const bool flat = !given(r, "rows"), sized = given(r, "n") || !flat;
    nnc_op one = *op; /* an embedding without a size states the bytes that it moves; `one` is an embedding of one
                       * value, whose bytes give the size */
    const bool priced = !sized && nnc_streaming_op(name, 1, 1, op->dtype, &one);
    const int64_t rows = sized    ? whole_of(r, flat ? "n" : "rows")
                         : priced ? count_of(number_of(r, "least_bytes") / one.issued[0].bytes)
                                  : 0;
    const int64_t columns = flat ? 1 : whole_of(r, "cols");
    const char *as = entry_of(names, name, '=');
    char kind[32];
    r->row->kind = NNC_MEASURED_VECTOR;
    r->row->both = strstr(name, "_fb") != NULL;
    if (rows < 1 || columns < 1 || rows > INT64_MAX / columns) {
        refuse(r, "no size");
        return;
    }
    snprintf(kind, sizeof kind, "%.*s", as != NULL ? (int)strcspn(as, "|") : 0, as != NULL ? as : "");
    if (as == NULL || !nnc_streaming_op(kind, rows, columns, op->dtype, op)) {
        refuse(r, "operation \"%.32s\" has no meaning here", name);
    }
    snprintf(r->row->kernel, sizeof r->row->kernel, "%.*s", (int)strcspn(kind, "-"), kind); /* loss-fp32: loss */
}

/* Returns the whole number in a column, or 1 if the cell is empty or its number is not positive. */
static int64_t positive_of(const reading *r, const char *column) {
    const int64_t value = whole_of(r, column);
    return value > 1 ? value : 1;
}

/* Reads the sizes of a measured convolution. The padding on each side is half of the kernel size, because the tables
 * have only such convolutions. */
static void set_conv(reading *r, nnc_op *op) {
    const int64_t side = whole_of(r, "side"), kernel = whole_of(r, "kernel_side");
    const int64_t stride = positive_of(r, "stride");
    const int64_t groups = positive_of(r, "groups");
    const int64_t after = (side + kernel / 2 * 2 - kernel) / stride + 1;
    const nnc_conv conv = { .batch = whole_of(r, "batch"),
                            .c_in = whole_of(r, "channels_in"),
                            .c_out = whole_of(r, "channels_out"),
                            .h_in = side,
                            .w_in = side,
                            .h_out = after,
                            .w_out = after,
                            .kernel = kernel,
                            .stride = stride,
                            .groups = groups,
                            .needs_grad_input = true,
                            .contiguous = whole_of(r, "channels_last") != 1 };
    op->name = "conv";
    op->kind = NNC_OP_CONV;
    op->u.conv = conv;
    if (conv.batch < 1 || conv.c_in < 1 || conv.c_out < 1 || side < 1 || kernel < 1 || after < 1 || side > 1000000 ||
        kernel > side || conv.c_in % groups != 0 || conv.c_out % groups != 0) {
        refuse(r, "no size");
    }
}

/* Reads one of the two times that a line states for a convolution. both: true = the time of forward and of the
 * gradients of input and weights; false = the time of forward. */
static void read_conv(reading *r, bool both) {
    nnc_op *op = &r->row->op;
    r->row->both = both;
    r->row->called = by_torch(r);
    r->row->measured_s = 1e-6 * number_of(r, both ? "both_us" : "forward_us");
    *op = (nnc_op){
        .math_dtype = dtype_of(r), .dtype = dtype_of(r), .repeat = 1, .block = -1, .issued_as = NNC_ISSUED_TOO
    };
    set_conv(r, op);
    if (r->row->called) {
        snprintf(r->row->kernel, sizeof r->row->kernel, "%s", op->u.conv.contiguous ? "contiguous" : "channels last");
    }
}

/* Writes the name of the group of kernels in which the errors of a matrix product are listed: "odd side" for a product
 * with a dimension that is no multiple of 8; otherwise the format, with "few rows" for a product with few rows. */
static void name_product(nnc_measured *row) {
    enum { ALIGNED = 8, FEW_ROWS = 256 };
    const nnc_matmul *p = &row->op.u.matmul;
    const char *dtype = nnc_dtype_name(row->op.math_dtype);
    if (p->n % ALIGNED != 0 || p->k % ALIGNED != 0) {
        snprintf(row->kernel, sizeof row->kernel, "odd side");
    } else {
        snprintf(row->kernel, sizeof row->kernel, "%s%s", dtype, p->m <= FEW_ROWS ? ", few rows" : "");
    }
}

static void read_product(reading *r) {
    const char *name = text_of(r, "op");
    if (reason_of_kind(name) != NULL) { refuse(r, "%s", reason_of_kind(name)); }
    const nnc_dtype math = dtype_of(r);
    r->row->called = by_torch(r);
    const bool narrow = math == NNC_FP8 || math == NNC_INT8 || math == NNC_FP4 || math == NNC_INT4;
    nnc_op *op = &r->row->op;
    op->repeat = 1;
    op->block = -1;
    op->math_dtype = math;
    /* number format of the output: 16 bits for a product whose operands have 8 or 4 bits */
    op->dtype = narrow ? NNC_BF16 : math;
    if (nnc_begins(name, "conv_")) {
        r->row->kind = NNC_MEASURED_CONV;
        r->row->both = is(name, "conv_both");
        op->phase = is(name, "conv_grad_input")    ? NNC_PHASE_GRAD_INPUT
                    : is(name, "conv_grad_weight") ? NNC_PHASE_GRAD_WEIGHT
                                                   : op->phase;
        set_conv(r, op);
    } else if (name[0] == '\0' || is(name, "matmul") || is(name, "group_matmul")) {
        set_product(r, op);
        op->issued_as = by_torch(r) ? NNC_ISSUED_TOO : NNC_ISSUED_NOT;
        if (by_torch(r)) { name_product(r->row); }
    } else if (by_torch(r)) {
        set_operator(r, op);
    } else {
        set_vector(r, op);
    }
}

static void read_attention(reading *r) {
    const nnc_dtype dtype = dtype_of(r);
    const int64_t seq_len = whole_of(r, "seq_len");
    const int64_t heads = whole_of(r, "model.heads"), kv_heads = whole_of(r, "model.kv_heads");
    const int64_t width = whole_of(r, given(r, "qk_head_dim") ? "qk_head_dim" : "model.head_dim");
    const int64_t value = whole_of(r, "model.v_head_dim");
    const char *op = text_of(r, "op");
    const bool backward = is(op, "sdp_bwd");
    if (op[0] != '\0' && !backward && !is(op, "sdp_fwd")) { refuse(r, "operation \"%.32s\" has no meaning here", op); }
    r->row->causal = whole_of(r, "causal") == 1;
    r->row->called = by_torch(r);
    r->row->op = (nnc_op){
        .name = "attention",
        .kind = NNC_OP_FLASH,
        .phase = backward ? NNC_PHASE_BACKWARD : NNC_PHASE_FORWARD,
        .dtype = dtype,
        .math_dtype = dtype,
        .repeat = 1,
        .block = -1,
        .issued_as = by_torch(r) ? NNC_ISSUED_TOO : NNC_ISSUED_NOT,
        .issued = { { 1.0, 0.0, 0.0 }, { 3.0, 0.0, 0.0 } },
        .u.flash = { .batch = whole_of(r, "batch"),
                     .heads = heads,
                     .kv_heads = kv_heads > 0 ? kv_heads : heads,
                     .s_q = seq_len,
                     .s_k = seq_len,
                     .head_dim = width,
                     .value_dim = value > 0 ? value : width,
                     /* kernels that are neither FlashAttention-2 nor cuDNN: the tables list only kernels as fast as
                      * FlashAttention-3 */
                     .kernel = strstr(text_of(r, "kernel"), "FlashAttention-2") != NULL       ? NNC_FLASH2
                               : by_torch(r) && strstr(text_of(r, "kernel"), "cudnn") != NULL ? NNC_CUDNN
                                                                                              : NNC_FLASH3 },
    };
    if (r->row->called) {
        snprintf(r->row->kernel, sizeof r->row->kernel, "%s",
                 r->row->op.u.flash.kernel == NNC_CUDNN ? "cudnn" : "flash");
    }
    /* With these limits, the number of query-key pairs fits into 64 bits. */
    if (r->row->op.u.flash.batch < 1 || heads < 1 || width < 1 || seq_len < 1 || seq_len > 1000000000) {
        refuse(r, "no size");
    }
}

static void read_collective(reading *r) {
    const char *op = text_of(r, "op");
    const int kind = nnc_names_find((nnc_names){ nnc_collective_name, NNC_COLLECTIVE_COUNT }, op);
    nnc_measured_collective *c = &r->row->collective;
    *c = (nnc_measured_collective){ .devices = (int32_t)nnc_min((double)whole_of(r, "devices"), 1e9),
                                    .nodes = given(r, "nodes") ? (int32_t)whole_of(r, "nodes") : 1,
                                    .bytes = number_of(r, "bytes") };
    c->kind = kind < 0 ? NNC_NO_COLLECTIVE : (nnc_collective)kind;
    if (c->kind == NNC_NO_COLLECTIVE) { refuse(r, "operation \"%.32s\" has no meaning here", op); }
    if (c->devices < 1 || c->nodes < 1 || !(c->bytes > 0.0)) { refuse(r, "no size"); }
}

/* ---- reads the rows of served requests ---- */

static bool starts_together(const char *mode) { return is(mode, "static") || is(mode, "single-stream"); }

/* Tests whether the row is a single forward pass, in which no tokens are generated: a denoising step for a batch of
 * images, or an encoder over a batch. */
static bool is_pass(const reading *r) {
    return given(r, "iterations_per_s") || (given(r, "latency_s") && !given(r, "output_len"));
}

/* Returns true if this kind of measurement of the row is used. If a batch was timed as a whole, the times of its single
 * tokens are not used. */
static bool counts(const reading *r, nnc_served served) {
    const char *mode = text_of(r, "mode");
    const bool together = starts_together(mode);
    const bool latency = given(r, "latency_s");
    if (is_pass(r) || served == NNC_SERVED_PASS) { return is_pass(r) && served == NNC_SERVED_PASS; }
    switch (served) {
    case NNC_SERVED_TPOT: return !together && !is(mode, "offline-max");
    case NNC_SERVED_TTFT: return !together || (!latency && !given(r, "output_tokens_per_s"));
    case NNC_SERVED_REQUEST: return together;
    default: return is(mode, "offline-max") || (together && !latency);
    }
}

static double served_s(const reading *r, nnc_served served) {
    const bool timed = served == NNC_SERVED_PASS && !given(r, "iterations_per_s");
    const double value = number_of(r, timed ? "latency_s" : nnc_served_name(served));
    const bool rate = served == NNC_SERVED_TOKEN || (served == NNC_SERVED_PASS && !timed);
    return rate ? 1.0 / value : value;
}

static void read_load(reading *r, nnc_serve_ask *ask) {
    static const char *const loads[] = { "batch", "concurrency", "request_rate", NULL };
    const char *mode = text_of(r, "mode");
    set_fields(r, &nnc_serve_table, "", set_serve, ask, loads);
    ask->devices = ask->devices > 0 ? ask->devices : 1;
    if (starts_together(mode)) {
        ask->batch = whole_of(r, "batch");
    } else if (is(mode, "closed-loop")) {
        ask->concurrency = whole_of(r, "concurrency");
    } else if (is(mode, "open-loop")) {
        ask->request_rate = number_of(r, "request_rate");
    } else if (is(mode, "offline-max")) {
        ask->offline = true;
    } else {
        refuse(r, "mode %.32s: batch sizes of its parts are not recorded", mode);
    }
    /* A row that states no degree of parallelism, and has the maximum throughput or a given request rate, is predicted
     * with all degrees of tensor parallelism; the best result is compared with the measurement. */
    const bool open = !given(r, "tensor") && !given(r, "pipeline") && ask->devices > 1;
    ask->tensor = open ? ask->devices : ask->tensor;
    r->row->tensor_open = open && (is(mode, "offline-max") || is(mode, "open-loop"));
    if (!given(r, "input_len") || !given(r, "output_len") ||
        (ask->batch < 1 && ask->concurrency < 1 && !(ask->request_rate > 0.0) && !ask->offline)) {
        refuse(r, "no lengths, or no load");
    }
}

/* Reads the row of a single forward pass. A row with iterations_per_s is a denoising step with guidance, so that the
 * network runs two passes. */
static void read_pass(reading *r) {
    nnc_measured *row = r->row;
    const int found = nnc_names_find((nnc_names){ nnc_dtype_name, NNC_DTYPE_COUNT }, text_of(r, "weights"));
    row->pass_precision = found < 0 ? NNC_DTYPE_COUNT : (nnc_dtype)found;
    row->ask.batch = whole_of(r, "batch");
    row->ask.input_len = whole_of(r, "input_len");
    row->ask.guidance = given(r, "iterations_per_s");
    row->ask.steps = row->ask.guidance ? 1 : 0;
    if (found < 0 || row->ask.batch < 1) { refuse(r, "a pass without a batch, or in a format that has no meaning"); }
}

static bool is_replayed(const reading *r) {
    for (int i = 0; i < r->width; i++) {
        /* tables of training steps have a column cuda_graph, too, but this function reads rows of served requests */
        if (is(r->columns[i].spelling, "cuda_graph")) { return is(r->csv.cells[i], "1"); }
    }
    return false;
}

/* Reads a prefill, or a decode step of sequences with `context` tokens, that was timed alone. If the row names no
 * profile, it is predicted with gpt-fast, whose steps run as a recorded program (CUDA graph). A step that was not
 * recorded is refused, because the operators of the measured program are not known. Returns false unless row->served
 * is NNC_SERVED_TPOT for a decode step, or NNC_SERVED_TTFT for a prefill. */
static bool read_timed(reading *r) {
    nnc_measured *row = r->row;
    const bool decode = is(text_of(r, "what"), "decode"), prefill = is(text_of(r, "what"), "prefill");
    if (row->served != (decode ? NNC_SERVED_TPOT : NNC_SERVED_TTFT)) { return false; }
    row->ask = nnc_serve_ask_default();
    row->undecided = text_of(r, "open");
    row->measured_s = number_of(r, "time_s");
    row->ask.devices = 1;
    row->ask.batch = whole_of(r, "batch");
    row->ask.input_len = whole_of(r, decode ? "context" : "tokens");
    row->ask.output_len = decode ? 2 : 1;
    row->software = row->software != NULL ? row->software : "gpt-fast";
    if (!decode && !prefill) {
        refuse(r, "what %.32s, expected prefill or decode", text_of(r, "what"));
    } else if (row->ask.batch < 1 || row->ask.input_len < 1 || !(row->measured_s > 0.0)) {
        refuse(r, "no lengths, no batch, or no measured time");
    } else if (!is_replayed(r)) {
        refuse(r, "eager inference: the operators of this decoder are not known");
    } else if (given(r, "config")) {
        read_configuration(r);
    } else {
        name_model(r, text_of(r, "model"));
    }
    return true;
}

/* Reads one measurement of served requests from a line; the caller has set row->served to the kind of measurement.
 * Returns false if the line has no measurement of this kind. */
static bool read_serving(reading *r) {
    nnc_measured *row = r->row;
    if (has(r, "what")) { return read_timed(r); }
    row->measured_s = served_s(r, row->served);
    if (!counts(r, row->served) || !(row->measured_s > 0.0)) { return false; }
    row->undecided = text_of(r, "open");
    row->ask = nnc_serve_ask_default();
    row->single = nnc_begins(text_of(r, "mode"), "single");
    if (row->software == NULL && row->reason != NULL) { return true; }
    row->software = row->software != NULL ? row->software : row->framework;
    row->framework = row->software;
    if (row->software[0] == '\0') {
        refuse(r, "its engine is not stated");
        return true;
    }
    if (row->served == NNC_SERVED_PASS) {
        read_pass(r);
    } else {
        read_load(r, &row->ask);
    }
    name_model(r, text_of(r, "model"));
    return true;
}

const char *nnc_measured_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Tests whether values may be fitted on a row: true if the CRC-32 of "SOURCE/MODEL" is even. So all rows with the same
 * source and model are fitted rows, or all are unfitted rows. */
static bool measured_is_fitted(const char *source, const char *model_name) {
    uint32_t crc = nnc_crc32(0, source, strlen(source));
    crc = nnc_crc32(crc, "/", 1);
    return nnc_crc32(crc, model_name, strlen(model_name)) % 2 == 0;
}

/* Returns the source of the row up to its colon: "owner/repo" of "owner/repo:file@commit". If the row has no source,
 * returns the name of the file of measurements. */
static const char *source_of(reading *r) {
    char text[128];
    const char *cell = text_of(r, "source");
    snprintf(text, sizeof text, "%.*s", (int)strcspn(cell, ":"), cell);
    return keep(r, text[0] != '\0' ? text : nnc_measured_file_name(r->csv.name));
}

/* Stores the cells of the columns "device.FIELD" and "software.FIELD" in the row; they are applied later, when the
 * device and the software profile are loaded. */
static void read_other_fields(reading *r) {
    nnc_measured *row = r->row;
    for (int i = 0; i < r->width; i++) {
        const char *name = r->columns[i].name, *text = r->csv.cells[i];
        const bool of_device = name != NULL && nnc_begins(name, "device.");
        if (text[0] == '\0' || name == NULL || !(of_device || nnc_begins(name, "software."))) { continue; }
        if (row->fields == NULL) { row->fields = nnc_arena_array(r->arena, (size_t)r->width, sizeof *row->fields); }
        if (row->fields == NULL) {
            r->no_memory = true;
            return;
        }
        row->fields[row->field_count++] = (nnc_measured_field){ of_device, strchr(name, '.') + 1, text };
    }
}

/* Returns the id of a row of a file without a column "id": "line 3", with the number of the line. */
static const char *line_id(reading *r) {
    char text[32];
    snprintf(text, sizeof text, "line %ld", r->csv.row_line);
    const char *id = nnc_arena_strdup(r->arena, text);
    r->no_memory = r->no_memory || id == NULL;
    return id != NULL ? id : "";
}

/* Returns the measured seconds of a row, from a column of seconds, milliseconds, steps per second or microseconds. A
 * NaN or negative number means that the row states no time. */
static double seconds_of(const reading *r) {
    return given(r, "measured_s")    ? number_of(r, "measured_s")
           : given(r, "measured_ms") ? 1e-3 * number_of(r, "measured_ms")
           : given(r, "steps_per_s") ? 1.0 / number_of(r, "steps_per_s")
                                     : 1e-6 * number_of(r, "time_us");
}

/* Reads one of the rows that a line of a file gives. served: which row: for served requests, the kind of measurement;
 * for a convolution, 0 = forward, 1 = forward and backward; otherwise 0. Returns false if the line has no such row. */
static bool read_row(reading *r, nnc_served served) {
    nnc_measured *row = r->row;
    *row = (nnc_measured){
        .id = given(r, "id") ? text_of(r, "id") : line_id(r),
        .file = r->csv.name,
        .line = r->csv.row_line,
        .kind = r->kind,
        .device = text_of(r, "device"),
        .framework = text_of(r, "framework"),
        .version = text_of(r, "framework_version"),
        .software = given(r, "software") ? text_of(r, "software") : NULL,
        .source = source_of(r),
        .model_name = text_of(r, given(r, "model_name") ? "model_name" : "model"),
        .plan = nnc_plan_default(),
        .internode_bytes_per_s = (double)NAN,
        .measured_s = seconds_of(r),
        .rounding = (double)NAN,
        .measured_bytes = { (double)NAN, (double)NAN, (double)NAN },
        .undecided = "",
        .served = served,
    };
    row->fitted = given(r, "fitted") ? whole_of(r, "fitted") == 1 : measured_is_fitted(row->source, row->model_name);
    if (r->bad[0] != '\0') { refuse(r, "%s", r->bad); }
    if (given(r, "refused")) { refuse(r, "%s", text_of(r, "refused")); }
    if (is(text_of(r, "quality"), "C")) { /* some tables grade their rows; C means that a row contradicts itself or
                                           * physics */
        refuse(r, "quality C: contradicts itself or physics");
    }
    if (given(r, "measured_s") + given(r, "measured_ms") + given(r, "steps_per_s") > 1) {
        refuse(r, "states its time in two columns");
    }
    read_other_fields(r);
    switch (r->kind) {
    case NNC_MEASURED_STEP: read_step(r); break;
    case NNC_MEASURED_ATTENTION: read_attention(r); break;
    case NNC_MEASURED_CONV: read_conv(r, (int)served == 1); break;
    case NNC_MEASURED_COLLECTIVE: read_collective(r); break;
    case NNC_MEASURED_MEMORY: refuse(r, "memory of one rank, whose run is in another file"); break;
    case NNC_MEASURED_SERVING: return read_serving(r);
    default: read_product(r); break;
    }
    if (row->reason == NULL && row->max_batch == 0 && !(row->measured_s > 0.0)) { refuse(r, "no measured time"); }
    return true;
}

/* Reads one line of a file of measurements. The line gives one row; a line of served requests gives a row for each of
 * its measurements, and a line of a convolution up to two rows. */
static nnc_status read_line(reading *r, nnc_error *err) {
    const int most = r->kind == NNC_MEASURED_SERVING                       ? NNC_SERVED_COUNT
                     : r->kind == NNC_MEASURED_CONV && given(r, "both_us") ? 2
                                                                           : 1;
    for (int i = 0; i < most; i++) {
        nnc_measured *rows = nnc_arena_grow(r->arena, r->rows, r->count, &r->capacity, sizeof *rows);
        if (rows != NULL) {
            r->rows = rows;
            r->row = &rows[r->count];
            r->count += read_row(r, (nnc_served)i) ? 1 : 0;
        }
        if (rows == NULL || r->no_memory) { return nnc_fail(err, NNC_NO_MEMORY, r->csv.name, "out of memory"); }
    }
    return NNC_OK;
}

static nnc_status read_all(reading *r, nnc_measured_file *file, nnc_error *err) {
    bool more = false;
    NNC_TRY(nnc_csv_next(&r->csv, &more, err));
    if (!more) { return nnc_fail(err, NNC_BAD_SPEC, r->csv.name, "empty, expected a row of column names"); }
    NNC_TRY(read_heading(r, err));
    NNC_TRY(check_heading(r, err));
    NNC_TRY(nnc_csv_next(&r->csv, &more, err));
    while (more) {
        check_cells(r);
        NNC_TRY(read_line(r, err));
        NNC_TRY(nnc_csv_next(&r->csv, &more, err));
    }
    file->rows = r->rows;
    file->count = r->count;
    file->unused = r->unused;
    file->unused_count = r->unused_count;
    return NNC_OK;
}

nnc_status nnc_measured_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                              nnc_measured_file *file, nnc_error *err) {
    nnc_arena *arena = nnc_specs_arena(specs);
    char *copy = nnc_arena_alloc(arena, size + 1); /* copy of the file's text, into which the cells of all rows point */
    reading *r = nnc_arena_alloc(arena, sizeof *r);
    *file = (nnc_measured_file){ .path = nnc_arena_strdup(arena, name) };
    if (r != NULL) { r->unused = nnc_arena_array(arena, NNC_CSV_CELLS_MAX, sizeof *r->unused); }
    if (copy == NULL || file->path == NULL || r == NULL || r->unused == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, name, "out of memory");
    }
    if (size > 0) { memcpy(copy, text, size); }
    r->csv = nnc_csv_begin(file->path, copy, size);
    r->specs = specs;
    r->arena = arena;
    return read_all(r, file, err);
}

/* CSV columns into which the JSON rows of nncost.measure are converted; all rows of a table have the same kind. Rows of
 * a kind that nncost cannot predict go to the table of kernels, where they are refused with the name of their kind. */
static const struct {
    const char *kind; /* kind of the JSON rows of this table; NULL = all kinds for which there is no other table */
    const char *columns;
} json_tables[] = {
    { "attention", "id,device,op,dtype,batch,seq_len,n_heads,n_kv_heads,head_dim,causal,kernel" },
    { "collective", "id,device,op,dtype,devices,nodes,bytes" },
    { NULL, "id,device,op,dtype,m,n,k,batch,channels_in,side,stride,groups,channels_out,kernel_side,"
            "channels_last" },
};
enum { JSON_TABLES = sizeof json_tables / sizeof json_tables[0] };

static int table_of_kind(nnc_json row) {
    const nnc_json kind = nnc_json_get(row, "kind");
    int i = 0;
    while (json_tables[i].kind != NULL &&
           (nnc_json_type_of(kind) != NNC_JSON_TEXT || strcmp(nnc_json_text(kind), json_tables[i].kind) != 0)) {
        i++;
    }
    return i;
}

static void put_json_row(nnc_buffer *table, const char *columns, nnc_json row) {
    const nnc_json seconds = nnc_json_get(row, "measured_s"), kind = nnc_json_get(row, "kind");
    const bool figure = nnc_json_type_of(kind) == NNC_JSON_TEXT && reason_of_kind(nnc_json_text(kind)) != NULL;
    for (const char *at = columns; *at != '\0'; at += *at == ',') {
        char name[32];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        const nnc_json cell = figure && is(name, "op") ? kind : nnc_json_get(row, name);
        const nnc_json_type type = nnc_json_type_of(cell);
        if (type == NNC_JSON_NUMBER) {
            nnc_buffer_print(table, "%.0f", nnc_json_number(cell));
        } else if (type == NNC_JSON_TEXT && strpbrk(nnc_json_text(cell), "\",\r\n") == NULL) {
            nnc_buffer_text(table, nnc_json_text(cell));
        }
        nnc_buffer_byte(table, ',');
    }
    if (nnc_json_type_of(seconds) == NNC_JSON_NUMBER) { nnc_buffer_print(table, "%.9g", nnc_json_number(seconds)); }
    nnc_buffer_byte(table, '\n');
}

static nnc_status tables_of_json(nnc_specs *specs, const char *path, const char *text, size_t size,
                                 nnc_buffer tables[JSON_TABLES], nnc_error *err) {
    nnc_faults faults = { .name = path, .err = err };
    nnc_json_doc doc = {
        .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size, .values_max = 1000000
    };
    const bool read = nnc_json_parse(&doc);
    const nnc_json root = read ? nnc_json_root(&doc) : (nnc_json){ .node = NULL };
    const nnc_json schema = nnc_json_get(root, "schema"), rows = nnc_json_get(root, "rows");
    const bool known = nnc_json_type_of(schema) == NNC_JSON_TEXT &&
                       strcmp(nnc_json_text(schema), "nncost.measure/1") == 0 &&
                       nnc_json_type_of(rows) == NNC_JSON_LIST;
    bool failed = false;
    for (nnc_json row = nnc_json_first(rows); known && row.node != NULL; row = nnc_json_next(row)) {
        const int i = table_of_kind(row);
        if (tables[i].size == 0) { nnc_buffer_print(&tables[i], "%s,measured_s\n", json_tables[i].columns); }
        put_json_row(&tables[i], json_tables[i].columns, row);
        failed = failed || tables[i].failed;
    }
    nnc_json_free(&doc);
    if (!read || failed) { return read ? nnc_no_memory(err) : faults.status; }
    return known ? NNC_OK
                 : nnc_fail(err, NNC_BAD_SPEC, path,
                            "expected a table, or a file of nncost.measure (schema "
                            "\"nncost.measure/1\" with \"rows\")");
}

/* Appends the rows of the file `more` to the rows of `file`. */
static nnc_status join(nnc_specs *specs, nnc_measured_file *file, const nnc_measured_file *more, nnc_error *err) {
    const size_t count = (size_t)file->count + (size_t)more->count;
    nnc_measured *rows = nnc_arena_array(nnc_specs_arena(specs), count + 1, sizeof *rows);
    NNC_GOT(rows, err);
    for (int32_t i = 0; i < file->count; i++) { rows[i] = file->rows[i]; }
    for (int32_t i = 0; i < more->count; i++) { rows[file->count + i] = more->rows[i]; }
    file->rows = rows;
    file->count = (int32_t)count;
    return NNC_OK;
}

static nnc_status load_json(nnc_specs *specs, const char *path, const char *text, size_t size, nnc_measured_file *file,
                            nnc_error *err) {
    nnc_buffer tables[JSON_TABLES] = { { 0 } };
    nnc_status status = tables_of_json(specs, path, text, size, tables, err);
    *file = (nnc_measured_file){ .path = nnc_arena_strdup(nnc_specs_arena(specs), path) };
    for (int i = JSON_TABLES - 1; i >= 0; i--) {
        nnc_measured_file part;
        if (status == NNC_OK && (tables[i].size > 0 || i == JSON_TABLES - 1)) {
            status = nnc_measured_parse(specs, path, tables[i].bytes, tables[i].size, &part, err);
            status = status == NNC_OK ? join(specs, file, &part, err) : status;
        }
        nnc_buffer_free(&tables[i]);
    }
    return status;
}

nnc_status nnc_measured_load(nnc_specs *specs, const char *path, nnc_measured_file *file, nnc_error *err) {
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_file_read(path, &text, &size, err));
    const bool json = size > 0 && text[strspn(text, " \t\r\n")] == '{';
    const nnc_status status =
        json ? load_json(specs, path, text, size, file, err) : nnc_measured_parse(specs, path, text, size, file, err);
    free(text);
    return status;
}
