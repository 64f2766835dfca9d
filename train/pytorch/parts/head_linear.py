

class HeadLinear(nn.Module):
    """A linear map for each head, of its own columns. (heads, N, columns) -> (heads, N, d)"""

    def __init__(self, heads, d):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(heads * d, D_MODEL // heads))
#if biases
        self.bias = nn.Parameter(torch.empty(heads * d))
#end

    def forward(self, x):
        heads, _, columns = x.shape
        weight = self.weight.view(heads, -1, columns)
#if biases
        return x @ weight.transpose(1, 2) + self.bias.view(heads, 1, -1)
#else
        return x @ weight.transpose(1, 2)
#end
