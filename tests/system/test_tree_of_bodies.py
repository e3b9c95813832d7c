"""The spanning tree that elimination, joint coordinates and large machines share."""

import numpy as np

from linkwright.system.tree import parents


def test_branches_are_short_and_floating_parts_hang_on_the_ground():
    """A ring of five through the ground, a pair that floats, and a body by itself."""
    links = {0: [1, 4], 1: [0, 2], 2: [1, 3], 3: [2, 4], 4: [3, 0], 6: [5], 5: [6]}
    assert parents(links, 0, range(1, 8)) == {1: 0, 4: 0, 2: 1, 3: 4, 5: 0, 6: 5, 7: 0}


def test_neighbours_are_taken_in_their_order():
    assert list(parents({"g": ["b", "a"], "a": ["c"], "b": ["c"]}, "g", "abc").items()) == [
        ("b", "g"),
        ("a", "g"),
        ("c", "b"),
    ]


def test_depths_are_those_of_the_shortest_paths():
    """Of random graphs: as Bellman and Ford find them."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        pairs = rng.integers(0, 30, size=(40, 2))
        links = {k: [int(j) for a, b in pairs for i, j in ((a, b), (b, a)) if i == k] for k in range(30)}
        depth = np.full(30, 99)
        depth[0] = 0
        for _ in range(30):
            for a, b in pairs:
                depth[a], depth[b] = min(depth[a], depth[b] + 1), min(depth[b], depth[a] + 1)
        parent = parents(links, 0, range(1, 30))
        assert set(parent) == set(range(1, 30))
        for k in np.flatnonzero((depth > 0) & (depth < 99)):
            assert depth[parent[k]] == depth[k] - 1
