"""Grading: find what was handed in, run it where it can do no harm, tell what was found.

===============  ============================================================================================
``submissions``  find what was handed in, and bring it into the hand-out's form
``grading``      a folder of submissions, some at a time; what is graded is stored and never graded twice
``autograde``    nbgrader on one submission; ``worker`` is its process, which ``warm`` keeps and forks
``execute``      nbgrader's way to run a notebook, made to end; ``guard`` watches the lab in the kernel
``sandbox``      the folder and the limits of a kernel; ``jail`` takes the network and the disk from it
``results``      what was found out about a submission, and where it is kept
``feedback``     one page per learner; ``report`` writes points and summary; ``page`` is the frame of both
===============  ============================================================================================
"""
