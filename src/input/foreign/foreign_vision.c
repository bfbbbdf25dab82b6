/* The vision transformers, as Hugging Face transformers writes them. */
#include "input/foreign/foreign_rows.h"

const nnc_architecture nnc_foreign_vision[] = {
    { .name = "vit",
      .family = NNC_FAMILY_VIT,
      .classes = "ForImageClassification ViTModel",
      .keys = NNC_KEYS(
          { "num_hidden_layers", .to = "layers", .absent = "12" },
          { "hidden_size", .to = "hidden", .absent = "768" },
          { "num_attention_heads", .to = "heads", .absent = "12" },
          { "intermediate_size", .to = "ffn_hidden", .absent = "3072" },
          { "image_size", .to = "image", .absent = "224" },
          { "patch_size", .to = "patch", .absent = "16" },
          { "num_channels", .to = "in_channels", .absent = "3" },
          { "hidden_act", .to = "mlp", .absent = "gelu",
            .words = "gelu=gelu gelu_new=gelu gelu_fast=gelu gelu_pytorch_tanh=gelu relu=relu" },
          /* the number of labels is that of their names, two of a file without either */
          { "id2label", .to = "classes", .absent = "2", .members = true },
          { "num_labels", .to = "classes", .absent = "classes", .wins = true },
          /* a base model has a dense layer of its own over the class token, for as many values */
          { "hidden_size", .to = "classes", .when = "architectures=ViTModel", .wins = true },
          { "pooler_output_size", .to = "classes", .absent = "classes",
            .when = "architectures=ViTModel", .wins = true },
          { "hidden_dropout_prob", .to = "dropout", .absent = "0" },
          { "attention_probs_dropout_prob", .to = "dropout", .absent = "0", .most = true }),
      .only = "qkv_bias=true",
      .harmless = "encoder_stride pooler_act" },
    { .name = "deit",
      .like = "vit",
      .classes = "ForImageClassificationWithTeacher",
      .implies = "distilled=on" },
    { .name = "beit",
      .like = "vit",
      .classes = "ForImageClassification",
      .implies = "no_key_bias=on relative_positions=on layer_scale=on",
      .keys = NNC_KEYS({ "use_relative_position_bias", .words = "true=" }),
      .only = "use_mask_token=false use_absolute_position_embeddings=false "
              "use_shared_relative_position_bias=false "
              "use_mean_pooling=true",
      /* its tokenizer's; heads for segmentation */
      .harmless = "layer_scale_init_value vocab_size drop_path_rate pool_scales out_indices "
                  "use_auxiliary_head auxiliary_loss_weight auxiliary_channels auxiliary_num_convs "
                  "auxiliary_concat_input semantic_loss_ignore_index add_fpn reshape_hidden_states "
                  "out_features stage_names" },
    { .name = NULL },
};
