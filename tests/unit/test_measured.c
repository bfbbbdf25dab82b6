/* Tests files of measured rows: their cells and columns, and the models and plans that rows describe. */
#include "base/base_internal.h"
#include "input/input_internal.h"
#include "lab/lab_internal.h"
#include "support.h"

static const char heading[] = "id,hardware,n_devices,measured_step_s,recompute\n";

static nnc_measured_file parse(const char *text) {
    nnc_measured_file file;
    nnc_error err = { 0 };
    ck_assert_msg(nnc_measured_parse(specs, "rows.csv", text, strlen(text), &file, &err) == NNC_OK, "%s: %s", err.where,
                  err.what);
    return file;
}

static void refuses(const char *text, const char *where, const char *what) {
    nnc_measured_file file;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_measured_parse(specs, "rows.csv", text, strlen(text), &file, &err), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, where);
    ck_assert_str_eq(err.what, what);
}

static const nnc_measured *published(const char *name, const char *id) {
    char path[512];
    nnc_measured_file file;
    nnc_error err = { 0 };
    snprintf(path, sizeof path, NNCOST_SOURCE_DIR "/tests/published/%s.csv", name);
    ck_assert_msg(nnc_measured_load(specs, path, &file, &err) == NNC_OK, "%s: %s", err.where, err.what);
    for (int32_t i = 0; i < file.count; i++) {
        if (strcmp(file.rows[i].id, id) == 0) { return &file.rows[i]; }
    }
    ck_abort_msg("%s has no row %s", name, id);
    return NULL;
}

/* Returns a field of the device that the row sets. NaN = the row does not set the field. */
static double device_field(const nnc_measured *row, const char *name) {
    for (int32_t i = 0; i < row->field_count; i++) {
        if (row->fields[i].of_device && strcmp(row->fields[i].name, name) == 0) {
            return strtod(row->fields[i].value, NULL);
        }
    }
    return (double)NAN;
}

START_TEST(cells_are_read_as_rfc_4180_writes_them) {
    char text[] = "\xEF\xBB\xBF"
                  "a,\"b, \"\"c\"\"\nd\",\r\n\n\"\",e";
    nnc_csv csv = nnc_csv_begin("t", text, sizeof text - 1);
    bool more = false;
    ck_assert_int_eq(nnc_csv_next(&csv, &more, NULL), NNC_OK);
    ck_assert(more);
    ck_assert_int_eq(csv.count, 3);
    ck_assert_str_eq(csv.cells[0], "a");
    ck_assert_str_eq(csv.cells[1], "b, \"c\"\nd");
    ck_assert_str_eq(csv.cells[2], "");
    /* The line number includes the quoted line break and the empty line, which is skipped. */
    ck_assert_int_eq(nnc_csv_next(&csv, &more, NULL), NNC_OK);
    ck_assert_int_eq(csv.row_line, 4);
    ck_assert_int_eq(csv.count, 2);
    ck_assert_str_eq(csv.cells[0], "");
    ck_assert_str_eq(csv.cells[1], "e");
    ck_assert_int_eq(nnc_csv_next(&csv, &more, NULL), NNC_OK);
    ck_assert(!more);
}
END_TEST

START_TEST(a_comma_at_the_end_is_one_more_cell) {
    char text[] = "a,";
    nnc_csv csv = nnc_csv_begin("t", text, sizeof text - 1);
    bool more = false;
    ck_assert_int_eq(nnc_csv_next(&csv, &more, NULL), NNC_OK);
    ck_assert_int_eq(csv.count, 2);
    ck_assert_int_eq(nnc_csv_next(&csv, &more, NULL), NNC_OK);
    ck_assert(!more);
}
END_TEST

START_TEST(quotes_out_of_place_are_refused) {
    refuses("id,\"open\n", "rows.csv:2", "a quote that is not closed, expected '\"'");
    refuses("id,\"a\"b\n", "rows.csv:1", "text after a closing quote, expected ',' or the end of the line");
    refuses("id,a\"b\n", "rows.csv:1", "a quote or NUL byte inside a cell without quotes, expected the cell in quotes");
}
END_TEST

START_TEST(columns_are_known_or_refused) {
    refuses("id,devise\n", "rows.csv:1", "unknown column \"devise\", did you mean device?");
    refuses("id,qqqqqqqqqqqqqq\n", "rows.csv:1",
            "unknown column \"qqqqqqqqqqqqqq\", 'nncost init rows' has the usual ones");
    refuses("id,id\n", "rows.csv:1", "column \"id\" is there twice");
    refuses("id,hardware\n", "rows.csv:1",
            "no measured column, expected measured_s, measured_ms, steps_per_s, time_us, or mode with input_len or "
            "iterations_per_s");
    refuses("id,measured_step_s\n", "rows.csv:1", "column device is missing");
    refuses("", "rows.csv", "empty, expected a row of column names");
}
END_TEST

