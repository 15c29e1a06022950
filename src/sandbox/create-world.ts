import { SandboxClock } from './clock.js';
import { Ids } from './ids.js';
import { Parties } from './parties.js';
import { Records } from './records.js';
import { seedAuctions } from './seed/auctions.js';
import { type SeededParties, seedParties } from './seed/parties.js';
import type { Settings } from './settings.js';
import { Store } from './store.js';
import { awardAtClose } from './workflow/awards.js';
import { Cases } from './workflow/cases.js';
import { openAtStart } from './workflow/openings.js';
import { Scanner } from './workflow/scanner.js';
import type { World } from './world.js';

/** Everything that a sandbox begins with. */
export function createWorld(settings: Settings): { world: World; parties: SeededParties } {
  const ids = new Ids(settings.seed);
  const store = new Store();
  const seeded = seedAuctions(settings.seed, settings.startAt, ids);
  for (const { auction, lots } of seeded) store.addAuction(auction, lots);
  const assigned = seeded.filter((each) => each.assigned).map((each) => each.auction.id);
  const parties = seedParties(settings.environment, settings.allowedIps, assigned, settings.startAt + yearMs);
  const clock = new SandboxClock(settings.clock, settings.startAt);
  const world: World = {
    settings,
    clock,
    ids,
    parties: new Parties(Object.values(parties)),
    store,
    records: new Records(),
    cases: new Cases(),
    scanner: new Scanner(clock, settings.scanMs),
    baseUrl: '',
  };
  for (const auction of store.auctions.values()) {
    openAtStart(world, auction);
    awardAtClose(world, auction);
  }
  return { world, parties };
}

const yearMs = 365 * 24 * 3_600_000;
