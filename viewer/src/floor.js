// The floor: a grid that fades out, and shadows on it.
import * as THREE from "three";
import { nice } from "./format.js";

export class Floor {
  constructor(extent, software) {
    this.cell = nice(extent / 7);
    // to each side so many cells, and a line has so many pieces, so that it can fade; fewer where the processor draws
    const [cells, pieces] = software ? [10, 4] : [16, 12];
    const reach = cells * this.cell;
    const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.grid = new THREE.LineSegments(gridLines(this.cell, cells, pieces), material);
    const plane = new THREE.PlaneGeometry(2 * reach, 2 * reach).rotateX(-Math.PI / 2);
    this.shadows = new THREE.Mesh(plane, new THREE.ShadowMaterial({ depthWrite: false }));
    this.shadows.receiveShadow = true;
    this.group = new THREE.Group();
    this.group.add(this.grid, this.shadows);
  }

  paint(colors) {
    this.grid.material.color.set(colors.grid);
    this.shadows.material.opacity = colors.shadow;
  }
}

/** Lines along x and z, every fifth one stronger, with an opacity that falls with the distance from the middle. */
function gridLines(cell, cells, pieces) {
  const reach = cells * cell;
  const places = [];
  const colors = [];
  const add = (x, z, strength) => {
    places.push(x, 0, z);
    const fade = 1 - Math.min(Math.hypot(x, z) / reach, 1);
    colors.push(1, 1, 1, strength * fade * fade * (3 - 2 * fade));
  };
  for (let k = -cells; k <= cells; k++) {
    const strength = k % 5 === 0 ? 0.9 : 0.4;
    for (let i = 0; i < pieces; i++) {
      const [a, b] = [i, i + 1].map((step) => reach * ((2 * step) / pieces - 1));
      add(a, k * cell, strength);
      add(b, k * cell, strength);
      add(k * cell, a, strength);
      add(k * cell, b, strength);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 4));
  return geometry;
}
