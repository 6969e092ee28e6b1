// Drawn with strokes on a grid of 20.
const shape = (inside, filled = false) =>
  `<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" fill="${filled ? "currentColor" : "none"}" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">${inside}</svg>`;

export const icons = {
  play: shape('<path d="M6.5 4.5v11l9-5.5z"/>', true),
  pause: shape('<path d="M6.5 5v10M13.5 5v10" stroke-width="3"/>'),
  back: shape('<path d="M12.5 5l-5 5 5 5"/>'),
  forward: shape('<path d="M7.5 5l5 5-5 5"/>'),
  previous: shape('<path d="M5 4.5v11M14.5 5l-6 5 6 5"/>'),
  next: shape('<path d="M15 4.5v11M5.5 5l6 5-6 5"/>'),
  loop: shape('<path d="M15.5 8A6 6 0 0 0 5 6.5M4.5 12A6 6 0 0 0 15 13.500M5 3.500v3h3M15 16.500v-3h-3"/>'),
  sun: shape('<circle cx="10" cy="10" r="3.2"/><path d="M10 2.800v1.700M10 15.500v1.700M2.800 10h1.700M15.500 10h1.700M4.900 4.900l1.200 1.200M13.900 13.900l1.200 1.200M15.100 4.900l-1.200 1.200M6.100 13.900l-1.200 1.200"/>'),
  moon: shape('<path d="M16 11.500A6.500 6.500 0 0 1 8.500 4a6.500 6.500 0 1 0 7.500 7.500z"/>'),
  home: shape('<path d="M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4"/>'),
  trace: shape('<path d="M3.500 14c3-9 6 4 8.500-3 1-2.700 2.500-4 4.500-5"/>'),
  force: shape('<path d="M4 16L15 5M9.500 4.500H15.500V10.500"/>'),
  joint: shape('<circle cx="10" cy="10" r="3"/><path d="M12.200 7.800L16 4M7.800 12.200L4 16"/>'),
  grid: shape('<path d="M4 7.500h12M4 12.500h12M7.500 4v12M12.500 4v12"/>'),
  side: shape('<rect x="3.500" y="5" width="5.500" height="10" rx="1"/><rect x="11" y="5" width="5.500" height="10" rx="1"/>'),
  overlay: shape('<rect x="3.500" y="4" width="9" height="9" rx="1"/><rect x="7.500" y="7.500" width="9" height="9" rx="1"/>'),
  record: shape('<circle cx="10" cy="10" r="6.500"/><circle cx="10" cy="10" r="2.500" fill="currentColor"/>'),
  help: shape('<path d="M7.500 7.500a2.500 2.500 0 1 1 3.500 2.300c-.8.400-1 .9-1 1.700M10 14.600v.1"/>'),
};
