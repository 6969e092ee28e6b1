// One plot: a menu, the curves, and a cursor at the time of the time line.
import { locate } from "./data.js";
import { label, nice, number, power } from "./format.js";

const MARGIN = { left: 54, right: 12, top: 8, bottom: 22 };

// of several solutions, curves of the first are drawn through, those of the others dashed in their own way
const DASHES = [[], [5, 3], [1.5, 2.5], [8, 3, 1.5, 3]];
const MASKS = DASHES.map(([on, off]) => (on ? `repeating-linear-gradient(90deg, #000 0 ${on}px, transparent ${on}px ${on + off}px)` : ""));

export class Panel {
  constructor(plots, choice) {
    this.plots = plots;
    this.element = document.createElement("article");
    this.element.className = "plot";
    const bar = document.createElement("div");
    bar.className = "bar";
    this.select = document.createElement("select");
    this.select.setAttribute("aria-label", "quantity");
    fill(this.select, plots.choices);
    this.legend = document.createElement("div");
    this.legend.className = "legend";
    this.unit = document.createElement("span");
    this.unit.className = "unit";
    const close = document.createElement("button");
    Object.assign(close, { type: "button", className: "close", textContent: "×", title: "remove this plot" });
    close.setAttribute("aria-label", "remove this plot");
    close.onclick = () => plots.remove(this);
    bar.append(this.select, this.unit, close);
    this.box = document.createElement("div");
    this.box.className = "box";
    this.box.setAttribute("role", "img");
    this.below = document.createElement("canvas");
    this.above = document.createElement("canvas");
    this.box.append(this.below, this.above);
    this.element.append(bar, this.legend, this.box);
    this.select.onchange = () => this.choose(this.select.value);
    this.box.addEventListener("pointerdown", (event) => this.grab(event));
    this.box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.box.addEventListener("dblclick", () => plots.zoom(plots.player.begin, plots.player.end));
    this.choose(choice);
  }

  choose(choice) {
    this.choice = choice;
    this.select.value = choice;
    const { names, body } = this.plots.choices.get(choice);
    this.curves = this.plots.scenes.flatMap((scene, s) =>
      names.flatMap((name, k) => {
        if (body !== undefined) return body < scene.bodies.length ? [path(scene, s, body, k, name)] : [];
        const found = scene.quantities.find((quantity) => quantity.name === name);
        return found ? [{ scene: s, index: k, name, time: scene.plotTime, values: found.values, log: found.log, unit: found.unit ?? "" }] : [];
      }),
    );
    this.log = this.curves.length > 0 && this.curves.every((curve) => curve.log);
    this.single = names.length === 1;
    this.writeLegend();
    if (this.plots.colors) this.resize();
  }

  writeLegend() {
    this.legend.replaceChildren();
    const units = new Set(this.curves.map(({ unit }) => unit));
    this.unit.textContent = units.size === 1 ? [...units][0] : "";
    this.cells = this.curves.slice(0, 10).map((curve) => {
      const item = document.createElement("span");
      const key = document.createElement("i");
      const value = document.createElement("b");
      const label = this.plots.scenes.length > 1 ? this.plots.scenes[curve.scene].label || `${curve.scene + 1}` : "";
      const text = this.single ? label : [curve.name, label].filter(Boolean).join(" · ");
      item.append(key, text ? `${text} ` : "", value, units.size > 1 ? ` ${curve.unit}` : "");
      item.title = curve.name;
      this.legend.append(item);
      return { curve, key, value };
    });
  }

