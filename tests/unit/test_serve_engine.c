/* Tests how a serving engine and small batches change the roofline times of serving, by hand. Also tests the reader of
 * measured requests. */
#include "lab/lab_internal.h"
#include "serve/serve_internal.h"
#include "support.h"

/* ---- a device with round numbers: 256 FLOPs per byte, all efficiencies 1, an engine that adds no time ---- */

#define PEAK 256e12
#define BANDWIDTH 1e12

static nnc_device *device;
static nnc_software engine;

static void ok(nnc_status status, const nnc_error *err) {
    ck_assert_msg(status == NNC_OK, "%s: %s", err->where, err->what);
}

static void set_up(void) {
    nnc_error err = { 0 };
    const nnc_device *h100 = NULL;
    ok(nnc_device_load(specs, "h100", &h100, &err), &err);
    ok(nnc_device_copy(specs, h100, &device, &err), &err);
    ok(nnc_device_set(device, "efficiency.basis", "none", &err), &err);
    ok(nnc_device_set(device, "matmul_flops_per_s.bf16", "256e12", &err), &err);
    ok(nnc_device_set(device, "mem_bytes_per_s", "1e12", &err), &err);
    nnc_serve_efficiency *e = &device->efficiency.serving;
    for (int i = 0; i < NNC_STORED_COUNT; i++) {
        e->stream_fraction[i] = e->kv_fraction[i] = e->product_fraction[i] = 1.0;
        e->expert_fraction[i] = 1.0;
        e->product_s[i] = 0.0;
    }
    e->attention_fraction = 1.0;
    e->kernel_s = e->attention_s = 0.0;
    e->all_reduce = (nnc_small_all_reduce){ .one_shot_fraction = 1.0, .two_shot_fraction = 1.0 };
    engine = nnc_software_default();
}

static nnc_serve served(const char *id, const nnc_serve_ask *ask) {
    nnc_error err = { 0 };
    nnc_serve serve = { 0 };
    const nnc_model *model = NULL;
    ok(nnc_model_load(specs, id, &model, &err), &err);
    ok(nnc_serve_of(model, device, &engine, ask, scratch, &serve, &err), &err);
    return serve;
}

static nnc_serve_ask batch_of(int64_t batch) {
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.batch = batch;
    ask.input_len = 1000;
    ask.output_len = 10;
    return ask;
}

static void close_to(double found, double expected) { ck_assert_double_eq_tol(found, expected, 1e-9 * expected); }

/* With 256 rows, the compute time of a product equals the time to read its 16-bit weights. So each product takes
 * 2^(2/3) times as long as compute or memory alone. The layers of Llama 3 8B have 6,979,321,856 elements of two bytes,
 * read at 1e12 B/s. */
START_TEST(products_overlap_in_part) {
    const nnc_serve_ask ask = batch_of(256);
    set_up();
    device->mem_bytes = 1000000000000;
    close_to(served("llama3-8b", &ask).decode.product_s, 1.5874010519681994 * 13.958643712e-3);
}
END_TEST

/* With one row, the 6.98e9 x 2 FLOPs take 1/256 of the time to read the weights. */
START_TEST(one_row_streams_weights) {
    const nnc_serve_ask ask = batch_of(1);
    const double ratio = 1.0 / 256.0;
    set_up();
    close_to(served("llama3-8b", &ask).decode.product_s, 13.958643712e-3 * cbrt(pow(1.0 + ratio * sqrt(ratio), 2.0)));
}
END_TEST

/* Each group of 4 query heads shares one head of keys and values. With kv_reread = 0.25, each of the three further
 * query heads reads a quarter of the cache again: 1 + 0.25 x 3 times the time. The bytes do not change. */
START_TEST(query_heads_read_the_cache_again) {
    const nnc_serve_ask ask = batch_of(16);
    set_up();
    const nnc_serve once = served("llama3-8b", &ask);
    engine.serving.kv_reread = 0.25;
    const nnc_serve again = served("llama3-8b", &ask);
    close_to(again.decode.attention_s, 1.75 * once.decode.attention_s);
    ck_assert_double_eq(again.decode.kv_bytes, once.decode.kv_bytes);
}
END_TEST

