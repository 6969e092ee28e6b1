// Contact forces as arrows, and impacts that flash.
import * as THREE from "three";
import { bringForward, makeArrow, putArrow } from "./arrows.js";
import { locate, nearest } from "./data.js";
import { Friction } from "./friction.js";

const DECAY = 0.2; // seconds of the wall clock at the chosen speed
const FAINT = 0.08;

export class Forces {
  constructor(scene, size) {
    this.scene = scene;
    this.size = size;
    this.group = new THREE.Group();
    this.steady = new THREE.MeshBasicMaterial();
    this.flash = new THREE.MeshBasicMaterial();
    this.largest = scene.impacts.impulse.reduce((most, x) => Math.max(most, Math.abs(x)), 0) || 1;
    this.reference = typical(scene.forces.size);
    this.arrows = scene.forces.contact.map((contact) => ({
      contact,
      force: this.arrow(this.steady),
      impulse: this.arrow(this.flash),
      ring: this.ring(),
      hits: scene.impacts.time.map((time, i) => ({ time, i })).filter(({ i }) => scene.impacts.contact[i] === contact),
    }));
    if (!scene.forces.friction) return;
    this.friction = new Friction(scene.forces.friction, this.group);
    for (const i of scene.forces.friction.of) bringForward(this.arrows[i].force, this.steady, 1);
  }

  arrow(material) {
    const arrow = makeArrow(material);
    this.group.add(arrow);
    return arrow;
  }

  ring() {
    const material = new THREE.MeshBasicMaterial({ transparent: true, depthWrite: false, side: THREE.DoubleSide });
    const ring = new THREE.Mesh(new THREE.RingGeometry(0.86, 1, 48), material);
    ring.visible = false;
    this.group.add(ring);
    return ring;
  }

  paint(colors) {
    this.steady.color.set(colors.force);
    this.flash.color.set(colors.impact);
    for (const { ring } of this.arrows) ring.material.color.set(colors.impact);
    this.friction?.paint(colors);
  }

  /** Arrows at a time; returns the impact that shines most, if there is one. */
  update(at, time, speed, camera) {
    const frame = nearest(this.scene.time, at);
    let brightest = null;
    this.arrows.forEach((arrow, i) => {
      const force = this.scene.forces.size[frame * this.arrows.length + i];
      putArrow(arrow.force, this.spot(frame, i), this.length(force), this.size);
      const hit = this.lastHit(arrow, time, speed);
      this.shine(arrow, i, hit, camera);
      if (hit && (!brightest || hit.strength > brightest.strength)) brightest = hit;
    });
    this.friction?.update(frame, (i) => this.spot(frame, i).place, (force) => this.length(force), this.size);
    return brightest;
  }

  /** How long the arrow of a force is. */
  length(force) {
    return this.size * Math.min((0.6 * force) / this.reference, 1);
  }

  /** Where contact i acts, and whereto. */
  spot(frame, i) {
    const { position, direction } = this.scene.forces;
    const at = 3 * (frame * this.arrows.length + i);
    return { place: new THREE.Vector3().fromArray(position, at), direction: new THREE.Vector3().fromArray(direction, at) };
  }

  /** The arrow and the ring of an impact, where it happened. */
  shine(arrow, i, hit, camera) {
    arrow.impulse.visible = arrow.ring.visible = Boolean(hit);
    if (!hit) return;
    const spot = this.spot(locate(this.scene.time, hit.time + 1e-12).index, i);
    const weight = Math.sqrt(Math.abs(this.scene.impacts.impulse[hit.i]) / this.largest);
    putArrow(arrow.impulse, spot, this.size * hit.strength * (0.25 + 0.9 * weight), 1.5 * this.size);
    arrow.ring.position.copy(spot.place);
    arrow.ring.scale.setScalar(this.size * (0.06 + 0.24 * (1 - hit.strength)));
    arrow.ring.material.opacity = 0.85 * hit.strength;
    arrow.ring.quaternion.copy(this.group.parent.quaternion).invert().multiply(camera.quaternion);
  }

  lastHit(arrow, time, speed) {
    const tolerance = 1e-9 * (this.scene.time[this.scene.time.length - 1] - this.scene.time[0]);
    const hit = arrow.hits.findLast((x) => x.time <= time + tolerance);
    if (!hit) return null;
    const strength = Math.exp(-Math.max(time - hit.time, 0) / (DECAY * speed));
    return strength > FAINT ? { i: hit.i, time: hit.time, strength } : null;
  }
}

/** A force that is often reached: the ninth tenth of all that are not zero. */
function typical(sizes) {
  const some = Array.from(sizes).filter((x) => x > 0).sort((a, b) => a - b);
  return some.length ? some[Math.floor(0.9 * (some.length - 1))] : 1;
}
