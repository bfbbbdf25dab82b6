"""Counts parameters of decoders by formulas that do not use the table of architectures in foreign/.

params(config) returns the number of parameters that the PyTorch class of the configuration has. params(config) returns
None if there is no formula for this type of model, or if the class cannot build the network. The formulas have the
form: total = tables + layers x (attention + MLP + norms) + last norm + head.
"""


class Unbuildable(Exception):
    pass


def whole(value, least=1):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value) or value < least:
        raise Unbuildable
    return int(value)


def get(config, key, default=None, null=None):
    """Returns a value of the configuration: `default` if the key is absent, `null` if the value is null. Raises
    Unbuildable if neither the configuration nor the argument gives a value."""
    value = config.get(key, default)
    if value is None:
        if null is None:
            raise Unbuildable
        value = null
    return value


def flag(config, key, default):
    value = get(config, key, default)
    if not isinstance(value, bool):
        raise Unbuildable
    return value


def gated(config, kv=None, kv_null=False, head=None, tied=False, bias="qkvo", mlp_bias=False, norms=2, qk=0, width=1,
          final=1, act=("silu", "swish"), gate=3, vocab_bias=False, defaults=None):
    """Counts the parameters of a model with gated or plain MLPs. Each layer has RMS norms (1 vector per norm) or layer
    norms with biases (2 vectors), attention with heads, and one MLP."""
    c = dict(defaults or {})
    c.update(config)
    if (c.get("hidden_act") or act[0]) not in act:  # null is accepted, because the activation does not change the count
        raise Unbuildable
    h, a = whole(get(c, "hidden_size")), whole(get(c, "num_attention_heads"))
    layers, inner, vocab = (whole(get(c, k)) for k in ("num_hidden_layers", "intermediate_size", "vocab_size"))
    whole(get(c, "max_position_embeddings"))
    groups = whole(get(c, "num_key_value_heads", a if kv is None else kv, a if kv is None or kv_null else None))
    if head is None:
        d = c.get("head_dim")
        if d is None and h % a:
            raise Unbuildable
        d = h // a if d is None else whole(d)
    else:
        d = whole(get(c, "head_dim", head))
    if a % groups or d % 2:
        raise Unbuildable
    biased = flag(c, "attention_bias", False) if bias and c.get("attention_bias") is not None else False
    if not bias and c.get("attention_bias"):
        raise Unbuildable
    layer = h * (a + 2 * groups) * d + a * d * h + gate * h * inner + norms * width * h + qk * d
    if biased:
        layer += (a + 2 * groups) * d + (h if "o" in bias else 0)
    if mlp_bias:
        layer += (gate - 1) * inner + h if flag(c, "mlp_bias", False) else 0
    elif c.get("mlp_bias"):
        raise Unbuildable
    head_of = 0 if flag(c, "tie_word_embeddings", tied) else vocab * h
    return vocab * h + layers * layer + final * width * h + head_of


LLAMA = {"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "intermediate_size": 11008,
         "vocab_size": 32000, "max_position_embeddings": 2048}
def sizes(hidden, inner, layers, heads, vocab, longest):
    return {"hidden_size": hidden, "intermediate_size": inner, "num_hidden_layers": layers, "num_attention_heads": heads,
            "vocab_size": vocab, "max_position_embeddings": longest}


QWEN = sizes(4096, 22016, 32, 32, 151936, 32768)
GEMMA2 = sizes(2304, 9216, 26, 8, 256000, 8192)
GELU = ("gelu", "gelu_pytorch_tanh", "gelu_new", "gelu_fast")


def qwen2(c):
    c = {**QWEN, **c}
    h, a = whole(get(c, "hidden_size")), whole(get(c, "num_attention_heads"))
    d = c.get("head_dim")
    d = h // a if d is None else whole(d)
    groups = whole(get(c, "num_key_value_heads", 32, a))
    if c.get("attention_bias", True) is False:
        raise Unbuildable
    c = {k: v for k, v in c.items() if k != "attention_bias"}
    return gated(c, kv=32, kv_null=True) + whole(c["num_hidden_layers"]) * (a + 2 * groups) * d


def gpt2(c):
    h = whole(get(c, "n_embd", c.get("hidden_size")))
    layers = whole(get(c, "n_layer", c.get("num_hidden_layers")))
    a = whole(get(c, "n_head", c.get("num_attention_heads")))
    vocab, positions = whole(get(c, "vocab_size")), whole(get(c, "n_positions", c.get("max_position_embeddings")))
    inner = whole(get(c, "n_inner", 4 * h, 4 * h))
    if h % a:
        raise Unbuildable
    layer = 4 * h * h + 4 * h + 2 * h * inner + inner + h + 4 * h
    return (vocab + positions) * h + layers * layer + 2 * h + (0 if flag(c, "tie_word_embeddings", True) else vocab * h)


