

class Bias(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(D_MODEL))

    def forward(self, x):
        return x + self.bias
