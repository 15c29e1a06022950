import { scopes as allScopes, type Scope } from '../../api/scopes.js';
import { findAuction } from '../named.js';
import type { AccessFacts, Parties, Party } from '../parties.js';
import type { Store } from '../store.js';
import type { SeededParties } from './parties.js';
import { nameOf } from './schema.js';
import type { PartyName, SandboxSeed, SeedCredentials } from './seed.js';

type Changes = NonNullable<SandboxSeed['credentials']>;

/** The parties under the ids, secrets and scopes that a seed gives them. Throws a RangeError where two would be one. */
export function withCredentials(parties: SeededParties, changes: Changes): SeededParties {
  const changed: SeededParties = { ...parties };
  for (const [name, change] of changesOf(changes)) {
    Object.assign(changed, { [name]: known(parties[name], change, name) });
  }
  const seen = new Set<string>();
  // Whose id was changed is the one to complain of, so those come last.
  const inTurn = Object.entries(changed).sort(
    ([one], [other]) => Number(one in changes) - Number(other in changes),
  );
  for (const [name, { clientId }] of inTurn) {
    if (seen.has(clientId)) {
      throw new RangeError(`${nameOf(['credentials', name, 'clientId'])} is ${clientId}, which is taken`);
    }
    seen.add(clientId);
  }
  return changed;
}

/** Changes the facts that a seed has something else for. Throws a RangeError for a value that can't be one. */
export function changeFacts(parties: SeededParties, all: Parties, store: Store, changes: Changes): void {
  for (const [name, { facts }] of changesOf(changes)) {
    if (facts === undefined) continue;
    const { clientId } = parties[name];
    const where = nameOf(['credentials', name, 'facts']);
    const before = all.facts(clientId);
    for (const [fact, value] of Object.entries(facts)) refuseOtherKind(before, fact, value, where);
    const auctions = facts.auctions?.map((each) => auctionId(store, each, `${where}.auctions`));
    try {
      all.update(clientId, { ...facts, ...(auctions !== undefined && { auctions }) });
    } catch (cause) {
      throw new RangeError(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }
}

function known(party: Party, change: SeedCredentials, name: PartyName): Party {
  const { clientId, keyId, signingSecret, dealerId, scopes } = change;
  if (dealerId !== undefined && party.actor === 'bank') {
    throw new RangeError(`${nameOf(['credentials', name])} has no field "dealerId": it is of partners`);
  }
  const isNamed = (scope: Scope) => scopes?.includes(scope);
  return {
    ...party,
    clientId: clientId ?? party.clientId,
    keyId: keyId ?? party.keyId,
    signingSecret: signingSecret ?? party.signingSecret,
    facts: {
      ...party.facts,
      ...(dealerId !== undefined && { dealerId }),
      ...(scopes !== undefined && { scopes: allScopes.filter(isNamed) }),
    },
  };
}

/** Facts come from a file: what a program's types refuse is refused here. */
function refuseOtherKind(before: AccessFacts, fact: string, value: unknown, where: string): void {
  if (!Object.hasOwn(before, fact) || fact === 'scopes' || fact === 'dealerId') {
    const facts = Object.keys(before).filter((each) => each !== 'scopes' && each !== 'dealerId');
    throw new RangeError(`${where} has no fact ${JSON.stringify(fact)}; facts are ${facts.join(', ')}`);
  }
  const [allows, words] = exceptions.get(fact) ?? likeNow(Reflect.get(before, fact));
  if (!allows(value)) throw new RangeError(`${where}.${fact} must be ${words}`);
}

type Rule = readonly [allows: (value: unknown) => boolean, words: string];

function likeNow(now: unknown): Rule {
  if (typeof now === 'boolean') return [(value) => typeof value === 'boolean', 'true or false'];
  return typeof now === 'string' ? [isText, 'text'] : [isList, 'a list of texts'];
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

const moment: Rule = [
  (value) => value === null || typeof value === 'number' || isText(value),
  'null, Unix milliseconds or an ISO 8601 date-time',
];

/** Facts that may be null. */
const exceptions: ReadonlyMap<string, Rule> = new Map([
  ['allowedIps', [(value: unknown) => value === null || isList(value), 'null or a list of texts']],
  ['approvalLimit', [(value: unknown) => value === null || isText(value), 'null or text']],
  ['expiresAt', moment],
  ['limitUntil', moment],
  ['emdUntil', moment],
] as const);

function auctionId(store: Store, idOrLabel: string, where: string): string {
  const found = findAuction(store, idOrLabel);
  if (found === undefined) throw new RangeError(`${where}: there is no auction ${JSON.stringify(idOrLabel)}`);
  return found.id;
}

function changesOf(changes: Changes): [PartyName, SeedCredentials][] {
  return Object.entries(changes) as [PartyName, SeedCredentials][];
}
