

def blocks(size):
    return lambda query, key: query // size == key // size
