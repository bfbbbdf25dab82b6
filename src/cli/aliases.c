/* Replaces option names of other programs (Megatron-LM, torchtitan, DeepSpeed, accelerate, Hugging Face, PEFT,
 * torchrun, vLLM, SGLang, TensorRT-LLM) by options of nncost with the same meaning. A name is refused with a hint if
 * nncost's options would need arithmetic or a choice of the user. */
#include <ctype.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"

/* An option name of another program. words: the options of nncost that replace the name; a '%' stands for the value. If
 * `words` has no '%', the name is a switch, or the alias is for one value only. An alias is used only by commands that
 * have the first option in `words`. The texts are arrays, not pointers, because the loader would have to relocate
 * pointers at each start of the program. */
typedef struct alias {
    char name[48];
    char value[20]; /* the alias is used for this value, or, if it ends with '*', for values that begin with it; "" =
                     * used for any value, or no value */
    char words[40];
    char hint[88];   /* hint for a name that is refused; "" = `words` replaces the name */
    char option[20]; /* name of the nncost option that the hint recommends; "" = no hint */
} alias;

/* clang-format off */
/* NOLINTBEGIN(bugprone-macro-parentheses): an array cannot be initialised with a string in parentheses */
#define ANY "" /* in the member `value` of an alias: the alias applies to every value of the name */
#define NAME(name, words) { name, ANY, words, "", "" }
#define VALUE(name, value, words) { name, value, words, "", "" }
#define HINT(name, value, hint, option) { name, value, "", hint, option }
#define OPTIM(value, words) VALUE("--optim", value, words), VALUE("--optimizer", value, words)
/* NOLINTEND(bugprone-macro-parentheses) */
/* In the member `value` of an alias: the alias applies only if the command line has an option that describes the
 * requests of a deployment. */
#define LOAD "@"
#define TRAINED "--micro-batch N for the batch of one device, or --global-batch N for all devices"
#define BATCH "--batch N for requests that start together, --concurrency N for a closed loop"
#define LOOP "--concurrency N for a closed loop, --batch N for requests that start together"

