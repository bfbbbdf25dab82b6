#!/usr/bin/env python3
"""Compares the steps of 'nncost ops --serve' with a second computation from docs/serving.md, without code of the
program.

Each round draws a decoder (grouped heads, latent attention, windows, states, shared keys, experts), a deployment
(tensor, pipeline, attention groups, formats of weights and cache, chunk, lengths), and the values of a device and of an
engine. For a prefill step and a decode step, the script derives FLOPs, bytes, time and bound of every op, the sums of
the step, communication, host time and lower bound. For the static batch, the script also derives latency,
throughput, memory, price and energy.

    usage: derived_serve.py NNCOST ROOT [ROUNDS]      seed fixed [100 rounds]
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 100
os.environ["NNCOST_PATH"] = root
folder = tempfile.mkdtemp()
seed = random.Random(28)
BITS = {"bf16": 16, "fp8": 8, "fp8-block": 8, "int8": 8, "int4": 4}
STATES = ("mamba2", "lightning", "short_conv")  # kinds of layers that keep a state for each sequence
GROUP = 128  # number of int4 weights that share a scale of 16 bits and a zero point of 4 bits


def draw_model():
    head, heads = seed.choice([64, 128]), seed.choice([8, 16, 32])
    d = {"layers": seed.randint(2, 40), "hidden": 256 * seed.randint(2, 20), "heads": heads,
         "kv_heads": seed.choice([heads, heads // 2, heads // 8]), "head_dim": head, "ffn_hidden": 256 * seed.randint(2, 40),
         "vocab": 1024 * seed.randint(8, 128), "seq_len": 131072, "tied_head": seed.random() < 0.5,
         "mlp": seed.choice(["swiglu", "gelu"])}
    if seed.random() < 0.25:
        d |= {"q_lora_rank": 64 * seed.randint(0, 4), "kv_lora_rank": 64 * seed.randint(1, 8), "qk_nope_head_dim": head,
              "qk_rope_head_dim": 64, "v_head_dim": seed.choice([64, 128]), "kv_heads": heads}
    elif seed.random() < 0.3:
        d["sliding_window"] = seed.choice([512, 1024])
        d["mixers"] = seed.choice([["window"], ["window", "full"], ["window", "window", "full"]])
    elif seed.random() < 0.4:
        kind = seed.choice(list(STATES))
        d["mixers"] = seed.choice([[kind], [kind, "full"], [kind, kind, "full"]])
        d |= {"ssm_inner": 64 * 8 * seed.randint(1, 4), "ssm_state": seed.choice([64, 128]), "ssm_heads": 8, "ssm_groups": 4,
              "conv_kernel": 4} if kind == "mamba2" else {"conv_kernel": seed.choice([3, 4])} if kind == "short_conv" else {}
    if not {"mixers", "kv_lora_rank"} & set(d) and seed.random() < 0.3:
        d["reused_kv_layers"] = seed.randint(1, d["layers"] - 1)
    if seed.random() < 0.4:
        d |= {"experts": seed.choice([8, 16, 64]), "experts_per_token": seed.choice([1, 2, 4]),
              "expert_hidden": 128 * seed.randint(1, 16),
              "dense_layers": 0 if "mixers" in d else seed.choice([0, 0, 1])}
        if seed.random() < 0.4:
            d["shared_hidden"] = 128 * seed.randint(1, 16)
    return d


def draw_device():
    with open(os.path.join(root, "hw", seed.choice(["h100-sxm5-80gb", "a100-sxm4-80gb", "h200-sxm-141gb",
                                                    "b200-sxm-180gb"]) + ".json"),
              encoding="utf-8") as file:
        device = json.load(file)
    serving = {"kernel_s": 1e-6 * seed.randint(1, 5), "attention_s": 1e-6 * seed.randint(5, 12),
               "attention_fraction": round(seed.uniform(0.2, 0.7), 3), "fitted_on": "drawn",
               "all_reduce": {"fixed_s": 1e-6 * seed.randint(2, 9), "rank_s": 1e-7 * seed.randint(0, 3),
                              "two_shot_s": 1e-6 * seed.randint(3, 20),
                              "one_shot_fraction": 0.5, "two_shot_fraction": 0.625}}
    for name in ("stream_fraction", "product_fraction", "expert_fraction", "kv_fraction"):
        serving[name] = {"bf16": round(seed.uniform(0.5, 0.95), 3)}
        for format in ("fp8", "fp8-block", "int8", "int4"):
            if seed.random() < 0.6:
                serving[name][format] = round(seed.uniform(0.3, 0.9), 3)
    if seed.random() < 0.5:
        serving["product_s"] = {"bf16": 1e-6 * seed.randint(1, 8), "fp8": 4e-6}
    if seed.random() < 0.2:
        serving["kv_reread"] = 0.25
    if seed.random() < 0.3:
        serving["all_reduce"]["node_s"] = 2e-5
    device["efficiency"]["serving"] = serving
    device["prices"] = [{"per_device_hour": 4, "currency": "USD", "where": "drawn", "date": "2026"}]
    return device | {"id": "d", "aliases": []}


def draw_engine():
    engine = {"step_s": 1e-5 * seed.randint(1, 40), "layer_s": 1e-6 * seed.randint(0, 40), "sequence_s": 1e-6 * seed.randint(0, 30),
              "prefill_factor": round(seed.uniform(1, 1.5), 2), "ttft_s": 0.02, "fitted_on": "drawn",
              "preempt": seed.random() < 0.5,
              "tpot": {"low": 0.875, "high": 1.25}, "ttft": {"low": 0.75, "high": 1.5}}
    for name, value in (("decode_factor", 1.25), ("host_layer_s", 2e-4), ("kv_factor", 0.875), ("all_reduce_factor", 1.5),
                        ("all_reduce_s", 7e-6),
                        ("attention_factor", 1.25), ("kv_reread", 0.125), ("captured", False), ("launch_s", 4e-6),
                        ("workspace_bytes", 3e9),
                        ("paged", False), ("stream_factor", {"bf16": 0.75, "fp8": 0.875}),
                        ("expert_s", {"int4": 5e-5, "int8": 3e-5})):
        if seed.random() < 0.2:
            engine[name] = value
    return engine


def draw_plan(d, device):
    plan = {"tensor": seed.choice([1, 1, 2, 4]), "pipeline": seed.choice([1, 1, 2]), "batch": seed.choice([1, 3, 8, 32, 256]),
            "input_len": seed.choice([1, 200, 1024, 3000]), "output_len": seed.choice([2, 64, 500]),
            "chunk": seed.choice([512, 2048, 8192]),
            "block": seed.choice([16, 64]), "weights": seed.choice(list(BITS)),
            "kv_precision": seed.choice(["bf16", "bf16", "fp8", "int8"])}
    if "fp8" not in device["matmul_flops_per_s"] and plan["weights"].startswith("fp8"):
        plan["weights"] = "int8"
    if "experts" in d and seed.random() < 0.5:
        plan |= {"attention_data": seed.choice([2, 4]), "pipeline": 1}
        plan["expert"] = plan["attention_data"] * plan["tensor"]
        if seed.random() < 0.4:
            plan["imbalance"] = 1.25
    elif seed.random() < 0.3:
        plan["data"] = 2
    if seed.random() < 0.2:
        plan["prefix_hit"] = seed.choice([0.25, 0.5, 1])
    if seed.random() < 0.2:
        plan |= {"draft_length": seed.choice([1, 3]), "draft_share": 0.125, "acceptance": 0.75}
    return plan | {"carbon_g_per_kwh": 300}


class Served:
    def __init__(self, d, plan, device, engine):
        self.d, self.plan, self.device, self.engine = d, plan, device, engine
        self.t, self.groups = plan["tensor"], plan.get("attention_data", 1)
        self.experts, self.chosen = d.get("experts", 0), d.get("experts_per_token", 0)
        serving, own = device["efficiency"]["serving"], device["mem_bytes_per_s"]
        weights, narrow = plan["weights"], BITS[plan["weights"]] < 16
        peaks = device["matmul_flops_per_s"]
        self.fp8 = weights.startswith("fp8")
        self.peak, self.plain_peak = peaks["fp8" if self.fp8 else "bf16"], peaks["bf16"]
        reached = serving["product_fraction"]
        kind = weights if self.fp8 else "bf16"
        gemm = device["efficiency"]["gemm"]
        if kind in reached:
            share = reached[kind]
        else:
            trained = gemm["fp8"]
            trained = gemm[trained["same_as"]] if "same_as" in trained else trained
            # factor for narrow products in serving
            share = min(trained["sustained_fraction"] * trained.get("boost_ratio", 1.0), 1.0) * 0.78
        self.flops_rate, self.plain_rate = self.peak * min(share, 1.0), self.plain_peak * reached["bf16"]
        self.weight_only = narrow and not self.fp8
        self.weight_bytes = {16: 2.0, 8: 1.0, 4: (4 + 16 / GROUP + 4 / GROUP) / 8}[BITS[weights]]
        factor = engine.get("stream_factor", {})
        plain = serving["stream_fraction"]["bf16"]
        usual = plain * {16: 1.0, 8: 0.97, 4: 0.78}[BITS[weights]]  # medians of docs/accuracy-serving.md
        stream = min(serving["stream_fraction"].get(weights, usual) * factor.get(weights, 1.0), 1.0)
        self.stream = own * stream
        self.plain_stream = own * min(plain * factor.get("bf16", 1.0), 1.0)
        self.expert_stream = own * serving["expert_fraction"].get(weights if narrow else "bf16", min(stream * 1.05, 1.0))
        again = serving.get("kv_reread", 0.0)
        mine = engine.get("kv_reread", 0.0)
        fractions = serving["kv_fraction"]
        kv16 = 0.87 if again > 0 and mine == 0 else fractions["bf16"]
        kv = kv16 if again > 0 and mine == 0 else fractions.get(plan["kv_precision"], kv16)
        self.kv_rate = own * min(kv * engine.get("kv_factor", 1.0), 1.0)
        self.state_rate = own * min(kv16 * engine.get("kv_factor", 1.0), 1.0)
        self.reread = max(mine, again) if mine > 0 else 0.0
        self.attention_rate = self.plain_peak * serving["attention_fraction"]
        launch, kernel = engine.get("launch_s", 0.0), serving["kernel_s"]
        self.prefill_kernel = max(kernel, launch)
        self.kernel = kernel if engine.get("captured", True) else self.prefill_kernel
        self.product = serving.get("product_s", {}).get(weights, self.kernel)
        self.attention_s = serving["attention_s"] if engine.get("captured", True) else max(serving["attention_s"], launch)
        self.kv_bytes = {"bf16": 2.0, "fp8": 1.0, "int8": 1.0}[plan["kv_precision"]]
        self.scaled = plan["kv_precision"] == "int8"
        self.domain = device["scale_up"]["devices"]

    # ---- matrices: (name, layers, outputs, inputs, share of a device, kind) ----

    def matrices(self):
        d, t, h = self.d, self.t, self.d["hidden"]
        gated = 2 if d["mlp"] == "swiglu" else 1
        found = []
        for layers, moe, mixer in self.kinds():
            if mixer in STATES:
                inner, wide = self.mixer(mixer)
                found.append(("ssm.in", layers, wide, h, 1.0 / t, "attention"))
                if mixer == "lightning":
                    found.append(("ssm.gate_in", layers, inner, h, 1.0 / t, "attention"))
                found.append(("ssm.out", layers, h, inner, 1.0 / t, "attention"))
            elif "kv_lora_rank" in d:
                r_q, r_kv, rope = d["q_lora_rank"], d["kv_lora_rank"], d["qk_rope_head_dim"]
                whole = d["qk_nope_head_dim"] + rope
                if r_q:
                    found.append(("attn.q_down", layers, r_q, h, 1.0, "attention"))
                found.append(("attn.kv_down", layers, r_kv + rope, h, 1.0, "attention"))
                found.append(("attn.q_up" if r_q else "attn.q", layers, d["heads"] * whole, r_q or h, 1.0 / t, "attention"))
                found.append(("attn.kv_up", layers, d["heads"] * (d["qk_nope_head_dim"] + d["v_head_dim"]), r_kv, 1.0 / t,
                              "attention"))
                found.append(("attn.out", layers, h, d["heads"] * d["v_head_dim"], 1.0 / t, "attention"))
            elif mixer == "reuses":
                found.append(("attn.q", layers, d["heads"] * d["head_dim"], h, 1.0 / t, "attention"))
                found.append(("attn.out", layers, h, d["heads"] * d["head_dim"], 1.0 / t, "attention"))
            else:
                kv, heads, e = d["kv_heads"], d["heads"], d["head_dim"]
                share = (heads / t + 2 * max(kv / t, 1.0)) / (heads + 2 * kv)
                found.append(("attn.qkv", layers, (heads + 2 * kv) * e, h, share, "attention"))
                found.append(("attn.out", layers, h, heads * e, 1.0 / t, "attention"))
            up = "gate_up" if gated == 2 else "up"
            if moe:
                found.append(("moe.router", layers, self.experts, h, 1.0, "plain"))
                if "shared_hidden" in d:
                    found.append((f"moe.shared_{up}", layers, gated * d["shared_hidden"], h, 1.0 / t, ""))
                    found.append(("moe.shared_down", layers, h, d["shared_hidden"], 1.0 / t, ""))
                share = 1.0 / (t * self.groups)
                found.append((f"moe.{up}", layers, gated * d["expert_hidden"], h, share, "experts"))
                found.append(("moe.down", layers, h, d["expert_hidden"], share, "experts end"))
            else:
                found.append((f"mlp.{up}", layers, gated * d["ffn_hidden"], h, 1.0 / t, ""))
                found.append(("mlp.down", layers, h, d["ffn_hidden"], 1.0 / t, ""))
        return found + [("head.logits", 1, d["vocab"], h, 1.0 / t, "plain last")]

    def mixer(self, kind):
        """Returns the width of a token inside a layer with a state, and the number of outputs of its first product."""
        d = self.d
        if kind == "mamba2":
            return d["ssm_inner"], 2 * d["ssm_inner"] + 2 * d["ssm_groups"] * d["ssm_state"] + d["ssm_heads"]
        inner = d["heads"] * d["head_dim"] if kind == "lightning" else d["hidden"]
        return inner, 3 * inner

    def states(self):
        """Yields a tuple for each kind of state: name, number of layers, values per sequence and layer, FLOPs per token
        and layer. A convolution keeps its last inputs. A recurrence keeps a state; decay, update and reading of the
        state take 6 FLOPs per value."""
        d = self.d
        for layers, _, mixer in self.kinds():
            inner = self.mixer(mixer)[0] if mixer in STATES else 0
            channels = {"mamba2": inner + 2 * d.get("ssm_groups", 0) * d.get("ssm_state", 0), "short_conv": inner}.get(mixer)
            if channels:
                yield "ssm.conv", layers, channels * (d["conv_kernel"] - 1), 2 * channels * d["conv_kernel"]
            values = inner * {"mamba2": d.get("ssm_state"), "lightning": d["head_dim"]}.get(mixer, 0)
            if values:
                yield "ssm.scan", layers, values, 6 * values

    def kinds(self):
        """Returns (layers, has experts, window or kind of state) for each kind of layer, in the order of their first
        occurrence."""
        d, found = self.d, {}
        mixers = d.get("mixers", ["full"])
        for layer in range(d["layers"]):
            moe = self.experts > 0 and layer >= d.get("dense_layers", 0)
            mixer = mixers[layer % len(mixers)]
            window = d["sliding_window"] if mixer == "window" else mixer if mixer in STATES else 0
            if layer >= d["layers"] - d.get("reused_kv_layers", 0):
                window = "reuses"  # the layer reads keys and values of an earlier layer
            found[moe, window] = found.get((moe, window), 0) + 1
        return [(layers, moe, window) for (moe, window), layers in found.items()]

    def is_plain(self, kind):
        narrow = self.weight_bytes < 1.0 or self.weight_only
        return "plain" in kind or (narrow and self.experts > 0 and kind == "attention")

    # ---- a step ----

    def step(self, decode, sequences, cached, fresh, prompts=None, prompt_cached=0.0, prompt_tokens=0.0):
        """Returns the ops and the sums of a step. sequences: number of sequences of the replica. cached, fresh: tokens
        of a sequence before the step and in the step. prompts: number of prompts of the replica that are computed in
        the same step; None: a step without prompts."""
        plan, d, t, groups = self.plan, self.d, self.t, self.groups
        share = max(sequences / plan["pipeline"], min(sequences, 1.0))
        own = share / groups if decode else max(share / groups, min(share, 1.0))
        mixed, prompts = prompts is not None, (prompts or 0.0) * share / sequences / groups
        passes = 1.0 if decode else math.ceil(own * fresh / plan["chunk"])
        ops, sums, floor = [], dict.fromkeys(("product", "expert", "attention", "head"), 0.0), 0.0
        total = {"flops": 0.0, "weight": 0.0, "kv": 0.0}

        def op(name, part, count, rows, flops, weight, kv, compute, memory, fixed):
            larger = max((compute ** 1.5 + memory ** 1.5) ** (2 / 3), compute, memory) if weight else max(compute, memory)
            bound = "host" if fixed > larger else "compute" if compute >= memory else "memory"
            ops.append((name, count, rows, flops, weight, kv, larger + fixed, bound))
            sums[part] += larger + fixed
            for key, value in (("flops", flops), ("weight", weight), ("kv", kv)):
                total[key] += value
        for name, layers, n, k, part, kind in self.matrices():
            moe, last = "experts" in kind, "last" in kind
            rows = (groups if moe else 1) * (own * (1.0 if last and not (decode and fresh > 1) else fresh) +
                                             prompts * (1.0 if last else prompt_tokens))
            plain = self.is_plain(kind)
            busy = plan.get("imbalance", 1.0) if moe and "expert" in plan else 1.0
            times = 1.0 if last else passes
            read = min(self.experts * (1 - (1 - self.chosen / self.experts) ** (rows / times)) * busy, self.experts) if moe else 1.0
            elements = layers * n * k * part
            flops = 2 * rows * (self.chosen if moe else 1) * busy * elements
            weight = times * read * elements * (2.0 if plain else self.weight_bytes)
            rate = self.plain_rate if plain else self.flops_rate
            if moe:  # grouped products are slower, and 4-bit weights are converted to 16 bits: docs/accuracy-serving.md
                rate *= 0.26 if self.weight_bytes < 1.0 else 0.7
            reads = self.expert_stream if moe else self.plain_stream if plain else self.stream
            kernel = self.kernel if decode else self.prefill_kernel
            fixed = kernel if plain else max(kernel, self.product)
            if "end" in kind and self.weight_only:
                fixed += self.engine.get("expert_s", {}).get(plan["weights"], 0.0)
            op(name, "head" if last else "expert" if moe else "product", layers * times, rows, flops, weight, 0.0, flops / rate,
               weight / reads, layers * times * fixed)
            floor += flops / (self.plain_peak if plain else self.peak)
        for layers, _, window in self.kinds():
            if window in STATES:
                continue
            window, written = (0, 0) if window == "reuses" else (window, fresh)
            latent = d.get("kv_lora_rank", 0)
            rope = d.get("qk_rope_head_dim", 0)
            width = 2 * d["head_dim"] if not latent else 2 * latent + rope if decode else d["qk_nope_head_dim"] + rope + d["v_head_dim"]

            def pairs(n, w=window):
                return n * (n + 1) / 2 if w == 0 or n <= w else w * (w + 1) / 2 + (n - w) * w
            each = 2 * layers * d["heads"] / t * width
            flops = own * each * (pairs(cached + fresh) - pairs(cached))
            token = self.token(layers)
            chunks = math.ceil(fresh / plan["chunk"])
            chunk = min(plan["chunk"], fresh)
            reads = cached + 1 if decode else chunks * cached + chunk * chunks * (chunks - 1) / 2
            reads = min(reads, (1 if decode else chunks) * window) if window else reads
            kv = own * token * (reads + written)
            sharing = d["heads"] / t / max(d["kv_heads"] / t, 1.0)
            again = 1 + self.reread * (sharing - 1) if decode and not latent else 1.0
            slower = 1.0 if decode else self.engine.get("attention_factor", 1.0)
            count = layers * passes
            op("attn.core", "attention", count, own * fresh, flops, 0.0, kv, slower * flops / self.attention_rate,
               again * kv / self.kv_rate,
               count * (self.attention_s if decode else self.prefill_kernel))
            floor += flops / self.plain_peak
            if prompts:
                wide = 2 * d["head_dim"] if not latent else d["qk_nope_head_dim"] + rope + d["v_head_dim"]
                flops = prompts * each / width * wide * (pairs(prompt_cached + prompt_tokens) - pairs(prompt_cached))
                slower = self.engine.get("attention_factor", 1.0)
                op("attn.core", "attention", 0.0, prompts * prompt_tokens, flops, 0.0, 0.0, slower * flops / self.attention_rate,
                   0.0, 0.0)
                floor += flops / self.plain_peak
        # A chunk of a prefill that begins inside a prompt also reads the state.
        again = own if decode else own + sum(1 for i in range(1, int(passes)) if i * plan["chunk"] % math.floor(fresh) != 0)
        for name, layers, values, each in self.states():
            flops, kv = layers * own * fresh * each / t, 8.0 * layers * again * values / t
            op(name, "attention", layers * passes, own * fresh, flops, 0.0, kv, flops / self.attention_rate, kv / self.state_rate,
               layers * passes * (self.kernel if decode else self.prefill_kernel))
            floor += flops / self.plain_peak
            if prompts:
                flops, kv = layers * prompts * prompt_tokens * each / t, 8.0 * layers * prompts * values / t
                op(name, "attention", 0.0, prompts * prompt_tokens, flops, 0.0, kv, flops / self.attention_rate, kv / self.state_rate, 0.0)
                floor += flops / self.plain_peak
        if decode:
            op("head.sample", "head", 1.0, own, 0.0, 0.0, 0.0, 0.0, 4 * own * d["vocab"] / t / self.device["mem_bytes_per_s"],
               self.kernel)
        decoded, computed = (own * fresh, prompts * prompt_tokens) if decode else (0.0, own * fresh)
        comm, sent = self.communication(decoded, computed, passes)
        factor = 1.0 if mixed else self.engine.get("decode_factor" if decode else "prefill_factor", 1.0)
        sums = {key: factor * value for key, value in sums.items()} | {"comm": factor * comm}
        device_s, layers = sum(sums.values()), passes * d["layers"]
        host = max(layers * self.engine.get("host_layer_s", 0.0) - device_s, layers * self.engine["layer_s"])
        host += passes * self.engine["step_s"] + (own * self.engine["sequence_s"] if decode else 0.0)
        floor = max(floor, (total["weight"] + total["kv"]) / self.device["mem_bytes_per_s"])
        step = {"time_s": max(device_s + host, floor), "host_s": host, "lower_bound_s": floor, "flops": total["flops"],
                "weight_bytes": total["weight"], "kv_bytes": total["kv"], "bytes": total["weight"] + total["kv"],
                "network_bytes": sent,
                "sequences": sequences, "new_tokens": fresh, "steps": passes,
                "intensity_flops_per_byte": total["flops"] / (total["weight"] + total["kv"])}
        return ops, step | {key + "_s": value for key, value in sums.items()}

    def dispatched(self, layers, decoded, computed):
        """Returns the seconds and bytes of dispatch and combine between several servers, without fixed times, for
        tokens of decode steps and of prompts. See docs/formulas.md#experts."""
        ranks, k, efficiency = self.t * self.groups, self.chosen, self.device["efficiency"]
        servers = math.ceil(ranks / self.domain)
        inner = ranks / servers
        each = ((33 / 32 if self.plan["weights"] == "fp8-block" else 2.0) + 2.0) * layers * self.d["hidden"] / self.t
        each *= self.plan.get("imbalance", 1.0)

        def reached(parts):
            return parts * (1 - (1 - 1 / parts) ** k)
        inside = each * (inner - 1) / inner * (decoded * k / servers + computed * reached(ranks))
        across = each * (servers - 1) / servers * (decoded * k + computed * reached(servers))
        link = self.device["scale_up"]["bytes_per_s"] * efficiency["serving"]["all_reduce"]["two_shot_fraction"]
        nic = self.device["scale_out"]["bytes_per_s"] * efficiency["collectives"].get("scale_out_fraction", 1.0)
        return max(inside / link, across / nic), inside + across

    def communication(self, decoded, computed, passes):
        """Returns the seconds of communication, and the bytes that a device sends: all-reduces, tokens sent to experts,
        and messages between stages. decoded, computed: number of tokens of decode steps and of prompts."""
        plan, d, t, groups = self.plan, self.d, self.t, self.groups
        tokens = decoded + computed
        reduce, link = self.device["efficiency"]["serving"]["all_reduce"], self.device["scale_up"]["bytes_per_s"]
        size = tokens / passes * d["hidden"] * 2
        seconds = sent = 0.0
        if t > 1:
            fixed = reduce["fixed_s"] + reduce["rank_s"] * t
            one = fixed + (t - 1) * size / (reduce["one_shot_fraction"] * link)
            two = fixed + reduce["two_shot_s"] + 2 * (t - 1) / t * size / (reduce["two_shot_fraction"] * link)
            times = (2 * d["layers"] + 1) * passes
            seconds += times * (self.engine.get("all_reduce_factor", 1.0) * min(one, two) + self.engine.get("all_reduce_s", 0.0))
            sent += times * 2 * (t - 1) / t * size
        if groups > 1:
            for layers, moe, _ in self.kinds():
                if not moe:
                    continue
                if t * groups > self.domain:
                    time_s, own = self.dispatched(layers, decoded, computed)
                    fixed = reduce["fixed_s"] + self.device["scale_out"].get("latency_s", 0.0)
                else:
                    own = 2 * layers * tokens * d["hidden"] * 2 * self.chosen / t * (groups - 1) / groups
                    time_s, fixed = own / (reduce["two_shot_fraction"] * link), reduce["fixed_s"]
                seconds += time_s + 2 * layers * passes * (fixed + reduce["rank_s"] * groups)
                sent += own
        if plan["pipeline"] > 1:
            hops = plan["pipeline"] - 1
            message = passes * size / t
            seconds += hops * (passes * reduce["fixed_s"] + message / (reduce["one_shot_fraction"] * link))
            sent += hops * message / plan["pipeline"]
        return seconds, sent

    def token(self, layers):
        """Returns the bytes that one token takes in the KV cache of some layers, on a device."""
        d = self.d

        def element(width):
            return self.kv_bytes + (4.0 / width if self.scaled else 0.0)
        if "kv_lora_rank" in d:
            width = d["kv_lora_rank"] + d["qk_rope_head_dim"]
            return layers * width * element(width)
        return 2 * layers * max(d["kv_heads"] / self.t, 1.0) * d["head_dim"] * element(d["head_dim"])

    def cache(self, tokens):
        return sum(self.token(layers) * (min(tokens, window) if window else tokens) for layers, _, window in self.kinds()
                   if window not in STATES + ("reuses",))

    def state(self):
        """Returns the bytes of a sequence's states on a device, in fp32."""
        return sum(4.0 * layers * values for _, layers, values, _ in self.states()) / self.t

    def memory(self):
        plan, d = self.plan, self.d
        stage = math.ceil(d["layers"] / plan["pipeline"]) / d["layers"]
        inner = ends = 0.0
        for _, layers, n, k, part, kind in self.matrices():
            size = layers * (self.experts if "experts" in kind else 1) * n * k * part * (2.0 if self.is_plain(kind) else self.weight_bytes)
            if "last" in kind:
                ends += size
            else:
                inner += size
        norms = d["layers"] * 2 * d["hidden"] + d["hidden"]
        if "kv_lora_rank" in d:
            norms += d["layers"] * (d["q_lora_rank"] + d["kv_lora_rank"])
        # If the head is tied, the word table is also the matrix of the head.
        table = 2.0 * d["vocab"] * d["hidden"] / self.t
        both = max(table, ends) if d["tied_head"] or plan["pipeline"] > 1 else table + ends
        weights = inner * stage + 2.0 * norms * stage + both
        if set(STATES) & set(d.get("mixers", ())):
            weights = None  # not compared: layers with a state have other vectors
        workspace = self.engine.get("workspace_bytes", 2e9)
        length, block = plan["input_len"] + plan["output_len"], plan["block"]
        whole = self.cache(math.ceil(length / block) * block) * stage
        held = math.ceil(math.ceil(plan["batch"] / plan.get("data", 1)) / self.groups)
        return weights, workspace, whole, held, (self.cache(length) - self.cache(length - 1)) * stage


