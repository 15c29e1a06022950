import { releases } from '../../api/releases.js';
import { saleCases } from '../../api/sale-cases.js';
import { type Call, type Handler, param } from '../call.js';
import { rupees } from '../money.js';
import { type Reply, read } from '../replies.js';
import type { Vehicle } from '../seed/vehicles.js';
import { mustBeApproved, saleInPath } from '../workflow/asked-sale.js';
import { mustStand } from '../workflow/availability.js';
import { find } from '../workflow/cases.js';
import { fresh, touchSale } from '../workflow/changes.js';
import { mustBeParties } from '../workflow/command-values.js';
import { carryOutOnce, conflict, expectVersion, unfit } from '../workflow/commands.js';
import { openDispute } from '../workflow/dispute-moves.js';
import type { Release, Sale } from '../workflow/entities.js';
import { readyEvidence } from '../workflow/evidence.js';
import { duesOf, isAskedBack } from '../workflow/funds.js';
import { mustNotBeHeld } from '../workflow/holds.js';
import { moveRelease, releasesOf, revokeRelease, tellOfRelease } from '../workflow/release-moves.js';
import { vehicleStatusChanged } from '../workflow/vehicle-status.js';
import { releaseView } from '../workflow/views.js';
import type { World } from '../world.js';

const { operations } = releases;

/** A52 to A56: releasing a vehicle, taking the release back, and its collection. */
export const releaseHandlers: Readonly<Record<string, Handler>> = {
  [saleCases.operations.authorizeRelease.id]: authorize,
  [operations.get.id]: (call) => read(call, releaseView(releaseOf(call))),
  [operations.revoke.id]: revoke,
  [operations.collect.id]: collect,
};

function authorize(call: Call): Reply {
  return carryOutOnce(call, saleCases.operations.authorizeRelease.body, (body) => {
    const { world } = call;
    const sale = saleInPath(call);
    expectVersion(sale, body.expected_version);
    mustBeApproved(sale);
    mustNotBeHeld(world, sale, 'release');
    if (sale.acknowledgedAt === undefined) throw conflict('The buyer has not acknowledged the sale yet.');
    mustStand(sale);
    mustBePaid(world, sale);
    mustBeParties(world, { recipient: body.recipient, yard: body.yard });
    const before = releasesOf(world.cases, sale);
    if (before.some(({ state }) => state === 'used')) throw conflict('The vehicle is collected already.');
    if (before.some(({ state }) => state === 'valid')) throw conflict('The vehicle is released already.');
    const expiresAt = Date.parse(body.expires_at);
    if (expiresAt <= call.now()) throw unfit('expires_at', 'A release can not lapse in the past.');
    const release: Release = {
      ...fresh(world, 'rel', 'release', 'valid', sale.owner),
      sale,
      recipient: body.recipient,
      yard: body.yard,
      expiresAt: body.expires_at,
      collectionDate: body.collection_date,
      revocationReason: undefined,
      collection: undefined,
    };
    world.cases.releases.set(release.id, release);
    touchSale(world, sale);
    vehicleStatusChanged(world, sale, 'released');
    world.clock.schedule(expiresAt - call.now(), () => lapse(world, release));
    tellOfRelease(world, release, 'release.authorized', `may be collected until ${release.expiresAt}`);
    return committed(release);
  });
}

function revoke(call: Call): Reply {
  return carryOutOnce(call, operations.revoke.body, (body) => {
    const { world } = call;
    const release = releaseOf(call);
    expectVersion(release, body.expected_version);
    if (release.state === 'used' && world.settings.variants['release-used-revocation'] === 'dispute') {
      openException(world, release, body.reason);
      return committed(release);
    }
    mustBeValid(call, release);
    revokeRelease(world, release, body.reason ?? null);
    return committed(release);
  });
}

/** The exception that is opened where a vehicle is gone already; where it is found is not shown: here, as a dispute. */
function openException(world: World, { sale }: Release, reason: string | undefined): void {
  const isOpen = [...world.cases.disputes.values()].some(
    (each) => each.sale === sale && each.state === 'open' && each.reasonCode === lateRevocation,
  );
  if (isOpen) throw conflict('The exception of this release is open already.');
  openDispute(world, sale, { reasonCode: lateRevocation, explanation: reason, evidenceId: null });
}

/** Uses the release up. All that it rests on is looked at again. */
function collect(call: Call): Reply {
  return carryOutOnce(call, operations.collect.body, (body) => {
    const { world } = call;
    const release = releaseOf(call);
    const { sale } = release;
    expectVersion(release, body.expected_version);
    mustBeValid(call, release);
    mustNotBeHeld(world, sale, 'collection');
    mustStand(sale);
    mustBePaid(world, sale);
    mustBeParties(world, { collector: body.collector, vehicle_identity: body.vehicle_identity });
    if (!identifies(body.vehicle_identity, sale.lot.vehicle)) {
      throw unfit('vehicle_identity', 'Neither the registration nor the chassis number of the vehicle.');
    }
    const evidenceId = readyEvidence(call, sale, body.evidence_id);
    release.collection = {
      collector: body.collector,
      vehicleIdentity: body.vehicle_identity,
      evidenceId,
    };
    moveRelease(world, release, 'used');
    tellOfRelease(world, release, 'vehicle.collected', 'is collected');
    return committed(release);
  });
}

function releaseOf(call: Call): Release {
  return find(call.party, call.world.cases.releases, param(call, 'release'));
}

function mustBeValid(call: Call, release: Release): void {
  const { state, expiresAt } = release;
  if (state === 'used') throw conflict('The release is used: the vehicle is collected.');
  if (state !== 'valid') throw conflict(`The release is not valid: it is ${state}.`);
  // On a real clock the timer that ends it may come a moment late.
  if (Date.parse(expiresAt) <= call.now()) throw conflict('The release has lapsed.');
}

function mustBePaid({ cases }: World, sale: Sale): void {
  const { remaining } = duesOf(cases, sale);
  if (remaining > 0n) throw conflict(`INR ${rupees(remaining)} of the sale are not paid and allocated yet.`);
  if (isAskedBack(cases, sale)) {
    throw conflict('Money of the sale is asked back, and the bank has not decided that yet.');
  }
}

/** Whether a text, or one value of an object, is a number of the vehicle; spaces and case don't count. */
function identifies(identity: string | Readonly<Record<string, unknown>>, vehicle: Vehicle): boolean {
  const numbers = [vehicle.registrationNumber, vehicle.bankFields['Chassis Number']].map(plain);
  const given = typeof identity === 'string' ? [identity] : Object.values(identity);
  return given.map(plain).some((text) => text !== '' && numbers.includes(text));
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s/g, '').toLowerCase() : '';
}

function lapse(world: World, release: Release): void {
  if (release.state !== 'valid') return;
  moveRelease(world, release, 'expired');
  tellOfRelease(world, release, 'release.expired', 'was not collected in time');
}

function committed(release: Release) {
  return { record: release, view: releaseView(release), sale: release.sale };
}

const lateRevocation = 'revoked_after_collection';
