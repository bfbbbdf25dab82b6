#!/usr/bin/env python3
"""canonical.py TABLE.csv [OUT.csv]: converts a published table of measurements to the columns that nncost reads.

Reads the columns of published tables (n_layers, d_model, tp, framework ...), writes fields of nncost's plan, model,
device and software (model.layers, tensor, software ...), and copies all columns that it does not convert. Each line of
the input gives one line of the output.

    foreign/names/words.json     meanings of words, names of frameworks, settings that notes or programs of rows state,
                                 families of models, engines, columns for people
    foreign/names/members.json   networks by their published names: a shipped model and the fields that differ
    hub/names.json               networks that have a shape in hub/ of this name

A row of the output has only settings that its source states. Default settings of a framework are in software/*.json,
which nncost reads. If the source does not state a deciding field, the value is guessed, and the column "open" names the
field. If nncost cannot predict a row, the column "refused" has the reason.
"""
import csv
import io
import json
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GIB = 1073741824.0
USUAL_RANK, VIRTUAL_MOST, ONE_PASS_MOST, Q4_K_GROUP = 16, 64, 16, 24

# Columns of published tables that state a field of nncost under another name.
RENAMED = {
    "hardware": "device", "n_devices": "devices", "n_nodes": "nodes", "version": "framework_version",
    "measured_step_s": "measured_s", "step_rel_unc": "rounding", "n_layers": "model.layers", "d_model": "model.hidden",
    "n_heads": "model.heads", "n_kv_heads": "model.kv_heads", "head_dim": "model.head_dim", "d_ff": "model.ffn_hidden",
    "vocab": "model.vocab", "tied_embeddings": "model.tied_head", "pos_embedding": "model.positions",
    "q_lora_rank": "model.q_lora_rank", "kv_lora_rank": "model.kv_lora_rank", "qk_nope_dim": "model.qk_nope_head_dim",
    "qk_rope_dim": "model.qk_rope_head_dim", "v_head_dim": "model.v_head_dim", "n_experts": "model.experts",
    "top_k": "model.experts_per_token", "moe_d_ff": "model.expert_hidden", "shared_d_ff": "model.shared_hidden",
    "n_dense_layers": "model.dense_layers", "mtp_layers": "model.next_layers",
    "sliding_window": "model.sliding_window", "image_size": "image", "tp": "tensor", "pp": "pipeline",
    "vpp": "virtual_stages", "dp": "data", "cp": "context", "ep": "expert", "sp": "sequence_parallel",
    "zero_stage": "zero", "shard_size": "shard", "grad_accum": "micro_batches", "flash_attention": "attention",
    "attention_dp": "attention_data", "kv_cache": "kv_precision",
}
# Columns of published tables that other columns replace.
REPLACED = ["sharding", "gated_mlp", "internode_gbps_per_node", "lora_rank", "measured_peak_mem_gb",
            "measured_peak_mem_gib", "measured_peak_reserved_gib", "length_spread"]
SWITCHES = {"0": "off", "1": "on"}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Refused(Exception):
    """The exception for a row that cannot be predicted; its text is the reason."""


class Tables:
    """The meanings of the words and names in published tables."""

    def __init__(self):
        self.words = load(os.path.join(ROOT, "foreign", "names", "words.json"))
        names = load(os.path.join(ROOT, "foreign", "names", "members.json"))
        self.members, self.stand_ins = names["members"], names["stand_ins"]
        self.shapes = load(os.path.join(ROOT, "hub", "names.json"))["shapes"]

    def meaning(self, column, text):
        """Returns the word of nncost for a word of a published table; "" = the word states nothing."""
        found = self.words["words"].get(column, {}).get(text, text)
        if isinstance(found, dict):
            raise Refused(found["refused"])
        return found

    def member(self, name, task, stated):
        """Returns "MODEL FIELD=VALUE ..." for the name of a network. Returns the name itself if another network stands
        in for the named network, or if hub/ has the shape of the network; but not if the row states its dimensions.
        Returns None if the name is not listed."""
        alone = name if not stated and (name in self.stand_ins or name in self.shapes) else None
        found = self.members.get(f"{name}/{task}", self.members.get(name, alone))
        if isinstance(found, dict):
            raise Refused(found["refused"])
        return found

    def family(self, row):
        for entry in self.words["families"]:
            if (row.get("model_family", "").startswith(entry["begins"]) and
                    row.get("model_name", "").startswith(entry.get("named", ""))):
                return entry
        return {}

    def engine(self, row, source):
        for entry in self.words["engines"]:
            if (row.get("framework", "").startswith(entry.get("framework", "")) and
                    row.get("version", "").startswith(entry.get("version", "")) and
                    row.get("device", "").startswith(entry.get("device", "")) and
                    source.startswith(entry.get("source", ""))):
                return entry
        return {}

    def said(self, row):
        """Returns settings that the columns of a row lack, but that its notes or the name of the program state."""
        found = {}
        for entry in self.words["rows"]:
            if (all(row.get(column, "").startswith(text) for column, text in entry["begins"].items()) and
                    entry.get("notes", "") in row.get("notes", "") and entry.get("id_has", "") in row.get("id", "")):
                found.update(entry["set"])
        return found


