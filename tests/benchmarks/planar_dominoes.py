"""A row of dominoes in the plane, hard and inelastic: time stepping of Moreau with Coulomb friction, to convergence.

An oracle for the scene of that name that shares nothing with any engine: rigid rectangles, corners against faces and
the ground, u_n + gap/h >= 0, impulses by Gauss-Seidel until none changes a speed by more than 1e-9 m/s.
"""

import math

import numba
import numpy as np

MASS, G, MARGIN = 0.5, 9.81, 0.02


@numba.njit(cache=True)
def corner_contacts(x, half, bodies, places, normals, gaps, keys):
    """Corners near the ground or near a neighbour's face; how many."""
    n = 0
    for i in range(len(x)):
        c, s = math.cos(x[i, 2]), math.sin(x[i, 2])
        for corner in range(4):
            a, b = half[0] * (1 - 2 * (corner & 1)), half[1] * (1 - (corner & 2))
            px, pz = x[i, 0] + c * a + s * b, x[i, 1] - s * a + c * b
            if pz < MARGIN:
                bodies[n, 0], bodies[n, 1], keys[n], gaps[n] = i, -1, i * 16 + corner, pz
                places[n, 0], places[n, 1], normals[n, 0], normals[n, 1] = px, pz, 0.0, 1.0
                n += 1
            for side in range(2):
                j = i + 2 * side - 1
                if j < 0 or j >= len(x):
                    continue
                cj, sj = math.cos(x[j, 2]), math.sin(x[j, 2])
                dx, dz = px - x[j, 0], pz - x[j, 1]
                qx, qz = cj * dx - sj * dz, sj * dx + cj * dz
                gx, gz = abs(qx) - half[0], abs(qz) - half[1]
                if max(gx, gz) > MARGIN or (gx > 0 and gz > 0):
                    continue
                nx, nz = (math.copysign(1.0, qx), 0.0) if gx > gz else (0.0, math.copysign(1.0, qz))
                bodies[n, 0], bodies[n, 1], keys[n], gaps[n] = i, j, i * 16 + 4 + 2 * corner + side, max(gx, gz)
                places[n, 0], places[n, 1] = px, pz
                normals[n, 0], normals[n, 1] = cj * nx + sj * nz, -sj * nx + cj * nz
                n += 1
    return n


@numba.njit(cache=True)
def push(v, x, body, place, along, impulse, inertia):
    arm = (place[1] - x[body, 1]) * along[0] - (place[0] - x[body, 0]) * along[1]
    v[body, 0] += impulse * along[0] / MASS
    v[body, 1] += impulse * along[1] / MASS
    v[body, 2] += impulse * arm / inertia


@numba.njit(cache=True)
def speed(v, x, body, place, along, inertia):
    """Speed of a point of a body along a direction, and what a unit impulse adds to it."""
    arm = (place[1] - x[body, 1]) * along[0] - (place[0] - x[body, 0]) * along[1]
    return v[body, 0] * along[0] + v[body, 1] * along[1] + v[body, 2] * arm, 1 / MASS + arm * arm / inertia


@numba.njit(cache=True)
def lean_times(count, h, seconds, friction, pitch, half, lean, angle):
    """When each domino leans by an angle [s], infinite if never; the first one leans at the start."""
    inertia = MASS * (half[0] ** 2 + half[1] ** 2) / 3
    x, v, times = np.zeros((count, 3)), np.zeros((count, 3)), np.full(count, np.inf)
    for i in range(count):
        x[i, 0], x[i, 1] = pitch * i, half[1]
    x[0, 0] = half[1] * math.sin(lean) - half[0] * math.cos(lean) + half[0]
    x[0, 1], x[0, 2] = half[1] * math.cos(lean) + half[0] * math.sin(lean), lean
    most = 16 * count
    bodies, keys, gaps = np.zeros((most, 2), np.int64), np.zeros(most, np.int64), np.zeros(most)
    places, normals = np.zeros((most, 2)), np.zeros((most, 2))
    impulses, last = np.zeros((most, 2)), np.zeros((most, 2))
    along = np.zeros((2, 2))
    for step in range(int(seconds / h)):
        n = corner_contacts(x, half, bodies, places, normals, gaps, keys)
        v[:, 1] -= G * h
        impulses[:] = 0.0
        for sweep in range(2000):
            worst = 0.0
            for k in range(n):
                i, j = bodies[k, 0], bodies[k, 1]
                along[0, 0], along[0, 1] = normals[k, 0], normals[k, 1]
                along[1, 0], along[1, 1] = normals[k, 1], -normals[k, 0]
                for t in range(2):
                    u, w = speed(v, x, i, places[k], along[t], inertia)
                    if j >= 0:
                        other, more = speed(v, x, j, places[k], along[t], inertia)
                        u, w = u - other, w + more
                    old = impulses[k, t]
                    if sweep == 0:
                        new = last[keys[k], t]
                    elif t == 0:
                        new = max(0.0, old - (u + gaps[k] / h * (1.0 if gaps[k] > 0 else 0.1)) / w)
                    else:
                        most_grip = friction * impulses[k, 0]
                        new = min(most_grip, max(-most_grip, old - u / w))
                    impulses[k, t] = new
                    worst = max(worst, abs(new - old) * w)
                    push(v, x, i, places[k], along[t], new - old, inertia)
                    if j >= 0:
                        push(v, x, j, places[k], along[t], old - new, inertia)
            if sweep > 0 and worst < 1e-9:
                break
        last[:] = 0.0
        for k in range(n):
            last[keys[k], 0], last[keys[k], 1] = impulses[k, 0], impulses[k, 1]
        for i in range(count):
            before = x[i, 2]
            for axis in range(3):
                x[i, axis] += h * v[i, axis]
            if times[i] == np.inf and x[i, 2] >= angle:
                times[i] = h * (step + (angle - before) / (x[i, 2] - before))
        if times[-1] < np.inf:
            break
    return times
