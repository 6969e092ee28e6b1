// Round bodies have sectors of two shades, so that one sees them roll and spin.
import { BufferAttribute } from "three";

const SHADE = 0.74;

// is a vertex in a dark sector? spheres have eight, what is round about z has four
const DARK = {
  sphere: (x, y, z) => x * y * z > 0,
  cylinder: (x, y) => x * y > 0,
  capsule: (x, y) => x * y > 0,
  cone: (x, y) => x * y > 0,
};

/** Shades for the vertices of a round shape, which multiply its colour; false if it is not round. */
export function markRound(geometry, kind) {
  const isDark = DARK[kind];
  if (!isDark) return false;
  const { array, count } = geometry.attributes.position;
  const shades = new Float32Array(3 * count);
  // a little turned: no vertex lies on the border of two sectors by round-off
  const [cos, sin] = [Math.cos(1e-3), Math.sin(1e-3)];
  for (let i = 0; i < count; i++) {
    const [x, y, z] = array.subarray(3 * i, 3 * i + 3);
    shades.fill(isDark(cos * x - sin * y, sin * x + cos * y, z + 1e-3) ? SHADE : 1, 3 * i, 3 * i + 3);
  }
  geometry.setAttribute("color", new BufferAttribute(shades, 3));
  return true;
}
