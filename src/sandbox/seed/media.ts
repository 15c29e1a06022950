import type { Vehicle } from '../auctions/store.js';
import { SeededRandom } from '../ids.js';
import { type LotMedia, shownFile } from '../media.js';

/** Invents the files of lots. It draws from numbers of its own, so that files change nothing else of a seed. */
export class SeededMedia {
  readonly #random: SeededRandom;
  #id = firstId;
  #givenId = firstGivenId;

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
      this.#file('photo', `${registrationNumber}-${at + 1}`),
    );
    if (place % 5 !== 4) files.push(this.#file('document', `${registrationNumber}-inspection`));
    if (place % 10 === 3) files.push(this.#hidden(place, registrationNumber));
    return files;
  }

  /** The same files, or so many photos and documents in their place, where that is given. */
  counted(
    files: readonly LotMedia[],
    { registrationNumber }: Vehicle,
    photos: number | undefined,
    documents: number | undefined,
  ): readonly LotMedia[] {
    const ofKind = (kind: LotMedia['kind'], count: number | undefined) =>
      count === undefined
        ? files.filter((file) => file.kind === kind)
        : Array.from({ length: count }, (_, at) => this.#given(kind, `${registrationNumber}-${at + 1}`));
    if (photos === undefined && documents === undefined) return files;
    return [...ofKind('photo', photos), ...ofKind('document', documents)];
  }

  #hidden(place: number, name: string): LotMedia {
    const [kind, why] = hidden[Math.floor(place / 10) % hidden.length] ?? hidden[0];
    return { ...this.#file(kind, `${name}-unlisted`), ...why };
  }

  #file(kind: LotMedia['kind'], name: string): LotMedia {
    this.#id += 1 + this.#random.int(3);
    return shownFile(this.#id, kind, name);
  }

  /** Has an id out of a range of its own: files that are asked for leave the ids of invented ones alone. */
  #given(kind: LotMedia['kind'], name: string): LotMedia {
    this.#givenId += 1;
    return shownFile(this.#givenId, kind, name);
  }
}

const firstId = 40_000;
const firstGivenId = 9_000_000;
const apart = 0x6d656469;

/** Each way in which a file is kept from everybody. */
const hidden = [
  ['photo', { deleted: true }],
  ['photo', { quarantined: true }],
  ['document', { visibility: 'private' }],
  ['document', { deleted: true }],
] as const satisfies readonly (readonly [LotMedia['kind'], Partial<LotMedia>])[];
