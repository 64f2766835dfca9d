

def alibi_slopes(heads):
    """The slope of each head (Press et al. 2022)."""
    whole = 2 ** (heads.bit_length() - 1)
    slopes = [2.0 ** (-8 * (i + 1) / whole) for i in range(whole)]
    return slopes + [2.0 ** (-8 * (2 * i + 1) / (2 * whole)) for i in range(heads - whole)]
