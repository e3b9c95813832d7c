"""The machine lives in the page: its functions and the loops around them as WebAssembly, and what a script needs to know to
assemble, move and simulate it. It stands above analyses and views, which know nothing of each other."""
