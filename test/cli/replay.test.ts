import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cli/run.js';
import { type FlightRecorder, fileContent, flightRecorder } from '../../src/index.js';
import { replayRecording } from '../../src/testing/index.js';
import { acceptance, LOT, lookup, recordedRejection } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { bank, dealer, event, KEY } from '../support/clients.js';
import { bareEnvironment } from '../support/doc-runs.js';
import { BID, LOST, mute } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';
import { root } from '../support/sources.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'auction-replay-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

async function replayed(...args: readonly string[]) {
  let [stdout, stderr] = ['', ''];
  const code = await run(['replay', ...args, '--test', join(folder, 'incident.test.ts')], {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    env: {},
  });
  return { code, stdout, stderr };
}

/** A dealer places one bid, and its calls are recorded. */
async function bidRecorded(steps: readonly Step[]): Promise<FlightRecorder> {
  const recorder = flightRecorder();
  const scene = new Scene();
  const { client } = scene.dealer(steps, { flightRecorder: recorder });
  await scene.during(client.bids.place(BID, { idempotencyKey: KEY, maxAttempts: 1, deadline: 5_000 }));
  return recorder;
}

/** A file of a bundle with these entries. */
function bundleOf(
  recorder: FlightRecorder,
  settings: object = { actor: 'partner', partnerType: 'direct_dealer' },
) {
  const path = join(folder, 'incident.json');
  writeFileSync(path, JSON.stringify({ settings, recording: recorder.entries() }, null, 2));
  return path;
}

it('A bid in doubt is reproduced from its bundle, in a test that fails as long as it stays in doubt', async () => {
  const bundle = bundleOf(await bidRecorded([LOST, ...mute(9)]));
  const { code, stdout, stderr } = await replayed(bundle);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('bids.place\tunknown, in_doubt\tunknown, in_doubt'),
  ]);
  expect(stderr).toContain('Reproduced: 1 of 1.');
  const file = join(folder, 'incident.test.ts');
  expect(statSync(file).mode & 0o077).toBe(0);

  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/vehicle-auction-sdk'));
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  const suite = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder];
  const tested = () =>
    promisify(execFile)(process.execPath, suite, { env: { ...bareEnvironment(), NO_COLOR: '1' } });
  await expect(tested()).rejects.toMatchObject({
    stdout: expect.stringContaining(
      '× bids.place of 2026-03-02T06:00:00.000Z no longer ends as reported: unknown, in_doubt',
    ),
  });
  // As if the client had learnt that nothing was sent.
  const fixed = readFileSync(file, 'utf8').replaceAll('"sent": "maybe"', '"sent": "no"');
  writeFileSync(file, fixed);
  expect((await tested()).stdout).toContain('1 passed');
  expect((await replayed(bundle)).stderr).toContain('exists');
});

it('A bid that ends otherwise than recorded is shown with both ends, and no test is written', async () => {
  const recorder = await bidRecorded([LOST, lookup('processing'), ...mute(9)]);
  const path = join(folder, 'flight.jsonl');
  await recorder.save(path);
  // As if it had been reported as rejected.
  const lines = readFileSync(path, 'utf8').replaceAll(
    '"outcome":"unknown","reason":"in_doubt"',
    '"outcome":"rejected"',
  );
  writeFileSync(path, lines);
  const { code, stdout, stderr } = await replayed(path);
  expect([code, stdout]).toEqual([0, expect.stringContaining('bids.place\trejected\tunknown, in_doubt')]);
  expect(stderr).toBe('Reproduced: 0 of 1. No test was written.\n');
  expect(existsSync(join(folder, 'incident.test.ts'))).toBe(false);
});

const odd = (status: number, json: unknown): Step => ({ status, json });