/* If a cell that must be a number is not a number, only the row of this cell is refused, not the whole file. */
START_TEST(cells_that_are_no_numbers_are_refused) {
    char text[256];
    snprintf(text, sizeof text, "%sa,x,8,fast,\nb,x,8.5,1,\n", heading);
    const nnc_measured_file file = parse(text);
    ck_assert_int_eq(file.count, 2);
    ck_assert_str_eq(file.rows[0].reason, "column measured_step_s: expected a number, found \"fast\"");
    ck_assert_str_eq(file.rows[1].reason, "column n_devices: expected a whole number, found \"8.5\"");
    snprintf(text, sizeof text, "%sa,x,8\nb,x,8,1,,9\nc,x,8,1,\n", heading);
    const nnc_measured_file uneven = parse(text);
    ck_assert_int_eq(uneven.count, 3);
    ck_assert_str_eq(uneven.rows[0].id, "a");
    ck_assert_str_eq(uneven.rows[0].reason, "expected 5 cells, found 3");
    ck_assert_str_eq(uneven.rows[1].reason, "expected 5 cells, found 6");
    ck_assert_str_eq(uneven.rows[2].reason, "no model, and no model.layers");
    refuses("id;device;devices\na;x;8\n", "rows.csv:1", "one column, expected names with commas between them");
}
END_TEST

START_TEST(a_value_without_a_meaning_is_a_reason) {
    char text[256];
    snprintf(text, sizeof text, "%sa,x,8,1,sometimes\n", heading);
    const nnc_measured_file file = parse(text);
    ck_assert_int_eq(file.count, 1);
    ck_assert_str_eq(file.rows[0].reason, "recompute \"sometimes\" has no meaning here");
}
END_TEST

START_TEST(columns_without_a_part_are_listed) {
    const nnc_measured_file file = parse("id,hardware,hardware_stated,n_devices,measured_step_s,url\n");
    ck_assert_int_eq(file.count, 0);
    ck_assert_int_eq(file.unused_count, 2);
    ck_assert_str_eq(file.unused[0], "hardware_stated");
    ck_assert_str_eq(file.unused[1], "url");
}
END_TEST

START_TEST(a_gpt_under_megatron_deepspeed) {
    const nnc_measured *row =
        published("training_vtrain_multi", "vtrain/multi/g512-gb1536-mb2-h8192-l48-s2048-t2-d32-p8");
    const nnc_decoder *d = &row->model->decoder;
    const nnc_plan *p = &row->plan;
    ck_assert_ptr_null(row->reason);
    ck_assert_str_eq(row->undecided, "");
    ck_assert_str_eq(row->device, "a100-80g-sxm");
    /* fields that the row does not state have the values of the framework's release */
    ck_assert_str_eq(row->framework, "Megatron-DeepSpeed");
    ck_assert_int_eq(d->layers, 48);
    ck_assert_int_eq(d->hidden, 8192);
    ck_assert_int_eq(d->heads, 64);
    ck_assert_int_eq(d->kv_heads, 64);
    ck_assert_int_eq(d->head_dim, 128);
    ck_assert_int_eq(d->ffn_hidden, 32768);
    ck_assert_int_eq(d->vocab, 50257);
    ck_assert_int_eq(d->seq_len, 2048);
    ck_assert_int_eq(d->positions, NNC_POSITIONS_LEARNED);
    ck_assert_int_eq(d->norm, NNC_NORM_LAYER);
    ck_assert_int_eq(d->mlp, NNC_MLP_GELU);
    ck_assert(d->biases && d->tied_head);
    ck_assert_int_eq(p->devices, 512);
    ck_assert_int_eq(p->devices_per_node, 8);
    ck_assert_int_eq(p->tensor, 2);
    ck_assert_int_eq(p->pipeline, 8);
    ck_assert_int_eq(p->virtual_stages, 1);
    ck_assert_int_eq(p->data, 32);
    ck_assert_int_eq(p->zero, 0);
    ck_assert(!p->sequence_parallel);
    ck_assert_int_eq(p->micro_batch, 2);
    ck_assert_int_eq(p->micro_batches, 24);
    ck_assert_int_eq(p->global_batch, 1536);
    ck_assert_int_eq(p->precision, NNC_FP16);
    ck_assert_int_eq(p->recompute, NNC_RECOMPUTE_FULL);
    ck_assert_int_eq(p->optimizer, NNC_OPTIMIZER_ADAM);
    ck_assert_double_eq(device_field(row, "scale_out.bytes_per_s"), 12.5e9); /* 800 Gbit/s over 8 devices */
    ck_assert_double_eq(row->measured_s, 21.8904);
    ck_assert_double_eq(row->rounding, 0.0005);
}
END_TEST