/* 100 units at 1 GHz with 5 bytes per clock read 5e11 B/s, half of the memory bandwidth. So reading weights and cache
 * takes twice as long. A limit per unit that is above the memory bandwidth has no effect. */
START_TEST(units_limit_what_kernels_read) {
    const nnc_serve_ask ask = batch_of(1);
    set_up();
    device->units = 100;
    device->clock_hz = 1e9;
    engine.serving.unit_bytes_per_clock = 11.0;
    const nnc_serve plain = served("llama3-8b", &ask);
    close_to(plain.decode.head_s, 1.050673152e-3 * cbrt(pow(1.0 + 1.0 / 4096.0, 2.0)) + 5.13024e-7);
    engine.serving.unit_bytes_per_clock = 5.0;
    const nnc_serve slow = served("llama3-8b", &ask);
    close_to(slow.decode.attention_s, 2.0 * plain.decode.attention_s);
    ck_assert_double_gt(slow.decode.product_s, 1.99 * plain.decode.product_s);
    ck_assert_double_eq(slow.decode.lower_bound_s, plain.decode.lower_bound_s);
}
END_TEST

/* Kernels for warps of 32 threads use half of a wave of 64 threads. AMD Instinct MI100 has 120 units at 1.502 GHz.
 * Kernels that read 6.24 bytes per unit and clock read 562 GB/s. On this device, llama.cpp with 14.96 GiB of weights
 * reached 36.85 tokens/s (592 GB/s), and 49.38 tokens/s with kernels for waves of 64 threads
 * (https://github.com/ggml-org/llama.cpp/pull/11519). */
START_TEST(kernels_for_warps_use_half_a_wave) {
    const nnc_serve_ask ask = batch_of(1);
    set_up();
    device->units = 100;
    device->clock_hz = 1e9;
    engine.serving.unit_bytes_per_clock = 5.0;
    const nnc_serve half = served("llama3-8b", &ask);
    engine.serving.unit_bytes_per_clock = 10.0;
    engine.serving.wave_threads = 32.0;
    const nnc_serve warps = served("llama3-8b", &ask);
    device->wave = 64.0;
    close_to(served("llama3-8b", &ask).decode.time_s, half.decode.time_s);
    ck_assert_double_lt(warps.decode.time_s, 0.6 * half.decode.time_s);
    engine.serving.wave_threads = (double)NAN;
    close_to(served("llama3-8b", &ask).decode.time_s, warps.decode.time_s);
}
END_TEST

/* A prompt of 128 tokens is computed in 32 passes of 4 tokens through 4 stages. If passes overlap, the prompt takes the
 * time of 32 + 3 passes of a stage. If the passes do not overlap, the prompt takes the time of 32 x 4 passes of a
 * stage. With 4 sequences, every stage has work even if passes do not overlap. */
START_TEST(stages_compute_passes_of_a_prompt_together) {
    nnc_serve_ask ask = batch_of(1);
    ask.pipeline = 4;
    ask.input_len = 128;
    ask.chunk = 4;
    set_up();
    const nnc_serve one = served("llama3-8b", &ask);
    ask.batch = 4;
    const nnc_serve four = served("llama3-8b", &ask);
    engine.serving.pipelined_passes = true;
    close_to(served("llama3-8b", &ask).request_s, four.request_s);
    ask.batch = 1;
    const nnc_serve together = served("llama3-8b", &ask);
    close_to(together.ttft_s, one.ttft_s * 35.0 / 128.0);
    close_to(together.ttft_lower_bound_s, one.ttft_lower_bound_s * 35.0 / 128.0);
    close_to(together.tpot_s, one.tpot_s);
}
END_TEST

