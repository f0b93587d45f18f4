"""The classroom: from solutions to hand-outs, from submissions to feedback.

=================  ==========================================================================================
``cells``          nbgrader's cell format: which cell is what, and the marked regions in its source
``handout``        the student's notebook, made from the teacher's
``hub``            a class on one machine: JupyterHub, and a Unix user for each learner
``learner``        what JupyterHub starts for each learner
=================  ==========================================================================================
"""
