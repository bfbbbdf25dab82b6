/* Measured requests that were served: batches, streams, benchmarks under load. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "lab/measured_cells.h"

/* A word of a column that counts after the table of words. */
static const char *word_of(nnc_measured_cells *cells, nnc_measured *row, nnc_measured_column column)
{
    const char *refused = NULL;
    const char *name = nnc_measured_column_name(column);
    const char *word = nnc_words_meaning(cells->words, name, cells->text[column], &refused);
    if (refused != NULL) {
        nnc_measured_refuse(cells, row, "%s", refused);
    }
    return word;
}

static nnc_stored stored_of(nnc_measured_cells *cells, nnc_measured *row, const char *what,
                            const char *text)
{
    for (int i = 0; i < NNC_STORED_COUNT; i++) {
        if (strcmp(nnc_stored_name((nnc_stored)i), text) == 0) {
            return (nnc_stored)i;
        }
    }
    nnc_measured_refuse(cells, row, "%s: format \"%.32s\" has no meaning here", what, text);
    return NNC_STORED_COUNT;
}

static void set_formats(nnc_measured_cells *cells, nnc_measured *row,
                        const nnc_words_engine *engine)
{
    enum { GROUP_OF_Q4_K = 24 }; /* 4.83 bits an element, as files in q4_k_m have */
    const char *word = word_of(cells, row, NNC_COLUMN_WEIGHTS);
    const bool block = nnc_words_block_scaled(cells->words, row->model_name);
    row->ask.weights =
        stored_of(cells, row, "weights", block && strcmp(word, "fp8") == 0 ? "fp8-block" : word);
    if (strcmp(cells->text[NNC_COLUMN_WEIGHTS], "q4_k_m") == 0) {
        row->ask.group_size = GROUP_OF_Q4_K;
    }
    const bool narrow = row->ask.weights != NNC_STORED_COUNT &&
                        nnc_stored_bytes(row->ask.weights, 128.0) < 2.0 &&
                        row->ask.weights != NNC_STORED_INT8 && row->ask.weights != NNC_STORED_INT4;
    if (nnc_cell_given(cells, NNC_COLUMN_KV_CACHE)) {
        row->ask.kv_precision = stored_of(cells, row, "kv_cache", cells->text[NNC_COLUMN_KV_CACHE]);
    } else if (narrow && engine->narrow_kv != NULL) {
        row->ask.kv_precision = stored_of(cells, row, "kv_cache", engine->narrow_kv);
    }
}

static void set_degrees(nnc_measured_cells *cells, nnc_measured *row)
{
    nnc_serve_ask *ask = &row->ask;
    const int32_t devices = nnc_cell_degree(cells, NNC_COLUMN_N_DEVICES, 1);
    const bool layers = nnc_cell_starts(cells, NNC_COLUMN_FRAMEWORK, "llama.cpp");
    const bool open = !nnc_cell_given(cells, NNC_COLUMN_TENSOR) && devices > 1;
    ask->pipeline = nnc_cell_degree(cells, NNC_COLUMN_PIPELINE, open && layers ? devices : 1);
    ask->attention_data = nnc_cell_degree(cells, NNC_COLUMN_ATTENTION_DP, 1);
    ask->attention_data = ask->attention_data > 1 ? ask->attention_data : 1;
    ask->tensor = nnc_cell_degree(cells, NNC_COLUMN_TENSOR, open && !layers ? devices : 1);
    ask->devices = devices;
    const int32_t expert = nnc_cell_degree(cells, NNC_COLUMN_EXPERT, 1);
    if (expert > 1 && expert <= 64 && devices == expert * expert) {
        /* One group was counted as tensor and as expert, and the product of both taken for the devices. */
        ask->devices = expert;
        ask->tensor = ask->tensor > 1 ? expert : 1;
        ask->attention_data = ask->tensor > 1 ? 1 : expert;
    }
    if (expert > 1 && expert == devices && ask->tensor > 1 && ask->tensor <= 64 &&
        devices == ask->tensor * ask->tensor) { /* the same, of the product as the degree */
        ask->devices = ask->tensor;
        ask->attention_data = 1;
    }
    if (expert > 1) { /* over all ranks or none */
        ask->expert = ask->tensor * ask->attention_data;
    }
    /* Who submits maximum throughput takes the degree that yields most. */
    row->tensor_open = open && !layers && strcmp(cells->text[NNC_COLUMN_MODE], "offline-max") == 0;
}

