/* Tests launch files: the conversion of YAML to JSON, the tables of formats, and the plans that are read from published
 * launch files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch_internal.h"
#include "spec_reader.h"

/* ---- YAML ---- */

static const struct {
    const char *yaml, *json; /* json NULL: refused */
} texts[] = {
    { "a: 1\nb: 2\n", "{\"a\":1,\n\"b\":2}" },
    { "a:\n  b: x\n  c: [1, two]\n", "{\"a\":\n{\"b\":\"x\",\n\"c\":[1,\"two\"]}}" },
    { "# first\n\na: yes\n", "\n\n{\"a\":true}" },
    { "a: 'no'\nb: no\nc: NO\n", "{\"a\":\"no\",\n\"b\":false,\n\"c\":false}" },
    { "a:\nb: ~\nc: null\n", "{\"a\":null,\n\"b\":null,\n\"c\":null}" },
    { "a: 500_000\n", "{\"a\":500000}" },
    { "a: 2e-5\n", "{\"a\":2e-5}" },
    { "a: -.5\n", "{\"a\":\"-.5\"}" },
    { "a: 010\n", "{\"a\":\"010\"}" },   /* octal in YAML 1.1 */
    { "a: 0x10\n", "{\"a\":\"0x10\"}" }, /* in a launch file, a value of hexadecimal digits is a text */
    { "a: 1:30\n", "{\"a\":\"1:30\"}" }, /* base 60 in YAML 1.1 */
    { "a: 1.2.3.4\n", "{\"a\":\"1.2.3.4\"}" },
    { "a: 1-2\n", "{\"a\":\"1-2\"}" },
    { "a: .inf\n", "{\"a\":\".inf\"}" },
    { "a: \"x\\0y\"\n", "{\"a\":\"x y\"}" }, /* a NUL is a separator in chat templates and becomes a blank */
    { "a: 1e999\n", "{\"a\":\"1e999\"}" },
    { "a: |\n  x\n  y\nb: 1\n", "{\"a\":\"x\\u000ay\\u000a\",\n\n\n\"b\":1}" },
    { "{a: {b: [{c: 1}]}}", "{\"a\":{\"b\":[{\"c\":1}]}}" },
    { "", "null" },
    { "- 1\n-\n- 2\n", "[1,\nnull,\n2]" },
    { "a: &x 1\nb: *x\n", "{\"a\":1,\n\"b\":1}" },
    { "a: &x\n  b: 1\nc: *x\nd: 2\n", "{\"a\":{\n\"b\":1},\n\"c\":{ \"b\":1},\n\"d\":2}" },
    { "a: [&x 1, *x]\n", "{\"a\":[1,1]}" },
    { "a: null\nb: 1\na: 2\n", "{         \n\"b\":1,\n\"a\":2}" },
    { "a: *x\n", NULL },
    { "a: &x [*x]\n", NULL },
    { "a: &x {b: 1}\nc: {<<: *x}\n", "{\"a\":{\"b\":1},\n\"c\":{\"b\":1}}" },
    { "a: &x {b: 1, d: [2, {e: \"},\"}]}\nc: {b: 3, <<: *x}\n",
      "{\"a\":{\"b\":1,\"d\":[2,{\"e\":\"},\"}]},\n\"c\":{\"b\":3,\"d\":[2,{\"e\":\"},\"}]}}" },
    { "a: &x {b: 1, d: 2}\nc:\n  <<: *x\n  b: 3\n", "{\"a\":{\"b\":1,\"d\":2},\n\"c\":\n{      \"d\":2,\n\"b\":3}}" },
    { "a: {<<: *x}\n", NULL },
    { "a: &x [1]\nb: {<<: *x}\n", NULL },
    { "a: {<<: {b: 1}}\n", NULL },
    { "a: {<<: 1}\n", NULL },
    { "&a x: 1\n", NULL },
    { "a: !!str 1\n", NULL },
    { "a: 1\n---\nb: 1\n", NULL },
    { "a: [1\n", NULL },
    { "? [a]\n: 1\n", NULL },
    /* A '#' after a blank begins a comment, unless the '#' is in quotes or in a block of text. */
    { "# x\na: b # 'c\n# \"\nd: 'e # f''# g'\nh: \"\\\" # i\"\n",
      "\n{\"a\":\"b\",\n\n\"d\":\"e # f'# g\",\n\"h\":\"\\\" # i\"}" },
    { "a: 'b\n # c\n d' # e\nf: g#h # i\n", "{\"a\":\"b # c d\",\n\n\n\"f\":\"g#h\"}" },
    { "a: | # b\n  # c\n  d # e\nf: 1 # 2\n", "{\"a\":\"# c\\u000ad # e\\u000a\",\n\n\n\"f\":1}" },
    { "a: b # c\n  d\n", NULL },
    { "a: don't # 'b\r\nc: 1 # d\r\n", "{\"a\":\"don't\",\n\"c\":1}" },
    { "a: 1 # b\xc2\x85\"c # d\": 2\n", "{\"a\":1,\n\"c # d\":2}" },
};

START_TEST(yaml_is_json_on_the_same_lines) {
    nnc_buffer json = { 0 };
    const char *yaml = texts[_i].yaml;
    const nnc_status status = nnc_yaml_to_json("t.yaml", yaml, strlen(yaml), &json, &err);
    if (!nnc_yaml_is_read) {
        ck_assert_int_eq(status, NNC_IO);
    } else if (texts[_i].json == NULL) {
        ck_assert_int_eq(status, NNC_BAD_SPEC);
        ck_assert_msg(strncmp(err.where, "t.yaml:", 7) == 0, "%s", err.where);
    } else {
        ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
        nnc_buffer_byte(&json, '\0');
        ck_assert_str_eq(json.bytes, texts[_i].json);
    }
    nnc_buffer_free(&json);
}
END_TEST

START_TEST(deep_yaml_is_refused) {
    char text[512];
    nnc_buffer json = { 0 };
    memset(text, '[', sizeof text);
    ck_assert_int_ne(nnc_yaml_to_json("t.yaml", text, sizeof text, &json, &err), NNC_OK);
    nnc_buffer_free(&json);
}
END_TEST

/* ---- scripts ---- */

#define RUN "torchrun --nproc_per_node 8 train.py "