faults, compared, refused = [], 0, 0


def check(what, mine, printed, smallest=0.0):
    """smallest: absolute difference that rounding can cause and that the check therefore allows."""
    global compared
    compared += 1
    if mine != printed and not abs(mine - printed) <= 1e-9 * max(abs(mine), abs(printed)) + smallest:
        faults.append(f"{number} {what}: derived {mine!r}, printed {printed!r}")


class Load:
    """Computes the results of a static batch."""

    def __init__(self, served, memory):
        plan = served.plan
        self.served, self.plan, self.engine = served, plan, served.engine
        self.one = math.ceil(plan["batch"] / plan.get("data", 1))
        self.cached = min(math.floor(plan.get("prefix_hit", 0.0) * plan["input_len"]), plan["input_len"] - 1)
        self.fresh = plan["input_len"] - self.cached
        self.context = plan["input_len"] + plan["output_len"] / 2
        self.drafted = plan.get("draft_length", 0)
        a = plan.get("acceptance", 0.0)
        self.tokens = (1 - a ** (self.drafted + 1)) / (1 - a) if self.drafted else 1.0
        self.sequences = memory["max_sequences"]

    def prefill_s(self, sequences):
        return self.served.step(False, sequences, self.cached, self.fresh)[1]

    def decode_s(self, sequences):
        """Returns the seconds of a decode step. With a draft model, includes the steps of the draft model and the
        verification."""
        plain = self.served.step(True, sequences, self.context - 1, 1.0)[1]["time_s"]
        if not self.drafted:
            return plain
        verify = self.served.step(True, sequences, self.context - 1, self.drafted + 1)[1]["time_s"]
        return verify + self.drafted * self.plan["draft_share"] * plain

    def added_s(self, sequences, prompts):
        """Returns the seconds that prompts add to an iteration."""
        if sequences <= 0:
            together = max(prompts, 1.0)
            stages = self.plan["pipeline"] * self.served.groups
            return prompts / together / stages * self.prefill_s(together * stages)["time_s"]
        both = [self.served.step(True, sequences, self.context - 1, 1.0, count, self.cached,
                                 self.fresh)[1]["time_s"] for count in (prompts, 0.0)]
        return self.engine["prefill_factor"] * (both[0] - both[1])

    def saturation(self):
        plan, served = self.plan, self.served
        outputs, chunk = plan["output_len"], plan["chunk"] * served.groups
        places = max(self.sequences / plan.get("data", 1), 1.0)
        stage = math.ceil(served.d["layers"] / plan["pipeline"]) / served.d["layers"]

        def held(tokens):
            return (served.cache(math.ceil(tokens / plan["block"]) * plan["block"]) + served.state()) * stage
        # A preempting engine allocates space token by token. On average, a request of a preempting engine therefore
        # needs the mean of two spaces: that of its prompt, and that of its full length.
        room = (1 + held(plan["input_len"]) / held(plan["input_len"] + outputs)) / 2 if self.engine.get("preempt") else 1.0
        most = min(places / room, 256.0 * served.groups)
        started = min(most / ((outputs - 1) / self.tokens + max(self.fresh / chunk, 1.0)), chunk / self.fresh)
        decoding = started * (outputs - 1) / self.tokens
        together = max(started, min(chunk / self.fresh, 1.0))
        step_s = self.decode_s(decoding) if decoding > 0 else 0.0
        prompt_s = self.added_s(decoding, together) / together
        rate = 1 / (prompt_s + step_s / started)
        flops = self.prefill_s(1.0)["flops"] / served.groups + outputs * served.step(True, 1.0, self.context - 1, 1.0)[1]["flops"]
        return plan.get("data", 1) * min(rate, plan["pipeline"] * served.peak / flops)


