// ---------------------------------------------------------------- geometries
// A vertex is a corner and a normal; the vertex shader puts it at  corner * size + normal * radius.  So one geometry,
// the ball cut into eighths, is a ball, a capsule or a box with round edges, depending on size and radius.

const STEPS = 6;  // of a quarter turn

/** A ball whose eighths can be moved apart by the signs of their corners. */
function ballGeometry() {
  const corners = [], normals = [], faces = [];
  const quarter = Math.PI / 2, rows = 2 * (STEPS + 1), columns = 4 * (STEPS + 1);
  for (let i = 0; i < columns; i++) {
    const side = Math.floor(i / (STEPS + 1)), angle = quarter * (side + (i % (STEPS + 1)) / STEPS);
    for (let j = 0; j < rows; j++) {
      const upper = j > STEPS, height = quarter * ((j % (STEPS + 1)) / STEPS - (upper ? 0 : 1)), r = Math.cos(height);
      corners.push(side === 0 || side === 3 ? 1 : -1, side < 2 ? 1 : -1, upper ? 1 : -1);
      normals.push(r * Math.cos(angle), r * Math.sin(angle), Math.sin(height));
      if (j + 1 === rows) continue;
      const a = i * rows + j, b = ((i + 1) % columns) * rows + j;
      faces.push(a, b, b + 1, a, b + 1, a + 1);
    }
  }
  const [a, b, c, d] = [0, 1, 2, 3].map((side) => side * (STEPS + 1) * rows), top = rows - 1;
  faces.push(a, d, c, a, c, b, a + top, b + top, c + top, a + top, c + top, d + top);
  return { corners, normals, faces };
}

/** A cone from the disc of radius 1 at z = 0 to the tip at z = 1. */
function coneGeometry() {
  const corners = [], normals = [], faces = [], n = 24;
  for (let i = 0; i < n; i++) {
    const x = Math.cos((2 * Math.PI * i) / n), y = Math.sin((2 * Math.PI * i) / n), next = (i + 1) % n;
    corners.push(x, y, 0, 0, 0, 1, x, y, 0);
    normals.push(x, y, 1, x, y, 1, 0, 0, -1);
    faces.push(3 * i, 3 * next, 3 * i + 1);
    if (i > 1) faces.push(2, 3 * i + 2, 3 * (i - 1) + 2);
  }
  return { corners, normals, faces };
}

/** A mesh with flat faces. */
function meshGeometry(vertices, triangles) {
  const corners = [], normals = [];
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [0, 1, 2].map((i) => vertices.slice(3 * triangles[k + i], 3 * triangles[k + i] + 3));
    const n = unit(cross(sub(b, a), sub(c, a)));
    corners.push(...a, ...b, ...c);
    normals.push(...n, ...n, ...n);
  }
  return { corners, normals, faces: corners.map((_, k) => k).slice(0, triangles.length) };
}

/** A part of the unit sphere, to be drawn with a radius. */
function shellGeometry(vertices, triangles) {
  return { corners: new Float32Array(vertices.length), normals: vertices, faces: triangles, shell: true };
}
