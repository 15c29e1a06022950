import { expect, it } from 'vitest';
import {
  closedMeanwhile,
  foreignIntent,
  heldBack,
  inDoubt,
  inProgress,
  otherContent,
  recordedRejection,
  superseded,
  timeLost,
  unresolvedBids,
} from '../../src/intents/answers.js';
import type { IntentContent, IntentEvent } from '../../src/intents/content.js';
import { invalidFields, iso, messageOnly, NOW, refusal } from '../support/bid-replies.js';
import { Scene, Wire } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { acknowledged, record, replayed, unheard } from './desk.js';
import * as logs from './logs.js';

/** The golden files of what intents say: what became of commands, why nothing was sent, and timelines. */

type Client = Awaited<ReturnType<typeof acknowledged>>['client'];

/** What a result or an error says, and then its other fields. The message of an error ends with its next step. */
function shown(told: unknown): string {
  const { cause: _, message, what, nextStep, ...facts } = JSON.parse(JSON.stringify(told));
  return `${message ?? `${what}\n${nextStep}`}\n${JSON.stringify(facts)}`;
}

async function listed(cases: Readonly<Record<string, () => unknown>>): Promise<string> {
  const lines = [];
  for (const [name, told] of Object.entries(cases)) lines.push(`[${name}]`, shown(await told()), '');
  return lines.join('\n');
}

/** Reconciles a command that met these replies, by the same client or by another one later. */
async function reconciled(steps: readonly Step[], before?: (client: Client) => unknown, afterMs = 0) {
  const scene = new Scene();
  const { client } = await acknowledged(scene, steps, { maxAttempts: 1 });
  await before?.(client);
  await scene.clock.advance(afterMs);
  return scene.during(scene.dealer().client.intents.reconcile(KEY));
}

/** What a command that another process holds looks like from here. */
async function reserved(work: (client: Client, key: string) => Promise<unknown>) {
  const scene = new Scene();
  const { client } = scene.dealer([record()]);
  let told: unknown;
  const run = async (key: string) => {
    told = await work(client, key);
    throw new Error('before its call');
  };
  await scene.during(client.runOnce(['import', 'row 7'], run).catch(() => undefined));
  return told;
}

const DAYS = 24 * 3_600_000;

it('a command that is reconciled has every field, and says what happened and what to do', async () => {
  const cases = {
    done: () => reconciled([record()]),
    'done, as a replay': () => reconciled([replayed()]),
    'refused with a code': () => reconciled([refusal(403, 'EMD_EXPIRED')]),
    'refused with an undocumented code': () => reconciled([refusal(403, 'SOMETHING_NEW')]),
    'refused with fields': () => reconciled([invalidFields()]),
    'not sent': () => reconciled([{ fail: 'no' }]),
    'in doubt': () => reconciled([unheard]),
    'in doubt, without a documented code': () => reconciled([messageOnly(404)]),
    'in doubt, in a restored backup': () =>
      reconciled([unheard], async (client) => {
        await client.verify();
        await client.recover({ restored: true });
      }),
    'in doubt, once its key may be forgotten': () => reconciled([unheard], undefined, 40 * DAYS),
    'stuck, because the key has other content': () => reconciled([refusal(409, 'IDEMPOTENCY_CONFLICT')]),
    abandoned: () => reconciled([unheard], (client) => client.intents.abandon(KEY, 'checked by hand')),
    'held by a function of runOnce': () =>
      reserved((client, key) => client.verify().then(() => client.intents.reconcile(key))),
    'a function of runOnce that made no call': async () => {
      const scene = new Scene();
      const { client } = scene.dealer();
      let made = '';
      const work = client.runOnce(['import', 'row 7'], async (key) => {
        made = key;
        throw new Error('before its call');
      });
      await scene.during(work.catch(() => undefined));
      return scene.during(client.intents.reconcile(made));
    },
    foreign: async () => {
      const scene = new Scene();
      await acknowledged(scene, [unheard]);
      const { client } = scene.dealer([], { baseUrl: 'https://new.bank.example/api/v1' });
      return scene.during(client.intents.reconcile(KEY));
    },
  };
  await expect(await listed(cases)).toMatchFileSnapshot('outcomes.golden.txt');
});