/* Lengths that are spread evenly over "0.8-1" of what is stated have the mean of the two. */
static int64_t length_of(nnc_measured_cells *cells, nnc_measured_column column)
{
    const char *spread = cells->text[NNC_COLUMN_LENGTH_SPREAD];
    const size_t length = strcspn(spread, "-");
    char first[24];
    double low = 1.0, high = 1.0;
    snprintf(first, sizeof first, "%.*s", (int)(length < sizeof first ? length : 0), spread);
    if (spread[length] == '\0' || !nnc_read_double(first, &low) ||
        !nnc_read_double(spread + length + 1, &high)) {
        low = high = 1.0;
    }
    return (int64_t)round((double)nnc_cell_whole(cells, column) * (low + high) / 2.0);
}

static void set_load(nnc_measured_cells *cells, nnc_measured *row)
{
    const char *mode = cells->text[NNC_COLUMN_MODE];
    nnc_serve_ask *ask = &row->ask;
    ask->input_len = length_of(cells, NNC_COLUMN_INPUT_LEN);
    ask->output_len = length_of(cells, NNC_COLUMN_OUTPUT_LEN);
    if (strcmp(mode, "static") == 0 || strcmp(mode, "single-stream") == 0) {
        ask->batch = nnc_cell_whole(cells, NNC_COLUMN_BATCH);
    } else if (strcmp(mode, "closed-loop") == 0) {
        ask->concurrency = nnc_cell_whole(cells, NNC_COLUMN_CONCURRENCY);
    } else if (strcmp(mode, "open-loop") == 0) {
        ask->request_rate = nnc_cell_number(cells, NNC_COLUMN_REQUEST_RATE);
    } else if (strcmp(mode, "offline-max") == 0) {
        ask->offline = true;
    } else {
        nnc_measured_refuse(cells, row, "mode %.32s: batch sizes of its parts are not recorded",
                            mode);
    }
    if (ask->input_len < 1 || ask->output_len < 1 ||
        (ask->batch < 1 && ask->concurrency < 1 && !(ask->request_rate > 0.0) && !ask->offline)) {
        nnc_measured_refuse(cells, row, "no lengths, or no load");
    }
}

/* One forward pass: a denoising step of all images, or an encoder over a batch, which generates nothing. */
static bool is_pass(const nnc_measured_cells *cells)
{
    return nnc_cell_given(cells, NNC_COLUMN_ITERATIONS) ||
           (nnc_cell_given(cells, NNC_COLUMN_LATENCY_S) &&
            !nnc_cell_given(cells, NNC_COLUMN_OUTPUT_LEN));
}

/* Does the row count this measurement? Of a batch that is over in one time or one rate, what a user of it
 * would see of single tokens is not what was timed. */
static bool counts(const nnc_measured_cells *cells, nnc_served served)
{
    const char *mode = cells->text[NNC_COLUMN_MODE];
    const bool together = strcmp(mode, "static") == 0 || strcmp(mode, "single-stream") == 0;
    const bool latency = nnc_cell_given(cells, NNC_COLUMN_LATENCY_S);
    const bool rate = nnc_cell_given(cells, NNC_COLUMN_OUTPUT_RATE);
    if (is_pass(cells) || served == NNC_SERVED_PASS) {
        return is_pass(cells) && served == NNC_SERVED_PASS;
    }
    switch (served) {
    case NNC_SERVED_TPOT: return !together && strcmp(mode, "offline-max") != 0;
    case NNC_SERVED_TTFT: return !together || (!latency && !rate);
    case NNC_SERVED_REQUEST: return together;
    default: return strcmp(mode, "offline-max") == 0 || (together && !latency);
    }
}

