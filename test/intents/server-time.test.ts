import { describe, expect, it } from 'vitest';
import { iso, messageOnly, NOW } from '../support/bid-replies.js';
import { Scene, Wire } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { acknowledged, record, rows, unheard } from './desk.js';

/** Until a reply has told this process server time, no command is recorded, signed, resent, judged or deleted. */

const PROFILE = 'GET /integration/profile';
const ACKNOWLEDGMENT = 'POST /notifications/n_1/acknowledgments';
const body = { status: 'read', external_reference: 'x' } as const;

const profile = (aheadMs: number): Step => ({
  status: 200,
  json: { data: { client_id: 'cl_7f3a', environment: 'sandbox' }, server_time: iso(NOW + aheadMs) },
});

/** A client whose script answers A01, too. */
function untold(scene: Scene, steps: readonly Step[]) {
  const transport = new Wire(scene.events, steps);
  return { transport, client: scene.dealer([], { transport }).client };
}

describe('the first command of a process', () => {
  it('reads no A01 after any other reply, and the second command reads none', async () => {
    const scene = new Scene();
    const { client, transport } = untold(scene, [record(), record(), record()]);
    await scene.during(client.saleCases.get('sal_1'));
    await scene.during(client.notifications.acknowledge('n_1', body));
    await scene.during(client.notifications.acknowledge('n_1', body));
    expect(transport.lines).toEqual(['GET /sale-cases/sal_1', ACKNOWLEDGMENT, ACKNOWLEDGMENT]);
  });

  it('judges by server time whether it may be resent, though its machine is hours off', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { client, transport } = untold(scene, [profile(11 * 60_000)]);
    const call = client.notifications.acknowledge('n_1', body, { idempotencyKey: KEY });
    expect(await rejection(scene.during(call))).toMatchObject({ name: 'InDoubtError', reason: 'in_doubt' });
    expect(transport.lines).toEqual([PROFILE]);
  });
});

const versions = async (scene: Scene) =>
  (await rows(scene.store)).map(({ key, version, content }) => [key, version, content]);

describe('where A01 tells no time', () => {
  const refused = { name: 'NotSentError', reason: 'no_server_time', outcome: 'not_sent' };

  it.each([
    [
      'a command',
      (client: ReturnType<typeof untold>['client']) => client.notifications.acknowledge('n_1', body),
    ],
    [
      'runOnce',
      (client: ReturnType<typeof untold>['client']) => client.runOnce(['a'], () => Promise.resolve()),
    ],
    ['recover', (client: ReturnType<typeof untold>['client']) => client.recover({ resend: true })],
  ])('%s sends and changes nothing', async (_, call) => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const before = await versions(scene);
    const { client, transport } = untold(scene, Array<Step>(3).fill(messageOnly(403)));
    expect(await rejection(scene.during<unknown>(call(client)))).toMatchObject(refused);
    expect(new Set(transport.lines)).toEqual(new Set([PROFILE]));
    expect(await versions(scene)).toEqual(before);
  });

  it('a command ends with its abort and with its deadline, as any call', async () => {
    const scene = new Scene();
    const { client } = untold(scene, [{ hang: true }, { hang: true }]);
    const abort = new AbortController();
    const aborted = rejection(client.notifications.acknowledge('n_1', body, { signal: abort.signal }));
    const late = rejection(client.notifications.acknowledge('n_1', body, { deadline: 5_000 }));
    await scene.clock.advance(10);
    abort.abort(new Error('enough'));
    expect(await aborted).toMatchObject({ name: 'AbortedError', outcome: 'not_sent', operation: 'A75' });
    expect(await scene.during(late)).toMatchObject({
      name: 'TimeoutError',
      outcome: 'not_sent',
      operation: 'A75',
    });
    expect(scene.clock.monotonic()).toBeLessThan(6_000);
    expect(await rows(scene.store)).toEqual([]);
  });
});
