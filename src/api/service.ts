import { bids } from './bids.js';
import { events } from './events.js';
import { integration } from './integration.js';
import { lots } from './lots.js';
import type { Resource } from './operation.js';

/** Every resource that has methods, in the order of the reference. */
export const resources: readonly Resource[] = [integration, events, lots, bids];
