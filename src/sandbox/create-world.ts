import { SandboxClock } from './clock.js';
import { Ids } from './ids.js';
import { Market } from './market.js';
import { Parties } from './parties.js';
import { Records } from './records.js';
import { type SeededAuction, seedAuctions } from './seed/auctions.js';
import { placeBids } from './seed/bids.js';
import { changeFacts, withCredentials } from './seed/credentials.js';
import { type SeededParties, seedParties } from './seed/parties.js';
import type { PartyName } from './seed/seed.js';
import type { Settings } from './settings.js';
import { Store } from './store.js';
import { Webhooks } from './webhooks/webhooks.js';
import { awardAtClose } from './workflow/awards.js';
import { Cases } from './workflow/cases.js';
import { openAtStart } from './workflow/openings.js';
import { Scanner } from './workflow/scanner.js';
import type { World } from './world.js';

/** Everything that a sandbox begins with. */
export function createWorld(settings: Settings): { world: World; parties: SeededParties } {
  const ids = new Ids(settings.seed, settings.variants['id-forms']);
  const store = new Store();
  const { plan } = settings;
  const seeded = seedAuctions(plan, settings.startAt, ids);
  for (const { auction, lots } of seeded) store.addAuction(auction, lots);
  const parties = withCredentials(
    seedParties(
      settings.environment,
      settings.allowedIps,
      (name) => seeded.filter((each) => isAssigned(each, name)).map((each) => each.auction.id),
      settings.startAt + yearMs,
    ),
    plan.credentials,
  );
  const clock = new SandboxClock(settings.clock, settings.startAt);
  const known = new Parties(Object.values(parties));
  const world: World = {
    settings,
    clock,
    ids,
    parties: known,
    store,
    records: new Records(settings.keepAttempts),
    cases: new Cases(),
    scanner: new Scanner(clock, settings.scanMs),
    webhooks: new Webhooks({
      clock,
      ids,
      parties: known,
      options: settings.webhooks,
      variants: settings.variants,
    }),
    market: new Market(),
    baseUrl: '',
  };
  for (const bids of seeded.flatMap((each) => each.bids)) placeBids(world, parties, bids);
  // What a seed says of the facts is so from now on: the bids before had their own time.
  changeFacts(parties, known, store, plan.credentials);
  for (const auction of store.auctions.values()) {
    openAtStart(world, auction);
    awardAtClose(world, auction);
  }
  return { world, parties };
}

function isAssigned({ assigned }: SeededAuction, name: PartyName): boolean {
  return typeof assigned === 'boolean' ? assigned : assigned.some((each) => each === name);
}

const yearMs = 365 * 24 * 3_600_000;
