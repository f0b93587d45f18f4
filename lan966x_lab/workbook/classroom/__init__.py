"""The classroom: from solutions to hand-outs, from submissions to feedback.

============  ===============================================================================================
``cells``     nbgrader's cell format: which cell is what, and the marked regions in its source
``handout``   the student's notebook, made from the teacher's
``tasks``     the visible checks of the exercises, and the benches that some of them run on
``hunts``     the bug hunt: faulty versions of small functions, and the verdict on a learner's test
``grader``    submissions, each run where it can do no harm; points, feedback, the commonest mistakes
``hub``       a class on one machine: JupyterHub, and a Unix user for each learner
``learner``   what JupyterHub starts for each learner
============  ===============================================================================================
"""
