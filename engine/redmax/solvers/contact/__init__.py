# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities and impulses of trees that touch: equations, one-sided and boxed rows, contacts with Coulomb's friction.

Find v and impulses x with M (v - v_free) = G^T x, where for the speeds sigma = G v - b

    equation     sigma = 0
    one-sided    sigma >= 0, x >= 0, sigma x = 0
    boxed        lo <= x <= hi; sigma = 0 between the bounds, sigma >= 0 at lo, sigma <= 0 at hi
    contact      normal as a one-sided row; friction |x_t| <= mu x_n, against the sliding and as large as it may be
    where
                 sigma_t is not 0; likewise |x| <= radius x_n for torsional and rolling rows

`layout` says how a problem stands in two arrays, one of integers and one of numbers, `problem` fills them from numpy
arrays, `solve.solve` solves them, `impacts.resolve` finds the impulses of impacts. docs/contact_solver.md explains the
method. Matrices only: nothing here knows a mechanism. All but `problem` is plain arithmetic on given arrays, one text
for Python and for kernels, which compile it (`kernels.cache.same_text`).
"""