def judge_rows(steps, answer):
    """Tests ops and sums of a prefill step and a decode step."""
    for phase, (ops, step) in steps.items():
        printed = [o for o in answer["ops"] if o["phase"] == phase]
        check(f"{phase} ops", len(ops), len(printed))
        for row, o in zip(ops, printed):
            for what, mine in zip(("name", "count", "rows", "flops", "weight_bytes", "kv_bytes", "time_s", "bound"), row):
                if isinstance(mine, str):
                    if mine != o[what]:
                        faults.append(f"{number} {phase} {row[0]}: {what} derived {mine}, printed {o[what]}")
                else:
                    check(f"{phase} {row[0]} {what}", mine, o[what])
        for what, mine in step.items():
            check(f"{phase} {what}", mine, answer[phase][what])


def judge_steps(served, load, answer):
    plan = served.plan
    steps = {"prefill": served.step(False, load.one, load.cached, load.fresh),
             "decode": served.step(True, load.one, load.context - 1, 1.0)}
    judge_rows(steps, answer)
    prefill, decode = steps["prefill"][1], steps["decode"][1]
    check("time of a prompt in an iteration", load.added_s(load.one, 1.0), answer["decode"]["prompt_s"], 1e-15)
    ridge = served.peak / served.device["mem_bytes_per_s"]
    few, all_of_them = [served.step(True, plan["pipeline"] * count, load.context - 1, 1.0)[1] for count in (1.0, 1e6)]
    check("limit of the intensity", all_of_them["flops"] / 1e6 / few["kv_bytes"],
          answer["decode"]["intensity_limit_flops_per_byte"])
    spare = all_of_them["flops"] / 1e6 / ridge - few["kv_bytes"]
    if spare > 0:
        check("critical batch", all_of_them["weight_bytes"] / spare, answer["decode"]["critical_batch"])
    elif answer["decode"]["critical_batch"] is not None:
        faults.append(f"{number} critical batch {answer['decode']['critical_batch']}")
    return prefill, decode


