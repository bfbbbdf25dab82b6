#include "cost/roofline.h"
#include "op/op_row.h"

/* A convolution is a product of implicit matrices: every value of the result is a sum over `depth` terms, for
 * `channels` channels at a time; of a weight gradient the result has c_out / groups rows and c_in / groups times taps
 * columns. Few channels, or short sums, leave the units partly idle:
 *     f'  = f channels / (channels + c0) depth / (depth + d0)
 *     f'  = f rows / (rows + c0) columns / (columns + c0)        of a weight gradient
 *     t   = max(min(F / (f' P), F / (v V)), bytes / (g B)) + t0 + converted / B
 * V is the rate of the vector units, which take what the matrix units are bad at: a channel by itself; and groups for which
 * a library has no other kernel, at 1.5 v. In fp32 3 x 3 taps of
 * stride 1 take 1 / 2.25 of the products (Winograd). */

/* Maps whose channels do not lie together are read and written in another order; that takes as long as at 0.8 of the
 * bandwidth. */
static const double converted_share = 1.25;

NNC_SAYING double share_of(const nnc_op *op, const nnc_work *work, double channels_half,
                           double depth_half, nnc_derivation *why)
{
    const nnc_conv *p = &op->u.conv;
    const double groups = (double)p->groups;
    if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
        const int64_t width = p->kernel_w > 0 ? p->kernel_w : p->kernel;
        NNC_LET(why, rows, NULL, (double)p->c_out / groups);
        NNC_LET(why, columns, NULL, (double)p->c_in / groups * (double)(p->kernel * width));
        NNC_SAY(why, share, NULL,
                rows / (rows + channels_half) * (columns / (columns + channels_half)));
        NNC_NOTE(why, "of the rate that a weight gradient of many rows and columns reaches");
        return share;
    }
    const bool back = op->phase == NNC_PHASE_GRAD_INPUT;
    NNC_LET(why, positions, NULL,
            (double)p->batch *
                (back ? (double)(p->h_in * p->w_in) : (double)(p->h_out * p->w_out)));
    NNC_LET(why, all_channels, NULL, back ? (double)p->c_in : (double)p->c_out);
    NNC_LET(why, channels, NULL, all_channels / groups);
    NNC_SAY(why, depth, NULL, work->flops / (2.0 * positions * all_channels));
    NNC_NOTE(why, "terms of the sum that a value of the result is");
    NNC_SAY(why, share, NULL,
            channels / (channels + channels_half) * (depth / (depth + depth_half)));
    NNC_NOTE(why, "of the rate that many channels and long sums reach");
    return share;
}

NNC_SAYING double converted_s(const nnc_device *device, const nnc_op *op, nnc_derivation *why)
{
    const nnc_conv *p = &op->u.conv;
    if (!p->contiguous || op->math_dtype == NNC_FP32 || (p->groups > 1 && p->groups == p->c_in)) {
        return 0.0;
    }
    NNC_LET(why, map_bytes, "B",
            nnc_dtype_bytes(op->math_dtype) * (double)p->batch *
                ((double)p->c_in * (double)(p->h_in * p->w_in) +
                 (double)p->c_out * (double)(p->h_out * p->w_out)));
    NNC_LET(why, converted, NULL, converted_share);
    NNC_SAY(why, conversion_s, "s", 2.0 * converted * map_bytes / device->mem_bytes_per_s);
    NNC_NOTE(why, "maps whose channels do not lie together, read and written in another order");
    return conversion_s;
}

/* Groups of several channels, over single ones, on the vector units. */
static const double grouped_ratio = 1.5;

NNC_SAYING double products_s(const nnc_op *op, const nnc_work *work, const nnc_conv_efficiency *e,
                             const nnc_rates *r, nnc_derivation *why)
{
    const bool shaped = e->channels_half > 0.0 || e->depth_half > 0.0;
    const double saved = nnc_op_products_saved(op);
    double sustained = 0.0, matrix_s = 0.0;
    if (shaped) {
        NNC_PUT(why, e->channels_half, NULL);
        NNC_PUT(why, e->depth_half, NULL);
        NNC_LET(why, filled, NULL, share_of(op, work, e->channels_half, e->depth_half, why));
        NNC_SET(why, sustained, NULL,
                nnc_min(r->sustained_fraction * r->calibration, 1.0) * filled);
    } else {
        NNC_SET(why, sustained, NULL, nnc_min(r->sustained_fraction * r->calibration, 1.0));
    }
    NNC_SET(why, matrix_s, "s", work->flops / (sustained * r->matmul_flops_per_s));
    if (saved > 1.0) {
        NNC_LET(why, saved_products, NULL, saved);
        NNC_SET(why, matrix_s, "s",
                work->flops / saved_products / (sustained * r->matmul_flops_per_s));
        NNC_NOTE(why, "Winograd's algorithm takes fewer products");
    }
    if (!isnan(e->vector_fraction) && !isnan(r->vector_flops_per_s)) {
        NNC_LET(why, product_s, "s", matrix_s);
        NNC_PUT(why, e->vector_fraction, NULL);
        NNC_PUT(why, saved, NULL);
        NNC_SAY(why, least_s, "s", work->flops / saved / r->matmul_flops_per_s);
        NNC_SAY(why, plain_s, "s", work->flops / (e->vector_fraction * r->vector_flops_per_s));
        NNC_NOTE(why, "on the vector units, which take what leaves the matrix units idle");
        if (op->u.conv.on_vectors) {
            NNC_LET(why, single_s, "s", plain_s);
            NNC_PUT(why, grouped_ratio, NULL);
            NNC_SET(why, matrix_s, "s", nnc_max(product_s, single_s / grouped_ratio));
            NNC_NOTE(why, "no kernel of matrix units has such groups");
            return matrix_s;
        }
        NNC_SET(why, matrix_s, "s", nnc_max(nnc_min(product_s, plain_s), least_s));
    }
    return matrix_s;
}

NNC_SAYING nnc_timing conv_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                                nnc_derivation *why)
{
    const nnc_conv_efficiency *e = &device->efficiency.conv;
    const nnc_efficiency shared = { e->sustained_fraction, e->memory_fraction, e->fixed_s };
    const nnc_rates r = nnc_rates_of(device, op->math_dtype, &shared, why);
    nnc_say_work(work, why);
    double matrix_s = 0.0;
    if (work->flops > 0.0) {
        matrix_s = products_s(op, work, e, &r, why);
    }
    NNC_PUT(why, matrix_s, "s");
    const double vector_s = nnc_vector_s(&r, work, why);
    NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
    double memory_s = 0.0;
    NNC_SET(why, memory_s, "s",
            (work->read_bytes + work->write_bytes) / (r.memory_fraction * r.mem_bytes_per_s));
    nnc_timing t = nnc_roofline(compute_s, memory_s, r.fixed_s, why);
    const double conversion_s = converted_s(device, op, why);
    if (conversion_s > 0.0) {
        NNC_LET(why, product_time_s, "s", t.time_s);
        NNC_SET(why, t.time_s, "s", product_time_s + conversion_s);
        NNC_NOTE(why, "kernels of their own, before and behind the product");
    }
    return t;
}

nnc_timing nnc_conv_time(const nnc_device *device, const nnc_op *op, const nnc_work *work)
{
    return conv_time(device, op, work, NULL);
}

nnc_timing nnc_conv_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                             nnc_derivation *why)
{
    return conv_time(device, op, work, why);
}
