/* Tests the import of ONNX files, which the test builds node by node. Compares the graph file of each import, and tests
 * that bad ONNX files are refused. */
#include <onnx.pb-c.h>
#include <unistd.h>

#include "onnx/onnx_import.h"
#include "support.h"

/* ---- builds a file node by node ---- */

enum { NODES_MAX = 64 };

static struct {
    Onnx__NodeProto nodes[NODES_MAX], *node_list[NODES_MAX];
    Onnx__TensorProto tensors[NODES_MAX], *tensor_list[NODES_MAX];
    Onnx__AttributeProto attributes[NODES_MAX], *attribute_lists[NODES_MAX][4];
    int64_t numbers[NODES_MAX][12];
    char *names[NODES_MAX][8];
    Onnx__TensorShapeProto__Dimension dims[5], *dim_list[5];
    Onnx__TensorShapeProto shape;
    Onnx__TypeProto__Tensor type;
    Onnx__TypeProto types;
    Onnx__ValueInfoProto input, output, *input_list[1], *output_list[1];
    Onnx__GraphProto graph;
    Onnx__ModelProto model;
    int node_count, tensor_count, attribute_count;
} f;

/* Starts a new file. numbers: the shape of its input "x". */
static void begin(const char *numbers) {
    memset(&f, 0, sizeof f);
    onnx__model_proto__init(&f.model);
    onnx__graph_proto__init(&f.graph);
    onnx__tensor_shape_proto__init(&f.shape);
    onnx__type_proto__tensor__init(&f.type);
    onnx__type_proto__init(&f.types);
    onnx__value_info_proto__init(&f.input);
    onnx__value_info_proto__init(&f.output);
    for (char *end = NULL; *numbers != '\0'; numbers = end + strspn(end, " ")) {
        Onnx__TensorShapeProto__Dimension *dim = &f.dims[f.shape.n_dim];
        onnx__tensor_shape_proto__dimension__init(dim);
        dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        dim->dim_value = strtoll(numbers, &end, 10);
        f.dim_list[f.shape.n_dim++] = dim;
    }
    f.shape.dim = f.dim_list;
    f.type.has_elem_type = 1;
    f.type.elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    f.type.shape = &f.shape;
    f.types.value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    f.types.tensor_type = &f.type;
    f.input.name = (char *)"x";
    f.input.type = &f.types;
    f.input_list[0] = &f.input;
    f.output_list[0] = &f.output;
    f.graph.input = f.input_list;
    f.graph.n_input = 1;
    f.graph.output = f.output_list;
    f.graph.n_output = 1;
    f.graph.node = f.node_list;
    f.graph.initializer = f.tensor_list;
    f.model.graph = &f.graph;
}

static int read_numbers(const char *text, int64_t numbers[8]) {
    int count = 0;
    for (char *end = NULL; *text != '\0' && count < 8; text = end + strspn(end, " ")) {
        numbers[count++] = strtoll(text, &end, 10);
    }
    return count;
}

/* Adds a tensor. data: NULL = a parameter in floating point; else the whole numbers of the tensor. */
static void tensor(const char *name, const char *shape, const char *data) {
    const int at = f.tensor_count++;
    Onnx__TensorProto *t = &f.tensors[at];
    onnx__tensor_proto__init(t);
    t->name = (char *)name;
    t->has_data_type = 1;
    t->data_type = data != NULL ? ONNX__TENSOR_PROTO__DATA_TYPE__INT64 : ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    t->dims = f.numbers[at];
    t->n_dims = (size_t)read_numbers(shape, f.numbers[at]);
    if (data != NULL) {
        t->int64_data = f.numbers[at] + 4;
        t->n_int64_data = (size_t)read_numbers(data, f.numbers[at] + 4);
    }
    f.tensor_list[at] = t;
    f.graph.n_initializer = (size_t)f.tensor_count;
}

