import { LeaseLostError } from '../../errors/journal.js';

/** A journal is not as it should be: the message says what was expected, and what was found. */
export class Finding extends Error {}

/** @throws Finding with the place of the first difference, where two values aren't the same JSON. */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  const [is, should] = [spelt(found), spelt(expected)];
  if (is === should) return;
  const at = differsAt(is, should);
  throw new Finding(`${what}: expected ${around(should, at)}, found ${around(is, at)}`);
}

/** @throws Finding */
export function expectThat(what: string, holds: boolean): void {
  if (!holds) throw new Finding(`${what}: expected so, found otherwise`);
}

/** @returns what an action rejects with. @throws Finding where it doesn't. */
export async function expectRejection(what: string, action: () => Promise<unknown>): Promise<unknown> {
  let found: unknown;
  try {
    found = await action();
  } catch (error) {
    return error;
  }
  throw new Finding(`${what}: expected a rejection, found ${around(spelt(found), 0)}`);
}

/** @throws Finding where an action is not refused because somebody else took over. */
export async function expectLeaseLost(what: string, action: () => Promise<unknown>): Promise<void> {
  const error = await expectRejection(what, action);
  if (error instanceof LeaseLostError) return;
  throw new Finding(`${what}: expected a LeaseLostError, found ${String(error)}`, { cause: error });
}

/** A value of the kind that is expected. @throws Finding */
export function expectKind<Value extends { readonly kind: string }, Kind extends Value['kind']>(
  what: string,
  value: Value,
  kind: Kind,
): Extract<Value, { readonly kind: Kind }> {
  if (isOfKind(value, kind)) return value;
  throw new Finding(`${what}: expected '${kind}', found '${value.kind}'`);
}

function isOfKind<Value extends { readonly kind: string }, Kind extends Value['kind']>(
  value: Value,
  kind: Kind,
): value is Extract<Value, { readonly kind: Kind }> {
  return value.kind === kind;
}

/** JSON with sorted members, whatever they are called: their order is no part of a value. */
function spelt(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spelt).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${spelt(member)}`).join()}}`;
}

function differsAt(a: string, b: string): number {
  let at = 0;
  while (a[at] === b[at] && at < a.length) at += 1;
  return at;
}

const SHOWN = 200;
const BEFORE = 40;

function around(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const shown = text.slice(from, from + SHOWN);
  return `${from > 0 ? '…' : ''}${shown}${from + SHOWN < text.length ? '…' : ''}`;
}
