"""The bug hunt: faults of real drivers in small functions, five families of them.

``hunt`` is the hunt itself, ``lab`` runs a learner's test, ``pages`` shows what there is to see; ``header``,
``ptp``, ``rings``, ``polling`` and ``checksums`` are the families.
"""