def whole(text):
    return int(text) if text else 0


def number(value):
    """Writes a double so that it is read back without a change."""
    return repr(float(value))


def switch(value):
    return "on" if value else "off"


CONTIGUOUS = ", contiguous"  # tables add this text to the names of frameworks whose feature maps are contiguous


class Step:
    """Converts one training step. `row`: the row as it was published; `out`: the row in the columns of nncost."""

    def __init__(self, tables, row):
        self.tables, self.row, self.out, self.open = tables, row, {}, []
        self.source = row.get("source", "").split(":")[0]
        self.refused = ""

    def text(self, column):
        return self.row.get(column, "")

    def attempt(self, part):
        """Runs one function of the conversion. If the function cannot convert the row, stores the reason, unless an
        earlier reason is stored."""
        try:
            part()
        except Refused as why:
            self.refused = self.refused or str(why)

    def word(self, column):
        """Returns the meaning of a cell. If the meaning of a word is not known, the cell counts as empty."""
        try:
            return self.tables.meaning(column, self.text(column))
        except Refused as why:
            self.refused = self.refused or str(why)
            return ""

    def read_grade(self):
        """Reads a grade from the notes, if the table has no column of grades: "quality B; batch not stated"."""
        notes = self.text("notes")
        if not self.text("quality") and notes.startswith("quality "):
            self.out["quality"] = self.row["quality"] = notes[len("quality "):][:1]

    def convert(self):
        self.read_grade()
        self.name_framework()
        self.said = self.tables.said(self.row)
        self.refused = self.said.get("-refused", "")
        for part in (self.formats, self.task, self.degrees, self.sharding, self.batch, self.recompute, self.model,
                     self.measured):
            self.attempt(part)
        self.out.update({k: v for k, v in self.said.items() if not k.startswith("-")})
        self.out["open"] = ", ".join(self.open)
        self.out["refused"] = self.refused
        return self.out

    def name_framework(self):
        """Sets the framework and the release, with the names of software/*.json."""
        framework, version = self.text("framework"), self.text("framework_version")
        columns = {"framework": "framework", "version": "framework_version", "id": "id", "source": "source", "model": "model_name"}
        for entry in self.tables.words["frameworks"]:
            if not (all(self.text(column).lower().startswith(entry.get(key, "").lower()) for key, column in columns.items())
                    and self.text("id").endswith(entry.get("id_ends", ""))):
                continue
            self.out["framework"] = self.row["framework"] = entry.get("before", "") + entry.get("is", framework)
            if "version" in entry:
                number = re.sub("^[^0-9]*", "", version)
                self.out["framework_version"] = self.row["framework_version"] = re.split("[; ]", number)[0]
            return

    def formats(self):
        out = self.out
        out["optimizer"], out["offload"] = self.word("optimizer"), self.word("offload")
        out["attention"], out["precision"] = self.word("flash_attention"), self.word("precision")
        if self.text("channels_last"):
            out["software.contiguous_maps"] = switch(self.text("channels_last") == "0")
        if self.text("framework").endswith(CONTIGUOUS):
            out["framework"] = self.row["framework"] = self.text("framework").removesuffix(CONTIGUOUS)
            out["software.contiguous_maps"] = "on"

    def task(self):
        task = self.word("task")
        if task == "lora":
            self.out["adapter_rank"] = self.text("lora_rank") or str(USUAL_RANK)
        elif task:
            raise Refused(f'task "{self.text("task")}" has no meaning here')

    def degrees(self):
        out = self.out
        devices, tensor = whole(self.text("n_devices")), whole(self.text("tp") or "1")
        if self.text("sp"):
            out["sequence_parallel"] = switch(self.text("sp") == "1" and tensor > 1)
        if devices > 1 and not self.text("tp") and not self.text("dp"):
            self.open.append("parallelism")
        elif whole(self.text("pp") or "1") > 1 and not self.text("vpp"):
            self.open.append("vpp")

    def sharding(self):
        self.out["zero"] = zero = self.text("zero_stage") or self.word("sharding")
        if zero == "0":
            self.out["shard"] = ""

    def batch(self):
        out = self.out
        counts = {c: float(self.text(c)) if self.text(c) else 0.0 for c in ("micro_batch", "grad_accum",
                                                                            "global_batch")}
        for column, count in counts.items():
            if count and (count < 1 or count != math.floor(count)):
                self.attempt(lambda: self.refuse(f"{column} is not a whole number"))
                counts[column] = 0.0
                out[RENAMED.get(column, column)] = ""
        batch, devices = int(counts["global_batch"]), whole(self.text("n_devices"))
        tensor, data = whole(self.text("tp") or "1"), whole(self.text("dp"))
        full, tokens = batch * float(whole(self.text("seq_len"))), self.text("tokens_per_step")
        if full > 0 and tokens and abs(float(tokens) / full - 1) > 0.001:
            self.attempt(lambda: self.refuse("tokens_per_step: sequences are packed or padded"))
        if "parallelism" in self.open and 0 < batch < devices and devices % batch == 0:
            tensor = devices // batch  # the batch has too few sequences for more replicas
            out["tensor"] = str(tensor)
        if counts["micro_batch"] == 0 and counts["grad_accum"] == 0:
            self.open.append("micro_batch")
            pipeline, ranks = whole(self.text("pp") or "1"), tensor * whole(self.text("pp") or "1")
            ranks *= whole(self.text("cp") or "1")
            replicas = data or devices // ranks
            own = batch // replicas if replicas > 0 and batch % replicas == 0 else 0
            one_pass = "-one_pass" in self.said or (own <= ONE_PASS_MOST and pipeline == 1)
            out["micro_batch"] = str(own if one_pass and own else 1)

    @staticmethod
    def refuse(why):
        raise Refused(why)

    def recompute(self):
        recompute = self.said.get("recompute") or self.word("recompute")
        self.out["recompute"] = recompute
        if not recompute:
            self.open.append("recompute")

    # ---- the model ----

    def model(self):
        member = self.tables.member(self.text("model_name"), self.text("task"), bool(self.text("n_layers")))
        family = self.tables.family(self.row)
        if member is None and "model" in family:
            self.named(family["model"])
            self.out["seq_len"] = ""
        elif member is not None:
            self.named(member)
            if self.said.get("variable_length", self.text("variable_length")) == "unpadded":
                # In padded batches of BERT, half of the tokens are padding: arXiv:2107.02027.
                self.out["seq_len"] = str(whole(self.text("seq_len")) // 2)
        elif not self.text("n_layers"):
            raise Refused("no layers, and no such network in foreign/names/members.json")
        elif "refused" in family:
            raise Refused(f"model family {self.text('model_family')} {family['refused']}")
        else:
            self.decoder(family)

    def named(self, spec):
        """Sets a shipped model and the fields that differ from it."""
        self.out["model"] = spec
        for column, name in RENAMED.items():
            if name.startswith("model."):
                self.out[name] = ""

    def decoder(self, family):
        out = self.out
        gated = self.text("gated_mlp") == "1"
        positions = self.word("pos_embedding")
        out["model.mlp"], out["model.norm"] = ("swiglu", "rms") if gated else ("gelu", "layer")
        out["model.positions"] = positions or ("rotary" if gated else "learned")
        out["model.biases"] = switch(not gated and out["model.positions"] != "rotary")
        self.windows()
        if not whole(self.text("n_experts")):
            for column in ("top_k", "moe_d_ff", "shared_d_ff", "n_dense_layers"):
                out[RENAMED[column]] = ""
        if self.word("attention") != "latent":
            for column in ("q_lora_rank", "kv_lora_rank", "qk_nope_dim", "qk_rope_dim", "v_head_dim"):
                out[RENAMED[column]] = ""
        for field, value in family.get("gated" if gated else "plain", {}).items():
            out["model." + field] = value
        out["next_tokens"] = switch(whole(self.text("mtp_layers")))

    def windows(self):
        """Reads a text such as "128", "128 on every 2nd layer" or "1024 on 5 of 6 layers"."""
        text = self.text("sliding_window")
        words = text.split()
        if not text:
            return
        try:
            some, of = 1, 1
            if words[1:3] == ["on", "every"]:
                of = int(words[3].rstrip("ndrsth"))
            elif len(words) > 1:
                some, of = int(words[2]), int(words[4])
            self.out["model.sliding_window"] = str(int(words[0]))
            if of > 1:
                self.out["model.mixers"] = ",".join(["window"] * some + ["full"] * (of - some))
        except (ValueError, IndexError) as wrong:
            raise Refused(f'sliding_window "{text}" has no meaning here') from wrong

    # ---- measured values ----

    def measured(self):
        out = self.out
        node, per_node = self.text("internode_gbps_per_node"), whole(self.text("devices_per_node"))
        if node and float(node) > 0 and per_node > 0:
            out["device.scale_out.bytes_per_s"] = number(float(node) * 1e9 / 8.0 / per_node)
        stat = self.text("mem_stat").split(":")[0]
        stat = stat if stat in ("reserved", "unstated") else "allocated"
        if self.text("measured_peak_mem_gb"):
            out[stat + "_bytes"] = number(1e9 * float(self.text("measured_peak_mem_gb")))
        if self.text("measured_peak_mem_gib"):
            out[stat + "_bytes"] = number(GIB * float(self.text("measured_peak_mem_gib")))
        if self.text("measured_peak_reserved_gib"):
            out["reserved_bytes"] = number(GIB * float(self.text("measured_peak_reserved_gib")))
        if "composed from parts" in self.text("step_basis"):
            self.open.append("composed from parts")
        if self.text("quality") == "B":  # the source grades its rows
            self.open.append("quality B")
        elif self.text("quality") == "C":
            raise Refused("quality C: contradicts itself or physics")


class Served(Step):
    """Converts one row of served requests."""

    def convert(self):
        self.out["model_name"] = self.text("model")
        self.said = self.tables.said(self.row)
        self.row.update({k: v for k, v in self.said.items() if k in self.row})
        for part in (self.graded, self.software, self.weights, self.serving_degrees, self.lengths, self.served_model):
            self.attempt(part)
        self.out["open"] = "a setting that its source does not record" if self.text("quality") == "B" else ""
        self.out["refused"] = self.refused
        return self.out

    def graded(self):
        if self.text("quality") == "C":
            raise Refused("quality C: contradicts itself or physics")

    def software(self):
        self.engine = self.tables.engine(self.row, self.source)
        self.out["software"] = "" if self.refused else self.engine.get("software", "")
        self.out["waves"] = str(self.engine.get("waves", ""))
        requests = re.search(r"(\d+) requests\b", self.text("notes"))  # the benchmark has a fixed rate of requests
        self.out["requests"] = requests[1] if requests and self.text("mode") == "open-loop" else self.text("requests")
        self.out["fitted"] = "1" if "fitted_whole" in self.engine else "0" if "held_out" in self.engine else ""
        settings = ("chunk", "wait_steps", "wait_share", "balance_steps", "balance_more", "receive_steps", "memory_use",
                    "max_batch", "graph_tokens")
        new = {k: v for k, v in self.said.items() if k not in self.row and not k.startswith("-")}
        self.out.update(dict.fromkeys(settings, ""), **new)

    def is_pass(self):
        return self.text("iterations_per_s") or (self.text("latency_s") and not self.text("output_len"))

    def weights(self):
        if self.is_pass():
            return
        word = self.word("weights")
        if word == "fp8" and self.text("model") in self.tables.words["block_scaled"]:
            word = "fp8-block"
        self.out["weights"] = word
        if self.text("weights") == "q4_k_m":
            self.out["group_size"] = str(Q4_K_GROUP)  # 4.83 bits per element
        narrow = word in ("fp8", "fp8-block", "nvfp4", "mxfp4")
        if narrow and not self.text("kv_cache") and "kv_precision" not in self.said:
            self.out["kv_precision"] = self.engine.get("narrow_kv", "")

    def serving_degrees(self):
        for column in ("n_devices", "tensor"):  # programs see each die of a package as a separate device
            if "-dies" in self.said and self.text(column):
                self.row[column] = str(whole(self.text(column)) * whole(self.said["-dies"]))
        out, devices, expert = self.out, whole(self.text("n_devices") or "1"), whole(self.text("expert") or "1")
        layers = self.text("framework").startswith("llama.cpp")  # llama.cpp divides a model by layers
        unstated = not self.text("tensor") and devices > 1
        tensor = whole(self.text("tensor") or (str(devices) if unstated and not layers else "1"))
        groups = max(1, whole(self.text("attention_dp") or "1"))
        if unstated and layers and not self.text("pipeline"):
            out["pipeline"] = str(devices)
        if 1 < expert <= 64 and devices == expert * expert:
            # Some sources count one group of ranks both as tensor ranks and as expert ranks, and state the product of
            # both degrees as the number of devices.
            devices, groups, tensor = expert, 1 if tensor > 1 else expert, expert if tensor > 1 else 1
        if 1 < expert == devices and 1 < tensor <= 64 and devices == tensor * tensor:
            devices, groups = tensor, 1  # the same ranks were counted twice, as the product of two equal degrees
        if self.is_pass():
            return
        out["devices"], out["attention_data"] = str(devices), str(groups)
        out["tensor"] = str(tensor) if not unstated or expert > 1 else ""
        out["expert"] = str(tensor * groups) if expert > 1 else ""

    def lengths(self):
        """Sets the mean length. The mean length is the stated length times the middle of the spread, such as 0.9 for
        "0.8-1"."""
        low, _, high = self.text("length_spread").partition("-")
        for column in ("input_len", "output_len"):
            if high and self.text(column):
                mean = float(self.text(column)) * (float(low) + float(high)) / 2.0
                self.out[column] = str(math.floor(mean + 0.5))

    def served_model(self):
        self.out["model"] = self.tables.member(self.text("model"), "serving", False) or self.text("model")


def kind_of(columns):
    if "mode" in columns and {"input_len", "iterations_per_s"} & columns:
        return Served
    return Step if "measured_step_s" in columns else None


def convert_row(tables, row, kind):
    """Returns the row in the columns of nncost: first in the order of the published columns, then new columns."""
    found = kind(tables, row).convert() if kind else {}
    out = {}
    for column, text in row.items():
        name = RENAMED.get(column, column)
        if kind is Step and column == "attention":
            continue
        if kind and column in REPLACED:
            continue
        if kind is Step and SWITCHES.get(text) and column in ("tied_embeddings", "sp"):
            text = SWITCHES[text]
        if column == "time_us" and text:
            name, text = "measured_s", number(1e-6 * float(text))
        out[name] = found.pop(name, text)
    out.update(found)
    return out


def convert(text):
    """Returns a table as text; parts that are already canonical are not changed."""
    rows = list(csv.DictReader(io.StringIO(text)))
    columns = set(rows[0]) if rows else set()
    if not columns & set(RENAMED) and "time_us" not in columns:
        return rows
    tables = Tables()
    return [convert_row(tables, row, kind_of(columns)) for row in rows]


def write(rows, file):
    columns = {}
    for row in rows:
        for column, text in row.items():
            columns[column] = columns.get(column, False) or text != "" or column in ("id", "open")
    kept = [c for c, used in columns.items() if used]
    out = csv.DictWriter(file, kept, restval="", extrasaction="ignore", lineterminator="\n")
    out.writeheader()
    out.writerows(rows)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8-sig", newline="") as file:
        rows = convert(file.read())
    if len(sys.argv) == 2:
        write(rows, sys.stdout)
        return
    with open(sys.argv[2], "w", encoding="utf-8", newline="") as file:
        write(rows, file)


if __name__ == "__main__":
    main()
