

class FeedForward(nn.Module):
#if gated
    """The gated feed-forward block (Shazeer 2020) with its residual sum: $sum_with_norm."""
#else
    """The feed-forward block with its residual sum: $sum_with_norm."""
#end

    def __init__(self):
        super().__init__()
        self.norm = Norm()
        self.inner = nn.Linear(D_MODEL, D_FF$no_bias)
#if gated
        self.gate = nn.Linear(D_MODEL, D_FF$no_bias)
#end
        self.outer = nn.Linear(D_FF, D_MODEL$no_bias)

    def forward(self, x):
#if pre_norm
        h = self.norm(x)
#end
#if gated and pre_norm
        return x + self.outer(self.inner(h) * $activation(self.gate(h)$gelu))
#end
#if gated and not pre_norm
        return self.norm(x + self.outer(self.inner(x) * $activation(self.gate(x)$gelu)))
#end
#if not gated and pre_norm
        return x + self.outer($activation(self.inner(h)$gelu))
#end
#if not gated and not pre_norm
        return self.norm(x + self.outer($activation(self.inner(x)$gelu)))
#end
