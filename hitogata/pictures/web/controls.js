// ---------------------------------------------------------------- buttons, keys, legend, words

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const PLAY = '<svg viewBox="0 0 20 20"><path d="M6 4.2v11.6l9.5-5.8z"/></svg>';
const PAUSE = '<svg viewBox="0 0 20 20"><path d="M6.2 4.5v11m7.6-11v11" stroke-width="3"/></svg>';
const element = (id) => document.getElementById(id);

class Controls {
  /** `player` has begin, end, time, playing, loop, speed, seek(), step(), toggle() and changed(). */
  constructor(scene, player, view, drawing) {
    Object.assign(this, { scene, player, view, drawing, hidden: new Set() });
    element("title").textContent = scene.title;
    element("text").textContent = scene.text;
    element("speed").append(...SPEEDS.map((speed) => new Option(`${speed}×`, speed, speed === 1, speed === 1)));
    this.labels = scene.actors.map(({ label }) => {
      const span = document.createElement("span");
      span.textContent = label;
      span.hidden = true;
      element("labels").append(span);
      return span;
    });
    this.makeLegend();
    if (player.begin === player.end) document.querySelector("footer").hidden = true;

    Object.assign(element("slider"), { min: player.begin, max: player.end });
    element("slider").oninput = (e) => player.seek(Number(e.target.value));
    element("speed").onchange = (e) => this.setSpeed(Number(e.target.value));
    element("play").onclick = () => player.toggle();
    element("loop").onclick = () => ((player.loop = !player.loop), player.changed());
    element("follow").onclick = () => view.setFollow(!view.follow, player.time);
    element("reset").onclick = () => view.reset();
    element("help").onclick = () => (element("keys").hidden = !element("keys").hidden);
    addEventListener("keydown", (e) => this.key(e));
  }

  /** A switch for each actor with a label and each overlay's name. */
  makeLegend() {
    const add = (name, colour, change) => {
      const [label, box, text] = ["label", "input", "span"].map((tag) => document.createElement(tag));
      Object.assign(box, { type: "checkbox", checked: true });
      box.onchange = () => (change(box.checked), this.player.changed());
      text.textContent = name;
      label.style.setProperty("--colour", colour);
      label.append(box, document.createElement("i"), text);
      element("legend").append(label);
    };
    const { actors } = this.scene, seen = new Set();
    for (const actor of actors) if (actor.label) add(actor.label, actor.colour, (on) => (actor.shown = on));
    for (const { name, colour } of actors.flatMap((actor) => actor.overlays)) {
      if (seen.has(name)) continue;
      seen.add(name);
      add(name, colour, (on) => (on ? this.hidden.delete(name) : this.hidden.add(name)));
    }
  }

  setSpeed(speed) {
    this.player.speed = speed;
    element("speed").value = speed;
  }

  key(event) {
    const { player, view } = this, { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.tagName === "SELECT") return;
    if (key === " " && (target.tagName === "BUTTON" || target.type === "checkbox")) return;
    const sign = key === "ArrowLeft" || key === "ArrowDown" ? -1 : 1;
    const actions = {
      " ": () => player.toggle(),
      ArrowLeft: () => (event.shiftKey ? player.seek(player.time - 1) : player.step(-1)),
      ArrowRight: () => (event.shiftKey ? player.seek(player.time + 1) : player.step(1)),
      ArrowUp: () => this.setSpeed(SPEEDS[clamp(SPEEDS.indexOf(player.speed) + sign, 0, SPEEDS.length - 1)]),
      Home: () => player.seek(player.begin),
      End: () => player.seek(player.end),
      l: () => element("loop").click(),
      f: () => element("follow").click(),
      r: () => view.reset(),
      "?": () => element("help").click(),
    };
    actions.ArrowDown = actions.ArrowUp;
    const action = actions[key.length === 1 ? key.toLowerCase() : key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Bring everything on the page up to date; `look`: the camera. */
  show(look) {
    const { player, scene } = this, { time, begin, end } = player;
    const icon = player.playing ? PAUSE : PLAY;
    if (this.icon !== icon) element("play").innerHTML = this.icon = icon;
    element("play").ariaLabel = player.playing ? "pause" : "play";
    element("loop").ariaPressed = player.loop;
    element("follow").ariaPressed = this.view.follow;
    element("slider").value = time;
    element("clock").innerHTML = `<b>${time.toFixed(2)}</b><span class="whole"> / ${end.toFixed(2)} s</span>`;
    const spoken = scene.captions.filter(([start, stop]) => start <= time && time < stop);
    const words = spoken.map(([, , text]) => text).join(" · ");
    if (element("caption").textContent !== words) element("caption").textContent = words;
    scene.actors.forEach((actor, k) => {
      const at = actor.shown && actor.label ? this.view.project(look, this.drawing.top(actor)) : null;
      this.labels[k].hidden = !at;
      if (at) this.labels[k].style.transform = `translate(${at[0]}px, ${at[1]}px) translate(-50%, -100%)`;
    });
  }
}
