"""Quarry for Blender: the interface. What it does is in the package `quarry.blender`, for other add-ons, too."""

_loaded = []


def register():
    from . import trouble

    trouble.reason = trouble.find()
    if trouble.reason:
        modules = [trouble]
    else:
        from . import crowd, engine, live, panel, settings, terrain, tests, tools

        modules = [settings, live, engine, tests, terrain, tools, crowd, panel]
    for each in modules:
        each.register()
        _loaded.append(each)


def unregister():
    while _loaded:
        _loaded.pop().unregister()
