import { API_PREFIX } from '../api/common.js';
import { blockList } from './access.js';
import { AuctionControls } from './controls.js';
import { createWorld } from './create-world.js';
import { fetchThrough } from './fetch-door.js';
import { openHttpDoor } from './http-door.js';
import type { Party, SandboxCredentials } from './parties.js';
import { Rival } from './rival.js';
import type { Sandbox } from './sandbox.js';
import { Service } from './service.js';
import { type SandboxOptions, settle } from './settings.js';
import type { Handle } from './wire.js';

/**
 * Starts a sandbox on a free port of 127.0.0.1, unless told otherwise. Its server keeps the process alive until
 * `close()`.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settle(options);
  blockList(settings.allowedIps ?? []);
  const { world, parties } = createWorld(settings);
  const service = new Service(world);
  const handle: Handle = (wire) => service.handle(wire);
  const door = await openHttpDoor(handle, settings);
  world.baseUrl = `${door.origin}${settings.prefix}${API_PREFIX}`;
  let closing: Promise<void> | undefined;
  const shut = () => {
    service.close();
    world.clock.stop();
    return door.close();
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
      otherBank: credentialsOf(parties.otherBank),
      rival: credentialsOf(parties.rival),
    },
    partners: {
      get: (clientId) => world.parties.facts(clientId),
      update: (clientId, change) => {
        blockList(change.allowedIps ?? []);
        world.parties.update(clientId, change);
      },
    },
    auctions: new AuctionControls(world),
    rival: new Rival(world, parties.rival),
    scanner: world.scanner,
    inject: (plan) => service.inject(plan),
    ledger: () => world.records.ledger(),
    attempts: () => world.records.attempts(),
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