START_TEST(a_gpt_under_fsdp) {
    const nnc_measured *row =
        published("training_llmfoundry", "llmf/h100_80gb/bf16-default/70b/s2048/n256/gb2048/mb8/full_shard/ac1");
    const nnc_decoder *d = &row->model->decoder;
    const nnc_plan *p = &row->plan;
    ck_assert_ptr_null(row->reason);
    ck_assert_str_eq(row->undecided, "");
    /* fields that the row does not state have the values of the framework's release */
    ck_assert_ptr_null(row->software);
    ck_assert(nnc_measured_gives(row, "zero") && !nnc_measured_gives(row, "policy"));
    ck_assert_int_eq(d->layers, 80);
    ck_assert_int_eq(d->vocab_multiple, 1);
    ck_assert_double_eq(d->dropout, 0.0);
    ck_assert_int_eq(p->data, 256);
    ck_assert_int_eq(p->zero, 3);
    ck_assert_int_eq(p->shard, 256);
    ck_assert_int_eq(p->micro_batch, 8);
    ck_assert_int_eq(p->micro_batches, 1);
    ck_assert_int_eq(p->precision, NNC_BF16);
    ck_assert_int_eq(p->policy, NNC_POLICY_DEFAULT);
    ck_assert_int_eq(p->recompute, NNC_RECOMPUTE_FULL);
    ck_assert_int_eq(p->attention, NNC_ATTENTION_FLASH);
    ck_assert_int_eq(p->optimizer, NNC_OPTIMIZER_ADAMW);
    ck_assert_int_eq(p->offload, NNC_OFFLOAD_NONE);
    /* If the row does not set scale_out.bytes_per_s, the device file gives this rate. */
    ck_assert(isnan(device_field(row, "scale_out.bytes_per_s")));
}
END_TEST

/* The row has a measured latency of the network of its cluster. Rows of other frameworks have no measured latency of
 * the network. */
START_TEST(slow_network) {
    const nnc_measured *row = published("training_nanotron", "nanotron/8.86B/n64");
    ck_assert_double_eq(device_field(row, "scale_out.latency_s"), 3e-4);
    ck_assert(isnan(device_field(published("training_megatron", "megatron2021/a100/76B"), "scale_out.latency_s")));
}
END_TEST

START_TEST(experts_with_latent_attention) {
    const nnc_measured *row = published("training_simumax", "simumax/b200/deepseekv2_tp1_ep4_pp2_dp4_l4_mbc4_cef");
    const nnc_decoder *d = &row->model->decoder;
    const nnc_plan *p = &row->plan;
    ck_assert_ptr_null(row->reason);
    ck_assert_int_eq(d->experts, 160);
    ck_assert_int_eq(d->experts_per_token, 6);
    ck_assert_int_eq(d->expert_hidden, 1536);
    ck_assert_int_eq(d->shared_hidden, 3072);
    ck_assert_int_eq(d->dense_layers, 1);
    ck_assert_int_eq(d->ffn_hidden, 12288);
    ck_assert_int_eq(d->q_lora_rank, 1536);
    ck_assert_int_eq(d->kv_lora_rank, 512);
    ck_assert_int_eq(d->head_dim, 192); /* a head has 128 values without position and 64 values with position */
    ck_assert_int_eq(d->v_head_dim, 128);
    ck_assert_int_eq(d->mlp, NNC_MLP_SWIGLU);
    ck_assert_int_eq(d->norm, NNC_NORM_RMS);
    ck_assert_int_eq(d->positions, NNC_POSITIONS_ROTARY);
    ck_assert(!d->biases && !d->tied_head);
    ck_assert_int_eq(p->expert, 4);
    ck_assert_int_eq(p->pipeline, 2);
    ck_assert_int_eq(p->zero, 1);
    ck_assert(!p->sequence_parallel); /* the row states sequence parallelism, but there is only one tensor rank */
    ck_assert_double_eq(p->capacity_factor, 1.0);
    ck_assert_double_eq_tol(row->measured_bytes[NNC_MEMORY_ALLOCATED], 44.7029 * 1073741824.0, 1.0);
    ck_assert_double_eq_tol(row->measured_bytes[NNC_MEMORY_RESERVED], 47.0469 * 1073741824.0, 1.0);
}
END_TEST

START_TEST(what_a_row_leaves_open_is_named) {
    const nnc_measured_file file = parse("id,hardware,n_devices,pp,n_layers,d_model,n_heads,d_ff,vocab,seq_len,tp,"
                                         "global_batch,measured_step_s\n"
                                         "a,x,8,2,4,64,4,256,512,128,4,16,1\n");
    ck_assert_str_eq(file.rows[0].undecided, "vpp, micro_batch, recompute");
    ck_assert_ptr_null(file.rows[0].reason);
}
END_TEST