static const alias aliases[] = {
    /* Short names for options of nncost. */
    NAME("--json", "--format json"),
    NAME("--qlora", "--lora % --frozen nf4"),
    VALUE("--fsdp", "full-shard*", "--zero 3"), VALUE("--fsdp", "shard-grad-op*", "--zero 2"),
    HINT("--fsdp", "hybrid-shard*", "--zero 3 with --shard N, the devices of a shard", "--zero"),
    VALUE("--fsdp", "no-shard*", "--zero 0"), NAME("--fsdp", "--zero 3"),
    NAME("--ddp", "--zero 0"),
    VALUE("--activation-checkpointing", "none", "--recompute none"),
    VALUE("--activation-checkpointing", "selective", "--recompute selective"),
    VALUE("--activation-checkpointing", "full", "--recompute full"),
    NAME("--activation-checkpointing", "--recompute full"),
    NAME("--fp8", "--precision fp8"),
    VALUE("--compile", "off", "--software torch-eager"), VALUE("--compile", "false", "--software torch-eager"),
    VALUE("--compile", "no", "--software torch-eager"),
    NAME("--compile", "--software torch-compile"), NAME("--eager", "--software torch-eager"),
    VALUE("--amp", "bf16", "--policy amp --precision bf16"), VALUE("--amp", "fp16", "--policy amp --precision fp16"),
    NAME("--amp", "--policy amp"), NAME("--autocast", "--policy amp"), NAME("--fp32", "--precision fp32"),
    NAME("--bfloat16", "--precision bf16"), NAME("--float16", "--precision fp16"), NAME("--half", "--precision fp16"),
    VALUE("--precision", "bfloat16", "--precision bf16"), VALUE("--precision", "float16", "--precision fp16"),
    VALUE("--precision", "half", "--precision fp16"), VALUE("--precision", "float32", "--precision fp32"),
    /* names of PyTorch Lightning and Keras for a precision and a policy */
    VALUE("--precision", "amp", "--policy amp"), VALUE("--precision", "bf16-mixed", "--policy amp --precision bf16"),
    VALUE("--precision", "16-mixed", "--policy amp --precision fp16"), VALUE("--precision", "bf16-true", "--policy bf16-pure --precision bf16"),
    VALUE("--precision", "mixed-bfloat16", "--policy amp --precision bf16"), VALUE("--precision", "32-true", "--precision fp32"),
    VALUE("--precision", "mixed-float16", "--policy amp --precision fp16"), VALUE("--precision", "32", "--precision fp32"),
    HINT("--precision", "mixed", "--policy mixed (usual), or --policy amp for fp32 weights and autocast", "--policy"),
    VALUE("--precision", "nvfp4", "--precision fp4"), VALUE("--precision", "mxfp8", "--precision fp8"),
    /* option names of Megatron-LM; source: megatron/training/arguments.py */
    NAME("--tensor-model-parallel-size", "--tensor %"),
    NAME("--pipeline-model-parallel-size", "--pipeline %"),
    HINT("--num-layers-per-virtual-pipeline-stage", ANY, "--virtual-stages N, N = layers / (pipeline x the value)", "--virtual-stages"),
    NAME("--num-virtual-stages-per-pipeline-rank", "--virtual-stages %"),
    NAME("--context-parallel-size", "--context %"),
    VALUE("--cp-comm-type", "p2p", "--context-kind ring"), VALUE("--cp-comm-type", "a2a", "--context-kind ulysses"),
    VALUE("--cp-comm-type", "allgather", "--context-kind all-gather"),
    NAME("--expert-model-parallel-size", "--expert %"), NAME("--expert-parallel-size", "--expert %"),
    NAME("--tensor-parallel", "--tensor %"), NAME("--pipeline-parallel", "--pipeline %"), NAME("--data-parallel", "--data %"),
    NAME("--context-parallel", "--context %"), NAME("--expert-parallel", "--expert %"),
    NAME("--virtual-pipeline-model-parallel-size", "--virtual-stages %"),
    VALUE("--expert-tensor-parallel-size", "1", "--whole-experts"),
    HINT("--expert-tensor-parallel-size", ANY, "--whole-experts for 1, no option for the tensor degree", "--whole-experts"),
    NAME("--micro-batch-size", "--micro-batch %"),
    NAME("--global-batch-size", "--global-batch %"),
    NAME("--seq-length", "--seq-len %"),
    NAME("--use-distributed-optimizer", "--zero 1"),
    NAME("--use-megatron-fsdp", "--zero 3"),
    VALUE("--data-parallel-sharding-strategy", "no-shard", "--zero 0"),
    VALUE("--data-parallel-sharding-strategy", "optim", "--zero 1"),
    VALUE("--data-parallel-sharding-strategy", "optim-grads", "--zero 2"),
    VALUE("--data-parallel-sharding-strategy", "optim-grads-params", "--zero 3"),
    NAME("--recompute-granularity", "--recompute %"),
    HINT("--recompute-method", "uniform", "--recompute-every N, with N from --recompute-num-layers", "--recompute-every"),
    HINT("--recompute-method", "block", "--recompute-layers N, with N from --recompute-num-layers", "--recompute-layers"),
    HINT("--recompute-num-layers", ANY, "--recompute-every (method uniform) or --recompute-layers (method block)", "--recompute"),
    NAME("--recompute-activations", "--recompute selective"),
    HINT("--recompute-modules", ANY, "--recompute LIST, such as norm,activation", "--recompute"),
    HINT("--fp8-format", ANY, "--precision fp8", "--precision"),
    /* --bf16 without a value is a switch of Megatron-LM; --bf16 with a value is an option of Hugging Face's Trainer,
     * which keeps fp32 weights. */
    VALUE("--bf16", "true", "--policy amp --precision bf16"), NAME("--bf16", "--precision bf16"),
    VALUE("--fp16", "true", "--policy amp --precision fp16"), NAME("--fp16", "--precision fp16"),
    NAME("--accumulate-allreduce-grads-in-fp32", "--policy mixed-fp32grad"),
    NAME("--grad-reduce-in-bf16", "--policy mixed"),
    NAME("--num-layers", "--set layers=%"),
    NAME("--hidden-size", "--set hidden=%"),
    NAME("--ffn-hidden-size", "--set ffn_hidden=%"),
    NAME("--num-attention-heads", "--set heads=%"),
    NAME("--num-query-groups", "--set kv_heads=%"),
    NAME("--num-experts", "--set experts=%"),
    NAME("--moe-router-topk", "--set experts_per_token=%"),
    NAME("--make-vocab-size-divisible-by", "--set vocab_multiple=%"),
    HINT("--overlap-grad-reduce", ANY, "--overlap X, the share of communication that overlaps", "--overlap"),
    HINT("--overlap-param-gather", ANY, "--overlap X, the share of communication that overlaps", "--overlap"),
    HINT("--train-iters", ANY, "--samples N, N = iterations x global batch", "--samples"),
    HINT("--iters", ANY, "--samples N, N = iterations x global batch", "--samples"),
    NAME("--train-samples", "--samples %"),
    NAME("--world-size", "--devices %"),
    NAME("--data-parallel-size", "--data %"),
    NAME("--optimizer-cpu-offload", "--offload optimizer"),
    /* option names of torchtitan; source: torchtitan/config/job_config.py */
    NAME("--parallelism.data-parallel-shard-degree", "--shard %"),
    NAME("--data-parallel-shard-degree", "--shard %"),
    HINT("--parallelism.data-parallel-replicate-degree", ANY, "--data N, N = replicas x shards", "--data"),
    HINT("--data-parallel-replicate-degree", ANY, "--data N, N = replicas x shards", "--data"),
    NAME("--tensor-parallel-degree", "--tensor %"), NAME("--parallelism.tensor-parallel-degree", "--tensor %"),
    NAME("--pipeline-parallel-degree", "--pipeline %"), NAME("--parallelism.pipeline-parallel-degree", "--pipeline %"),
    VALUE("--parallelism.pipeline-parallel-schedule", "1f1b", "--schedule 1f1b"),
    VALUE("--parallelism.pipeline-parallel-schedule", "gpipe", "--schedule gpipe"),
    VALUE("--parallelism.pipeline-parallel-schedule", "interleaved1f1b", "--schedule interleaved"),
    HINT("--parallelism.pipeline-parallel-schedule", ANY, "--schedule NAME", "--schedule"),
    NAME("--context-parallel-degree", "--context %"), NAME("--parallelism.context-parallel-degree", "--context %"),
    NAME("--expert-parallel-degree", "--expert %"), NAME("--parallelism.expert-parallel-degree", "--expert %"),
    VALUE("--parallelism.fsdp-reshard-after-forward", "always", "--reshard"),
    VALUE("--parallelism.fsdp-reshard-after-forward", "never", "--reshard=off"),
    HINT("--parallelism.fsdp-reshard-after-forward", ANY, "--reshard or --reshard=off", "--reshard"),
    NAME("--training.local-batch-size", "--micro-batch %"), NAME("--local-batch-size", "--micro-batch %"),
    NAME("--training.global-batch-size", "--global-batch %"),
    NAME("--training.seq-len", "--seq-len %"),
    HINT("--training.steps", ANY, "--samples N, N = steps x global batch", "--samples"),
    NAME("--activation-checkpoint.mode", "--recompute %"),
    NAME("--compile.enable", "--software torch-compile"),
    NAME("--quantize.linear.float8", "--precision fp8"),
    /* option names of DeepSpeed: the keys of its configuration file, and the options of its launcher */
    NAME("--train-batch-size", "--global-batch %"),
    NAME("--train-micro-batch-size-per-gpu", "--micro-batch %"),
    NAME("--gradient-accumulation-steps", "--micro-batches %"),
    NAME("--zero-optimization.stage", "--zero %"), NAME("--zero-stage", "--zero %"),
    VALUE("--offload-optimizer.device", "cpu", "--offload optimizer"), HINT("--offload-optimizer.device", ANY, "--offload optimizer for cpu", "--offload"),
    VALUE("--offload-param.device", "cpu", "--offload weights"), HINT("--offload-param.device", ANY, "--offload weights for cpu", "--offload"),
    NAME("--tensor-parallel.autotp-size", "--tensor %"),
    HINT("--gradient-clipping", ANY, "--clip-gradients, on by default; --clip-gradients=off for 0", "--clip-gradients"),
    NAME("--num-gpus", "--devices %"),
    HINT("--num-nodes", ANY, "--devices N, N = nodes x devices per node", "--devices"),
    HINT("--nodes", ANY, "--devices N, N = nodes x devices per node", "--devices"),
    /* option names of accelerate; source: accelerate/commands/launch.py */
    NAME("--num-processes", "--devices %"),
    HINT("--num-machines", ANY, "--devices-per-node N, N = processes / machines", "--devices-per-node"),
    VALUE("--mixed-precision", "bf16", "--policy amp --precision bf16"),
    VALUE("--mixed-precision", "fp16", "--policy amp --precision fp16"),
    VALUE("--mixed-precision", "fp8", "--policy amp --precision fp8"),
    VALUE("--mixed-precision", "no", "--policy fp32 --precision fp32"),
    VALUE("--fsdp-sharding-strategy", "full-shard", "--zero 3"), VALUE("--fsdp-sharding-strategy", "shard-grad-op", "--zero 3 --reshard=off"),
    VALUE("--fsdp-sharding-strategy", "no-shard", "--zero 0"),
    HINT("--fsdp-sharding-strategy", ANY, "--zero 3 with --shard N, the devices of a shard", "--zero"),
    VALUE("--fsdp-reshard-after-forward", "true", "--reshard"), VALUE("--fsdp-reshard-after-forward", "false", "--reshard=off"),
    HINT("--fsdp-reshard-after-forward", ANY, "--reshard or --reshard=off", "--reshard"),
    NAME("--fsdp-activation-checkpointing", "--recompute full"),
    NAME("--fsdp-offload-params", "--offload weights,optimizer"),
    /* option names of Hugging Face; sources: transformers/training_args.py, peft/tuners/lora/config.py */
    NAME("--per-device-train-batch-size", "--micro-batch %"),
    NAME("--gradient-checkpointing", "--recompute full"),
    NAME("--max-seq-length", "--seq-len %"), NAME("--max-length", "--seq-len %"), NAME("--max-seq-len", "--seq-len %"),
    NAME("--sequence-len", "--seq-len %"), /* axolotl */
    NAME("--num-train-epochs", "--epochs %"),
    HINT("--max-steps", ANY, "--samples N, N = steps x global batch", "--samples"),
    NAME("--tf32", "--precision tf32"),
    /* values of --optim, taken by --optimizer, too; the same as in foreign/launch/transformers.json */
    OPTIM("adamw8bit", "--optimizer adam8bit"), OPTIM("adamw-8bit", "--optimizer adam8bit"),
    OPTIM("adamw-bnb-8bit", "--optimizer adam8bit"), OPTIM("adamw-torch-8bit", "--optimizer adam8bit"),
    OPTIM("ao-adamw-8bit", "--optimizer adam8bit"), OPTIM("paged-adamw-8bit", "--optimizer adam8bit"),
    OPTIM("adamw-torch-4bit", "--optimizer adam4bit"), OPTIM("ao-adamw-4bit", "--optimizer adam4bit"),
    OPTIM("adamw-torch*", "--optimizer adamw"), OPTIM("paged-adamw*", "--optimizer adamw"),
    VALUE("--optim", "adafactor", "--optimizer adafactor"), VALUE("--optim", "sgd", "--optimizer sgd"),
    VALUE("--optim", "lion*", "--optimizer lion"), HINT("--optim", ANY, "--optimizer NAME", "--optimizer"),
    NAME("--torch-compile", "--software torch-compile"),
    VALUE("--attn-implementation", "flash-attention-2", "--attention flash2"), VALUE("--attn-implementation", "flash-attention-3", "--attention flash3"),
    VALUE("--attn-implementation", "sdpa", "--attention flash"), VALUE("--attn-implementation", "eager", "--attention unfused"),
    NAME("--load-in-4bit", "--frozen nf4"), NAME("--load-in-8bit", "--frozen int8"),
    NAME("--lora-r", "--lora %"), NAME("--lora-rank", "--lora %"), NAME("--r", "--lora %"),
    NAME("--use-dora", "--dora"),
    VALUE("--target-modules", "all-linear", "--adapters linear"),
    HINT("--target-modules", ANY, "--adapters linear, attention or mlp", "--adapters"),
    HINT("--rank", ANY, "--lora R for adapters of rank R", "--lora"),
    /* option names of torchrun, a launcher of PyTorch */
    HINT("--nnodes", ANY, "--devices N, N = nodes x devices per node", "--devices"),
    NAME("--nproc-per-node", "--devices-per-node %"),
    /* option names of the serving engines vLLM, SGLang and TensorRT-LLM */
    NAME("--tensor-parallel-size", "--tensor %"), NAME("--tp-size", "--tensor %"),
    NAME("--pipeline-parallel-size", "--pipeline %"), NAME("--pp-size", "--pipeline %"),
    NAME("--dp-size", "--data %"), NAME("--ep-size", "--expert %"),
    HINT("--enable-expert-parallel", ANY, "--expert N, N = tensor x data", "--expert"),
    HINT("--max-model-len", ANY, "--input-len and --output-len", "--input-len"),
    /* Options such as --max-num-seqs limit the number of running sequences, if the command line says how requests
     * arrive. Otherwise they mean the batch size of a static batch. */
    VALUE("--max-num-seqs", LOAD, "--max-batch %"), HINT("--max-num-seqs", ANY, BATCH, "--batch"),
    VALUE("--max-batch-size", LOAD, "--max-batch %"), HINT("--max-batch-size", ANY, BATCH, "--batch"),
    VALUE("--max-running-requests", LOAD, "--max-batch %"), HINT("--max-running-requests", ANY, LOOP, "--concurrency"),
    NAME("--max-num-batched-tokens", "--chunk %"), NAME("--max-num-tokens", "--chunk %"),
    NAME("--chunked-prefill-size", "--chunk %"),
    NAME("--gpu-memory-utilization", "--memory-use %"), NAME("--mem-fraction-static", "--memory-use %"),
    VALUE("--kv-cache-dtype", "auto", ""), VALUE("--kv-cache-dtype", "fp8*", "--kv-precision fp8"),
    NAME("--kv-cache-dtype", "--kv-precision %"),
    HINT("--quantization", ANY, "--weights fp8, int8 or int4", "--weights"),
    HINT("--quantization", ANY, "--frozen nf4", "--frozen"),
    VALUE("--dtype", "bfloat16", "--precision bf16"), VALUE("--dtype", "float16", "--precision fp16"),
    VALUE("--dtype", "half", "--precision fp16"), VALUE("--dtype", "float32", "--precision fp32"),
    NAME("--dtype", "--precision %"),
    NAME("--block-size", "--block %"),
    HINT("--enable-chunked-prefill", ANY, "--chunk N, the tokens of a step", "--chunk"),
    NAME("--max-concurrency", "--concurrency %"),
    NAME("--random-input-len", "--input-len %"), NAME("--random-output-len", "--output-len %"),
    /* option names that have several meanings and are refused with a hint */
    HINT("--batch", ANY, TRAINED, "--micro-batch"), HINT("--batch-size", ANY, TRAINED, "--micro-batch"),
    HINT("--bs", ANY, TRAINED, "--micro-batch"),
    HINT("--batch-size", ANY, "--batch", "--batch"), HINT("--bs", ANY, "--batch", "--batch"),
    HINT("-b", ANY, TRAINED, "--micro-batch"), HINT("-b", ANY, "--batch N", "--batch"),
    NAME("--gas", "--micro-batches %"), NAME("--accum", "--micro-batches %"),
    NAME("--gpus", "--devices %"), NAME("--gpu-count", "--devices %"), NAME("--ngpus", "--devices %"),
    NAME("--n-gpus", "--devices %"), NAME("--num-devices", "--devices %"), NAME("--gpus-per-node", "--devices-per-node %"),
    NAME("--prompt-len", "--input-len %"), NAME("--prompt-length", "--input-len %"),
    HINT("--prompt", ANY, "--input-len N, the tokens of a prompt", "--input-len"),
    HINT("--rate", ANY, "--request-rate X, requests per second", "--request-rate"),
    HINT("--ttft", ANY, "'nncost search --serve' with --slo 'ttft_s<=X'", "--request-rate"),
    HINT("--tpot", ANY, "'nncost search --serve' with --slo 'tpot_s<=X'", "--request-rate"),
    HINT("--slo", ANY, "'nncost search --serve' with --slo", "--request-rate"),
    HINT("--qps", ANY, "--request-rate X, requests per second", "--request-rate"),
    NAME("--max-new-tokens", "--output-len %"), NAME("--max-tokens", "--output-len %"),
    HINT("--quantize", ANY, "--weights fp8, int8 or int4", "--weights"),
    HINT("--quantize", ANY, "--frozen nf4 with --lora R", "--frozen"),
    HINT("--int8", ANY, "--weights int8", "--weights"), HINT("--int8", ANY, "--precision int8", "--precision"),
    HINT("--int4", ANY, "--weights int4", "--weights"), HINT("--int4", ANY, "--frozen nf4 with --lora R", "--frozen"),
    HINT("--4bit", ANY, "--weights int4", "--weights"), HINT("--4bit", ANY, "--frozen nf4 with --lora R", "--frozen"),
    HINT("--no-compile", ANY, "--software torch-eager", "--software"),
    NAME("--seq", "--seq-len %"), NAME("--context-length", "--seq-len %"),
    HINT("--checkpoint", ANY, "--recompute full", "--recompute"),
    HINT("--cpu-offload", ANY, "--offload optimizer", "--offload"),
    NAME("--flash", "--attention flash"), NAME("--flash-attn", "--attention flash"),
    NAME("--flash-attention", "--attention flash"), NAME("--use-flash-attn", "--attention flash"),
    NAME("--price-per-hour", "--price %"),
    NAME("--framework", "--software %"), NAME("--resolution", "--image %"), NAME("--image-size", "--image %"),
    HINT("--height", ANY, "--image N, the pixels of a side", "--image"),
    HINT("--hours", ANY, "--days X, X = hours / 24", "--days"),
    NAME("--usd", "--cost %"), NAME("--dollars", "--cost %"),
    NAME("--dpo", "--method dpo"), NAME("--grpo", "--method grpo"), NAME("--ppo", "--method ppo"), NAME("--kto", "--method kto"),
    NAME("--distill", "--method distill"), HINT("--rlhf", ANY, "--method ppo or --method grpo", "--method"),
    HINT("--spot", ANY, "--offer spot with --seller NAME", "--offer"),
    NAME("--provider", "--seller %"), NAME("--cloud", "--seller %"),
    NAME("--csv", "--format csv"), NAME("--no-flash", "--attention unfused"),
    HINT("--checkpointing", ANY, "--recompute full", "--recompute"),
    HINT("--deepspeed", ANY, "the file as the first argument: FILE MODEL DEVICE", "--format"),
    HINT("--config", ANY, "the file as the first argument: FILE MODEL DEVICE", "--format"),
    HINT("--model", ANY, "the model without an option: MODEL DEVICE", "--format"),
    HINT("--device", ANY, "the device without an option: MODEL DEVICE", "--format"),
    HINT("--gpu", ANY, "the device without an option, its number with --devices", "--devices"),
};
/* clang-format on */
enum { ALIASES = sizeof aliases / sizeof aliases[0] };

