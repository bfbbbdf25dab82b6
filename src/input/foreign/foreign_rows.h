/* How rows are written. */
#ifndef NNCOST_INPUT_FOREIGN_ROWS_H
#define NNCOST_INPUT_FOREIGN_ROWS_H

#include "input/foreign/foreign.h"

/* clang-format off */
/* Keys are kept as they are written here, which foreign_keys.c reads: a table of so many pointers would be the loader's to
 * set at each start of any command. The compiler reads them, too, and refuses what is no member. */
#define NNC_KEYS(...) \
    (&NNC_KEYS_TEXT(__VA_ARGS__)[0 * sizeof((const nnc_foreign_key[]){ __VA_ARGS__ })])
#define NNC_KEYS_TEXT(...) #__VA_ARGS__
#define NNC_PATTERNS(...) (const nnc_foreign_pattern[]){ __VA_ARGS__, { .to = NULL } }
/* clang-format on */

/* Layers with windows, of which every so many-th sees everything, as the list says or by this number. */
#define NNC_FULL_EVERY(number, shifted)                                     \
    NNC_PATTERNS({ .to = "mixers",                                          \
                   .list = "layer_types",                                   \
                   .words = "full_attention=full sliding_attention=window", \
                   .in = "full",                                            \
                   .out = "window",                                         \
                   .every = (number),                                       \
                   .shift = (shifted) })

/* Of an MLP of two matrices. */
#define NNC_ACTIVATIONS                                                                        \
    "relu=relu gelu=gelu gelu_new=gelu gelu_fast=gelu gelu_pytorch_tanh=gelu quick_gelu=gelu " \
    "gelu_python=gelu gelu_10=gelu gelu_accurate=gelu silu=silu swish=silu relu2=relu2 "       \
    "relu_squared=relu2"

/* Biases by place. */
#define NNC_BIAS_QKVO "true=qkv_bias=on,out_bias=on false="
#define NNC_BIAS_QKV "true=qkv_bias=on false="

#endif
