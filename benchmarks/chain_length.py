"""Does forward dynamics cost the same per link however long the chain?  (Its work is O(n).)"""

import numpy as np

from benchmarks.timing import calls, table
from hitogata.dynamics import forward_dynamics
from hitogata.library import chain


def main() -> None:
    rows, per_link = [], {}
    for n in (8, 16, 32, 64, 128, 256, 512, 1024):
        figure, rng = chain(n), np.random.default_rng(n)
        q, v, tau = rng.normal(size=(3, n)) * 0.3
        time = calls(forward_dynamics, figure, q, v, tau, loops=max(1, 2000 // n), repeats=400)
        per_link[n] = time / n
        rows.append([str(n), f"{time * 1e6:.2f}", f"{time / n * 1e9:.1f}"])
    table("Chain of n links: one forward dynamics from Python", ["links", "µs", "ns per link"], rows)
    print(f"  time per link at 1024 links: {per_link[1024] / per_link[64]:.2f} times that at 64")


if __name__ == "__main__":
    main()