/* Adds a node. names: names of its inputs and outputs as "in in -> out". */
static void node(const char *type, const char *names) {
    static char texts[NODES_MAX][96];
    const int at = f.node_count++;
    Onnx__NodeProto *n = &f.nodes[at];
    onnx__node_proto__init(n);
    snprintf(texts[at], sizeof texts[at], "%s", names);
    n->op_type = (char *)type;
    bool out = false;
    int count = 0;
    n->input = f.names[at];
    for (char *word = strtok(texts[at], " "); word != NULL; word = strtok(NULL, " ")) {
        if (strcmp(word, "->") == 0) {
            out = true;
            n->n_input = (size_t)count;
            n->output = f.names[at] + count;
        } else {
            f.names[at][count++] = word;
            n->n_output += out;
        }
    }
    f.output.name = n->output[0];
    n->attribute = f.attribute_lists[at];
    f.node_list[at] = n;
    f.graph.n_node = (size_t)f.node_count;
}

/* Adds an attribute of integers to the last node. */
static void attribute(const char *name, const char *numbers) {
    static int64_t values[NODES_MAX][8];
    const int at = f.attribute_count++;
    Onnx__AttributeProto *a = &f.attributes[at];
    Onnx__NodeProto *n = &f.nodes[f.node_count - 1];
    onnx__attribute_proto__init(a);
    a->name = (char *)name;
    a->n_ints = (size_t)read_numbers(numbers, values[at]);
    a->ints = values[at];
    a->has_i = 1;
    a->i = values[at][0];
    n->attribute[n->n_attribute++] = a;
}

static nnc_error error;
static const char *axes; /* axes: the sizes that the user gives for axes of the input */

static nnc_status import(nnc_result *r) {
    char path[] = "/tmp/nncost-onnx-XXXXXX";
    uint8_t bytes[16384];
    char *text = NULL;
    const char *notes = NULL;
    size_t size = 0;
    nnc_arena *arena = nnc_specs_arena(specs);
    const size_t packed = onnx__model_proto__get_packed_size(&f.model);
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_uint_lt(packed, sizeof bytes);
    onnx__model_proto__pack(&f.model, bytes);
    ck_assert_int_eq(write(file, bytes, packed), (ssize_t)packed);
    close(file);
    error = (nnc_error){ 0 };
    const nnc_status status = nnc_onnx_import(path, "made", axes, arena, &text, &size, &notes, &error);
    unlink(path);
    if (status == NNC_OK) {
        const nnc_model *model = NULL;
        const nnc_software software = nnc_software_default();
        const nnc_device device = plain_device();
        nnc_plan plan = nnc_plan_default();
        ck_assert_msg(nnc_model_parse(specs, "made", text, size, &model, &error) == NNC_OK, "%s: %s\n%s", error.where,
                      error.what, text);
        ck_assert_ptr_nonnull(notes);
        plan.precision = NNC_FP32;
        *r = estimate_with(model, &device, &software, &plan);
    }
    return status;
}

static nnc_result imported(void) {
    nnc_result r;
    const nnc_status status = import(&r);
    ck_assert_msg(status == NNC_OK, "%s: %s", error.where, error.what);
    return r;
}

static void refused(const char *what) {
    nnc_result r;
    ck_assert_int_eq(import(&r), NNC_BAD_SPEC);
    ck_assert_msg(strstr(error.what, what) != NULL, "%s", error.what);
}

/* ---- cases ---- */

START_TEST(a_convolution_and_a_linear_layer) {
    /* A convolution of 3 x 3 with bias from 3 to 8 channels, on 6 x 6 positions with padding. A linear layer from 8
     * values to 4. */
    begin("1 3 6 6");
    tensor("w", "8 3 3 3", NULL);
    tensor("b", "8", NULL);
    tensor("v", "4 8", NULL);
    tensor("c", "4", NULL);
    node("Conv", "x w b -> y");
    attribute("pads", "1 1 1 1");
    node("Relu", "y -> z");
    node("GlobalAveragePool", "z -> p");
    node("Flatten", "p -> q");
    node("Gemm", "q v c -> out");
    attribute("transB", "1");
    const nnc_result r = imported();
    ck_assert_int_eq(r.params, 216 + 8 + 32 + 4);
    ck_assert_double_eq(r.forward_flops, 2.0 * (36 * 216 + 32));
}
END_TEST

/* 4 tokens of width 8: a norm of nine nodes, two linear layers of two nodes each, and a GELU of five nodes. The two
 * linear layers read the same tensor as bias, and its parameters are counted once per layer. */
