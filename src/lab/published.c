/* Reads tables of measurements in the form in which they were published. A published table has columns named n_layers,
 * tp or measured_step_s, and texts for people: names of containers, notes, grades. The functions of this file change
 * the cells of a line to the words of nncost, before the row is read. The file foreign/names/words.json has four lists
 * of meanings:
 *
 * "frameworks": the names in nncost of frameworks and collections; "NGC MXNet 22.09 ..." becomes "MLPerf MXNet". The
 * list "rows" has settings that no column states, but that follow from the notes or from the measured program. The list
 * "families" has properties of families of models.
 * The list "engines" has the profiles of serving engines.
 *
 * If the row does not state a deciding field, nncost guesses the value of the field, and the column "open" names the
 * field. A table whose columns have the names of nncost is not changed. tools/lab/canonical.py makes the same changes
 * to a published table, and writes the changed table to a file. */
#include <ctype.h>
#include <strings.h>

#include "lab/lab_internal.h"

static const char words_file[] = "foreign/names/words.json", members_file[] = "foreign/names/members.json";

/* Columns that the functions of this file change or add, in addition to columns that words.json sets. */
static const char *const added[] = { "framework",      "framework_version",
                                     "software",       "open",
                                     "quality",        "tensor",
                                     "pipeline",       "micro_batch",
                                     "seq_len",        "model",
                                     "devices",        "model.mixers",
                                     "attention_data", "expert",
                                     "kv_precision",   "group_size",
                                     "waves",          "requests",
                                     "fitted",         "input_len",
                                     "output_len",     "variable_length",
                                     "refused" };

/* ---- cells by column ---- */

static bool begins(const char *text, const char *prefix) { return strncasecmp(text, prefix, strlen(prefix)) == 0; }

/* Returns the cell of a column. A column is found by its name in nncost or by its name in the published table; "" = the
 * table has no such column. */
static const char *cell(const nnc_row_reading *r, const char *column) {
    for (int i = 0; i < r->width; i++) {
        const nnc_measured_column *c = &r->columns[i];
        if (nnc_row_is(c->spelling, column) || (c->name != NULL && nnc_row_is(c->name, column))) {
            return r->csv.cells[i];
        }
    }
    return "";
}

static void set(nnc_row_reading *r, const char *column, const char *text) {
    for (int i = 0; i < r->width; i++) {
        if (r->columns[i].name != NULL && nnc_row_is(r->columns[i].name, column)) {
            char *copy = nnc_arena_strdup(r->arena, text);
            r->no_memory = r->no_memory || copy == NULL;
            if (copy != NULL) { r->csv.cells[i] = copy; }
        }
    }
}

static void set_whole(nnc_row_reading *r, const char *column, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    set(r, column, text);
}

/* Stores the reason why the line is not predicted, unless an earlier reason is stored. */
NNC_PRINTF(2, 3) static void refuse(nnc_row_reading *r, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!nnc_row_given(r, "refused")) { set(r, "refused", text); }
}

/* Returns the whole number in a cell. If the cell is empty, returns `empty`. */
static int64_t whole(const nnc_row_reading *r, const char *column, int64_t empty) {
    return nnc_row_given(r, column) ? nnc_row_whole(r, column) : empty;
}

static const char *text_of(nnc_json object, const char *key) {
    const nnc_json at = nnc_json_get(object, key);
    return nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
}

/* ---- words.json ---- */

static bool ends(const char *text, const char *end) {
    const size_t length = strlen(text), last = strlen(end);
    return length >= last && strcmp(text + length - last, end) == 0;
}

/* Replaces the framework of a row by the name of the framework in nncost, and the text of the version by the number in
 * this text. */
static void name_framework(nnc_row_reading *r) {
    char name[128], version[64];
    const char *framework = cell(r, "framework"), *released = cell(r, "framework_version");
    for (nnc_json at = nnc_json_first(nnc_json_get(r->words, "frameworks")); at.node != NULL; at = nnc_json_next(at)) {
        if (!begins(framework, text_of(at, "framework")) || !begins(released, text_of(at, "version")) ||
            !begins(cell(r, "id"), text_of(at, "id")) || !ends(cell(r, "id"), text_of(at, "id_ends")) ||
            !begins(cell(r, "source"), text_of(at, "source")) || !begins(cell(r, "model_name"), text_of(at, "model"))) {
            continue;
        }
        const char *is = text_of(at, "is"), *number = released + strcspn(released, "0123456789");
        snprintf(name, sizeof name, "%s%.80s", text_of(at, "before"), is[0] != '\0' ? is : framework);
        snprintf(version, sizeof version, "%.*s", (int)strcspn(number, "; "), number);
        if (text_of(at, "version")[0] != '\0') { set(r, "framework_version", version); }
        set(r, "framework", name);
        return;
    }
}

