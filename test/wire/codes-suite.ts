import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CredentialsSource } from '../../src/client/options.js';
import { VehicleAuctionError } from '../../src/errors/base.js';
import { credentials, KEY } from '../support/clients.js';
import { type Caller, callersOf, callOf, type WireCase } from './case.js';
import { cases } from './cases/all.js';
import { type CodeRow, codeRows, rowOn } from './codes.js';
import type { Answer, Driver } from './driver.js';
import { answerOf, expectResult } from './operations-suite.js';
import { expectNothingSecret, expectRequests, otherKey, perform } from './perform.js';

/** Which rows meet which methods. */
interface Sample {
  /** Methods that meet every row that can reach them: one of each kind of call. */
  readonly whole: readonly string[];
  /** Every other method meets one row in so many, each method other ones. */
  readonly oneIn: number;
}

/** The rows of the Codes table on the methods that they can reach. */
export function describeCodes(what: string, open: () => Driver | Promise<Driver>, sample: Sample): void {
  describe(`every code ${what}`, () => {
    let driver: Driver;
    beforeAll(async () => {
      driver = await open();
    });
    afterAll(() => driver[Symbol.asyncDispose]());

    const methods = cases.flatMap((one) =>
      callersOf(one).map((caller) => [one.operation, caller, one] as const),
    );

    const rowsFor = (one: WireCase) => {
      const rows = codeRows.filter(({ reaches }) => reaches(one)).map((row) => rowOn(row, one));
      if (sample.whole.includes(one.operation)) return rows;
      return rows.filter((_, index) => (index + cases.indexOf(one)) % sample.oneIn === 0);
    };

    // rule: general.8
    it.each(methods)('%s by a %s', async (_, caller, one) => {
      await everyRow(rowsFor(one), (row) => fails({ driver, one, caller, row }));
    });

    // rule: bid.9, canonical.fresh
    it.each(methods)('%s by a %s, answered at last', async (_, caller, one) => {
      const rows = rowsFor(one).filter(({ arrives }) => arrives === 2);
      await everyRow(rows, (row) => recovers({ driver, one, caller, row }));
    });
  });
}

/** Goes on past a row that fails, so that one run tells them all. */
async function everyRow(rows: readonly CodeRow[], check: (row: CodeRow) => Promise<void>): Promise<void> {
  const failures: Error[] = [];
  for (const row of rows) {
    await check(row).catch((error: Error) => {
      failures.push(error);
    });
  }
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length > 0) first.message += `\nand also:\n${others.map(({ message }) => message).join('\n')}`;
  throw first;
}

interface Meeting {
  readonly driver: Driver;
  readonly one: WireCase;
  readonly caller: Caller;
  readonly row: CodeRow;
}

/** A call whose attempts meet the row, and the answers after it; with what holds of its requests either way. */
async function met({ driver, one, caller, row }: Meeting, label: string, ...after: readonly Answer[]) {
  const { answer, keys, maxAttempts, skewMs } = row;
  const call = callOf(one, caller);
  const settings = { driver, caller, call, key: KEY, maxAttempts, skewMs };
  const source = keys && keySource(keys);
  const performed = await perform({ ...settings, answers: [answer, ...after], credentials: source });
  // The read of its record, which follows a command that was refused without a code, is not an attempt of it.
  const arrived = performed.arrived.filter(({ method }) => one.effect === 'read' || method === 'POST');
  const keyIds = keys === 'another' ? [credentials.keyId, otherKey.keyId] : undefined;
  // The same bytes each time, freshly stamped and signed, as far apart as the service asks for.
  expectRequests(arrived, { case: one, call, driver, label, key: KEY, skewMs, keyIds });
  expect(arrived, label).toHaveLength(row.arrives);
  const [first, second] = arrived;
  if (first === undefined || second === undefined) return performed;
  const waited = second.atMs - first.atMs;
  if (row.waits === 'some') expect(waited, `${label}: waits`).toBeGreaterThan(0);
  else expect(waited, `${label}: waits`).toBe(row.waits ?? 0);
  return performed;
}

async function fails(meeting: Meeting): Promise<void> {
  const { one, caller, row } = meeting;
  const label = `${one.operation} by a ${caller}: ${row.name}`;
  const { error, arrived } = await met(meeting, label);
  if (!(error instanceof VehicleAuctionError))
    throw new Error(`${label}: no error of ours`, { cause: error });
  const { type, outcome, status, codes, fieldErrors, requestId, retryAfter, receipt } = row;
  expect(factsOf(error), label).toStrictEqual({
    type,
    name: type,
    outcome,
    operation: one.id,
    route: one.route,
    attempts: row.arrives,
    idempotencyKey: one.effect === 'read' ? undefined : KEY,
    status,
    code: codes?.[0],
    codes,
    fieldErrors: status === undefined ? undefined : (fieldErrors ?? {}),
    requestId,
    retryAfter,
    receipt,
  });
  const call = one.operation === one.id ? one.operation : `${one.operation} (${one.id})`;
  expect(error.message, label).toContain(`${call}: `);
  expect(error.nextStep, label).toMatch(/^[A-Z].+\.$/);
  if (outcome === 'unknown' && one.effect !== 'read' && !codes?.includes('IDEMPOTENCY_CONFLICT'))
    expect(error.nextStep, label).toContain(KEY);
  expectNothingSecret(error, arrived, label);
}

/** The first attempt meets the row, the second one is answered as if nothing had been. */
async function recovers(meeting: Meeting): Promise<void> {
  const { one, caller, row } = meeting;
  const label = `${one.operation} by a ${caller}: ${row.name}, then a success`;
  const [reply] = one.replies;
  if (reply === undefined) throw new Error(`${label}: no reply`);
  const { value, error } = await met(meeting, label, answerOf(reply));
  if (error !== undefined) throw new Error(label, { cause: error });
  const key = one.effect === 'read' ? undefined : KEY;
  // The success states the time of the machine, which is behind the time that the refusal stated.
  const isBehind = (row.skewMs ?? 0) > 0 && one.sent === 'GET' && reply.info?.serverTime !== undefined;
  const info = { ...reply.info, ...(isBehind && { cached: 'its time is 600 s behind' }) };
  await expectResult(value, { reply: { ...reply, info }, attempts: 2, key, label });
}

const facts = [
  ...(['name', 'outcome', 'operation', 'route', 'attempts', 'idempotencyKey', 'status', 'code'] as const),
  ...(['codes', 'fieldErrors', 'requestId', 'retryAfter', 'receipt'] as const),
];

function factsOf(error: VehicleAuctionError): object {
  const named = facts.map((fact): [string, unknown] => [fact, Reflect.get(error, fact)]);
  return { type: error.constructor.name, ...Object.fromEntries(named) };
}

function keySource(second: 'another' | 'the same'): CredentialsSource {
  let asked = 0;
  return async () => {
    asked += 1;
    return asked > 1 && second === 'another' ? otherKey : credentials;
  };
}
