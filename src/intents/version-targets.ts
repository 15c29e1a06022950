import { fieldOf } from '../api/check.js';
import { API_PREFIX } from '../api/formats.js';
import type { Route } from '../api/operation.js';
import { paymentReports } from '../generated/payment-reports.js';
import { releases } from '../generated/releases.js';
import { saleCases } from '../generated/sale-cases.js';
import type { IntentContent } from './content.js';

/** A command whose effect shows in the version of the record that it changes, and the read of that record. */
interface VersionTarget {
  readonly command: Route;
  readonly read: Route;
  /** Path parameter of both: the id of the record. */
  readonly param: string;
  /** Name of the record in messages. */
  readonly noun: string;
  /** Whether the record shows what this command would have done. */
  readonly shows: (record: Fields, body: Fields) => boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const sale = { read: saleCases.get, param: 'sale', noun: 'sale' } as const;
const release = { read: releases.get, param: 'release', noun: 'release' } as const;

/**
 * Commands that change the very record whose version they send, where that record can be read. A command that makes
 * another record (an offer, an allocation, a refund request) need not move the version (unknowns: `new-record-version`).
 */
const targets: readonly VersionTarget[] = [
  { command: saleCases.decide, ...sale, shows: isDecided },
  { command: saleCases.acknowledge, ...sale, shows: ({ data }) => fieldOf(data, 'acknowledged_at') != null },
  {
    command: paymentReports.decide,
    read: paymentReports.get,
    param: 'report',
    noun: 'payment report',
    shows: isDecided,
  },
  { command: releases.revoke, ...release, shows: ({ state }) => state === 'revoked' },
  { command: releases.collect, ...release, shows: ({ state }) => state === 'used' },
];

/** The state of a decided record is the decision. */
function isDecided({ state, data }: Fields, { decision }: Fields): boolean {
  return state === decision || fieldOf(data, 'decision') === decision;
}

/** How the effect of a command can be read from a version; undefined if it can't. */
export function versionTargetOf({ target }: Pick<IntentContent, 'target'>): VersionTarget | undefined {
  return targets.find(({ command }) => command.id === target?.operation);
}

/** The id of the record, from the recorded path. */
export function recordIdOf({ command, param }: VersionTarget, path: string): string {
  const position = command.path.split('/').indexOf(`{${param}}`);
  return decodeURIComponent(path.slice(API_PREFIX.length).split('/')[position] ?? '');
}
