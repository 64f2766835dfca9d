

class $name(nn.Module):
#if cross
    def __init__(self, attention, cross):
#else
    def __init__(self, attention):
#end
        super().__init__()
        self.self = attention
#if cross
        self.cross = cross
#end
#if feed_forward
        self.feed_forward = FeedForward()
#end

#if cross
    def forward(self, x, context):
        x = self.self(x)
#if feed_forward
        x = self.cross(x, context)
#else
        return self.cross(x, context)
#end
#else
#if prefix
    def forward(self, x, prefix):
#if feed_forward
        x = self.self(x, prefix)
#else
        return self.self(x, prefix)
#end
#else
    def forward(self, x):
#if feed_forward
        x = self.self(x)
#else
        return self.self(x)
#end
#end
#end
#if feed_forward
        return self.feed_forward(x)
#end