/* For a measured peak of 0 B, an error in percent is undefined. A row with a peak of 0 B is refused with a reason. */
START_TEST(a_peak_of_nothing_is_a_reason) {
    const nnc_measured_file file = parse("id,hardware,n_devices,n_layers,d_model,n_heads,d_ff,"
                                         "vocab,seq_len,dp,global_batch,measured_step_s,"
                                         "measured_peak_mem_gib,measured_peak_reserved_gib\n"
                                         "a,x,8,4,64,4,256,512,128,8,128,1,2,\n"
                                         "b,x,8,4,64,4,256,512,128,8,128,1,0,\n"
                                         "c,x,8,4,64,4,256,512,128,8,128,1,2,-3\n");
    ck_assert_ptr_null(file.rows[0].reason);
    ck_assert_str_eq(file.rows[1].reason, "a measured peak of 0 B");
    ck_assert_str_eq(file.rows[2].reason, "a measured peak of -3.22123e+09 B");
}
END_TEST

/* A row may state a peak of memory without a time. A row with neither a time nor a peak is refused, because there is
 * nothing to compare. */
START_TEST(a_peak_needs_no_time) {
    const nnc_measured_file file = parse("id,hardware,n_devices,n_layers,d_model,n_heads,d_ff,vocab,seq_len,dp,"
                                         "global_batch,measured_step_s,allocated_bytes\n"
                                         "a,x,8,4,64,4,256,512,128,8,128,,2e9\n"
                                         "b,x,8,4,64,4,256,512,128,8,128,,\n");
    ck_assert_ptr_null(file.rows[0].reason);
    ck_assert_double_eq(file.rows[0].measured_bytes[NNC_MEMORY_ALLOCATED], 2e9);
    ck_assert_str_eq(file.rows[1].reason, "no measured time");
}
END_TEST

START_TEST(rows_are_fitted_by_source_and_model) {
    /* The first number is the check value of CRC-32/ISO-HDLC. zlib.crc32(b"a/b/gpt") is 0x683ba5ff, and
     * zlib.crc32(b"a/b/llama") is 0xe9552c58. */
    ck_assert_uint_eq(nnc_crc32(0, "123456789", 9), 0xcbf43926u);
    ck_assert_uint_eq(nnc_crc32(nnc_crc32(0, "12345", 5), "6789", 4), 0xcbf43926u);
    const nnc_measured_file file = parse("id,source,hardware,n_devices,model_name,measured_step_s\n"
                                         "a,a/b:first.txt@1,x,8,gpt,1\n"
                                         "b,a/b:other.txt@2,x,8,gpt,1\n"
                                         "c,a/b:other.txt@2,x,8,llama,1\n"
                                         "d,,x,8,gpt,1\n");
    ck_assert_str_eq(file.rows[0].source, "a/b");
    ck_assert_str_eq(file.rows[3].source, "rows.csv");
    ck_assert_int_eq(file.rows[0].fitted, 0);
    ck_assert_int_eq(file.rows[1].fitted, 0);
    ck_assert_int_eq(file.rows[2].fitted, 1);
}
END_TEST

START_TEST(grades_of_a_collection_count) {
    const nnc_measured_file file =
        parse("id,device,devices,model.layers,model.hidden,model.heads,model.ffn_hidden,model.vocab,"
              "seq_len,data,micro_batch,recompute,quality,step_basis,measured_s\n"
              "a,x,8,4,64,4,256,512,128,8,1,none,A,,1\n"
              "b,x,8,4,64,4,256,512,128,8,1,none,B,composed from parts,1\n"
              "c,x,8,4,64,4,256,512,128,8,1,none,C,,1\n");
    ck_assert_str_eq(file.rows[0].undecided, "");
    ck_assert_str_eq(file.rows[1].undecided, "composed from parts, quality B");
    ck_assert_str_eq(file.rows[2].reason, "quality C: contradicts itself or physics");
}
END_TEST