/* Returns true if an option name as the user typed it equals `name`. Upper case counts as lower case, '_' as '-',
 * "microBatch" as "micro-batch". A '=' ends the typed name; a '*' in `name` stands for any ending. */
static bool alike(const char *name, const char *word) {
    for (char before = '\0'; *name != '\0' && *name != '*'; name++, before = *word++) {
        const char c = (char)tolower((unsigned char)*word);
        if (*name == '-' && islower((unsigned char)before) && isupper((unsigned char)*word)) { name++; }
        if ((c == '_' ? '-' : c) != *name) { return false; }
    }
    return *name == '*' || *word == '\0' || *word == '=';
}

typedef struct expansion {
    nnc_option_known *known;
    const void *context;
    bool has_load;    /* true: the command line has an option that says how requests arrive (--request-rate) */
    nnc_buffer words; /* words of the new command line; each word ends with a NUL */
    int count;
} expansion;

static void put(expansion *e, const char *text, size_t size) {
    nnc_buffer_put(&e->words, text, size);
    nnc_buffer_byte(&e->words, '\0');
    e->count++;
}

/* Adds the words of an alias to the new command line, with the value of the user in place of '%'. */
static void put_words(expansion *e, const char *words, const char *value) {
    while (*words != '\0') {
        const size_t length = strcspn(words, " ");
        const char *mark = memchr(words, '%', length);
        if (mark != NULL) {
            nnc_buffer_put(&e->words, words, (size_t)(mark - words));
            put(e, value, strlen(value));
        } else {
            put(e, words, length);
        }
        words += length + (words[length] == ' ' ? 1 : 0);
    }
}

