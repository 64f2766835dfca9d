

def bounds_back(buckets, farthest):
    """Where buckets of keys up to the query begin, as key - query; the first has no beginning."""
    return [1 - distance for distance in reversed(first_distances(buckets, farthest))]
