"""What the editor's workers can do. Nothing here may import the editor."""


def smooth(heights):
    """Each height becomes the mean of itself and its neighbours."""
    padded = [heights[0], *heights, heights[-1]]
    return [sum(padded[i : i + 3]) / 3 for i in range(len(heights))]
