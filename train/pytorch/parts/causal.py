

def causal(query, key):
    return key <= query
