// The 3D view: one camera for all scenes, side by side or on top of one another.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Actors } from "./actors.js";
import { locate } from "./data.js";
import { Floor } from "./floor.js";
import { Forces } from "./forces.js";
import { Traces } from "./traces.js";
import { Tube } from "./tubes.js";

const Y = new THREE.Vector3(0, 1, 0);
const SLOW = 45; // milliseconds per picture, above which quality is reduced

export class Stage {
  constructor(canvas, scenes, layout) {
    this.canvas = canvas;
    this.scenes = scenes;
    this.layout = layout;
    this.follow = null;
    this.shown = { trace: true, force: true, joint: true, grid: true };
    this.drawn = 0;
    this.dirty = true;
    this.quality = 2;
    this.software = isSoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.world = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000);
    this.turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(...scenes[0].up).normalize(), Y);
    this.measure();
    this.sets = scenes.map((scene) => this.build(scene));
    this.light();
    this.floor = new Floor(this.extent, this.software);
    this.floor.group.position.set(this.center.x, this.box.min.y - 0.03 * this.extent, this.center.z);
    this.world.add(this.floor.group);
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, { enableDamping: true, dampingFactor: 0.12, zoomToCursor: true });
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.home();
    if (this.software || scenes.some((scene) => scene.bodies.length > 300)) this.setQuality(1);
  }

  /** Bounds of all scenes, up along y. */
  measure() {
    this.box = new THREE.Box3();
    for (const scene of this.scenes) {
      const [low, high] = scene.bounds;
      for (let k = 0; k < 8; k++) {
        const corner = [0, 1, 2].map((i) => ((k >> i) & 1 ? high[i] : low[i]));
        this.box.expandByPoint(new THREE.Vector3(...corner).applyQuaternion(this.turn));
      }
    }
    this.center = this.box.getCenter(new THREE.Vector3());
    this.extent = this.box.getSize(new THREE.Vector3()).length() || 1;
  }

  build(scene) {
    const material = () => new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.04 });
    const cheap = () => new THREE.MeshLambertMaterial();
    const make = this.software || scene.bodies.length > 300 ? cheap : material;
    const group = new THREE.Group();
    group.quaternion.copy(this.turn);
    const actors = new Actors(scene, make, this.software);
    const tubes = scene.lines.map((line) => new Tube(line, scene.time, make()));
    const traces = new Traces(scene, this.software);
    const forces = new Forces(scene, 0.3 * this.extent);
    group.add(actors.group, traces.group, forces.group, ...tubes.map((tube) => tube.mesh));
    this.world.add(group);
    return { scene, group, actors, tubes, traces, forces };
  }

  light() {
    this.sky = new THREE.HemisphereLight(0xffffff, 0xffffff, 1.8);
    this.sun = new THREE.DirectionalLight(0xffffff, 1.6);
    this.sun.position.copy(this.center).add(new THREE.Vector3(0.6, 1.5, 0.9).multiplyScalar(this.extent));
    this.sun.target.position.copy(this.center);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.004 * this.extent;
    const { camera } = this.sun.shadow;
    const reach = 0.85 * this.extent;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * this.extent, far: 4 * this.extent });
    // a weak one from where we look, so that nothing that faces us is dark
    this.lamp = new THREE.DirectionalLight(0xffffff, 0.8);
    this.lamp.target.position.set(0, 0, -1);
    this.camera.add(this.lamp, this.lamp.target);
    this.world.add(this.sky, this.sun, this.sun.target, this.camera);
  }

  paint(colors) {
    this.colors = colors;
    const overlay = this.layout === "overlay";
    this.sky.color.set(colors.sky);
    this.sky.groundColor.set(colors.earth);
    this.floor.paint(colors);
    this.sets.forEach(({ actors, tubes, traces, forces }, i) => {
      const tint = overlay ? colors.scenes[i % colors.scenes.length] : null;
      actors.paint(colors, tint);
      tubes.forEach((tube, k) => tube.paint(colors.bodies[k % colors.bodies.length], tint));
      traces.paint(actors.colors);
      forces.paint(overlay ? { ...colors, force: tint, impact: tint, friction: tint, stick: tint } : colors);
    });
    this.dirty = true;
  }

  setLayout(layout) {
    this.layout = layout;
    this.paint(this.colors);
    this.resize();
  }

  show(what, visible) {
    this.shown[what] = visible;
    for (const set of this.sets) {
      if (what === "trace") set.traces.group.visible = visible;
      if (what === "force") set.forces.group.visible = visible;
      if (what === "joint") set.actors.show("joint", visible);
    }
    this.floor.grid.visible = this.shown.grid;
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = [0.75, 1, Math.min(devicePixelRatio, 2)][this.quality];
    this.renderer.setPixelRatio(Math.min(ratio, Math.max(devicePixelRatio, 1)));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1) / (this.layout === "side" ? this.scenes.length : 1);
    this.camera.updateProjectionMatrix();
    if (!this.moved) this.home();
    this.dirty = true;
  }

  /** The first view: from where the scene says, far enough to see everything. */
  home() {
    const from = this.scenes[0].look_from ?? [0.32, 0.26, 1];
    const planar = !this.scenes[0].look_from;
    const direction = new THREE.Vector3(...from).normalize();
    if (planar) direction.copy(this.facing(direction));
    else direction.applyQuaternion(this.turn);
    this.camera.position.copy(this.center).addScaledVector(direction, this.distance(direction));
    this.camera.near = 0.01 * this.extent;
    this.camera.far = 40 * this.extent;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(this.center);
    this.controls.update();
    this.moved = false;
    this.dirty = true;
  }

  /** Looks at the plane z = 0 from its front: x to the right, whatever is up. */
  facing([x, y, z]) {
    const right = new THREE.Vector3(1, 0, 0).applyQuaternion(this.turn);
    const front = new THREE.Vector3().crossVectors(right, Y);
    if (front.lengthSq() < 0.5) front.set(0, 0, 1);
    return new THREE.Vector3().addScaledVector(right, x).addScaledVector(Y, y).addScaledVector(front, z).normalize();
  }

  /** So far that every corner of the bounds is inside of the picture. */
  distance(back) {
    const right = new THREE.Vector3().crossVectors(Y, back).normalize();
    if (right.lengthSq() < 0.5) right.set(1, 0, 0);
    const up = new THREE.Vector3().crossVectors(back, right);
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    let most = 0.2 * this.extent;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(
        k & 1 ? this.box.max.x : this.box.min.x,
        k & 2 ? this.box.max.y : this.box.min.y,
        k & 4 ? this.box.max.z : this.box.min.z,
      ).sub(this.center);
      const side = Math.abs(corner.dot(right)) / (slope * this.camera.aspect);
      most = Math.max(most, corner.dot(back) + Math.max(side, Math.abs(corner.dot(up)) / slope));
    }
    return 1.06 * most + 0.02 * this.extent;
  }

  update(time, speed) {
    for (const set of this.sets) {
      const at = locate(set.scene.time, time);
      set.actors.update(at);
      for (const tube of set.tubes) tube.update(at);
      set.traces.update(at);
      set.impact = set.forces.update(at, time, speed, this.camera);
    }
    this.track();
    this.renderer.shadowMap.needsUpdate = this.renderer.shadowMap.enabled;
    this.dirty = true;
  }

  /** Turns the camera about what it looks at, by angles, and moves it nearer by a factor. */
  orbit(around, upwards, nearer = 1) {
    const spherical = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(this.controls.target));
    spherical.theta -= around;
    spherical.phi = Math.min(Math.max(spherical.phi - upwards, 0.02), Math.PI - 0.02);
    spherical.radius /= nearer;
    this.camera.position.setFromSpherical(spherical).add(this.controls.target);
    this.moved = true;
    this.dirty = true;
  }

  /** The camera goes where the followed body goes. */
  track() {
    if (this.follow === null) return;
    const { actors } = this.sets[0];
    const place = new THREE.Vector3().fromArray(actors.where, 3 * this.follow).applyQuaternion(this.turn);
    this.camera.position.add(place).sub(this.controls.target);
    this.controls.target.copy(place);
  }

  setFollow(body) {
    this.follow = body;
    if (body === null) this.home();
    this.track();
    this.moved = body !== null;
    this.dirty = true;
  }

  /** Draws if something has changed. */
  draw(force = false) {
    this.controls.update();
    if (!this.dirty && !force) return false;
    this.dirty = false;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const n = this.layout === "side" ? this.sets.length : 1;
    this.renderer.setScissorTest(n > 1);
    for (let i = 0; i < n; i++) {
      this.sets.forEach((set, k) => (set.group.visible = n === 1 || k === i));
      this.renderer.setViewport((i * width) / n, 0, width / n, height);
      this.renderer.setScissor((i * width) / n, 0, width / n, height);
      if (n > 1) this.renderer.shadowMap.needsUpdate = this.renderer.shadowMap.enabled;
      this.renderer.render(this.world, this.camera);
    }
    this.drawn += 1;
    return true;
  }

  /** On slow machines fewer pixels and no shadows; called with the time from one picture to the next while it runs. */
  adapt(milliseconds) {
    this.cost = 0.9 * (this.cost ?? SLOW / 2) + 0.1 * Math.min(milliseconds, 4 * SLOW);
    if (this.cost > SLOW && this.quality > 0) this.setQuality(this.quality - 1);
  }

  setQuality(quality) {
    this.quality = quality;
    this.cost = undefined;
    const shadows = quality > 0 && !(this.software && this.scenes.some((scene) => scene.bodies.length > 60));
    this.renderer.shadowMap.enabled = shadows;
    this.sun.castShadow = shadows;
    this.floor.shadows.visible = shadows;
    this.sun.shadow.mapSize.setScalar(quality > 1 ? 2048 : 1024);
    this.resize();
  }

  /** The body under a point of the canvas: { set, body, name }. */
  pick(x, y) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const n = this.layout === "side" ? this.sets.length : 1;
    const half = Math.min(Math.floor((x * n) / width), n - 1);
    const ray = new THREE.Raycaster();
    const inside = x - (half * width) / n;
    ray.setFromCamera(new THREE.Vector2((2 * inside * n) / width - 1, 1 - (2 * y) / height), this.camera);
    const sets = n > 1 ? [this.sets[half]] : this.sets;
    const hits = sets.map((set) => ({ ...set.actors.hit(ray), set })).filter((hit) => hit.body !== undefined);
    hits.sort((a, b) => a.distance - b.distance);
    return hits[0] ? { body: hits[0].body, name: hits[0].set.scene.bodies[hits[0].body].name } : null;
  }
}

/** Is WebGL drawn by the processor? */
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) throw new Error("no WebGL");
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|basic render/i.test(name);
}
