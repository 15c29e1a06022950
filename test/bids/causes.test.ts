import { describe, expect, it } from 'vitest';
import { Scene, Wire } from '../support/bidders.js';
import { rejection } from '../support/clients.js';
import { BID, KEYED } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** A bid that was not sent names the cause and what to do about it, and the log has it, too. */

const failing = (code: string, message: string, name?: string): Step => {
  const cause = Object.assign(new Error(message), { code });
  if (name !== undefined) cause.name = name;
  return { fail: 'no', cause };
};

const causes: [what: string, step: Step, said: string, fix: string][] = [
  ['DNS', failing('ENOTFOUND', 'getaddrinfo ENOTFOUND bank.example'), 'ENOTFOUND', 'Check the host name'],
  [
    'a refused connection',
    failing('ECONNREFUSED', 'connect ECONNREFUSED'),
    'ECONNREFUSED',
    'Check the host and port',
  ],
  [
    'TLS',
    failing('CERT_HAS_EXPIRED', 'certificate has expired'),
    'has expired',
    'Check the clock of this machine',
  ],
  ['the proxy', failing('', 'the proxy answered 407', 'ProxyFailure'), '407', 'Check the option proxy'],
];

const options = { ...KEYED, maxAttempts: 1 } as const;

function logging(steps: readonly Step[], bare: boolean) {
  const scene = new Scene();
  const logged: string[] = [];
  const note = (line: string) => logged.push(line);
  const logger = { error: note, warn: note, info: () => undefined, debug: () => undefined };
  const log = { logger, logLevel: 'warn' } as const;
  const transport = new Wire([], steps);
  const { client } = bare ? scene.dealer([], { ...log, transport }) : scene.dealer(steps, log);
  return { scene, client, logged };
}

describe.each(causes)('a bid that was not sent because of %s', (_, step, said, fix) => {
  it('says so where the bid was recorded', async () => {
    const { scene, client, logged } = logging([step], false);
    const outcome = await scene.during(client.bids.place(BID, options));
    expect(outcome).toMatchObject({ status: 'not_sent', reason: 'network' });
    expect(outcome.what).toContain(said);
    expect(outcome.nextStep).toMatch(new RegExp(`^${fix}.*Place the same bid again under its key\\.$`));
    expect(logged).toContain('A bid was not sent');
  });

  it('says so where server time could not be read before', async () => {
    const { scene, client, logged } = logging(Array<Step>(9).fill(step), true);
    const outcome = await scene.during(client.bids.place(BID, options));
    expect(outcome).toMatchObject({ status: 'not_sent', reason: 'failure' });
    expect(outcome.what).toContain(said);
    expect(outcome.nextStep).toContain(fix);
    expect(logged).toContain('A bid was not sent');
  });

  it('says so for a batch', async () => {
    const { scene, client } = logging(Array<Step>(9).fill(step), true);
    const rows = [{ rowId: 'r1', ...BID }];
    const run = client.bids.placeAll(rows, { batchId: 'b1', place: { maxAttempts: 1 } });
    const [result] = await scene.during(run.toArray());
    expect(result).toMatchObject({ status: 'not_sent' });
    expect(result?.what).toContain(said);
    expect((await run.summary).stopped?.what).toContain(fix);
  });

  it('says so for a function of runOnce', async () => {
    const { scene, client } = logging(Array<Step>(9).fill(step), true);
    const once = client.runOnce(['bid', '1'], (idempotencyKey) =>
      client.bids.place(BID, { idempotencyKey, maxAttempts: 1 }),
    );
    const error = await scene.during(rejection(once));
    expect(error).toMatchObject({ name: 'NotSentError', outcome: 'not_sent' });
    expect(error).toMatchObject({ message: expect.stringContaining(said) });
    expect(error).toMatchObject({ nextStep: expect.stringContaining(fix) });
  });
});
