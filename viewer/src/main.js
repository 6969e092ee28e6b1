// The page: reads its document, builds stage, time line and plots, and lets time run.
import { button, help, keyboard, switchButton, transport } from "./controls.js";
import { readDocument } from "./data.js";
import { number } from "./format.js";
import { icons } from "./icons.js";
import { makeKey, paintKey } from "./key.js";
import { Announcer, describe } from "./announce.js";
import { css, mix, palette } from "./palette.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { Recorder } from "./record.js";
import { Stage } from "./stage.js";
import { Timeline } from "./timeline.js";

const $ = (id) => document.getElementById(id);
const hash = new URLSearchParams(location.hash.slice(1));

class App {
  constructor(doc) {
    this.document = doc;
    this.scenes = doc.scenes;
    this.layout = doc.layout;
    this.player = new Player(doc.scenes);
    this.switches = {};
    this.head();
    this.line = transport($("transport"), this.player);
    this.makeStage();
    this.timeline = new Timeline(this.line, this.player, doc.scenes);
    this.plots = new Plots($("plots"), this.player, doc.scenes);
    if (!this.plots.choices.size) document.body.classList.add("no-plots");
    this.options();
    this.splitter();
    help($("help"));
    keyboard(this);
    this.announcer = new Announcer($("announcer"), this.player, doc.scenes);
    this.setTheme(hash.get("theme") ?? remembered("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    new ResizeObserver(() => this.resize()).observe($("main"));
    this.player.listen(() => this.changed());
    this.player.seek(Number(hash.get("t") ?? this.player.begin));
    if (hash.has("play")) this.player.toggle(true);
    let before = performance.now();
    const tick = (now) => {
      this.player.advance(Math.min((now - before) / 1000, 0.1));
      if (this.stage?.draw() && this.player.playing) this.stage.adapt(now - before);
      before = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  head() {
    const { title, subtitle } = this.scenes[0];
    $("title").textContent = title;
    const labels = this.scenes.map((scene) => [scene.label, scene.subtitle].filter(Boolean).join(": "));
    $("subtitle").textContent = this.scenes.length > 1 ? labels.join("   |   ") : subtitle;
    const tools = [button("help", "keys (?)", () => $("help").showModal())];
    if (this.scenes.length > 1) {
      this.layoutButton = button("side", "side by side or on top (l)", () => this.switchLayout());
      tools.unshift(this.layoutButton);
    }
    this.themeButton = button("moon", "light or dark (d)", () => this.switchTheme());
    tools.push(this.themeButton);
    $("tools").append(...tools);
    document.body.classList.toggle("embedded", hash.has("embed"));
  }

  makeStage() {
    const nothing = this.scenes.every((scene) => !scene.bodies.length && !scene.lines.length);
    const failed = this.scenes.map((scene) => scene.message).filter(Boolean);
    if (failed.length) this.notice(failed.join(" "));
    if (nothing) {
      this.notice("There is no drawing of this system, so only its curves are shown. Pass drawing=... to view or save_html.");
      document.body.classList.add("no-stage");
      return;
    }
    try {
      this.stage = new Stage($("canvas"), this.scenes, this.layout);
    } catch (error) {
      if (error.message !== "no WebGL") console.warn(error);
      this.notice("This browser cannot draw in three dimensions (no WebGL), so only the curves are shown.");
      document.body.classList.add("no-stage");
      return;
    }
    const canvas = $("canvas");
    this.stage.controls.addEventListener("start", () => (this.stage.moved = true));
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => ($("tip").hidden = true));
    canvas.addEventListener("dblclick", (event) => {
      const found = this.stage.pick(event.offsetX, event.offsetY);
      this.setFollow(found ? found.body : null);
    });
    canvas.setAttribute("aria-label", describe(this.scenes));
    this.showLabels();
    this.showLegend();
    makeKey($("key"), this.scenes);
  }

  notice(text) {
    $("notice").textContent = text;
    $("notice").hidden = false;
  }

  point(event) {
    if (event.buttons) return;
    const found = this.stage.pick(event.offsetX, event.offsetY);
    const tip = $("tip");
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = found.name;
    tip.style.translate = `${event.offsetX + 14}px ${event.offsetY + 14}px`;
  }

  /** Names of the solutions, and what has just been hit. */
  showLabels() {
    this.labels = this.scenes.map((scene, i) => {
      const label = document.createElement("div");
      const name = this.scenes.length > 1 ? scene.label || `solution ${i + 1}` : "";
      label.append(Object.assign(document.createElement("strong"), { textContent: name }), document.createElement("span"));
      $("labels").append(label);
      return label;
    });
  }

  showLegend() {
    const tube = this.stage.sets.flatMap((set) => set.tubes).find((x) => x.range);
    if (!tube) return;
    const { low, high, stops } = tube.range;
    const colors = Array.from({ length: 9 }, (_, i) => css(mix(stops, i / 8)));
    $("legend").innerHTML = `<span>${number(high, 3)}</span><i style="background:linear-gradient(to top,${colors.join()})"></i><span>${number(low, 3)}</span><b></b>`;
    $("legend").querySelector("b").textContent = tube.line.label;
    $("legend").hidden = false;
  }

  /** What is shown, whom the camera follows. */
  options() {
    if (!this.stage) return;
    const bodies = this.scenes[0].bodies;
    const makers = {
      trace: ["traces (t)", bodies.some((body) => body.trace)],
      force: ["contact forces (c)", this.scenes.some((scene) => scene.forces.contact.length)],
      joint: ["joints (j)", bodies.some((body) => body.role === "joint")],
      grid: ["grid (g)", true],
    };
    for (const [name, [title, there]] of Object.entries(makers)) {
      if (!there) continue;
      this.switches[name] = switchButton(name, title, true, (on) => this.show(name, on));
      $("options").append(this.switches[name]);
    }
    $("options").append(button("home", "the first view again (r)", () => this.home()));
    if (Recorder.works) $("options").append(new Recorder($("canvas"), this.player, this.scenes[0].title).button);
    const followed = bodies.map((body, i) => ({ body, i })).filter(({ body }) => body.role === "body" || body.role === "point");
    this.followed = followed.map(({ i }) => i);
    if (!followed.length) return;
    this.followMenu = document.createElement("select");
    this.followMenu.id = "follow";
    this.followMenu.setAttribute("aria-label", "follow a body");
    this.followMenu.append(new Option("follow nobody", ""), ...followed.map(({ body, i }) => new Option(`follow ${body.name}`, i)));
    this.followMenu.onchange = () => this.setFollow(this.followMenu.value === "" ? null : Number(this.followMenu.value));
    $("options").append(this.followMenu);
  }

  show(name, on) {
    this.stage.show(name, on);
    if (name === "force") $("key").hidden = !on || !$("key").children.length;
  }

  press(name) {
    this.switches[name]?.click();
  }

  setFollow(body) {
    this.stage.setFollow(body);
    if (this.followMenu) this.followMenu.value = body === null ? "" : String(body);
  }

  followNext() {
    if (!this.stage || !this.followed?.length) return;
    const next = this.followed[this.followed.indexOf(this.stage.follow) + 1];
    this.setFollow(next ?? null);
  }

  home() {
    if (!this.stage) return;
    this.setFollow(null);
    this.stage.home();
  }

  switchLayout() {
    if (this.scenes.length < 2) return;
    this.layout = this.layout === "side" ? "overlay" : "side";
    this.stage?.setLayout(this.layout);
    this.arrange();
    this.player.changed();
  }

  arrange() {
    document.body.dataset.layout = this.layout;
    paintKey($("key"), this.colors, this.layout === "overlay");
    if (this.layoutButton) this.layoutButton.innerHTML = icons[this.layout === "side" ? "overlay" : "side"];
    this.labels?.forEach((label, i) => {
      label.querySelector("strong").style.color = this.layout === "overlay" ? this.colors.scenes[i % this.colors.scenes.length] : "";
    });
  }

  switchTheme() {
    this.setTheme(this.theme === "dark" ? "light" : "dark");
    remember("theme", this.theme);
  }

  setTheme(theme) {
    this.theme = theme === "dark" ? "dark" : "light";
    this.colors = palette(this.theme);
    document.documentElement.dataset.theme = this.theme;
    this.themeButton.innerHTML = icons[this.theme === "dark" ? "sun" : "moon"];
    this.stage?.paint(this.colors);
    this.arrange();
    this.resize();
  }

  resize() {
    this.stage?.resize();
    this.timeline.resize(this.colors);
    this.plots.resize(this.colors);
    this.changed();
    this.stage?.draw();
  }

  changed() {
    const { time, speed } = this.player;
    this.stage?.update(time, speed);
    this.timeline.draw();
    this.plots.cursor();
    this.stage?.sets.forEach((set, i) => {
      const hit = set.impact;
      const { impacts, contacts, units } = set.scene;
      const text = hit ? `impact on ${contacts[impacts.contact[hit.i]].name}, ${number(impacts.impulse[hit.i], 3)} ${units.impulse}` : "";
      const span = this.labels[i].querySelector("span");
      if (span.textContent !== text) span.textContent = text;
    });
  }

  /** The line between stage and plots can be moved. */
  splitter() {
    const bar = $("splitter");
    const main = $("main");
    const set = (height) => {
      const most = main.clientHeight - 160;
      main.style.setProperty("--plots", `${Math.min(Math.max(height, 0), most)}px`);
      this.resize();
    };
    bar.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      bar.setPointerCapture(event.pointerId);
      const bottom = main.getBoundingClientRect().bottom;
      const move = (e) => set(bottom - e.clientY - 4);
      bar.addEventListener("pointermove", move);
      bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), { once: true });
    });
    bar.addEventListener("keydown", (event) => {
      const step = { ArrowUp: 20, ArrowDown: -20 }[event.key];
      if (step) set($("plots").clientHeight + step);
    });
  }
}

function remembered(name) {
  try {
    return localStorage.getItem(`genalpha-${name}`);
  } catch {
    return null; // a file opened from disk may not remember anything
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(`genalpha-${name}`, value);
  } catch {
    return;
  }
}

readDocument().then((doc) => {
  const app = new App(doc);
  // an open connection tells the server that the page is still there
  if (doc.serve && location.protocol.startsWith("http")) app.connection = new EventSource("open");
  window.genalpha = app;
});
