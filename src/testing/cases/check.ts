/** A store is wrong: the message says what was expected, and what was found. */
export class Finding extends Error {}

/** @throws Finding with the place of the first difference, where two values differ */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  const [is, should] = [spelled(found), spelled(expected)];
  if (is === should) return;
  const at = [...should].findIndex((letter, index) => is[index] !== letter);
  throw new Finding(`${what}: expected ${around(should, at)}, found ${around(is, at)}`);
}

/** @throws Finding */
export function expectThat(what: string, holds: boolean): void {
  if (!holds) throw new Finding(`${what}: expected so, found otherwise`);
}

/** @returns what an action rejects with. @throws Finding where it does not */
export async function expectRejection(what: string, action: Promise<unknown>): Promise<unknown> {
  let found: unknown;
  try {
    found = await action;
  } catch (error) {
    return error;
  }
  throw new Finding(`${what}: expected a rejection, found ${around(spelled(found), 0)}`);
}

/** JSON with sorted members and bigints; a member that is undefined counts as absent. */
function spelled(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(spelled).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${spelled(member)}`).join()}}`;
}

const SHOWN = 200;
const BEFORE = 40;

function around(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const shown = text.slice(from, from + SHOWN);
  return `${from > 0 ? '…' : ''}${shown}${from + SHOWN < text.length ? '…' : ''}`;
}
