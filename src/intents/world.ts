import type { Actor, PartnerType } from '../api/operation.js';
import { responseOf } from '../core/reply/reply.js';
import type { CallContext } from '../errors/base.js';
import { ConfigurationError } from '../errors/local.js';
import { firstWords } from '../errors/text.js';
import type { Profile } from '../generated/integration.js';
import type { Clock } from '../ports/clock.js';

/** The settings of a client that the profile of its credentials (A01) can contradict. */
export interface WorldSettings {
  readonly actor: Actor;
  readonly environment?: string | undefined;
  readonly partnerType?: PartnerType | undefined;
  readonly dealerId?: string | undefined;
}

/** A setting that the service contradicts. */
export interface Contradiction {
  readonly option: 'credentials.clientId' | 'client' | 'environment' | 'partnerType' | 'dealerId';
  readonly problem: string;
  readonly nextStep: string;
}

/** The values that the API text lists. Others contradict nothing. */
const listed = {
  actor: ['bank', 'partner'],
  environment: ['sandbox', 'production'],
  partnerType: ['direct_dealer', 'platform', 'aggregator'],
};

const classes: Readonly<Record<Actor, string>> = { bank: 'BankClient', partner: 'PartnerClient' };

/** The settings of a client that a profile contradicts. */
export function contradictions(settings: WorldSettings, profile: Profile): readonly Contradiction[] {
  const { actor, environment, partnerType, dealerId } = settings;
  const found: Contradiction[] = [];
  if (isOther(actor, profile.actor_type, listed.actor)) {
    const other = actor === 'bank' ? 'partner' : 'bank';
    found.push({
      option: 'client',
      problem: `is a ${classes[actor]}, and the service says that these credentials act for a ${other}`,
      nextStep: `Use a ${classes[other]}, or other credentials.`,
    });
  }
  if (isOther(environment, profile.environment, listed.environment)) {
    found.push({
      option: 'environment',
      problem: `is ${environment}, and the service says ${firstWords(String(profile.environment))}`,
      nextStep: 'Check baseUrl, credentials and environment: all three belong to one environment.',
    });
  }
  if (actor === 'bank') return found;
  if (isOther(bidderKind(partnerType), bidderKind(profile.partner_type), listed.partnerType)) {
    found.push({
      option: 'partnerType',
      problem: `is ${partnerType}, and the service says ${firstWords(String(profile.partner_type))}`,
      nextStep: 'Set partnerType to the value of the service, or every bid is rejected.',
    });
  }
  if (isOther(dealerId, profile.dealer_id)) {
    found.push({
      option: 'dealerId',
      problem: `is ${dealerId}, and the service says ${firstWords(String(profile.dealer_id))}`,
      nextStep: 'Set dealerId to the value of the service, or every bid is rejected.',
    });
  }
  return found;
}

/** Platforms and aggregators bid under the same rules, so one in place of the other contradicts nothing. */
function bidderKind(partnerType: unknown): string | undefined {
  if (typeof partnerType !== 'string') return undefined;
  const stated = partnerType.trim().toLowerCase();
  return stated === 'aggregator' ? 'platform' : stated;
}

/** Whether the service states another one of the known values. */
function isOther(expected: string | undefined, found: unknown, known?: readonly string[]): boolean {
  if (expected === undefined || typeof found !== 'string') return false;
  const stated = found.trim().toLowerCase();
  if (stated === '' || (known !== undefined && !known.includes(stated))) return false;
  return stated !== expected.toLowerCase();
}

/** After a profile that is missing or contradicts, the first write asks again after this time, ms. */
const ASK_AGAIN_MS = 60_000;

/** Checks that the service is the one that a client is set up for: once, with A01, before the first write. */
export class World {
  readonly #settings: WorldSettings;
  readonly #clientId: () => string;
  readonly #clock: Clock;
  #contradiction: Contradiction | undefined;
  /** On the monotonic clock, ms; never again once it is infinite. */
  #askAt = Number.NEGATIVE_INFINITY;

  constructor(settings: WorldSettings, clientId: () => string, clock: Clock) {
    this.#settings = settings;
    this.#clientId = clientId;
    this.#clock = clock;
  }

  /** Whether the next write has to ask first. */
  get isDue(): boolean {
    return this.#askAt !== Number.POSITIVE_INFINITY && this.#clock.monotonic() >= this.#askAt;
  }

  /** Evaluates the answer of the service. Returns why it says nothing; undefined if it says something. */
  learn(profile: Profile): string | undefined {
    const { cached } = responseOf(profile);
    // A cached reply may belong to other credentials.
    if (cached !== undefined) return `a cache answered (${cached})`;
    const clientId = this.#clientId();
    const { client_id } = profile;
    const other: Contradiction = {
      option: 'credentials.clientId',
      problem: `is ${clientId}, and the service says ${client_id}`,
      nextStep:
        'Check the caches and proxies between this machine and the service: the reply is for other credentials.',
    };
    this.#contradiction = client_id === clientId ? contradictions(this.#settings, profile)[0] : other;
    this.#askAt =
      this.#contradiction === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() + ASK_AGAIN_MS;
    return undefined;
  }

  /** Records that the service didn't answer: it is asked again later, and its earlier answer stays valid. */
  missed(): void {
    this.#askAt = this.#clock.monotonic() + ASK_AGAIN_MS;
  }

  /** @throws ConfigurationError if a write would go to another service, environment or identity. */
  check(context: CallContext): void {
    if (this.#contradiction === undefined) return;
    const { option, problem, nextStep } = this.#contradiction;
    throw new ConfigurationError(option, `${problem}. Nothing was sent`, { ...context, nextStep });
  }
}