START_TEST(windows_and_further_tokens_are_read) {
    const nnc_measured_file file =
        parse("id,device,devices,model.layers,model.hidden,model.heads,model.ffn_hidden,model.vocab,seq_"
              "len,data,"
              "micro_batch,recompute,model.sliding_window,model.mixers,model.next_layers,measured_s\n"
              "a,x,8,4,64,4,256,512,128,8,1,none,16,,0,1\n"
              "b,x,8,4,64,4,256,512,128,8,1,none,16,\"window,full\",,1\n"
              "c,x,8,12,64,4,256,512,128,8,1,none,32,\"window,window,full\",1,1\n"
              "d,x,8,12,64,4,256,512,128,8,1,none,often,,,1\n");
    const nnc_decoder *all = &file.rows[0].model->decoder, *other = &file.rows[1].model->decoder,
                      *most = &file.rows[2].model->decoder;
    ck_assert_int_eq(all->sliding_window, 16);
    ck_assert_int_eq(all->mixers_count, 0); /* every layer */
    ck_assert_int_eq(other->mixers_count, 2);
    ck_assert_int_eq(other->mixers[0], NNC_MIXER_WINDOW);
    ck_assert_int_eq(other->mixers[1], NNC_MIXER_FULL);
    ck_assert_int_eq(most->sliding_window, 32);
    ck_assert_int_eq(most->mixers_count, 3);
    ck_assert_int_eq(most->layers, 12);
    ck_assert_int_eq(most->next_layers, 1);
    ck_assert(file.rows[2].plan.next_tokens && !file.rows[0].plan.next_tokens);
    ck_assert_str_eq(file.rows[3].reason, "model.sliding_window \"often\" has no meaning here");
}
END_TEST

/* Any field of a plan, a model, a device or a profile can be a column. */
START_TEST(a_column_is_a_field) {
    const nnc_measured_file file = parse("id,device,devices,lora,device.mem_bytes,software.fused_"
                                         "norm,model,micro_batch,open,refused,measured_s\n"
                                         "a,x,8,4,8e9,off,gpt2 layers=3,2,,,1\n"
                                         "b,x,8,,,,gpt2 layers=3,2,recompute,,1\n"
                                         "c,x,8,,,,gpt2,2,,of another time,1\n"
                                         "d,x,8,,,,gpt2 layres=3,2,,,1\n");
    const nnc_measured *a = &file.rows[0];
    ck_assert_int_eq(a->plan.adapter_rank, 4);
    ck_assert_int_eq(a->model->decoder.layers, 3);
    ck_assert_ptr_eq(file.rows[1].model, a->model); /* made once */
    ck_assert_int_eq(a->field_count, 2);
    ck_assert_double_eq(device_field(a, "mem_bytes"), 8e9);
    ck_assert_str_eq(a->fields[1].name, "fused_norm");
    ck_assert_str_eq(a->undecided, ""); /* column "open": names of open fields */
    ck_assert_str_eq(file.rows[1].undecided, "recompute");
    ck_assert_str_eq(file.rows[2].model_id, "gpt2");
    ck_assert_str_eq(file.rows[2].reason, "of another time");
    ck_assert_ptr_nonnull(strstr(file.rows[3].reason, "layres"));
}
END_TEST

/* Only adapters are trained. The adapter rank is that of the row, or 16 if the row states no rank. */
START_TEST(adapters_beside_frozen_weights) {
    const nnc_measured_file file = parse("id,hardware,n_devices,task,lora_rank,global_batch,n_layers,d_model,n_heads,"
                                         "d_ff,vocab,seq_len,measured_step_s\n"
                                         "a,x,8,lora,8,2,2,64,4,256,100,32,1\n"
                                         "b,x,8,lora,,8,2,64,4,256,100,32,1\n"
                                         "c,x,8,pretrain,,8,2,64,4,256,100,32,1\n");
    ck_assert_int_eq(file.rows[0].plan.adapter_rank, 8);
    ck_assert_int_eq(file.rows[1].plan.adapter_rank, 16);
    ck_assert_int_eq(file.rows[2].plan.adapter_rank, 0);
}
END_TEST

/* If the cell is "unknown" or empty, the release of the framework gives the attention kernel. */
START_TEST(a_word_that_says_nothing_gives_nothing) {
    nnc_measured_file file;
    nnc_error err = { 0 };
    const char *text = "id,device,n_devices,model_name,micro_batch,flash_attention,measured_step_s\n"
                       "a,h100,1,gpt2,1,unknown,1\n"
                       "b,h100,1,gpt2,1,1,1\n";
    ck_assert_int_eq(nnc_measured_parse(specs, "t", text, strlen(text), &file, &err), NNC_OK);
    ck_assert(!nnc_measured_gives(&file.rows[0], "attention"));
    ck_assert(nnc_measured_gives(&file.rows[1], "attention"));
}
END_TEST

/* If a row states no size of an embedding, the size follows from the bytes of the embedding. An embedding without
 * usable bytes has no size. The conversion of a too large number of bytes to an integer is undefined, and a sanitizer
 * would detect it. */