/* Llama 3 8B has two all-reduces in each of 32 layers and one after the embedding table: 65. */
START_TEST(all_reduces_take_what_the_engine_adds) {
    nnc_serve_ask ask = batch_of(16);
    ask.tensor = 4;
    set_up();
    const nnc_serve without = served("llama3-8b", &ask);
    engine.serving.all_reduce_s = 1e-5;
    close_to(served("llama3-8b", &ask).decode.comm_s, without.decode.comm_s + 65.0 * 1e-5);
}
END_TEST

/* The host takes 1 ms for each of 32 layers, longer than the 14 to 20 ms of the device, so the step takes 32 ms. With
 * 0.1 ms per layer, the time of the host overlaps completely. */
START_TEST(launches_hide_behind_the_device) {
    const nnc_serve_ask ask = batch_of(1);
    set_up();
    const double alone = served("llama3-8b", &ask).decode.time_s;
    engine.serving.host_layer_s = 1e-4;
    ck_assert_double_eq(served("llama3-8b", &ask).decode.time_s, alone);
    engine.serving.host_layer_s = 1e-3;
    close_to(served("llama3-8b", &ask).decode.time_s, 32e-3);
}
END_TEST

/* A prefill of 16 tokens has 9 kernels in each of 32 layers: two norms, four products, the rotation, attention and the
 * activation; the sums run in the kernels of the norms. Embedding, last norm and head are three more kernels, so the
 * host issues 291 kernels at 1 ms each, longer than the device computes them. Products in fp8 have a kernel more for
 * each of the 4 x 32 inputs, and four tensor ranks add 65 all-reduces. The time of the host overlaps completely if it
 * is shorter, and steps of at most graph_tokens tokens are recorded. Each chunk of 4 tokens issues all kernels once
 * more. */
START_TEST(prompts_issue_kernels_one_by_one) {
    nnc_serve_ask ask = batch_of(1);
    ask.input_len = 16;
    set_up();
    const nnc_serve alone = served("llama3-8b", &ask);
    engine.serving.issue_s = 1e-3;
    close_to(served("llama3-8b", &ask).prefill.time_s, 0.291);
    close_to(served("llama3-8b", &ask).decode.time_s, alone.decode.time_s);
    ask.chunk = 4;
    close_to(served("llama3-8b", &ask).prefill.time_s, 4.0 * 0.291);
    ask.chunk = 0;
    ask.graph_tokens = 15;
    close_to(served("llama3-8b", &ask).prefill.time_s, 0.291);
    ask.graph_tokens = 16;
    close_to(served("llama3-8b", &ask).prefill.time_s, alone.prefill.time_s);
    ask.graph_tokens = 0;
    engine.serving.graph_tokens = 16;
    close_to(served("llama3-8b", &ask).prefill.time_s, alone.prefill.time_s);
    engine.serving.graph_tokens = 0;
    engine.serving.issue_s = 1e-6;
    close_to(served("llama3-8b", &ask).prefill.time_s, alone.prefill.time_s);
    engine.serving.issue_s = 1e-3;
    ask.tensor = 4;
    close_to(served("llama3-8b", &ask).prefill.time_s, 0.291 + 0.065);
    ask.tensor = 1;
    ask.weights = NNC_STORED_FP8;
    close_to(served("llama3-8b", &ask).prefill.time_s, 0.291 + 0.128);
}
END_TEST

/* vLLM's server allows 1,024 sequences and 8,192 tokens per step on devices of at least 70 GiB, but not on A100; on all
 * further devices, it allows 256 sequences and 2,048 tokens (get_batch_defaults in vllm/engine/arg_utils.py). A limit
 * that the user gives as an option applies on every device. */