START_TEST(what_is_written_as_many_nodes) {
    begin("1 4 8");
    tensor("axis", "1", "-1");
    tensor("two", "1", "2");
    tensor("one", "", NULL);
    tensor("g", "8", NULL);
    tensor("b", "8", NULL);
    tensor("w", "8 8", NULL);
    node("ReduceMean", "x axis -> m");
    node("Sub", "x m -> d");
    node("Pow", "d two -> d2");
    node("ReduceMean", "d2 axis -> v");
    node("Add", "v one -> v1");
    node("Sqrt", "v1 -> s");
    node("Div", "d s -> n");
    node("Mul", "n g -> ng");
    node("Add", "ng b -> nb");
    node("MatMul", "nb w -> l");
    node("Add", "l b -> lb");
    node("Div", "lb one -> e1");
    node("Erf", "e1 -> e2");
    node("Add", "e2 one -> e3");
    node("Mul", "lb e3 -> e4");
    node("Mul", "e4 one -> e5");
    node("MatMul", "e5 w -> l2");
    node("Add", "b l2 -> out");
    const nnc_result r = imported();
    ck_assert_int_eq(r.params, 16 + 72 + 72);
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_NORM], 16);
    ck_assert_double_eq(r.forward_flops, 2.0 * 2 * 4 * 64);
}
END_TEST

/* 4 tokens of width 8, in 2 heads of 4. The file computes the new shape from the shape of the tensor. */
START_TEST(attention_of_three_nodes) {
    begin("1 4 8");
    tensor("w", "8 8", NULL);
    tensor("zero", "1", "0");
    tensor("one", "1", "1");
    tensor("heads", "2", "2 4");
    tensor("back", "3", "0 0 -1");
    tensor("scale", "", NULL);
    node("Shape", "x -> s");
    node("Gather", "s zero -> s0");
    node("Gather", "s one -> s1");
    node("Concat", "s0 s1 heads -> split");
    attribute("axis", "0");
    static const char *const names[][4] = { { "q", "qr", "qt", "0 2 1 3" },
                                            { "k", "kr", "kt", "0 2 3 1" },
                                            { "v", "vr", "vt", "0 2 1 3" } };
    for (int i = 0; i < 3; i++) {
        static char text[3][3][32];
        snprintf(text[i][0], 32, "x w -> %s", names[i][0]);
        snprintf(text[i][1], 32, "%s split -> %s", names[i][0], names[i][1]);
        snprintf(text[i][2], 32, "%s -> %s", names[i][1], names[i][2]);
        node("MatMul", text[i][0]);
        node("Reshape", text[i][1]);
        node("Transpose", text[i][2]);
        attribute("perm", names[i][3]);
    }
    node("MatMul", "qt kt -> a");
    node("Mul", "a scale -> as");
    node("Softmax", "as -> p");
    node("MatMul", "p vt -> c");
    node("Transpose", "c -> ct");
    attribute("perm", "0 2 1 3");
    node("Reshape", "ct back -> out");
    const nnc_result r = imported();
    ck_assert_int_eq(r.params, 3 * 64); /* the matrix is counted for each product that reads it */
    ck_assert_double_eq(r.forward_flops, 2.0 * (3 * 4 * 64 + 2 * 2 * 16 * 4));
}
END_TEST

START_TEST(norms_in_two_parts_are_one) {
    begin("1 3 4 4");
    tensor("w", "8 3 1 1", NULL);
    tensor("g", "8", NULL);
    tensor("s", "1 8 1 1", NULL);
    node("Conv", "x w -> y");
    node("BatchNormalization", "y g g g g -> n");
    node("Mul", "n s -> ns");
    node("Add", "ns s -> out");
    const nnc_result r = imported();
    ck_assert_int_eq(r.params, 24 + 16);
    ck_assert_double_eq(r.forward_flops, 2.0 * 16 * 24);
}
END_TEST

