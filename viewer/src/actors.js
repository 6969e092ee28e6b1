// Bodies, joints and points: one mesh for all that have the same kind of shape.
import * as THREE from "three";
import { Instances, Merged } from "./crowds.js";
import { bodyColor } from "./palette.js";
import { markRound } from "./marks.js";

const matrix = new THREE.Matrix4();
const position = new THREE.Vector3();
const quaternion = new THREE.Quaternion();
const other = new THREE.Quaternion();

export class Actors {
  constructor(scene, makeMaterial, software) {
    this.scene = scene;
    this.software = software;
    this.group = new THREE.Group();
    this.where = new Float32Array(3 * scene.bodies.length);
    this.turned = new Float32Array(4 * scene.bodies.length);
    const sides = sidesFor(scene.bodies.length, software);
    this.meshes = groups(scene.bodies).map((members) => this.mesh(members, makeMaterial, sides));
  }

  mesh(members, makeMaterial, sides) {
    const first = this.scene.bodies[members[0]];
    const Kind = this.software ? Merged : Instances;
    const geometry = geometryOf(first.shape, sides);
    const material = makeMaterial();
    if (first.role === "body" && markRound(geometry, first.shape.kind)) material.vertexColors = true;
    const mesh = new Kind(geometry, material, members.length);
    const joint = first.role === "joint";
    mesh.castShadow = !joint;
    mesh.receiveShadow = !joint;
    mesh.frustumCulled = false;
    mesh.userData = { members, role: first.role, scales: members.map((i) => scaleOf(this.scene.bodies[i].shape)) };
    this.group.add(mesh);
    return mesh;
  }

  /** Colours of a theme; in an overlay all bodies of a solution have its colour. */
  paint(colors, tint) {
    const movers = this.scene.bodies.filter((body) => body.role === "body").map((body) => body.name);
    const color = new THREE.Color();
    this.colors = this.scene.bodies.map((body) => {
      if (body.role === "ground") return body.color ?? colors.ground;
      if (tint) return tint;
      if (body.color) return body.color;
      if (body.role === "joint") return colors.joint;
      return body.role === "point" ? colors.point : bodyColor(colors, movers.indexOf(body.name), movers.length);
    });
    for (const mesh of this.meshes) {
      mesh.userData.members.forEach((body, i) => mesh.setColorAt(i, color.set(this.colors[body])));
      mesh.painted();
      mesh.material.transparent = Boolean(tint) && mesh.userData.role !== "ground";
      mesh.material.opacity = mesh.material.transparent ? 0.72 : 1;
      mesh.material.needsUpdate = true;
    }
  }

  show(role, visible) {
    for (const mesh of this.meshes) if (mesh.userData.role === role) mesh.visible = visible;
  }

  update({ index, share }) {
    const { positions, orientations, bodies, time } = this.scene;
    const n = bodies.length;
    const next = Math.min(index + 1, time.length - 1);
    for (let i = 0; i < n; i++) {
      const a = 3 * (index * n + i);
      const b = 3 * (next * n + i);
      for (let k = 0; k < 3; k++) this.where[3 * i + k] = positions[a + k] + share * (positions[b + k] - positions[a + k]);
      const c = 4 * (index * n + i);
      const d = 4 * (next * n + i);
      quaternion.set(orientations[c + 1], orientations[c + 2], orientations[c + 3], orientations[c]);
      if (share > 0) {
        other.set(orientations[d + 1], orientations[d + 2], orientations[d + 3], orientations[d]);
        quaternion.slerp(other, share);
      }
      quaternion.normalize().toArray(this.turned, 4 * i);
    }
    for (const mesh of this.meshes) {
      mesh.userData.members.forEach((body, i) => {
        position.fromArray(this.where, 3 * body);
        quaternion.fromArray(this.turned, 4 * body);
        mesh.setMatrixAt(i, matrix.compose(position, quaternion, mesh.userData.scales[i]));
      });
      mesh.moved();
    }
  }

  /** The body under a ray, with its distance. */
  hit(ray) {
    let best = null;
    for (const mesh of this.meshes) {
      if (!mesh.visible) continue;
      for (const found of ray.intersectObject(mesh, false)) {
        if (!best || found.distance < best.distance) {
          best = { distance: found.distance, body: mesh.userData.members[mesh.bodyAt(found)] };
        }
      }
    }
    return best;
  }
}

/** Indices of bodies that can share a mesh. */
function groups(bodies) {
  const found = new Map();
  bodies.forEach((body, i) => {
    const { shape, role } = body;
    // capsules cannot be scaled along one axis without spoiling their ends, and meshes are their own
    const own = shape.kind === "capsule" ? `${shape.radius}/${shape.length}` : shape.kind === "mesh" ? String(i) : "";
    const key = `${role} ${shape.kind} ${own}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(i);
  });
  return [...found.values()];
}

function scaleOf(shape) {
  if (shape.kind === "box") return new THREE.Vector3(...shape.size);
  if (shape.kind === "sphere") return new THREE.Vector3().setScalar(shape.radius);
  if (shape.kind === "cylinder" || shape.kind === "cone") return new THREE.Vector3(shape.radius, shape.radius, shape.length);
  return new THREE.Vector3(1, 1, 1);
}

/** Round shapes have this many sides: fewer where there are many of them, or where the processor draws. */
function sidesFor(count, software) {
  if (software) return count > 200 ? 8 : count > 60 ? 14 : 32;
  return count > 200 ? 24 : 48;
}

/** Of unit size, along z, where it can be scaled. */
function geometryOf(shape, sides) {
  switch (shape.kind) {
    case "box":
      return new THREE.BoxGeometry(1, 1, 1);
    case "sphere":
      return new THREE.SphereGeometry(1, sides, Math.ceil(sides / 2));
    case "cylinder":
      return new THREE.CylinderGeometry(1, 1, 1, sides).rotateX(Math.PI / 2);
    case "cone":
      // its centre of mass is a quarter of its length above the base
      return new THREE.ConeGeometry(1, 1, sides).rotateX(Math.PI / 2).translate(0, 0, 0.25);
    case "capsule":
      return new THREE.CapsuleGeometry(shape.radius, shape.length, Math.ceil(sides / 5), Math.ceil(0.7 * sides)).rotateX(Math.PI / 2);
    default:
      return meshGeometry(shape);
  }
}

function meshGeometry(shape) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(shape.vertices, 3));
  geometry.setIndex(new THREE.BufferAttribute(shape.faces, 1));
  // faces of their own, so that edges stay edges
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}
