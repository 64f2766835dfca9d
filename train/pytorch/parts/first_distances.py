

def first_distances(buckets, farthest):
    """The first distance of each bucket but one: 1, 2, ... for half of them, then growing by a
    constant factor up to `farthest` (Raffel et al. 2020)."""
    exact = buckets // 2
    steps = buckets - exact
    growth = farthest / exact
    return [*range(1, exact), *(ceil(exact * growth ** (i / steps) - 1e-9) for i in range(steps))]
