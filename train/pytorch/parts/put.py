

def put(module, path, part):
    """Gives a part of a module its place: "a.b" is the part b of the part a."""
    *parents, name = path.split(".")
    for parent in parents:
        if parent not in module._modules:
            setattr(module, parent, nn.Module())
        module = module._modules[parent]
    setattr(module, name, part)
