import type { WebhookEventRow, WebhookEventTable } from '../../store/tables.js';
import { type Cases, expectSame } from '../setting.js';

function event(id: string, changes: Partial<WebhookEventRow> = {}): WebhookEventRow {
  const fixed = { type: 'sale.approved', state: 'pending', source: 'webhook', receivedAt: 1_000 } as const;
  return { id, body: `{"id":"${id}"}`, ...fixed, ...changes };
}

const pending = { state: 'pending', attempts: 0, dueAt: 1_000 } as const;

const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);

const listOf = (table: WebhookEventTable) => table.list({ limit: 10 });

/** Cases about received events, the audit, and how far followers are. */
export const events: Cases = {
  'webhookEvents: an event is kept once for its id and once for its fact, in each account': async (
    opened,
  ) => {
    const first = event('evt_1', { fact: 'sale 1', resource: 'sal_1', resourceVersion: 7, error: 'odd' });
    const insert = (row: WebhookEventRow, account?: string) =>
      opened.do((tx) => tx.webhookEvents.insert(row), account);
    expectSame('a new event', await insert(first), true);
    expectSame('its id again', await insert(event('evt_1', { body: 'other' })), false);
    expectSame('its fact under another id', await insert(event('evt_2', { fact: 'sale 1' })), false);
    expectSame('another event', await insert(event('evt_3')), true);
    expectSame('another without a fact', await insert(event('evt_4')), true);
    expectSame('the same in another account', await insert(first, 'sandbox'), true);
    const stored = await opened.do((tx) => tx.webhookEvents.get('evt_1'));
    const { position: _, ownerSilence: __, ...rest } = stored ?? {};
    expectSame('what is read', rest, { ...first, attempts: 0, dueAt: 1_000, version: 1 });
    const all = await opened.do((tx) => listOf(tx.webhookEvents));
    expectSame('all of them', idsOf(all), ['evt_1', 'evt_3', 'evt_4']);
  },
  'webhookEvents: progress is saved only over the version that was read, and replaces all of it': async (
    opened,
  ) => {
    await opened.do((tx) => tx.webhookEvents.insert(event('evt_1')));
    const save = (version: number, progress: object) =>
      opened.do((tx) => tx.webhookEvents.update('evt_1', version, { ...pending, ...progress }));
    expectSame('over its version', await save(1, { owner: 'host/1#1', attempts: 1, error: 'down' }), true);
    expectSame('over an old version', await save(1, { state: 'handled' }), false);
    expectSame('over its next version', await save(2, { state: 'failed_permanently', attempts: 2 }), true);
    const stored = await opened.do((tx) => tx.webhookEvents.get('evt_1'));
    const found = [stored?.state, stored?.attempts, stored?.owner, stored?.error, stored?.version];
    expectSame('what is read', found, ['failed_permanently', 2, undefined, undefined, 3]);
  },
  'webhookEvents: pending events that are due come in the order of arrival': async (opened) => {
    await opened.do(async ({ webhookEvents }) => {
      for (const id of ['z', 'late', 'a', 'failed_permanently']) await webhookEvents.insert(event(id));
      await webhookEvents.insert(event('odd', { state: 'malformed' }));
      await webhookEvents.update('late', 1, { ...pending, dueAt: 9_000 });
      await webhookEvents.update('failed_permanently', 1, { ...pending, state: 'failed_permanently' });
    });
    const due = (now: number, limit: number, after = 0) =>
      opened.do(async (tx) => idsOf(await tx.webhookEvents.due(now, limit, after)));
    expectSame('before', await due(999, 10), []);
    expectSame('at the moment', await due(1_000, 10), ['z', 'a']);
    expectSame('a page', await due(1_000, 1), ['z']);
    const first = await opened.do((tx) => tx.webhookEvents.get('z'));
    expectSame('the page after it', await due(9_000, 1, first?.position), ['late']);
    expectSame('later', await due(9_000, 10), ['z', 'late', 'a']);
    expectSame('the next', await opened.do((tx) => tx.webhookEvents.nextDue()), 1_000);
    const dead = await opened.do((tx) => tx.webhookEvents.list({ state: 'failed_permanently', limit: 10 }));
    expectSame('by state', idsOf(dead), ['failed_permanently']);
  },
  'webhookEvents: only due times that a clock set too late are moved forward': async (opened) => {
    await opened.do(async ({ webhookEvents }) => {
      for (const id of ['soon', 'far', 'over']) await webhookEvents.insert(event(id));
      await webhookEvents.update('soon', 1, { ...pending, dueAt: 2_000 });
      await webhookEvents.update('far', 1, { ...pending, dueAt: 2_001, owner: 'a#1' });
      await webhookEvents.update('over', 1, { ...pending, dueAt: 9_000, state: 'handled' });
      await webhookEvents.hasten(2_000, 1_500);
    });
    const all = await opened.do((tx) => listOf(tx.webhookEvents));
    const due = all.map(({ id, dueAt, version, owner }) => [id, dueAt, version, owner]);
    expectSame('when they are due', due, [
      ['soon', 2_000, 2, undefined],
      ['far', 1_500, 2, 'a#1'],
      ['over', 9_000, 2, undefined],
    ]);
  },
  'webhookEvents: owners, their silence, and versions are reported for each resource': async (
    opened,
    setting,
  ) => {
    const { silenceMs } = setting;
    await opened.do(async ({ webhookEvents }) => {
      for (const [id, resourceVersion] of Object.entries({ one: 2, two: 12, three: 1 })) {
        await webhookEvents.insert(event(id, { resource: 'sal_1', resourceVersion }));
      }
      await webhookEvents.insert(event('other', { resource: 'sal_2', resourceVersion: 99 }));
      await webhookEvents.update('one', 1, { ...pending, owner: 'a#1' });
      await webhookEvents.update('two', 1, { ...pending, owner: 'b#1' });
    });
    await setting.pass(silenceMs);
    await opened.do((tx) => tx.webhookEvents.touchOwner('a#1'));
    const held = await opened.do((tx) => tx.webhookEvents.owned('sal_1'));
    const alive = held.map(({ id, owner, ownerSilence }) => [id, owner, ownerSilence < silenceMs]);
    expectSame('who is alive', alive, [
      ['one', 'a#1', true],
      ['two', 'b#1', false],
    ]);
    const newest = (resource: string) => opened.do((tx) => tx.webhookEvents.newestVersion(resource));
    expectSame('the newest versions', [await newest('sal_1'), await newest('sal_9')], [12, undefined]);
  },
  'webhookEvents: bodies of old handled events are dropped, the events stay': async (opened) => {
    await opened.do(async ({ webhookEvents }) => {
      for (const id of ['one', 'two', 'three']) await webhookEvents.insert(event(id));
      await webhookEvents.insert(event('young', { receivedAt: 5_000 }));
      for (const id of ['one', 'two', 'young'])
        await webhookEvents.update(id, 1, { ...pending, state: 'handled' });
    });
    const shrink = () => opened.do((tx) => tx.webhookEvents.shrink(5_000, 1));
    expectSame('three times', [await shrink(), await shrink(), await shrink()], [1, 1, 0]);
    const all = await opened.do((tx) => listOf(tx.webhookEvents));
    expectSame('all of them', idsOf(all), ['one', 'two', 'three', 'young']);
    const whole = all.filter(({ body }) => body !== '');
    expectSame('events with a body', idsOf(whole), ['three', 'young']);
  },
  'webhookEvents: old handled events are pruned whole, and no others': async (opened) => {
    await opened.do(async ({ webhookEvents }) => {
      for (const id of ['one', 'two', 'waits', 'failed']) await webhookEvents.insert(event(id));
      await webhookEvents.insert(event('young', { receivedAt: 5_000 }));
      for (const id of ['one', 'two', 'young'])
        await webhookEvents.update(id, 1, { ...pending, state: 'handled' });
      await webhookEvents.update('failed', 1, { ...pending, state: 'failed_permanently' });
      await webhookEvents.shrink(5_000, 1);
    });
    await opened.do((tx) => tx.webhookEvents.insert(event('elsewhere')), 'sandbox');
    const prune = () => opened.do((tx) => tx.webhookEvents.prune(5_000, 1));
    expectSame('three times', [await prune(), await prune(), await prune()], [1, 1, 0]);
    const left = await opened.do((tx) => listOf(tx.webhookEvents));
    expectSame('what is left', idsOf(left), ['waits', 'failed', 'young']);
    const isNew = await opened.do((tx) => tx.webhookEvents.insert(event('one')));
    expectSame('an id that was pruned is new', isNew, true);
  },
  'audit: old entries are pruned once a sink has taken them': async (opened) => {
    const entry = (about: string, at: number) => ({ about, phase: 'before', at, content: '{}' });
    await opened.do(async ({ audit }) => {
      for (const [about, at] of [
        ['one', 1],
        ['young', 100],
        ['two', 2],
        ['not taken', 3],
      ] as const)
        await audit.append(entry(about, at));
    });
    await opened.do((tx) => tx.audit.append(entry('elsewhere', 1)), 'sandbox');
    const list = async () => opened.do((tx) => tx.audit.list({ limit: 9 }));
    const third = (await list())[2]?.sequence ?? 0;
    await opened.do((tx) => tx.audit.setDelivered(third));
    const prune = () => opened.do((tx) => tx.audit.prune(100, 1));
    expectSame('three times', [await prune(), await prune(), await prune()], [1, 1, 0]);
    expectSame(
      'what is left',
      (await list()).map(({ about }) => about),
      ['young', 'not taken'],
    );
  },
  'audit: entries stay in their order, by subject and account, and leave the sink once': async (opened) => {
    const entry = (about: string, phase: string) => ({ about, phase, key: 'k', at: 1, content: '{}' });
    await opened.do(async ({ audit }) => {
      await audit.append(entry('sal_1', 'before'));
      await audit.append(entry('sal_2', 'before'));
      await audit.append(entry('sal_1', 'after'));
    });
    await opened.do((tx) => tx.audit.append(entry('sal_1', 'elsewhere')), 'sandbox');
    const list = (query: { about?: string; after?: number; limit: number }) =>
      opened.do((tx) => tx.audit.list(query));
    const all = await list({ limit: 10 });
    const told = (rows: typeof all) => rows.map(({ about, phase }) => `${about} ${phase}`);
    expectSame('all', told(all), ['sal_1 before', 'sal_2 before', 'sal_1 after']);
    const { sequence: first = 0, ...read } = all[0] ?? {};
    expectSame('what is read', read, entry('sal_1', 'before'));
    expectSame('of one', told(await list({ about: 'sal_1', limit: 10 })), ['sal_1 before', 'sal_1 after']);
    expectSame('after the first', told(await list({ after: first, limit: 1 })), ['sal_2 before']);
    const undelivered = async (account?: string) =>
      told(await opened.do((tx) => tx.audit.undelivered(10), account));
    expectSame('for the sink', await undelivered(), told(all));
    await opened.do((tx) => tx.audit.setDelivered(first));
    expectSame('then', await undelivered(), told(all).slice(1));
    await opened.do((tx) => tx.audit.setDelivered((all.at(-1)?.sequence ?? 0) + 100));
    expectSame('at the end', await undelivered(), []);
    expectSame('of the other account', await undelivered('sandbox'), ['sal_1 elsewhere']);
  },
  'cursors: a cursor is saved only over the version that was read, and all of it': async (opened) => {
    const save = (version: number, value?: string, owner = value && 'host/1#1', account?: string) =>
      opened.do((tx) => tx.cursors.save('winners', version, { value, owner }), account);
    const read = async () => {
      const { ownerSilence: _, ...rest } = (await opened.do((tx) => tx.cursors.get('winners'))) ?? {};
      return rest;
    };
    expectSame('nothing yet', await opened.do((tx) => tx.cursors.get('winners')), undefined);
    expectSame('over a version that is not there', await save(3, 'x'), false);
    expectSame('a new one', await save(0, 'one'), true);
    expectSame('a new one again', await save(0, 'other'), false);
    expectSame('over its version', await save(1, 'two'), true);
    expectSame('over an old version', await save(1, 'three'), false);
    expectSame('in another account', await save(0, 'elsewhere', 'host/2#1', 'sandbox'), true);
    expectSame('what is read', await read(), { value: 'two', version: 2, owner: 'host/1#1' });
    expectSame('without value and owner', await save(2), true);
    expectSame('what is read then', await read(), { version: 3 });
  },
  'cursors: only a heartbeat of the owner ends the silence of a cursor': async (opened, setting) => {
    await opened.do((tx) => tx.cursors.save('inbox', 0, { value: 'one', owner: 'host/1#1' }));
    await setting.pass(setting.silenceMs);
    const silent = async () => {
      const { ownerSilence = 0, version } = (await opened.do((tx) => tx.cursors.get('inbox'))) ?? {};
      return [ownerSilence >= setting.silenceMs, version];
    };
    await opened.do((tx) => tx.cursors.touchOwner('host/2#1'));
    expectSame('after a heartbeat of another owner', await silent(), [true, 1]);
    await opened.do((tx) => tx.cursors.touchOwner('host/1#1'));
    expectSame('after its own heartbeat', await silent(), [false, 1]);
  },
};
