import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { flightRecorder, type RecordedEntry } from '../../src/index.js';
import { acceptance, LOT, recordedRejection } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { dealer, KEY, SECRET } from '../support/clients.js';
import { LOST } from '../support/placed-bids.js';
import { formsOf, shownBy } from '../support/secrecy.js';

const BUYER = 'buyer-anita-7';

/** A platform places one bid; its first reply is lost. */
async function recorded(options?: Parameters<typeof flightRecorder>[0]) {
  const recorder = flightRecorder(options);
  const scene = new Scene();
  const reply = acceptance({ bidder_reference: BUYER, buyer_name: 'Anita Rao', phone: 9_876_543_210 });
  const { client } = scene.platform([LOST, reply], { flightRecorder: recorder });
  const bid = { lot: LOT, amount: '465000', bidderReference: BUYER };
  await scene.during(client.bids.place(bid, { idempotencyKey: KEY }));
  return { recorder, client };
}

const callsOf = (entries: readonly RecordedEntry[]) =>
  entries.flatMap((one) => (one.kind === 'call' ? [one] : []));

it('A flight recorder keeps every request of a call with its reply, and the outcome of the bid', async () => {
  const { recorder } = await recorded();
  const entries = recorder.entries();
  const submit = callsOf(entries).find(({ call }) => call === 'bids.submit');
  expect(submit).toMatchObject({ route: 'POST /lots/{lot}/bids', idempotencyKey: KEY, outcome: 'done' });
  expect(submit?.exchanges).toEqual([
    {
      request: {
        ...{ method: 'POST', path: `/api/v1/lots/${LOT}/bids`, query: '', timestamp: expect.any(String) },
        body: expect.objectContaining({ amount: '465000', idempotency_key: KEY, dealer_id: 'D-204' }),
      },
      ms: 0,
      failure: { sent: 'maybe', code: 'ECONNRESET', stopped: false },
    },
    { request: expect.anything(), ms: 0, reply: expect.objectContaining({ status: 201 }) },
  ]);
  expect(entries.at(-1)).toMatchObject({ kind: 'outcome', call: 'bids.place', outcome: 'accepted' });
});

it('Texts that may name people become placeholders: equal texts stay equal, and other recorders use others', async () => {
  const [{ recorder }, other] = [await recorded(), await recorded()];
  const entries = recorder.entries();
  for (const text of [BUYER, 'Anita', '9876543210']) expect(shownBy(entries)).not.toContain(text);
  const [, resent] = callsOf(entries).find(({ call }) => call === 'bids.submit')?.exchanges ?? [];
  const { bidder_reference: sent } = Object(resent?.request.body);
  expect(sent).toMatch(/^text-[0-9a-f]{12}$/);
  expect(resent?.reply?.json).toMatchObject({
    data: { bidder_reference: sent, status: 'accepted', phone: 0 },
  });
  expect(shownBy(other.recorder.entries())).not.toContain(sent);
});

it('No secret, signature or nonce is recorded, also if the service repeats them in fields that are kept', async () => {
  const recorder = flightRecorder();
  const echoes: Record<string, string> = {};
  const { client, transport } = dealer([], { flightRecorder: recorder });
  const send = transport.send.bind(transport);
  transport.send = async (request) => {
    Object.assign(echoes, { signature: request.headers['X-Signature'], nonce: request.headers['X-Nonce'] });
    const data = { id: `${SECRET} ${echoes['signature']}`, state: echoes['nonce'], [SECRET]: 1 };
    const body = Buffer.from(JSON.stringify({ data, code: SECRET }));
    const headers = { date: SECRET, 'x-signature': SECRET };
    return {
      status: 503,
      headers,
      body: (async function* () {
        yield body;
      })(),
      discard: () => undefined,
    };
  };
  await client.events.get('auc_1', { maxAttempts: 1 }).catch(() => undefined);
  transport.send = send;
  const shown = shownBy(recorder.entries());
  expect(shown).toContain('[redacted]');
  for (const form of [...Object.values(formsOf(SECRET)), ...Object.values(echoes)])
    expect(shown).not.toContain(form);
});

it('A flight recorder drops the oldest entries beyond its limits, in count and in bytes', async () => {
  const replies = Array.from({ length: 10 }, (_, n) => ({ status: 200, json: { data: { id: `auc_${n}` } } }));
  const few = flightRecorder({ entries: 3 });
  const small = flightRecorder({ bytes: 1_500 });
  for (const recorder of [few, small]) {
    const { client } = dealer(replies, { flightRecorder: recorder });
    for (let n = 0; n < 10; n += 1) await client.events.get(`auc_${n}`).catch(() => undefined);
  }
  expect(callsOf(few.entries()).map(({ exchanges: [one] }) => one?.request.path)).toEqual(
    ['auc_7', 'auc_8', 'auc_9'].map((id) => `/api/v1/events/${id}`),
  );
  const kept = small.entries();
  expect(kept.length).toBeGreaterThan(0);
  expect(JSON.stringify(kept).length).toBeLessThanOrEqual(1_500 + kept.length + 1);
});

it('A recording is saved as JSON lines that only the owner of the file can read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'auction-flight-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { recorder } = await recorded();
  const path = join(folder, 'flight.jsonl');
  await recorder.save(path);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(recorder.entries())));
  expect(statSync(path).mode & 0o077).toBe(0);
});

it('A recorded rejection keeps its codes, and a failed call its error', async () => {
  const recorder = flightRecorder();
  const { client } = dealer([recordedRejection(), { status: 403, json: { code: 'SCOPE_DENIED' } }], {
    flightRecorder: recorder,
  });
  await client.bids.place({ lot: LOT, amount: '465000' });
  await client.events.get('auc_1').catch(() => undefined);
  const [submit, read] = callsOf(recorder.entries()).filter(({ call }) => call !== 'integration.profile');
  expect(submit?.exchanges[0]?.reply?.json).toMatchObject({ errors: ['BID_BELOW_MINIMUM'] });
  expect(submit).toMatchObject({ outcome: 'rejected', error: 'BidRejectedError' });
  expect(read).toMatchObject({ outcome: 'refused', error: 'PermissionError', reason: 'permission' });
});

it.each([
  [{ entries: 0 }, 'flightRecorder.entries'],
  [{ bytes: 1.5 }, 'flightRecorder.bytes'],
  [{ last: 3 }, 'flightRecorder.last'],
])('flightRecorder(%o) is refused', (options, option) => {
  expect(() => flightRecorder(options as never)).toThrow(option);
  expect(() => dealer([], { flightRecorder: options as never })).toThrow('flightRecorder');
});
