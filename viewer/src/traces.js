// The paths of bodies: the whole one faint, the part behind them clear.
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial } from "three";

const FEW = 400; // points of a path where the processor draws: lines are dear there

export class Traces {
  constructor(scene, software) {
    this.group = new Group();
    this.stride = software ? Math.ceil(scene.time.length / FEW) : 1;
    const traced = scene.time.length > 1 ? scene.bodies.flatMap((body, i) => (body.trace ? [i] : [])) : [];
    this.traces = traced.map((body) => {
      const points = this.points(scene, body);
      const lines = software
        ? [thinLine(points)]
        : [broadLine(points, 2, 0.9), broadLine(points, 1.4, 0.22)];
      for (const line of lines) line.frustumCulled = false;
      this.group.add(...lines);
      return { body, lines };
    });
  }

  points(scene, body) {
    const n = scene.bodies.length;
    const points = [];
    for (let frame = 0; frame < scene.time.length; frame += this.stride) {
      for (let k = 0; k < 3; k++) points.push(scene.positions[3 * (frame * n + body) + k]);
    }
    return points;
  }

  paint(colors) {
    for (const { body, lines } of this.traces) for (const line of lines) line.material.color.set(colors[body]);
  }

  update({ index }) {
    const passed = Math.floor(index / this.stride);
    for (const { lines } of this.traces) {
      const { geometry } = lines[0];
      if (lines[0].isLine2) geometry.instanceCount = passed;
      else geometry.setDrawRange(0, passed + 1);
      lines[0].visible = passed > 0;
    }
  }
}

function thinLine(points) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  return new Line(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.9, depthWrite: false }));
}

function broadLine(points, linewidth, opacity) {
  const material = new LineMaterial({ linewidth, transparent: true, opacity, depthWrite: false });
  return new Line2(new LineGeometry().setPositions(points), material);
}
