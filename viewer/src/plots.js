// Curves over time below the stage, with a cursor tied to the time line.
import { Panel } from "./panel.js";

export class Plots {
  constructor(element, player, scenes) {
    Object.assign(this, { element, player, scenes });
    this.window = [player.begin, player.end];
    this.panels = [];
    this.choices = choicesOf(scenes);
    this.adder = document.createElement("button");
    Object.assign(this.adder, { className: "adder", type: "button", textContent: "+", title: "one more plot" });
    this.adder.setAttribute("aria-label", "one more plot");
    this.adder.onclick = () => this.add(this.unused());
    element.append(this.adder);
    const first = scenes[0].plots.filter((name) => this.choices.has(name));
    for (const name of first) this.add(name);
  }

  unused() {
    const used = new Set(this.panels.map((panel) => panel.choice));
    return [...this.choices.keys()].find((name) => !used.has(name)) ?? [...this.choices.keys()][0];
  }

  add(choice) {
    if (choice === undefined) return;
    const panel = new Panel(this, choice);
    this.panels.push(panel);
    this.element.insertBefore(panel.element, this.adder);
    this.resize(this.colors);
  }

  remove(panel) {
    panel.element.remove();
    this.panels = this.panels.filter((other) => other !== panel);
    this.resize(this.colors);
  }

  resize(colors) {
    this.colors = colors;
    if (colors) for (const panel of this.panels) panel.resize();
  }

  cursor() {
    for (const panel of this.panels) panel.cursor();
  }

  /** The same interval of time in all plots. */
  zoom(begin, end) {
    const least = 1e-4 * (this.player.end - this.player.begin);
    if (end - begin < least) return;
    this.window = [Math.max(begin, this.player.begin), Math.min(end, this.player.end)];
    for (const panel of this.panels) panel.draw();
  }
}

/** What can be plotted, by name: groups of curves first, then each curve. */
function choicesOf(scenes) {
  const choices = new Map();
  const all = scenes[0].quantities;
  for (const { group } of all) if (!choices.has(group)) choices.set(group, { group, names: [] });
  for (const { group, name } of all) choices.get(group).names.push(name);
  for (const { name, group } of all) if (!choices.has(name)) choices.set(name, { group: null, names: [name], under: group });
  scenes[0].bodies.forEach((body, i) => {
    if (body.role === "ground" || body.role === "joint" || scenes[0].bodies.length > 100) return;
    choices.set(`${body.name} position`, { names: ["x", "y", "z"].map((axis) => `${body.name} ${axis}`), body: i, under: "positions" });
  });
  return choices;
}
