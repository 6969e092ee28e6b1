// The time line: when contacts are closed, where impacts happened, where we are.

const LANE = 5;
const MOST_LANES = 6;

export class Timeline {
  constructor(element, player, scenes) {
    this.player = player;
    this.scenes = scenes;
    this.canvas = document.createElement("canvas");
    element.append(this.canvas);
    this.element = element;
    Object.assign(element, { tabIndex: 0, role: "slider" });
    element.setAttribute("aria-label", "time");
    element.setAttribute("aria-valuemin", player.begin);
    element.setAttribute("aria-valuemax", player.end);
    this.lanes = scenes.flatMap((scene, i) => lanesOf(scene, i, scenes.length)).slice(0, MOST_LANES);
    element.addEventListener("pointerdown", (event) => this.grab(event));
    element.addEventListener("pointermove", (event) => this.hint(event));
  }

  x(time) {
    const { begin, end } = this.player;
    return 9 + ((time - begin) / (end - begin || 1)) * (this.width - 18);
  }

  timeAt(x) {
    const { begin, end } = this.player;
    return begin + ((x - 9) / (this.width - 18)) * (end - begin);
  }

  /** The impact within a few pixels, if there is one. */
  near(x) {
    let best = null;
    for (const time of this.player.impacts) {
      const distance = Math.abs(this.x(time) - x);
      if (distance < 6 && (best === null || distance < best.distance)) best = { time, distance };
    }
    return best?.time;
  }

  grab(event) {
    event.preventDefault();
    this.element.focus({ preventScroll: true });
    this.element.setPointerCapture(event.pointerId);
    const was = this.player.playing;
    this.player.playing = false;
    const left = this.element.getBoundingClientRect().left;
    this.player.seek(this.near(event.clientX - left) ?? this.timeAt(event.clientX - left));
    const move = (e) => this.player.seek(this.timeAt(e.clientX - left));
    const stop = () => {
      this.element.removeEventListener("pointermove", move);
      if (was) this.player.toggle(true);
    };
    this.element.addEventListener("pointermove", move);
    this.element.addEventListener("pointerup", stop, { once: true });
  }

  hint(event) {
    const x = event.clientX - this.element.getBoundingClientRect().left;
    const impact = this.near(x);
    this.element.title = impact === undefined ? "" : `impact at ${impact.toPrecision(6)} ${this.player.unit}`;
    this.element.style.cursor = impact === undefined ? "ew-resize" : "pointer";
  }

  resize(colors) {
    this.colors = colors;
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = this.width * ratio;
    this.canvas.height = this.height * ratio;
    this.context = this.canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw();
  }

  draw() {
    const { context: c, colors, width, height, player } = this;
    if (!c || width < 20) return;
    const middle = Math.round(height / 2);
    c.clearRect(0, 0, width, height);
    bar(c, 9, middle - 2, width - 18, 4, colors.rule);
    bar(c, 9, middle - 2, Math.max(this.x(player.time) - 9, 0), 4, colors.faint);
    this.lanes.forEach((lane, i) => {
      const y = middle + 6 + i * LANE;
      c.fillStyle = lane.scene === null ? colors.band : colors.scenes[lane.scene % colors.scenes.length];
      c.globalAlpha = 0.75;
      for (const [begin, end] of lane.intervals) c.fillRect(this.x(begin), y, Math.max(this.x(end) - this.x(begin), 1), 3);
      c.globalAlpha = 1;
    });
    c.fillStyle = colors.impact;
    const dense = player.impacts.length > width / 4;
    c.globalAlpha = dense ? 0.45 : 0.9;
    for (const time of player.impacts) c.fillRect(this.x(time) - 0.75, middle - 11, 1.5, 8);
    c.globalAlpha = 1;
    c.fillStyle = colors.ink;
    c.beginPath();
    c.arc(this.x(player.time), middle, 6, 0, 2 * Math.PI);
    c.fill();
    this.element.setAttribute("aria-valuenow", player.time);
    this.element.setAttribute("aria-valuetext", `${player.time.toPrecision(5)} seconds`);
  }
}

function lanesOf(scene, index, count) {
  const lanes = scene.contacts.map((contact) => contact.intervals).filter((intervals) => intervals.length);
  const own = count > 1 ? index : null;
  if (lanes.length > MOST_LANES / count) return [{ scene: own, intervals: lanes.flat() }];
  return lanes.map((intervals) => ({ scene: own, intervals }));
}

function bar(c, x, y, width, height, color) {
  c.fillStyle = color;
  c.beginPath();
  c.roundRect(x, y, width, height, height / 2);
  c.fill();
}
