"""How long does it take to find all contacts of a scene, beside coal and MuJoCo?

human40 standing on a plane, and heaps of 20 to 2000 shapes.  Ours in a compiled loop, as a simulator calls it: placing
shapes, broad and narrow phase.  coal: its dynamic AABB tree, updated, then `collide` with the default callback, all in
C++; it gives one point per pair, and knows no joined links.  MuJoCo: `mj_collision`; geoms were placed before.
"""

import coal
import mujoco
import numpy as np

from benchmarks.contact_pairs import _geom
from benchmarks.timing import best, calls, table
from hitogata.contact import ContactFinder, Surface, joined_bodies, surfaces_of
from hitogata.contact.finder import find_in_all, find_swept
from hitogata.dynamics import forward_kinematics
from hitogata.figure import Box, Capsule, Plane, Pose, Sphere
from hitogata.files import write_mjcf
from hitogata.lanes import entry
from hitogata.library import human40
from hitogata.spatial import matrix_to_quat
from tests.contact.cases import rotations
from tests.contact.peers import coal_shape

KINDS = [Sphere(0.1), Capsule(0.08, 0.15), Box((0.1, 0.1, 0.15))]


@entry
def all_again(count, ints, floats, poses, pairs, margin, work, old_ints, old, old_count, contacts, points):
    n = 0
    for _ in range(count):
        n += find_in_all(ints, floats, poses, pairs, margin, work, old_ints, old, old_count, contacts, points)
    return n


@entry
def swept_again(count, ints, floats, rules, order, poses, pairs, spare, margin, work, old_ints, old, old_count,
                contacts, points):  # fmt: skip
    n = 0
    for _ in range(count):
        n += find_swept(ints, floats, rules, order, poses, pairs, spare, margin, work, old_ints, old, old_count,
                        contacts, points)[1]  # fmt: skip
    return n


def own(surfaces: list[Surface], joined: list[tuple[int, int]], poses: np.ndarray, swept: bool) -> tuple[float, int]:
    """Seconds for one call inside compiled code, and points found."""
    f = ContactFinder(surfaces, joined=joined, swept=swept)
    found = len(f.find(poses))
    flat = np.concatenate([poses[:, :, :3].reshape(-1, 9), poses[:, :, 3]], axis=1)
    loops = max(1, 2000 // len(surfaces))
    if swept:
        run = lambda: swept_again(
            loops, f.table.ints, f.table.floats, f.table.rules, f._order, flat, f._pairs, f._spare, f.margin, f._work,
            *f._now, found, *f._last,
        )  # fmt: skip
    else:
        run = lambda: all_again(
            loops, f.table.ints, f.table.floats, flat, f._pairs, f.margin, f._work, *f._now, found, *f._last
        )
    return best(run, loops=loops), found


def with_coal(surfaces: list[Surface], poses: np.ndarray) -> tuple[float, int]:
    manager = coal.DynamicAABBTreeCollisionManager()
    objects = []
    for s in surfaces:
        place = _world(s, poses)
        objects.append(coal.CollisionObject(coal_shape(s.shape), coal.Transform3s(place[:, :3], place[:, 3])))
        manager.registerObject(objects[-1])
    manager.setup()
    callback, found = coal.CollisionCallBackDefault(), 0
    callback.data.request.security_margin, callback.data.request.num_max_contacts = 0.01, 100000

    def run() -> None:
        nonlocal found
        manager.update()
        callback.data.result.clear()
        callback.data.done = False
        manager.collide(callback)
        found = callback.data.result.numContacts()

    return best(run, repeats=20), found


def with_mujoco(xml: str, qpos: np.ndarray | None = None) -> tuple[float, int]:
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    if qpos is not None:
        data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return best(lambda: mujoco.mj_collision(model, data), repeats=500), data.ncon


def _world(s: Surface, poses: np.ndarray) -> np.ndarray:
    local = s.frame @ s.shape.pose
    at = np.eye(3, 4) if s.body < 0 else poses[s.body]
    return np.c_[at[:, :3] @ local.rotation, at[:, :3] @ np.array(local.position) + at[:, 3]]


def main() -> None:
    figure = human40()
    q = figure.neutral()
    q[2] -= forward_kinematics(figure, q).position[figure.link_index("foot_left"), 2] - 0.0795
    poses = forward_kinematics(figure, q).matrices
    surfaces, joined = [*surfaces_of(figure), Surface(Plane())], joined_bodies(figure, grandparents=True)
    xml = write_mjcf(figure).replace("<worldbody>", '<worldbody><geom type="plane" size="9 9 1" margin="0.01"/>')
    names = ["all pairs", "swept", "finder.find, from Python", "coal", "MuJoCo"]
    finder = ContactFinder(surfaces, joined=joined)
    results = [
        own(surfaces, joined, poses, False), own(surfaces, joined, poses, True),
        (calls(finder.find, poses), len(finder.find(poses))), with_coal(surfaces, poses), with_mujoco(xml, q),
    ]  # fmt: skip
    least = results[0][0]
    lines = [[name, f"{t * 1e6:.2f}", str(n), f"{t / least:.1f}"] for name, (t, n) in zip(names, results, strict=True)]
    table("human40 standing on a plane", ["", "µs", "points", "× all pairs"], lines)

    rng, lines = np.random.default_rng(0), []
    for n in (20, 50, 100, 200, 500, 1000, 2000):
        rot, pos = rotations(n, rng), rng.uniform(0, 0.5 * n ** (1 / 3), (n, 3))
        poses = np.concatenate([rot, pos[:, :, None]], axis=2)
        surfaces = [Surface(KINDS[i % 3], i) for i in range(n)] + [Surface(Plane())]
        every = own(surfaces, [], poses, False)
        swept = own(surfaces, [], poses, True)
        peer = with_coal(surfaces, poses)
        muj = with_mujoco(_heap(poses))
        lines.append([str(n), *(f"{r[0] * 1e6:.1f}" for r in (every, swept, peer, muj)), str(swept[1]), str(muj[1])])
    head = ["shapes, µs", "all pairs", "swept", "coal", "MuJoCo", "points", "MuJoCo's"]
    table("Heaps: spheres, capsules and boxes, and a plane", head, lines)


def _heap(poses: np.ndarray) -> str:
    bodies = []
    for i, p in enumerate(poses):
        pose = Pose(tuple(p[:, 3]), tuple(matrix_to_quat(p[:, :3])))
        place, turn = " ".join(map(str, pose.position)), " ".join(map(str, pose.quat))
        geom = f'<geom mass="1" margin="0.01" {_geom(KINDS[i % 3])}/>'
        bodies.append(f'<body pos="{place}" quat="{turn}"><freejoint/>{geom}</body>')
    plane = '<geom type="plane" size="9 9 1" margin="0.01"/>'
    return f'<mujoco><size memory="200M"/><worldbody>{plane}{"".join(bodies)}</worldbody></mujoco>'


if __name__ == "__main__":
    main()
