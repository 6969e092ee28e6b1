// Buttons, menus and keys.
import { icons } from "./icons.js";

export function button(icon, title, action) {
  const element = document.createElement("button");
  Object.assign(element, { type: "button", innerHTML: icons[icon], title, onclick: action });
  element.setAttribute("aria-label", title);
  return element;
}

/** A button that is pressed or not. */
export function switchButton(icon, title, pressed, action) {
  const element = button(icon, title, () => {
    const now = element.getAttribute("aria-pressed") !== "true";
    element.setAttribute("aria-pressed", now);
    action(now);
  });
  element.setAttribute("aria-pressed", pressed);
  return element;
}

/** The bar below the stage: play, step, time line, time, speed. */
export function transport(element, player) {
  const play = button("play", "play or pause (space)", () => player.toggle());
  play.id = "play";
  play.className = "main";
  const line = Object.assign(document.createElement("div"), { id: "timeline" });
  const clock = Object.assign(document.createElement("output"), { id: "clock" });
  const speed = document.createElement("select");
  Object.assign(speed, { id: "speed", title: `${player.unit} of the motion in one second`, onchange: () => player.setSpeed(Number(speed.value)) });
  speed.setAttribute("aria-label", "speed");
  const loop = switchButton("loop", "begin again at the end", player.loop, (on) => (player.loop = on));
  const impacts = player.impacts.length
    ? [button("previous", "impact before ([)", () => player.jump(-1)), button("next", "next impact (])", () => player.jump(1))]
    : [];
  const steps = [
    button("back", "one frame back (←)", () => player.stepFrames(-1)),
    button("forward", "one frame on (→)", () => player.stepFrames(1)),
  ];
  element.append(...impacts.slice(0, 1), steps[0], play, steps[1], ...impacts.slice(1), line, clock, speed, loop);
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(player.end - player.begin || 1))));
  let shown = {};
  player.listen(() => {
    clock.textContent = `${player.time.toFixed(digits).replace("-", "−")} ${player.unit}`;
    if (shown.playing !== player.playing) play.innerHTML = icons[player.playing ? "pause" : "play"];
    if (shown.speed !== player.speed) {
      speed.replaceChildren(...player.speeds.map((x) => new Option(speedText(x), x)));
      speed.value = String(player.speed);
    }
    shown = { playing: player.playing, speed: player.speed };
  });
  return line;
}

function speedText(speed) {
  const text = speed >= 1e-3 ? Number(speed.toPrecision(1)).toString() : speed.toExponential(0).replace("-", "−");
  return `${text} ×`;
}

const TURN = Math.PI / 24; // of the view, with one key

const KEYS = [
  ["space", "play or pause"],
  ["← →", "one frame back or on; with shift ten"],
  ["[ ]", "impact before, next impact"],
  ["− +", "slower, faster"],
  ["home, end", "to the beginning, to the end"],
  ["↑ ↓ , .", "turn the view up, down, left, right"],
  ["page up, page down", "nearer, farther"],
  ["f", "follow the next body"],
  ["r", "the first view again, follow nobody"],
  ["t c j g", "traces, contact forces, joints, grid"],
  ["l", "side by side or on top (comparison)"],
  ["d", "light or dark"],
  ["?", "this list"],
];

const POINTER = [
  ["drag", "turn; right button: move; wheel: nearer or farther"],
  ["touch", "one finger: turn; two: move, nearer or farther; double tap: follow a body"],
  ["double click", "follow a body"],
  ["on a plot", "drag: time; wheel: stretch the time axis; double click: all of it"],
];

export function help(dialog) {
  const rows = (list) => list.map(([key, text]) => `<dt>${key}</dt><dd>${text}</dd>`).join("");
  dialog.innerHTML = `<h2>Keys</h2><dl>${rows(KEYS)}</dl><h2>Pointer</h2><dl>${rows(POINTER)}</dl><form method="dialog"><button>close</button></form>`;
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

/** Keys do what buttons do; they are left alone while a menu has the focus. */
export function keyboard(app) {
  const { player } = app;
  const actions = {
    " ": () => player.toggle(),
    ArrowLeft: (event) => player.stepFrames(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => player.stepFrames(event.shiftKey ? 10 : 1),
    "[": () => player.jump(-1),
    "]": () => player.jump(1),
    "+": () => player.faster(1),
    "=": () => player.faster(1),
    "-": () => player.faster(-1),
    Home: () => player.seek(player.begin),
    End: () => player.seek(player.end),
    ArrowUp: () => app.stage?.orbit(0, TURN),
    ArrowDown: () => app.stage?.orbit(0, -TURN),
    ",": () => app.stage?.orbit(-TURN, 0),
    ".": () => app.stage?.orbit(TURN, 0),
    PageUp: () => app.stage?.orbit(0, 0, 1.15),
    PageDown: () => app.stage?.orbit(0, 0, 1 / 1.15),
    f: () => app.followNext(),
    r: () => app.home(),
    t: () => app.press("trace"),
    c: () => app.press("force"),
    j: () => app.press("joint"),
    g: () => app.press("grid"),
    l: () => app.switchLayout(),
    d: () => app.switchTheme(),
    "?": () => document.getElementById("help").showModal(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help").open) return;
    if (event.target instanceof HTMLSelectElement || event.target.id === "splitter") return;
    // a button that has the focus takes the space bar for itself
    if (event.key === " " && event.target instanceof HTMLButtonElement && event.target.id !== "play") return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
