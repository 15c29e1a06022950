export type { PartnerType } from '../api/operation.js';
export type {
  ApprovalOptions,
  BankActor,
  BuyerActor,
  OfferOptions,
  ReceivedPayment,
  TransferOptions,
} from './actors/bank-and-buyer.js';
export { ActorRefusedError } from './actors/perform.js';
export {
  type FollowOptions,
  type Rival,
  type RivalBid,
  RivalBidError,
  type RivalHandle,
  type RivalLogEntry,
} from './actors/rival.js';
export type { AddedAuction, AuctionControls, AuctionInfo } from './auctions/controls.js';
export type { SandboxClock } from './clock.js';
export type { Deployment, Habits } from './deployment/habits.js';
export type { Fault, FaultPlan } from './faults/faults.js';
export type { LedgerEntry, SandboxAttempt } from './http/attempts.js';
export type { LotMedia } from './media.js';
export type { ReplyContext, ReplyHook, SandboxOptions } from './options.js';
export type { AccessFacts, SandboxCredentials } from './parties.js';
export type { WireRecord } from './records.js';
export type {
  PartnerName,
  PartyName,
  SandboxSeed,
  SeedAuction,
  SeedBid,
  SeedCredentials,
  SeedLot,
  SeedVehicle,
} from './seed/seed.js';
export { type Sandbox, startSandbox } from './start.js';
export type { Moment } from './times.js';
export type { Variants } from './variants.js';
export type { Tamper } from './webhooks/post.js';
export type {
  SubscribeOptions,
  SyntheticEvent,
  WebhookAttempt,
  WebhookDelivery,
  WebhookOptions,
  WebhookSubscription,
  Webhooks,
} from './webhooks/webhooks.js';
export type { ScannedFile, Scanner, ScanResult } from './workflow/scanner.js';