def judge_memory(served, memory):
    plan, data = served.plan, served.plan.get("data", 1)
    weights, workspace, whole, held, of_token = served.memory()
    state = served.state() * math.ceil(served.d["layers"] / plan["pipeline"]) / served.d["layers"]
    if weights is not None:
        check("weight_bytes", weights, memory["weight_bytes"])
    check("workspace", workspace, memory["workspace_bytes"])
    check("cache of a token", of_token, memory["kv_bytes_per_token"])
    free = max(0.9 * served.device["mem_bytes"] - memory["weight_bytes"] - workspace, 0.0)
    check("free", free, memory["free_bytes"])
    check("max_sequences", math.floor(free / (whole + state)) * served.groups * data, memory["max_sequences"])
    if of_token > 0:
        check("max_tokens", math.floor(free / of_token) * served.groups * data, memory["max_tokens"])
    check("kv_bytes", held * (whole + state), memory["kv_bytes"])
    check("total", memory["weight_bytes"] + workspace + held * (whole + state), memory["total_bytes"])
    check("headroom", 0.9 * served.device["mem_bytes"] - memory["total_bytes"], memory["headroom_bytes"])
    waste = (plan["block"] - 1 if served.engine.get("paged", True) else 0) / 2 * of_token
    check("paging waste", waste, memory["paging_waste_bytes"])


