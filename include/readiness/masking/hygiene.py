"""stub"""

from readiness.ports import Session


def forget(session: Session) -> list[str]:
    """stub"""
    return ["stub"]
