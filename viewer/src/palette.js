// Colours of both themes; the page takes the rest from style.css.

const LIGHT = {
  bodies: ["#5e6fb7", "#d9a441", "#569d78", "#b0563f", "#7e96bf", "#8b949c"],
  ramp: ["#2f5d8a", "#4f9aa8", "#8fb996"],
  ground: "#bcc1c1",
  joint: "#39424c",
  point: "#4f7cac",
  force: "#22897a",
  friction: "#6a2fb5",
  stick: "#11161b",
  halo: "#fbfbf9",
  impact: "#e0562b",
  grid: "#aab1b5",
  shadow: 0.22,
  sky: "#ffffff",
  earth: "#d8d4ca",
  ink: "#20272e",
  faint: "#6b757e",
  rule: "#dfe2e2",
  band: "#22897a",
  scenes: ["#2f6fb0", "#d8742c", "#12805c", "#a8277a", "#816314", "#5a4e44"],
  curves: ["#2f6fb0", "#d8742c", "#12805c", "#c7568f", "#5a3fa0", "#825b14", "#3fa0c8", "#5b5f66"],
};

const DARK = {
  bodies: ["#6f94df", "#e8bc5c", "#82d0ad", "#d9826a", "#acb4d7", "#b2b4c2"],
  ramp: ["#5f93cc", "#62bac4", "#b5d9a6"],
  ground: "#5a636c",
  joint: "#c3ccd4",
  point: "#7fa8d6",
  force: "#45c7b2",
  friction: "#c79bff",
  stick: "#f4f6f8",
  halo: "#14191e",
  impact: "#ff7a4a",
  grid: "#59646f",
  shadow: 0.45,
  sky: "#dfe8f2",
  earth: "#6a6e78",
  ink: "#e6eaee",
  faint: "#95a0ab",
  rule: "#2c343c",
  band: "#45c7b2",
  scenes: ["#78b0ea", "#e9b366", "#52c79c", "#f27ab1", "#d8c850", "#b3afcb"],
  curves: ["#78b0ea", "#f0a058", "#3ec591", "#f08cb8", "#a58cf0", "#e7ca48", "#78dcf0", "#b8c0c8"],
};

export function palette(theme) {
  return theme === "dark" ? DARK : LIGHT;
}

/** "#rrggbb" as three numbers from 0 to 1. */
export function rgb(color) {
  const n = parseInt(color.slice(1), 16);
  return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}

export function mix(stops, x) {
  const at = Math.min(Math.max(x, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  const a = rgb(stops[i]);
  const b = rgb(stops[i + 1]);
  return a.map((value, k) => value + (b[k] - value) * (at - i));
}

// values of both signs: blue, pale, red; of one sign: pale to deep
export const DIVERGING = ["#1f5fae", "#6ca4d8", "#c6c4bf", "#e8946c", "#c2331f"];
export const SEQUENTIAL = ["#c6c4bf", "#f1c27a", "#dd7d4a", "#a83a3f", "#5b1f45"];

export function css(color) {
  return `#${color.map((x) => Math.round(255 * x).toString(16).padStart(2, "0")).join("")}`;
}

/** The colour of body number i of n: a palette for few, a ramp for many. */
export function bodyColor(colors, i, n) {
  return n <= colors.bodies.length ? colors.bodies[i] : css(mix(colors.ramp, n > 1 ? i / (n - 1) : 0));
}