def judge_load(served, load, prefill, answer):
    plan, latency, throughput = served.plan, answer["latency"], answer["throughput"]
    batch, data, outputs = plan["batch"], plan.get("data", 1), plan["output_len"]
    tpot, decode = load.decode_s(load.one) / load.tokens, answer["decode"]["time_s"]
    ttft = prefill["time_s"] + served.engine["ttft_s"]
    check("first token", ttft, latency["ttft_s"])
    check("time per token", tpot, latency["tpot_s"])
    request = ttft + (outputs - 1) * tpot
    held = math.floor(load.sequences / data)
    if 1 <= held < load.one:  # the batch does not fit at once, so it runs in waves

        def wave(count):
            return load.prefill_s(count)["time_s"] + (outputs - 1) * load.decode_s(count) / load.tokens if count else 0.0
        full = load.one // held
        request = served.engine["ttft_s"] + full * wave(held) + wave(load.one - full * held)
    check("request", request, latency["request_s"])

    def bound(sequences, context):
        fresh = load.drafted + 1
        return served.step(True, sequences, context - 1, fresh)[1]["lower_bound_s"] / load.tokens
    least = bound(load.one, load.context)
    least = bound(1.0, plan["input_len"] * 0.9) if tpot < least else least
    check("bound of the first token", prefill["lower_bound_s"], latency["ttft_lower_bound_s"])
    check("bound per token", least, latency["tpot_lower_bound_s"])
    check("bound of a request", prefill["lower_bound_s"] + (outputs - 1) * least, latency["request_lower_bound_s"])
    # the ranges are wider for models with a state, because no measured row is of such a model (see UNMEASURED in
    # serve_load.c)
    wider = 2.3 if set(STATES) & set(served.d.get("mixers", ())) else 1.0
    for what, value, floor, low, high in (("ttft", ttft, prefill["lower_bound_s"], 0.75, 1.5), ("tpot", tpot, least, 0.875, 1.25)):
        check(f"low {what}", max(low / wider * value, floor), latency[f"{what}_interval_s"][0])
        check(f"high {what}", high * wider * value, latency[f"{what}_interval_s"][1])
    devices = served.t * plan["pipeline"] * served.groups * data
    rate = batch * outputs / request
    check("tokens/s", rate, throughput["output_tokens_per_s"])
    check("tokens/s of a device", rate / devices, throughput["output_tokens_per_s_per_device"])
    check("tokens/s of a user", 1 / tpot, throughput["tokens_per_s_per_user"])
    check("requests/s", rate / outputs, throughput["requests_per_s"])
    check("input tokens/s", rate / outputs * plan["input_len"], throughput["input_tokens_per_s"])
    check("upper bound of tokens/s", batch / least, throughput["upper_bound_tokens_per_s"])
    check("saturation", load.saturation(), throughput["saturation_rate"])
    work = prefill["flops"] / load.one + (outputs - 1) * answer["decode"]["flops"] / max(load.one / plan["pipeline"], 1.0)
    check("utilization", rate / outputs / data / plan["pipeline"] * work / served.peak, throughput["utilization"])
    cost, second = answer["cost"], 4 / 3600 * devices
    check("price", second / rate * 1e6, cost["per_million_output_tokens"])
    check("energy", served.device["power_w"] * devices / rate, cost["energy_j_per_token"])
    check("carbon", served.device["power_w"] * devices / rate * 1e6 / 3.6e6 * 300, cost["carbon_g_per_million_tokens"])
    check("decoded price", second / data * decode / load.one * 1e6, cost["per_million_decoded_tokens"])
    check("prefilled price", second / data * prefill["time_s"] / load.one / plan["input_len"] * 1e6,
          cost["per_million_prefilled_tokens"])


