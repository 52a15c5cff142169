"""Hot loops as compiled functions.

In goes a function of arrays and numbers, marked as a kernel (`kernel`). Out comes machine code, which is kept
in a cache and loaded without Numba (`machine_code`). Numba compiles it when it is missing (`compiler`).
"""