/* Each row has a script, and the options of the only command in this script. */
static const struct {
    const char *script, *options; /* NULL: refused */
} scripts[] = {
    { RUN "--a 1 --b x --c", "\"a\":1,\"b\":\"x\",\"c\":true" },
    { RUN "--a=1 --b=\"x y\" -c 3", "\"a\":1,\"b\":\"x y\",\"c\":3" },
    { RUN "--a 1 \\\n --b 2", "\"a\":1,\n\"b\":2" },
    { RUN "--a 1 --b 2 --a 3", "\"b\":2,\"a\":3" }, /* the last counts */
    { RUN "--a -1 --b 1 2 3", "\"a\":-1,\"b\":[1,2,3]" },
    { RUN "# --a 1\n", NULL },
    { "A=4\n" RUN "--a $A --b ${A} --c ${B:-7} --d ${A:-7} --e ${B} --f x${A}y",
      "\n\"a\":4,\"b\":4,\"c\":7,\"d\":4,\"e\":\"${B}\",\"f\":\"x4y\"" },
    { "A=2; B=$(($A*3 + 10 / 4))\n" RUN "--a $B --b $((B % 5)) --c $((X+1))", "\n\"a\":8,\"b\":3,\"c\":\"${X}\"" },
    { "A=9; " RUN "--a $((A > 8 ? A * 2 : 8)) --b $((A < 8 ? 1 : A > 9 ? 2 : 3)) --c $((X > 1 ? 2 : 3))",
      "\"a\":18,\"b\":3,\"c\":\"${X}\"" },
    /* A sum with an unknown variable becomes the name of the first unknown variable. A part of a sum that is known only
     * at run time stays in the text. */
    { "A=$((X * 2)); B=$(nproc)\n" RUN
      "--a $((A > 8 ? A : 8)) --b $((B / 2)) --c $(( $(nproc) + 1 )) --d $((${1} * 3))",
      "\n\"a\":\"${X}\",\"b\":\"${B}\",\"c\":\"${_$(nproc)_+_1_}\",\"d\":\"${1}\"" },
    { "A=(--a 1\n --b '2 3')\nA+=(--c)\n" RUN "\"${A[@]}\"", "\"a\":1,\n\"b\":\"2 3\",\n\"c\":true" },
    { "A=\"--a 1 --b 2\"\n" RUN "$A", "\"a\":1,\"b\":2" },
    { "A=\"--a 1\"\nA=\"$A --b 2\"\n" RUN "$A", "\"a\":1,\n\"b\":2" },
    { "A=$(nproc)\n" RUN "--a $A --b `x`", "\n\"a\":\"${$(nproc)}\",\"b\":\"${`x`}\"" },
    { "A=1; if [ $A -eq 1 ]; then B=2; else B=3; fi; " RUN "--b $B", "\"b\":2" },
    { "A=1; if [[ $A != 1 ]]; then B=2; elif [ -z \"$C\" ]; then B=3; else B=4; fi; " RUN "--b $B", "\"b\":3" },
    { "if [ -f x ]; then B=2; else B=3; fi; " RUN "--b $B", "\"b\":\"${B}\"" },
    { "A=no; if [ $A = yes ]; then B=\" --b 1\"; C=2; fi; " RUN "--a 1 $B --c $C", "\"a\":1,\"c\":\"${C}\"" },
    { "A=(--a 1)\nif [ -f x ]; then A+=(--b 2 --c); fi\n" RUN "${A[@]}",
      "\"a\":1,\n\"b\":\"${branch}\",\"c\":\"${branch}\"" },
    { "B=1; [ -n \"$X\" ] && B=2; " RUN "--b $B", "\"b\":1" },
    { "B=1; [ -z \"$X\" ] && B=2; " RUN "--b $B", "\"b\":2" },
    { "B=1; ((B > 0)) || B=2; " RUN "--b $B", "\"b\":1" },
    { "for i in 1 2; do B=$i; done; " RUN "--b $B", "\"b\":\"${B}\"" },
    { "B=1; while [ $# -gt 0 ]; do B=2; shift; done; " RUN "--b $B", "\"b\":1" },
    { "A=x; case $A in\n y) B=1;;\n x|z) B=2;;\n *) B=3;;\nesac\n" RUN "--b $B", "\n\n\n\n\n\"b\":2" },
    { "f() { " RUN "--x 1; }\n" RUN "--a 1", "\n\"a\":1" },
    { "cat <<EOF\n" RUN "--x 1\nEOF\n" RUN "--a 1", "\n\n\n\"a\":1" },
    { "CMD=\"" RUN "--a 1\"\neval $CMD", "\"a\":1" },
    { "X=1 bash -c \"cd y; python z/train.py --a 1 > log\"", "\"a\":1" },
    { RUN "--a 1 > log 2>&1 | tee x", "\"a\":1" },
    { "#SBATCH --nodes=4\n" RUN "--a $SLURM_NNODES", "\n\"a\":4" },
    { "A=1\n. ./other.sh\n", NULL },
    { "A=Fp8_x.y\n" RUN "--b ${A,,} --c ${A%.*} --d ${A#*_} --e ${A%%_*} --f ${A%z}",
      "\n\"b\":\"fp8_x.y\",\"c\":\"Fp8_x\",\"d\":\"x.y\",\"e\":\"Fp8\",\"f\":\"Fp8_x.y\"" },
    { "A=aXbXc\n" RUN "--b ${A%X*} --c ${A%%X*} --d ${A#*X} --e ${A##*X}",
      "\n\"b\":\"aXb\",\"c\":\"a\",\"d\":\"bXc\",\"e\":\"c\"" },
    { "A=4\nif f; then A=${A:-8}; fi\n" RUN "--a $A", "\n\n\"a\":4" },
    { "f() {\n local A=$1\n " RUN "--a $A --b $2 --c ${3:-4}\n}\nf 1 x", "\n\n\"a\":1,\"b\":\"x\",\"c\":4" },
    { "function f {\n " RUN "--a $1\n}\ng() { f 5; }\nif [ 1 -gt 2 ]; then f 3; fi\ng", "\n\"a\":5" },
    { "f() { f; f; }\nf\n" RUN "--a 1", "\n\n\"a\":1" },
    { "f || { echo x; }\n(g) || (h)\n" RUN "--a 1", "\n\n\"a\":1" },
    { "A=4\nif f; then A=8; fi\n" RUN "--a $A", "\n\n\"a\":\"${A}\"" },
    { "1=7; 12=8; B=${2:-3}\n" RUN "--a $1 --b $B --c ${12} --d $12", "\n\"a\":7,\"b\":3,\"c\":8,\"d\":72" },
    { "A='x\n", NULL },
    { "fi\n", NULL },
    { "A='--x Mb y'; if [[ $A == *Mb* ]]; then B=1; else B=2; fi; " RUN "--b $B", "\"b\":1" },
    { "A='--x Mb y'; if [[ ${A} != *\"Ma\"* ]]; then B=1; else B=2; fi; " RUN "--b $B", "\"b\":1" },
    { "A=xMb; if [ $A = *Mb ]; then B=1; else B=2; fi; " RUN "--b $B", "\"b\":\"${B}\"" },
    { "X=$(f)\nB='--b 2 --c 3'\ntorchrun --n 8 $X --a 1\n", NULL },
    { "A=<path of it>\n" RUN "--a $A/x --b <n> --c 1", "\n\"a\":\"${<path_of_it>}/x\",\"b\":\"${<n>}\",\"c\":1" },
    /* a redirection of the shell does not count as a missing value */
    { RUN "--a 1 <in.txt >log --b 2", "\"a\":1,\"b\":2" },
    { "A=x/y.z; if [ \"$(basename $A)\" = y.z ]; then B=1; else B=2; fi; " RUN "--b $B", "\"b\":1" },
    { "A=x; case $A in\n y)\n B=1\n ;;\n x)\n B=2\n ;;\n *)\n B=3\n ;;\nesac; " RUN "--b $B",
      "\n\n\n\n\n\n\n\n\n\n\"b\":2" },
    { "declare -A A=( [x:1]=5 [\"y\"]='6 7' )\nK=x; A[z]=8\n" RUN
      "--a ${A[$K:1]} --b \"${A[y]}\" --c ${A[z]} --d ${A[w]:-9}",
      "\n\n\"a\":5,\"b\":\"6 7\",\"c\":8,\"d\":9" },
    { "A=(x 'y z'); A[1]=3; B=(4 5)\n" RUN "--a ${A[0]} --b ${A[1]} --c ${B[1]} --d ${A[$N]} --e ${B[7]}",
      "\n\"a\":\"x\",\"b\":3,\"c\":5,\"d\":\"${A}\",\"e\":\"${B}\"" },
    { "A=(1 2)\nif f; then A[1]=3; fi\n" RUN "--a ${A[1]}", "\n\n\"a\":\"${A}\"" },
    { "A=1; if [[ -v A && ! -v X ]]; then B=1; else B=2; fi; " RUN "--b $B", "\"b\":1" },
    { "A=1; if [[ -n $A && -z $X ]]; then B=1; else B=2; fi; " RUN "--b $B", "\"b\":1" },
    { "A=1; if [[ -n $A && -z $A ]]; then B=1; else B=2; fi; " RUN "--b $B", "\"b\":2" },
};

