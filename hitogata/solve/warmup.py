"""What `hitogata warmup` compiles for this room."""

from collections.abc import Callable, Iterator


def warm() -> Iterator[tuple[str, Callable[[], object]]]:
    """Every solver, on a small problem."""
    import numpy as np

    from hitogata.solve import Problem, direct, lemke, principal_pivoting, projected_gauss_seidel

    problem = Problem(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-1.0, 1.0]))
    for solver in (projected_gauss_seidel, principal_pivoting, lemke, direct):
        yield f"solve: {solver.__name__.replace('_', ' ')}", lambda solver=solver: solver(problem)  # type: ignore[misc]
