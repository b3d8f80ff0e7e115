"""A module of handlers that cannot be imported."""

import no_such_module_anywhere  # noqa: F401