/* Tests whether an entry of the list "rows" applies to the line. */
static bool is_about(const nnc_row_reading *r, nnc_json entry) {
    for (nnc_json at = nnc_json_first(nnc_json_get(entry, "begins")); at.node != NULL; at = nnc_json_next(at)) {
        if (!nnc_begins(cell(r, nnc_json_key(at)), nnc_json_text(at))) { return false; }
    }
    return strstr(cell(r, "notes"), text_of(entry, "notes")) != NULL &&
           strstr(cell(r, "id"), text_of(entry, "id_has")) != NULL;
}

/* Returns the value that the list "rows" sets in a column of the line; NULL = the list sets no value in this column. */
static const char *said(const nnc_row_reading *r, const char *column) {
    const char *found = NULL;
    for (nnc_json at = nnc_json_first(nnc_json_get(r->words, "rows")); at.node != NULL; at = nnc_json_next(at)) {
        const nnc_json value = nnc_json_get(nnc_json_get(at, "set"), column);
        if (nnc_json_type_of(value) == NNC_JSON_TEXT && is_about(r, at)) { found = nnc_json_text(value); }
    }
    return found;
}

/* Sets the columns that the list "rows" sets. A key that begins with a dash (-refused, -one_pass, -dies) is no column;
 * other functions read it. */
static void set_said(nnc_row_reading *r) {
    bool about[256];
    int count = 0;
    const nnc_json rows = nnc_json_get(r->words, "rows");
    for (nnc_json at = nnc_json_first(rows); at.node != NULL && count < 256; at = nnc_json_next(at)) {
        about[count++] = is_about(r, at);
    }
    int i = 0;
    for (nnc_json at = nnc_json_first(rows); i < count; at = nnc_json_next(at)) {
        nnc_json value = nnc_json_first(nnc_json_get(at, "set"));
        for (; about[i] && value.node != NULL; value = nnc_json_next(value)) {
            if (nnc_json_key(value)[0] != '-') { set(r, nnc_json_key(value), nnc_json_text(value)); }
        }
        i++;
    }
}

/* Returns the meaning of a network's name in members.json: the id of a shipped model, and the fields whose values
 * differ from this model; "" = the file does not have the name. If members.json states why the network cannot be
 * predicted, stores this reason. */
static const char *member(nnc_row_reading *r, const char *name, const char *task) {
    char with_task[128];
    const nnc_json members = nnc_json_get(r->members, "members");
    snprintf(with_task, sizeof with_task, "%.96s/%.24s", name, task);
    nnc_json at = nnc_json_get(members, with_task);
    at = at.node != NULL ? at : nnc_json_get(members, name);
    if (nnc_json_type_of(at) == NNC_JSON_OBJECT) { refuse(r, "%s", text_of(at, "refused")); }
    return nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
}

static nnc_json family_of(const nnc_row_reading *r) {
    nnc_json at = nnc_json_first(nnc_json_get(r->words, "families"));
    while (at.node != NULL && !(nnc_begins(cell(r, "model_family"), text_of(at, "begins")) &&
                                nnc_begins(cell(r, "model_name"), text_of(at, "named")))) {
        at = nnc_json_next(at);
    }
    return at;
}

/* ---- training steps ---- */

/* Reads the grade of a row from its notes, "quality B; batch not stated", if the table has no column of grades. */
static void read_grade(nnc_row_reading *r) {
    static const char word[] = "quality ";
    char grade[2] = { 0 };
    if (nnc_row_given(r, "quality") || !nnc_begins(cell(r, "notes"), word)) { return; }
    grade[0] = cell(r, "notes")[sizeof word - 1];
    set(r, "quality", grade);
}

