"""$title

    from model import $imports

    model = load("DIRECTORY")
#if pairs
    logits = model(source, target)
#end
#if not pairs and not prefix and not token_types
    logits = model(tokens)
#end
#if not pairs and prefix and not token_types
    logits = model(tokens, prefix)
#end
#if not pairs and not prefix and token_types
    logits = model(tokens, types)
#end
#if not pairs and prefix and token_types
    logits = model(tokens, prefix, types)
#end
#if generates
    written = $greedy
#end

$about

$options
"""

#if math
from math import $math

#end
import torch
#if functional
import torch.nn.functional as F
#end
from safetensors.torch import load_model
from torch import nn

D_MODEL = $d_model
#if factored
D_EMBEDDING = $d_embedding
#end
#if feed_forward
D_FF = $d_ff
#end
#if learned_positions
MAX_POSITIONS = $max_positions
#end
#if token_types
TOKEN_TYPES = $token_types
#end
LABELS = $labels  # entries that the model predicts
#if generates
BEGIN = $begin  # marks
NEVER = [$never]  # marks that are not written, however likely they are
#end
#if generates and ends
END = $end
#end
