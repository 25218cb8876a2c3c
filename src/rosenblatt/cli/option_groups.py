"""Commands that take their options in groups."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take options in groups: each field of a parameter that is a NamedTuple becomes an option."""
    signature = inspect.signature(command)
    types = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in types.items() if hasattr(kind, "_field_defaults")}
    parameters = []
    for name, parameter in signature.parameters.items():
        if name not in groups:
            parameters.append(parameter.replace(annotation=types[name], kind=parameter.KEYWORD_ONLY))
            continue
        for field, kind in get_type_hints(groups[name], include_extras=True).items():
            default = groups[name]._field_defaults.get(field, inspect.Parameter.empty)
            parameters.append(inspect.Parameter(field, parameter.KEYWORD_ONLY, default=default, annotation=kind))

    @functools.wraps(command)
    def ungrouped(**given: Any) -> None:
        values = {name: group(**{field: given.pop(field) for field in group._fields}) for name, group in groups.items()}
        command(**given, **values)

    ungrouped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    ungrouped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return ungrouped