/* Lists the fields that the line leaves open, and guesses values for these fields. Degrees: if there are more devices
 * than sequences, the devices that share one sequence are tensor ranks. Micro-batch: all sequences of a replica are one
 * micro-batch if the replica has few sequences and the plan has no pipeline, or if words.json states that the measured
 * program runs one pass. If a row meets neither of the two conditions for one micro-batch per replica, a micro-batch
 * has one sequence. */
static void guess_open(nnc_row_reading *r) {
    enum { ONE_PASS_MOST = 16 };
    char open[160] = "";
    const int64_t devices = whole(r, "devices", 0), batch = whole(r, "global_batch", 0);
    const int64_t pipeline = whole(r, "pipeline", 1);
    int64_t tensor = whole(r, "tensor", 1);
    const bool parallelism = devices > 1 && !nnc_row_given(r, "tensor") && !nnc_row_given(r, "data");
    const char *recompute = said(r, "recompute");
    if (parallelism) { nnc_text_append(open, sizeof open, ", ", "parallelism"); }
    if (!parallelism && pipeline > 1 && !nnc_row_given(r, "virtual_stages")) {
        nnc_text_append(open, sizeof open, ", ", "vpp");
    }
    if (parallelism && batch > 0 && batch < devices && devices % batch == 0) {
        tensor = devices / batch;
        set_whole(r, "tensor", tensor);
    }
    if (!nnc_row_given(r, "micro_batch") && !nnc_row_given(r, "micro_batches")) {
        const int64_t ranks = tensor * pipeline * whole(r, "context", 1);
        const int64_t replicas = nnc_row_given(r, "data") ? whole(r, "data", 1) : ranks > 0 ? devices / ranks : 0;
        const int64_t own = replicas > 0 && batch % replicas == 0 ? batch / replicas : 0;
        const bool one_pass = said(r, "-one_pass") != NULL || (own <= ONE_PASS_MOST && pipeline == 1);
        nnc_text_append(open, sizeof open, ", ", "micro_batch");
        set_whole(r, "micro_batch", one_pass && own > 0 ? own : 1);
    }
    if (recompute == NULL && !nnc_row_given(r, "recompute")) { nnc_text_append(open, sizeof open, ", ", "recompute"); }
    if (strstr(cell(r, "step_basis"), "composed from parts") != NULL) {
        nnc_text_append(open, sizeof open, ", ", "composed from parts");
    }
    if (nnc_row_is(cell(r, "quality"), "B")) { nnc_text_append(open, sizeof open, ", ", "quality B"); }
    set(r, "open", open);
}

/* Reads windows of attention: "128", "128 on every 2nd layer", "1024 on 5 of 6 layers". */
static void read_windows(nnc_row_reading *r) {
    const char *text = cell(r, "model.sliding_window");
    char window[24], mixers[128] = "", *end = NULL;
    if (text[0] == '\0' || strchr(text, ' ') == NULL) { return; }
    snprintf(window, sizeof window, "%.*s", (int)strcspn(text, " "), text);
    const char *const every = strstr(text, " on every "), *const on = strstr(text, " on "), *of = strstr(text, " of ");
    const long some = every != NULL || on == NULL ? 1 : strtol(on + 4, &end, 10);
    const long all = every != NULL ? strtol(every + 10, &end, 10) : of != NULL ? strtol(of + 4, &end, 10) : 0;
    if (some < 1 || all <= some || all > 16) {
        refuse(r, "sliding_window \"%.64s\" has no meaning here", text);
        return;
    }
    for (long i = 0; i < all; i++) { nnc_text_append(mixers, sizeof mixers, ",", i < some ? "window" : "full"); }
    set(r, "model.sliding_window", window);
    set(r, "model.mixers", mixers);
}

/* Sets the fields of a decoder that follow from its family. Clears fields of the row that this decoder does not have,
 * such as those of experts. */
