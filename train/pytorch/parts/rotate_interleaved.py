

def rotate_interleaved(x, base):
    """Turns columns 2c and 2c + 1 by position * base^(-2c / d) (Su et al. 2021)."""
    _, N, d = x.shape
    frequency = base ** -(torch.arange(0, d, 2, device=x.device).double() / d)
    angle = torch.arange(N, device=x.device)[:, None] * frequency
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