it.each([
  ['accepted after a lost reply', [LOST, acceptance({ replayed: true }, 200)], 'accepted'],
  ['rejected', [recordedRejection()], 'rejected'],
  ['refused', [odd(403, { code: 'SCOPE_DENIED' })], 'refused'],
])('A bid that was %s ends so again', async (_, steps, outcome) => {
  const recorder = flightRecorder();
  const scene = new Scene();
  const { client } = scene.platform(steps, { flightRecorder: recorder });
  const bid = { lot: LOT, amount: '465000', bidderReference: 'buyer-9' };
  await scene.during(client.bids.place(bid, { idempotencyKey: KEY }));
  const recording = { actor: 'partner', partnerType: 'platform', entries: recorder.entries() } as const;
  const [one] = await replayRecording(recording, { only: KEY.toUpperCase() });
  expect(one).toMatchObject({ call: 'bids.place', recorded: { outcome }, recordedRequests: steps.length });
  expect([one?.replayed, one?.requests]).toEqual([one?.recorded, steps.length]);
});

it('Reads, lists and commands that failed end as they were recorded', async () => {
  const recorder = flightRecorder();
  const { client } = dealer(
    [
      { status: 503, json: {} },
      { status: 503, json: {} },
      { status: 503, json: {} },
      odd(200, { data: 'none' }),
      event,
      odd(200, '{'),
    ],
    { flightRecorder: recorder, randomness: { fraction: () => 0 } },
  );
  const failed = async (work: Promise<unknown>) => void (await work.catch(() => undefined));
  await failed(client.events.get('auc_1', { maxAttempts: 1 }));
  await failed(client.events.lots('auc_1', { page: 3 }, { maxAttempts: 1 }).firstPage());
  const [first, second, ...others] = await replayRecording({
    ...{ actor: 'partner', partnerType: 'direct_dealer' },
    entries: recorder.entries(),
  });
  expect(others).toEqual([]);
  expect(first).toMatchObject({ call: 'events.get', recorded: { outcome: 'unknown', error: 'ServerError' } });
  expect(second).toMatchObject({ call: 'events.lots' });
  for (const one of [first, second]) expect(one?.problem).toBeUndefined();
  for (const one of [first, second]) expect(one?.replayed).toEqual(one?.recorded);
});

it('A command of a bank ends as it was recorded', async () => {
  const recorder = flightRecorder();
  const conflict = odd(409, { code: 'STALE_RESOURCE_VERSION', message: 'Changed.' });
  const { client } = bank([conflict], { flightRecorder: recorder });
  const decision = { decision: 'approved', expected_version: 3 } as const;
  await client.saleCases.decide('sale_1', { ...decision, reason: 'Anita agreed' }).catch(() => undefined);
  const path = join(folder, 'flight.jsonl');
  await recorder.save(path);
  const { stdout } = await replayed(path, '--json');
  const { call, recorded, now, isReproduced } = JSON.parse(stdout);
  expect([call, recorded, isReproduced]).toEqual(['saleCases.decide', now, true]);
  expect(readFileSync(join(folder, 'incident.test.ts'), 'utf8')).not.toContain('Anita');
});

it('A call whose request was read from a file is shown with the reason why it can not be played', async () => {
  const recorder = flightRecorder();
  const { client } = dealer([odd(403, { code: 'SCOPE_DENIED' })], { flightRecorder: recorder });
  const path = join(folder, 'proof.pdf');
  writeFileSync(path, 'proof');
  const upload = { sale_id: 'sale_1', purpose: 'payment_proof', filename: 'proof.pdf' } as const;
  await client.documents.upload({ ...upload, content_base64: fileContent(path) }).catch(() => undefined);
  const { code, stdout } = await replayed(bundleOf(recorder));
  expect([code, stdout]).toEqual([0, expect.stringContaining('read from a file')]);
});

it.each([
  ['no JSON', 'bids.place'],
  ['a bundle without a recording', '{"settings":{}}'],
  ['a recording of another program', '{"recording":[{"kind":"call"}]}'],
])('replay refuses %s', async (_, text) => {
  const path = join(folder, 'other.json');
  writeFileSync(path, text);
  expect(await replayed(path)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has no recording'),
  });
});
