import type { LotMedia } from '../media/lot-media.js';
import { SeededRandom } from './random.js';
import type { Vehicle } from './vehicles.js';

/** Invents the files of lots. It draws from numbers of its own, so that files change nothing else of a seed. */
export class SeededMedia {
  readonly #random: SeededRandom;
  #id = firstId;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed ^ apart);
  }

  /**
   * The files of the lot at a place of its auction: 1 to 3 photos and mostly a document, among them some that
   * nobody is shown; a few lots have none at all.
   */
  next(place: number, { registrationNumber }: Vehicle): LotMedia[] {
    const photos = 1 + this.#random.int(3);
    if (place % 12 === 7) return [];
    const files = Array.from({ length: photos }, (_, at) =>
      this.#file('photo', `${registrationNumber}-${at + 1}.png`),
    );
    if (place % 5 !== 4) files.push(this.#file('document', `${registrationNumber}-inspection.pdf`));
    if (place % 10 === 3) files.push(this.#hidden(place, registrationNumber));
    return files;
  }

  #hidden(place: number, name: string): LotMedia {
    const [kind, why] = hidden[Math.floor(place / 10) % hidden.length] ?? hidden[0];
    const ending = kind === 'photo' ? 'png' : 'pdf';
    return { ...this.#file(kind, `${name}-unlisted.${ending}`), ...why };
  }

  #file(kind: LotMedia['kind'], filename: string): LotMedia {
    this.#id += 1 + this.#random.int(3);
    return {
      id: this.#id,
      kind,
      contentType: kind === 'photo' ? 'image/png' : 'application/pdf',
      filename,
      visibility: kind === 'photo' ? 'private' : 'auction',
      deleted: false,
      quarantined: false,
    };
  }
}

const firstId = 40_000;
const apart = 0x6d656469;

/** Each way in which a file is kept from everybody. */
const hidden = [
  ['photo', { deleted: true }],
  ['photo', { quarantined: true }],
  ['document', { visibility: 'private' }],
  ['document', { deleted: true }],
] as const satisfies readonly (readonly [LotMedia['kind'], Partial<LotMedia>])[];
