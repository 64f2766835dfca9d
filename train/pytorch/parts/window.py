

def window(before, after):
    return lambda query, key: (query - before <= key) & (key <= query + after)
