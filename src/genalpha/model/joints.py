"""For joints of your own: the rows that ``rows`` of a `ga.Joint` may give. docs/own_joint.md writes one."""

from __future__ import annotations

from genalpha.model.parts.joints import AngleRow, DotRow, EdgeRow, Joint, LengthRow, PointRows, RollRow, SlideRow, Spot

__all__ = ["AngleRow", "DotRow", "EdgeRow", "Joint", "LengthRow", "PointRows", "RollRow", "SlideRow", "Spot"]
