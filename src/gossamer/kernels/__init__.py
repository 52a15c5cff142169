"""Hot loops as compiled functions, and their machine code."""
