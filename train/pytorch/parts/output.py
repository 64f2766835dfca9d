

class Output(nn.Module):
#if pooler
    """Logits of tanh(W x + b) (Devlin et al. 2019)."""
#end
#if masked_transform
    """Logits of norm(f(W x + b)) (Devlin et al. 2019)."""
#end
#if tied_output and not transformed
    """Logits whose weights are the embedding."""
#end

    def __init__(self):
        super().__init__()
#if transformed
        self.transform = nn.Linear(D_MODEL, $output_width)
#end
#if masked_transform
        self.transform.norm = $output_norm
#end
#if not tied_output
        self.weight = nn.Parameter(torch.empty(LABELS, $output_width))
#end
#if output_bias
        self.bias = nn.Parameter(torch.empty(LABELS))
#end

#if tied_output
    def forward(self, x, weight):
#else
    def forward(self, x):
#end
#if pooler
        x = torch.tanh(self.transform(x))
#end
#if masked_transform
        x = self.transform.norm($activation(self.transform(x)$gelu))
#end
        return F.linear(x, $output_weight$output_bias_argument)
