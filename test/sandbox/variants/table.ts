import { describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxCredentials, startSandbox } from '../../../src/sandbox/index.js';
import type { Variants } from '../../../src/sandbox/variants.js';
import { type Got, get, lotOf } from '../caller.js';

/** Row, choice, what is looked at, and what it must be. */
export type Case = {
  [Row in keyof Variants]: readonly [
    row: Row,
    choice: Variants[Row],
    see: (sandbox: Sandbox) => Promise<unknown>,
    expected: unknown,
  ];
}[keyof Variants];

/** Proves every case in a sandbox of its own; the first case of a row also where nothing is switched. */
export function provesEach(area: string, cases: readonly Case[]): void {
  describe(area, () => {
    it.each(cases)('%s: %s', async (row, choice, see, expected) => {
      expect(await seenWith({ [row]: choice }, see)).toEqual(expected);
    });

    const defaults = cases.filter(([row], place) => cases.findIndex(([other]) => other === row) === place);
    it.each(defaults)('%s is %s without a word', async (_, __, see, expected) => {
      expect(await seenWith({}, see)).toEqual(expected);
    });
  });
}

async function seenWith(variants: Partial<Variants>, see: (sandbox: Sandbox) => Promise<unknown>) {
  const sandbox = await startSandbox({ ...still, prefix: '/index.php', variants });
  try {
    return await see(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** A sandbox that stands still at a known time. */
const still = { clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false } as const;

/** What a path under `/api/v1` is answered, as one of the parties. */
export const asked = (sandbox: Sandbox, path: string, query = '', who?: SandboxCredentials): Promise<Got> =>
  get(sandbox, who ?? sandbox.credentials.dealer, `/api/v1${path}`, query);

/** Its `data`. */
export const data = async (sandbox: Sandbox, path: string, query = '', who?: SandboxCredentials) =>
  (await asked(sandbox, path, query, who)).json.data;

/** A lot inside its event, as one of the parties reads it. */
export const eventLot = (sandbox: Sandbox, label: string, query = '', who?: SandboxCredentials) =>
  data(sandbox, `/events/${sandbox.auctions.get(label).id}/lots/${lotOf(sandbox, label).id}`, query, who);
