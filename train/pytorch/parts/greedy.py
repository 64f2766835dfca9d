

@torch.no_grad()
#if pairs
def greedy(model, source, limit):
    """The likeliest next token, again and again, until the end mark or `limit` tokens."""
    written = [BEGIN]
#end
#if not pairs and of_text
def greedy(model, tokens, limit):
    """Goes on with a text: the likeliest next token, again and again, at most `limit` of them."""
    written = tokens.tolist()
#end
#if not pairs and not of_text
def greedy(model, source, limit):
    """The likeliest next token, again and again, until the end mark or `limit` tokens."""
    written = [*source.tolist(), BEGIN]
#end
    for _ in range(limit):
#if pairs
        logits = model(source, torch.tensor(written, device=source.device))[-1]
#end
#if not pairs and of_text
        logits = model(torch.tensor(written, device=tokens.device))[-1]
#end
#if not pairs and prefix and not of_text
        logits = model(torch.tensor(written, device=source.device), len(source))[-1]
#end
#if not pairs and not prefix and not of_text
        logits = model(torch.tensor(written, device=source.device))[-1]
#end
        logits[NEVER] = -inf
        token = int(logits.argmax())
#if ends
        if token == END:
            break
#end
        written.append(token)
#if pairs
    return written[1:]
#end
#if not pairs and of_text
    return written[len(tokens) :]
#end
#if not pairs and not of_text
    return written[len(source) + 1 :]
#end