  color(curve) {
    const { colors, scenes } = this.plots;
    if (scenes.length > 1 && this.single) return colors.scenes[curve.scene % colors.scenes.length];
    return colors.curves[curve.index % colors.curves.length];
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    this.width = this.box.clientWidth;
    this.height = this.box.clientHeight;
    for (const canvas of [this.below, this.above]) {
      canvas.width = Math.max(1, this.width * ratio);
      canvas.height = Math.max(1, this.height * ratio);
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    for (const { curve, key } of this.cells) {
      key.style.background = this.color(curve);
      key.style.mask = this.single ? "" : MASKS[curve.scene % MASKS.length];
    }
    this.draw();
  }

  x(time) {
    const [begin, end] = this.plots.window;
    return MARGIN.left + ((time - begin) / (end - begin || 1)) * (this.width - MARGIN.left - MARGIN.right);
  }

  y(value) {
    const [low, high] = this.range;
    const v = this.log ? Math.log10(Math.max(value, 1e-300)) : value;
    return this.height - MARGIN.bottom - ((v - low) / (high - low)) * (this.height - MARGIN.top - MARGIN.bottom);
  }

  timeAt(x) {
    const [begin, end] = this.plots.window;
    return begin + ((x - MARGIN.left) / (this.width - MARGIN.left - MARGIN.right)) * (end - begin);
  }

  draw() {
    const c = this.below.getContext("2d");
    const { colors, scenes, window } = this.plots;
    c.clearRect(0, 0, this.width, this.height);
    if (this.width < 90 || this.height < 50) return;
    this.range = this.limits();
    this.box.setAttribute("aria-label", this.summary());
    c.font = "11px system-ui, sans-serif";
    this.axes(c, colors);
    c.save();
    c.beginPath();
    c.rect(MARGIN.left, 0, this.width - MARGIN.left - MARGIN.right, this.height - MARGIN.bottom);
    c.clip();
    for (const [s, scene] of scenes.entries()) {
      c.fillStyle = scenes.length > 1 ? colors.scenes[s % colors.scenes.length] : colors.band;
      c.globalAlpha = 0.1;
      for (const { intervals } of scene.contacts.slice(0, 6)) {
        for (const [begin, end] of intervals) {
          c.fillRect(this.x(begin), MARGIN.top, Math.max(this.x(end) - this.x(begin), 0.5), this.height - MARGIN.bottom - MARGIN.top);
        }
      }
      c.globalAlpha = 1;
    }
    c.lineJoin = "round";
    for (const curve of this.curves) {
      c.strokeStyle = this.color(curve);
      c.lineWidth = 1.5;
      c.setLineDash(this.single ? [] : DASHES[curve.scene % DASHES.length]);
      this.stroke(c, curve, window);
    }
    c.restore();
    this.cursor();
  }

  stroke(c, { time, values }, [begin, end]) {
    const first = Math.max(locate(time, begin).index, 0);
    const last = Math.min(locate(time, end).index + 1, time.length - 1);
    c.beginPath();
    for (let i = first; i <= last; i++) c.lineTo(this.x(time[i]), this.y(values[i]));
    c.stroke();
  }

  /** What the curves are and how far they go, for those who do not see them. */
  summary() {
    const parts = this.curves.slice(0, 10).map(({ name, values, unit }) => {
      let [low, high] = [Infinity, -Infinity];
      for (const v of values) [low, high] = [Math.min(low, v), Math.max(high, v)];
      return `${name} from ${number(low, 3)} to ${number(high, 3)}${unit && ` ${unit}`}`;
    });
    return `plot of ${this.choice} over time: ${parts.join("; ")}`;
  }

  /** The lowest and the highest value in the window, with some room. */
  limits() {
    let low = Infinity;
    let high = -Infinity;
    const [begin, end] = this.plots.window;
    for (const { time, values } of this.curves) {
      const last = Math.min(locate(time, end).index + 1, time.length - 1);
      for (let i = locate(time, begin).index; i <= last; i++) {
        const v = this.log ? Math.log10(Math.max(values[i], 1e-300)) : values[i];
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (!Number.isFinite(low)) return [0, 1];
    if (this.log) return [Math.floor(low - 0.2), Math.max(Math.ceil(high + 0.2), Math.floor(low) + 2)];
    const room = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
    return [low - room, high + room];
  }

  axes(c, colors) {
    const { scenes } = this.plots;
    const bottom = this.height - MARGIN.bottom;
    c.strokeStyle = colors.rule;
    c.fillStyle = colors.faint;
    c.lineWidth = 1;
    c.textAlign = "right";
    c.textBaseline = "middle";
    const [low, high] = this.range;
    const rows = Math.max(2, Math.floor((bottom - MARGIN.top) / 34));
    const step = this.log ? Math.max(1, Math.ceil((high - low) / rows)) : nice((high - low) / rows);
    for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step) {
      const y = Math.round(this.height - MARGIN.bottom - ((v - low) / (high - low)) * (bottom - MARGIN.top)) + 0.5;
      line(c, MARGIN.left, y, this.width - MARGIN.right, y);
      c.fillText(this.log ? power(v) : label(v, step), MARGIN.left - 7, y);
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    const [begin, end] = this.plots.window;
    const pace = nice((end - begin) / Math.max(2, Math.floor(this.width / 90)));
    for (let t = Math.ceil(begin / pace - 1e-9) * pace; t <= end + 1e-9 * pace; t += pace) {
      const x = Math.round(this.x(t)) + 0.5;
      line(c, x, bottom, x, bottom + 4);
      if (x < this.width - 40) c.fillText(label(t, pace), x, bottom + 6);
    }
    c.textAlign = "right";
    c.fillText(`t (${scenes[0].units.time})`, this.width - MARGIN.right, bottom + 6);
    line(c, MARGIN.left, bottom + 0.5, this.width - MARGIN.right, bottom + 0.5);
  }

  cursor() {
    const { player, colors } = this.plots;
    const c = this.above.getContext("2d");
    c.clearRect(0, 0, this.width, this.height);
    if (!this.range || this.width < 90) return;
    for (const { curve, value } of this.cells) {
      const v = valueAt(curve, player.time);
      value.textContent = number(v);
    }
    const x = this.x(player.time);
    if (x < MARGIN.left - 1 || x > this.width - MARGIN.right + 1) return;
    c.strokeStyle = colors.ink;
    c.globalAlpha = 0.5;
    line(c, Math.round(x) + 0.5, MARGIN.top, Math.round(x) + 0.5, this.height - MARGIN.bottom);
    c.globalAlpha = 1;
    for (const curve of this.curves) {
      c.fillStyle = this.color(curve);
      c.beginPath();
      c.arc(x, this.y(valueAt(curve, player.time)), 3, 0, 2 * Math.PI);
      c.fill();
    }
    this.element.dataset.cursor = String(player.time);
  }

  grab(event) {
    event.preventDefault();
    this.box.setPointerCapture(event.pointerId);
    const { player } = this.plots;
    player.playing = false;
    const left = this.box.getBoundingClientRect().left;
    const move = (e) => player.seek(this.timeAt(e.clientX - left));
    move(event);
    this.box.addEventListener("pointermove", move);
    this.box.addEventListener("pointerup", () => this.box.removeEventListener("pointermove", move), { once: true });
  }

  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
    event.preventDefault();
    const [begin, end] = this.plots.window;
    const center = this.timeAt(event.clientX - this.box.getBoundingClientRect().left);
    const factor = Math.exp(0.0015 * (event.deltaY || event.deltaX));
    this.plots.zoom(center + (begin - center) * factor, center + (end - center) * factor);
  }
}

function fill(select, choices) {
  const groups = new Map([["together", document.createElement("optgroup")]]);
  groups.get("together").label = "together";
  for (const [name, { under }] of choices) {
    const key = under ?? "together";
    if (!groups.has(key)) groups.set(key, Object.assign(document.createElement("optgroup"), { label: key }));
    groups.get(key).append(new Option(name, name));
  }
  select.append(...groups.values());
}

/** A coordinate of a body over the frames. */
function path(scene, s, body, axis, name) {
  const n = scene.bodies.length;
  const values = Float32Array.from(scene.time, (_, frame) => scene.positions[3 * (frame * n + body) + axis]);
  return { scene: s, index: axis, name, time: scene.time, values, log: false, unit: scene.units.length ?? "" };
}

function valueAt({ time, values }, t) {
  const { index, share } = locate(time, t);
  return share > 0 ? values[index] + share * (values[index + 1] - values[index]) : values[index];
}

function line(c, x0, y0, x1, y1) {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}
