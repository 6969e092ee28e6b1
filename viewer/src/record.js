// The motion as a video: the browser records the stage while time runs from begin to end.
import { button } from "./controls.js";

const TYPES = ["video/mp4", "video/webm;codecs=vp9", "video/webm"];
const RATE = 30; // pictures per second

export class Recorder {
  static get works() {
    return typeof MediaRecorder !== "undefined" && "captureStream" in HTMLCanvasElement.prototype;
  }

  constructor(canvas, player, title) {
    Object.assign(this, { canvas, player, title, recorder: null });
    this.button = button("record", "record a video", () => (this.recorder ? this.recorder.stop() : this.start()));
    this.button.id = "record";
    this.button.setAttribute("aria-pressed", false);
    player.listen(() => this.recorder && player.time >= player.end && this.recorder.stop());
  }

  start() {
    const type = TYPES.find((name) => MediaRecorder.isTypeSupported(name));
    const loop = this.player.loop;
    const parts = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(RATE), { mimeType: type, videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = ({ data }) => parts.push(data);
    this.recorder.onstop = () => {
      this.recorder = null;
      this.player.loop = loop;
      this.player.toggle(false);
      this.button.setAttribute("aria-pressed", false);
      this.offer(new Blob(parts, { type }), type.includes("mp4") ? "mp4" : "webm");
    };
    this.button.setAttribute("aria-pressed", true);
    this.player.loop = false;
    this.player.seek(this.player.begin);
    this.recorder.start();
    this.player.toggle(true);
  }

  offer(blob, ending) {
    const link = document.createElement("a");
    const name = this.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "motion";
    Object.assign(link, { href: URL.createObjectURL(blob), download: `${name}.${ending}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
}
