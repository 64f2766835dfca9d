

def looking_back(pattern):
    return lambda query, key: pattern(query, key) & (key <= query)
