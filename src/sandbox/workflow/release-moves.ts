import type { World } from '../world.js';
import type { Cases } from './cases.js';
import { touch, touchLot } from './changes.js';
import type { Release, Sale } from './entities.js';
import { announce } from './notices.js';
import { vehicleStatusChanged } from './vehicle-status.js';

/** Every release of a sale, oldest first. */
export function releasesOf({ releases }: Pick<Cases, 'releases'>, sale: Sale): Release[] {
  return [...releases.values()].filter((release) => release.sale === sale);
}

/** Whether the vehicle of a sale is with its buyer. */
export function isDelivered(cases: Pick<Cases, 'releases'>, sale: Sale): boolean {
  return releasesOf(cases, sale).some(({ state }) => state === 'used');
}

/** Takes a valid release back, by itself or with the sale. */
export function revokeRelease(world: World, release: Release, reason: string | null): void {
  release.revocationReason = reason;
  moveRelease(world, release, 'revoked');
  tellOfRelease(world, release, 'release.revoked', 'may not be collected any more');
}

export function moveRelease(world: World, release: Release, state: Release['state']): void {
  release.state = state;
  touch(world, release);
  touchLot(world, release.sale.lot);
  vehicleStatusChanged(world, release.sale, state === 'used' ? 'collected' : 'sold');
}

export function tellOfRelease(world: World, release: Release, type: string, words: string): void {
  const { sale } = release;
  const subject = `Release ${release.id}: ${sale.lot.vehicle.title} of sale ${sale.id} ${words}`;
  announce(world, type, release, subject);
}