static void read_decoder(nnc_row_reading *r, nnc_json family) {
    static const char *const of_experts[] = { "model.experts_per_token", "model.expert_hidden", "model.shared_hidden",
                                              "model.dense_layers" };
    static const char *const of_latent[] = { "model.q_lora_rank", "model.kv_lora_rank", "model.qk_nope_head_dim",
                                             "model.qk_rope_head_dim", "model.v_head_dim" };
    char name[96];
    const nnc_json extra = nnc_json_get(family, whole(r, "gated_mlp", 0) == 1 ? "gated" : "plain");
    read_windows(r);
    for (size_t i = 0; i < NNC_COUNT_OF(of_experts) && whole(r, "model.experts", 0) == 0; i++) {
        set(r, of_experts[i], "");
    }
    for (size_t i = 0; i < NNC_COUNT_OF(of_latent) && !nnc_row_is(cell(r, "attention"), "mla"); i++) {
        set(r, of_latent[i], "");
    }
    for (nnc_json at = nnc_json_first(extra); at.node != NULL; at = nnc_json_next(at)) {
        snprintf(name, sizeof name, "model.%.80s", nnc_json_key(at));
        set(r, name, nnc_json_text(at));
    }
}

/* Decides which model belongs to the row: a named network of a library, one model that is used for a whole family, or a
 * decoder with the stated dimensions. */
static void read_network(nnc_row_reading *r) {
    const nnc_json family = family_of(r);
    const char *words = member(r, cell(r, "model_name"), cell(r, "task"));
    const bool halves = nnc_row_is(cell(r, "variable_length"), "unpadded");
    if (words[0] != '\0') {
        set(r, "model", words);
        /* half of the tokens in a padded batch of BERT are padding (arXiv:2107.02027) */
        if (halves) { set_whole(r, "seq_len", whole(r, "seq_len", 0) / 2); }
    } else if (text_of(family, "model")[0] != '\0') {
        set(r, "model", text_of(family, "model"));
        set(r, "seq_len", "");
    } else if (nnc_row_given(r, "model.layers")) {
        if (text_of(family, "refused")[0] != '\0') {
            refuse(r, "model family %.40s %s", cell(r, "model_family"), text_of(family, "refused"));
        }
        read_decoder(r, family);
    } else if (cell(r, "model_name")[0] != '\0' && !nnc_row_given(r, "image") && !nnc_row_given(r, "seq_len")) {
        refuse(r, "the row states neither layers nor the size of a sample");
    }
}

/* Reads the layout of feature maps from its column, or from the end of the framework's name: "DeepLearningExamples
 * MxNet, contiguous". */
static void read_layout(nnc_row_reading *r) {
    static const char word[] = ", contiguous", maps[] = "software.contiguous_maps";
    char framework[128];
    const char *whole_name = cell(r, "framework");
    if (nnc_row_given(r, "channels_last")) { set(r, maps, nnc_row_whole(r, "channels_last") == 0 ? "on" : "off"); }
    if (ends(whole_name, word)) {
        snprintf(framework, sizeof framework, "%.*s", (int)(strlen(whole_name) - strlen(word)), whole_name);
        set(r, "framework", framework);
        set(r, maps, "on");
    }
}

static void read_step(nnc_row_reading *r) {
    static const char *const tasks[] = { "", "pretrain", "sft", "lora" };
    const char *task = cell(r, "task");
    bool known = false;
    read_grade(r);
    name_framework(r);
    for (size_t i = 0; i < NNC_COUNT_OF(tasks); i++) { known = known || strcmp(task, tasks[i]) == 0; }
    if (!known) { refuse(r, "task \"%.32s\" has no meaning here", task); }
    if (said(r, "-refused") != NULL) { refuse(r, "%s", said(r, "-refused")); }
    guess_open(r);
    read_layout(r);
    set_said(r);
    read_network(r);
}

/* ---- served requests ---- */

static nnc_json engine_of(const nnc_row_reading *r) {
    nnc_json at = nnc_json_first(nnc_json_get(r->words, "engines"));
    while (at.node != NULL && !(nnc_begins(cell(r, "framework"), text_of(at, "framework")) &&
                                nnc_begins(cell(r, "framework_version"), text_of(at, "version")) &&
                                nnc_begins(cell(r, "device"), text_of(at, "device")) &&
                                nnc_begins(cell(r, "source"), text_of(at, "source")))) {
        at = nnc_json_next(at);
    }
    return at;
}

