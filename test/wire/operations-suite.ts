import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import type { BinaryReply } from '../../src/ports/caller.js';
import { KEY } from '../support/clients.js';
import { type Caller, callersOf, callOf, type WireCall, type WireCase, type WireReply } from './case.js';
import { cases } from './cases/all.js';
import type { Answer, Driver } from './driver.js';
import { expectRequests, perform } from './perform.js';

/** Every method, each way to call it and each reply to it. */
export function describeOperations(what: string, open: () => Driver | Promise<Driver>): void {
  describe(`every operation ${what}`, () => {
    let driver: Driver;
    beforeAll(async () => {
      driver = await open();
    });
    afterAll(() => driver[Symbol.asyncDispose]());

    const calls = cases.flatMap((one) =>
      one.calls.flatMap((call) =>
        call.by.map((caller) => [one.operation, caller, call.name, one, call] as const),
      ),
    );

    // rule: general.9, convention.1, header.timestamp, header.content-sha256
    it.each(calls)('%s by a %s, %s', async (operation, caller, name, one, call) => {
      const [reply] = one.replies;
      if (reply === undefined) throw new Error(`${operation} has no reply`);
      const given = { driver, one, call, caller, reply };
      await succeeds({ ...given, key: KEY, label: `${operation} by a ${caller}, ${name}` });
      if (one.effect === 'read') return;
      const label = `${operation} by a ${caller}, ${name}, under a key that the SDK makes`;
      await succeeds({ ...given, key: undefined, label });
    });

    const methods = cases.flatMap((one) =>
      callersOf(one).map((caller) => [one.operation, caller, one] as const),
    );

    // rule: state.other, convention.3
    it.each(methods)('%s by a %s reads every reply', async (operation, caller, one) => {
      const call = callOf(one, caller);
      for (const reply of one.replies) {
        await succeeds({
          driver,
          one,
          call,
          caller,
          reply,
          key: KEY,
          label: `${operation} by a ${caller}, ${reply.name}`,
        });
      }
    });
  });
}

interface Success {
  readonly driver: Driver;
  readonly one: WireCase;
  readonly call: WireCall;
  readonly caller: Caller;
  readonly reply: WireReply;
  readonly key: string | undefined;
  readonly label: string;
}

async function succeeds({ driver, one, call, caller, reply, key, label }: Success) {
  const isReplayedBid = one.effect === 'bid' && reply.info?.replayed === true;
  const { value, error, arrived } = await perform({
    driver,
    caller,
    call,
    // A bid is only answered with a replay after an attempt whose reply was lost.
    answers: isReplayedBid ? ['cut', answerOf(reply)] : [answerOf(reply)],
    key,
  });
  if (error !== undefined) throw error;
  const attempts = isReplayedBid ? 2 : 1;
  expect(arrived, label).toHaveLength(attempts);
  expectRequests(arrived, { case: one, call, driver, label, key });
  await expectResult(value, {
    reply,
    attempts,
    key: arrived[0]?.headers['idempotency-key'],
    label,
  });
}

/** A reply as bytes. */
export function answerOf({ status = 200, headers, json, bytes }: WireReply): Answer {
  return bytes === undefined
    ? { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(json) }
    : { status, headers: headers ?? {}, body: bytes };
}

interface ExpectedResult {
  readonly reply: WireReply;
  readonly attempts: number;
  readonly key: string | undefined;
  readonly label: string;
}

/** Compares a result whole, and what `responseOf` says of it. */
export async function expectResult(value: unknown, { reply, attempts, key, label }: ExpectedResult) {
  const { status, headers, timings, ...info } = responseOf(value);
  expect({ status, ...info }, `${label}: responseOf`).toStrictEqual({
    status: reply.status ?? 200,
    requestId: reply.info?.requestId,
    serverTime: reply.info?.serverTime,
    replayed: reply.info?.replayed ?? false,
    ...(reply.info?.cached !== undefined && { cached: reply.info.cached }),
    attempts,
    idempotencyKey: key,
    body: reply.read ?? reply.json,
  });
  for (const [name, sent] of Object.entries(reply.headers ?? {}))
    expect(headers[name.toLowerCase()], `${label}: header ${name}`).toBe(sent);
  expect(timings, label).toStrictEqual({ total: expect.any(Number), queued: expect.any(Number) });
  expect(isBinary(value) ? await drained(value) : value, `${label}: result`).toStrictEqual(reply.result);
}

function isBinary(value: unknown): value is BinaryReply {
  return typeof value === 'object' && value !== null && 'stream' in value;
}

async function drained({ stream, ...about }: BinaryReply): Promise<object> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { ...about, bytes: Buffer.concat(chunks).toString('hex') };
}
