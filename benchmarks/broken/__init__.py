"""The corpus of broken machines in other programs, where they can be expressed: what their users are told.

    python -m benchmarks.broken --json benchmarks/broken/recorded.json

needs MuJoCo and Exudyn (the dependency group `programs`). The manual shows the recorded run.
"""
