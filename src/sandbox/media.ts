import { readAsset } from './asset-files.js';

/** A file of a lot, including hidden attributes. */
export interface LotMedia {
  /** Unique in the sandbox. */
  readonly id: number;
  readonly kind: 'photo' | 'document';
  /** Stored media type. */
  readonly contentType: string;
  readonly filename: string;
  /** Documents are visible only as `auction`. Photos are always visible; their default is `private`. */
  readonly visibility: 'private' | 'auction';
  readonly deleted: boolean;
  readonly quarantined: boolean;
}

/** Whether callers that can see the lot can see the file. */
export function isShown({ kind, visibility, deleted, quarantined }: LotMedia): boolean {
  return !deleted && !quarantined && (kind === 'photo' || visibility === 'auction');
}

/** Fixture files. Every lot uses some of these. */
const fixtures = { photo: ['front.jpg', 'side.jpg', 'rear.png'], document: ['inspection.pdf'] };
const mediaTypes = new Map([
  ['jpg', 'image/jpeg'],
  ['png', 'image/png'],
  ['pdf', 'application/pdf'],
]);

function fixtureOf(kind: LotMedia['kind'], id: number): string {
  return fixtures[kind][id % fixtures[kind].length] ?? '';
}

/** A visible file with default attributes. `name` excludes the extension. */
export function shownFile(id: number, kind: LotMedia['kind'], name: string): LotMedia {
  const [, ending = ''] = fixtureOf(kind, id).split('.');
  const visibility = kind === 'photo' ? 'private' : 'auction';
  const facts = { id, kind, visibility, deleted: false, quarantined: false } as const;
  return { ...facts, contentType: mediaTypes.get(ending) ?? '', filename: `${name}.${ending}` };
}

/** Content of a file. The same file always has the same content. */
export function contentsOf({ id, kind }: LotMedia): Uint8Array {
  return asset(`media/${fixtureOf(kind, id)}`);
}

const read = new Map<string, Buffer>();

/** A file of the folder `assets`. Cached. */
export function asset(path: string): Buffer {
  const content = read.get(path) ?? readAsset(path);
  if (content === undefined) throw new Error(`The sandbox has no file ${path}`);
  read.set(path, content);
  return content;
}

export function hasAsset(path: string): boolean {
  return readAsset(path) !== undefined;
}
