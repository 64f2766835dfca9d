"""Models of tapehead_torch.py that are not read from an export: to train, or to get weights from elsewhere."""

from tapehead_torch import FAMILIES, Options

# The usual options of a config, without dropout. Layers, the feed-forward block and heads have usual sizes below.
MODEL = dict(
    family="encoder_decoder", prefix="causal", d_model=64, layer_groups=None, feed_forward="plain", activation="relu",
    norm="layer_norm", norm_epsilon=1e-5, norm_position="pre", bias_attention=True, bias_feed_forward=True,
    bias_norm=True, bias_output=False, head_transform="none", d_embedding=None, token_types=0, embedding_norm=False,
    embedding_scale="sqrt_d_model", positions="sinusoidal", position_scale="none", max_positions=1024,
    dropout_embedding=0.0, dropout_feed_forward=0.0, dropout_residual=0.0, tie_embeddings="none",
)
ATTENTION = dict(
    heads=4, sharing="none", head_weights="own", shared_as="", input="wide", combine="output", score="dot",
    scale="inverse_sqrt_d_qk", positions="none", rotary_base=10000.0, rotary_pairs="halves", clip=16, buckets=32,
    farthest=128, pattern="full", dropout=0.0, gates="none",
)


def attention_options(d_model, **own):
    heads = own.get("heads", ATTENTION["heads"])
    return Options(ATTENTION | {"kv_heads": heads, "d_qk": d_model // heads, "d_v": d_model // heads} | own)


def untrained(source, target, labels, layers=2, attention=(), **options):
    """A model with so many entries in its tables and in its output. Its numbers are those that memory had."""
    model = MODEL | {"encoder_layers": layers, "decoder_layers": layers} | options
    model = Options({"d_ff": 4 * model["d_model"]} | model)
    own = attention_options(model.d_model, **dict(attention))
    cross = Options(own, positions="none", pattern="full")
    entries = Options(source=source, target=target, labels=labels)
    settings = Options(model=model, encoder_self=own, decoder_self=own, cross=cross, entries=entries, writes=None)
    return FAMILIES[model.family](settings)
