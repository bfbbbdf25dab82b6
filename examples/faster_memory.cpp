/* SPDX-License-Identifier: Apache-2.0 */
// What would a device with other memory bring? Copies a device, changes it field by field, and asks what a
// step depends on.
//     usage: faster_memory DATA_DIR [MODEL [DEVICE]]
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include <nncost/nncost.h>

namespace
{

struct close_specs {
    void operator()(nnc_specs *specs) const
    {
        nnc_specs_close(specs);
    }
};

struct destroy_scratch {
    void operator()(nnc_scratch *scratch) const
    {
        nnc_scratch_destroy(scratch);
    }
};

// The library returns a status and fills an error; here it becomes an exception.
void check(nnc_status status, const nnc_error &err)
{
    if (status != NNC_OK)
        throw std::runtime_error(std::string(err.where) + ": " + err.what);
}

double step_s(const nnc_model *model, const nnc_device *device, nnc_scratch *scratch)
{
    nnc_error err = {};
    nnc_result result;
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 4;
    // Neither software nor its version matters here: NULL is the neutral profile.
    check(nnc_estimate(model, device, nullptr, &plan, scratch, &result, &err), err);
    return result.step_s;
}

void run(const char *data, const char *model_id, const char *device_id)
{
    const std::unique_ptr<nnc_specs, close_specs> specs(nnc_specs_open(data));
    const std::unique_ptr<nnc_scratch, destroy_scratch> scratch(nnc_scratch_create());
    const nnc_model *model = nullptr;
    const nnc_device *device = nullptr;
    nnc_error err = {};
    check(nnc_model_load(specs.get(), model_id, &model, &err), err);
    check(nnc_device_load(specs.get(), device_id, &device, &err), err);

    // What is loaded is never changed: a copy is, by the names that the device file uses.
    double bytes_per_s = 0.0;
    check(nnc_device_number(device, "mem_bytes_per_s", &bytes_per_s, &err), err);
    const double before_s = step_s(model, device, scratch.get());
    std::printf("%s: %.3f ms at %.2f TB/s\n", device_id, 1e3 * before_s, bytes_per_s / 1e12);
    for (const double factor : { 1.25, 1.5, 2.0 }) {
        nnc_device *faster = nullptr;
        check(nnc_device_copy(specs.get(), device, &faster, &err), err);
        const std::string rate = std::to_string(factor * bytes_per_s);
        check(nnc_device_set(faster, "mem_bytes_per_s", rate.c_str(), &err), err);
        const double after_s = step_s(model, faster, scratch.get());
        std::printf("  memory x %.2f: %.3f ms, %.1f %% less\n", factor, 1e3 * after_s,
                    100.0 * (1.0 - after_s / before_s));
    }

    // The same for every figure of the device at once: percent per percent.
    nnc_sensitivity entries[NNC_PARAMETER_COUNT];
    int count = 0;
    check(nnc_sensitivity_of(model, device, nullptr, nullptr, scratch.get(), entries,
                             NNC_PARAMETER_COUNT, &count, &err),
          err);
    for (int i = 0; i < count; i++) {
        char name[NNC_PARAMETER_TEXT];
        std::printf("  %-28s %+.2f\n", nnc_sensitivity_parameter_name(entries[i].figure, NNC_BF16, name),
                    entries[i].elasticity);
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 4) {
        std::fprintf(stderr, "usage: faster_memory DATA_DIR [MODEL [DEVICE]]\n");
        return 2;
    }
    try {
        run(argv[1], argc > 2 ? argv[2] : "gpt2", argc > 3 ? argv[3] : "a100");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    }
    return 0;
}