static const char *job_script(void *context, const char *name) {
    (void)context;
    return strcmp(name, "job.sh") == 0 ? "#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node=4\n"
                                         "srun python train.py --a $A --b ${1:-7} --nodes $SLURM_NNODES\n"
                                       : NULL;
}

/* Each row has three texts: a script that runs a second script, the options of the command in the second script, and
 * the options of the launcher of this command. */
static const struct {
    const char *script, *options, *launcher;
} runs[] = {
    { "A=5\nsbatch -p x --nodes=3 job.sh 6", "\"a\":5,\"b\":6,\"nodes\":3",
      "\"ntasks-per-node\":4,\"p\":\"x\",\"nodes\":3" },
    { "A=5; bash job.sh", "\"a\":5,\"b\":7,\"nodes\":\"${SLURM_NNODES}\"", "" },
    { "A=5; ./none.sh; X=job; ${HERE}/job.sh 1", "\"a\":5,\"b\":1,\"nodes\":\"${SLURM_NNODES}\"", "" },
};

/* Copies a text without its line ends, because the line ends depend on the lines of the first and of the second
 * script. */
static const char *one_line(const char *text, char out[256]) {
    size_t used = 0;
    for (; *text != '\0' && used < 255; text++) {
        if (*text != '\n') { out[used++] = *text; }
    }
    out[used] = '\0';
    return out;
}

START_TEST(scripts_run_scripts) {
    nnc_shell_script script = { .read = job_script };
    char expected[256], found[256];
    ck_assert_int_eq(nnc_shell_read("t.sh", runs[_i].script, nnc_specs_arena(specs), &script, &err), NNC_OK);
    ck_assert_int_eq(script.count, 1);
    snprintf(expected, sizeof expected, "{\".program\":\"train.py\",%s}", runs[_i].options);
    ck_assert_str_eq(one_line(script.commands[0].options, found), expected);
    snprintf(expected, sizeof expected, "{\".program\":\"srun\"%s%s}", runs[_i].launcher[0] != '\0' ? "," : "",
             runs[_i].launcher);
    ck_assert_str_eq(one_line(script.commands[0].launcher_options, found), expected);
}
END_TEST

/* Each row has a script and the options of its launcher. srun also has the options of the #SBATCH lines. The options of
 * srun end where the call of Python begins. */
static const struct {
    const char *script, *options;
} launched[] = {
    { "torchrun --nnodes=2 train.py --a 1", "\"nnodes\":2" },
    { "srun -n 8 -l python -u train.py --a 1", "\"n\":8,\"l\":true" },
    { "srun -l sh -c 'python -u train.py --a 1'", "\"l\":true" },
    { "#SBATCH --nodes=2 --ntasks-per-node 4 # x\n#SBATCH --exclusive\nsrun --nodes 3 python train.py --a 1",
      "\"ntasks-per-node\":4,\n\"exclusive\":true,\n\"nodes\":3" },
    { "#SBATCH --nodes=2\ntorchrun --nnodes 1 train.py --a 1", "\n\"nnodes\":1" },
};

START_TEST(launchers_are_read) {
    nnc_shell_script script = { .commands = NULL };
    char expected[256];
    ck_assert_int_eq(nnc_shell_read("t.sh", launched[_i].script, nnc_specs_arena(specs), &script, &err), NNC_OK);
    ck_assert_int_eq(script.count, 1);
    snprintf(expected, sizeof expected, "{\".program\":\"%s\",%s}", script.commands[0].launcher, launched[_i].options);
    ck_assert_str_eq(script.commands[0].launcher_options, expected);
}
END_TEST

START_TEST(scripts_are_read_not_run) {
    nnc_shell_script script = { .commands = NULL };
    char expected[256];
    const char *want = scripts[_i].options;
    const nnc_status status = nnc_shell_read("t.sh", scripts[_i].script, nnc_specs_arena(specs), &script, &err);
    if (want == NULL) {
        ck_assert(status == NNC_BAD_SPEC || script.count == 0);
        return;
    }
    ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
    ck_assert_int_eq(script.count, 1);
    snprintf(expected, sizeof expected, "{\".program\":\"train.py\",%s}", want);
    ck_assert_str_eq(script.commands[0].options, expected);
}
END_TEST

