

class Norm(nn.Module):
#if no_norm
    """No norm: the rows as they are."""

    def __init__(self, width=None):
        super().__init__()

    def forward(self, x):
        return x
#else
#if layer_norm
    """Layer norm (Ba et al. 2016)."""
#else
    """Root mean square norm (Zhang and Sennrich 2019)."""
#end

#if norm_widths
    def __init__(self, width=D_MODEL):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
#if norm_bias
        self.bias = nn.Parameter(torch.zeros(width))
#end
#else
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(D_MODEL))
#if norm_bias
        self.bias = nn.Parameter(torch.zeros(D_MODEL))
#end
#end

    def forward(self, x):
#if layer_norm and norm_bias
        return F.layer_norm(x, self.gain.shape, self.gain, self.bias, eps=$epsilon)
#end
#if layer_norm and not norm_bias
        return F.layer_norm(x, self.gain.shape, self.gain, eps=$epsilon)
#end
#if not layer_norm
        return x * (x.square().mean(-1, keepdim=True) + $epsilon).rsqrt() * self.gain
#end
#end
