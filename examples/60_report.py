"""From a recording to a report: the sample trial twice, with one setting changed, and what that ran again.

python examples/60_report.py --out out/report
"""

import argparse
from pathlib import Path

from hitogata.cluster import LocalWorkers
from hitogata.pipeline import Settings
from hitogata.pipeline.analyse import analyse
from hitogata.pipeline.sample import sample_trial


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/report"))
    out = parser.parse_args().out

    settings = Settings().with_values("body", {"frames": 20}).with_values("muscles", {"rate": 25.0})
    first = analyse([str(sample_trial())], str(out), LocalWorkers(1), settings=settings)
    walk = first.records["walk"]
    print(f"markers {walk['found']['marker_rms_mm']:.2f} mm rms, size {walk['found']['size']:.3f} of the model's")
    print(f"residual force {walk['found']['residual_force_percent']:.1f} % of the greatest measured force")
    print(f"busiest: {', '.join(walk['found']['busiest'])}")

    slower = settings.with_values("torques", {"cutoff": 4.0})
    second = analyse([str(sample_trial())], str(out), LocalWorkers(1), settings=slower)
    print(f"another cut-off: {', '.join(second.records['walk']['seconds'])} ran again")
    assert set(second.records["walk"]["seconds"]) <= {"torques", "muscles"}
    print(f"{out / 'index.html'}")


if __name__ == "__main__":
    main()