START_TEST(deep_scripts_are_refused) {
    char text[4096];
    nnc_shell_script script = { .commands = NULL };
    for (size_t i = 0; i + 1 < sizeof text; i += 2) { memcpy(text + i, "$(", 2); }
    text[sizeof text - 2] = '\0';
    ck_assert_int_eq(nnc_shell_read("t.sh", text, nnc_specs_arena(specs), &script, &err), NNC_BAD_SPEC);
    /* Each line of the script doubles the length of the text, so the reader refuses the text because of its length
     * limit. */
    snprintf(text, sizeof text, "A=0123456789\n");
    for (int i = 0; i < 40; i++) { strcat(text, "A=$A$A\n"); }
    ck_assert_int_eq(nnc_shell_read("t.sh", text, nnc_specs_arena(specs), &script, &err), NNC_BAD_SPEC);
}
END_TEST

/* ---- real files ---- */

#define DEEPSPEED_EXAMPLES "DeepSpeedExamples--training--"

/* Each row has files of tests/data/interop, and the options that a person read from these files. */
static const struct {
    const char *files[2];
    const char *options; /* NAME=VALUE, in any order */
    int open;            /* number of keys that are open or make the estimate inexact */
    const char *model;   /* name of the model, or fields of the model in the file */
} samples[] = {
    /* The file sets ZeRO stage 3, puts optimizer states and weights in host memory, and switches overlap off. The
     * values of bf16, fp16, three batch sizes and clipping are "auto". */
    { { "LLaMA-Factory--deepspeed--ds_z3_offload_config.json" },
      "zero=3 offload=optimizer,weights overlap=0",
      6,
      NULL },
    /* The file sets ZeRO stage 1; the overlap is that of the software profile. */
    { { "axolotl--deepspeed_configs--zero1.json" }, "zero=1", 6, NULL },
    /* Stage 0 means no ZeRO. Gradients are clipped at 1.0. */
    { { DEEPSPEED_EXAMPLES "bing_bert--deepspeed_bsz32k_lamb_config_seq512.json" },
      "global_batch=32768 micro_batch=16 optimizer=lamb clip_gradients=on precision=fp16 zero=0 "
      "overlap=0",
      0,
      NULL },
    /* The file sets 4 tensor ranks (AutoTP) and ZeRO stage 2. By default, overlap_comm is off. */
    { { DEEPSPEED_EXAMPLES "tensor_parallel--hf_integration--configs--ds_config.json" },
      "zero=2 tensor=4 optimizer=adamw overlap=0",
      5,
      NULL },
    /* Source: runtime/config.py. A device processes its share of the batch in one pass. */
    { { "nncost--deepspeed--batch_alone.json" },
      "global_batch=64 micro_batches=1 precision=bf16 zero=0 overlap=0 clip_gradients=off",
      0,
      NULL },
    /* device_train_microbatch_size is "auto" by default. */
    { { "nncost--llm-foundry--no_microbatch.yaml" },
      "global_batch=512 precision=bf16 policy=amp zero=0 optimizer=adamw clip_gradients=off",
      1,
      "gpt2" },
    { { "LLaMA-Factory--accelerate--fsdp2_config.yaml" },
      "devices=2 devices_per_node=2 zero=3 reshard=on precision=bf16",
      0,
      NULL },
    /* The file starts 16 processes on 2 machines. */
    { { "LLaMA-Factory--accelerate--fsdp_config_multiple_nodes.yaml" },
      "devices=16 devices_per_node=8 zero=3 reshard=on precision=bf16",
      0,
      NULL },
    /* The plan is data parallel. Without mixed_precision, training is in fp32. */
    { { "accelerate--config_yaml_templates--multi_node.yaml" },
      "devices=8 devices_per_node=4 zero=0 precision=fp32",
      0,
      NULL },
    { { "accelerate--slurm--fsdp_config.yaml" }, "zero=3 reshard=on precision=fp32", 0, NULL },
    /* The plan has 2 replicas of 2 shards of 2 tensor ranks. */
    { { "accelerate--torch_native_parallelism--configs--tp_hsdp.yaml" },
      "devices=8 devices_per_node=8 data=4 shard=2 tensor=2 context=1 zero=3 reshard=on "
      "precision=bf16",
      0,
      NULL },
    /* The first file names a DeepSpeed file by a path that does not exist in tests/data/interop. The second file of the
     * row replaces the missing DeepSpeed file. */
    { { "accelerate--config_yaml_templates--deepspeed.yaml", "axolotl--deepspeed_configs--zero1.json" },
      "devices=2 zero=1",
      6,
      NULL },
    /* Axolotl splits sequences over 8 devices. The DeepSpeed file is part of Axolotl. The DeepSpeed file sets ZeRO
     * stage 3, and puts optimizer states and weights in host memory. Activations are in host memory, too, so a full
     * fine-tuning also recomputes. Sequences are packed, so keys and values are gathered. */
    { { "axolotl--alst--llama3-8b-deepspeed-alst.yaml" },
      "seq_len=500000 context=8 context_kind=all-gather micro_batch=1 micro_batches=1 "
      "optimizer=adam8bit precision=bf16 recompute=full offload=optimizer,activations,weights "
      "zero=3 attention=flash2 clip_gradients=on loss_keep=chunks",
      1,
      "meta-llama/Llama-3.1-8B" },
    { { "axolotl--distributed-parallel--qwen3-8b-fsdp-tp-cp.yaml" },
      "data=2 shard=4 tensor=2 context=2 context_kind=all-gather zero=3 reshard=on seq_len=8192 "
      "micro_batch=1 micro_batches=1 optimizer=adamw precision=bf16 attention=flash2 "
      "clip_gradients=on loss_keep=chunks",
      0,
      "Qwen/Qwen3-8B" },
    /* The file has neither FSDP nor DeepSpeed, so weights, gradients and states stay in bf16. */
    { { "axolotl--expert_parallel--qwen3_30ba3b_ep_fft_4gpu.yaml" },
      "expert=4 data=4 seq_len=2048 micro_batch=1 micro_batches=1 optimizer=adam8bit precision=bf16 "
      "policy=bf16-pure recompute=full attention=flash2 clip_gradients=on",
      0,
      "Qwen/Qwen3-30B-A3B-Instruct-2507" },
    { { "axolotl--gpt-oss--gpt-oss-120b-fft-fsdp2-offload.yaml" },
      "data=16 shard=16 zero=3 reshard=on seq_len=4096 micro_batch=1 micro_batches=2 "
      "optimizer=adamw precision=bf16 recompute=full attention=flash3 "
      "offload=optimizer,activations,weights clip_gradients=on loss_keep=chunks",
      0,
      "axolotl-ai-co/gpt-oss-120b-dequantized" },
    { { "axolotl--llama-3--fft-8b-liger-fsdp.yaml" },
      "zero=3 reshard=on offload=optimizer,weights seq_len=4096 micro_batch=2 micro_batches=4 loss_keep=chunks "
      "optimizer=adamw precision=bf16 recompute=full attention=flash2 clip_gradients=on",
      0,
      "NousResearch/Meta-Llama-3.1-8B" },
    { { "axolotl--llama-3--fft-8b.yaml" },
      "seq_len=8192 micro_batch=1 micro_batches=8 optimizer=adam8bit precision=bf16 "
      "policy=bf16-pure recompute=full attention=flash2 clip_gradients=on",
      0,
      "NousResearch/Meta-Llama-3.1-8B" },
    { { "axolotl--llama-3--qlora-fsdp-405b.yaml" },
      "adapter_rank=16 adapters=linear frozen=nf4 zero=3 reshard=on offload=optimizer,weights "
      "seq_len=2048 micro_batch=1 micro_batches=4 optimizer=adamw precision=bf16 recompute=full "
      "attention=flash2 clip_gradients=on",
      0,
      "hugging-quants/Meta-Llama-3.1-405B-BNB-NF4-BF16" },
    /* Two context ranks split a sequence by all-to-all. Since DeepSpeed 0.17.6, bf16 without ZeRO has bf16
     * gradients. */
    { { "DeepSpeedExamples--benchmarks--autosp--configs--autosp_config.json" },
      "precision=bf16 zero=0 micro_batch=1 micro_batches=1 global_batch=1 context=2 "
      "context_kind=ulysses overlap=0",
      3,
      NULL },
    /* FSDP shards the weights over the context ranks. */
    { { "accelerate--torch_native_parallelism--configs--cp.yaml" },
      "devices=8 devices_per_node=8 data=1 shard=8 tensor=1 context=8 context_kind=all-gather "
      "zero=3 reshard=on recompute=full precision=bf16",
      0,
      NULL },
    /* The list names the modules that have adapters. out_proj of the state-space layers is not in the list. */
    { { "axolotl--falcon-h1--falcon-h1-500m-qlora.yaml" },
      "adapter_rank=32 adapters=attention,mlp,mixer_in frozen=nf4 seq_len=2048 micro_batch=1 "
      "micro_batches=4 optimizer=adam8bit precision=bf16 recompute=full attention=flash2 "
      "clip_gradients=on",
      0,
      "tiiuae/Falcon-H1-0.5B-Instruct" },
    /* The list of modules also names routed experts, so these have adapters. The name of the model contains the
     * information that its weights have 4 bits. */
    { { "axolotl--qwen3--30b-a3b-nvfp4-lora.yaml" },
      "adapter_rank=16 adapters=attention,experts frozen=nf4 seq_len=2048 micro_batch=1 "
      "micro_batches=1 optimizer=adamw precision=bf16 recompute=full attention=flash2 "
      "clip_gradients=on",
      0,
      "nvidia/Qwen3-30B-A3B-NVFP4" },
    /* The checkpoint of this model is in fp8. */
    { { "axolotl--minimax--m2-qlora.yaml" },
      "adapter_rank=16 adapters=experts frozen=fp8 zero=3 reshard=on seq_len=2048 micro_batch=1 "
      "micro_batches=2 optimizer=adamw precision=bf16 recompute=full attention=flash2 "
      "clip_gradients=on loss_keep=chunks",
      0,
      "MiniMaxAI/MiniMax-M2" },
    /* The list has no gate_proj. */
    { { "axolotl--qwen3--32b-qlora.yaml" },
      "adapter_rank=16 adapters=attention,up,down frozen=nf4 seq_len=2048 micro_batch=1 "
      "micro_batches=2 optimizer=adam4bit precision=bf16 recompute=full offload=activations "
      "attention=flash2 clip_gradients=on loss_keep=chunks",
      0,
      "Qwen/Qwen3-32B" },
    { { "LLaMA-Factory--extras--adam_mini--qwen2_full_sft.yaml" },
      "optimizer=adam-mini seq_len=2048 micro_batch=1 micro_batches=8 precision=bf16 "
      "recompute=full policy=amp clip_gradients=on",
      0,
      "Qwen/Qwen2-1.5B-Instruct" },
    /* 24 of 48 layers have 128 experts. The norms of queries and keys have no gain. */
    { { "Megatron-LM--modelopt--Llama-4-Maverick-17B-128E-Instruct.sh" },
      "recompute=attention,moe micro_batch=1 seq_len=2048 tensor=1 pipeline=1 precision=bf16 "
      "policy=mixed-fp32grad optimizer=adamw attention=flash zero=0 sequence_parallel=off clip_gradients=on overlap=0",
      2,
      "layers=48 hidden=5120 heads=40 kv_heads=8 experts=128 experts_per_token=1 "
      "expert_hidden=8192 shared_hidden=8192 vocab=202048 mlp=swiglu norm=rms biases=off" },
    /* LLaMA-Factory recomputes activations by default. */
    { { "LLaMA-Factory--megatron--qwen3_moe_full.yaml" },
      "seq_len=4096 micro_batch=1 micro_batches=8 precision=bf16 tensor=1 pipeline=4 expert=2 "
      "zero=1 policy=mixed-fp32grad recompute=full optimizer=adamw clip_gradients=on",
      0,
      "Qwen/Qwen3-30B-A3B-Instruct-2507" },
    { { "LLaMA-Factory--train_full--qwen3_full_sft.yaml" },
      "seq_len=2048 micro_batch=1 micro_batches=2 precision=bf16 recompute=full optimizer=adamw "
      "clip_gradients=on zero=3 overlap=0",
      0,
      "Qwen/Qwen3-4B-Instruct-2507" },
    { { "LLaMA-Factory--train_lora--qwen3_lora_pretrain.yaml" },
      "adapter_rank=8 adapters=linear seq_len=2048 micro_batch=1 micro_batches=8 precision=bf16 "
      "recompute=full optimizer=adamw clip_gradients=on",
      0,
      "Qwen/Qwen3-4B-Instruct-2507" },
    { { "LLaMA-Factory--train_lora--qwen3_lora_sft_ds3.yaml" },
      "adapter_rank=8 adapters=linear seq_len=2048 micro_batch=1 micro_batches=2 precision=bf16 "
      "recompute=full optimizer=adamw clip_gradients=on zero=3 overlap=0",
      0,
      "Qwen/Qwen3-4B-Instruct-2507" },
    /* A sample is a pair of answers, so each sample has two sequences. */
    { { "LLaMA-Factory--train_lora--qwen3_lora_dpo.yaml" },
      "method=dpo adapter_rank=8 adapters=linear seq_len=2048 micro_batch=2 micro_batches=8 "
      "precision=bf16 recompute=full optimizer=adamw clip_gradients=on",
      0,
      "Qwen/Qwen3-4B-Instruct-2507" },
    /* freeze_vision_tower freezes the vision towers and their projection. */
    { { "LLaMA-Factory--train_full--qwen3vl_full_sft.yaml" },
      "train=embedding,attention,mlp,norm,head seq_len=2048 micro_batch=1 micro_batches=2 precision=bf16 "
      "recompute=full optimizer=adamw clip_gradients=on zero=3 overlap=0",
      0,
      "Qwen/Qwen3-VL-4B-Instruct" },
    /* The loss compares the answers with the answers of a reference model. The answers of the reference model take one
     * more forward pass. */
    { { "LLaMA-Factory--extras--asft--qwen2_full_asft.yaml" },
      "method=dpo seq_len=2048 micro_batch=4 micro_batches=8 precision=bf16 recompute=full optimizer=adamw "
      "clip_gradients=on zero=0 overlap=0",
      1,
      "models/Qwen2.5-7B" },
    /* The Liger kernels include a loss without logits in memory. */
    { { "LLaMA-Factory--v1--train_full--train_full_liger_kernel.yaml" },
      "zero=3 reshard=on context=1 seq_len=2048 micro_batch=1 micro_batches=1 precision=bf16 recompute=full "
      "policy=amp optimizer=adamw clip_gradients=on loss_keep=chunks",
      0,
      "Qwen/Qwen3-0.6B" },
    /* torch_dtype sets weights and states to bf16. */
    { { "alignment-handbook--zephyr-7b-beta--sft--config_full.yaml" },
      "attention=flash2 precision=bf16 seq_len=2048 micro_batch=16 micro_batches=1 recompute=full optimizer=adamw "
      "clip_gradients=on policy=bf16-pure",
      0,
      "mistralai/Mistral-7B-v0.1" },
    /* Linear weights are gathered in 8 bits, so the estimate is inexact. */
    { { "axolotl--llama-3--3b-fp8-fsdp2.yaml" },
      "zero=3 reshard=on seq_len=512 micro_batch=16 micro_batches=1 precision=fp8 attention=flash optimizer=adamw "
      "clip_gradients=on loss_keep=chunks fp8_gather=on",
      1,
      "meta-llama/Llama-3.2-3B" },
    /* --ffn-hidden-size is given twice with the same value. */
    { { "Megatron-LM--gpt3_mcore_reruns_disable--model_config.yaml" },
      "tensor=1 pipeline=2 zero=1 micro_batch=1 global_batch=128 seq_len=4096 precision=bf16 policy=mixed-fp32grad "
      "optimizer=adamw sequence_parallel=off clip_gradients=on attention=flash",
      2,
      "layers=32 hidden=3072 ffn_hidden=8192 heads=32 kv_heads=8 head_dim=128 vocab=50257" },
    { { "LLaMA-Factory--train_qlora--llama3_lora_sft_awq.yaml" },
      "adapter_rank=8 adapters=linear frozen=nf4 seq_len=2048 micro_batch=1 micro_batches=8 "
      "precision=bf16 recompute=full optimizer=adamw clip_gradients=on",
      0,
      "TechxGenus/Meta-Llama-3-8B-Instruct-AWQ" },
    { { "LLaMA-Factory--v1--train_full--train_full_fsdp2.yaml" },
      "zero=3 reshard=on context=1 seq_len=2048 micro_batch=1 micro_batches=1 precision=bf16 "
      "recompute=full "
      "policy=amp optimizer=adamw clip_gradients=on",
      0,
      "Qwen/Qwen3-0.6B" },
    /* The patterns name the experts of layers 44 to 55, the embedding and the head. */
    { { "axolotl--mistral--mixtral--mixtral_22.yml" },
      "train=embedding,mlp,head train_layers=12 train_from=44 seq_len=8000 micro_batch=1 micro_batches=1 "
      "optimizer=adam8bit precision=bf16 recompute=full attention=flash2 clip_gradients=on zero=3 "
      "offload=optimizer,weights",
      0,
      "mistral-community/Mixtral-8x22B-v0.1" },
    /* The attention of GLM-4.7-Flash has o_proj, but no q_proj, k_proj and v_proj. */
    { { "axolotl--glm47-flash--lora.yaml" },
      "adapter_rank=32 adapters=out frozen=int8 seq_len=2048 micro_batch=2 micro_batches=4 optimizer=adam8bit "
      "precision=bf16 recompute=full attention=flash2 clip_gradients=on loss_keep=chunks",
      1,
      "zai-org/GLM-4.7-Flash" },
    /* GaLore applies each gradient in backward. The decomposition that renews the projections of GaLore is not
     * counted. */
    { { "LLaMA-Factory--extras--galore--llama3_full_sft.yaml" },
      "optimizer=galore optimizer_rank=128 policy=bf16-layerwise clip_gradients=off seq_len=2048 micro_batch=1 "
      "micro_batches=1 precision=bf16 recompute=full",
      1,
      "meta-llama/Meta-Llama-3-8B-Instruct" },
    /* The last two layers are trained. */
    { { "LLaMA-Factory--v1--train_freeze--train_freeze_sft.yaml" },
      "train_layers=2 zero=3 reshard=on context=1 seq_len=2048 micro_batch=1 micro_batches=1 precision=bf16 "
      "recompute=full optimizer=adamw clip_gradients=on",
      0,
      "Qwen/Qwen3-4B" },
    { { "LLaMA-Factory--extras--qoft--llama3_oft_sft_awq.yaml" },
      "oft=on adapter_rank=32 adapters=linear frozen=nf4 seq_len=2048 micro_batch=1 micro_batches=8 precision=bf16 "
      "recompute=full optimizer=adamw clip_gradients=on",
      0,
      "TechxGenus/Meta-Llama-3-8B-Instruct-AWQ" },
    /* The file is for Megatron-LM. pretrain_bert.py sets the tokenizer. The published script has an error: it starts 8
     * devices, but divides the model over 128 devices. */
    { { "Megatron-LM--bert--train_bert_340m_distributed.sh" },
      "devices=8 devices_per_node=8 tensor=8 pipeline=16 seq_len=512 micro_batch=4 "
      "global_batch=32 precision=fp16 policy=mixed-both optimizer=adamw attention=flash "
      "zero=0 sequence_parallel=off clip_gradients=on overlap=0",
      0,
      "" },
    /* The gradients of this script are reduced in bf16. Sequence parallelism needs several tensor ranks. */
    { { "Megatron-LM--llama--train_llama3_8b_h100_fp8.sh" },
      "devices=8 devices_per_node=8 tensor=1 pipeline=1 context=1 zero=1 seq_len=8192 "
      "micro_batch=1 global_batch=128 precision=fp8 policy=mixed optimizer=adamw attention=flash "
      "sequence_parallel=off clip_gradients=on",
      1,
      "layers=32 hidden=4096 heads=32 kv_heads=8 head_dim=128 ffn_hidden=14336 vocab=128256 "
      "vocab_multiple=128 positions=rotary norm=rms mlp=swiglu biases=off tied_head=off "
      "dropout=0" },
    { { "Megatron-LM--mixtral--train_mixtral_8x7b_distributed.sh" },
      "devices=8 devices_per_node=8 tensor=1 pipeline=4 expert=8 zero=1 seq_len=4096 "
      "micro_batch=1 global_batch=256 precision=bf16 policy=mixed-fp32grad optimizer=adamw "
      "attention=flash sequence_parallel=off clip_gradients=on",
      1,
      "layers=32 hidden=4096 heads=32 kv_heads=8 ffn_hidden=14336 vocab=32000 experts=8 "
      "experts_per_token=2 expert_hidden=14336 positions=rotary norm=rms mlp=swiglu biases=off" },
    /* nncost knows the values of all variables in the conditions of this script. With "MOCK" data, the script sets its
     * own vocabulary. */
    { { "Megatron-LM--gptoss--02_train.sh" },
      "devices=8 devices_per_node=8 tensor=1 pipeline=8 expert=1 context=1 zero=1 seq_len=8192 "
      "micro_batch=1 global_batch=128 precision=fp8 policy=mixed-fp32grad recompute=selective "
      "optimizer=adamw attention=flash sequence_parallel=off clip_gradients=on",
      6,
      "layers=12 hidden=512 heads=64 kv_heads=8 ffn_hidden=2048 vocab=128256 experts=4 "
      "experts_per_token=2 expert_hidden=2048 sliding_window=128 sinks=on expert_clamp=on "
      "mlp=geglu norm=rms" },
    /* MODEL_SCALE is 800M: 48 layers, with 20 Mamba-2 layers of 32 heads of 64, 24 MLPs and 4 attentions. With one
     * tensor rank, there is no sequence parallelism. */
    { { "Megatron-LM--mamba--train.sh" },
      "devices=8 devices_per_node=8 tensor=1 pipeline=1 zero=1 seq_len=4096 "
      "micro_batch=4 global_batch=32 precision=bf16 policy=mixed-fp32grad optimizer=adamw "
      "attention=flash sequence_parallel=off clip_gradients=on",
      1,
      "" },
};

