import { auctionTests } from './auction-tests.js';
import type { Places } from './rule.js';
import { workflowTests } from './workflow-tests.js';

/** Tests of a method beside those that every method has. */
export const furtherTests: Readonly<Record<string, Places>> = { ...auctionTests, ...workflowTests };
