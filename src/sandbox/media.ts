import { asset } from './assets.js';

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
const photos = [
  { file: 'front.jpg', contentType: 'image/jpeg', ending: 'jpg' },
  { file: 'side.jpg', contentType: 'image/jpeg', ending: 'jpg' },
  { file: 'rear.png', contentType: 'image/png', ending: 'png' },
] as const;
const document = { file: 'inspection.pdf', contentType: 'application/pdf', ending: 'pdf' } as const;

function fixtureOf(kind: LotMedia['kind'], id: number) {
  return kind === 'document' ? document : (photos[id % photos.length] ?? photos[0]);
}

/** A file as it is shown by default; `name` is that of the file without its ending. */
export function shownFile(id: number, kind: LotMedia['kind'], name: string): LotMedia {
  const { contentType, ending } = fixtureOf(kind, id);
  const visibility = kind === 'photo' ? 'private' : 'auction';
  return {
    id,
    kind,
    contentType,
    filename: `${name}.${ending}`,
    visibility,
    deleted: false,
    quarantined: false,
  };
}

/** The bytes of a file: always the same for the same file. */
export function contentsOf({ id, kind }: LotMedia): Uint8Array {
  return asset(`media/${fixtureOf(kind, id).file}`);
}