def judge_formulas(served, load, tpot, answer):
    """Tests the formulas of speculative decoding."""
    plan, found, outputs = served.plan, answer["formula"], served.plan["output_len"]
    if load.drafted:
        decode = answer["decode"]["time_s"]
        verify = served.step(True, load.one, load.context - 1, load.drafted + 1)[1]["time_s"]
        draft = plan["draft_share"] * decode
        check("tokens of a verification", load.tokens, found["tokens_per_verify"])
        check("draft", draft, found["draft_s"])
        check("verification", verify, found["verify_s"])
        check("speedup", load.tokens * decode / (verify + load.drafted * draft), found["speculation_speedup"])
        check("speculative time per token", tpot, found["speculation_tpot_s"])


def judge_closed(served, words):
    """Tests a closed loop. The prefill step of a closed loop computes one prompt. The decode step computes one token
    for each of the sequences whose number the answer prints."""
    done = subprocess.run([nncost, *("--concurrency" if word == "--batch" else word for word in words)], capture_output=True,
                          text=True, check=False, timeout=60)
    if done.returncode in (0, 1):
        answer = json.loads(done.stdout)
        load = Load(served, answer["memory"])
        judge_rows({"prefill": served.step(False, 1.0, load.cached, load.fresh),
                    "decode": served.step(True, answer["decode"]["sequences"], load.context - 1, 1.0)}, answer)


