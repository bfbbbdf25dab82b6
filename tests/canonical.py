#!/usr/bin/env python3
"""canonical.py NNCOST SOURCE: tests that tools/lab/canonical.py converts published tables of measurements, and that
nncost reads the converted tables."""
import csv
import glob
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(SOURCE, "tools/lab"))
import canonical  # pylint: disable=wrong-import-position

STEP = "id,hardware,n_devices,n_layers,d_model,n_heads,d_ff,vocab,seq_len"
SHAPE = "4,64,4,256,512,128"


def converted(text):
    rows = canonical.convert(text)
    file = io.StringIO()
    canonical.write(rows, file)
    return list(csv.DictReader(io.StringIO(file.getvalue())))


def column(text, name):
    return [row.get(name, "") for row in converted(text)]


class Steps(unittest.TestCase):
    def test_words(self):
        text = (STEP + ",sharding,precision,optimizer,recompute,dp,micro_batch,measured_step_s\n"
                f"a,x,8,{SHAPE},fsdp,amp fp16,decoupled_adamw,full,8,1,1\n"
                f"b,x,8,{SHAPE},distributed-optimizer,int8,adam,full,8,1,1\n")
        first, second = converted(text)
        self.assertEqual((first["zero"], first["precision"], first["optimizer"]), ("3", "fp16", "adamw"))
        self.assertEqual((second["zero"], second["refused"]), ("1", "precision int8: no training in integers"))

    def test_names_and_units(self):
        text = (STEP + ",devices_per_node,internode_gbps_per_node,dp,micro_batch,grad_accum,recompute,"
                "measured_step_s,measured_peak_mem_gib,mem_stat\n"
                f"a,x,512,{SHAPE},8,800,512,2,3,none,1,2,reserved: worst rank\n")
        row, = converted(text)
        self.assertEqual(float(row["device.scale_out.bytes_per_s"]), 12.5e9)  # 800 Gbit/s per server of 8 devices
        self.assertEqual(float(row["reserved_bytes"]), 2 * 1073741824.0)
        self.assertEqual((row["device"], row["devices"], row["model.hidden"], row["micro_batches"]),
                         ("x", "512", "64", "3"))

    def test_frameworks_and_releases_have_their_names(self):
        text = ("id,hardware,n_devices,framework,framework_version,precision,notes,measured_step_s\n"
                "a,b200,8,Megatron-Bridge,NeMo 26.04 container,fp8-mx,,1\n"
                "b,h100,8,Megatron-LM,Megatron-Core r0.8.0,bf16,,1\n"
                "c,gb200,8,NeMo,MLPerf v5.1; NVIDIA NeMo,fp8,,1\n"
                "d,h100,8,torchtitan,,bf16,\"FSDP, eager\",1\n"
                "e,h100,8,torchtitan,,fp8,\"compiled, float8 rowwise\",1\n")
        self.assertEqual(column(text, "framework"), ["Megatron-Bridge", "Megatron-Core", "MLPerf NeMo",
                                                     "torchtitan eager", "torchtitan"])
        self.assertEqual(column(text, "framework_version")[:3], ["26.04", "0.8.0", "5.1"])
        self.assertEqual(column(text, "precision")[4], "bf16")

    def test_layout_of_feature_maps(self):
        text = ("id,hardware,n_devices,model_name,image_size,framework,channels_last,micro_batch,measured_step_s\n"
                "a,a100,1,resnet50,224,\"DeepLearningExamples MxNet, contiguous\",,64,1\n"
                "b,a100,1,resnet50,224,DeepLearningExamples MxNet,,64,1\n"
                "c,a100,1,resnet50,224,mine,0,64,1\n"
                "d,a100,1,resnet50,224,mine,1,64,1\n"
                "e,a100,1,resnet50,224,timm,,64,1\n"
                "f,a100,1,resnet50,224,\"timm, channels last\",,64,1\n")
        self.assertEqual(column(text, "software.contiguous_maps"), ["on", "", "on", "off", "on", "off"])
        self.assertEqual(column(text, "framework")[:2], ["DeepLearningExamples MxNet"] * 2)

    def test_open_fields_are_guessed_and_named(self):
        text = (STEP + ",dp,global_batch,recompute,measured_step_s\n"
                f"a,x,8,{SHAPE},8,128,none,1\n"    # 16 sequences of a rank are one pass
                f"b,x,8,{SHAPE},8,136,none,1\n"    # 17 are not
                f"c,x,8,{SHAPE},,2,,1\n")          # six of eight devices have no sequence: tensor ranks
        self.assertEqual(column(text, "micro_batch"), ["16", "1", "1"])
        self.assertEqual(column(text, "open"), ["micro_batch", "micro_batch", "parallelism, micro_batch, recompute"])
        self.assertEqual(column(text, "tensor"), ["", "", "4"])

    def test_grades(self):
        text = (STEP + ",dp,micro_batch,recompute,quality,measured_step_s\n" +
                "".join(f"{q},x,8,{SHAPE},8,1,none,{q},1\n" for q in "ABC"))
        self.assertEqual(column(text, "open"), ["", "quality B", ""])
        self.assertEqual(column(text, "refused"), ["", "", "quality C: contradicts itself or physics"])

    def test_windows(self):
        text = (STEP + ",sliding_window,measured_step_s\n"
                f"a,x,8,{SHAPE},16,1\nb,x,8,{SHAPE},16 on every 2nd layer,1\n"
                f"c,x,8,{SHAPE},32 on 5 of 6 layers,1\nd,x,8,{SHAPE},often,1\n")
        self.assertEqual(column(text, "model.sliding_window")[:3], ["16", "16", "32"])
        self.assertEqual(column(text, "model.mixers")[:3],
                         ["", "window,full", "window,window,window,window,window,full"])
        self.assertEqual(column(text, "refused")[3], 'sliding_window "often" has no meaning here')

    def test_networks_by_name(self):
        text = ("id,hardware,n_devices,model_family,model_name,task,image_size,measured_step_s\n"
                "a,x,1,cnn,resnext101_32x8d,,224,1\nb,x,1,encoder,bert-large,sft,,1\nc,x,1,,dlrm,,,1\n"
                "d,x,1,unet,any,,512,1\ne,x,1,,nobody,,,1\n")
        self.assertEqual(column(text, "model"), ["resnet-50 n3=23 inner=4 groups=32", "bert-large head=none seq_len=384",
                                                 "", "sd2-unet", ""])
        self.assertEqual(column(text, "refused"), ["", "", "a recommender: out of scope", "",
                                                   "no layers, and no such network in foreign/names/members.json"])


