

def strided(stride):
    """Near keys, and those at a multiple of the stride (Child et al. 2019)."""
    return lambda query, key: ((key - query).abs() <= stride) | ((key - query) % stride == 0)