def judge(served, answer):
    load = Load(served, answer["memory"])
    prefill, _ = judge_steps(served, load, answer)
    judge_memory(served, answer["memory"])
    judge_load(served, load, prefill, answer)
    judge_formulas(served, load, answer["latency"]["tpot_s"], answer)


def write(name, value):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return path


with open(os.path.join(root, "software/vllm.json"), encoding="utf-8") as file:
    vllm = json.load(file)
for number in range(rounds):
    dims, device, engine = draw_model(), draw_device(), draw_engine()
    plan = draw_plan(dims, device)
    model = {"schema": "nncost.model/1", "id": "m", "name": "A random decoder", "family": "decoder", **dims, "positions": "rotary",
             "norm": "rms", "biases": False, "dropout": 0, "sources": {"": "drawn"}}
    words = [word for key, value in plan.items() for word in ("--" + key.replace("_", "-"), str(value))]
    command = ["ops", write("m.json", model), write("d.json", device), "--serve", *words, "--software",
               write("e.json", vllm | {"id": "e", "serving": engine}), "--no-defaults", "--format", "json"]
    done = subprocess.run([nncost, *command], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode not in (0, 1):
        refused += 1
        if os.environ.get("SHOW"):
            print(done.stderr.strip())
        continue
    before = len(faults)
    judge(Served(dims, plan, device, engine), json.loads(done.stdout))
    if number % 4 == 0:
        judge_closed(Served(dims, plan, device, engine), command)
    if len(faults) > before:
        faults.append(f"{number} {json.dumps(dims)} {json.dumps(engine)} {' '.join(command)}")
print(f"{compared} values of {rounds} rounds, {refused} refused, {len(faults)} faults")
print("\n".join(faults[:int(os.environ.get("FAULTS", 40))]))
sys.exit(1 if faults or refused > rounds / 2 else 0)
