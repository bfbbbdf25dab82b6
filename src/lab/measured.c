/* Lists the columns of tables of measurements, and other spellings of their names and values.
 *
 * A column sets a field of the plan ("tensor"), of the serving plan ("input_len"), or of the model, device or software
 * profile ("model.layers", "device.scale_out.bytes_per_s"), or it is one of the special columns listed below. Tables
 * from other sources may have other names for some columns; the list column_spellings has the other names that nncost
 * reads. published.c reads the texts of tables from other sources. */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "lab/lab_internal.h"

/* The lists of columns and spellings in this file are strings of the form "|ENTRY|ENTRY|" or
 * "|KEY=VALUE|KEY=VALUE|". */

/* Special columns with text. A special column is a column for which no field has the same name, or whose cells have
 * another format than the field with this name. */
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

/* Columns that nncost knows and does not use. The report of errors lists the columns of this list among the unused
 * columns of the file. */
static const char people_columns[] =
    "|url|hardware_stated|n_slices|n_params|measured_tokens_per_s_per_device|"
    "measured_samples_per_s|measured_tflops_per_device|measured_mfu|peer_pred_step_s|"
    "peer_pred_peak_mem_gib|flops_convention|check_mfu_causal|check_mfu_full|note|algo|"
    "time_inplace_us|busbw_gbs|layout|tflops|peak_tflops|efficiency|gbs|tflops_causal|"
    "contiguous|cuda_graph|power_w|power_limit_w|run_id|rank|quantity|reserved_gib|unit|"
    "trained_params|p10_s|p90_s|forward_s|backward_s|update_s|outside_gb|sm_mhz|"
    "fails_at|value_kind|family|total_tokens_per_s|memory_gb|samples_per_s|activations|"
    "value|value_gib|xla|devices_per_host|network_stated|attention_comm_overlap|image_shape|sample_unit|"
    "alt_step_s|repeat_spread|n_step_samples|round|organisation|system|benchmark|n_config_candidates|"
    "check_mfu|params_m|gmacs|activations_m|burst_time_s|burst_version|why|kv_format|";

/* Other spellings of column names: SPELLING=NAME, where NAME is the name that nncost uses. */
static const char column_spellings[] =
    "|step_s=measured_s|step_time_s=measured_s|step_ms=measured_ms|step_time_ms=measured_ms|"
    "steps/s=steps_per_s|it/s=steps_per_s|gpu=device|gpus=devices|";

/* Other spellings of the columns of published tables (published.c): SPELLING=NAME. */
static const char published_spellings[] =
    "|hardware=device|n_devices=devices|n_nodes=nodes|version=framework_version|"
    "measured_step_s=measured_s|step_rel_unc=rounding|"
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
    "kv_cache=kv_precision|format=dtype|heads=model.heads|kv_heads=model.kv_heads|";

/* Other spellings of the values of a column: COLUMN:VALUE=MEANING. If MEANING is empty, a cell with VALUE states no
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

const char *nnc_list_entry(const char *list, const char *key, char end) {
    const size_t length = strlen(key);
    for (const char *at = list + 1; *at != '\0'; at += strcspn(at, "|") + 1) {
        if (*at == *key && strncmp(at, key, length) == 0 && at[length] == end) { return at + length + 1; }
    }
    return NULL;
}

/* Finds the field of the table for a column name, which is `prefix` and the name of the field; NULL: the table has no
 * such field. */
static const nnc_field *column_field(const nnc_field_table *table, const char *prefix, const char *name) {
    static char nothing[sizeof(nnc_model) + sizeof(nnc_device) + sizeof(nnc_software)];
    /* only the address of `nothing` is used, because offsets of fields are counted from it; it contains no real
     * struct */
    void *object = nothing;
    nnc_dtype dtype;
    return strncmp(name, prefix, strlen(prefix)) == 0 ? nnc_field_find(table, name + strlen(prefix), &object, &dtype)
                                                      : NULL;
}

/* Returns the field that a column sets. The field belongs to the plan, the serving plan, the device, the software
 * profile or the model. Returns NULL if no field has the name of the column. */
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

/* Finds the column for a word in the heading of a file. The column's name is in the arena. Returns false if no column
 * has this name or spelling. */
