

class $name(nn.Module):
    """An attention without heads."""

    def __init__(self):
        super().__init__()
        self.norm = Norm()
#if biases
        self.output = Bias()
#end

    def forward(self, $inputs):
#if biases and pre_norm
        return self.output(x)
#end
#if biases and not pre_norm
        return self.norm(self.output(x))
#end
#if not biases and pre_norm
        return x
#end
#if not biases and not pre_norm
        return self.norm(x)
#end
