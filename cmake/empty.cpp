// Belongs to a precompiled header, which needs a source.
