

class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
#if pairs
        self.source = Embedding($source_entries)
        self.target = Embedding($target_entries)
#if tied_source
        self.source.embedding = self.target.embedding
#end
        self.encoder = Stack($encoder_layers)
        self.decoder = Stack($decoder_layers)
#end
#if decoder_only
        self.target = Embedding($source_entries)
        self.decoder = Stack($decoder_layers)
#end
#if encoder_only
        self.source = Embedding($source_entries)
        self.encoder = Stack($encoder_layers)
#end
#if output_class
        self.output = Output()
#end
#if output_linear
        self.output = nn.Linear(D_MODEL, LABELS$no_output_bias)
#end
        $sharing

#if pairs
    def forward(self, source, target):
        """Ids (S) and (T) -> logits of each next token of the target (T, LABELS)."""
        context = self.encoder(self.source(source))
        x = self.decoder(self.target(target), context)
#end
#if decoder_only and prefix and not token_types
    def forward(self, tokens, prefix=0):
        """Ids (N), the first `prefix` see each other -> logits of each next token (N, LABELS)."""
        x = self.decoder(self.target(tokens), prefix)
#end
#if decoder_only and prefix and token_types
    def forward(self, tokens, prefix=0, types=None):
        """Ids (N), the first `prefix` see each other -> logits of each next token (N, LABELS)."""
        x = self.decoder(self.target(tokens, types), prefix)
#end
#if decoder_only and not prefix and not token_types
    def forward(self, tokens):
        """Ids (N) -> logits of each next token (N, LABELS)."""
        x = self.decoder(self.target(tokens))
#end
#if decoder_only and not prefix and token_types
    def forward(self, tokens, types=None):
        """Ids (N) and their types -> logits of each next token (N, LABELS)."""
        x = self.decoder(self.target(tokens, types))
#end
#if encoder_only and not token_types
    def forward(self, tokens):
        """Ids (N) -> logits of each row's label (N, LABELS)."""
        x = self.encoder(self.source(tokens))
#end
#if encoder_only and token_types
    def forward(self, tokens, types=None):
        """Ids (N) and their types -> logits of each row's label (N, LABELS)."""
        x = self.encoder(self.source(tokens, types))
#end
#if output_linear
        return self.output(x)
#end
#if output_class and not tied_output
        return self.output(x)
#end
#if output_class and tied_output
        return self.output(x, $table)
#end
#if not output_class and not output_linear
        return F.linear(x, $table)
#end


def load(directory):
    """The model with its trained weights."""
    model = Transformer()
    load_model(model, f"{directory}/model.safetensors")
    return model.eval()
