"""Problems with dry friction: blocks, balls, rods, piles and toys, with exact references or from event to event.

>>> from genalpha.problems import friction
>>> friction.MAKERS["sliding_block"](mu=0.2).system().mu
0.2
"""

from __future__ import annotations

from collections.abc import Callable

from genalpha.problems.friction.blocks import friction_oscillator, sliding_block, stick_slip
from genalpha.problems.friction.guide import slider_with_play
from genalpha.problems.friction.impacts import superball
from genalpha.problems.friction.piles import capstan, disc_pile
from genalpha.problems.friction.planes import curved_sliding, turntable
from genalpha.problems.friction.rods import ladder, painleve, rocking_block
from genalpha.problems.friction.rolling import backspin, billiard
from genalpha.problems.friction.tippe import tippe_top
from genalpha.problems.friction.toys import woodpecker
from genalpha.problems.problem import Problem

MAKERS: dict[str, Callable[..., Problem]] = {
    maker.__name__: maker
    for maker in (
        sliding_block,
        friction_oscillator,
        stick_slip,
        curved_sliding,
        turntable,
        backspin,
        billiard,
        superball,
        ladder,
        rocking_block,
        painleve,
        disc_pile,
        capstan,
        woodpecker,
        tippe_top,
        slider_with_play,
    )
}
"""By the names of the problems."""
