/* Tests launch files that describe a model, and commands of serving engines. Options and networks that nncost reads
 * from published files are compared with a reading by hand. Also tests the conversion of TOML to JSON and the headers
 * of checkpoints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch_internal.h"
#include "spec_reader.h"

/* ---- TOML ---- */

static const struct {
    const char *toml, *json; /* json NULL: refused */
} texts[] = {
    { "a = 1\n[b]\nc = 'x'\n", "{\"a\":1\n\n,\"b.c\":\"x\"}" },
    { "[a.\"b c\"]\nd.e = true # x\n", "{\n\"a.b c.d.e\":true}" },
    { "a = 1_000\nb = +2.5e3\nc = 0x1F\n", "{\"a\":1000\n,\"b\":2500\n,\"c\":31}" },
    { "a = [1,\n  'x', # one\n]\n", "{\"a\":[1,\n\"x\"]}" },
    { "a = { b = 1, c.d = [] }\n", "{\"a\":{\"b\":1,\"c.d\":[]}}" },
    { "a = \"\"\"\nx\\\n  y\"\"\"\nb = 1\n", "{\"a\":\"xy\"\n\n\n,\"b\":1}" },
    { "a = \"\\u00e9\\t\"\n", "{\"a\":\"\xc3\xa9\\u0009\"}" },
    { "a = 1979-05-27\n", "{\"a\":\"1979-05-27\"}" },
    { "", "{}" },
    { "[[a]]\n", NULL },
    { "a = \n", NULL },
    { "a = 1 b = 2\n", NULL },
    { "a = [1,,2]\n", NULL },
    { "a = 'x\n", NULL },
    { "a = \"\\x\"\n", NULL },
    { "a = 01\n", NULL },
    { "= 1\n", NULL },
};

START_TEST(toml_is_json_on_the_same_lines) {
    nnc_buffer json = { 0 };
    const char *toml = texts[_i].toml;
    const nnc_status status = nnc_toml_to_json("t.toml", toml, strlen(toml), &json, &err);
    if (texts[_i].json == NULL) {
        ck_assert_msg(status == NNC_BAD_SPEC, "%s", toml);
        ck_assert_msg(strncmp(err.where, "t.toml:", 7) == 0, "%s", err.where);
    } else {
        ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
        nnc_buffer_byte(&json, '\0');
        ck_assert_str_eq(json.bytes, texts[_i].json);
    }
    nnc_buffer_free(&json);
}
END_TEST

/* ---- real files ---- */

#define TITAN "torchtitan--torchtitan--models--"
#define FOUNDRY "llm-foundry--train--yamls--pretrain--"
#define MAXTEXT "maxtext--maxtext--configs--"
#define INFERENCE "InferenceX--benchmarks--single_node--fixed_seq_len--"
/* Options that most files of a format state, or that are defaults of the format's program. */
#define ONE "tensor=1 pipeline=1 context=1 context_kind=all-gather "
#define FSDP "optimizer=adamw clip_gradients=on policy=amp zero=3 reshard=on recompute=full "

