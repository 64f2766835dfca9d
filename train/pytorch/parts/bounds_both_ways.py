

def bounds_both_ways(buckets, farthest):
    """Where the buckets of all keys begin, as key - query; the first has no beginning."""
    first = first_distances(buckets // 2, farthest)
    return [*(1 - distance for distance in reversed(first)), *first]