START_TEST(an_embedding_has_the_size_of_its_bytes) {
    const nnc_measured_file file = parse("id,hardware,op,n,dtype,least_bytes,time_us\n"
                                         "a-torch/1,h100,embedding,,bf16,4096,1\n"
                                         "a-torch/2,h100,embedding,,bf16,,1\n"
                                         "a-torch/3,h100,embedding,,bf16,1e300,1\n");
    ck_assert_ptr_null(file.rows[0].reason);
    ck_assert_str_eq(file.rows[1].reason, "no size");
    ck_assert_str_eq(file.rows[2].reason, "no size");
}
END_TEST

START_TEST(every_published_file_is_read) {
    static const struct {
        const char *name;
        int32_t rows, expressed;
    } files[] = {
        { "training_vtrain_multi", 46, 46 },
        { "training_vtrain_single", 574, 574 },
        { "training_korthikanti2022", 4, 4 },
        { "training_llmfoundry", 92, 92 },
        { "training_simumax", 22, 22 },
        { "training_mosaic_diffusion", 6, 6 },
        { "training_torchtitan", 13, 13 },
        { "training_maxtext", 29, 29 },
        { "kernels_gemm_h100", 2052, 2052 },
        { "kernels_attention_simumax", 43, 43 },
        { "kernels_llmcompass", 50, 50 },
        { "kernels_cast", 443, 443 },
        { "collectives_mlengineering", 42, 42 },
        { "collectives_moe", 594, 594 },
        { "training_megatron_bridge", 114, 112 },
        { "training_mlperf_llm", 91, 91 },
        { "training_automodel", 5, 5 },
        { "training_mlperf_vision", 540, 530 },
        { "training_deeplearningexamples", 542, 280 },
        { "training_timm_rtx3090", 1045, 1027 },
    };
    for (size_t f = 0; f < COUNT_OF(files); f++) {
        char path[512];
        int32_t expressed = 0;
        nnc_measured_file file;
        nnc_error err = { 0 };
        snprintf(path, sizeof path, NNCOST_SOURCE_DIR "/tests/published/%s.csv", files[f].name);
        ck_assert_msg(nnc_measured_load(specs, path, &file, &err) == NNC_OK, "%s: %s", err.where, err.what);
        for (int32_t i = 0; i < file.count; i++) { expressed += file.rows[i].reason == NULL; }
        ck_assert_msg(file.count == files[f].rows && expressed == files[f].expressed, "%s: %d of %d rows",
                      files[f].name, (int)expressed, (int)file.count);
    }
}
END_TEST

/* A row of the file states the dimensions of one product, and the number of products in a group. 160 products of 154 x
 * 3072 x 5120 together have 160 x 154 = 24,640 rows of matrix A. The gradient of the weights of all products sums over
 * these 24,640 rows of matrix A. */
START_TEST(products_of_a_group_are_stated_one_by_one) {
    const nnc_measured_file file = parse("id,hardware,op,dtype,m,n,k,groups,accumulate,out_dtype,time_us,stage\n"
                                         "a,b200,group_matmul,bf16,154,3072,5120,160,False,bf16,1725,fwd\n"
                                         "b,b200,group_matmul,bf16,154,3072,5120,160,True,bf16,3678,bwd_grad_w\n"
                                         "c,b200,matmul,bf16,154,3072,5120,1,False,bf16,17,fwd\n");
    const nnc_matmul *forward = &file.rows[0].op.u.matmul, *weight = &file.rows[1].op.u.matmul;
    ck_assert_int_eq(file.count, 3);
    ck_assert_int_eq(forward->m, 24640);
    ck_assert_int_eq(forward->k, 5120);
    ck_assert_int_eq(forward->experts, 160);
    ck_assert_int_eq(weight->m, 5120);
    ck_assert_int_eq(weight->k, 24640);
    ck_assert_int_eq(weight->experts, 160);
    ck_assert_int_eq(file.rows[2].op.u.matmul.m, 154);
    ck_assert_int_eq(file.rows[2].op.u.matmul.experts, 0);
}
END_TEST

#define STEP_COLUMNS "id,source,hardware,n_devices,n_layers,d_model,n_heads,d_ff,vocab,seq_len,model_family,model_name,"

/* If a row names a container or a collection of programs, nncost replaces this name by the name of the framework.
 * nncost keeps only the number of a version, such as 0.8.0 of "Megatron-Core r0.8.0". */
