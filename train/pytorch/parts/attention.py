

class $name(nn.Module):
    """Multi-head attention with its residual sum: $sum_with_norm."""

    def __init__(self, $parameters):
        super().__init__()
        self.heads = heads
#if grouped
        self.kv_heads = kv_heads
#end
#if uses_d_qk
        self.d_qk = d_qk
#end
#if rotary
        self.rotary_base = rotary_base
#end
#if clipped
        self.before, self.after = before, after
#end
#if t5
        self.bounds = bounds
#end
#if mixed_cosine
        self.cosine = cosine
#end
#if mixed_bilinear
        self.bilinear = bilinear
#end
#if mixed_additive
        self.additive = additive
#end
#if by_head
        self.patterns = patterns
#end
#if masked and not by_head
        self.pattern = pattern
#end
#if top_k
        self.top_k = top_k
#end
        self.norm = Norm()
        $projections
#if score_parameters
        self.score = $score_parameters
#end
#if distance_parameters
        self.distance = $distance_parameters
#end
#if gates
        self.gates = nn.Parameter(torch.empty(heads))
#end
#if weighted
        self.head_weights = nn.Parameter(torch.empty(heads))
#end
#if output
        self.output = nn.Linear(heads * d_v, D_MODEL$no_bias)
#end
#if not output and biases
        self.output = Bias()
#end

    def forward(self, $inputs):
#if pre_norm
        h = self.norm(x)
#end
#if of_self and of_cross
        context = $rows if context is None else context
#end
        q = $query
        k = $key
        v = $value
#if mixed_scores
        q, k = (rows.expand(self.heads, -1, -1).clone() for rows in (q, k))
#end
#if mixed_cosine
        for rows in (q, k):
            rows[self.cosine] = unit(rows[self.cosine])
#end
#if mixed_bilinear
        bilinear = self.score["weight"].view(-1, self.d_qk, self.d_qk)
        q[self.bilinear] = q[self.bilinear] @ bilinear.transpose(1, 2)
#end
#if all_cosine
        q, k = unit(q), unit(k)
#end
#if all_bilinear
        bilinear = self.score["weight"].view(-1, self.d_qk, self.d_qk)
        q = q @ bilinear.transpose(1, 2)
#end
#if rotary
        q, k = $rotate(q, self.rotary_base), $rotate(k, self.rotary_base)
#end
#if learned_scale
        q = q * self.score["scale"].view(-1, 1, 1)
#end
#if transformer_xl
        place = q + self.distance["place"].view(self.heads, 1, -1)
        q = q + self.distance["content"].view(self.heads, 1, -1)
#end
#if grouped
        k, v = (rows.repeat_interleave(self.heads // self.kv_heads, dim=0) for rows in (k, v))
#end
#if not all_additive and not mixed_additive and not clipped
        scores = q @ k.transpose(1, 2)$scale
#end
#if all_additive and not clipped
        scores = additive(q, k, self.score["vector"])$scale
#end
#if not all_additive and mixed_additive or not all_additive and clipped
        scores = q @ k.transpose(1, 2)
#end
#if all_additive and clipped
        scores = additive(q, k, self.score["vector"])
#end
#if mixed_additive
        scores[self.additive] = additive(q[self.additive], k[self.additive], self.score["vector"])
#end
#if mixed_additive and not clipped and scaled
        scores = scores$scale
#end
#if needs_positions and not of_cross
        position = torch.arange(len(x), device=x.device)
        query, key = position[:, None], position
#end
#if needs_positions and of_cross
        query = torch.arange(len(x), device=x.device)[:, None]
        key = torch.arange(len(context), device=x.device)
#end
#if clipped
        bucket = (key - query).clamp(-self.before, self.after) + self.before
#end
#if relative
        by_bucket = q @ self.distance["key"].T
#end
#if transformer_xl
        distance = torch.arange(-self.before, self.after + 1, device=x.device)
        sines = split(sinusoids(distance, D_MODEL).to(x) @ self.distance["weight"].T, self.heads)
        by_bucket = place @ sines.transpose(1, 2)
#end
#if clipped
        by_distance = torch.take_along_dim(by_bucket, bucket[None], dim=-1)
#end
#if clipped and scaled
        scores = (scores + by_distance)$scale
#end
#if clipped and not scaled
        scores = scores + by_distance
#end
#if t5
        bounds = torch.tensor(self.bounds, device=x.device)
        bucket = torch.bucketize(key - query, bounds, right=True)
        scores = scores + self.distance["score"][:, bucket]
#end
#if alibi
        slopes = torch.tensor(alibi_slopes(self.heads), device=x.device)
        scores = scores - slopes.view(-1, 1, 1) * (key - query).abs()
#end
#if by_head
        allowed = [pattern(query, key).expand(len(x), len($source)) for pattern in self.patterns]
        allowed = torch.stack(allowed)
#end
#if masked and not by_head
        allowed = self.pattern(query, key)
#end
#if masked and prefix
        allowed = allowed | (key < prefix)
#end
#if masked
        scores = scores.masked_fill(~allowed, -inf)
#end
#if top_k
        rank = scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
        top_k = torch.tensor(self.top_k, device=x.device).view(-1, 1, 1)
        scores = scores.masked_fill(rank >= top_k, -inf)
#end
        weights = scores.softmax(-1)
#if may_be_empty
        weights = weights.nan_to_num()  # of a query that may attend to nothing
#end
        y = weights @ v
#if relative_values
        y = y + torch.einsum("hqk,qkd->hqd", weights, self.distance["value"][bucket])
#end
#if heads_alike
        y = y.expand(self.heads, -1, -1)
#end
#if gates
        y = y * (1.2 * self.gates.sigmoid() - 0.1).clamp(0, 1).view(-1, 1, 1)
#end
#if output
        y = self.output(y.transpose(0, 1).flatten(1))
#end
#if concatenated
        y = y.transpose(0, 1).flatten(1)
#end
#if mean
        y = y.mean(0)
#end
#if weighted
        y = torch.einsum("h,hqd->qd", self.head_weights, y)
#end
#if not output and biases
        y = self.output(y)
#end
#if pre_norm
        return x + y
#else
        return self.norm(x + y)
#end
