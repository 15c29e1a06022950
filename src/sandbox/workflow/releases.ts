import { releases } from '../../api/releases.js';
import { saleCases } from '../../api/sale-cases.js';
import { touchLot, type Vehicle } from '../auctions/store.js';
import type { Answered } from '../http/call.js';

import type { World } from '../world.js';
import { type Command, command } from './engine.js';
import { mustBePaid } from './guards.js';
import { announce, moveVehicle } from './news.js';
import { conflict, momentIn, type Rec, unfit } from './records.js';

const sales = saleCases.operations;

/** Releasing a vehicle, taking the release back, its collection, and the transfer of its ownership. */
export const releaseCommands: readonly Answered[] = [
  command({
    op: sales.authorizeRelease,
    approved: 'now',
    held: 'release',
    future: 'expires_at',
    check: ({ flow, sale }) => {
      if (sale.data['acknowledged_at'] === null)
        throw conflict('The buyer has not acknowledged the sale yet.');
      mustBePaid(flow, sale);
      for (const { state } of flow.of('release', sale)) {
        if (state === 'used') throw conflict('The vehicle is collected already.');
        if (state === 'valid') throw conflict('The vehicle is released already.');
      }
    },
    makes: 'release',
    to: 'valid',
    counts: 'on',
    effect: ({ world, call, body }, release) =>
      void world.clock.schedule(Date.parse(body.expires_at) - call.now(), () => {
        if (release.state === 'valid') moveRelease(world, release, 'expired');
      }),
    news: 'release.authorized',
    words: ({ on }, { data }) => `of sale ${on.id} may be collected until ${String(data['expires_at'])}`,
  }),
  command({
    op: releases.operations.revoke,
    from: 'valid',
    check: mustNotHaveLapsed,
    to: 'revoked',
    counts: 'lot',
    effect: ({ world, sale }) => moveVehicle(world, sale, 'sold'),
    news: 'release.revoked',
  }),
  command({
    op: releases.operations.collect,
    from: 'valid',
    held: 'collection',
    check: (given) => {
      const { flow, sale, body } = given;
      mustNotHaveLapsed(given);
      mustBePaid(flow, sale);
      if (!identifies(body.vehicle_identity, sale.lot.vehicle)) {
        throw unfit('vehicle_identity', 'Neither the registration nor the chassis number of the vehicle.');
      }
    },
    to: 'used',
    counts: 'lot',
    effect: ({ world, sale }) => moveVehicle(world, sale, 'collected'),
    news: 'vehicle.collected',
    words: ({ sale }) => `is used: the vehicle of sale ${sale.id} is collected`,
  }),
  command({
    op: sales.updateTransfer,
    approved: 'now',
    held: 'transfer',
    past: 'occurred_at',
    check: ({ flow, sale, body }) => {
      const state = flow.of('transfer', sale).at(-1)?.state;
      if (state === 'completed' || state === 'rejected') throw conflict(`The transfer is ${state} already.`);
      if (!transferStates.includes(body.status)) {
        throw unfit('status', `The status is one of ${transferStates.join(', ')}.`);
      }
    },
    makes: 'transfer',
    counts: 'on',
    data: () => ({ verification: 'operator_reported', government_verified: false }),
    news: 'transfer.updated',
    words: ({ on }, { state }) => `of sale ${on.id} is reported ${state}`,
  }),
];

/** Ends a release that nobody used, by time or with its sale. */
export function moveRelease(world: World, release: Rec, state: 'revoked' | 'expired', reason?: string): void {
  const { sale } = release;
  release.state = state;
  if (reason !== undefined) release.data['reason'] = reason;
  world.flow.touch(release);
  if (sale !== undefined) {
    touchLot(world.clock, sale.lot);
    moveVehicle(world, sale, 'sold');
  }
  announce(world, `release.${state}`, release, `is ${state}`);
}

/** On a real clock the timer that ends it may come a moment late. */
function mustNotHaveLapsed({ on, call }: Command<unknown>): void {
  if (momentIn(on.data, 'expires_at') <= call.now()) throw conflict('The release has lapsed.');
}

/** Whether a text, or one value of an object, is a number of the vehicle; spaces and case don't count. */
function identifies(identity: string | Readonly<Record<string, unknown>>, vehicle: Vehicle): boolean {
  const numbers = [vehicle.details.registration_number, vehicle.bankFields['Chassis Number']].map(plain);
  const given = typeof identity === 'string' ? [identity] : Object.values(identity);
  return given.map(plain).some((text) => text !== '' && numbers.includes(text));
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s/g, '').toLowerCase() : '';
}

const transferStates = ['submitted', 'pending_documents', 'completed', 'rejected'];
