"""What Schemathesis can't know: a repeat is answered as the first was, even when what that made is gone by now."""

from typing import Any
from uuid import uuid4

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase


@schemathesis.hook
def before_call(_: schemathesis.HookContext, case: schemathesis.Case[Any], **__: Any) -> None:
    """Has each call of a sequence be a first one."""
    if case.meta is None or case.meta.phase.name != TestPhase.STATEFUL or "Idempotency-Key" not in case.headers:
        return
    if case.meta.components[ParameterLocation.HEADER].mode.is_positive:
        case.headers["Idempotency-Key"] = str(uuid4())
