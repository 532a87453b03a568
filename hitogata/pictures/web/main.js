// ---------------------------------------------------------------- playing

const THEMES = {
  light: {
    sky: [0.6, 0.63, 0.68], bounce: [0.34, 0.32, 0.31],  // light from above and below
    floor: [0.945, 0.95, 0.957], ink: [0.72, 0.75, 0.785], dark: 0.22,  // ground, its lines, its shadows
  },
  dark: {
    sky: [0.4, 0.44, 0.5], bounce: [0.14, 0.14, 0.15],
    floor: [0.135, 0.15, 0.175], ink: [0.36, 0.4, 0.45], dark: 0.6,
  },
};
const night = matchMedia("(prefers-color-scheme: dark)");

class Player {
  constructor(scene, canvas) {
    this.actors = scene.actors = scene.actors.map((record) => new Actor(record));
    this.begin = Math.min(...this.actors.map(({ time }) => time[0]));
    this.end = Math.max(...this.actors.map(({ time }) => time.at(-1)));
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    Object.assign(this, { canvas, time: this.begin, playing: this.end > this.begin && !calm, loop: true, speed: 1 });
    Object.assign(this, { quality: 1, slow: 0 });
    this.renderer = new Renderer(canvas);
    this.drawing = new Drawing(scene, this.renderer);
    this.view = new View(canvas, scene.camera, this.actors, () => this.changed());
    this.controls = new Controls(scene, this, this.view, this.drawing);
    const azimuth = scene.camera.azimuth + 0.9;
    this.sun = unit([0.5 * Math.cos(azimuth), 0.5 * Math.sin(azimuth), 1]);
    new ResizeObserver(() => this.changed()).observe(canvas);
    night.addEventListener("change", () => this.changed());
    canvas.addEventListener("webglcontextrestored", () => location.reload());
    this.goToHash();
    addEventListener("hashchange", () => this.goToHash());
  }

  /** replay.html#t=2.5 opens at 2.5 s and waits. */
  goToHash() {
    const time = parseFloat(new URLSearchParams(location.hash.slice(1)).get("t"));
    if (Number.isFinite(time)) this.playing = false, this.seek(time);
  }

  seek(time) {
    this.time = clamp(time, this.begin, this.end);
    this.changed();
  }

  /** To the next (1) or last (-1) state of any actor. */
  step(sign) {
    let least = Infinity;
    for (const { time } of this.actors)
      for (const t of time) {
        const ahead = sign * (t - this.time);
        if (ahead > 1e-6 && ahead < least) least = ahead;
      }
    this.playing = false;
    this.seek(this.time + sign * Math.min(least, this.end - this.begin));
  }

  toggle() {
    this.playing = !this.playing && this.end > this.begin;
    if (this.playing && this.time >= this.end) this.time = this.begin;
    this.changed();
  }

  /** Ask for a new picture. */
  changed() {
    this.waiting ??= requestAnimationFrame((now) => {
      this.waiting = undefined;
      this.tick(now);
    });
  }

  tick(now) {
    const passed = (now - (this.last ?? now)) / 1000;
    this.last = this.playing ? now : undefined;
    if (this.playing) {
      this.time += this.speed * Math.min(passed, 0.25);
      if (this.time >= this.end) {
        this.playing = this.loop;
        this.time = this.loop ? this.begin : this.end;
      }
      this.adapt(passed);
      this.changed();
    }
    this.picture();
  }

  /** Fewer pixels where the graphics card (or the lack of one) cannot keep up. */
  adapt(passed) {
    this.slow = clamp(this.slow + (passed > 0.05 ? 1 : -0.5), 0, 12);
    if (this.slow < 12 || this.quality <= 0.5) return;
    this.quality -= 0.25;
    this.slow = 0;
  }

  picture() {
    const { canvas, view, renderer } = this, scale = Math.min(devicePixelRatio || 1, 2) * this.quality;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * scale)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const look = view.look(this.time);
    for (const actor of this.actors) actor.seek(this.time);
    this.drawing.draw(this.time, this.controls.hidden);
    const radius = clamp(0.55 * look.distance, 0.5, 1.3 * view.radius + 1);
    renderer.render(look, { sun: this.sun, radius }, THEMES[night.matches ? "dark" : "light"]);
    this.controls.show(look);
  }
}

try {
  const player = new Player(JSON.parse(element("scene").textContent), element("picture"));
  window.replay = player;  // for pages that embed this one, and for curious people
  player.changed();
} catch (error) {
  const words = document.createElement("p");
  words.className = "failed";
  words.textContent = error.message;
  document.body.replaceChildren(words);
}