class Serving(unittest.TestCase):
    HEAD = ("id,source,model,device,n_devices,tensor,pipeline,expert,attention_dp,weights,kv_cache,framework,version,mode,"
            "batch,concurrency,input_len,output_len,length_spread,ttft_s,tpot_s,output_tokens_per_s,quality\n")

    def test_engines_formats_and_lengths(self):
        text = (self.HEAD + "a,ai-dynamo/x:y,qwen3-32b,h100-sxm,2,2,,,,fp8,,trtllm,1.0,closed-loop,,32,1000,500,0.8-1,"
                "0.5,0.01,,A\n"
                "b,x/y:z,llama2-7b,a100,1,1,,,,fp16,fp16,vllm,0.5,static,8,,128,128,,,,500,B\n"
                "c,x/y:z,llama2-7b,a100,1,1,,,,q4_k_m,,llama.cpp,,static,8,,128,128,,,,500,C\n")
        first, second, third = converted(text)
        self.assertEqual((first["software"], first["weights"], first["kv_precision"], first["input_len"],
                          first["output_len"]), ("tensorrt-llm", "fp8-block", "fp8", "900", "450"))
        self.assertEqual(first["model"], "qwen3-32b")
        self.assertEqual((second["software"], second["open"]),
                         ("vllm-2024", "a setting that its source does not record"))
        self.assertEqual((third["weights"], third["group_size"], third["fitted"], third["refused"]),
                         ("int4", "24", "1", "quality C: contradicts itself or physics"))

    def test_one_group_counts_once(self):
        # The source counts the same four ranks both as tensor ranks and as expert ranks, so its number of devices is 4
        # x 4 = 16 instead of 4.
        text = self.HEAD + "a,x/y:z,kimi-k2.5,b200-sxm,16,4,,16,4,nvfp4,,vllm,,closed-loop,,4,1024,1024,,,0.01,,A\n"
        row, = converted(text)
        self.assertEqual((row["devices"], row["tensor"], row["expert"], row["attention_data"]), ("4", "4", "4", "1"))


class Published(unittest.TestCase):
    def test_committed_tables_are_canonical(self):
        for path in glob.glob(os.path.join(SOURCE, "tests/published/*.csv")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if os.path.basename(path).startswith(("training_", "serving", "kernels_", "collectives_")):
                self.assertEqual(canonical.convert(text), list(csv.DictReader(io.StringIO(text))), path)

    def test_the_program_reads_what_is_written(self):
        text = (STEP + ",gated_mlp,dp,sharding,micro_batch,precision,recompute,framework,measured_step_s\n"
                "a,h100,8,32,4096,32,11008,32000,4096,1,8,fsdp,1,bf16,full,torchtitan,3\n"
                "b,h100,8,32,4096,32,11008,32000,4096,1,8,fsdp,1,int8,full,torchtitan,3\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            with open(path, "w", encoding="utf-8") as file:
                canonical.write(canonical.convert(text), file)
            out = subprocess.run([PROGRAM, "accuracy", path, "--rows", "--format", "json"], check=True,
                                 capture_output=True, text=True, env={**os.environ, "NNCOST_PATH": SOURCE}).stdout
        first, second = json.loads(out)["rows"]
        self.assertEqual((first["software"], first["undecided"], first["reason"]), ("torchtitan-2024.12", "", None))
        self.assertGreater(first["predicted_s"], 0.3)
        self.assertEqual(second["reason"], "precision int8: no training in integers")

    def test_the_program_reads_tables_as_their_collections_publish_them(self):
        """The script and nncost both read foreign/names/words.json. For rows of each collection and framework,
        canonical.py and nncost must read the words of the row in the same way."""
        def rows_of(path):
            out = subprocess.run([PROGRAM, "accuracy", path, "--rows", "--format", "json"], check=True, capture_output=True,
                                 text=True, env={**os.environ, "NNCOST_PATH": SOURCE}).stdout
            return [[row[key] for key in ("id", "software", "predicted_s", "low_s", "undecided", "reason")]
                    for row in json.loads(out)["rows"]]
        for name, least in ("training", 75), ("serving", 40):
            path = os.path.join(SOURCE, f"tests/data/as_published/{name}.csv")
            with tempfile.TemporaryDirectory() as folder, open(path, encoding="utf-8") as file:
                changed = os.path.join(folder, f"{name}.csv")
                with open(changed, "w", encoding="utf-8") as out:
                    canonical.write(canonical.convert(file.read()), out)
                one, other = rows_of(path), rows_of(changed)
            self.assertGreaterEqual(sum(row[2] is not None for row in one), least, name)
            for a, b in zip(one, other, strict=True):
                if a[5] is None or b[5] is None:
                    self.assertEqual(a, b)


unittest.main(argv=sys.argv[:1])