START_TEST(names_of_frameworks_are_those_of_nncost) {
    const nnc_measured_file file =
        parse(STEP_COLUMNS "framework,framework_version,image_size,micro_batch,recompute,notes,measured_step_s\n"
                           "a,x/y,h100,8,4,64,4,256,512,128,dense,m,Megatron-LM,Megatron-Core r0.8.0,,1,none,,1\n"
                           "b,x/y,a100,8,,,,,,,cnn,resnet50,NGC MXNet 22.09,MLPerf v2.1; NGC MXNet,224,1,,,1\n"
                           "c,x/y,tpu-v4,8,,,,,,,cnn,resnet50,TensorFlow,MLPerf v2.1; TensorFlow,224,1,,,1\n"
                           "d,NVIDIA/DeepLearningExamples:a/b,v100,1,,,,,,,cnn,resnet50,PyTorch,20.06,224,64,,,1\n"
                           "timm/rtx-3090/x/nhwc,,rtx-3090,1,,,,,,,,resnet50,torch 1.12,,224,64,,,1\n"
                           "timm/rtx-3090/x/nchw,,rtx-3090,1,,,,,,,,resnet50,torch 1.12,,224,64,,,1\n"
                           "e,x/y,h100,8,4,64,4,256,512,128,dense,m,torchtitan,,,1,none,\"FSDP, eager\",1\n");
    static const char *const names[] = { "Megatron-Core",
                                         "MLPerf MXNet",
                                         "another implementation of MLPerf",
                                         "DeepLearningExamples PyTorch",
                                         "timm, channels last",
                                         "timm",
                                         "torchtitan eager" };
    ck_assert_int_eq(file.count, 7);
    for (int i = 0; i < 7; i++) { ck_assert_str_eq(file.rows[i].framework, names[i]); }
    ck_assert_str_eq(file.rows[0].version, "0.8.0");
    ck_assert_str_eq(file.rows[1].version, "2.1");
    ck_assert_str_eq(file.rows[3].version, "20.06");
    ck_assert_int_eq(file.rows[5].plan.optimizer, NNC_OPTIMIZER_MOMENTUM); /* benchmark.py of timm states it */
    ck_assert_str_eq(file.rows[5].undecided, "");
    ck_assert_str_eq(file.rows[6].undecided, "parallelism");
}
END_TEST

/* If a row does not state a setting, nncost guesses the setting and lists it as open. Notes may give a row a
 * quality. */
START_TEST(open_settings_of_published_rows_are_guessed) {
    const nnc_measured_file file = parse(
        STEP_COLUMNS "task,tp,pp,dp,global_batch,recompute,notes,measured_step_s\n"
                     "a,x,h100,8,4,64,4,256,512,128,dense,m,pretrain,1,1,8,128,none,quality A,1\n" /* 16 per replica */
                     "b,x,h100,8,4,64,4,256,512,128,dense,m,pretrain,1,1,8,136,none,quality B; no batch,1\n" /* 17 */
                     /* for 8 devices and 2 sequences, nncost guesses 4 tensor ranks */
                     "c,x,h100,8,4,64,4,256,512,128,dense,m,sft,,,,2,,,1\n"
                     "d,x,h100,8,4,64,4,256,512,128,dense,m,lora,1,2,4,16,full,,1\n" /* 4 per replica, 2 stages */
                     "e,x,h100,8,4,64,4,256,512,128,dense,m,distill,1,1,8,8,full,,1\n"
                     "f,x,h100,8,4,64,4,256,512,128,dit,m,pretrain,1,1,8,8,full,,1\n"
                     "g,x,h100,8,,,,,,,,nobody,pretrain,1,1,8,8,full,,1\n"
                     "h,x,h100,8,4,64,4,256,512,128,dense,m,pretrain,1,1,8,8,full,quality C,1\n");
    static const struct {
        int64_t micro_batch;
        int32_t tensor;
        const char *open, *reason;
    } expected[] = { { 16, 1, "micro_batch", NULL },
                     { 1, 1, "micro_batch, quality B", NULL },
                     { 1, 4, "parallelism, micro_batch, recompute", NULL },
                     { 1, 1, "vpp, micro_batch", NULL },
                     { 1, 1, "micro_batch", "task \"distill\" has no meaning here" },
                     { 1, 1, "micro_batch", "model family dit is not known" },
                     { 1, 1, "micro_batch", "the row states neither layers nor the size of a sample" },
                     { 1, 1, "micro_batch", "quality C: contradicts itself or physics" } };
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        ck_assert_int_eq(file.rows[i].plan.micro_batch, expected[i].micro_batch);
        ck_assert_int_eq(file.rows[i].plan.tensor, expected[i].tensor);
        ck_assert_str_eq(file.rows[i].undecided, expected[i].open);
        ck_assert_pstr_eq(file.rows[i].reason, expected[i].reason);
    }
}
END_TEST

/* The column with the family of a model gives properties of the model that have no column of their own. Columns for
 * kinds of models other than the kind of the row are ignored. */
