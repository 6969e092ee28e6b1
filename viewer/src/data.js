// The document in the page: a JSON header and one deflated block of arrays (docs/scene-format.md).

export async function readDocument() {
  const header = JSON.parse(document.getElementById("header").textContent);
  const element = document.getElementById("arrays");
  const block = await inflate(fromBase64(element.textContent.trim()));
  element.remove();
  return { ...header, scenes: header.scenes.map((scene) => readScene(scene, block)) };
}

function readScene(scene, block) {
  const array = (reference) => decode(block, reference);
  return {
    ...scene,
    units: scene.units ?? { time: "s", impulse: "N s" }, // scenes in older files have none
    time: array(scene.time),
    positions: array(scene.positions),
    orientations: array(scene.orientations),
    bodies: scene.bodies.map((body) => ({ ...body, shape: readShape(body.shape, array) })),
    lines: scene.lines.map((line) => ({
      ...line,
      count: line.points.shape[1],
      points: array(line.points),
      value: line.value && array(line.value),
    })),
    forces: {
      contact: scene.forces.contact,
      position: array(scene.forces.position),
      direction: array(scene.forces.direction),
      size: array(scene.forces.size),
      friction: readFriction(scene.forces.friction, array),
    },
    plotTime: array(scene.plot_time),
    quantities: scene.quantities.map((quantity) => ({ ...quantity, values: array(quantity.values) })),
  };
}

function readFriction(friction, array) {
  return friction && { of: friction.of, force: array(friction.force), state: array(friction.state) };
}

function readShape(shape, array) {
  if (shape.kind !== "mesh") return shape;
  return { ...shape, vertices: array(shape.vertices), faces: array(shape.faces) };
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const TYPES = { f4: Float32Array, f8: Float64Array, u4: Uint32Array };

function decode(block, { at, type, shape, grid }) {
  const n = shape.reduce((product, size) => product * size, 1);
  if (type === "d4") return sums(block, at, n, n / (shape[0] || 1), grid);
  const width = TYPES[type].BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(n * width);
  for (let k = 0; k < width; k++) {
    const plane = at + k * n;
    for (let i = 0; i < n; i++) bytes[i * width + k] = block[plane + i];
  }
  return new TYPES[type](bytes.buffer);
}

/** Differences from frame to frame, in units of the grid, to values. */
function sums(block, at, n, width, grid) {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((k) => block.subarray(at + k * n, at + (k + 1) * n));
  const whole = new Int32Array(n);
  const out = new Float32Array(n);
  for (let i = 0; i < n; i++) {
    whole[i] = first[i] | (second[i] << 8) | (third[i] << 16) | (fourth[i] << 24);
    if (i >= width) whole[i] += whole[i - width];
    out[i] = whole[i] * grid;
  }
  return out;
}

/** The last index whose time is not after t, and how far t lies on the way to the next one. */
export function locate(time, t) {
  let low = 0;
  let high = time.length - 1;
  if (high <= 0 || t <= time[0]) return { index: 0, share: 0 };
  if (t >= time[high]) return { index: high, share: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  return { index: low, share: (t - time[low]) / (time[high] - time[low]) };
}

/** The frame that is nearest to a place between frames. */
export function nearest(time, { index, share }) {
  return share > 0.5 ? Math.min(index + 1, time.length - 1) : index;
}
