/* Formulas without a model and a device: those of examples, which have every term. */
#include <stdlib.h>
#include <string.h>

#include <nncost/estimate.h>

#include "base/error.h"
#include "explain/asked.h"

/* Round figures, since none is shown. */
static const char device_text[] =
    "{\"schema\": \"nncost.device/1\", \"id\": \"example\", \"name\": \"An example\","
    " \"matmul_flops_per_s\": {\"bf16\": 1e14}, \"vector_flops_per_s\": {\"fp32\": 1e13},"
    " \"mem_bytes\": 1e11, \"mem_bytes_per_s\": 1e12, \"power_w\": 1000,"
    " \"scale_up\": {\"kind\": \"switch\", \"devices\": 8, \"bytes_per_s\": 1e11,"
    " \"latency_s\": 1e-6}, \"scale_out\": {\"bytes_per_s\": 1e10, \"latency_s\": 1e-5},"
    " \"host\": {\"bytes_per_s\": 1e10, \"mem_bytes_per_s\": 1e10}, \"prices\": [{"
    "\"per_device_hour\": 1, \"currency\": \"USD\", \"where\": \"nowhere\", \"date\": \"2026\"}], "
    "\"sources\": {\"\": \"made up\"}}";

#define MODEL_START \
    "{\"schema\": \"nncost.model/1\", \"id\": \"example\", \"name\": \"An example\", "
#define MODEL_END ", \"sources\": {\"\": \"made up\"}}"

enum { SETTINGS_MAX = 14 };
static const struct {
    const char *what, *model;
    const char *plan[SETTINGS_MAX][2];
} examples[] = {
    { "a mixture of experts split in every way over 16 devices",
      MODEL_START "\"family\": \"decoder\", \"layers\": 8, \"hidden\": 1024, \"heads\": 8,"
                  " \"kv_heads\": 4, \"ffn_hidden\": 4096, \"vocab\": 16384, \"seq_len\": 1024,"
                  " \"positions\": \"rotary\", \"norm\": \"rms\", \"mlp\": \"swiglu\","
                  " \"tied_head\": false, \"experts\": 8, \"experts_per_token\": 2,"
                  " \"expert_hidden\": 1024, \"dense_layers\": 2" MODEL_END,
      { { "data", "2" },
        { "tensor", "2" },
        { "pipeline", "2" },
        { "context", "2" },
        { "expert", "2" },
        { "zero", "1" },
        { "sequence_parallel", "on" },
        { "micro_batches", "8" },
        { "recompute", "norm" },
        { "offload", "optimizer" },
        { "tokens", "1e9" } } },
    { "a U-shaped convolutional network on 2 devices",
      MODEL_START
      "\"family\": \"unet\", \"image\": 256, \"latent_factor\": 8, \"in_channels\": 4,"
      " \"out_channels\": 4, \"channels\": 64, \"channel_multipliers\": [1, 2],"
      " \"blocks_per_level\": 1, \"block\": \"residual\", \"norm\": \"group\","
      " \"norm_groups\": 8, \"kernel\": 3, \"conv_biases\": true, \"down\": \"conv\","
      " \"up\": \"nearest_conv\", \"time_embed_width\": 256, \"attention_levels\":"
      " [false, true], \"middle_attention\": true, \"transformer_depth\": 1, \"heads\": 2,"
      " \"context_len\": 16, \"context_width\": 64" MODEL_END,
      { { "data", "2" }, { "recompute", "full" } } },
    { "a vision transformer on 2 devices",
      MODEL_START
      "\"family\": \"vit\", \"image\": 224, \"patch\": 16, \"layers\": 4, \"hidden\": 256,"
      " \"heads\": 4, \"classes\": 1000" MODEL_END,
      { { "data", "2" } } },
};
enum { EXAMPLE_COUNT = sizeof examples / sizeof examples[0] };

/* An example and its estimate. */
typedef struct opened {
    const nnc_model *model;
    const nnc_device *device;
    nnc_software software;
    nnc_result result;
    nnc_run_ask run_ask;
    nnc_run run;
    nnc_report report;
    nnc_scratch *scratch;
} opened;

static nnc_status open_example(nnc_specs *specs, int index, opened *to, nnc_error *err)
{
    const char *model = examples[index].model;
    nnc_plan plan = nnc_plan_default();
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is not NULL here */
    to->scratch = nnc_scratch_create();
    to->software = nnc_software_default();
    if (to->scratch == NULL) {
        return nnc_no_memory(err);
    }
    NNC_TRY(nnc_model_parse(specs, "example", model, strlen(model), &to->model, err));
    NNC_TRY(
        nnc_device_parse(specs, "example", device_text, sizeof device_text - 1, &to->device, err));
    for (int i = 0; i < SETTINGS_MAX && examples[index].plan[i][0] != NULL; i++) {
        NNC_TRY(nnc_plan_set(&plan, examples[index].plan[i][0], examples[index].plan[i][1], err));
    }
    NNC_TRY(
        nnc_estimate(to->model, to->device, &to->software, &plan, to->scratch, &to->result, err));
    to->report = (nnc_report){ .model_asked = "example",
                               .device_asked = "example",
                               .model = to->model,
                               .device = to->device,
                               .software = &to->software,
                               .result = &to->result,
                               .scratch = to->scratch };
    to->run_ask = nnc_run_ask_default();
    to->run_ask.device_mtbf_s = 1e8;
    to->run_ask.idle_w = 100.0;
    to->run_ask.busy_w = 1000.0;
    NNC_TRY(nnc_run_of(&to->result, to->device, &plan, &to->run_ask, &to->run, err));
    to->report.run_ask = &to->run_ask;
    to->report.run = &to->run;
    to->report.ops = nnc_scratch_ops(to->scratch, &to->report.op_count);
    to->report.stages = nnc_scratch_stages(to->scratch, &to->report.stage_count);
    return NNC_OK;
}

nnc_status nnc_explain_formulas(nnc_buffer *out, nnc_style style, nnc_specs *specs,
                                const nnc_explain_output *outputs, const char *names,
                                nnc_error *err)
{
    nnc_asked asked[EXAMPLE_COUNT] = { 0 };
    opened *examples_opened = calloc(EXAMPLE_COUNT, sizeof *examples_opened);
    nnc_status status = examples_opened != NULL ? NNC_OK : nnc_no_memory(err);
    for (int i = 0; i < EXAMPLE_COUNT && status == NNC_OK; i++) {
        status = open_example(specs, i, &examples_opened[i], err);
        asked[i].report = &examples_opened[i].report;
        asked[i].example = examples[i].what;
        asked[i].outputs = outputs;
    }
    if (status == NNC_OK) {
        status = nnc_explain(out, style, asked, EXAMPLE_COUNT, names, err);
    }
    for (int i = 0; i < EXAMPLE_COUNT && examples_opened != NULL; i++) {
        nnc_scratch_destroy(examples_opened[i].scratch);
    }
    free(examples_opened);
    return status;
}
