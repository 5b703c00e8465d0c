"""stub"""

from readiness.model.catalogue import Catalogue
from readiness.model.masking import MaskPlan
from readiness.ports import Session


def settle(session: Session, catalogue: Catalogue, plan: MaskPlan) -> MaskPlan:
    """stub"""
    return plan
