import { existsSync, readFileSync } from 'node:fs';

/** A file that a bank saved with a lot, hidden facts included. */
export interface LotMedia {
  /** Unique in the sandbox. */
  readonly id: number;
  readonly kind: 'photo' | 'document';
  /** Stored media type. */
  readonly contentType: string;
  readonly filename: string;
  /** `private` is the default of photos, and hides none of them; documents are seen as `auction` only. */
  readonly visibility: 'private' | 'auction';
  readonly deleted: boolean;
  readonly quarantined: boolean;
}

/** Whether those who see the lot get to see the file. */
export function isShown({ kind, visibility, deleted, quarantined }: LotMedia): boolean {
  return !deleted && !quarantined && (kind === 'photo' || visibility === 'auction');
}

/** The files that the sandbox has to give: every lot's are some of these. */
const fixtures = { photo: ['front.jpg', 'side.jpg', 'rear.png'], document: ['inspection.pdf'] };
const mediaTypes = new Map([
  ['jpg', 'image/jpeg'],
  ['png', 'image/png'],
  ['pdf', 'application/pdf'],
]);

function fixtureOf(kind: LotMedia['kind'], id: number): string {
  return fixtures[kind][id % fixtures[kind].length] ?? '';
}

/** A file as it is shown by default; `name` is that of the file without its ending. */
export function shownFile(id: number, kind: LotMedia['kind'], name: string): LotMedia {
  const [, ending = ''] = fixtureOf(kind, id).split('.');
  const visibility = kind === 'photo' ? 'private' : 'auction';
  const facts = { id, kind, visibility, deleted: false, quarantined: false } as const;
  return { ...facts, contentType: mediaTypes.get(ending) ?? '', filename: `${name}.${ending}` };
}

/** The bytes of a file: always the same for the same file. */
export function contentsOf({ id, kind }: LotMedia): Uint8Array {
  return asset(`media/${fixtureOf(kind, id)}`);
}

const read = new Map<string, Buffer>();

/** A file of the folder `assets`, which the build copies next to the compiled code; read once. */
export function asset(path: string): Buffer {
  const known = read.get(path);
  if (known !== undefined) return known;
  const content = readFileSync(locate(path));
  read.set(path, content);
  return content;
}

export function hasAsset(path: string): boolean {
  return existsSync(locate(path));
}

function locate(path: string): URL {
  return new URL(`./assets/${path}`, import.meta.url);
}
