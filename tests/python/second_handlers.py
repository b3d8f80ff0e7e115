"""Another module of handlers, with a name that the first one has too."""


def square(value):
    return -value