static char *interop(const char *name) {
    char *path = malloc(512);
    ck_assert_ptr_nonnull(path);
    snprintf(path, 512, "%s/tests/data/interop/%s", NNCOST_SOURCE_DIR, name);
    return path;
}

static const char *value_of(const nnc_scenario_args *given, const char *name) {
    for (int i = 0; i < given->setting_count; i++) {
        if (strcmp(given->settings[i].field->name, name) == 0) { return given->settings[i].value; }
    }
    return "";
}

static int count_skipped(const nnc_launch_said *said) {
    int count = 0;
    for (int32_t i = 0; i < said->ignored_count; i++) { count += said->ignored[i].skipped ? 1 : 0; }
    return count;
}

/* Tests whether the files name or describe the expected model. */
static void check_model(const char *asked, const char *expected) {
    const nnc_model *model = NULL;
    char fields[512];
    if (strchr(expected, '=') == NULL) {
        ck_assert(expected[0] == '\0' || strcmp(asked, expected) == 0);
        return;
    }
    ck_assert_msg(nnc_model_load(specs, asked, &model, &err) == NNC_OK, "%s: %s", err.where, err.what);
    snprintf(fields, sizeof fields, "%s", expected);
    for (char *word = strtok(fields, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value = strchr(word, '='), found[64];
        *value++ = '\0';
        const nnc_field *field = nnc_field_of_key(nnc_model_table_of(model), word);
        ck_assert_ptr_nonnull(field);
        nnc_field_text(field, model, found, sizeof found);
        ck_assert_msg(strcmp(found, value) == 0, "%s: expected %s, found %s", word, value, found);
    }
}

START_TEST(real_files_are_understood) {
    const nnc_launch_asked asked = { .may_be_open = true };
    nnc_scenario_args given = { .setting_count = 0 };
    char *operands[3] = { NULL }, *paths[2] = { NULL }, expected[512];
    int count = 0, words = 0;
    for (; count < 2 && samples[_i].files[count] != NULL; count++) {
        paths[count] = operands[count] = interop(samples[_i].files[count]);
    }
    const bool yaml = strstr(paths[0], ".yaml") != NULL;
    const nnc_status status = nnc_launch_take(specs, &asked, operands, &count, &given, &err);
    if (yaml && !nnc_yaml_is_read) {
        ck_assert_int_eq(status, NNC_IO);
    } else {
        ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
        ck_assert_int_eq(count, samples[_i].model != NULL ? 1 : 0);
        if (count == 1) { check_model(operands[0], samples[_i].model); }
        snprintf(expected, sizeof expected, "%s", samples[_i].options);
        for (char *word = strtok(expected, " "); word != NULL; word = strtok(NULL, " "), words++) {
            char *value = strchr(word, '=');
            *value++ = '\0';
            ck_assert_msg(strcmp(value_of(&given, word), value) == 0, "%s: expected %s, found %s", word, value,
                          value_of(&given, word));
        }
        ck_assert_int_eq(given.setting_count, words); /* and nothing else */
        ck_assert_int_eq(count_skipped(given.launch), samples[_i].open);
    }
    free(paths[0]);
    free(paths[1]);
}
END_TEST

/* ---- tables ---- */

static const char *const formats[] = {
    "accelerate",    "accelerate-launch", "axolotl",          "deepspeed", "deepspeed-launch",
    "llama-factory", "llama-factory-v1",  "megatron",         "mpirun",    "srun",
    "torchrun",      "transformers",      "transformers-fsdp"
};

/* Tests whether a name is one of these: a field of the plan, of a run or of a decoder; a switch of the software
 * profile; a special name. */
static void check_name(const char *name) {
    const nnc_model decoder = { .family = NNC_FAMILY_DECODER };
    ck_assert_msg(
        strcmp(name, "MODEL") == 0 || strcmp(name, "SOFTWARE") == 0 || strcmp(name, "model.family") == 0 ||
            nnc_field_of_key(&nnc_plan_table, name) != NULL || nnc_field_of_key(&nnc_run_table, name) != NULL ||
            nnc_field_of_key(&nnc_switch_table, name) != NULL ||
            (strncmp(name, "model.", 6) == 0 && nnc_field_of_key(nnc_model_table_of(&decoder), name + 6) != NULL),
        "no field %s", name);
}

/* Checks the names of fields in an object of a table. */
static void check_fields(nnc_json fields) {
    for (nnc_json one = nnc_json_first(fields); one.node != NULL; one = nnc_json_next(one)) {
        const char *name = nnc_json_key(one);
        if (name[0] == '#') { continue; /* the text after '#' says why the estimate is inexact */ }
        name += strchr("?!-+", name[0]) != NULL;
        check_name(name);
        nnc_plan plan = nnc_plan_default();
        const char *value = nnc_json_text(one);
        ck_assert_msg(strchr("!-", nnc_json_key(one)[0]) != NULL || strchr("=@", value[0]) != NULL ||
                          nnc_field_of_key(&nnc_plan_table, name) == NULL ||
                          nnc_plan_set(&plan, name, value, &err) == NNC_OK,
                      "%s=%s", name, value);
    }
}

static void check_row(nnc_json row) {
    static const char *const kinds[] = { "to", "values", "sets", "file", "harmless", "note" };
    const char *key = nnc_json_text(nnc_json_get(row, "key"));
    int kind_count = 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) { kind_count += nnc_json_get(row, kinds[i]).node != NULL ? 1 : 0; }
    ck_assert_msg(kind_count == 1 || (kind_count == 0 && nnc_json_get(row, "instead").node != NULL), "%s: %d kinds",
                  key, kind_count);
    const nnc_json to = nnc_json_get(row, "to");
    if (to.node != NULL) { check_name(nnc_json_text(to)); }
    check_fields(nnc_json_get(row, "sets"));
    const nnc_json values = nnc_json_get(row, "values"), open = nnc_json_get(row, "auto");
    for (nnc_json one = nnc_json_first(values); one.node != NULL; one = nnc_json_next(one)) { check_fields(one); }
    for (nnc_json one = nnc_json_first(open); one.node != NULL; one = nnc_json_next(one)) {
        ck_assert_ptr_nonnull(nnc_field_of_key(&nnc_plan_table, nnc_json_text(one)));
    }
}

