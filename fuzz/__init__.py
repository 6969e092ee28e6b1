"""A fuzzer for genalpha: random models, and what must hold for them whatever they are.

``python -m fuzz -n 1000 --seed 0`` (or ``make fuzz N=1000 SEED=0``) makes random models of all families, runs them, and
checks relations: the same model turned, in other units, with its parts in another order and so on must move alike, and
every run must keep constraints, balances and energies. ``python -m fuzz calls -n 1000`` makes wrong calls.

`fuzz.ranges` lists families, ranges, relations and tolerances. Model i of seed s is always the same.
"""
