"""Random machines and what must hold of every one of them, without a reference.

A *machine* is a structure (which bodies, which elements between them) with numbers in it. Structures cost about a second to
compile, numbers a few hundredths, so each structure is run with many. Both come from one seed:

    make fuzz SECONDS=600 SEED=1000000 JOBS=2
    make fuzz REPLAY=1234:5                    # the structure 1234 with its sixth set of numbers
    python -m fuzz --replay 1234:5 --only ways # one invariant of it, from the folder tests

A run that ends in an error of ours (it locks up, it cannot be closed) is counted by kind; a wrong number, any other
exception, a warning, and what takes more than a minute of processor time are failures.

    places, sketch                       a machine as plain data in world axes, and the same machine described otherwise
    kinds, grow, loads_drawn             the elements, and random machines of them
    further_drawn, touching_drawn,       impacts, tyres, tables, rails, fixed starts; what sticks, touches and rolls,
    later_drawn, rare_drawn              ropes, belts, teeth, motors, states; inertia, attraction, what presses and rubs;
                                         bevel gears, long ropes, rises, plain Python, nodes: from streams of their own
    render, render_touching              a sketch as a model
    motion, compare                      answers as arrays, one form for plane and space; whether two are the same
    pairs, loads, touching, rare         joints and forces in plain numpy, written anew
    balance, agreement, driven, mobility, rest, studied: what must hold; `invariants` lists it, `known` what does not yet
    cases, campaign                      one machine; many, in child processes that may hang or die
    minimise                             a machine that fails made smaller
"""
