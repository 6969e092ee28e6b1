// Lines and beams: tubes along points that move, in one colour or coloured by a value.
import * as THREE from "three";
import { DIVERGING, SEQUENTIAL, mix, rgb } from "./palette.js";

const SIDES = 12;

export class Tube {
  constructor(line, time, material) {
    this.line = line;
    this.frames = time.length;
    const rings = line.count + 2; // the first and the last point once more, for the caps
    const geometry = new THREE.BufferGeometry();
    for (const name of ["position", "normal", "color"]) {
      const attribute = new THREE.BufferAttribute(new Float32Array(3 * rings * SIDES), 3);
      attribute.setUsage(THREE.DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
    }
    geometry.setIndex(indices(rings));
    material.vertexColors = true;
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.range = line.value && rangeOf(line.value);
    this.points = new Float32Array(3 * line.count);
    this.values = line.value && new Float32Array(line.count);
    this.color = [0.5, 0.5, 0.5];
  }

  paint(color, tint) {
    this.color = rgb(tint ?? this.line.color ?? color);
    this.tinted = Boolean(tint);
    this.mesh.material.transparent = this.tinted;
    this.mesh.material.opacity = tint ? 0.72 : 1;
    this.mesh.material.needsUpdate = true;
  }

  update({ index, share }) {
    const { points, value, count } = this.line;
    const next = Math.min(index + 1, this.frames - 1);
    blend(points, 3 * count, index, next, share, this.points);
    if (value) blend(value, count, index, next, share, this.values);
    this.shape();
  }

  /** Rings around the points, in frames that are carried along without twist. */
  shape() {
    const { geometry } = this.mesh;
    const [place, normal, color] = ["position", "normal", "color"].map((name) => geometry.getAttribute(name));
    const { count } = this.line;
    const p = (i) => new THREE.Vector3().fromArray(this.points, 3 * i);
    const u = new THREE.Vector3();
    const w = new THREE.Vector3();
    const out = new THREE.Vector3();
    for (let i = 0; i < count; i++) {
      const along = p(Math.min(i + 1, count - 1)).sub(p(Math.max(i - 1, 0)));
      if (along.lengthSq() === 0) along.set(1, 0, 0);
      along.normalize();
      if (i === 0) u.set(0, 0, 1).cross(along);
      if (i === 0 && u.lengthSq() < 1e-6) u.set(0, 1, 0).cross(along);
      u.addScaledVector(along, -u.dot(along)).normalize();
      w.crossVectors(along, u);
      const center = p(i);
      const tone = this.tone(i);
      const ends = i === 0 ? [0, 1] : i === count - 1 ? [count, count + 1] : [i + 1];
      for (const ring of ends) {
        const cap = ring === 0 || ring === count + 1;
        for (let k = 0; k < SIDES; k++) {
          const angle = (2 * Math.PI * k) / SIDES;
          out.copy(u).multiplyScalar(Math.cos(angle)).addScaledVector(w, Math.sin(angle));
          const at = ring * SIDES + k;
          place.setXYZ(at, ...center.clone().addScaledVector(out, this.line.radius).toArray());
          if (cap) out.copy(along).multiplyScalar(ring === 0 ? -1 : 1);
          normal.setXYZ(at, out.x, out.y, out.z);
          color.setXYZ(at, ...tone);
        }
      }
    }
    for (const attribute of [place, normal, color]) attribute.needsUpdate = true;
  }

  tone(i) {
    const [r, g, b] = this.values && !this.tinted ? mix(this.range.stops, this.range.share(this.values[i])) : this.color;
    return new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace).toArray();
  }
}

function blend(from, width, index, next, share, out) {
  const a = index * width;
  const b = next * width;
  for (let k = 0; k < width; k++) out[k] = from[a + k] + share * (from[b + k] - from[a + k]);
}

/** From the lowest to the highest value; symmetric if both signs occur. */
function rangeOf(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const both = low < 0 && high > 0;
  if (both) [low, high] = [-Math.max(-low, high), Math.max(-low, high)];
  const width = high - low || 1;
  return { low, high, stops: both ? DIVERGING : SEQUENTIAL, share: (value) => (value - low) / width };
}

function indices(rings) {
  const out = [];
  for (let i = 1; i + 2 < rings; i++) {
    for (let k = 0; k < SIDES; k++) {
      const a = i * SIDES + k;
      const b = i * SIDES + ((k + 1) % SIDES);
      out.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
    }
  }
  const last = (rings - 1) * SIDES;
  for (let k = 1; k + 1 < SIDES; k++) out.push(0, k + 1, k, last, last + k, last + k + 1);
  return out;
}
