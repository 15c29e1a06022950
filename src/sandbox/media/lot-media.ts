/** A file that a bank saved with a lot, hidden facts included. Its bytes are made when they are asked for. */
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
