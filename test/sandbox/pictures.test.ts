import { describe, expect, test } from 'vitest';
import { inspectionReport } from '../../src/sandbox/media/pdf.js';
import { takePhoto } from '../../src/sandbox/media/picture.js';
import { encodePng } from '../../src/sandbox/media/png.js';
import type { Vehicle } from '../../src/sandbox/seed/vehicles.js';
import { crc, readPng } from './png-reader.js';

const vehicle: Vehicle = {
  registrationNumber: 'KA05MJ4821',
  make: 'Hyundai',
  model: 'Creta SX',
  year: 2019,
  region: 'Karnataka',
  vehicleType: 'SUV',
  category: 'car',
  yard: null,
  title: '2019 Hyundai Creta SX',
  bankReference: 'LN000000001',
  condition: 'Running (needs a "jump") \\ dented',
  value: 845_000,
  bankFields: { 'Chassis Number': 'MA1SECRET' },
  publicFields: { fld_1: { label: 'Fuel', value: 'Diesel' }, fld_2: { label: 'मालिक', value: null } },
};
const photo = (number: number, category = 'car') => takePhoto({ ...vehicle, category }, number);

test('the CRC of the reader is the CRC', () => {
  expect(crc(Buffer.from('123456789')).toString(16)).toBe('cbf43926');
});

describe('a PNG', () => {
  test('has the pixels that were put in', () => {
    const palette = [
      [255, 0, 0],
      [1, 2, 3],
    ] as const;
    const file = encodePng({ width: 3, height: 2, palette, pixels: Uint8Array.from([0, 1, 0, 1, 1, 0]) });
    const { width, height, chunks, at } = readPng(file);
    expect([width, height, chunks]).toEqual([3, 2, ['IHDR', 'PLTE', 'IDAT', 'IEND']]);
    expect([at(0, 0), at(1, 0), at(2, 0)]).toEqual([palette[0], palette[1], palette[0]]);
    expect([at(0, 1), at(1, 1), at(2, 1)]).toEqual([palette[1], palette[1], palette[0]]);
  });
});

describe('a photo', () => {
  const categories = ['car', 'commercial', 'three_wheeler', 'two_wheeler', 'farm'];

  /** How many pixels of each colour. */
  const colours = (file: Uint8Array) => {
    const { at, width, height } = readPng(file);
    const counts = new Map<string, number>();
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const colour = at(x, y).join();
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
    }
    return counts;
  };

  test.each(categories)('of a %s: sky, ground, a body, tyres, and what is written under it', (category) => {
    const { width, height, at } = readPng(photo(40_002, category));
    expect([width, height]).toEqual([480, 320]);
    expect(at(0, 0)).toEqual([120, 176, 224]);
    expect(at(5, 225)).toEqual([148, 146, 142]);
    expect(at(479, 319)).toEqual([38, 40, 46]);
    const mine = colours(photo(40_002, category));
    expect(mine.get('26,26,30')).toBeGreaterThan(2_000);
    // Of the body and its shaded side, no other photo has the colours.
    const others = colours(photo(40_004, category));
    const own = [...mine].filter(([colour]) => !others.has(colour));
    expect(own).toHaveLength(2);
    expect(own.reduce((sum, [, pixels]) => sum + pixels, 0)).toBeGreaterThan(3_000);
  });

  test('is of the vehicle: each kind has a shape of its own, an unknown one that of a car', () => {
    const shapes = categories.map((category) => Buffer.from(photo(40_002, category)).toString('base64'));
    expect(new Set(shapes).size).toBe(5);
    expect(photo(40_002, 'boat')).toEqual(photo(40_002, 'car'));
  });

  test('differs from every other, and is the same when asked for again', () => {
    const numbers = Array.from({ length: 60 }, (_, at) => 40_001 + at);
    const taken = numbers.map((number) => Buffer.from(photo(number)).toString('base64'));
    expect(new Set(taken).size).toBe(60);
    expect(numbers.map((number) => Buffer.from(photo(number)).toString('base64'))).toEqual(taken);
    const bodies = numbers.map((number) => readPng(photo(number)).at(240, 205));
    expect(new Set(bodies.map(String)).size).toBeGreaterThan(50);
  });

  test('faces one way or the other', () => {
    const [left, right] = [readPng(photo(40_001, 'commercial')), readPng(photo(40_002, 'commercial'))];
    const glass = [58, 78, 96];
    expect([right.at(360, 150), left.at(480 - 360, 150)]).toEqual([glass, glass]);
    expect([left.at(360, 150), right.at(480 - 360, 150)]).not.toContainEqual(glass);
  });

  test('bears the registration number', () => {
    const caption = (file: Uint8Array) => {
      const { at } = readPng(file);
      return Array.from({ length: 28 * 200 }, (_, i) => at(i % 200, 292 + Math.floor(i / 200))).map(String);
    };
    expect(caption(photo(40_001))).toEqual(caption(photo(40_005)));
    const other = takePhoto({ ...vehicle, registrationNumber: 'KA05MJ4822' }, 40_001);
    expect(caption(other)).not.toEqual(caption(photo(40_001)));
  });
});

describe('an inspection report', () => {
  const text = Buffer.from(inspectionReport(vehicle, 40_003)).toString('latin1');

  test('has a table that finds each object, and a trailer that finds the table', () => {
    expect(text).toMatch(/^%PDF-1\.4\n/);
    expect(text).toMatch(/\n%%EOF\n$/);
    const tableAt = Number(/startxref\n(\d+)\n/.exec(text)?.[1]);
    const [, count, entries = ''] =
      /^xref\n0 (\d+)\n((?:\d{10} \d{5} [nf] \n)+)trailer\n/.exec(text.slice(tableAt)) ?? [];
    expect([Number(count), entries.length]).toEqual([6, 6 * 20]);
    expect(entries.slice(0, 20)).toBe('0000000000 65535 f \n');
    for (let number = 1; number < 6; number += 1) {
      const entry = entries.slice(number * 20, number * 20 + 20);
      expect(text.slice(Number(entry.slice(0, 10)))).toMatch(new RegExp(`^${number} 0 obj\n`));
    }
    expect(text).toContain('<< /Size 6 /Root 1 0 R >>');
  });

  test('has one page, whose stream is as long as it says', () => {
    expect(text).toMatch(/1 0 obj\n<< \/Type \/Catalog \/Pages 2 0 R >>/);
    expect(text).toMatch(/2 0 obj\n<< \/Type \/Pages \/Kids \[3 0 R\] \/Count 1 >>/);
    const [, length, stream = ''] = /\/Length (\d+) >>\nstream\n([\s\S]*)\nendstream/.exec(text) ?? [];
    expect(stream).toHaveLength(Number(length));
    expect(stream).toMatch(/^BT\n[\s\S]*\nET$/);
  });

  test('tells of the vehicle what may be told, in characters of the font', () => {
    expect(text).toContain('(Registration: KA05MJ4821) Tj');
    expect(text).toContain('(Vehicle: 2019 Hyundai Creta SX) Tj');
    expect(text).toContain('(Condition: Running \\(needs a "jump"\\) \\\\ dented) Tj');
    expect(text).toContain('(Fuel: Diesel) Tj');
    expect(text).toContain('(?????: not stated) Tj');
    expect(text).not.toContain('MA1SECRET');
    expect(text).not.toMatch(/[^\n\x20-\x7e]/);
  });
});
