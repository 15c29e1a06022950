import type { Vehicle } from '../seed/vehicles.js';
import { Canvas, type Point } from './canvas.js';
import { encodePng, type Rgb } from './png.js';
import { type Material, silhouetteOf } from './silhouettes.js';

/**
 * A photo of a vehicle, as far as a sandbox can take one: a PNG of 480 by 320. The number decides the colour, which
 * way the vehicle faces, and the light; the same number gives the same picture.
 */
export function takePhoto(vehicle: Vehicle, number: number): Uint8Array {
  const canvas = new Canvas(width, height);
  paintYard(canvas, number);
  paintVehicle(canvas, vehicle.category, number % 2 === 1);
  stamp(canvas, vehicle, number);
  const body = bodyColour(number);
  const palette = inks.map((ink) => (ink === 'body' ? body : ink === 'shade' ? darker(body) : colours[ink]));
  return encodePng({ width, height, palette, pixels: canvas.pixels });
}

function paintYard(canvas: Canvas, number: number): void {
  const band = horizon / skies.length;
  for (const [at, sky] of skies.entries()) canvas.rectangle(0, at * band, width, band, inkOf(sky));
  canvas.ellipse(60 + ((number * 53) % 360), 44 + (number % 3) * 8, 20, 20, inkOf('sun'));
  for (const [x, y] of clouds) {
    const left = (x + number * 37) % width;
    canvas.ellipse(left, y, 34, 9, inkOf('cloud'));
    canvas.ellipse(left + 22, y - 7, 22, 10, inkOf('cloud'));
  }
  canvas.polygon(
    [
      [0, 176],
      [70, 150],
      [150, 170],
      [250, 142],
      [350, 168],
      [430, 148],
      [width, 166],
      [width, horizon],
      [0, horizon],
    ],
    inkOf('hills'),
  );
  canvas.rectangle(0, horizon - 12, width, 12, inkOf('wall'));
  canvas.rectangle(0, horizon, width, height - horizon, inkOf('ground'));
  canvas.rectangle(0, 270, width, 4, inkOf('line'));
}

function paintVehicle(canvas: Canvas, category: string, facesLeft: boolean): void {
  const { parts, wheels } = silhouetteOf(category);
  const across = (x: number) => (facesLeft ? width - x : x);
  canvas.ellipse(width / 2, 260, 190, 9, inkOf('shadow'));
  for (const [material, ...corners] of parts) {
    canvas.polygon(
      corners.map(([x, y]): Point => [across(x), y]),
      inkOf(material),
    );
  }
  for (const [x, y, radius] of wheels) {
    canvas.ellipse(across(x), y, radius, radius, inkOf('tyre'));
    canvas.ellipse(across(x), y, Math.round(radius / 2), Math.round(radius / 2), inkOf('metal'));
    canvas.ellipse(across(x), y, 4, 4, inkOf('dark'));
  }
}

/** Which vehicle, which photo: no two are alike. */
function stamp(canvas: Canvas, vehicle: Vehicle, number: number): void {
  canvas.rectangle(0, height - 28, width, 28, inkOf('dark'));
  canvas.text(12, height - 22, 3, `${vehicle.registrationNumber} ${vehicle.make}`, inkOf('letters'));
  const label = `#${number}`;
  canvas.text(width - 12 * label.length - 10, height - 22, 3, label, inkOf('letters'));
}

/** Steps of the golden angle: neighbours are far apart. */
function bodyColour(number: number): Rgb {
  const hue = (number * 137.508) % 360;
  const channel = (offset: number): number => {
    const at = (offset + hue / 30) % 12;
    return Math.round(255 * (0.48 - 0.3 * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

function darker([red, green, blue]: Rgb): Rgb {
  return [Math.round(red * 0.72), Math.round(green * 0.72), Math.round(blue * 0.72)];
}

const width = 480;
const height = 320;
const horizon = 200;
const clouds: readonly Point[] = [
  [40, 62],
  [260, 40],
  [380, 82],
];
const skies = ['sky1', 'sky2', 'sky3', 'sky4', 'sky5'] as const;

const colours = {
  sky1: [120, 176, 224],
  sky2: [140, 190, 230],
  sky3: [162, 204, 236],
  sky4: [186, 218, 240],
  sky5: [210, 231, 245],
  sun: [255, 222, 120],
  cloud: [246, 250, 253],
  hills: [150, 184, 150],
  wall: [198, 186, 168],
  ground: [148, 146, 142],
  line: [206, 202, 190],
  shadow: [104, 102, 100],
  glass: [58, 78, 96],
  dark: [38, 40, 46],
  metal: [186, 190, 196],
  lamp: [255, 240, 190],
  tyre: [26, 26, 30],
  letters: [240, 240, 236],
} as const satisfies Readonly<Record<string, Rgb>>;

type Ink = keyof typeof colours | Material;

const inks = ['body', 'shade', ...keysOf(colours)] as const;

function inkOf(ink: Ink): number {
  return inks.indexOf(ink);
}

function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(record) as K[];
}