START_TEST(large_devices_have_larger_defaults) {
    static const struct {
        const char *device;
        int64_t max_batch, chunk;
    } cases[] = { { "h100", 1024, 8192 }, { "b200", 1024, 8192 }, { "a100-80gb", 256, 2048 }, { "l4", 256, 2048 } };
    nnc_error err = { 0 };
    const nnc_software *vllm = NULL;
    const nnc_model *model = NULL;
    ok(nnc_software_load(specs, "vllm", &vllm, &err), &err);
    ok(nnc_model_load(specs, "llama3-8b", &model, &err), &err);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const nnc_device *of = NULL;
        nnc_serve s = { 0 };
        nnc_serve_ask ask = batch_of(1);
        ok(nnc_device_load(specs, cases[i].device, &of, &err), &err);
        ok(nnc_serve_of(model, of, vllm, &ask, scratch, &s, &err), &err);
        ck_assert_int_eq(s.plan.max_batch, cases[i].max_batch);
        ck_assert_int_eq(s.plan.chunk, cases[i].chunk);
        ask.max_batch = 8;
        ask.chunk = 512;
        ok(nnc_serve_of(model, of, vllm, &ask, scratch, &s, &err), &err);
        ck_assert_int_eq(s.plan.max_batch, 8);
        ck_assert_int_eq(s.plan.chunk, 512);
    }
}
END_TEST

/* PyTorch without an engine issues 40 kernels in each of 32 layers, 10 for the embedding table, the last norm and the
 * head, and one that selects the token. The 1,291 kernels take 0.6 x 0.1 ms each, because no gradients are recorded.
 * Without host time, other kernels than products and attention move 18.87 MB per token in the layers. In each layer,
 * two norms move 36 B per value of 4,096, the rotation 20 B per value of 5,120, two sums 6 B per value of 4,096, and
 * the activation 10 B per value of 14,336. The last norm moves 36 B per value of 4,096, and the embedding reads a row
 * of its table. Appending to the cache reads and writes 131,072 B per position. */
