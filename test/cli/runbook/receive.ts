import { expect } from 'vitest';
import type { WebhookState } from '../../../src/store/tables.js';
import { SpyStore } from '../../support/spy-store.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { approval, deliveryOf, receiverWith } from '../../webhooks/delivery.js';
import { Duty, Program } from './duty.js';

/** Webhook events that wait for a person or a program, by their state, and how each ends. */

interface Received {
  readonly build: (duty: Duty) => Promise<unknown>;
  /** Commands about the event, and their exit codes. */
  readonly typed: readonly (readonly [command: string, code: number])[];
  /** Whether its handler runs in the end, in a receiver that is started then. */
  readonly isHandled: boolean;
}

/** Absent where nobody has to do anything. */
export const received: Readonly<Record<WebhookState, Received | undefined>> = {
  failed_permanently: {
    build: (duty) =>
      receive(duty, approval('evt_1'), () => {
        throw new Error('the ledger is closed');
      }),
    typed: [['retry', 0]],
    isHandled: true,
  },
  malformed: {
    build: (duty) => receive(duty, { id: 'evt_odd', type: 'sale.approved' }),
    typed: [
      ['retry', 1],
      ['dismiss', 0],
    ],
    isHandled: false,
  },
  // Its receiver died while the handler ran.
  pending: {
    build: async (duty) => {
      const program = new Program();
      const store = new SpyStore([], duty.store(program.process));
      const handle = () => new Promise<never>(() => undefined);
      const { clock, take } = receiverWith({ on: { '*': handle } }, store);
      await take(approval('evt_1'));
      await clock.advance(1_000);
      await program.end();
    },
    typed: [
      ['retry', 1],
      ['dismiss', 1],
    ],
    isHandled: true,
  },
  handled: undefined,
};

async function receive(duty: Duty, event: object, handle: () => void = () => undefined): Promise<void> {
  const { receiver } = receiverWith({ maxAttempts: 1, on: { '*': handle } }, duty.store());
  await receiver.receive(deliveryOf(event));
  await receiver.idle();
  await receiver.close();
}

/** @returns what the store has shown */
export async function endsByCommands({ build, typed, isHandled }: Received): Promise<ReadonlySet<string>> {
  await using duty = await Duty.begin();
  await build(duty);
  const { code, json } = await duty.types('dealer', 'webhook', 'events');
  expect([code, json.length]).toEqual([0, 1]);
  const id = String(json[0]?.['id']);
  expect((await duty.types('dealer', 'webhook', 'events', id)).json[0]).toHaveProperty('body');
  for (const [command, exit] of typed) {
    const reason = command === 'dismiss' ? ['--reason', 'The bank sent it again'] : [];
    const { code: ended, err } = await duty.types('dealer', 'webhook', command, id, ...reason, '--yes');
    expect([command, ended, err]).toEqual([command, exit, expect.any(String)]);
  }
  const clock = new VirtualClock(Date.now());
  const { receiver, seen } = receiverWith({ clock }, duty.store());
  await clock.advance(1_000);
  await receiver.idle();
  await receiver.close();
  expect(seen).toEqual(isHandled ? [id] : []);
  expect((await duty.types('dealer', 'webhook', 'events')).json).toEqual([]);
  return duty.seen;
}