START_TEST(rows_of_tables_are_sound) {
    char path[512], *text = NULL;
    size_t size = 0;
    nnc_faults faults = { .name = path };
    snprintf(path, sizeof path, "%s/foreign/launch/%s.json", NNCOST_SOURCE_DIR, formats[_i]);
    ck_assert_int_eq(nnc_file_read(path, &text, &size, &err), NNC_OK);
    nnc_json_doc doc = { .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size };
    ck_assert(nnc_json_parse(&doc));
    const nnc_json root = nnc_json_root(&doc), keys = nnc_json_get(root, "keys");
    ck_assert_str_eq(nnc_json_text(nnc_json_get(root, "id")), formats[_i]);
    ck_assert_int_gt(nnc_json_count(keys), 4);
    for (nnc_json row = nnc_json_first(keys); row.node != NULL; row = nnc_json_next(row)) {
        check_row(row);
        for (nnc_json next = nnc_json_next(row); next.node != NULL; next = nnc_json_next(next)) {
            ck_assert_str_ne(nnc_json_text(nnc_json_get(row, "key")), nnc_json_text(nnc_json_get(next, "key")));
        }
    }
    check_fields(nnc_json_get(root, "defaults"));
    const nnc_json rules = nnc_json_get(root, "rules");
    for (nnc_json rule = nnc_json_first(rules); rule.node != NULL; rule = nnc_json_next(rule)) {
        check_fields(nnc_json_get(rule, "set"));
        ck_assert_ptr_nonnull(nnc_json_get(rule, "why").node);
    }
    nnc_json_free(&doc);
    free(text);
}
END_TEST

