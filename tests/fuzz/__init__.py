"""Random machines and what must hold of every one of them, without a reference.

A *machine* is a structure (which bodies, which elements between them) with numbers in it. Structures cost about a second to
compile, numbers a few hundredths, so each structure is run with many. Both come from one seed:

    python -m fuzz --seconds 600 --jobs 2      # from the folder tests; or: make fuzz SECONDS=600 JOBS=2
    python -m fuzz --replay 1234:5             # the structure 1234 with its sixth set of numbers

    places, sketch    a machine as plain data in world axes, and the same machine described otherwise
    kinds, grow       the elements, and random machines of them
    render            a sketch as a model
    motion            answers as arrays, one form for plane and space
    pairs, loads      joints and forces in plain numpy, written anew
    balance, ...      one module for each invariant; `invariants` lists them
    cases             one machine: what is run, what is checked
    __main__          many machines in child processes that may hang or die
"""