/* Adds a tensor with floating-point values, such as the scales of a Resize node. */
static void floats(const char *name, const char *numbers) {
    static float values[NODES_MAX][8];
    int64_t whole[8];
    tensor(name, "", NULL);
    Onnx__TensorProto *t = &f.tensors[f.tensor_count - 1];
    t->n_float_data = (size_t)read_numbers(numbers, whole);
    for (size_t i = 0; i < t->n_float_data; i++) { values[f.tensor_count - 1][i] = (float)whole[i]; }
    t->float_data = values[f.tensor_count - 1];
    f.numbers[f.tensor_count - 1][0] = (int64_t)t->n_float_data;
    t->dims = f.numbers[f.tensor_count - 1];
    t->n_dims = 1;
}

static void word(const char *name, const char *text) {
    Onnx__AttributeProto *a;
    attribute(name, "0");
    a = f.nodes[f.node_count - 1].attribute[f.nodes[f.node_count - 1].n_attribute - 1];
    a->n_ints = 0;
    a->has_s = 1;
    a->s.data = (uint8_t *)text;
    a->s.len = strlen(text);
}

/* A map of 5 x 5 positions gets a row above and a column to the right. A kernel of 3 x 3 then has 4 x 4 positions in
 * the map of 6 x 6. */
START_TEST(zeros_around_a_map) {
    begin("1 2 5 5");
    tensor("w", "3 2 3 3", NULL);
    tensor("around", "8", "0 0 1 0 0 0 0 1");
    node("Pad", "x around -> p");
    node("Conv", "p w -> out");
    const nnc_result r = imported();
    ck_assert_int_eq(r.params, 54);
    ck_assert_double_eq(r.forward_flops, 2.0 * 16 * 54);
    begin("1 2 5 5");
    node("Pad", "x around -> out");
    tensor("around", "8", "0 1 0 0 0 0 0 0");
    refused("expected padding only at the sides of a map");
}
END_TEST

/* If padding keeps the size of a map (SAME), 7 positions with stride 2 give 4 outputs for every size of the kernel.
 * Without padding, 7 positions and a kernel of 3 give (7 - 3) / 2 + 1 = 3 outputs. */