/* Tests that the section of each table in docs/files.md names every key of the table. */
START_TEST(rows_are_documented) {
    char path[512], row_text[256], *text = NULL, *page = NULL;
    size_t size = 0, page_size = 0;
    nnc_faults faults = { .name = path };
    snprintf(path, sizeof path, "%s/docs/files.md", NNCOST_SOURCE_DIR);
    ck_assert_int_eq(nnc_file_read(path, &page, &page_size, &err), NNC_OK);
    snprintf(path, sizeof path, "%s/foreign/launch/%s.json", NNCOST_SOURCE_DIR, formats[_i]);
    ck_assert_int_eq(nnc_file_read(path, &text, &size, &err), NNC_OK);
    nnc_json_doc doc = { .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size };
    ck_assert(nnc_json_parse(&doc));
    snprintf(row_text, sizeof row_text, "\nWith `--from %s`, ", formats[_i]);
    const char *section = strstr(page, row_text);
    ck_assert_ptr_nonnull(section);
    const char *next_section = strstr(section, "\n## ");
    const char *end = next_section != NULL ? next_section : page + page_size;
    const nnc_json keys = nnc_json_get(nnc_json_root(&doc), "keys");
    for (nnc_json row = nnc_json_first(keys); row.node != NULL; row = nnc_json_next(row)) {
        snprintf(row_text, sizeof row_text, "`%s`", nnc_json_text(nnc_json_get(row, "key")));
        const char *found = strstr(section, row_text);
        ck_assert_msg(found != NULL && found < end, "docs/files.md lacks %s of %s", row_text, formats[_i]);
    }
    nnc_json_free(&doc);
    free(text);
    free(page);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("launch");
    TCase *tests = add_case(suite, "launch", set_up, tear_down);
    tcase_add_loop_test(tests, yaml_is_json_on_the_same_lines, 0, (int)COUNT_OF(texts));
    tcase_add_test(tests, deep_yaml_is_refused);
    tcase_add_loop_test(tests, scripts_are_read_not_run, 0, (int)COUNT_OF(scripts));
    tcase_add_loop_test(tests, launchers_are_read, 0, (int)COUNT_OF(launched));
    tcase_add_loop_test(tests, scripts_run_scripts, 0, (int)COUNT_OF(runs));
    tcase_add_test(tests, deep_scripts_are_refused);
    tcase_add_loop_test(tests, real_files_are_understood, 0, (int)COUNT_OF(samples));
    tcase_add_loop_test(tests, rows_of_tables_are_sound, 0, (int)COUNT_OF(formats));
    tcase_add_loop_test(tests, rows_are_documented, 0, (int)COUNT_OF(formats));
    return run_suite(suite);
}
