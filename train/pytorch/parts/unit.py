

def unit(x):
    """Vectors of length sqrt(d), whose products are d times their cosine."""
    return x * (x.shape[-1] / (x.square().sum(-1, keepdim=True) + 1e-12)).sqrt()