static bool is_refused(const alias *row) { return row->hint[0] != '\0'; }

static bool is_for_any(const alias *row) { return row->value[0] == '\0'; }

static bool applies(const expansion *e, const alias *row, const char *word) {
    char option[NNC_OPTION_NAME];
    const char *words = is_refused(row) ? row->option : row->words;
    snprintf(option, sizeof option, "%.*s", (int)strcspn(words, " ="), words);
    return alike(row->name, word) && (option[0] == '\0' || e->known(e->context, option));
}

/* Returns 1 if a value turns a switch on ("true"), 0 if the value turns a switch off, and -1 for any other text. */
static int switch_value(const char *value) {
    static const char *const words[] = { "false", "true", "0", "1", "no", "yes", "off", "on" };
    for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++) {
        if (alike(words[i], value)) { return i % 2; }
    }
    return -1;
}

static nnc_status refuse_value(const expansion *e, const char *word, const char *typed, const char *value,
                               nnc_error *err) {
    char expected[256] = "";
    for (int i = 0; i < ALIASES; i++) {
        const size_t length = strlen(expected);
        if (applies(e, &aliases[i], word)) {
            snprintf(expected + length, sizeof expected - length, "%s%s", length > 0 ? ", " : "", aliases[i].value);
        }
    }
    return nnc_fail(err, NNC_BAD_USAGE, typed, "expected one of %s, found \"%.40s\"", expected,
                    value != NULL ? value : "");
}

