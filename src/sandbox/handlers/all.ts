import type { Handler } from '../call.js';
import { bidHandlers } from './bids.js';
import { eventHandlers } from './events.js';
import { integrationHandlers } from './integration.js';
import { lotHandlers } from './lots.js';

/** Operation id to what carries it out. */
export const handlers: ReadonlyMap<string, Handler> = new Map(
  [integrationHandlers, eventHandlers, lotHandlers, bidHandlers].flatMap((group) => Object.entries(group)),
);
