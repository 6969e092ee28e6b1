// Friction at contacts: arrows along the surface, and marks of what sticks and what slides.
import * as THREE from "three";
import { bringForward, makeArrow, putArrow } from "./arrows.js";

export const SLIDES = 1;
export const STICKS = 2;

const MARK = 0.019; // of what is seen at a distance of one: marks are as large near by as far away
const GRID = 64;

export class Friction {
  constructor(friction, group) {
    this.friction = friction;
    this.material = new THREE.MeshBasicMaterial();
    this.marks = { [SLIDES]: markMaterial(), [STICKS]: markMaterial() };
    this.contacts = friction.of.map((contact) => {
      const arrow = makeArrow(this.material);
      bringForward(arrow, this.material, 3); // over its mark: where friction is small, the arrow is short
      const mark = new THREE.Sprite(this.marks[STICKS]);
      mark.scale.setScalar(MARK);
      mark.renderOrder = 2;
      group.add(arrow, mark);
      return { contact, arrow, mark };
    });
  }

  paint(colors) {
    this.material.color.set(colors.friction);
    for (const [state, draw] of [[SLIDES, diamond], [STICKS, disc]]) {
      const canvas = this.marks[state].map.image;
      const c = canvas.getContext("2d");
      c.clearRect(0, 0, GRID, GRID);
      draw(c, Number(state) === STICKS ? colors.stick : colors.friction, colors.halo);
      this.marks[state].map.needsUpdate = true;
    }
  }

  /** Arrows and marks of a frame; `placeOf` a contact, `lengthOf` the arrow of a force. */
  update(frame, placeOf, lengthOf, size) {
    const { force, state } = this.friction;
    const direction = new THREE.Vector3();
    this.contacts.forEach(({ contact, arrow, mark }, k) => {
      const at = frame * this.contacts.length + k;
      const place = placeOf(contact);
      direction.fromArray(force, 3 * at);
      const length = lengthOf(direction.length());
      putArrow(arrow, { place, direction: direction.normalize() }, length, size);
      mark.visible = state[at] > 0;
      if (!mark.visible) return;
      mark.material = this.marks[state[at]];
      mark.position.copy(place);
    });
  }
}

function markMaterial() {
  const canvas = Object.assign(document.createElement("canvas"), { width: GRID, height: GRID });
  const map = new THREE.CanvasTexture(canvas);
  map.colorSpace = THREE.SRGBColorSpace;
  return new THREE.SpriteMaterial({ map, depthTest: false, depthWrite: false, sizeAttenuation: false });
}

/** What sticks: a full disc. */
function disc(c, color, halo) {
  for (const [radius, fill] of [[28, halo], [21, color]]) {
    c.fillStyle = fill;
    c.beginPath();
    c.arc(GRID / 2, GRID / 2, radius, 0, 2 * Math.PI);
    c.fill();
  }
}

/** What slides: an open diamond. */
function diamond(c, color, halo) {
  c.beginPath();
  for (const [x, y] of [[32, 9], [55, 32], [32, 55], [9, 32]]) c.lineTo(x, y);
  c.closePath();
  for (const [width, stroke] of [[15, halo], [8, color]]) {
    Object.assign(c, { lineWidth: width, strokeStyle: stroke, lineJoin: "miter" });
    c.stroke();
  }
}

/** Names of the contacts with friction; of those in a state at a frame. */
export function rubbing({ forces, contacts }, frame, state) {
  const { of = [], state: states } = forces.friction ?? {};
  const some = of.filter((_, k) => state === undefined || states[frame * of.length + k] === state);
  return some.map((contact) => contacts[forces.contact[contact]]?.name ?? `contact ${forces.contact[contact] + 1}`);
}
