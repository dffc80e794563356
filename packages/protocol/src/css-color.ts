/**
 * Parses CSS Color 4 colors without a browser: hex, `rgb()`, `hsl()`, `lab()`, `lch()`, `oklab()`, `oklch()`, names and
 * `transparent`. System colors and `currentcolor` aren't supported because they depend on the device or the element.
 */
import type { LinearColor } from "./contrast-rules.ts";
import { hexOfName } from "./css-color-names.ts";

/** @returns null if the text isn't a color or can't be computed */
export function readCssColor(text: string): LinearColor | null {
  const written = text.trim().toLowerCase();
  if (written === "transparent") return [0, 0, 0, 0];
  const hex = hexOfName.get(written) ?? /^#([\da-f]+)$/.exec(written)?.[1];
  return hex === undefined ? readFunction(written) : readHex(hex);
}

/**
 * Converts linear to gamma-encoded sRGB, which WCAG and CSS use for mixing. Negative values, from colors outside the
 * gamut, are mirrored.
 */
export function encode(linear: number): number {
  const size = Math.abs(linear);
  return Math.sign(linear) * (size <= 0.0031308 ? size * 12.92 : 1.055 * size ** (1 / 2.4) - 0.055);
}

/** Reverses {@link encode}. */
export function decode(encoded: number): number {
  const size = Math.abs(encoded);
  return Math.sign(encoded) * (size <= 0.04045 ? size / 12.92 : ((size + 0.055) / 1.055) ** 2.4);
}

function readHex(hex: string): LinearColor | null {
  const digits = hex.length < 5 ? hex.replaceAll(/./g, "$&$&") : hex;
  if (digits.length !== 6 && digits.length !== 8) return null;
  const [red = 0, green = 0, blue = 0, alpha = 255] =
    digits.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return [decode(red / 255), decode(green / 255), decode(blue / 255), alpha / 255];
}

type Three = [number, number, number];
type Space = (one: string, two: string, three: string) => Three | null;

const spaces: Readonly<Record<string, Space>> = {
  rgb: threeOf([255, 255, 255], (red, green, blue) => [channel(red / 255), channel(green / 255), channel(blue / 255)]),
  hsl: hueFirst(fromHsl),
  lab: threeOf([100, 125, 125], fromLab),
  lch: hueLast([100, 150], fromLab),
  oklab: threeOf([1, 0.4, 0.4], fromOklab),
  oklch: hueLast([1, 0.4], fromOklab),
};

function readFunction(written: string): LinearColor | null {
  const [, name = "", inner = ""] = /^([a-z]+)\((.*)\)$/.exec(written) ?? [];
  const space = Object.hasOwn(spaces, name)
    ? spaces[name]
    : (/^(rgb|hsl)a$/.test(name) && spaces[name.slice(0, 3)]) || undefined;
  const part = String.raw`\s*([^\s,/]+)\s*`;
  const separate = new RegExp(`^${part},${part},${part}(?:,${part})?$`);
  const plain = new RegExp(String.raw`^\s*([^\s,/]+)\s+([^\s,/]+)\s+([^\s,/]+)\s*(?:/${part})?$`);
  const parts = (/^(rgb|hsl)/.test(name) ? separate.exec(inner) : null) ?? plain.exec(inner);
  if (!space || !parts) return null;
  const [, one = "", two = "", three = "", written4 = "1"] = parts;
  const color = space(one, two, three);
  const alpha = readNumber(written4, 1);
  return color && alpha !== null ? [...color, clip(alpha)] : null;
}

/** @param whole the value of 100% for each component */
function threeOf(whole: Three, convert: (...parts: Three) => Three): Space {
  return (one, two, three) => {
    const [first, second, third] = [readNumber(one, whole[0]), readNumber(two, whole[1]), readNumber(three, whole[2])];
    return first === null || second === null || third === null ? null : convert(first, second, third);
  };
}

function hueFirst(convert: (...parts: Three) => Three): Space {
  return (one, two, three) => {
    const [hue, second, third] = [readDegrees(one), readNumber(two, 100), readNumber(three, 100)];
    return hue === null || second === null || third === null ? null : convert(hue, second, third);
  };
}

/** Converts lightness, chroma and hue to lightness and two axes. */
function hueLast([lightest, strongest]: [number, number], convert: (...parts: Three) => Three): Space {
  return (one, two, three) => {
    const [lightness, chroma, hue] = [readNumber(one, lightest), readNumber(two, strongest), readDegrees(three)];
    if (lightness === null || chroma === null || hue === null) return null;
    const angle = (hue * Math.PI) / 180;
    return convert(lightness, Math.max(0, chroma) * Math.cos(angle), Math.max(0, chroma) * Math.sin(angle));
  };
}

const number = String.raw`([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)`;

function readNumber(text: string, whole: number): number | null {
  const [, digits, percent] = new RegExp(`^${number}(%?)$`).exec(text) ?? [];
  return digits === undefined ? null : percent ? (Number(digits) / 100) * whole : Number(digits);
}

const degrees: Readonly<Record<string, number>> = { "": 1, deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 };

function readDegrees(text: string): number | null {
  const [, digits, unit = ""] = new RegExp(`^${number}(deg|grad|rad|turn)?$`).exec(text) ?? [];
  return digits === undefined ? null : Number(digits) * (degrees[unit] ?? 1);
}

const clip = (part: number) => Math.min(1, Math.max(0, part));
const channel = (encoded: number) => decode(clip(encoded));

function fromHsl(hue: number, saturation: number, lightness: number): Three {
  const light = lightness / 100;
  const strength = (Math.max(0, saturation) / 100) * Math.min(light, 1 - light);
  const at = (offset: number) => {
    const turn = (((offset + hue / 30) % 12) + 12) % 12;
    return channel(light - strength * Math.max(-1, Math.min(turn - 3, 9 - turn, 1)));
  };
  return [at(0), at(8), at(4)];
}

/** Lab uses D50, which is adapted to D65 with the Bradford transform. */
function fromLab(lightness: number, a: number, b: number): Three {
  const y = (Math.min(100, Math.max(0, lightness)) + 16) / 116;
  const cube = (part: number) => (part > 6 / 29 ? part ** 3 : (part - 4 / 29) * 3 * (6 / 29) ** 2);
  const [x50, y50, z50] = [0.96429567 * cube(y + a / 500), cube(y), 0.8251046 * cube(y - b / 200)];
  return [
    3.1341359 * x50 - 1.6173863 * y50 - 0.4906619 * z50,
    -0.9787955 * x50 + 1.9162544 * y50 + 0.0334427 * z50,
    0.0719554 * x50 - 0.2289768 * y50 + 1.405386 * z50,
  ];
}

/** Source: https://bottosson.github.io/posts/oklab/ */
function fromOklab(lightness: number, a: number, b: number): Three {
  const light = clip(lightness);
  const long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}
