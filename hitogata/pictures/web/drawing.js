// ---------------------------------------------------------------- what is drawn of the scene

const WARNING = "#d62839";  // a bone out of its range

/** Lays a scene before the renderer. */
class Drawing {
  constructor(scene, renderer) {
    this.scene = scene;
    this.renderer = renderer;
    this.ball = renderer.geometry(ballGeometry());
    this.cone = renderer.geometry(coneGeometry());
    this.meshes = scene.meshes.map((m) => renderer.geometry(meshGeometry(unpacked(m.vertices), unpacked(m.faces))));
    for (const actor of scene.actors)
      for (const o of actor.overlays)
        if (o.kind === "JointRange") o.shell = renderer.geometry(shellGeometry(o.vertices, o.faces));
  }

  /** All of it at the time the actors are at. `hidden`: names of overlays that are switched off. */
  draw(time, hidden) {
    if (this.scene.ground) this.renderer.plane({ position: [0, 0, 0], quat: [1, 0, 0, 0] });
    for (const shape of this.scene.scenery) this.shape(shape, shape, 1);
    for (const actor of this.scene.actors) {
      if (!actor.shown) continue;
      for (const shape of actor.shapes)
        this.shape(shape, actor.placed(shape.link, shape.position, shape.quat), actor.opacity);
      for (const overlay of actor.overlays) if (!hidden.has(overlay.name)) this[overlay.kind](overlay, actor, time);
    }
  }

  /** Above the highest part of an actor. */
  top(actor) {
    const tops = actor.shapes.filter(({ plane }) => !plane).map(({ link, position, quat, mesh, size, radius }) => {
      const pose = actor.placed(link, position, quat), [w, ...u] = pose.quat, up = turned([-w, ...u], [0, 0, 1]);
      if (mesh === undefined) return pose.position[2] + radius + dot(up.map(Math.abs), size);
      const { corners } = this.meshes[mesh];
      let most = -Infinity;
      for (let k = 0; k < corners.length; k += 3) most = Math.max(most, dot(up, corners.slice(k, k + 3)));
      return pose.position[2] + most;
    });
    const [x, y] = actor.links[0].position;
    return [x, y, Math.max(...tops) + 0.1];
  }

  shape({ plane, mesh, size, radius, colour }, pose, opacity) {
    if (plane) this.renderer.plane(pose);
    else if (mesh !== undefined) this.renderer.solid(this.meshes[mesh], pose, [1, 1, 1], 0, tint(colour, opacity));
    else this.renderer.solid(this.ball, pose, size, radius, tint(colour, opacity));
  }

  // ------------------------------------------------------- overlays, by the names of hitogata.pictures.overlays

  overlay(...solid) {
    this.renderer.solid(...solid, { overlay: true });
  }

  Marker({ at, radius, tie, colour }, actor) {
    const position = actor.now(at);
    this.overlay(this.ball, { position, quat: [1, 0, 0, 0] }, [0, 0, 0], radius, tint(colour));
    if (tie) this.renderer.line(position, actor.placed(tie.link, tie.point).position, 2, tint(colour, 0.8));
  }

  Trail({ at, seconds, width, colour }, actor, time) {
    const age = (k) => 1 - (time - actor.time[k]) / (seconds ?? Infinity);
    const shade = (k) => tint(colour, seconds === null ? 0.9 : 0.9 * clamp(age(k), 0, 1));
    for (let k = actor.frame; k > 0 && age(k) > 0; k--)
      this.renderer.line(row(at, k - 1), row(at, k), width, shade(k - 1), shade(k));
    this.renderer.line(row(at, actor.frame), actor.now(at), width, shade(actor.frame), tint(colour, 0.9));
  }

  Line({ points, width, colour }) {
    for (let k = 1; 3 * k < points.length; k++)
      this.renderer.line(row(points, k - 1), row(points, k), width, tint(colour, 0.9));
  }

  Arrows({ starts, at, vectors, colour }, actor) {
    for (let k = starts[actor.frame]; k < starts[actor.frame + 1]; k++) {
      const vector = row(vectors, k), length = norm(vector), along = unit(vector), quat = turnFromZ(along);
      const thick = clamp(0.03 * length, 0.004, 0.012), head = Math.min(0.5 * length, 6 * thick), shaft = length - head;
      const middle = add(row(at, k), along, shaft / 2), neck = add(row(at, k), along, shaft);
      this.overlay(this.ball, { position: middle, quat }, [0, 0, shaft / 2], thick, tint(colour));
      this.overlay(this.cone, { position: neck, quat }, [2.4 * thick, 2.4 * thick, head], 0, tint(colour));
    }
  }

  Spindles({ at, values, widths, beads, palette }, actor) {
    const n = widths.length;
    for (let i = 0; i < n; i++) {
      const first = (actor.frame * n + i) * beads, colour = tint(palette[values[actor.frame * n + i]]);
      for (let b = 0; b + 1 < beads; b++) {
        const belly = Math.sin((Math.PI * (b + 0.5)) / (beads - 1)) ** 1.5;
        this.renderer.line(row(at, first + b), row(at, first + b + 1), 1 + (widths[i] - 1) * belly, colour);
      }
    }
  }

  JointRange({ shell, parent, centre, quat, radius, boundary, link, bone, outside, colour }, actor) {
    const pose = actor.placed(parent, centre, quat), out = outside[actor.frame], edge = tint(out ? WARNING : colour);
    this.renderer.solid(shell, pose, [0, 0, 0], radius, tint(colour, 0.3));
    const points = Array.from({ length: boundary.length / 3 }, (_, k) =>
      add(pose.position, turned(pose.quat, row(boundary, k)), radius));
    points.forEach((point, k) => this.renderer.line(point, points[(k + 1) % points.length], 2.5, edge));
    const tip = add(pose.position, turned(actor.links[link].quat, bone), radius);
    this.renderer.line(pose.position, tip, 2, edge);
    this.overlay(this.ball, { position: tip, quat }, [0, 0, 0], 0.07 * radius, edge);
  }
}
