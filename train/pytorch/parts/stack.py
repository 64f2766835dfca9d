

class Stack(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
#if pre_norm
        self.norm = Norm()
#end

#if pairs or prefix
    def forward(self, x, *others):
        for layer in self.layers:
            x = layer(x, *others)
#else
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
#end
#if pre_norm
        return self.norm(x)
#else
        return x
#end
