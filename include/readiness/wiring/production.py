"""The watch on production that a plan asks for, and production as its plan names it."""

from __future__ import annotations

from dataclasses import replace

from readiness.adapters.production_status import ProductionStatus
from readiness.config.plan import Plan
from readiness.config.settings import Settings, production_endpoint
from readiness.errors import ConfigError, MetricsError, TargetError
from readiness.flow.production import ProductionWatch
from readiness.ports import ProductionEndpoint
from readiness.wiring.targets import production_session


def watch_of(plan: Plan) -> ProductionWatch | None:
    """The watch of the plan; None where it asks for none. Connects to nothing."""
    asked = plan.production_watch
    if asked is None:
        return None
    known = production_endpoint(asked.dsn)
    return ProductionWatch(lambda: _status(known), asked.abort, silence_s=asked.silence_s)


def with_watched(settings: Settings, plan: Plan) -> Settings:
    """The settings, where what the plan watches is production, too: it is never loaded."""
    if plan.production_watch is None:
        return settings
    watched = production_endpoint(plan.production_watch.dsn)
    return replace(settings, production=(*settings.production, watched))


def _status(known: ProductionEndpoint) -> ProductionStatus:
    try:
        return ProductionStatus(production_session(known))
    except (TargetError, ConfigError) as error:
        raise MetricsError(
            f"Production cannot be watched: {error.message}",
            hint=error.hint or "Check the dsn of the plan's production_watch.",
        ) from error
