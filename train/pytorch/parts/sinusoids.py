

def sinusoids(positions, width):
    """Sine and cosine of position / 10000^(2i / width) in columns 2i and 2i + 1 (Vaswani et al.
    2017)."""
    column = torch.arange(width, device=positions.device)
    frequency = 10000.0 ** -((column - column % 2).double() / width)
    angle = positions[:, None] * frequency
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())
