import { isObject } from '../api/check.js';
import type { Pipeline } from '../core/call.js';
import type { Conclusion } from '../core/reply/failure.js';
import { responseOf } from '../core/reply/reply.js';
import { ApiError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import type { BaseOptions } from '../ports/caller.js';
import { bodyFields, bodyOf, type TargetReadEvent } from './content.js';
import { type Intent, knownEffect, type Ledger } from './ledger.js';
import { recordIdOf, versionTargetOf } from './version-targets.js';

/**
 * The lookup of a versioned command. A record that still has the expected version was not changed by it; a record that moved
 * was changed by it or by another program. `fold` decides what that means.
 */

/** Dependencies of reading a target. */
export interface VersionReader {
  readonly pipeline: Pipeline;
  readonly ledger: Ledger;
}

/** Maximum number of later commands to search for one that took effect on the same version. */
const LATER_COMMANDS = 200;

/** Reads the record of a command and records its version, unless the intent changed meanwhile. A failed read changes nothing. */
export async function lookUpVersion(
  { pipeline, ledger }: VersionReader,
  intent: Intent,
  options: BaseOptions,
): Promise<Intent> {
  const { content, row, key } = intent;
  const target = versionTargetOf(content);
  const body = bodyOf(row);
  if (target === undefined || content.target === undefined || body === undefined) return intent;
  const fields = bodyFields(body);
  const expected = versionIn(fields['expected_version']);
  if (expected === undefined) return intent;
  // The time before the read is sent, because it does not show an effect after that.
  const at = ledger.now();
  const id = recordIdOf(target, content.target.path);
  const record = await readRecord(pipeline, target.read, { [target.param]: id }, options);
  if (record === undefined) return intent;
  const version = record === 'missing' ? undefined : versionIn(record['resource_version']);
  // An older version is a copy that lags behind.
  if (record !== 'missing' && (version === undefined || version < expected)) return intent;
  const hasMoved = record !== 'missing' && version !== expected;
  const outrunBy = hasMoved ? await otherDone(ledger, intent, expected) : undefined;
  const event: TargetReadEvent = {
    type: 'target_read',
    at,
    noun: target.noun,
    expected,
    ...(version !== undefined && { version }),
    ...(hasMoved && target.shows(record, fields) && { showsEffect: true }),
    ...(outrunBy !== undefined && { outrunBy }),
  };
  const after = await ledger.change(key, (now) =>
    now.row.version === row.version ? { events: [event] } : undefined,
  );
  return after ?? intent;
}

async function readRecord(
  pipeline: Pipeline,
  route: Parameters<Pipeline['prepare']>[0],
  path: Readonly<Record<string, string>>,
  options: BaseOptions,
): Promise<Readonly<Record<string, unknown>> | 'missing' | undefined> {
  const limits = { ...options, lane: 'command' } as const;
  try {
    const record = await pipeline.run(pipeline.prepare(route, { path }, limits), limits);
    // A copy may be older than the command.
    return isObject(record) && responseOf(record).cached === undefined ? record : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'missing';
    if (error instanceof VehicleAuctionError) return undefined;
    throw error;
  }
}

/** The key of another command that took effect on the same version of the record: only one can. */
async function otherDone(ledger: Ledger, intent: Intent, expected: number): Promise<string | undefined> {
  const target = versionTargetOf(intent.content);
  const recordOf = ({ content }: Intent) => {
    const other = versionTargetOf(content);
    const path = content.target?.path;
    return other === undefined || path === undefined ? '' : `${other.noun} ${recordIdOf(other, path)}`;
  };
  if (target === undefined) return undefined;
  const later = await ledger.list({ which: 'all', after: intent.row.id, limit: LATER_COMMANDS });
  const found = later.find((other) => {
    const body = bodyOf(other.row);
    return (
      other.status.state === 'done' &&
      recordOf(other) === recordOf(intent) &&
      body !== undefined &&
      versionIn(bodyFields(body)['expected_version']) === expected
    );
  });
  return found?.key;
}

function versionIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** The effect of a command, by its record. */
export function conclusionOf(intent: Intent): Conclusion {
  const { provisional, copiesExpireAt, turnedAway, targetRead } = intent.status;
  const outcome = knownEffect(intent);
  return {
    outcome: outcome === 'done' ? 'unknown' : outcome,
    ...(provisional && copiesExpireAt !== undefined && { copiesExpireAt }),
    ...(outcome === 'unknown' && turnedAway && { turnedAway }),
    ...(targetRead !== undefined && { target: targetRead }),
  };
}
