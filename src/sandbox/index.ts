export type { PartnerType } from '../api/operation.js';
export type { AddedAuction } from './added-auction.js';
export type { Attempt } from './attempt.js';
export type { SandboxClock } from './clock.js';
export type { AuctionControls, AuctionInfo } from './controls.js';
export type { Fault, FaultPlan } from './faults.js';
export type { ApprovalTerms, BankHand, OfferTerms, ReleaseTerms } from './hands/bank.js';
export type { BuyerHand, ReportTerms } from './hands/buyer.js';
export { HandRefusedError, type WireRecord } from './hands/carrying-out.js';
export type { DisputeControls, DisputeInfo } from './hands/disputes.js';
export type { InventoryControls, InventoryInfo } from './hands/inventory.js';
export type { RefundControls, RefundInfo } from './hands/refunds.js';
export type { ReceiptTerms, Received } from './hands/till.js';
export type { TransferControls } from './hands/transfers.js';
export type { LotMedia } from './media/lot-media.js';
export type { AccessFacts, SandboxCredentials } from './parties.js';
export type { LedgerEntry } from './records.js';
export type { RivalHandle, RivalLogEntry } from './rivals/log.js';
export type { FollowOptions, Strategy } from './rivals/manner.js';
export { type Rival, type RivalBid, RivalBidError } from './rivals/rival.js';
export type { ScriptedBid } from './rivals/script.js';
export type { Sandbox } from './sandbox.js';
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
export type { SandboxOptions } from './settings.js';
export { startSandbox } from './start.js';
export type { Moment } from './times.js';
export type { Variants } from './variants.js';
export type { WebhookAttempt, WebhookDelivery, WebhookSubscription } from './webhooks/delivery.js';
export type { WebhookOptions } from './webhooks/options.js';
export type { Tamper } from './webhooks/signed-headers.js';
export type { MadeUpEvent, Subscribing, Webhooks } from './webhooks/webhooks.js';
export type { ScannedFile, Scanner, ScanResult } from './workflow/scanner.js';
