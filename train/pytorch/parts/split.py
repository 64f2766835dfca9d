

def split(x, heads):
    """(N, heads d) -> (heads, N, d)"""
    return x.view(len(x), heads, -1).transpose(0, 1)
