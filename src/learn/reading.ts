import type { Probe } from './probe.js';
import { at, itemsOf, seen } from './probe.js';

/** Probes that read what everybody can read: profile, catalogue, lists. */
export const readingProbes: readonly Probe[] = [
  {
    id: 'lookup-unknown-key',
    by: 'reading',
    actor: 'partner',
    assumes: { 'state of an unused key': ['absent'] },
    async *observe(ask) {
      const reply = await ask.get(`/bid-requests/${ask.uuid()}`);
      if (reply === undefined) return;
      const state = at(reply.body, 'data.state');
      if (reply.status === 404) yield seen('state of an unused key', '404', reply);
      else if (typeof state === 'string') yield seen('state of an unused key', state, reply, { state });
    },
  },
  {
    id: 'page-past-the-end',
    by: 'reading',
    assumes: { 'page past the last': ['an empty page'] },
    async *observe(ask) {
      for (const [path, query] of [
        ['/events', { status: 'all' }],
        ['/lots', {}],
      ] as const) {
        const last = at((await ask.get(path, query))?.body, 'last_page');
        if (typeof last !== 'number') continue;
        const reply = await ask.get(path, { ...query, page: last + 7 });
        if (reply === undefined) continue;
        const { status } = reply;
        if (status === 403) continue;
        const finding =
          status >= 400 ? String(status) : itemsOf(reply).length === 0 ? 'an empty page' : 'records';
        yield seen(
          'page past the last',
          finding,
          reply,
          status < 400 ? { records: itemsOf(reply).length } : undefined,
        );
      }
    },
  },
  {
    id: 'webhook-operative',
    by: 'reading',
    assumes: { 'webhooks.enabled': ['false'] },
    async *observe(ask) {
      const reply = await ask.get('/integration/capabilities');
      const enabled = at(reply?.body, 'data.webhooks.enabled');
      if (reply !== undefined && typeof enabled === 'boolean')
        yield seen('webhooks.enabled', String(enabled), reply, { webhooks: { enabled } });
    },
  },
];