/* Returns true if an alias is for only this one value of an option of nncost ("--precision float16"). */
static bool is_for_value(const alias *row, const char *value) {
    return !is_for_any(row) && value != NULL && alike(row->value, value);
}

/* Finds the alias of an option name: the alias for the given value, or else the alias for any value. NULL with *found
 * true: the name has aliases, but no alias for the given value. own: the name is an option of nncost, so only some of
 * its values have aliases. */
static const alias *row_of(const expansion *e, const char *word, const char *value, bool own, bool *found) {
    const alias *any = NULL;
    const char first = (char)tolower((unsigned char)word[2]);
    *found = false;
    for (int i = 0; i < ALIASES; i++) {
        const alias *row = &aliases[i];
        if (row->name[2] != first) { continue; /* faster: most names differ in the first letter */ }
        if (!applies(e, row, word) || (own && !is_for_value(row, value))) { continue; }
        *found = true;
        if (!is_for_any(row) && (row->value[0] == LOAD[0] ? e->has_load : value != NULL && alike(row->value, value))) {
            return row;
        }
        any = any == NULL && is_for_any(row) ? row : any;
    }
    return any;
}

/* Returns true if a word is an option of training programs that would change no result of nncost. Such an option is
 * refused. */
static bool is_free(const expansion *e, const char *word) {
    static const char *const names[] = {
        "--lr",           "--lr-*",         "--learning-rate*",  "--min-lr*",       "--warmup-steps",
        "--warmup-ratio", "--seed",         "--weight-decay*",   "--adam-beta*",    "--adam-eps*",
        "--lora-alpha",   "--lora-dropout", "--init-method-std", "--logging-steps", "--log-interval",
        "--output-dir",   "--wandb-*",      "--report-to",       "--run-name"
    };
    bool found = false;
    for (size_t i = 0; i < NNC_COUNT_OF(names) && !found; i++) { found = alike(names[i], word); }
    return found && e->known(e->context, "--optimizer");
}

