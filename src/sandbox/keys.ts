/** A key that requests are signed with. */
export interface SigningKey {
  readonly keyId: string;
  readonly signingSecret: string;
  /** Server time from which it is revoked, Unix milliseconds; absent where it is the current one. */
  readonly endsAt?: number;
}

/** Whoever has a key, and perhaps had others before. */
export interface KeyHolder extends SigningKey {
  readonly formerKeys?: readonly SigningKey[];
}

/** The key that goes by an id, a former one too. */
export function keyOf(holder: KeyHolder, keyId: string): SigningKey | undefined {
  return keyId === holder.keyId ? holder : holder.formerKeys?.find((key) => key.keyId === keyId);
}

/** Whether a key is revoked at a moment of server time, Unix milliseconds. */
export function hasEnded({ endsAt }: SigningKey, now: number): boolean {
  return endsAt !== undefined && endsAt <= now;
}