static void read_engine(nnc_row_reading *r, nnc_json engine) {
    const nnc_json waves = nnc_json_get(engine, "waves");
    const char *notes = cell(r, "notes"), *requests = strstr(notes, " requests");
    set(r, "software", text_of(engine, "software"));
    if (nnc_json_type_of(waves) == NNC_JSON_NUMBER) { set_whole(r, "waves", (int64_t)nnc_json_number(waves)); }
    if (text_of(engine, "fitted_whole")[0] != '\0') { set(r, "fitted", "1"); }
    if (text_of(engine, "held_out")[0] != '\0') { set(r, "fitted", "0"); }
    /* only a benchmark with a request rate has a number of requests */
    if (requests != NULL && nnc_row_is(cell(r, "mode"), "open-loop")) {
        const char *first = requests;
        while (first > notes && isdigit((unsigned char)first[-1])) { first--; }
        if (first < requests) { set_whole(r, "requests", strtoll(first, NULL, 10)); }
    }
}

static void read_weights(nnc_row_reading *r, nnc_json engine) {
    static const char *const narrow[] = { "fp8", "fp8-block", "nvfp4", "mxfp4" };
    /* weights per scale, chosen so that a weight in the format q4_k_m takes 4.83 bits, which include the share of the
     * weight in the bits of the scale */
    enum { Q4_K_GROUP = 24 };
    const char *model = cell(r, "model");
    if (nnc_row_is(cell(r, "weights"), "q4_k_m")) { set_whole(r, "group_size", Q4_K_GROUP); }
    nnc_json at = nnc_json_first(nnc_json_get(r->words, "block_scaled"));
    for (; at.node != NULL && nnc_row_is(cell(r, "weights"), "fp8"); at = nnc_json_next(at)) {
        if (strcmp(nnc_json_text(at), model) == 0) { set(r, "weights", "fp8-block"); }
    }
    for (size_t i = 0; i < NNC_COUNT_OF(narrow) && !nnc_row_given(r, "kv_precision"); i++) {
        if (nnc_row_is(cell(r, "weights"), narrow[i])) { set(r, "kv_precision", text_of(engine, "narrow_kv")); }
    }
}

/* Changes the number of devices from packages to dies, if programs see each die as a device and the source counts
 * packages. The number of tensor ranks is also multiplied by the number of dies in a package. */
static void count_dies(nnc_row_reading *r) {
    static const char *const columns[] = { "devices", "tensor" };
    const char *dies = said(r, "-dies");
    for (size_t i = 0; i < NNC_COUNT_OF(columns) && dies != NULL; i++) {
        if (nnc_row_given(r, columns[i])) {
            set_whole(r, columns[i], nnc_row_whole(r, columns[i]) * strtoll(dies, NULL, 10));
        }
    }
}

/* Sets the degrees of a deployment. Some sources count one group of ranks both as tensor ranks and as expert ranks, and
 * state (tensor ranks x expert ranks) as the number of devices. llama.cpp divides a model by layers, so the devices of
 * llama.cpp are pipeline stages. */
static void read_degrees(nnc_row_reading *r) {
    enum { GROUP_MOST = 64 };
    int64_t devices = whole(r, "devices", 1), groups = whole(r, "attention_data", 1);
    const int64_t expert = whole(r, "expert", 1);
    const bool unstated = !nnc_row_given(r, "tensor") && devices > 1,
               layers = nnc_begins(cell(r, "framework"), "llama.cpp");
    int64_t tensor = whole(r, "tensor", unstated && !layers ? devices : 1);
    groups = groups > 1 ? groups : 1;
    if (unstated && layers && !nnc_row_given(r, "pipeline")) { set_whole(r, "pipeline", devices); }
    if (expert > 1 && expert <= GROUP_MOST && devices == expert * expert) {
        devices = expert;
        groups = tensor > 1 ? 1 : expert;
        tensor = tensor > 1 ? expert : 1;
    }
    if (expert > 1 && expert == devices && tensor > 1 && tensor <= GROUP_MOST && devices == tensor * tensor) {
        devices = tensor;
        groups = 1;
    }
    set_whole(r, "devices", devices);
    set_whole(r, "attention_data", groups);
    if (!unstated || expert > 1) { set_whole(r, "tensor", tensor); }
    if (expert > 1) { set_whole(r, "expert", tensor * groups); }
}

/* Sets the mean lengths: the stated length times the middle of the stated spread. For the spread "0.8-1", the middle is
 * 0.9. */