def gpt_neox(c):
    h, a = whole(get(c, "hidden_size")), whole(get(c, "num_attention_heads"))
    layers, inner, vocab = (whole(get(c, k)) for k in ("num_hidden_layers", "intermediate_size", "vocab_size"))
    whole(get(c, "max_position_embeddings"))
    if h % a or (h // a) % 2:
        raise Unbuildable
    biased = flag(c, "attention_bias", True)
    layer = 4 * h * h + (4 * h if biased else 0) + 2 * h * inner + inner + h + 4 * h
    return vocab * h + layers * layer + 2 * h + (0 if flag(c, "tie_word_embeddings", False) else vocab * h)


def mixtral(c):
    h, a = whole(get(c, "hidden_size")), whole(get(c, "num_attention_heads"))
    layers, inner, vocab = (whole(get(c, k)) for k in ("num_hidden_layers", "intermediate_size", "vocab_size"))
    whole(get(c, "max_position_embeddings"))
    groups, experts = whole(get(c, "num_key_value_heads", 8, a)), whole(get(c, "num_local_experts", 8))
    d = c.get("head_dim")
    if d is None and h % a:
        raise Unbuildable
    d = h // a if d is None else whole(d)
    if a % groups or whole(get(c, "num_experts_per_tok", 2)) > experts or d % 2:
        raise Unbuildable
    layer = h * (a + 2 * groups) * d + a * d * h + h * experts + experts * 3 * h * inner + 2 * h
    return vocab * h + layers * layer + h + (0 if flag(c, "tie_word_embeddings", False) else vocab * h)


def deepseek_v2(c):
    h, a = whole(get(c, "hidden_size")), whole(get(c, "num_attention_heads"))
    layers, inner, vocab = (whole(get(c, k)) for k in ("num_hidden_layers", "intermediate_size", "vocab_size"))
    whole(get(c, "max_position_embeddings"))
    rank, n = whole(get(c, "kv_lora_rank", 512)), whole(get(c, "qk_nope_head_dim", 128))
    r, v = whole(get(c, "qk_rope_head_dim", 64)), whole(get(c, "v_head_dim", 128))
    q = whole(get(c, "q_lora_rank", 1536, 0), 0)
    experts, each = whole(get(c, "n_routed_experts")), whole(get(c, "moe_intermediate_size"))
    shared = whole(get(c, "n_shared_experts", 0, 0), 0) * each
    first, every = whole(get(c, "first_k_dense_replace", 0), 0), whole(get(c, "moe_layer_freq", 1))
    if whole(get(c, "num_experts_per_tok")) > experts or q == 0 and "q_lora_rank" in c and c["q_lora_rank"] is not None:
        raise Unbuildable
    total = 2 * vocab * h + h if not flag(c, "tie_word_embeddings", False) else vocab * h + h
    for i in range(layers):
        total += h * q + q + q * a * (n + r) if q else h * a * (n + r)
        total += h * (rank + r) + rank + rank * a * (n + v) + a * v * h + 2 * h
        sparse = i >= first and i % every == 0
        total += h * experts + experts * 3 * h * each + 3 * h * shared if sparse else 3 * h * inner
    return total


FORMULAS = {
    "llama": lambda c: gated(c, mlp_bias=True, defaults=LLAMA),
    "mistral": lambda c: gated(c, kv=8, kv_null=True, bias="", defaults=sizes(4096, 14336, 32, 32, 32000, 131072)),
    "qwen2": qwen2,
    "qwen3": lambda c: gated(c, kv=32, kv_null=True, head=128, qk=2, defaults=QWEN),
    "gemma": lambda c: gated(c, kv=16, head=256, tied=True, act=GELU, defaults=sizes(3072, 24576, 28, 16, 256000, 8192)),
    "gemma2": lambda c: gated(c, kv=4, head=256, tied=True, norms=4, act=GELU, defaults=GEMMA2),
    "gemma3_text": lambda c: gated(c, kv=4, head=256, tied=True, norms=4, qk=2, act=GELU,
                                   defaults={**GEMMA2, "vocab_size": 262208, "max_position_embeddings": 131072}),
    "phi3": lambda c: gated(c, bias=""),
    "nemotron": lambda c: gated(c, norms=2, width=2, mlp_bias=True, gate=2, act=("relu2",)),
    "cohere": lambda c: None if c.get("use_qk_norm") else gated(c, norms=1, tied=True),
    "gpt2": gpt2,
    "gpt_neox": gpt_neox,
    "mixtral": mixtral,
    "deepseek_v2": deepseek_v2,
}


def params(config):
    formula = FORMULAS.get(config.get("model_type"))
    if formula is None:
        return None
    try:
        return formula(config)
    except (Unbuildable, TypeError):
        return -1
