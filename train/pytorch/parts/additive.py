

def additive(q, k, vector):
    """v tanh(q + k) of each query and key (Bahdanau et al. 2015). (heads, N, d), (heads, M, d)"""
    return (vector[:, None, None] * torch.tanh(q[:, :, None] + k[:, None])).sum(-1)
