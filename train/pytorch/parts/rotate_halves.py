

def rotate_halves(x, base):
    """Turns columns c and c + d / 2 by position * base^(-2c / d) (Su et al. 2021)."""
    _, N, d = x.shape
    frequency = base ** -(torch.arange(0, d, 2, device=x.device).double() / d)
    angle = torch.arange(N, device=x.device)[:, None] * frequency
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