/* Replaces one option of another program in argv, together with its value if it has one. *used: number of words of argv
 * that were read. *found: true if the word is an alias. */
static nnc_status expand_word(expansion *e, char **argv, bool last, bool own, int *used, bool *found, nnc_error *err) {
    const char *word = argv[0], *equals = strchr(word, '=');
    const char *value = equals != NULL ? equals + 1 : last || strncmp(argv[1], "--", 2) == 0 ? NULL : argv[1];
    const alias *row = row_of(e, word, value, own, found);
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    if (!*found && !own && is_free(e, word)) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "has no effect on time, memory and cost, so leave it out");
    }
    if (!*found) { return NNC_OK; }
    if (row == NULL) { return refuse_value(e, word, typed, value, err); }
    if (is_refused(row)) {
        return own ? nnc_fail(err, NNC_BAD_USAGE, typed, "unknown value \"%.40s\", did you mean %s?", value, row->hint)
                   : nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, did you mean %s?", row->hint);
    }
    const bool takes = strchr(row->words, '%') != NULL;
    const int on = value != NULL && !takes && is_for_any(row) ? switch_value(value) : -1;
    if (takes && value == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, typed,
                        "a value is missing, expected \"%s VALUE\", short for \"%.*sVALUE%s\"", typed,
                        (int)strcspn(row->words, "%"), row->words, strchr(row->words, '%') + 1);
    }
    if (equals != NULL && !takes && is_for_any(row) && on < 0) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "expected true or false, found \"%.40s\"", value);
    }
    if (on != 0) { put_words(e, row->words, value != NULL ? value : ""); }
    *used = equals == NULL && (takes || !is_for_any(row) || on >= 0) ? 2 : 1;
    return NNC_OK;
}

