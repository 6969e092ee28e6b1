// For screen readers: what there is to see, and what happens while one steps through it.
import { locate, nearest } from "./data.js";
import { number } from "./format.js";
import { SLIDES, STICKS, rubbing } from "./friction.js";

const MOST = 8;

/** The scenes in a sentence. */
export function describe(scenes) {
  return scenes
    .map((scene) => {
      const { title, label, bodies, contacts, time, units } = scene;
      const names = bodies.filter(({ role }) => role === "body" || role === "point").map(({ name }) => name);
      const more = names.length > MOST ? ` and ${names.length - MOST} more` : "";
      const parts = [
        `${label || title}: motion from ${number(time[0], 3)} to ${number(time[time.length - 1], 3)} ${spoken(units.time)}`,
        names.length ? `bodies ${names.slice(0, MOST).join(", ")}${more}` : "",
        contacts.length ? `contacts ${contacts.slice(0, MOST).map(({ name }) => name).join(", ")}` : "",
        scene.forces.friction ? `friction at ${few(rubbing(scene))}` : "",
      ];
      return parts.filter(Boolean).join("; ");
    })
    .join(". ");
}

/** A unit of time as it is read aloud. */
function spoken(unit) {
  return { s: "seconds", ms: "milliseconds" }[unit] ?? unit;
}

/** Says the time, and the impact there, whenever the motion stands still somewhere else. */
export class Announcer {
  constructor(element, player, scenes) {
    Object.assign(this, { element, player, scenes, waiting: null });
    player.listen(() => this.changed());
  }

  changed() {
    clearTimeout(this.waiting);
    if (!this.player.playing) this.waiting = setTimeout(() => (this.element.textContent = this.words()), 400);
  }

  words() {
    const { time, begin, end } = this.player;
    const near = 1e-9 * (end - begin);
    const hits = this.scenes.flatMap(({ impacts, contacts }) =>
      impacts.time.flatMap((t, i) => (Math.abs(t - time) <= near ? [contacts[impacts.contact[i]]?.name ?? "a contact"] : [])),
    );
    const friction = this.scenes.flatMap((scene, i) => {
      const who = this.scenes.length > 1 ? `${scene.label || `solution ${i + 1}`} ` : "";
      return states(scene, time).map((text) => who + text);
    });
    const impact = hits.length ? [`impact on ${[...new Set(hits)].join(", ")}`] : [];
    return [[`${number(time)} ${spoken(this.player.unit)}`, ...impact].join(", "), ...friction].join("; ");
  }
}

/** Which contacts stick, and which slide, in words. */
function states(scene, time) {
  const frame = nearest(scene.time, locate(scene.time, time));
  return [["sticks", STICKS], ["slides", SLIDES]].flatMap(([word, state]) => {
    const names = rubbing(scene, frame, state);
    return names.length ? [`${word}: ${few(names)}`] : [];
  });
}

/** Some names, or how many there are. */
function few(names) {
  return names.length > MOST ? `${names.length} contacts` : names.join(", ");
}
