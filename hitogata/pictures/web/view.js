// ---------------------------------------------------------------- the camera and the hand that turns it

const ANGLE = 0.6;  // of view [rad]

class View {
  constructor(canvas, { azimuth, elevation, centre, middle, radius, size, follow }, actors, changed) {
    Object.assign(this, { canvas, actors, changed });
    this.first = { azimuth, elevation, centre, middle, radius, size, follow };
    this.fingers = new Map();
    this.reset();
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      this.fingers.set(e.pointerId, e);
    });
    canvas.addEventListener("pointermove", (e) => this.fingers.has(e.pointerId) && this.drag(e));
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, (e) => this.fingers.delete(e.pointerId));
    canvas.addEventListener("wheel", (e) => {
      if (window !== parent && !document.hasFocus()) return;  // within a page that is being scrolled
      e.preventDefault();
      this.zoom(Math.exp((e.deltaMode ? 30 : 1) * 0.0012 * e.deltaY));
    }, { passive: false });
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("dblclick", () => this.reset());
  }

  /** The first view: all that happens, or the figures where they are if the camera follows them. */
  reset(follow = this.first.follow) {
    const { azimuth, elevation, centre, middle, radius, size } = this.first;
    Object.assign(this, { azimuth, elevation, follow });
    this.radius = follow ? size : radius;
    this.target = follow ? middle : centre;
    const narrow = Math.min(1, this.canvas.clientWidth / (this.canvas.clientHeight || 1));
    this.distance = (1.15 * this.radius) / Math.sin(ANGLE / 2) / narrow;
    this.changed();
  }

  /** Let the camera go along or stay, from where it is. */
  setFollow(follow, time) {
    if (follow !== this.follow) this.target = add(this.target, this.shift(time), follow ? -1 : 1);
    this.follow = follow;
    this.changed();
  }

  /** Middle of the figures' roots. */
  shift(time) {
    const roots = this.actors.map((actor) => actor.root(time));
    return roots.reduce((sum, root) => add(sum, root, 1 / roots.length), [0, 0, 0]);
  }

  drag(event) {
    const before = this.fingers.get(event.pointerId);
    const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
    const other = [...this.fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
    if (other) this.pinch(before, event, other);
    else if (event.shiftKey || event.buttons & 6) this.move(dx, dy);
    else {
      this.azimuth -= 0.006 * dx;
      this.elevation = clamp(this.elevation + 0.006 * dy, -1.55, 1.55);
    }
    this.fingers.set(event.pointerId, event);
    this.changed();
  }

  /** One of two fingers goes from a to b: what lies between them stays between them. */
  pinch(a, b, other) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const middle = ({ clientX: x, clientY: y }) => [(x + other.clientX - width) / 2, (y + other.clientY - height) / 2];
    const gap = (finger) => Math.hypot(finger.clientX - other.clientX, finger.clientY - other.clientY) || 1;
    this.move(...middle(a).map((x) => -x));
    this.zoom(gap(a) / gap(b));
    this.move(...middle(b));
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, 0.05 * this.radius, 20 * this.radius);
    this.changed();
  }

  /** Slide along the picture by pixels. */
  move(dx, dy) {
    const back = this.back(), right = unit(cross([0, 0, 1], back)), up = cross(back, right);
    const metres = (2 * this.distance * Math.tan(ANGLE / 2)) / this.canvas.clientHeight;
    this.target = add(add(this.target, right, -dx * metres), up, dy * metres);
  }

  back() {
    const c = Math.cos(this.elevation);
    return [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)];
  }

  /** Eye, target and matrix at a time. */
  look(time) {
    const target = this.follow ? add(this.target, this.shift(time)) : this.target;
    const eye = add(target, this.back(), this.distance), { clientWidth: width, clientHeight: height } = this.canvas;
    const lens = perspective(ANGLE, width / height, 0.02 * this.distance, 20 * this.distance + 4 * this.radius);
    return { camera: multiplied(lens, looking(eye, target)), eye, target, distance: this.distance };
  }

  /** Where a point of the world lands on the page, in pixels; null behind the eye. */
  project({ camera: m }, [x, y, z]) {
    const [a, b, , w] = [0, 1, 2, 3].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]);
    return w > 0 ? [(0.5 + a / w / 2) * this.canvas.clientWidth, (0.5 - b / w / 2) * this.canvas.clientHeight] : null;
  }
}