/* Files of tests/data/interop. options: all expected options, as NAME=VALUE in any order. */
static const struct {
    const char *file, *operands; /* more operands, separated by blanks */
    bool serves;
    const char *software, *options;
    const char *model; /* fields of the network, or its name */
} samples[] = {
    /* Every second product is recomputed, which counts as half of 32 layers. The model is not compiled, so the profile
     * is eager FSDP. */
    { TITAN "llama3--train_configs--llama3_8b.toml", "", false, "fsdp",
      FSDP ONE "seq_len=8192 expert=1 precision=bf16 micro_batch=1 recompute_layers=16",
      "layers=32 hidden=4096 heads=32 kv_heads=8 ffn_hidden=14336 vocab=128256 seq_len=8192 "
      "tied_head=off mlp=swiglu" },
    /* The file has older names of keys. The plan has 2 replicas of 4 shards, each with 2 context ranks. */
    { "nncost--torchtitan--2024.toml", "", false, "fsdp",
      FSDP "pipeline=1 context=2 context_kind=all-gather tensor=8 sequence_parallel=on seq_len=8192 expert=1 "
           "precision=bf16 micro_batch=2 data=8 shard=8",
      "layers=32 hidden=4096 heads=32 kv_heads=8 ffn_hidden=14336 vocab=128256" },
    /* The plan has Float8, 8 tensor ranks that also split norms, and whole recomputed layers. The model is compiled. */
    { TITAN "llama3--train_configs--llama3_405b.toml", "", false, "torchtitan",
      FSDP "pipeline=1 context=1 context_kind=all-gather tensor=8 sequence_parallel=on "
           "seq_len=8192 expert=1 precision=fp8 micro_batch=2 fp8_gather=on",
      "layers=126 hidden=16384 heads=128 kv_heads=8 ffn_hidden=53248 vocab=128256" },
    /* The plan has 8 expert ranks. 13 of 27 layers are recomputed. Only the loss is compiled. */
    { TITAN "deepseek_v3--train_configs--deepseek_v3_16b.toml", "", false, "fsdp",
      FSDP ONE "seq_len=4096 expert=8 whole_experts=on precision=bf16 micro_batch=4 "
               "recompute_layers=13",
      "layers=27 hidden=2048 heads=16 head_dim=192 ffn_hidden=10944 vocab=102400 experts=64 "
      "experts_per_token=6 expert_hidden=1408 shared_hidden=2816 dense_layers=1 kv_lora_rank=512 "
      "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128 q_lora_rank=0" },
    /* The width of the MLP is int(2/3 x 4 x 5120 x 1.2) = 16383. One routed and one shared expert halve the width of
     * 16383. The half is rounded up to a multiple of 2048, which is 8192. */
    { TITAN "llama4--train_configs--llama4_17bx16e.toml", "", false, "fsdp",
      FSDP "pipeline=1 context=1 context_kind=all-gather tensor=8 sequence_parallel=on "
           "seq_len=8192 expert=1 precision=bf16 micro_batch=8",
      "layers=48 hidden=5120 heads=40 kv_heads=8 ffn_hidden=16384 vocab=202048 experts=16 "
      "experts_per_token=1 expert_hidden=8192 shared_hidden=8192" },
    /* The plan has 4 replicas x 2 tensor ranks, so 8 devices. Weights are bf16, gradients and master copy fp32. */
    { "nanotron--config_tiny_llama.yaml", "", false, "nanotron",
      "devices=8 data=4 tensor=2 pipeline=1 context=1 sequence_parallel=on zero=0 precision=bf16 "
      "policy=mixed-fp32grad optimizer=adamw clip_gradients=on attention=flash2 micro_batch=3 "
      "micro_batches=1 seq_len=4096",
      "layers=28 hidden=2048 heads=16 kv_heads=2 ffn_hidden=11008 vocab=128256 tied_head=on "
      "vocab_multiple=2" },
    /* The default width of the MLP is 4 x hidden. The head and the embedding share weights. */
    { "nncost--nanotron--starcoder2.yaml", "", false, "nanotron",
      "devices=432 data=216 tensor=2 pipeline=1 context=1 sequence_parallel=on zero=1 precision=bf16 "
      "policy=mixed-fp32grad optimizer=adamw clip_gradients=on attention=flash2 micro_batch=4 "
      "micro_batches=1 seq_len=4096",
      "layers=30 hidden=3072 heads=24 kv_heads=2 ffn_hidden=12288 vocab=49152 biases=on norm=layer mlp=gelu "
      "tied_head=on positions=rotary dropout=0.1 vocab_multiple=256" },
    /* mlp_hidden_size is the width of gate and up projection together. 8 of 32 layers are recomputed. */
    { "nncost--olmo--olmo2-7b.yaml", "", false, "",
      FSDP "attention=flash2 seq_len=4096 global_batch=1024 micro_batch=2 precision=bf16 recompute_layers=8",
      "layers=32 hidden=4096 heads=32 ffn_hidden=11008 vocab=100352 seq_len=4096 tied_head=off norm=rms "
      "norm_place=branch qk_norm=projection biases=off mlp=swiglu positions=rotary dropout=0" },
    /* 128 devices / (4 tensor ranks x 4 stages x 2 context ranks) = 4 replicas. "${variables.max_seq_len}" is 2048. */
    { FOUNDRY "mpt-7b.yaml", "", false, "composer",
      FSDP "attention=flash seq_len=2048 global_batch=1024 micro_batch=8 precision=bf16",
      "layers=32 hidden=4096 heads=32 ffn_hidden=16384 vocab=50368 positions=learned "
      "positions_max=2048 biases=on tied_head=on norm=layer mlp=gelu" },
    /* 128 devices / (4 x 4 x 2) = 4 replicas. 3 layers of each of 2 virtual stages are recomputed. Gradients are
     * reduced in bf16, so the policy has 16-bit gradients. Half of a head of width 128 is rotated. */
    { "nncost--nemo--interleaved.yaml", "", false, "nemo-24.03",
      "devices=128 devices_per_node=8 tensor=4 pipeline=4 virtual_stages=2 context=2 context_kind=ring "
      "sequence_parallel=on zero=1 micro_batch=2 global_batch=512 seq_len=8192 precision=fp8 policy=mixed "
      "optimizer=adamw clip_gradients=on attention=flash recompute=full recompute_layers=6",
      "layers=48 hidden=6144 heads=48 kv_heads=8 ffn_hidden=24576 vocab=50257 vocab_multiple=512 seq_len=8192 "
      "positions=rotary rotary_dim=64 norm=layer norm_bias=on biases=off mlp=relu2 tied_head=off dropout=0" },
    /* The fused matrix of queries, keys and values has adapters. Without megatron_amp_O2, weights are fp32. */
    { "nncost--nemo--lora.yaml", "llama3-8b", false, "nemo-24.03",
      "devices=8 devices_per_node=8 tensor=2 sequence_parallel=off virtual_stages=1 zero=1 micro_batch=1 "
      "global_batch=128 seq_len=2048 precision=bf16 policy=amp frozen=32bit optimizer=adamw clip_gradients=off "
      "attention=flash recompute=selective adapter_rank=32 adapters=qkv",
      "llama3-8b" },
    { FOUNDRY "hf-llama-3.1-8B.yaml", "", false, "composer",
      "optimizer=adamw clip_gradients=on policy=amp zero=3 reshard=on attention=flash2 "
      "seq_len=2048 global_batch=8 micro_batch=1 precision=bf16",
      "meta-llama/Meta-Llama-3.1-8B" },
    { MAXTEXT "gpu--models--llama3.1_405b.yml", "", false, "maxtext-gpu",
      "micro_batch=1 micro_batches=1 seq_len=4096 recompute=full precision=bf16 policy=amp "
      "optimizer=adamw clip_gradients=on attention=flash tensor=1 context=1 expert=1 zero=3",
      "layers=126 hidden=16384 heads=128 kv_heads=8 head_dim=128 ffn_hidden=53248 vocab=128256" },
    /* If the file of a model does not set a key, the key has the value of base.yml. */
    { MAXTEXT "models--gpt-oss-120b.yml", "", false, "",
      "micro_batch=12 micro_batches=1 seq_len=2048 recompute=full precision=bf16 policy=amp "
      "optimizer=adamw clip_gradients=on attention=flash tensor=1 context=1 expert=1 zero=3",
      "layers=36 hidden=2880 heads=64 kv_heads=8 head_dim=64 vocab=201088 experts=128 "
      "experts_per_token=4 expert_hidden=2880 sinks=on qkv_bias=on router_bias=on "
      "sliding_window=128" },
    { MAXTEXT "models--gemma3-27b.yml", "", false, "",
      "micro_batch=12 micro_batches=1 seq_len=2048 recompute=full precision=bf16 policy=amp "
      "optimizer=adamw clip_gradients=on attention=flash tensor=1 context=1 expert=1 zero=3",
      "layers=62 hidden=5376 heads=32 kv_heads=16 head_dim=128 ffn_hidden=21504 vocab=262144 "
      "tied_head=on mlp=geglu norm_place=sandwich qk_norm=head sliding_window=1024" },
    /* Every sixth layer attends to all tokens, and its heads have other sizes than the heads of the remaining layers.
     * Each layer also has a dense MLP of width 2112. */
    { MAXTEXT "models--gemma4-26b.yml", "", false, "",
      "micro_batch=12 micro_batches=1 seq_len=2048 recompute=full precision=bf16 policy=amp "
      "optimizer=adamw clip_gradients=on attention=flash tensor=1 context=1 expert=1 zero=3",
      "layers=30 hidden=2816 heads=16 head_dim=512 kv_heads=2 window_head_dim=256 window_kv_heads=8 rotary_dim=128 "
      "keys_as_values=on expert_norms=on experts=128 experts_per_token=8 expert_hidden=704 shared_hidden=2112" },
    /* In layers without attention, 32 heads of width 128 are 4096 wide. */
    { MAXTEXT "models--qwen3-next-80b-a3b.yml", "", false, "",
      "micro_batch=12 micro_batches=1 seq_len=2048 recompute=full precision=bf16 policy=amp "
      "optimizer=adamw clip_gradients=on attention=flash tensor=1 context=1 expert=1 zero=3",
      "layers=48 hidden=2048 heads=16 kv_heads=2 head_dim=256 rotary_dim=64 ssm_heads=32 ssm_inner=4096 ssm_groups=16 "
      "ssm_state=128 conv_kernel=4 attention_gate=on shared_gate=on experts=512 experts_per_token=10 "
      "shared_hidden=512" },
    { MAXTEXT "models--deepseek3.2-671b.yml", "", false, "",
      "micro_batch=12 micro_batches=1 seq_len=2048 recompute=full precision=bf16 policy=amp "
      "optimizer=adamw clip_gradients=on attention=flash tensor=1 context=1 expert=1 zero=3",
      "layers=61 hidden=7168 heads=128 q_lora_rank=1536 kv_lora_rank=512 index_heads=64 index_dim=128 "
      "index_topk=2048" },
    /* The file has options of a program, but does not name the program. A variable names the tokenizer, and Qwen3 has
     * the vocabulary of this tokenizer. */
    { "Megatron-LM--modelopt--Qwen3-8B.sh", "", false, "megatron",
      "micro_batch=1 precision=bf16 seq_len=4096 tensor=1 pipeline=1 optimizer=adamw clip_gradients=on "
      "zero=0 sequence_parallel=off attention=flash policy=mixed-fp32grad overlap=0",
      "layers=36 hidden=4096 ffn_hidden=12288 heads=32 kv_heads=8 head_dim=128 qk_norm=head vocab=151936 "
      "tied_head=off" },
    { "recipes--Llama--Llama3.3_Hopper.yaml", "llama3-70b", true, "vllm", "kv_precision=fp8 chunk=8192 data=1",
      "llama3-70b" },
    { INFERENCE "dsr1_fp8_mi300x.sh", "TP=8 deepseek-v3", true, "sglang",
      "tensor=8 data=1 memory_use=0.8 chunk=131072 kv_precision=fp8", "deepseek-v3" },
    { INFERENCE "deprecated--glm5_fp8_h200.sh", "TP=8 deepseek-v3", true, "sglang", "tensor=8 data=1 memory_use=0.85",
      "deepseek-v3" },
    /* This plan has no expert parallelism. If the prompts (ISL) do not have 1,024 tokens, the script uses larger
     * chunks. */
    { INFERENCE "dsv4_fp4_b200_vllm.sh", "TP=8 ISL=1024 DP_ATTENTION=false deepseek-v3", true, "vllm",
      "tensor=8 attention_data=1 kv_precision=fp8 block=256 chunk=2048", "deepseek-v3" },
    /* This plan has expert parallelism, with 8 groups of ranks that each attend to their own requests. Each expert is
     * whole on one rank. */
    { INFERENCE "dsv4_fp4_b200_vllm.sh", "TP=8 EP_SIZE=8 ISL=1024 DP_ATTENTION=true deepseek-v3", true, "vllm",
      "tensor=1 attention_data=8 expert=8 kv_precision=fp8 block=256 chunk=2048", "deepseek-v3" },
};

