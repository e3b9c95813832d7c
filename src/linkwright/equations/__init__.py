"""The books' position equations, inertia and force laws: functions of scalars. They know no models and no solvers."""
