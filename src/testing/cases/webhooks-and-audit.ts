import type { WebhookEventRow } from '../../store/webhook-events.js';
import { expectSame } from './check.js';
import type { Cases } from './setting.js';

function event(id: string, changes: Partial<WebhookEventRow> = {}): WebhookEventRow {
  const fixed = { type: 'sale.approved', state: 'pending', source: 'webhook', receivedMs: 1_000 } as const;
  return { id, body: `{"id":"${id}"}`, ...fixed, ...changes };
}

const pending = { state: 'pending', attempts: 0, dueMs: 1_000 } as const;

/** Cases about received events and the audit. */
export const webhooksAndAudit: Cases = {
  'webhookEvents: an event is kept once for its id and once for its fact, in each account': async (
    opened,
  ) => {
    const first = event('evt_1', { fact: 'sale 1', resource: 'sal_1', resourceVersion: 7, error: 'odd' });
    const insert = (row: WebhookEventRow, account?: string) =>
      opened.do(({ webhookEvents }) => webhookEvents.insert(row), account);
    expectSame('a new event', await insert(first), true);
    expectSame('its id again', await insert(event('evt_1', { body: 'other' })), false);
    expectSame('its fact under another id', await insert(event('evt_2', { fact: 'sale 1' })), false);
    expectSame('another event', await insert(event('evt_3')), true);
    expectSame('another without a fact', await insert(event('evt_4')), true);
    expectSame('the same in another account', await insert(first, 'sandbox'), true);
    const stored = await opened.do(({ webhookEvents }) => webhookEvents.get('evt_1'));
    const { position: _, ownerSilentMs: __, ...rest } = stored ?? {};
    expectSame('what is read', rest, { ...first, attempts: 0, dueMs: 1_000, version: 1 });
    const list = await opened.do(({ webhookEvents }) => webhookEvents.list({ limit: 10 }));
    expectSame(
      'all of them',
      list.map(({ id }) => id),
      ['evt_1', 'evt_3', 'evt_4'],
    );
  },
  'webhookEvents: progress is saved only over the version that was read, and replaces all of it': async (
    opened,
  ) => {
    await opened.do(({ webhookEvents }) => webhookEvents.insert(event('evt_1')));
    const save = (version: number, progress: object) =>
      opened.do(({ webhookEvents }) => webhookEvents.update('evt_1', version, { ...pending, ...progress }));
    expectSame('over its version', await save(1, { owner: 'host/1#1', attempts: 1, error: 'down' }), true);
    expectSame('over an old version', await save(1, { state: 'handled' }), false);
    expectSame('over its next version', await save(2, { state: 'parked', attempts: 2 }), true);
    const stored = await opened.do(({ webhookEvents }) => webhookEvents.get('evt_1'));
    expectSame('the state', stored?.state, 'parked');
    expectSame('the owner', stored?.owner, undefined);
    expectSame('the error', stored?.error, undefined);
    expectSame('the version', stored?.version, 3);
  },
  'webhookEvents: what is pending and due comes in the order of arrival': async (opened) => {
    await opened.do(async ({ webhookEvents }) => {
      for (const id of ['z', 'late', 'a', 'parked']) await webhookEvents.insert(event(id));
      await webhookEvents.insert(event('odd', { state: 'misshapen' }));
      await webhookEvents.update('late', 1, { ...pending, dueMs: 9_000 });
      await webhookEvents.update('parked', 1, { ...pending, state: 'parked' });
    });
    const due = (now: number, limit: number) =>
      opened.do(async ({ webhookEvents }) => (await webhookEvents.due(now, limit)).map(({ id }) => id));
    expectSame('before', await due(999, 10), []);
    expectSame('at the moment', await due(1_000, 10), ['z', 'a']);
    expectSame('a page', await due(1_000, 1), ['z']);
    expectSame('later', await due(9_000, 10), ['z', 'late', 'a']);
    expectSame('the next', await opened.do(({ webhookEvents }) => webhookEvents.nextDue()), 1_000);
    const parked = await opened.do(({ webhookEvents }) => webhookEvents.list({ state: 'parked', limit: 10 }));
    expectSame(
      'by state',
      parked.map(({ id }) => id),
      ['parked'],
    );
  },
  'webhookEvents: owners, their silence, and versions are told for each resource': async (
    opened,
    setting,
  ) => {
    const { silenceMs } = setting;
    await opened.do(async ({ webhookEvents }) => {
      for (const [id, version] of [
        ['one', 2],
        ['two', 12],
        ['three', 1],
      ] as const) {
        await webhookEvents.insert(event(id, { resource: 'sal_1', resourceVersion: version }));
      }
      await webhookEvents.insert(event('other', { resource: 'sal_2', resourceVersion: 99 }));
      await webhookEvents.update('one', 1, { ...pending, owner: 'a#1' });
      await webhookEvents.update('two', 1, { ...pending, owner: 'b#1' });
    });
    await setting.pass(silenceMs);
    await opened.do(({ webhookEvents }) => webhookEvents.touchOwner('a#1'));
    const held = await opened.do(({ webhookEvents }) => webhookEvents.inHand('sal_1'));
    expectSame(
      'who is alive',
      held.map(({ id, owner, ownerSilentMs }) => [id, owner, ownerSilentMs < silenceMs]),
      [
        ['one', 'a#1', true],
        ['two', 'b#1', false],
      ],
    );
    const newest = (resource: string) =>
      opened.do(({ webhookEvents }) => webhookEvents.newestVersion(resource));
    expectSame('the newest version', await newest('sal_1'), 12);
    expectSame('of what is not there', await newest('sal_9'), undefined);
  },
  'webhookEvents: bodies of old handled events are dropped, the events stay': async (opened) => {
    await opened.do(async ({ webhookEvents }) => {
      for (const id of ['one', 'two', 'three']) await webhookEvents.insert(event(id));
      await webhookEvents.insert(event('young', { receivedMs: 5_000 }));
      for (const id of ['one', 'two', 'young'])
        await webhookEvents.update(id, 1, { ...pending, state: 'handled' });
    });
    const shrink = () => opened.do(({ webhookEvents }) => webhookEvents.shrink(5_000, 1));
    expectSame('three times', [await shrink(), await shrink(), await shrink()], [1, 1, 0]);
    const list = await opened.do(({ webhookEvents }) => webhookEvents.list({ limit: 10 }));
    expectSame(
      'what still has a body',
      list.map(({ id, body }) => [id, body !== '']),
      [
        ['one', false],
        ['two', false],
        ['three', true],
        ['young', true],
      ],
    );
  },
  'audit: entries stay in their order, by subject and account, and leave the sink once': async (opened) => {
    const entry = (about: string, phase: string) => ({ about, phase, key: 'k', atMs: 1, content: '{}' });
    await opened.do(async ({ audit }) => {
      await audit.append(entry('sal_1', 'before'));
      await audit.append(entry('sal_2', 'before'));
      await audit.append(entry('sal_1', 'after'));
    });
    await opened.do(({ audit }) => audit.append(entry('sal_1', 'elsewhere')), 'sandbox');
    const list = (query: { about?: string; after?: number; limit: number }) =>
      opened.do(({ audit }) => audit.list(query));
    const all = await list({ limit: 10 });
    const told = (rows: typeof all) => rows.map(({ about, phase }) => `${about} ${phase}`);
    expectSame('all', told(all), ['sal_1 before', 'sal_2 before', 'sal_1 after']);
    expectSame('of one', told(await list({ about: 'sal_1', limit: 10 })), ['sal_1 before', 'sal_1 after']);
    const [first, , last] = all.map(({ sequence }) => sequence);
    expectSame('after the first', told(await list({ after: first ?? 0, limit: 1 })), ['sal_2 before']);
    const unsunk = async (account?: string) =>
      told(await opened.do(({ audit }) => audit.unsunk(10), account));
    expectSame('for the sink', await unsunk(), told(all));
    await opened.do(({ audit }) => audit.setSunk(first ?? 0));
    expectSame('then', await unsunk(), told(all).slice(1));
    const end = (last ?? 0) + 100;
    await opened.do(({ audit }) => audit.setSunk(end));
    expectSame('at the end', await unsunk(), []);
    expectSame('of the other account', await unsunk('sandbox'), ['sal_1 elsewhere']);
  },
};
