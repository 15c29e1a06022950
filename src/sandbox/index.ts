export type { PartnerType } from '../api/operation.js';
export type { SandboxClock } from './clock.js';
export { type AuctionControls, type AuctionInfo, type Rival, RivalBidError } from './controls.js';
export type { Fault, FaultPlan } from './faults.js';
export type { AccessFacts, SandboxCredentials } from './parties.js';
export type { Attempt, LedgerEntry } from './records.js';
export type { SandboxOptions, Variants } from './settings.js';
export { type Sandbox, startSandbox } from './start.js';
export type { Moment } from './times.js';
