

def full(query, key):
    return key >= 0
