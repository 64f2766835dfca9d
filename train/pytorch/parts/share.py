

def share(modules, apart=()):
    """Gives modules that are built alike the weights of the first one. Returns these weights."""
    weights = nn.Module()
    first = modules[0]
    for name, part in [*first.named_children(), *first.named_parameters(recurse=False)]:
        if name not in apart:
            for module in (weights, *modules):
                setattr(module, name, part)
    return weights
