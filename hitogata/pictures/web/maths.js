// ---------------------------------------------------------------- vectors, orientations, matrices
// Vectors are [x, y, z], quaternions [w, x, y, z] as in hitogata; matrices have 16 numbers, column after column.

const add = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
const sub = (a, b) => add(a, b, -1);
const scaled = (a, k) => [k * a[0], k * a[1], k * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(...a);
const unit = (a) => scaled(a, 1 / (norm(a) || 1));
const mix = (a, b, w) => add(scaled(a, 1 - w), b, w);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** v turned by q. */
function turned([w, ...u], v) {
  const t = add(cross(u, v), v, w);
  return add(v, cross(u, t), 2);
}

/** q after r. */
function product([a, ...u], [b, ...v]) {
  return [a * b - dot(u, v), ...add(add(scaled(v, a), u, b), cross(u, v))];
}

/** The orientation at share w of the short way from q to r; near enough to the arc for neighbouring states. */
function blended(q, r, w) {
  const sign = q[0] * r[0] + q[1] * r[1] + q[2] * r[2] + q[3] * r[3] < 0 ? -1 : 1;
  const sum = q.map((x, k) => (1 - w) * x + sign * w * r[k]);
  const size = Math.hypot(...sum);
  return sum.map((x) => x / size);
}

/** The shortest turn that takes +z to a unit direction. */
function turnFromZ([x, y, z]) {
  if (z < -0.9999) return [0, 1, 0, 0];
  const w = 1 + z, size = Math.hypot(w, x, y);
  return [w / size, -y / size, x / size, 0];
}

function multiplied(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++)
      for (let k = 0; k < 4; k++) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), d = near - far;
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, (2 * far * near) / d, 0];
}

function parallel(half, near, far) {
  const d = near - far;
  return [1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, 2 / d, 0, 0, 0, (far + near) / d, 1];
}

/** From the world to an eye that looks at a target, with z up in the picture. */
function looking(eye, target) {
  const back = unit(sub(eye, target)), right = unit(cross([0, 0, 1], back)), up = cross(back, right);
  const [x, y, z] = [right, up, back].map((axis) => -dot(axis, eye));
  return [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, x, y, z, 1];
}
