/* The smallest program that uses the installed library: loads a device, prints its ridge point. */
#include <stdio.h>

#include <nncost/nncost.h>

int main(void)
{
    nnc_error err = { 0 };
    const nnc_device *device = NULL;
    nnc_specs *specs = nnc_specs_open(DATA_DIR);
    char id[64] = "";
    nnc_status status = nnc_device_load(specs, "a100", &device, &err);
    if (status == NNC_OK)
        status = nnc_device_text(device, "id", id, sizeof id, &err);
    if (status == NNC_OK)
        printf("nncost %s: %s %.0f FLOP/B\n", nnc_version(), id,
               nnc_device_ridge(device, NNC_BF16));
    else
        fprintf(stderr, "%s: %s\n", err.where, err.what);
    nnc_specs_close(specs);
    return nnc_status_exit_code(status);
}
