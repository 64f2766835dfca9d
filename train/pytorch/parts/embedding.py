

class Embedding(nn.Module):
    def __init__(self, entries):
        super().__init__()
        self.embedding = nn.Parameter(torch.empty(entries, $width))
#if learned_positions
        self.positions = nn.Parameter(torch.empty(MAX_POSITIONS, $width))
#end
#if token_types
        self.types = nn.Parameter(torch.empty(TOKEN_TYPES, $width))
#end
#if embedding_norm and factored
        self.norm = Norm(D_EMBEDDING)
#end
#if embedding_norm and not factored
        self.norm = Norm()
#end
#if factored
        self.map = nn.Linear(D_EMBEDDING, D_MODEL)
#end

#if token_types
    def forward(self, tokens, types=None):
#else
    def forward(self, tokens):
#end
#if scaled_embedding
        x = self.embedding[tokens] * D_MODEL**0.5
#else
        x = self.embedding[tokens]
#end
#if sinusoidal_positions and not scaled_positions
        x = x + sinusoids(torch.arange(len(tokens), device=x.device), $width).to(x)
#end
#if sinusoidal_positions and scaled_positions
        x = x + sinusoids(torch.arange(len(tokens), device=x.device), $width).to(x) * D_MODEL**-0.5
#end
#if learned_positions and not scaled_positions
        x = x + self.positions[: len(tokens)]
#end
#if learned_positions and scaled_positions
        x = x + self.positions[: len(tokens)] * D_MODEL**-0.5
#end
#if token_types
        x = x + self.types[torch.zeros_like(tokens) if types is None else types]
#end
#if embedding_norm
        x = self.norm(x)
#end
#if factored
        return self.map(x)
#else
        return x
#end