const context = { call: 'notifications.acknowledge', operation: 'A75' };
const doubted = logs.command(false, ...logs.tried(1, 'unknown'));
const refused = logs.command(false, ...logs.tried(1, 'refused'));
const ready = logs.intentOf(logs.command(false));
const sent = logs.intentOf(doubted);
const halted = { reason: 'halted', why: 'bidding is halted (lunch).' } as const;

/** What differs between what is recorded and what is given. */
function other(content: IntentContent, body: object | string | undefined, given: object | string) {
  const { target } = content;
  if (target === undefined) throw new Error('No target');
  const recorded = typeof body === 'object' ? { text: JSON.stringify(body) } : fileIn(body);
  const now = typeof given === 'object' ? { text: JSON.stringify(given) } : (fileIn(given) ?? {});
  return otherContent(logs.intentOf(content), { target, body: now }, recorded, context);
}

const fileIn = (name: string | undefined) =>
  name === undefined
    ? undefined
    : { file: { path: 'a.pdf', before: `{"name":"${name}","c":"`, after: '"}' } };

const bidOf = (row: object, ...log: readonly IntentEvent[]): IntentContent => {
  const content = logs.bid(...log);
  return content.bid === undefined ? content : { ...content, bid: { ...content.bid, ...row } };
};

it('a call that the record keeps from being sent says why, what is in doubt and what to do', async () => {
  const stuck = logs.intentOf(logs.command(false, ...logs.tried(1, 'unknown'), logs.stuck));
  const abandoned = logs.intentOf(logs.command(false, ...logs.tried(1, 'unknown'), logs.abandoned));
  const open = logs.intentOf(bidOf({ bidderReference: 'buyer-9' }, ...logs.tried(1, 'unknown')));
  const stuckBid = logs.intentOf(logs.bid(...logs.tried(1, 'unknown'), logs.stuck));
  const rejected = (codes?: readonly string[]) =>
    logs.intentOf(
      logs.bid(...logs.tried(1, 'rejected', { ...(codes && { codes, record: { bid_id: 'b' } }) })),
    );
  const provisional = logs.bid(...logs.tried(1, 'uncoded'), logs.looked('absent', 2, { refusalsSeen: 1 }));
  const row = { row: { batchId: 'monday', rowId: '7' } };
  const cases = {
    'other content, in doubt': () => other(doubted, { a: 1, b: 2 }, { a: 1, b: 3 }),
    'other content, done': () =>
      other(logs.command(false, ...logs.tried(1, 'done', { record: { id: 'r' } })), { a: 1 }, {}),
    'other content, provisional': () => other(provisional, { a: 1 }, { a: 2 }),
    'other content, in a row of a batch': () => other(bidOf(row), { amount: '1' }, { amount: '2' }),
    'other content, the same fields': () => other(refused, { a: 1, b: 2 }, { b: 2, a: 1 }),
    'other content, in a file': () => other(refused, 'a.pdf', 'b.pdf'),
    'other content, whose bytes are gone': () => other(refused, undefined, { a: 1 }),
    'recorded by another client, settled': () => foreignIntent(stuck, false, context),
    'recorded by another client, open': () => foreignIntent(open, true, context),
    'another bid is unresolved': () => unresolvedBids(open, [open, stuckBid], context),
    'another bid is stuck': () => unresolvedBids(stuckBid, [stuckBid], context),
    'in doubt': () => inDoubt(sent, context),
    stuck: () => inDoubt(stuck, context),
    abandoned: () => inDoubt(abandoned, context),
    'in progress': () => inProgress(ready, context),
    'settled by another process': () => superseded(logs.intentOf(refused), context),
    gone: () => superseded(undefined, context, true),
    'taken over by another process': () => superseded(sent, context, true),
    halted: () => heldBack(ready, context, halted),
    'halted, while an attempt is in doubt': () => heldBack(sent, context, halted),
    'beyond a limit': () =>
      heldBack(logs.intentOf(refused), context, { reason: 'risk_limit', why: 'perBid is 1' }),
    'no server time': () =>
      timeLost(logs.intentOf(logs.command(false, ...logs.tried(1, 'not_sent'))), context),
    closed: () => closedMeanwhile(ready, context),
    'closed, while an attempt is in doubt': () => closedMeanwhile(sent, context),
    'rejected earlier': () => recordedRejection(rejected(['BID_BELOW_MINIMUM', 'LOT_CLOSED']), context),
    'rejected earlier, without codes': () => recordedRejection(rejected(), context),
  };
  await expect(await listed(cases)).toMatchFileSnapshot('errors.golden.txt');
});

