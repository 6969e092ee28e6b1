// Time: where it is, whether it runs, how fast. Everything else listens.

const NICE = [];
for (let k = -7; k <= 4; k++) for (const digit of [1, 2, 5]) NICE.push(digit * 10 ** k);

export class Player {
  constructor(scenes) {
    this.unit = scenes[0].units.time;
    this.begin = Math.min(...scenes.map((scene) => scene.time[0]));
    this.end = Math.max(...scenes.map((scene) => scene.time[scene.time.length - 1]));
    this.frames = merge(scenes.map((scene) => scene.time));
    this.impacts = merge(scenes.map((scene) => scene.impacts.time));
    const duration = this.end - this.begin || 1;
    const natural = duration >= 1.5 && duration <= 40 ? 1 : duration / 8;
    this.speed = NICE.reduce((best, x) => (Math.abs(Math.log(x / natural)) < Math.abs(Math.log(best / natural)) ? x : best));
    this.time = this.begin;
    this.playing = false;
    this.loop = true;
    this.listeners = [];
  }

  get speeds() {
    const i = NICE.indexOf(this.speed);
    return NICE.slice(Math.max(0, i - 9), i + 5);
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.begin), this.end);
    this.changed();
  }

  toggle(playing = !this.playing) {
    if (playing && this.time >= this.end) this.time = this.begin;
    this.playing = playing;
    this.changed();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.changed();
  }

  faster(factor) {
    const i = NICE.indexOf(this.speed) + factor;
    if (i >= 0 && i < NICE.length) this.setSpeed(NICE[i]);
  }

  /** Called with the seconds of the wall clock that have passed. */
  advance(seconds) {
    if (!this.playing) return;
    let time = this.time + seconds * this.speed;
    if (time >= this.end) {
      if (this.loop && this.time < this.end) time = this.end;
      else if (this.loop) time = this.begin;
      else {
        time = this.end;
        this.playing = false;
      }
    }
    this.seek(time);
  }

  stepFrames(count) {
    this.playing = false;
    const { frames } = this;
    const tolerance = 1e-9 * (this.end - this.begin);
    let i = count > 0 ? frames.findLastIndex((t) => t <= this.time + tolerance) : frames.findIndex((t) => t >= this.time - tolerance);
    i = Math.min(Math.max(i + count, 0), frames.length - 1);
    this.seek(frames[i]);
  }

  jump(direction) {
    const tolerance = 1e-9 * (this.end - this.begin);
    const next =
      direction > 0
        ? this.impacts.find((t) => t > this.time + tolerance)
        : this.impacts.findLast((t) => t < this.time - tolerance);
    if (next === undefined) return;
    this.playing = false;
    this.seek(next);
  }
}

function merge(lists) {
  const all = lists.length === 1 ? Array.from(lists[0]) : lists.flatMap((list) => Array.from(list));
  return Array.from(new Set(all)).sort((a, b) => a - b);
}