/* Returns a new argv (an array of pointers, then the words) in one allocation, which the caller frees. NULL = out of
 * memory. */
static char **pack(const expansion *e) {
    const size_t pointers = ((size_t)e->count + 1) * sizeof(char *);
    char *block = malloc(pointers + e->words.size);
    if (block == NULL || e->words.bytes == NULL) {
        free(block);
        return NULL;
    }
    char **argv = (char **)(void *)block;
    char *text = block + pointers;
    memcpy(text, e->words.bytes, e->words.size);
    for (int i = 0; i < e->count; i++) {
        argv[i] = text;
        text += strlen(text) + 1;
    }
    argv[e->count] = NULL;
    return argv;
}

nnc_status nnc_aliases_expand(int *argc, char **argv, nnc_option_known *known, const void *context, char ***expanded,
                              nnc_error *err) {
    static const char *const loads[] = { "--request-rate",    "--arrivals", "--concurrency",
                                         "--max-concurrency", "--offline",  "--serve" };
    expansion e = { .known = known, .context = context };
    for (int i = 0; i < *argc; i++) {
        for (size_t j = 0; argv[i][0] == '-' && j < NNC_COUNT_OF(loads); j++) {
            e.has_load = e.has_load || alike(loads[j], argv[i]);
        }
    }
    nnc_status status = NNC_OK;
    bool any = false, ended = false;
    *expanded = NULL;
    for (int i = 0, used = 1; i < *argc && status == NNC_OK; i += used) {
        char option[NNC_OPTION_NAME];
        bool found = false;
        used = 1;
        ended = ended || strcmp(argv[i], "--") == 0;
        snprintf(option, sizeof option, "%.*s", (int)strcspn(argv[i], "="), argv[i]);
        const bool own = argv[i][0] == '-' && known(context, option);
        /* Among nncost's own options, only these two have values with aliases. */
        const bool has_values = strcmp(option, "--precision") == 0 || strcmp(option, "--optimizer") == 0;
        if (!ended && argv[i][0] == '-' && argv[i][1] != '\0' && (!own || has_values)) {
            status = expand_word(&e, argv + i, i + 1 == *argc, own, &used, &found, err);
        }
        if (!found) { put(&e, argv[i], strlen(argv[i])); }
        any = any || found;
    }
    if (status == NNC_OK && any) {
        *expanded = e.words.failed ? NULL : pack(&e);
        *argc = e.count;
        status = *expanded != NULL ? NNC_OK : nnc_no_memory(err);
    }
    nnc_buffer_free(&e.words);
    return status;
}