START_TEST(decoders_of_published_rows_have_their_family) {
    const nnc_measured_file file = parse(
        STEP_COLUMNS
        "gated_mlp,attention,kv_lora_rank,sliding_window,n_experts,top_k,dp,micro_batch,recompute,measured_step_s\n"
        "a,x,h100,8,4,64,4,256,512,128,qwen2,m,1,gqa,16,16 on every 2nd layer,0,2,8,1,none,1\n"
        "b,x,h100,8,12,64,4,256,512,128,gemma3,m,1,mha,,32 on 5 of 6 layers,,,8,1,none,1\n"
        "c,x,h100,8,4,64,4,256,512,128,dense,m,0,mha,,often so,,,8,1,none,1\n");
    const nnc_decoder *a = &file.rows[0].model->decoder, *b = &file.rows[1].model->decoder;
    ck_assert(a->qkv_bias && !b->qkv_bias);
    ck_assert_int_eq(a->kv_lora_rank, 0); /* the family has no latent attention */
    ck_assert_int_eq(a->experts_per_token, 0);
    ck_assert_int_eq(a->sliding_window, 16);
    ck_assert_int_eq(a->mixers_count, 2);
    ck_assert_int_eq(b->mlp, NNC_MLP_GEGLU);
    ck_assert_int_eq(b->mixers_count, 6);
    ck_assert_int_eq(b->mixers[4], NNC_MIXER_WINDOW);
    ck_assert_int_eq(b->mixers[5], NNC_MIXER_FULL);
    ck_assert_str_eq(file.rows[2].reason, "sliding_window \"often so\" has no meaning here");
}
END_TEST

/* The rows have engines, formats and lengths of served requests. In one row, the source counts one group of ranks
 * twice. */
START_TEST(served_rows_of_collections_are_read) {
    const nnc_measured_file file =
        parse("id,source,model,device,n_devices,tensor,pipeline,expert,attention_dp,weights,kv_cache,framework,version,"
              "mode,batch,"
              "concurrency,input_len,output_len,length_spread,tpot_s,output_tokens_per_s,quality\n"
              "a,ai-dynamo/x:y,qwen3-32b,h100,2,2,,,,fp8,,trtllm,1.0,closed-loop,,32,1000,500,0.8-1,0.01,,A\n"
              "b,x/y:z,llama2-7b,a100,1,1,,,,fp16,fp16,vllm,0.5,static,8,,128,128,,,500,B\n"
              "c,x/y:z,kimi-k2.5,b200-sxm,16,4,,16,4,nvfp4,,vllm,,closed-loop,,4,1024,1024,,0.01,,A\n"
              "d,x/y:z,llama2-7b,a100,4,,,,,fp16,,llama.cpp,,static,8,,128,128,,,500,A\n");
    const nnc_serve_ask *a = &file.rows[0].ask, *c = &file.rows[2].ask, *d = &file.rows[3].ask;
    ck_assert_int_eq(file.count, 4);
    ck_assert_str_eq(file.rows[0].software, "tensorrt-llm");
    ck_assert_int_eq(a->input_len, 900); /* 1,000 x the mean of the range from 0.8 to 1 */
    ck_assert_int_eq(a->output_len, 450);
    ck_assert_int_eq(a->kv_precision, NNC_STORED_FP8);
    ck_assert_str_eq(file.rows[1].software, "vllm-2024");
    ck_assert_str_eq(file.rows[1].undecided, "a setting that its source does not record");
    ck_assert_int_eq(c->devices, 4);
    ck_assert_int_eq(c->tensor, 4);
    ck_assert_int_eq(c->expert, 4);
    ck_assert_int_eq(c->attention_data, 1);
    ck_assert_int_eq(d->pipeline, 4); /* llama.cpp splits a model by layers */
    ck_assert_int_eq(d->tensor, 1);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        cells_are_read_as_rfc_4180_writes_them,
        a_comma_at_the_end_is_one_more_cell,
        quotes_out_of_place_are_refused,
        columns_are_known_or_refused,
        cells_that_are_no_numbers_are_refused,
        a_value_without_a_meaning_is_a_reason,
        columns_without_a_part_are_listed,
        a_gpt_under_megatron_deepspeed,
        a_gpt_under_fsdp,
        slow_network,
        experts_with_latent_attention,
        what_a_row_leaves_open_is_named,
        a_peak_of_nothing_is_a_reason,
        a_peak_needs_no_time,
        rows_are_fitted_by_source_and_model,
        grades_of_a_collection_count,
        windows_and_further_tokens_are_read,
        a_column_is_a_field,
        adapters_beside_frozen_weights,
        products_of_a_group_are_stated_one_by_one,
        a_word_that_says_nothing_gives_nothing,
        an_embedding_has_the_size_of_its_bytes,
        every_published_file_is_read,
        names_of_frameworks_are_those_of_nncost,
        open_settings_of_published_rows_are_guessed,
        decoders_of_published_rows_have_their_family,
        served_rows_of_collections_are_read,
    };
    return run_tests("measured", tests, COUNT_OF(tests));
}
