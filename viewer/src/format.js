// Numbers as people read them.

/** The next round number: 1, 2 or 5 times a power of ten. */
export function nice(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return power * [1, 2, 5, 10].find((digit) => digit * power >= 0.999 * size);
}

/** A number on an axis with this step. */
export function label(value, step) {
  if (Math.abs(value) < 1e-9 * step) return "0";
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e5 || size < 1e-3) return number(value, 3);
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace("-", "−");
}

const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

export function power(exponent) {
  return `10${String(Math.round(exponent)).replace(/./g, (digit) => SUPERSCRIPT[digit])}`;
}

export function number(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e5)) {
    return value.toExponential(digits - 3 > 0 ? digits - 3 : 1).replace("e+", "e").replace(/-/g, "−");
  }
  return value.toPrecision(digits).replace("-", "−");
}
