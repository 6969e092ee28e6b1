// Arrows with a head and a shaft that keep their thickness.
import * as THREE from "three";

const Y = new THREE.Vector3(0, 1, 0);
const SHAFT = new THREE.CylinderGeometry(0.012, 0.012, 1, 16).translate(0, 0.5, 0);
const HEAD = new THREE.ConeGeometry(0.034, 0.1, 24);

export function makeArrow(material) {
  const group = new THREE.Group();
  group.add(new THREE.Mesh(SHAFT, material), new THREE.Mesh(HEAD, material));
  group.visible = false;
  return group;
}

/** Over everything else: what lies along a surface would be hidden in it, or under the body that it holds. */
export function bringForward(arrow, material, order) {
  Object.assign(material, { transparent: true, depthTest: false, depthWrite: false });
  for (const part of arrow.children) part.renderOrder = order;
}

/** Puts an arrow of a length at a place. */
export function putArrow(arrow, { place, direction }, length, size) {
  arrow.visible = length > 1e-3 * size;
  if (!arrow.visible) return;
  const [shaft, head] = arrow.children;
  const tip = Math.min(0.1 * size, 0.6 * length);
  arrow.position.copy(place);
  arrow.quaternion.setFromUnitVectors(Y, direction);
  shaft.scale.set(size, length - tip, size);
  head.scale.set(size, 10 * tip, size);
  head.position.set(0, length - tip / 2, 0);
}
