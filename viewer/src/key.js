// What arrows and marks at contacts mean; only where there is friction.
const svg = (inside) => `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${inside}</svg>`;
const ARROW = svg('<path d="M1 8h9" stroke="currentColor" stroke-width="2"/><path d="M9 4l6 4-6 4z" fill="currentColor"/>');

const ENTRIES = [
  ["contact force", "force", ARROW],
  ["friction force", "friction", ARROW],
  ["sticks", "stick", svg('<circle cx="8" cy="8" r="5" fill="currentColor"/>')],
  ["slides", "friction", svg('<path d="M8 2.500L13.500 8 8 13.500 2.500 8z" fill="none" stroke="currentColor" stroke-width="2"/>')],
];

/** Fills a list; it stays hidden where no contact has friction. */
export function makeKey(element, scenes) {
  const rubbing = scenes.map((scene) => scene.forces.friction).filter(Boolean);
  if (!rubbing.length) return;
  const entries = ENTRIES.filter(([name]) => name !== "friction force" || rubbing.some(({ force }) => force.some((x) => x !== 0)));
  element.innerHTML = entries.map(([name, color, picture]) => `<li data-color="${color}">${picture}${name}</li>`).join("");
  element.hidden = false;
}

/** In an overlay each solution has a colour of its own, and only shapes tell. */
export function paintKey(element, colors, overlay) {
  for (const item of element.children) item.firstChild.style.color = overlay ? colors.ink : colors[item.dataset.color];
}
