import { API_PREFIX } from '../api/common.js';
import { blockList } from './addresses.js';
import { AuctionControls } from './controls.js';
import { createWorld } from './create-world.js';
import { fetchThrough } from './fetch-door.js';
import { BankHand } from './hands/bank.js';
import { BuyerHand } from './hands/buyer.js';
import { DisputeControls } from './hands/disputes.js';
import { InventoryControls } from './hands/inventory.js';
import { RefundControls } from './hands/refunds.js';
import { TransferControls } from './hands/transfers.js';
import { type HttpDoor, openHttpDoor } from './http-door.js';
import { withInspector } from './inspector/inspector.js';
import { rotateKey } from './key-rotation.js';
import { mswHandlers } from './msw-door.js';
import type { Party, SandboxCredentials } from './parties.js';
import { Rival } from './rivals/rival.js';
import type { Sandbox } from './sandbox.js';
import { Service } from './service.js';
import { type SandboxOptions, settle } from './settings.js';
import type { Handle } from './wire.js';

/**
 * Starts a sandbox on a free port of 127.0.0.1, unless told otherwise. Its server keeps the process alive until
 * `close()`. Rejects with a RangeError for options that can't be meant, and with the error of the system where it can't
 * listen.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settle(options);
  blockList(settings.allowedIps ?? []);
  const { world, parties } = createWorld(settings);
  const service = new Service(world);
  const handle: Handle = (wire) => service.handle(wire);
  const rest = () => {
    service.close();
    world.webhooks.close();
    world.clock.stop();
  };
  const auctions = new AuctionControls(world, parties);
  const rival = new Rival(world, parties.rival);
  const partners: Sandbox['partners'] = {
    get: (clientId) => world.parties.facts(clientId),
    update: (clientId, change) => world.parties.update(clientId, change),
    rotateKey: (clientId) => {
      const party = world.parties.known(clientId);
      rotateKey(world, party);
      return credentialsOf(party);
    },
  };
  const hands = { auctions, rival, partners, bank: new BankHand(world), buyer: new BuyerHand(world) };
  const inspected = { world, parties: { ...parties }, ...hands, faults: service };
  const outside = settings.inspector ? withInspector(handle, inspected) : handle;
  let door: HttpDoor | undefined;
  try {
    door = settings.listen ? await openHttpDoor(outside, settings) : undefined;
  } catch (error) {
    rest();
    throw error;
  }
  world.baseUrl = `${settings.origin ?? door?.origin ?? ''}${settings.prefix}${API_PREFIX}`;
  let closing: Promise<void> | undefined;
  const shut = async () => {
    rest();
    await door?.close();
  };
  const close = () => {
    closing ??= shut();
    return closing;
  };
  return {
    baseUrl: world.baseUrl,
    clock: world.clock,
    credentials: {
      dealer: credentialsOf(parties.dealer),
      platform: credentialsOf(parties.platform),
      aggregator: credentialsOf(parties.aggregator),
      bank: credentialsOf(parties.bank),
      bankChecker: credentialsOf(parties.bankChecker),
      otherBank: credentialsOf(parties.otherBank),
      rival: credentialsOf(parties.rival),
    },
    ...hands,
    scanner: world.scanner,
    refunds: new RefundControls(world),
    disputes: new DisputeControls(world),
    webhooks: world.webhooks,
    transfers: new TransferControls(world),
    inventory: new InventoryControls(world),
    inject: (plan) => service.inject(plan),
    ledger: () => world.records.ledger(),
    attempts: () => world.records.attempts(),
    handlers: () => mswHandlers(handle, world.baseUrl),
    fetch: (input, init) => fetchThrough(handle, new Request(input, init)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function credentialsOf(party: Party): SandboxCredentials {
  const { clientId, keyId, signingSecret, partnerType, facts } = party;
  return Object.freeze({
    clientId,
    keyId,
    signingSecret,
    environment: facts.environment,
    ...(partnerType !== null && { partnerType }),
    ...(facts.dealerId !== null && { dealerId: facts.dealerId }),
  });
}