static const char *value_of(const nnc_scenario_args *given, const char *name) {
    for (int i = 0; i < given->setting_count; i++) {
        if (strcmp(given->settings[i].field->name, name) == 0) { return given->settings[i].value; }
    }
    return "";
}

static void check_options(const nnc_scenario_args *given, const char *options) {
    char expected[512];
    int words = 0;
    snprintf(expected, sizeof expected, "%s", options);
    for (char *word = strtok(expected, " "); word != NULL; word = strtok(NULL, " "), words++) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        ck_assert_msg(strcmp(value_of(given, word), value) == 0, "%s: expected %s, found %s", word, value,
                      value_of(given, word));
    }
    ck_assert_int_eq(given->setting_count, words); /* and nothing else */
}

static void check_model(const char *path, const char *fields) {
    const nnc_model *model = NULL;
    char expected[512];
    if (strchr(fields, '=') == NULL) {
        ck_assert_str_eq(path, fields);
        return;
    }
    ck_assert_msg(nnc_model_load(specs, path, &model, &err) == NNC_OK, "%s: %s", err.where, err.what);
    snprintf(expected, sizeof expected, "%s", fields);
    for (char *word = strtok(expected, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value = strchr(word, '='), text[64];
        *value++ = '\0';
        const nnc_field *field = nnc_field_of_key(nnc_model_table_of(model), word);
        ck_assert_ptr_nonnull(field);
        nnc_field_text(field, model, text, sizeof text);
        ck_assert_msg(strcmp(text, value) == 0, "%s: expected %s, found %s", word, value, text);
    }
}

START_TEST(real_files_have_their_model) {
    const nnc_launch_asked asked = { .serves = samples[_i].serves };
    nnc_scenario_args given = { .setting_count = 0 };
    char path[512], beside[128], *operands[12] = { path };
    int count = 1;
    snprintf(path, sizeof path, "%s/tests/data/interop/%s", NNCOST_SOURCE_DIR, samples[_i].file);
    snprintf(beside, sizeof beside, "%s", samples[_i].operands);
    for (char *word = strtok(beside, " "); word != NULL; word = strtok(NULL, " ")) { operands[count++] = word; }
    const nnc_status status = nnc_launch_take(specs, &asked, operands, &count, &given, &err);
    if (strstr(path, ".y") != NULL && !nnc_yaml_is_read) {
        ck_assert_int_eq(status, NNC_IO);
        return;
    }
    ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
    ck_assert_int_eq(count, 1);
    check_options(&given, samples[_i].options);
    ck_assert_str_eq(given.software != NULL ? given.software : "", samples[_i].software);
    check_model(operands[0], samples[_i].model);
}
END_TEST

/* If a value is open, the error must name the value. */
static const struct {
    const char *file, *operands, *what;
    bool serves;
} refusals[] = {
    { INFERENCE "dsr1_fp8_mi300x.sh", "deepseek-v3", "${TP}", true },
    /* The script writes the configuration of the engine from a variable that the script does not set. */
    { INFERENCE "deprecated--gptoss_fp4_b200_trt.sh", "TP=2 EP_SIZE=2 gpt-oss-120b", "DP_ATTENTION=VALUE", true },
    { INFERENCE "dsr1_fp8_mi300x.sh", "TP=8 deepseek-v3", "starts a serving engine", false },
    { TITAN "llama3--train_configs--llama3_8b.toml", "", "starts a training run", true },
    /* Only the checkpoint describes the network. */
    { "nncost--nemo--lora.yaml", "", "expected MODEL", false },
};

START_TEST(open_files_are_refused) {
    const nnc_launch_asked asked = { .serves = refusals[_i].serves };
    nnc_scenario_args given = { .setting_count = 0 };
    char path[512], beside[128], *operands[12] = { path };
    int count = 1;
    snprintf(path, sizeof path, "%s/tests/data/interop/%s", NNCOST_SOURCE_DIR, refusals[_i].file);
    snprintf(beside, sizeof beside, "%s", refusals[_i].operands);
    for (char *word = strtok(beside, " "); word != NULL; word = strtok(NULL, " ")) { operands[count++] = word; }
    ck_assert_int_ne(nnc_launch_take(specs, &asked, operands, &count, &given, &err), NNC_OK);
    ck_assert_msg(strstr(err.what, refusals[_i].what) != NULL, "%s", err.what);
}
END_TEST

/* ---- commands from plans ---- */

static int32_t power_of_two(uint32_t *seed, int32_t below) {
    *seed = *seed * 1664525u + 1013904223u; /* Numerical Recipes */
    return 1 << (*seed >> 16) % (uint32_t)below;
}

/* Reads the settings of a command that nncost wrote, as nncost reads the command of a user. */
static void read_command(char *command, nnc_serve_ask *read) {
    const nnc_launch_asked asked = { .serves = true };
    nnc_scenario_args given = { .setting_count = 0 };
    char *operands[64] = { NULL };
    int count = 0;
    for (char *word = strtok(command, " \n"); word != NULL; word = strtok(NULL, " \n")) { operands[count++] = word; }
    const nnc_status status = nnc_launch_take(specs, &asked, operands, &count, &given, &err);
    ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
    *read = nnc_serve_ask_default();
    for (int i = 0; i < given.setting_count; i++) {
        ck_assert_int_eq(
            nnc_field_set(&nnc_serve_table, read, given.settings[i].field->name, given.settings[i].value, &err),
            NNC_OK);
    }
}

/* For 1,000 plans and each engine, the command gives the same plan, or the error names a field. A command of vLLM has
 * no replicas of a model with experts. A command of TensorRT-LLM has no replicas of any model. */
static const struct {
    const char *engine, *refused; /* fields that the engine may refuse */
    int written;                  /* at least */
} engines[] = {
    { "vllm", "--data", 870 },
    { "sglang", "", 1000 },
    { "tensorrt-llm", "--data --attention-data --memory-use", 190 },
};

START_TEST(plans_come_back_from_commands) {
    uint32_t seed = 31;
    int written = 0;
    for (int i = 0; i < 1000; i++) {
        const bool has_experts = power_of_two(&seed, 2) > 1;
        nnc_serve_ask plan = nnc_serve_ask_default(), read;
        nnc_buffer out = { 0 };
        plan.tensor = power_of_two(&seed, 4);
        plan.pipeline = power_of_two(&seed, 3);
        plan.attention_data = has_experts ? power_of_two(&seed, 2) : 1;
        plan.data = has_experts && plan.attention_data > 1 ? 1 : power_of_two(&seed, 2);
        plan.expert = has_experts && power_of_two(&seed, 2) > 1 ? plan.tensor * plan.attention_data : 1;
        plan.max_batch = power_of_two(&seed, 2) > 1 ? power_of_two(&seed, 9) : plan.max_batch;
        plan.chunk = power_of_two(&seed, 2) > 1 ? 512 * power_of_two(&seed, 6) : plan.chunk;
        plan.block = power_of_two(&seed, 2) > 1 ? 8 * power_of_two(&seed, 4) : plan.block;
        plan.memory_use = power_of_two(&seed, 2) > 1 ? 0.85 : plan.memory_use;
        plan.kv_precision = power_of_two(&seed, 2) > 1 ? NNC_STORED_FP8 : plan.kv_precision;
        const nnc_status status =
            nnc_launch_emit(specs, engines[_i].engine, has_experts ? "deepseek-v3" : "llama3-8b", &plan, &out, &err);
        if (status != NNC_OK) {
            ck_assert_int_eq(status, NNC_ILLEGAL_PLAN);
            ck_assert_msg(strstr(engines[_i].refused, err.where) != NULL, "%s: %s", err.where, err.what);
            continue;
        }
        nnc_buffer_byte(&out, '\0');
        read_command(out.bytes, &read);
        nnc_buffer_free(&out);
        ck_assert_int_eq(read.tensor, plan.tensor);
        ck_assert_int_eq(read.pipeline, plan.pipeline);
        ck_assert_int_eq(read.data == 0 ? 1 : read.data, plan.data);
        ck_assert_int_eq(read.attention_data, plan.attention_data);
        ck_assert_int_eq(read.expert, plan.expert);
        ck_assert_int_eq(read.max_batch, plan.max_batch);
        ck_assert_int_eq(read.chunk, plan.chunk);
        ck_assert_int_eq(read.block, plan.block);
        ck_assert(read.memory_use == plan.memory_use ||
                  (read.memory_use != read.memory_use && plan.memory_use != plan.memory_use));
        ck_assert_int_eq(read.kv_precision, plan.kv_precision);
        written++;
    }
    ck_assert_msg(written >= engines[_i].written, "%s: %d of 1000 plans", engines[_i].engine, written);
}
END_TEST

/* SGLang divides the tokens of a step and the requests among 4 groups: 32,768 / 4, and 130 / 4 without the remainder.
 * In vLLM, the limit of tokens and the limit of requests are already limits of one group. SGLang and vLLM can divide a
 * batch into two micro-batches. */
START_TEST(limits_are_of_a_group) {
    char sglang[] = "python -m sglang.launch_server --model-path deepseek-v3 --tp 8 --dp 4 --enable-dp-attention "
                    "--chunked-prefill-size 32768 --max-running-requests 130 --enable-two-batch-overlap";
    char vllm[] =
        "vllm serve deepseek-v3 --tensor-parallel-size 2 --data-parallel-size 4 --max-num-batched-tokens 8192 "
        "--max-num-seqs 32 --enable-expert-parallel --enable-dbo";
    char *const commands[] = { sglang, vllm };
    for (int i = 0; i < 2; i++) {
        nnc_serve_ask read;
        read_command(commands[i], &read);
        ck_assert_int_eq(read.tensor, 2);
        ck_assert_int_eq(read.attention_data, 4);
        ck_assert_int_eq(read.chunk, 8192);
        ck_assert_int_eq(read.max_batch, 32);
        ck_assert_double_eq(read.overlap_expert, 1.0);
    }
}
END_TEST

/* ---- checkpoints ---- */

static void parse(nnc_checkpoint *header, const void *bytes, size_t size, nnc_status expected) {
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    rewind(file);
    const nnc_status status = nnc_checkpoint_parse(header, nnc_specs_arena(specs), file, (int64_t)size, &err);
    ck_assert_msg(status == expected, "%s", err.what);
    fclose(file);
}

/* The file has two tensors: 3 x 4 values of 2 bytes, and 5 values of 4 bytes. */
START_TEST(safetensors_are_counted) {
    static const char json[] = "{\"__metadata__\":{\"format\":\"pt\"},"
                               "\"a\":{\"dtype\":\"BF16\",\"shape\":[3,4],\"data_offsets\":[0,24]},"
                               "\"b\":{\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[24,44]}}";
    char bytes[8 + sizeof json - 1 + 44] = { (char)(sizeof json - 1) };
    nnc_checkpoint header = { .path = "t.safetensors" };
    memcpy(bytes + 8, json, sizeof json - 1);
    parse(&header, bytes, sizeof bytes, NNC_OK);
    ck_assert_int_eq(header.tensors, 2);
    ck_assert_int_eq(header.params, 17);
    ck_assert_int_eq(header.bytes, 44);
    header = (nnc_checkpoint){ .path = "t.safetensors" };
    parse(&header, bytes, sizeof bytes - 1, NNC_BAD_SPEC); /* the last byte is missing */
    bytes[6] = 1;                                          /* a header of 2^48 bytes */
    header = (nnc_checkpoint){ .path = "t.safetensors" };
    parse(&header, bytes, sizeof bytes, NNC_BAD_SPEC);
}
END_TEST

/* The file has one tensor of 64 x 3 in Q8_0, which has 2 x 3 blocks of 34 bytes, and one key. */
START_TEST(gguf_is_counted) {
    static const unsigned char bytes[] = {
        'G', 'G', 'U', 'F', 3, 0, 0, 0, 1,   0,   0,   0, 0, 0,  0, 0, 1, 0, 0, 0, 0, 0, 0, 0, /* counts */
        3,   0,   0,   0,   0, 0, 0, 0, 'a', '.', 'b', 4, 0, 0,  0, 7, 1, 0, 0,                /* a.b = 263 */
        1,   0,   0,   0,   0, 0, 0, 0, 't', 2,   0,   0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0,
        0,   0,   0,   0,   0, 8, 0, 0, 0,   0,   0,   0, 0, 0,  0, 0, 0,
    };
    nnc_checkpoint header = { .path = "t.gguf" };
    parse(&header, bytes, sizeof bytes, NNC_OK);
    ck_assert_int_eq(header.params, 192);
    ck_assert_int_eq(header.bytes, 204);
    ck_assert_str_eq(header.parts[0].name, "Q8_0");
    ck_assert_str_eq(header.metadata.bytes, "{\"a.b\":263,\n\"tensor.t\":192,\n\"checkpoint.type\":\"Q8_0\","
                                            "\"checkpoint.params\":192}");
    nnc_buffer_free(&header.metadata);
    for (size_t size = 0; size < sizeof bytes; size++) {
        header = (nnc_checkpoint){ .path = "t.gguf" };
        parse(&header, bytes, size, NNC_BAD_SPEC);
        nnc_buffer_free(&header.metadata);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("launch_models");
    TCase *tests = add_case(suite, "launch_models", set_up, tear_down);
    tcase_add_loop_test(tests, toml_is_json_on_the_same_lines, 0, (int)COUNT_OF(texts));
    tcase_add_loop_test(tests, real_files_have_their_model, 0, (int)COUNT_OF(samples));
    tcase_add_loop_test(tests, open_files_are_refused, 0, (int)COUNT_OF(refusals));
    tcase_add_loop_test(tests, plans_come_back_from_commands, 0, (int)COUNT_OF(engines));
    tcase_add_test(tests, limits_are_of_a_group);
    tcase_add_test(tests, safetensors_are_counted);
    tcase_add_test(tests, gguf_is_counted);
    return run_suite(suite);
}
