/* Texts of device, model and software files with all required keys. A test adds a line with the key that the test
 * checks. */
#ifndef NNCOST_TESTS_SPEC_TEXT_H
#define NNCOST_TESTS_SPEC_TEXT_H

#define DEVICE_HEAD "{\n\"schema\": \"nncost.device/1\",\n\"id\": \"demo\",\n\"name\": \"Demo\",\n"
#define DEVICE_PEAK "\"matmul_flops_per_s\": { \"bf16\": 100e12 },\n"
#define DEVICE_MEMORY "\"mem_bytes\": 1000000000,\n\"mem_bytes_per_s\": 1e12,\n"
#define SOURCES "\"sources\": { \"\": \"made up\" }\n}\n"
#define DEVICE DEVICE_HEAD DEVICE_PEAK DEVICE_MEMORY
#define MODEL_HEAD "{ \"schema\": \"nncost.model/1\", \"id\": \"m\", \"name\": \"M\",\n"
#define DECODER                                                                                    \
    MODEL_HEAD "\"family\": \"decoder\", \"layers\": 2, \"hidden\": 8, \"heads\": 2,\n"            \
               "\"ffn_hidden\": 32, \"vocab\": 100, \"seq_len\": 16, \"positions\": \"rotary\",\n" \
               "\"norm\": \"rms\", \"mlp\": \"swiglu\", \"tied_head\": false,\n"
#define UNET                                                                                     \
    MODEL_HEAD "\"family\": \"unet\", \"image\": 32, \"in_channels\": 3, \"out_channels\": 3,\n" \
               "\"channels\": 64, \"channel_multipliers\": [1, 2], \"blocks_per_level\": 2,\n"   \
               "\"block\": \"residual\", \"norm\": \"group\", \"down\": \"conv\",\n"             \
               "\"up\": \"nearest_conv\", \"time_embed_width\": 256,\n"

#endif
