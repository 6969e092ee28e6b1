// Many bodies of one shape in one mesh; both kinds take a matrix and a colour for each body.
import * as THREE from "three";

/** The graphics card moves the shape. */
export class Instances extends THREE.InstancedMesh {
  moved() {
    this.instanceMatrix.needsUpdate = true;
    this.boundingSphere = null;
  }

  painted() {
    this.instanceColor.needsUpdate = true;
  }

  bodyAt(hit) {
    return hit.instanceId;
  }
}

/** The vertices of all bodies are moved here: where the processor draws, instances are dear. */
export class Merged extends THREE.Mesh {
  constructor(shape, material, count) {
    const size = shape.attributes.position.count;
    const corners = shape.index ? shape.index.array : Uint32Array.from({ length: size }, (_, k) => k);
    const all = new THREE.BufferGeometry();
    for (const name of ["position", "normal", "color"]) {
      const attribute = new THREE.BufferAttribute(new Float32Array(3 * size * count), 3);
      all.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
    }
    const index = new Uint32Array(corners.length * count);
    for (let i = 0; i < index.length; i++) index[i] = Math.floor(i / corners.length) * size + corners[i % corners.length];
    all.setIndex(new THREE.BufferAttribute(index, 1));
    material.vertexColors = true;
    super(all, material);
    Object.assign(this, { shape, size, faces: corners.length / 3 });
  }

  setColorAt(i, color) {
    const { array } = this.geometry.attributes.color;
    const shades = this.shape.attributes.color?.array;
    for (let k = 0; k < this.size; k++) {
      const at = 3 * (i * this.size + k);
      const shade = shades ? shades[3 * k] : 1;
      array[at] = shade * color.r;
      array[at + 1] = shade * color.g;
      array[at + 2] = shade * color.b;
    }
  }

  setMatrixAt(i, { elements: m }) {
    const [p, n] = [this.shape.attributes.position.array, this.shape.attributes.normal.array];
    const [q, r] = [this.geometry.attributes.position.array, this.geometry.attributes.normal.array];
    // normals go with the inverse transpose: columns over their squared lengths
    const [a, b, c] = [0, 4, 8].map((k) => 1 / (m[k] ** 2 + m[k + 1] ** 2 + m[k + 2] ** 2));
    for (let k = 0, at = 3 * i * this.size; k < 3 * this.size; k += 3, at += 3) {
      const x = p[k];
      const y = p[k + 1];
      const z = p[k + 2];
      const u = n[k] * a;
      const v = n[k + 1] * b;
      const w = n[k + 2] * c;
      for (let j = 0; j < 3; j++) {
        q[at + j] = m[j] * x + m[4 + j] * y + m[8 + j] * z + m[12 + j];
        r[at + j] = m[j] * u + m[4 + j] * v + m[8 + j] * w;
      }
    }
  }

  moved() {
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.attributes.normal.needsUpdate = true;
    this.geometry.boundingSphere = null;
  }

  painted() {
    this.geometry.attributes.color.needsUpdate = true;
  }

  bodyAt(hit) {
    return Math.floor(hit.faceIndex / this.faces);
  }
}
