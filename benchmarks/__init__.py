"""One file per question, each beside a peer in the same run.  `python -m benchmarks` prints all tables."""