START_TEST(operators_run_one_by_one) {
    nnc_serve_ask ask = batch_of(1);
    nnc_error err = { 0 };
    const nnc_model *model = NULL;
    nnc_serve serve = { 0 };
    set_up();
    device->efficiency.stream =
        (nnc_stream_efficiency){ .memory_fraction = 1.0, .mixed_fraction = 1.0, .norm_fraction = 1.0 };
    ok(nnc_model_load(specs, "llama3-8b", &model, &err), &err);
    nnc_model run = *model;
    const nnc_serve fused = served("llama3-8b", &ask);
    engine.lists_operators = true;
    ck_assert_int_eq(nnc_serve_of(&run, device, &engine, &ask, scratch, &serve, &err), NNC_ILLEGAL_PLAN);
    run.implementation = NNC_IMPLEMENTATION_TRANSFORMERS;
    device->host.kernel_s = 1e-4;
    ok(nnc_serve_of(&run, device, &engine, &ask, scratch, &serve, &err), &err);
    close_to(serve.decode.time_s, 0.07746);
    device->host.kernel_s = 0.0;
    ok(nnc_serve_of(&run, device, &engine, &ask, scratch, &serve, &err), &err);
    ck_assert_double_eq_tol(serve.decode.product_s - fused.decode.product_s, 18.874368e-6 + 0.147456e-6 + 0.016384e-6,
                            1e-11);
    close_to(serve.decode.attention_s - fused.decode.attention_s, 2.0 * 131072e-12 * serve.decode.context);
    ask.batch = 0;
    ask.concurrency = 4;
    ck_assert_int_eq(nnc_serve_of(&run, device, &engine, &ask, scratch, &serve, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--batch");
}
END_TEST

/* A batch of twice as many sequences as fit runs in two waves. If one more sequence is added, it runs in a third
 * wave. */
START_TEST(batches_run_in_waves) {
    nnc_serve_ask ask = batch_of(1);
    set_up();
    const int64_t most = (int64_t)served("llama3-8b", &ask).max_sequences;
    const double single = served("llama3-8b", &ask).request_s;
    ask.batch = most;
    const double wave = served("llama3-8b", &ask).request_s;
    ask.batch = 2 * most + 1;
    const nnc_serve s = served("llama3-8b", &ask);
    close_to(s.request_s, 2.0 * wave + single);
    ck_assert(!s.fits);
}
END_TEST

/* With load "offline", each decode step also computes parts of prompts. A sequence has 10 output tokens per prompt of
 * 1,000, so a step with 8 sequences has 8 + 800 rows. Tokens per second are sequences / step time, and compute bounds
 * the step. */
START_TEST(prompts_ride_in_decode_steps) {
    nnc_serve_ask ask = batch_of(0);
    ask.offline = true;
    ask.max_batch = 8;
    set_up();
    const nnc_serve s = served("llama3-8b", &ask);
    close_to(s.output_tokens_per_s, 8.0 / s.tpot_s);
    /* 8 decoded and 800 prompt tokens: the step takes more than its products alone, and less than 1.4 times as long */
    const double products_s = 808.0 * 2.0 * 6979321856.0 / PEAK;
    ck_assert(s.tpot_s > products_s && s.tpot_s < 1.4 * products_s);
}
END_TEST

/* In a model with experts, 4-bit weights are only those of the experts; attention stays in 16 bits. Mixtral has 32
 * layers with 4096 x (4096 + 2 x 1024) and 4096 x 4096 elements of attention and 8 x 4096 elements of the router. The
 * head has 32000 x 4096 elements. */
START_TEST(attention_of_experts_stays_wide) {
    nnc_serve_ask ask = batch_of(1);
    ask.weights = NNC_STORED_MXFP4;
    set_up();
    const nnc_serve s = served("mixtral-8x7b", &ask);
    const double wide = 32.0 * (4096.0 * 6144.0 + 4096.0 * 4096.0 + 8.0 * 4096.0) + 32000.0 * 4096.0;
    const double experts = 2.0 * 32.0 * 3.0 * 4096.0 * 14336.0;
    close_to(s.decode.weight_bytes, 2.0 * wide + 0.53125 * experts);
}
END_TEST

/* A prompt of 4,000 tokens. 2 of 8 experts compute each token. With 4-bit weights and 16-bit products, experts reach
 * 0.26 of the peak of a dense product; with 16-bit weights they reach 0.7. Reading the experts takes less time than
 * their products. Compute time c and memory time m are joined as (c^1.5 + m^1.5)^(2/3). */
START_TEST(narrow_experts_are_widened) {
    static const struct {
        nnc_stored weights;
        double share, bytes;
    } cases[] = { { NNC_STORED_MXFP4, 0.26, 0.53125 }, { NNC_STORED_BF16, 0.7, 2.0 } };
    const double elements = 32.0 * 3.0 * 4096.0 * 14336.0;
    set_up();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nnc_serve_ask ask = batch_of(1);
        ask.input_len = 4000;
        ask.weights = cases[i].weights;
        const double compute_s = 2.0 * 4000.0 * 2.0 * elements / (cases[i].share * PEAK);
        const double memory_s = 8.0 * elements * cases[i].bytes / BANDWIDTH;
        const double time_s = pow(pow(compute_s, 1.5) + pow(memory_s, 1.5), 2.0 / 3.0);
        ck_assert_double_eq_tol(served("mixtral-8x7b", &ask).prefill.expert_s, time_s, 1e-3 * time_s);
    }
}
END_TEST

/* ---- measured rows ---- */

#define HEAD                                                                                 \
    "id,source,model,device,n_devices,tensor,weights,kv_cache,framework,version,mode,batch," \
    "concurrency,input_len,output_len,length_spread,ttft_s,tpot_s,output_tokens_per_s,quality\n"

static nnc_measured_file lines(const char *text) {
    nnc_measured_file file;
    nnc_error err = { 0 };
    ok(nnc_measured_parse(specs, "served.csv", text, strlen(text), &file, &err), &err);
    return file;
}

START_TEST(a_line_gives_a_row_for_each_time) {
    const nnc_measured_file f =
        lines(HEAD "a,ai-dynamo/"
                   "x:y,qwen3-8b,h100-sxm,2,2,fp8-block,fp8,tensorrt-llm,1.0,closed-loop,,32,900,450,,"
                   "0.5,0.01,,A\n");
    ck_assert_int_eq(f.count, 2);
    ck_assert_int_eq(f.rows[0].served, NNC_SERVED_TPOT);
    ck_assert_int_eq(f.rows[1].served, NNC_SERVED_TTFT);
    const nnc_measured *row = &f.rows[0];
    ck_assert_ptr_null(row->reason);
    ck_assert_str_eq(row->software, "tensorrt-llm");
    ck_assert_int_eq(row->ask.weights, NNC_STORED_FP8_BLOCK);
    ck_assert_int_eq(row->ask.kv_precision, NNC_STORED_FP8);
    ck_assert_int_eq(row->ask.input_len, 900);
    ck_assert_int_eq(row->ask.output_len, 450);
    ck_assert_int_eq(row->ask.concurrency, 32);
    ck_assert_int_eq(row->ask.tensor, 2);
    ck_assert_str_eq(row->model_id, "qwen3-8b");
}
END_TEST

/* Each measured pass of a network becomes a separate row. */
START_TEST(a_pass_is_a_row) {
    const nnc_measured_file f =
        lines("id,source,model,device,devices,tensor,expert,attention_data,weights,framework,mode,batch,"
              "concurrency,input_len,output_len,tpot_s,latency_s,iterations_per_s\n"
              "a,x/y:z,deepseek-v3,b200-sxm,4,4,4,1,nvfp4,vllm,closed-loop,,4,1024,1024,0.01,,\n"
              "b,x/y:z,sd1-unet,a100,1,1,,,fp16,torch-compile,static,4,,,,,,12.5\n"
              "c,x/y:z,bert-large,a100,1,1,,,fp16,torch-compile,static,8,,128,,,0.01,\n"
              "d,x/y:z,bert-large,a100,1,1,,,fp6,torch-compile,static,8,,128,,,0.01,\n");
    ck_assert_int_eq(f.count, 4);
    const nnc_serve_ask *ask = &f.rows[0].ask;
    ck_assert_int_eq(ask->devices, 4);
    ck_assert_int_eq(ask->tensor, 4);
    ck_assert_int_eq(ask->expert, 4);
    ck_assert_int_eq(ask->attention_data, 1);
    for (int i = 1; i < 4; i++) { ck_assert_int_eq(f.rows[i].served, NNC_SERVED_PASS); }
    ck_assert_double_eq(f.rows[1].measured_s, 0.08);
    ck_assert(f.rows[1].ask.guidance && f.rows[1].ask.steps == 1 && f.rows[1].ask.batch == 4);
    ck_assert_double_eq(f.rows[2].measured_s, 0.01);
    ck_assert_int_eq(f.rows[2].ask.input_len, 128);
    ck_assert_ptr_null(f.rows[2].reason);
    ck_assert_ptr_nonnull(f.rows[3].reason);
}
END_TEST

START_TEST(a_rate_is_seconds_per_token) {
    const nnc_measured_file f =
        lines(HEAD "b,x/y:z,llama2-7b,a100-80g-sxm,1,1,fp16,fp16,vllm-2024,0.5,static,8,,128,128,,,,500,A\n");
    ck_assert_int_eq(f.count, 1);
    ck_assert_int_eq(f.rows[0].served, NNC_SERVED_TOKEN);
    ck_assert_double_eq(f.rows[0].measured_s, 0.002);
    ck_assert_str_eq(f.rows[0].software, "vllm-2024");
}
END_TEST

START_TEST(rows_say_why_they_do_not_count) {
    const nnc_measured_file f =
        lines("id,model,device,weights,framework,mode,batch,input_len,output_len,output_tokens_per_"
              "s,open,refused\n"
              "c,llama2-7b,h100-sxm,fp16,vllm,static,8,128,128,500,,contradicts itself\n"
              "d,llama2-7b,h100-sxm,fp16,deepspeed,static,8,128,128,500,,\n"
              "e,llama2-7b,h100-sxm,fp6,vllm,static,8,128,128,500,,\n"
              "f,llama2-7b,h100-sxm,fp16,vllm,static,8,128,128,500,a setting,\n"
              "g,llama2-7b,h100-sxm,fp16,,static,8,128,128,500,,\n"
              "h,llama2-7b,h100-sxm,fp16,vllm,mixed,8,128,128,500,,\n"
              "i,llama2-7b,h100-sxm,fp16,vllm,static,,128,128,500,,\n");
    ck_assert_int_eq(f.count, 6); /* row h of the file has no usable value */
    ck_assert_str_eq(f.rows[0].reason, "contradicts itself");
    ck_assert_ptr_null(f.rows[1].reason); /* no profile has this id, so the default engine predicts the row */
    ck_assert_str_eq(f.rows[1].software, "vllm");
    ck_assert_str_eq(f.rows[1].undecided, "engine (deepspeed has no profile)");
    ck_assert_str_eq(f.rows[2].reason, "weights \"fp6\" has no meaning here");
    ck_assert_ptr_null(f.rows[3].reason);
    ck_assert_str_eq(f.rows[3].undecided, "a setting");
    ck_assert_str_eq(f.rows[4].reason, "the row does not state its engine");
    ck_assert_str_eq(f.rows[5].reason, "the row states no lengths, or no load");
}
END_TEST

/* A decode step of llama2-7b reads 12.95e9 bytes of layers and 0.26e9 bytes of the head, which takes 13 ms at 1e12 B/s.
 * So 100 tokens take at least 1.3 s. A measured batch that took 1 s is refused, unless its row leaves a field open. A
 * measured batch that took 2 s is accepted. */
START_TEST(a_batch_faster_than_its_bound_is_refused) {
    static const struct {
        const char *latency_s, *open;
        nnc_status status;
    } cases[] = { { "1", "", NNC_ILLEGAL_PLAN }, { "1", "precision", NNC_OK }, { "2", "", NNC_OK } };
    const nnc_model *model = NULL;
    nnc_error err = { 0 };
    set_up();
    ok(nnc_model_load(specs, "llama2-7b", &model, &err), &err);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[256];
        nnc_scored scored;
        snprintf(text, sizeof text,
                 "id,model,device,weights,framework,mode,batch,input_len,output_len,latency_s,open\n"
                 "a,llama2-7b,h100-sxm,fp16,vllm,static,1,16,101,%s,%s\n",
                 cases[i].latency_s, cases[i].open);
        const nnc_measured_file f = lines(text);
        ck_assert_ptr_null(f.rows[0].reason);
        ck_assert_int_eq(
            (int)nnc_score_row(&f.rows[0], model, device, &engine, &f.rows[0].plan, scratch, &scored, &err),
            (int)cases[i].status);
        ck_assert_int_eq(isnan(scored.predicted_s), cases[i].status != NNC_OK);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        products_overlap_in_part,
        one_row_streams_weights,
        query_heads_read_the_cache_again,
        units_limit_what_kernels_read,
        kernels_for_warps_use_half_a_wave,
        stages_compute_passes_of_a_prompt_together,
        all_reduces_take_what_the_engine_adds,
        launches_hide_behind_the_device,
        prompts_issue_kernels_one_by_one,
        large_devices_have_larger_defaults,
        operators_run_one_by_one,
        batches_run_in_waves,
        prompts_ride_in_decode_steps,
        attention_of_experts_stays_wide,
        narrow_experts_are_widened,
        a_line_gives_a_row_for_each_time,
        a_pass_is_a_row,
        a_rate_is_seconds_per_token,
        rows_say_why_they_do_not_count,
        a_batch_faster_than_its_bound_is_refused,
    };
    return run_tests_with("serve_engine", open_support, close_support, tests, COUNT_OF(tests));
}
