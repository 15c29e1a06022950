import { contentOf, type IntentContent } from '../../src/intents/content.js';
import type { MutationOptions } from '../../src/ports/caller.js';
import type { StoredIntent } from '../../src/store/intents.js';
import type { Store } from '../../src/store/store.js';
import { iso, NOW } from '../support/bid-replies.js';
import type { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** What tests of recorded commands share: A75, which has no version, and A23, which has one. */

/** It left, and nothing came back. */
export const unheard: Step = { fail: 'maybe' };

/** The reply to a command that took effect. */
export function record(over: object = {}): Step {
  const data = {
    id: 'rec_1',
    kind: 'a_kind',
    state: 'a_state',
    resource_version: 2,
    data: { vehicle_id: 'v', inventory_version: 1, status: 'completed' },
    created_at: '2026-03-02T06:00:00+00:00',
    updated_at: '2026-03-02T06:00:00+00:00',
    ...over,
  };
  return { status: 200, json: { data, request_id: 'req_1', server_time: iso(NOW) } };
}

export function replayed(over: object = {}): Step {
  return { ...record(over), headers: { 'idempotent-replayed': 'true' } };
}

type Options = Parameters<Scene['dealer']>[1];

/** One call of a command without version (A75), in a client of its own. */
export async function acknowledged(
  scene: Scene,
  steps: readonly Step[],
  options: MutationOptions = {},
  { client: clientOptions, ...over }: { client?: Options; external_reference?: string } = {},
) {
  const { client, transport } = scene.dealer(steps, clientOptions);
  const body = { status: 'read', external_reference: 'x', ...over } as const;
  const result = await scene.during(
    client.notifications
      .acknowledge('n_1', body, { idempotencyKey: KEY, maxAttempts: 1, ...options })
      .catch((error: unknown) => error),
  );
  return { result, transport, client };
}

/** One call of a command with a version (A23). */
export async function accepted(
  scene: Scene,
  steps: readonly Step[],
  { version = 3, key = KEY, maxAttempts = 1 } = {},
) {
  const { client, transport } = scene.dealer(steps);
  const body = { terms_version: 't1', expected_version: version };
  const result = await scene.during(
    client.saleCases
      .acknowledge('sal_1', body, { idempotencyKey: key, maxAttempts })
      .catch((error: unknown) => error),
  );
  return { result, transport, client };
}

/** The row under a key, and what is in it. */
export async function stored(
  store: Store,
  key = KEY,
  account = 'sandbox',
): Promise<(StoredIntent & { readonly parsed: IntentContent }) | undefined> {
  const found = await store.transaction(account, (tx) => tx.intents.get(key));
  return found === undefined ? undefined : { ...found, parsed: contentOf(found) };
}

/** Every row of an account. */
export function rows(store: Store, account = 'sandbox'): Promise<readonly StoredIntent[]> {
  return store.transaction(account, (tx) => tx.intents.list({ which: 'all', limit: 1_000 }));
}
