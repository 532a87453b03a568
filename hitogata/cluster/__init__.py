"""Many items of work on many processes, exactly one result each, whatever dies: on one computer, or on a Ray cluster.

    Results        a folder (or any URL that fsspec opens) of results with checksums, each written once
    run_items      items through workers: resumed, retried, bounded in time, memory and number
    LocalWorkers   processes of this computer
    RayWorkers     a Ray cluster: pip install 'hitogata[cluster]'

`docs/cluster.md` is the guide.
"""

from hitogata.cluster.folder_lock import FolderLock, FolderTakenError
from hitogata.cluster.items import Item, Outcome, Policy
from hitogata.cluster.local_workers import LocalWorkers
from hitogata.cluster.results import Results
from hitogata.cluster.run import run_items
from hitogata.cluster.workers import Workers, WorkerStartError

__all__ = [
    "FolderLock",
    "FolderTakenError",
    "Item",
    "LocalWorkers",
    "Outcome",
    "Policy",
    "Results",
    "WorkerStartError",
    "Workers",
    "run_items",
]
