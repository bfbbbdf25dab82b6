/* Architectures that are known, and not read: why, and what to do. */
#include "input/foreign/foreign_rows.h"

#define TOWERS                                                                             \
    "networks of several kinds in one file, expected that of the text alone: text_config " \
    "as a file"
#define CONVOLUTIONS "a convolutional network, expected its ops as a file of family graph"
#define DIFFUSION "a diffusion transformer, expected its ops as a file of family graph"
#define RECURRENT                                                                                 \
    "a recurrence over tokens that this version does not count, expected a network of attention " \
    "alone"

const nnc_architecture nnc_foreign_refused[] = {
    { .name = "clip", .refuses = TOWERS },
    { .name = "siglip", .refuses = TOWERS },
    { .name = "git", .refuses = TOWERS },
    { .name = "llava", .refuses = TOWERS },
    { .name = "paligemma", .refuses = TOWERS },
    { .name = "gemma3", .refuses = TOWERS },
    { .name = "qwen2_vl", .refuses = TOWERS },
    { .name = "qwen2_5_vl", .refuses = TOWERS },
    { .name = "qwen3_vl", .refuses = TOWERS },
    { .name = "qwen3_vl_moe", .refuses = TOWERS },
    { .name = "qwen2_audio", .refuses = TOWERS },
    { .name = "qwen2_5_omni", .refuses = TOWERS },
    { .name = "mllama", .refuses = TOWERS },
    { .name = "llama4", .refuses = TOWERS },
    { .name = "mistral3", .refuses = TOWERS },
    { .name = "glm4v", .refuses = TOWERS },
    { .name = "wav2vec2", .refuses = CONVOLUTIONS },
    { .name = "convnext", .refuses = CONVOLUTIONS },
    { .name = "resnet", .refuses = CONVOLUTIONS },
    { .name = "regnet", .refuses = CONVOLUTIONS },
    { .name = "swin",
      .refuses = "attention in windows of an image, expected its ops as a file of family graph" },
    { .name = "AutoencoderKL", .refuses = CONVOLUTIONS },
    { .name = "ControlNetModel", .refuses = CONVOLUTIONS },
    { .name = "StableCascadeUNet", .refuses = CONVOLUTIONS },
    { .name = "DiTTransformer2DModel", .refuses = DIFFUSION },
    { .name = "PixArtTransformer2DModel", .refuses = DIFFUSION },
    { .name = "SD3Transformer2DModel", .refuses = DIFFUSION },
    { .name = "FluxTransformer2DModel", .refuses = DIFFUSION },
    { .name = "HunyuanDiT2DModel", .refuses = DIFFUSION },
    { .name = "deberta-v2",
      .refuses =
          "scores by content and position apart, which this version does not count, expected a "
          "bert or roberta" },
    { .name = "deepseek_v32",
      .refuses = "attention to the tokens that an indexer picks, expected deepseek_v3" },
    { .name = "glm_moe_dsa",
      .refuses = "attention to the tokens that an indexer picks, expected glm4_moe" },
    { .name = "rwkv", .refuses = RECURRENT },
    { .name = "falcon_h1", .refuses = RECURRENT },
    { .name = "lfm2", .refuses = RECURRENT },
    { .name = "qwen3_5", .refuses = RECURRENT },
    { .name = "qwen3_5_moe", .refuses = RECURRENT },
    { .name = NULL },
};