it('a call that is turned away on this side says why and what to do', async () => {
  const scene = new Scene();
  const { client } = scene.dealer();
  await client.verify().catch(() => undefined);
  const call = { idempotencyKey: KEY, maxAttempts: 1 };
  const body = { status: 'read', external_reference: 'x' } as const;
  const untold = (step: Step, over: object = {}) => {
    const transport = new Wire([], [step]);
    return rejection(
      scene.during(
        scene.dealer([], { transport }).client.notifications.acknowledge('n_1', body, { ...call, ...over }),
      ),
    );
  };
  const run = (work: (key: string, client: Client) => Promise<unknown>, steps: readonly Step[] = []) => {
    const { client: own } = new Scene().dealer(steps);
    return rejection(own.runOnce(['import', 'row 7'], (key) => work(key, own)));
  };
  const cases = {
    'no server time': () => untold(messageOnly(403)),
    'no server time, over TLS': () =>
      untold({ fail: 'no', cause: Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' }) }),
    'no server time within the deadline': () => untold({ hang: true }, { deadline: 1_000 }),
    'no server time, in a header alone': () => untold({ status: 200, json: { data: {} } }),
    'runOnce without a call': () => run(async () => 5),
    'runOnce with a second call': () =>
      run(
        (key, own) =>
          own.notifications
            .acknowledge('n_1', body, { idempotencyKey: key })
            .then(() => own.notifications.acknowledge('n_1', body, { idempotencyKey: key })),
        [record()],
      ),
    'runOnce without parts or a function': () => rejection(client.runOnce([], 5 as never)),
    'list, everything wrong': async () =>
      rejection(
        (async () =>
          client.intents.list({ which: 'open', after: -1, settledAfter: 1.5, limit: 0 } as object))(),
      ),
    'get, no UUID': () => rejection(client.intents.get('bid-1')),
    'explain, unknown': () => rejection(client.intents.explain(KEY)),
    'reconcile, no UUID': () => rejection(scene.during(client.intents.reconcile('bid-1'))),
    'abandon, without a reason': () => rejection(client.intents.abandon(KEY, '  ')),
    'abandon, a reason that is no text': () => rejection(client.intents.abandon(KEY, 5 as never)),
    'abandon, unknown': () => rejection(client.intents.abandon(KEY, 'why')),
    'abandon, settled': async () => {
      await acknowledged(scene, [record()]);
      return rejection(client.intents.abandon(KEY, 'why'));
    },
  };
  await expect(await listed(cases)).toMatchFileSnapshot('turned-away.golden.txt');
});

it('a timeline says in a few words what each event was', async () => {
  const scene = new Scene();
  await acknowledged(scene, [unheard]);
  await scene.append(
    KEY,
    { type: 'placed', at: NOW, placeBy: NOW + 120_000 },
    logs.attempt(2),
    logs.result(2, 'done', { replayed: true }),
    logs.looked('failed', 2, { why: 'HTTP 403' }),
    logs.looked('absent'),
    logs.confirm,
    logs.voided('bid_1'),
    logs.bidRead('accepted'),
    { type: 'bid_read', at: NOW, found: 'differs', why: 'another lot' },
    { type: 'lot_read', at: NOW, closed: true },
    { type: 'lot_read', at: NOW, closed: false },
    { type: 'lot_read', at: NOW, closed: false, closesAt: NOW + 60_000 },
    logs.result(2, 'refused', { status: 429, retryAfter: 30_000 }),
    logs.result(2, 'refused', { status: 429, retryAfter: 3_600_000 }),
    { type: 'cancellation', at: NOW },
    logs.unsent,
    logs.stuck,
    logs.abandoned,
    logs.expired,
    logs.restored(5),
  );
  const { timeline, ...facts } = await scene.dealer().client.intents.explain(KEY);
  const lines = timeline.map(({ at, type, what }) => `${iso(at)} ${type}: ${what}`);
  await expect([shown(facts), ...lines, ''].join('\n')).toMatchFileSnapshot('timeline.golden.txt');
});