static bool column_find(nnc_arena *arena, const char *spelling, nnc_measured_column *found) {
    static const char *const lists[] = { text_columns, whole_columns, number_columns };
    const char *other = nnc_list_entry(column_spellings, spelling, '=');
    other = other != NULL ? other : nnc_list_entry(published_spellings, spelling, '=');
    *found = (nnc_measured_column){ .spelling = spelling };
    if (nnc_list_entry(people_columns, spelling, '|') != NULL) { return true; }
    char *name = nnc_arena_strdup(arena, other != NULL ? other : spelling);
    if (name == NULL) { return false; }
    name[strcspn(name, "|")] = '\0';
    found->name = name;
    for (int type = NNC_COLUMN_TEXT; type <= NNC_COLUMN_NUMBER; type++) {
        if (nnc_list_entry(lists[type], name, '|') != NULL) {
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

/* Returns the name of the column that is most similar to a misspelt heading; NULL: no column name is similar. The
 * returned name is in `space`, which must have at least 2 kB. */
static const char *column_nearest(const char *spelling, char *space, size_t size) {
    const char *names[256];
    size_t count = 0;
    snprintf(space, size, "%s%s%s%s", text_columns + 1, number_columns + 1, column_spellings + 1,
             published_spellings + 1);
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

/* Copies the meaning of a cell to `text`. The meaning is the text that value_spellings has for the cell, or else the
 * text of the cell; "" = the cell states no value. */
static void column_meaning(const char *name, const char *cell, char *text, size_t size) {
    char key[160];
    snprintf(key, sizeof key, "%s:%.100s", name, cell);
    const char *meaning = nnc_list_entry(value_spellings, key, '=');
    snprintf(text, size, "%.*s", meaning != NULL ? (int)strcspn(meaning, "|") : (int)size - 1,
             meaning != NULL ? meaning : cell);
}

/* ---- reads tables of measurements: a CSV file becomes a list of nnc_measured ----
 *
 * Each column gets the name that nncost uses. The cells of a line set the fields of a plan and a model; an empty cell
 * sets nothing. A file with an unknown column is refused. If a line has a wrong number of cells, a cell of the wrong
 * type, or a value without a meaning, its row gets a `reason`: nncost lists the row, but does not predict it. */

NNC_ENUM_NAMES(nnc_measured_kind, NNC_MEASURED_KIND_LIST)
NNC_ENUM_NAMES(nnc_memory_stat, NNC_MEMORY_STAT_LIST)
NNC_ENUM_NAMES(nnc_served, NNC_SERVED_LIST)

bool nnc_row_is(const char *text, const char *other) { return *text == *other && strcmp(text, other) == 0; }

/* Writes "FILE:LINE" to `text`: the place of the current line, for an error message. Returns `text`. */
static const char *place(const nnc_row_reading *r, char text[512]) {
    snprintf(text, 512, "%.480s:%ld", r->csv.name, r->csv.row_line);
    return text;
}

static nnc_status unknown_column(const nnc_row_reading *r, const char *name, nnc_error *err) {
    char space[2048], where[512];
    const char *nearest = column_nearest(name, space, sizeof space);
    if (r->csv.count == 1 && strpbrk(name, ";\t|") != NULL) {
        return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "one column, expected names with commas between them");
    }
    return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "unknown column \"%.64s\"%s%s%s", name,
                    nearest != NULL ? ", did you mean " : "",
                    nearest != NULL ? nearest : ", 'nncost init rows' has the usual ones", nearest != NULL ? "?" : "");
}

static int column_of(const nnc_row_reading *r, const char *name) {
    for (int i = 0; i < r->width; i++) {
        if (r->columns[i].name != NULL && nnc_row_is(r->columns[i].name, name)) { return i; }
    }
    return -1;
}

bool nnc_row_has(const nnc_row_reading *r, const char *name) { return column_of(r, name) >= 0; }

static nnc_status read_heading(nnc_row_reading *r, nnc_error *err) {
    char where[512];
    for (r->width = 0; r->width < r->csv.count; r->width++) {
        const char *spelling = r->csv.cells[r->width];
        nnc_measured_column *found = &r->columns[r->width];
        if (!column_find(r->arena, spelling, found)) { return unknown_column(r, spelling, err); }
        bool twice = found->name != NULL && nnc_row_has(r, found->name);
        for (int32_t i = 0; i < r->unused_count && found->name == NULL; i++) {
            twice = twice || nnc_row_is(r->unused[i], spelling);
        }
        if (twice) { return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "column \"%s\" is there twice", spelling); }
        if (found->name == NULL) { r->unused[r->unused_count++] = spelling; }
        r->respelled = r->respelled || nnc_list_entry(published_spellings, spelling, '=') != NULL;
    }
    r->file_width = r->width;
    return NNC_OK;
}

bool nnc_row_add_column(nnc_row_reading *r, const char *name) {
    if (nnc_row_has(r, name)) { return true; }
    nnc_measured_column *added = &r->columns[r->width];
    if (r->width == NNC_CSV_CELLS_MAX || !column_find(r->arena, name, added) || added->name == NULL) { return false; }
    added->spelling = added->name; /* added->name is in the arena; `name` may be outside of the arena */
    r->width++;
    return true;
}

/* Returns the kind of measurement of a file with a column of times: collectives, training steps, or kernels. */
static nnc_measured_kind kind_of_timed(const nnc_row_reading *r) {
    return nnc_row_has(r, "bytes")     ? NNC_MEASURED_COLLECTIVE
           : !nnc_row_has(r, "dtype")  ? NNC_MEASURED_STEP
           : nnc_row_has(r, "seq_len") ? NNC_MEASURED_ATTENTION
                                       : NNC_MEASURED_GEMM;
}

static bool has_time(const nnc_row_reading *r) {
    return nnc_row_has(r, "measured_s") || nnc_row_has(r, "measured_ms") || nnc_row_has(r, "steps_per_s") ||
           nnc_row_has(r, "time_us") || nnc_row_has(r, "time_s");
}

/* Returns the kind of measurement that the rows of a file have. The names of the columns decide which kind of
 * measurement the file has. */
static nnc_measured_kind kind_of(const nnc_row_reading *r) {
    for (int32_t i = 0; i < r->unused_count; i++) {
        if (nnc_begins(r->unused[i], "value")) { return NNC_MEASURED_MEMORY; }
    }
    const bool served = nnc_row_has(r, "mode") && (nnc_row_has(r, "input_len") || nnc_row_has(r, "iterations_per_s"));
    return served || (nnc_row_has(r, "what") && nnc_row_has(r, "time_s")) ? NNC_MEASURED_SERVING
           : nnc_row_has(r, "max_batch")                                  ? NNC_MEASURED_STEP
           : nnc_row_has(r, "forward_us") && nnc_row_has(r, "side")       ? NNC_MEASURED_CONV
           : !has_time(r)                                                 ? NNC_MEASURED_KIND_COUNT
                                                                          : kind_of_timed(r);
}

/* Finds the kind of measurement of the file, and checks that the file has the columns that every row of this kind
 * needs. */
static nnc_status check_heading(nnc_row_reading *r, nnc_error *err) {
    static const char *const needed[NNC_MEASURED_KIND_COUNT][4] = {
        [NNC_MEASURED_STEP] = { "device" },
        [NNC_MEASURED_GEMM] = { "device", "n" },
        [NNC_MEASURED_ATTENTION] = { "device", "batch", "model.heads" },
        [NNC_MEASURED_VECTOR] = { "id" },
        [NNC_MEASURED_CONV] = { "device", "channels_in", "side" },
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
        if (!nnc_row_has(r, needed[r->kind][i])) {
            return nnc_fail(err, NNC_BAD_SPEC, place(r, where), "column %s is missing", needed[r->kind][i]);
        }
    }
    return NNC_OK;
}

/* Checks how many cells a line has, and whether each cell has the type of its column. A wrong number of cells or a
 * wrong type is noted in r->bad. The text in r->bad becomes the reason why the row is not predicted; reading of the
 * file continues. */
static void check_cells(nnc_row_reading *r) {
    static const char *const expected[] = { "", "a whole number", "a number" };
    static char empty[] = "";
    r->bad[0] = '\0';
    for (int i = r->file_width; i < r->width; i++) { r->csv.cells[i] = empty; }
    if (r->csv.count != r->file_width) {
        snprintf(r->bad, sizeof r->bad, "expected %d cells, found %d", r->file_width, r->csv.count);
        /* If the number of cells is wrong, all cells of the line except the first are emptied. The first cell is most
         * often the id of the row. */
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

/* Returns the index of the column with the given name if the cell of this column in the current line is not empty; -1 =
 * there is no such cell. */
static int index_of(const nnc_row_reading *r, const char *name) {
    const int i = column_of(r, name);
    return i >= 0 && r->csv.cells[i][0] != '\0' ? i : -1;
}

bool nnc_row_given(const nnc_row_reading *r, const char *name) { return index_of(r, name) >= 0; }

const char *nnc_row_text(const nnc_row_reading *r, const char *name) {
    const int i = index_of(r, name);
    return i >= 0 ? r->csv.cells[i] : "";
}

int64_t nnc_row_whole(const nnc_row_reading *r, const char *name) {
    const int64_t most = 1000000000000000;
    int64_t value = 0;
    if (!nnc_read_i64(nnc_row_text(r, name), &value)) { return 0; }
    return value < -most ? -most : value > most ? most : value;
}

double nnc_row_number(const nnc_row_reading *r, const char *name) {
    double value = (double)NAN;
    return nnc_read_double(nnc_row_text(r, name), &value) ? value : (double)NAN;
}

const char *nnc_row_keep(nnc_row_reading *r, const char *text) {
    const char *kept = nnc_arena_strdup(r->arena, text);
    r->no_memory = r->no_memory || kept == NULL;
    return kept != NULL ? kept : "";
}

void nnc_row_refuse(nnc_row_reading *r, const char *format, ...) {
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->row->reason = r->row->reason != NULL ? r->row->reason : nnc_row_keep(r, text);
}

static nnc_status set_plan(void *object, const char *field, const char *value) {
    return nnc_plan_set(object, field, value, NULL);
}

static nnc_status set_model(void *object, const char *field, const char *value) {
    /* nnc_field_set sets a single field; nnc_model_set would also scale those widths of the model that depend on the
     * field */
    return nnc_field_set(nnc_model_table(NNC_FAMILY_DECODER), object, field, value, NULL);
}

/* Sets a field to the meaning of the cell in column i. If the cell has no meaning for this field, stores the reason why
 * the row is not predicted. */
static void set_cell(nnc_row_reading *r, int i, nnc_set_text *set, void *object, const char *field) {
    char text[128];
    column_meaning(i >= 0 ? r->columns[i].name : "", i >= 0 ? r->csv.cells[i] : "", text, sizeof text);
    if (text[0] != '\0' && set(object, field, text) != NNC_OK) {
        nnc_row_refuse(r, "%s \"%.64s\" has no meaning here", r->columns[i].spelling, r->csv.cells[i]);
    }
}

void nnc_row_set_fields(nnc_row_reading *r, const nnc_field_table *table, const char *prefix, nnc_set_text *set,
                        void *object, const char *const *others) {
    for (int i = 0; i < r->width; i++) {
        const char *name = r->columns[i].name;
        if (name == NULL || r->csv.cells[i][0] == '\0' || !nnc_begins(name, prefix) ||
            (prefix[0] != '\0' && nnc_row_is(r->csv.cells[i], "0"))) {
            continue;
        }
        const char *const *other = others;
        while (*other != NULL && !nnc_row_is(*other, name)) { other++; }
        name += strlen(prefix);
        if (*other == NULL && column_field(table, "", name) != NULL) { set_cell(r, i, set, object, name); }
    }
}

/* Marks in row->given that the cell of a column sets a field of the plan. A cell such as "unknown", which states no
 * value, is not marked. */
static void note_given(nnc_row_reading *r, int cell) {
    char text[128];
    const char *name = r->columns[cell].name;
    const char *field = nnc_row_is(name, "sharding")          ? "zero"
                        : nnc_row_is(name, "flash_attention") ? "attention"
                                                              : name;
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

/* Returns the number of sequences in a column. A plan cannot have a fraction of a sequence: for a fraction, returns 0
 * and stores the reason why the row is not predicted. */
static int64_t sequences(nnc_row_reading *r, const char *name) {
    const double value = nnc_row_number(r, name);
    if (isnan(value)) { return 0; }
    if (!(value >= 1.0 && value <= 1e15) || floor(value) != value) {
        nnc_row_refuse(r, "%s is not a whole number", r->columns[index_of(r, name)].spelling);
        return 0;
    }
    return (int64_t)value;
}

static void read_plan(nnc_row_reading *r, nnc_plan *p) {
    enum { USUAL_RANK = 16 };
    static const char *const own_rules[] = { "attention", "micro_batch", "micro_batches", "global_batch", "seq_len",
                                             "image",     NULL };
    nnc_row_set_fields(r, &nnc_plan_table, "", set_plan, p, own_rules);
    set_cell(r, index_of(r, "flash_attention"), set_plan, p, "attention");
    set_cell(r, index_of(r, "attention"), set_plan, p, "attention");
    if (!nnc_row_given(r, "zero")) { set_cell(r, index_of(r, "sharding"), set_plan, p, "zero"); }
    for (int i = 0; i < r->width; i++) {
        if (r->columns[i].name != NULL && r->csv.cells[i][0] != '\0') { note_given(r, i); }
    }
    p->shard = p->zero > 0 || !nnc_measured_gives(r->row, "zero") ? p->shard : 0;
    p->sequence_parallel &= p->tensor > 1; /* some tables state sequence parallelism even for runs without tensor
                                            * parallelism */
    if (nnc_row_is(nnc_row_text(r, "task"), "lora") && !nnc_row_given(r, "adapter_rank")) {
        p->adapter_rank = USUAL_RANK;
        set_cell(r, index_of(r, "lora_rank"), set_plan, p, "adapter_rank");
    }
    p->micro_batch = sequences(r, "micro_batch");
    p->micro_batches = sequences(r, "micro_batches");
    p->global_batch = sequences(r, "global_batch");
    const double tokens = nnc_row_number(r, "tokens_per_step");
    const double full = (double)p->global_batch * (double)nnc_row_whole(r, "seq_len");
    if (full > 0.0 && !isnan(tokens) && fabs(tokens / full - 1.0) > 0.001) {
        nnc_row_refuse(r, "tokens_per_step: sequences are packed or padded");
    }
}

/* Returns the names of the settings that decide the time of the step and that the row does not state. If the file has
 * the column "open", the names are the text in this column; for any other file, the names are the settings whose cells
 * are empty. */
static const char *left_open(nnc_row_reading *r, const nnc_plan *p) {
    char text[128];
    const bool parallelism = p->devices > 1 && !nnc_row_given(r, "tensor") && !nnc_row_given(r, "data");
    const bool stages = p->pipeline > 1 && !nnc_row_given(r, "virtual_stages");
    const bool batch = p->micro_batch == 0 && p->micro_batches == 0;
    if (nnc_row_has(r, "open")) { return nnc_row_text(r, "open"); }
    snprintf(text, sizeof text, "%s%s%s%s%s%s", parallelism ? ", parallelism" : "",
             stages && !parallelism ? ", vpp" : "", batch ? ", micro_batch" : "",
             nnc_row_given(r, "recompute") ? "" : ", recompute",
             strstr(nnc_row_text(r, "step_basis"), "composed from parts") != NULL ? ", composed from parts" : "",
             nnc_row_is(nnc_row_text(r, "quality"), "B") ? ", quality B" : "");
    return text[0] != '\0' ? nnc_row_keep(r, text + strlen(", ")) : "";
}

/* Reads the fields of a decoder from the columns "model.FIELD". If the MLP is not gated, the decoder has the properties
 * of GPT unless a column sets them: biases, GELU, layer norm, learned positions. If the MLP is gated, the decoder has
 * the properties of LLaMA unless a column sets them: no biases, SwiGLU, RMS norm, rotary positions. */
static void read_decoder(nnc_row_reading *r, nnc_model *model) {
    static const char *const none[] = { NULL };
    nnc_decoder *d = &model->decoder;
    nnc_error err = { 0 };
    const bool gated = nnc_row_whole(r, "gated_mlp") == 1;
    *d = (nnc_decoder){ .mlp = gated ? NNC_MLP_SWIGLU : NNC_MLP_GELU,
                        .positions = gated ? NNC_POSITIONS_ROTARY : NNC_POSITIONS_LEARNED,
                        .norm = gated ? NNC_NORM_RMS : NNC_NORM_LAYER,
                        .vocab_multiple = 1,
                        .seq_len = nnc_row_whole(r, "seq_len") };
    nnc_row_set_fields(r, nnc_model_table(NNC_FAMILY_DECODER), "model.", set_model, model, none);
    d->kv_heads = d->kv_heads == 0 || d->kv_lora_rank > 0 ? d->heads : d->kv_heads;
    d->head_dim = d->kv_lora_rank > 0                ? d->qk_nope_head_dim + d->qk_rope_head_dim
                  : d->head_dim == 0 && d->heads > 0 ? d->hidden / d->heads
                                                     : d->head_dim;
    /* d->ffn_hidden is the width of the dense MLP. For a model without dense layers, ffn_hidden is set to the width of
     * the experts. */
    d->ffn_hidden = d->ffn_hidden == 0 ? d->expert_hidden : d->ffn_hidden;
    if (!nnc_row_given(r, "model.biases")) { d->biases = !gated && d->positions != NNC_POSITIONS_ROTARY; }
    if (!nnc_row_given(r, "next_tokens")) { r->row->plan.next_tokens = d->next_layers > 0; }
    if (nnc_model_check(model, "model", &err) != NNC_OK) {
        const char *field = strrchr(err.where, ' ');
        nnc_row_refuse(r, "%.64s %.200s", field != NULL ? field + 1 : err.where, err.what);
    }
}

/* Makes a model from a text "ID FIELD=VALUE ...": a shipped model with changed fields. Rows with the same text share
 * one model. */
static nnc_status make_model(nnc_row_reading *r, const char *text, nnc_error *err) {
    nnc_model *made = NULL;
    for (int32_t i = r->count - 1; i >= 0; i--) {
        if (r->rows[i].model_text != NULL && nnc_row_is(r->rows[i].model_text, text)) {
            r->row->model = r->rows[i].model;
            return NNC_OK;
        }
    }
    NNC_TRY(nnc_model_make(r->specs, text, r->row->model_name, &made, err));
    r->row->model = made;
    r->row->model_text = text;
    return NNC_OK;
}

void nnc_row_name_model(nnc_row_reading *r, const char *text) {
    nnc_error err = { 0 };
    const nnc_model *loaded = NULL;
    if (strchr(text, '=') == NULL) {
        r->row->model_id = text;
        if (nnc_model_load(r->specs, text, &loaded, &err) == NNC_OK && loaded->stand_in) {
            char open[160];
            const char *others = r->row->undecided;
            snprintf(open, sizeof open, "network%s%.120s", others[0] != '\0' ? ", " : "", others);
            r->row->undecided = nnc_row_keep(r, open);
        }
        return;
    }
    const nnc_status status = make_model(r, text, &err);
    r->no_memory = r->no_memory || status == NNC_NO_MEMORY;
    if (status != NNC_OK) { nnc_row_refuse(r, "model %.60s: %.60s %.160s", text, err.where, err.what); }
}

void nnc_row_read_configuration(nnc_row_reading *r) {
    char path[1024];
    nnc_measured *row = r->row;
    nnc_error err = { 0 };
    const nnc_model *loaded = NULL;
    nnc_model *made = NULL;
    const char *slash = strrchr(r->csv.name, '/');
    const int folder = slash != NULL ? (int)(slash + 1 - r->csv.name) : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, r->csv.name, nnc_row_text(r, "config"));
    nnc_status status = nnc_model_load(r->specs, path, &loaded, &err);
    if (status == NNC_OK) { status = nnc_model_copy(r->specs, loaded, &made, &err); }
    r->no_memory = r->no_memory || status == NNC_NO_MEMORY;
    if (status != NNC_OK) {
        nnc_row_refuse(r, "config %.60s: %.200s", nnc_row_text(r, "config"), err.what);
        return;
    }
    if (made->family == NNC_FAMILY_DECODER && nnc_row_given(r, "model.tied_head")) {
        made->decoder.tied_head = nnc_row_whole(r, "model.tied_head") == 1;
    }
    if (made->decoder.encoder_layers > 0 && made->decoder.positions == NNC_POSITIONS_RELATIVE) {
        /* the encoder gets all tokens of the row; the decoder gets the labels, a quarter of the number of tokens */
        made->decoder.encoder_seq_len = row->plan.seq_len;
        row->plan.seq_len /= 4;
    }
    row->model = made;
}

static void read_model(nnc_row_reading *r) {
    nnc_measured *row = r->row;
    if (nnc_row_given(r, "config")) {
        row->plan.image = nnc_row_whole(r, "image");
        row->plan.seq_len = nnc_row_whole(r, "seq_len");
        nnc_row_read_configuration(r);
        return;
    }
    if (nnc_row_given(r, "model") || !nnc_row_given(r, "model.layers")) {
        row->plan.image = nnc_row_whole(r, "image");
        row->plan.seq_len = nnc_row_whole(r, "seq_len");
        nnc_row_name_model(r, row->model_name[0] == '\0' || nnc_row_given(r, "model") ? nnc_row_text(r, "model")
                                                                                      : row->model_name);
        if (row->model_id != NULL && row->model_id[0] == '\0') { nnc_row_refuse(r, "no model, and no model.layers"); }
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
 * steps of a file with the column "config" have forward, backward and optimizer. The training steps clip gradients only
 * if the row states gradient clipping. The row states whether the program was compiled and whether feature maps are
 * channels last. */
static void read_program(nnc_row_reading *r, nnc_measured *row) {
    if (!nnc_row_has(r, "config")) { return; }
    if (!nnc_row_given(r, "clip_gradients")) { row->plan.clip_gradients = false; }
    row->implementation = nnc_row_given(r, "config") ? NNC_IMPLEMENTATION_NONE : NNC_IMPLEMENTATION_TIMM;
    if (!nnc_row_given(r, "software") && nnc_begins(row->framework, "torch-")) {
        row->software = nnc_row_whole(r, "compiled") == 1        ? "torch-compile"
                        : nnc_row_whole(r, "channels_last") == 1 ? "torch-channels-last"
                                                                 : row->framework;
    }
}

static void set_peak(nnc_row_reading *r, nnc_memory_stat stat, const char *name, double unit) {
    if (nnc_row_given(r, name)) { r->row->measured_bytes[stat] = unit * nnc_row_number(r, name); }
}

/* Tests whether a row states a peak of memory. If a row states a peak of memory and no time, only the predicted memory
 * is compared with the measurement. */
static bool states_peak(const nnc_measured *row) {
    bool states = false;
    for (int i = 0; i < NNC_MEMORY_STAT_COUNT; i++) { states = states || row->measured_bytes[i] > 0.0; }
    return states;
}

static void read_peaks(nnc_row_reading *r) {
    const double gib = 1073741824.0;
    const char *stated = nnc_row_text(r, "mem_stat");
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
        if (r->row->measured_bytes[i] <= 0.0) {
            nnc_row_refuse(r, "a measured peak of %g B", r->row->measured_bytes[i]);
        }
    }
}

static void read_step(nnc_row_reading *r) {
    nnc_measured *row = r->row;
    const double node = nnc_row_number(r, "internode_gbps_per_node");
    read_plan(r, &row->plan);
    read_program(r, row);
    row->undecided = left_open(r, &row->plan);
    read_model(r);
    if (node > 0.0 && row->plan.devices_per_node > 0) {
        row->internode_bytes_per_s = node * 1e9 / 8.0 / (double)row->plan.devices_per_node;
    }
    row->rounding = nnc_row_number(r, "rounding");
    row->max_batch = nnc_row_whole(r, "max_batch");
    row->host_pass_s = nnc_max(0.0, nnc_row_given(r, "host_pass_s") ? nnc_row_number(r, "host_pass_s") : 0.0);
    row->host_sample_s = nnc_max(0.0, nnc_row_given(r, "host_sample_s") ? nnc_row_number(r, "host_sample_s") : 0.0);
    row->input_samples_per_s = nnc_row_number(r, "input_samples_per_s");
    read_peaks(r);
}

const char *nnc_measured_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Tests whether values may be fitted on a row: true if the CRC-32 of "SOURCE/MODEL" is even. As a result, rows with the
 * same source and model are all fitted or all unfitted. */
static bool measured_is_fitted(const char *source, const char *model_name) {
    uint32_t crc = nnc_crc32(0, source, strlen(source));
    crc = nnc_crc32(crc, "/", 1);
    return nnc_crc32(crc, model_name, strlen(model_name)) % 2 == 0;
}

/* Returns the source of the row up to its colon: "owner/repo" of "owner/repo:file@commit". If the row has no source,
 * returns the name of the file of measurements. */
static const char *source_of(nnc_row_reading *r) {
    char text[128];
    const char *cell = nnc_row_text(r, "source");
    snprintf(text, sizeof text, "%.*s", (int)strcspn(cell, ":"), cell);
    return nnc_row_keep(r, text[0] != '\0' ? text : nnc_measured_file_name(r->csv.name));
}

/* Stores the cells of the columns "device.FIELD" and "software.FIELD" in the row. The values are applied later, when
 * the device and the software profile are loaded. */
static void read_other_fields(nnc_row_reading *r) {
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
static const char *line_id(nnc_row_reading *r) {
    char text[32];
    snprintf(text, sizeof text, "line %ld", r->csv.row_line);
    const char *id = nnc_arena_strdup(r->arena, text);
    r->no_memory = r->no_memory || id == NULL;
    return id != NULL ? id : "";
}

/* Returns the measured seconds of a row, from a column of seconds, milliseconds, steps per second or microseconds. A
 * NaN or negative result means that the row states no time. */
static double seconds_of(const nnc_row_reading *r) {
    return nnc_row_given(r, "measured_s")    ? nnc_row_number(r, "measured_s")
           : nnc_row_given(r, "measured_ms") ? 1e-3 * nnc_row_number(r, "measured_ms")
           : nnc_row_given(r, "steps_per_s") ? 1.0 / nnc_row_number(r, "steps_per_s")
           : nnc_row_given(r, "time_s")      ? nnc_row_number(r, "time_s")
                                             : 1e-6 * nnc_row_number(r, "time_us");
}

/* Reads one of the rows that a line describes. served: for served requests, the kind of measurement; for a convolution,
 * 0 = forward, 1 = forward and backward; for any other line, 0. Returns false if the line describes no row of the kind
 * `served`. */
static bool read_row(nnc_row_reading *r, nnc_served served) {
    nnc_measured *row = r->row;
    *row = (nnc_measured){
        .id = nnc_row_given(r, "id") ? nnc_row_text(r, "id") : line_id(r),
        .file = r->csv.name,
        .line = r->csv.row_line,
        .kind = r->kind,
        .device = nnc_row_text(r, "device"),
        .framework = nnc_row_text(r, "framework"),
        .version = nnc_row_text(r, "framework_version"),
        .software = nnc_row_given(r, "software") ? nnc_row_text(r, "software") : NULL,
        .source = source_of(r),
        .model_name = nnc_row_text(r, nnc_row_given(r, "model_name") ? "model_name" : "model"),
        .plan = nnc_plan_default(),
        .internode_bytes_per_s = (double)NAN,
        .measured_s = seconds_of(r),
        .rounding = (double)NAN,
        .measured_bytes = { (double)NAN, (double)NAN, (double)NAN },
        .undecided = "",
        .served = served,
    };
    row->fitted =
        nnc_row_given(r, "fitted") ? nnc_row_whole(r, "fitted") == 1 : measured_is_fitted(row->source, row->model_name);
    if (r->bad[0] != '\0') { nnc_row_refuse(r, "%s", r->bad); }
    if (nnc_row_given(r, "refused")) { nnc_row_refuse(r, "%s", nnc_row_text(r, "refused")); }
    if (nnc_row_is(nnc_row_text(r, "quality"),
                   /* some tables grade their rows; a row with the grade C contradicts itself or the laws of physics */
                   "C")) {
        nnc_row_refuse(r, "quality C: contradicts itself or physics");
    }
    if (nnc_row_given(r, "measured_s") + nnc_row_given(r, "measured_ms") + nnc_row_given(r, "steps_per_s") > 1) {
        nnc_row_refuse(r, "the row states its time in two columns");
    }
    read_other_fields(r);
    switch (r->kind) {
    case NNC_MEASURED_STEP: read_step(r); break;
    case NNC_MEASURED_ATTENTION: nnc_row_read_attention(r); break;
    case NNC_MEASURED_CONV: nnc_row_read_conv(r, (int)served == 1); break;
    case NNC_MEASURED_COLLECTIVE: nnc_row_read_collective(r); break;
    case NNC_MEASURED_MEMORY:
        nnc_row_refuse(r, "the row has the memory of one rank; another file has the row of the whole run");
        break;
    case NNC_MEASURED_SERVING: return nnc_row_read_serving(r);
    default: nnc_row_read_product(r); break;
    }
    if (row->reason == NULL && row->max_batch == 0 && !(row->measured_s > 0.0) && !states_peak(row)) {
        nnc_row_refuse(r, "no measured time");
    }
    return true;
}

/* Reads one line of a file of measurements. Most lines give one row. A line of served requests becomes one row for each
 * of its measurements, and a line of a convolution becomes one row or two rows. */
static nnc_status read_line(nnc_row_reading *r, nnc_error *err) {
    const int most = r->kind == NNC_MEASURED_SERVING                               ? NNC_SERVED_COUNT
                     : r->kind == NNC_MEASURED_CONV && nnc_row_given(r, "both_us") ? 2
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

/* Reads all lines of the file after the heading. */
static nnc_status read_lines(nnc_row_reading *r, nnc_error *err) {
    bool more = false;
    NNC_TRY(nnc_csv_next(&r->csv, &more, err));
    while (more) {
        check_cells(r);
        nnc_published_row(r);
        NNC_TRY(read_line(r, err));
        NNC_TRY(nnc_csv_next(&r->csv, &more, err));
    }
    return NNC_OK;
}

static nnc_status read_all(nnc_row_reading *r, nnc_measured_file *file, nnc_error *err) {
    bool more = false;
    NNC_TRY(nnc_csv_next(&r->csv, &more, err));
    if (!more) { return nnc_fail(err, NNC_BAD_SPEC, r->csv.name, "empty, expected a row of column names"); }
    NNC_TRY(read_heading(r, err));
    NNC_TRY(check_heading(r, err));
    NNC_TRY(nnc_published_read(r, read_lines, err));
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
    nnc_row_reading *r = nnc_arena_alloc(arena, sizeof *r);
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

/* For each kind of JSON row that the Python program nncost.measure writes: the columns of a CSV table that has only
 * rows of this kind. Rows of a kind that nncost cannot predict go to the table of kernels, where nncost refuses these
 * rows with the name of their kind. */
static const struct {
    const char *kind; /* kind of the JSON rows of this table; NULL = all kinds without a table of their own */
    const char *columns;
} json_tables[] = {
    { "attention", "id,device,op,dtype,batch,seq_len,n_heads,n_kv_heads,head_dim,causal,kernel" },
    { "collective", "id,device,op,dtype,devices,nodes,bytes" },
    { NULL, "id,device,op,dtype,m,n,k,batch,channels_in,side,stride,groups,channels_out,kernel_side,channels_last" },
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
    const bool figure = nnc_json_type_of(kind) == NNC_JSON_TEXT && nnc_row_reason_of_kind(nnc_json_text(kind)) != NULL;
    for (const char *at = columns; *at != '\0'; at += *at == ',') {
        char name[32];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        const nnc_json cell = figure && nnc_row_is(name, "op") ? kind : nnc_json_get(row, name);
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
    const nnc_json rows = nnc_json_get(root, "rows");
    const bool known = nnc_json_has_schema(root, "nncost.measure/1") && nnc_json_type_of(rows) == NNC_JSON_LIST;
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