START_TEST(pads_that_are_not_said) {
    static const struct {
        const char *how;
        int positions;
    } cases[] = { { "SAME_UPPER", 16 }, { "SAME_LOWER", 16 }, { "VALID", 9 }, { "NOTSET", 9 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        begin("1 1 7 7");
        tensor("w", "1 1 3 3", NULL);
        node("Conv", "x w -> out");
        attribute("strides", "2 2");
        word("auto_pad", cases[i].how);
        ck_assert_double_eq(imported().forward_flops, 2.0 * 9 * cases[i].positions);
    }
}
END_TEST

/* Scales of 2 turn 2 x 3 positions into 4 x 6. Sizes of 6 and 9 turn 2 x 3 positions into 6 x 9. */
START_TEST(maps_become_larger) {
    begin("1 2 2 3");
    floats("scales", "1 1 2 2");
    tensor("none", "0", NULL);
    tensor("w", "1 2 1 1", NULL);
    node("Resize", "x none scales -> r");
    word("mode", "nearest");
    node("Conv", "r w -> out");
    ck_assert_double_eq(imported().forward_flops, 2.0 * 24 * 2);
    begin("1 2 2 3");
    tensor("none", "0", NULL);
    tensor("sizes", "4", "1 2 6 9");
    tensor("w", "1 2 1 1", NULL);
    node("Resize", "x none none sizes -> r");
    word("mode", "linear");
    node("Conv", "r w -> out");
    ck_assert_double_eq(imported().forward_flops, 2.0 * 54 * 2);
    begin("1 2 2 3");
    tensor("none", "0", NULL);
    tensor("sizes", "4", "1 2 3 3");
    node("Resize", "x none none sizes -> out");
    refused("node out (Resize): expected height and width enlarged by the same whole number");
}
END_TEST

/* A sequence of 8 values with 3 channels. A kernel of 5 with stride 2 and 2 zeros at each end gives 4 positions; each
 * costs 15 x 4 products. */
START_TEST(convolutions_over_a_sequence) {
    begin("1 3 8");
    tensor("w", "4 3 5", NULL);
    tensor("b", "4", NULL);
    node("Conv", "x w b -> y");
    attribute("strides", "2");
    attribute("pads", "2 2");
    node("MaxPool", "y -> out");
    attribute("kernel_shape", "2");
    attribute("strides", "2");
    const nnc_result r = imported();
    ck_assert_int_eq(r.params, 64);
    ck_assert_double_eq(r.forward_flops, 2.0 * 4 * 60);
}
END_TEST

START_TEST(sums_of_several) {
    begin("1 2 4 4");
    tensor("w", "2 2 1 1", NULL);
    node("Conv", "x w -> a");
    node("Conv", "x w -> b");
    node("Conv", "x w -> c");
    node("Sum", "a b c -> s");
    node("Conv", "s w -> out");
    ck_assert_double_eq(imported().forward_flops, 4 * 2.0 * 16 * 4);
}
END_TEST

/* The batch norm n is followed by n * clip(n + 3) / 6. Two nodes read the norm, and its parameters are counted once. */
START_TEST(a_norm_under_two_names_is_one) {
    begin("1 3 4 4");
    tensor("w", "8 3 1 1", NULL);
    tensor("g", "8", NULL);
    tensor("three", "", NULL);
    node("Conv", "x w -> y");
    node("BatchNormalization", "y g g g g -> n");
    node("Add", "n three -> a");
    node("Clip", "a -> c");
    node("Mul", "n c -> m");
    node("Div", "m three -> out");
    ck_assert_int_eq(imported().params, 24 + 16);
}
END_TEST

/* An input of 4 channels of 8 x 6, whose file leaves height and width open. The user gives the height by the number of
 * the axis (x.2=8), and the width by the name of the axis (wide=6). */
START_TEST(axes_without_a_size) {
    for (int i = 0; i < 2; i++) {
        begin("1 4 0 0");
        f.dims[3].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        f.dims[3].dim_param = (char *)"wide";
        tensor("w", "2 4 1 1", NULL);
        node("Conv", "x w -> out");
        axes = i == 0 ? "x.2=8,wide=6" : "wide=6,x.2=8,high=8";
        if (i == 0) {
            ck_assert_double_eq(imported().forward_flops, 2.0 * 48 * 8);
        } else {
            nnc_result r;
            ck_assert_int_eq(import(&r), NNC_BAD_USAGE);
            ck_assert_msg(strstr(error.what, "found high=8") != NULL, "%s", error.what);
        }
    }
    axes = NULL;
    node("Conv", "x w -> out");
    refused("input x: axis 2 has no size, expected nncost import FILE.onnx x.2=NUMBER");
}
END_TEST

/* Recurrent networks that PyTorch 1.13 exports with torch.onnx.export, for 7 tokens. torch.nn.LSTM(24, 16,
 * num_layers=2, bidirectional=True, batch_first=True) has 11,776 parameters; Linear(32, 5) of the last token has 165.
 * GRU(24, 16) has 2,016 parameters; Linear(16, 5) of its last state has 85. */
START_TEST(recurrent_layers) {
    begin("1 7 24");
    tensor("w", "2 64 24", NULL);
    tensor("r", "2 64 16", NULL);
    tensor("b", "2 128", NULL);
    tensor("w2", "2 64 32", NULL);
    tensor("head", "5 32", NULL);
    tensor("bias", "5", NULL);
    tensor("shape", "3", "0 0 -1");
    tensor("last", "", "-1");
    node("Transpose", "x -> tokens");
    attribute("perm", "1 0 2");
    node("LSTM", "tokens w r b -> y h c");
    node("Transpose", "y -> t");
    attribute("perm", "0 2 1 3");
    node("Reshape", "t shape -> z");
    node("LSTM", "z w2 r b -> y2");
    node("Transpose", "y2 -> t2");
    attribute("perm", "0 2 1 3");
    node("Reshape", "t2 shape -> z2");
    node("Transpose", "z2 -> rows");
    attribute("perm", "1 0 2");
    node("Gather", "rows last -> vector");
    attribute("axis", "1");
    node("Gemm", "vector head bias -> out");
    attribute("transB", "1");
    const nnc_result lstm = imported();
    ck_assert_int_eq(lstm.params, 11776 + 165);
    ck_assert_double_eq(lstm.forward_flops, 2.0 * (7 * 128 * (24 + 16) + 7 * 128 * (32 + 16) + 32 * 5));
    begin("1 7 24");
    tensor("w", "1 48 24", NULL);
    tensor("r", "1 48 16", NULL);
    tensor("b", "1 96", NULL);
    tensor("head", "5 16", NULL);
    tensor("bias", "5", NULL);
    node("Transpose", "x -> tokens");
    attribute("perm", "1 0 2");
    node("GRU", "tokens w r b -> all h");
    node("Squeeze", "h -> vector");
    attribute("axes", "0");
    node("Gemm", "vector head bias -> out");
    attribute("transB", "1");
    const nnc_result gru = imported();
    ck_assert_int_eq(gru.params, 2016 + 85);
    ck_assert_double_eq(gru.forward_flops, 2.0 * (7 * 48 * (24 + 16) + 16 * 5));
}
END_TEST

/* torch.nn.Conv3d(4, 8, (3, 5, 2), stride=(1, 2, 2), padding=(1, 2, 0), groups=2) of 4 x 6 x 9 x 10 values has 488
 * parameters and 1,200 outputs of 60 weights each. Max pooling with windows of 2 and a mean over all positions
 * follow. */
START_TEST(convolutions_over_a_volume) {
    begin("1 4 6 9 10");
    tensor("w", "8 2 3 5 2", NULL);
    tensor("b", "8", NULL);
    tensor("head", "3 8", NULL);
    node("Conv", "x w b -> y");
    attribute("strides", "1 2 2");
    attribute("pads", "1 2 0 1 2 0");
    attribute("group", "2");
    node("Relu", "y -> z");
    node("MaxPool", "z -> p");
    attribute("kernel_shape", "2 2 2");
    attribute("strides", "2 2 2");
    node("GlobalAveragePool", "p -> m");
    node("Flatten", "m -> v");
    node("Gemm", "v head -> out");
    attribute("transB", "1");
    const nnc_result r = imported();
    ck_assert_int_eq(r.params, 488 + 24);
    ck_assert_double_eq(r.forward_flops, 2.0 * (1200 * 60 + 24));
}
END_TEST

START_TEST(a_node_without_a_place_is_named) {
    begin("1 4 8");
    tensor("w", "8 8", NULL);
    node("Einsum", "x w -> hidden");
    refused("node hidden (Einsum): cannot be converted");
    begin("1 4 8");
    tensor("w", "1 20 8", NULL);
    tensor("r", "1 20 5", NULL);
    node("LSTM", "x w r -> hidden");
    refused("node hidden (LSTM): expected one sequence of tokens");
    begin("1 4 8");
    node("MatMul", "x x -> squared");
    refused("node squared (MatMul)");
    begin("2 4 8");
    node("Relu", "x -> y");
    refused("input x has a batch of 2");
    begin("1 4 0");
    node("Relu", "x -> y");
    refused("input x: axis 2 has no size");
    begin("1 4 8");
    node("Relu", "nobody -> y");
    refused("reads \"nobody\"");
    begin("1 3 4 4");
    tensor("w", "8 5 1 1", NULL);
    node("Conv", "x w -> y");
    refused("the kernel is for 5 channels, but the input has another number of channels: 3");
    begin("1 4 8");
    node("Softmax", "x -> y");
    node("Erf", "y -> z");
    node("Relu", "z -> out");
    refused("node out (Relu): \"z\" is part of a norm, a GELU");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("onnx");
    TCase *tests = add_case(suite, "onnx", open_support, close_support);
    tcase_add_test(tests, a_convolution_and_a_linear_layer);
    tcase_add_test(tests, what_is_written_as_many_nodes);
    tcase_add_test(tests, attention_of_three_nodes);
    tcase_add_test(tests, norms_in_two_parts_are_one);
    tcase_add_test(tests, zeros_around_a_map);
    tcase_add_test(tests, pads_that_are_not_said);
    tcase_add_test(tests, maps_become_larger);
    tcase_add_test(tests, convolutions_over_a_sequence);
    tcase_add_test(tests, sums_of_several);
    tcase_add_test(tests, a_norm_under_two_names_is_one);
    tcase_add_test(tests, axes_without_a_size);
    tcase_add_test(tests, recurrent_layers);
    tcase_add_test(tests, convolutions_over_a_volume);
    tcase_add_test(tests, a_node_without_a_place_is_named);
    return run_suite(suite);
}