static double measured_of(const nnc_measured_cells *cells, nnc_served served)
{
    static const nnc_measured_column columns[NNC_SERVED_COUNT] = {
        [NNC_SERVED_TPOT] = NNC_COLUMN_TPOT_S,       [NNC_SERVED_TTFT] = NNC_COLUMN_TTFT_S,
        [NNC_SERVED_REQUEST] = NNC_COLUMN_LATENCY_S, [NNC_SERVED_TOKEN] = NNC_COLUMN_OUTPUT_RATE,
        [NNC_SERVED_PASS] = NNC_COLUMN_ITERATIONS,
    };
    const bool timed = served == NNC_SERVED_PASS && !nnc_cell_given(cells, NNC_COLUMN_ITERATIONS);
    const double value = nnc_cell_number(cells, timed ? NNC_COLUMN_LATENCY_S : columns[served]);
    const bool rate = served == NNC_SERVED_TOKEN || (served == NNC_SERVED_PASS && !timed);
    return rate ? 1.0 / value : value;
}

static void set_model(nnc_measured_cells *cells, nnc_measured *row)
{
    nnc_error why = { 0 };
    const nnc_member *member = NULL;
    if (nnc_members_find(cells->members, row->model_name, "serving", &member, &why) != NNC_OK) {
        cells->no_memory = true;
    } else if (member == NULL) {
        row->model_id = row->model_name;
    } else if (member->model == NULL) {
        nnc_measured_refuse(cells, row, "%s", member->reason);
    } else {
        row->model = member->model;
    }
}

/* Guidance makes each denoising step two passes. */
static void set_pass(nnc_measured_cells *cells, nnc_measured *row)
{
    const char *precision = cells->text[NNC_COLUMN_WEIGHTS];
    int found = 0;
    while (found < NNC_DTYPE_COUNT && strcmp(nnc_dtype_name((nnc_dtype)found), precision) != 0) {
        found++;
    }
    row->pass_precision = (nnc_dtype)found;
    row->ask.batch = nnc_cell_whole(cells, NNC_COLUMN_BATCH);
    row->ask.input_len = nnc_cell_given(cells, NNC_COLUMN_INPUT_LEN)
                             ? nnc_cell_whole(cells, NNC_COLUMN_INPUT_LEN)
                             : 0;
    row->ask.guidance = nnc_cell_given(cells, NNC_COLUMN_ITERATIONS);
    row->ask.steps = row->ask.guidance ? 1 : 0;
    if (found == NNC_DTYPE_COUNT || row->ask.batch < 1) {
        nnc_measured_refuse(cells, row,
                            "a pass without a batch, or in a format that has no meaning");
    }
}

bool nnc_measured_serving(nnc_measured_cells *cells, nnc_measured *row)
{
    const char *quality = cells->text[NNC_COLUMN_QUALITY];
    nnc_words_engine engine = nnc_words_engine_of(cells->words, row->framework,
                                                  cells->text[NNC_COLUMN_VERSION], row->source);
    if (engine.software == NULL && row->framework[0] != '\0') {
        engine.software = row->framework; /* the id of a profile, or unknown as one */
    }
    row->measured_s = measured_of(cells, row->served);
    if (!counts(cells, row->served) || !(row->measured_s > 0.0)) {
        return false;
    }
    row->device = cells->text[NNC_COLUMN_DEVICE];
    row->model_name = cells->text[NNC_COLUMN_MODEL];
    row->fitted = engine.whole || nnc_measured_is_fitted(row->source, row->model_name);
    row->ask = nnc_serve_ask_default();
    row->undecided = strcmp(quality, "B") == 0 ? "a setting that its source does not record" : "";
    if (strcmp(quality, "C") == 0) {
        nnc_measured_refuse(cells, row, "quality C: contradicts itself or physics");
    } else if (engine.software == NULL) {
        nnc_measured_refuse(cells, row, "its engine is not stated");
    } else {
        row->software = row->framework = nnc_arena_strdup(cells->arena, engine.software);
        if (row->software == NULL) {
            cells->no_memory = true;
            row->framework = "";
        }
        if (row->served == NNC_SERVED_PASS) {
            set_pass(cells, row);
        } else {
            set_formats(cells, row, &engine);
            set_degrees(cells, row);
            set_load(cells, row);
        }
        row->ask.waves = isnan(engine.waves) ? row->ask.waves : engine.waves;
        row->single = nnc_cell_starts(cells, NNC_COLUMN_MODE, "single");
        set_model(cells, row);
    }
    return true;
}
