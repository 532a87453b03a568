"""Entries: rows of poses through the kernels of `rows`."""

from hitogata.lanes import X1, Floats, entry, kernel, lanes, pack, records, unpack, where
from hitogata.rom.coupled.layout import CoupledHead
from hitogata.rom.coupled.rows import coupled_room, read_charts


@entry(poses=Floats(2), table=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def room_rows(poses, table, out, work, width):
    """out (n, 1 + dofs) = room and row of the nearest wall, of poses (n, nq); work: 4 rows of scratch."""
    q, r, scratch, row = lanes(work, width, 0), lanes(work, width, 1), lanes(work, width, 2), lanes(work, width, 3)
    for first in range(0, poses.shape[0], q.width):
        pack(poses, first, q)
        nearest_wall(q, lanes(table, X1), scratch, row, r)
        unpack(r, out, first)


@entry(poses=Floats(2), table=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def wall_rows(poses, table, out, work, width):
    """out (n, walls (1 + dofs)) = room and row of every wall, of poses (n, nq)."""
    q, r, scratch = lanes(work, width, 0), lanes(work, width, 1), lanes(work, width, 2)
    view = lanes(table, X1)
    head = records(view, CoupledHead)[0]
    dofs = int(head.dofs)
    for first in range(0, poses.shape[0], q.width):
        pack(poses, first, q)
        read_charts(q, view, scratch)
        for k in range(int(head.walls)):
            at = k * (1 + dofs)
            r[at] = coupled_room(q, view, k, scratch, r, at + 1)
        unpack(r, out, first)


@kernel
def nearest_wall(q, view, work, row, out):
    """Room and row of the wall with the least room, into out."""
    head = records(view, CoupledHead)[0]
    read_charts(q, view, work)
    dofs = int(head.dofs)
    out[0] = coupled_room(q, view, 0, work, out, 1)
    for k in range(1, int(head.walls)):
        room = coupled_room(q, view, k, work, row, 0)
        less = room < out[0]
        out[0] = where(less, room, out[0])
        for d in range(dofs):
            out[1 + d] = where(less, row[d], out[1 + d])