static void read_lengths(nnc_row_reading *r) {
    static const char *const columns[] = { "input_len", "output_len" };
    char *end = NULL;
    const double low = strtod(cell(r, "length_spread"), &end), high = *end == '-' ? strtod(end + 1, &end) : (double)NAN;
    for (size_t i = 0; i < NNC_COUNT_OF(columns) && high > 0.0; i++) {
        const double length = nnc_row_number(r, columns[i]);
        if (length > 0.0) { set_whole(r, columns[i], (int64_t)floor(length * (low + high) / 2.0 + 0.5)); }
    }
    set(r, "length_spread", "");
}

static void read_served(nnc_row_reading *r) {
    const nnc_json engine = engine_of(r);
    const char *words = member(r, cell(r, "model"), "serving");
    set_said(r);
    count_dies(r);
    read_engine(r, engine);
    if (!nnc_row_is_pass(r)) {
        read_weights(r, engine);
        read_degrees(r);
    }
    read_lengths(r);
    set(r, "open", nnc_row_is(cell(r, "quality"), "B") ? "a setting that its source does not record" : "");
    if (words[0] != '\0') { set(r, "model", words); }
}

/* ---- tables ---- */

/* Adds the columns that the lists of words.json set. */
static bool add_columns(nnc_row_reading *r) {
    static const char *const kinds[] = { "gated", "plain" };
    char name[96];
    bool added_all = true;
    for (size_t i = 0; i < NNC_COUNT_OF(added); i++) { added_all = added_all && nnc_row_add_column(r, added[i]); }
    for (nnc_json at = nnc_json_first(nnc_json_get(r->words, "rows")); at.node != NULL; at = nnc_json_next(at)) {
        for (nnc_json one = nnc_json_first(nnc_json_get(at, "set")); one.node != NULL; one = nnc_json_next(one)) {
            const char *key = nnc_json_key(one);
            added_all = added_all && (key[0] == '-' || nnc_row_add_column(r, key));
        }
    }
    for (nnc_json at = nnc_json_first(nnc_json_get(r->words, "families")); at.node != NULL; at = nnc_json_next(at)) {
        for (int i = 0; i < 2; i++) {
            nnc_json one = nnc_json_first(nnc_json_get(at, kinds[i]));
            for (; one.node != NULL; one = nnc_json_next(one)) {
                snprintf(name, sizeof name, "model.%.80s", nnc_json_key(one));
                added_all = added_all && nnc_row_add_column(r, name);
            }
        }
    }
    return added_all;
}

void nnc_published_row(nnc_row_reading *r) {
    if (r->words.node == NULL) { return; }
    if (r->bad[0] != '\0') {
        if (r->kind == NNC_MEASURED_STEP) {
            guess_open(r); /* lists the row together with the rows that leave fields open */
        }
    } else if (r->kind == NNC_MEASURED_STEP) {
        read_step(r);
    } else if (nnc_row_has(r, "mode")) {
        read_served(r);
    }
}

/* State of reading the rows while words.json and members.json are open. */
typedef struct reading {
    nnc_row_reading *r;
    nnc_published_rows *read;
    bool done;
} reading;

static nnc_status with_members(nnc_specs *specs, nnc_json root, const char *name, void *in, nnc_error *err) {
    reading *of = in;
    (void)specs, (void)name;
    of->r->members = root;
    of->done = true;
    if (!add_columns(of->r)) { return nnc_fail(err, NNC_BAD_SPEC, words_file, "sets a column that does not exist"); }
    return of->read(of->r, err);
}

static nnc_status with_words(nnc_specs *specs, nnc_json root, const char *name, void *in, nnc_error *err) {
    reading *of = in;
    of->r->words = root;
    return nnc_specs_look(specs, members_file, with_members, name, in, err);
}

nnc_status nnc_published_read(nnc_row_reading *r, nnc_published_rows *read, nnc_error *err) {
    reading of = { r, read, false };
    const bool steps = r->kind == NNC_MEASURED_STEP && !nnc_row_has(r, "config");
    const bool served = r->kind == NNC_MEASURED_SERVING && nnc_row_has(r, "mode");
    if ((steps || served) && r->respelled && !nnc_row_has(r, "open")) {
        const nnc_status status = nnc_specs_look(r->specs, words_file, with_words, "", &of, err);
        r->words = r->members = (nnc_json){ .node = NULL };
        if (status != NNC_OK || of.done) { return status; }
    }
    return read(r, err);
}
