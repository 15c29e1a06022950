import { VehicleAuctionError } from '../errors/base.js';
import { NotSentError } from '../errors/local.js';
import type { Releases } from '../generated/releases.js';
import type { Intent } from '../intents/ledger.js';
import type { WarnAbout } from '../runtime/user-code.js';

/** States in which a release no longer allows a collection, and did not lead to one. */
const ENDED: readonly string[] = ['revoked', 'expired'];

/**
 * Reads a release (A53) that an earlier `runOnce` authorised (A52), before its record is returned again: the vehicle must not
 * be handed over on one that was revoked since. If it can't be read, the recorded one is returned.
 *
 * @throws NotSentError with reason `release_ended`
 */
export async function refuseEndedRelease(
  { content, key }: Intent,
  recorded: unknown,
  { releases, warn }: { readonly releases: Pick<Releases, 'get'>; readonly warn: WarnAbout },
): Promise<void> {
  const { id } = Object(recorded);
  if (content.target?.operation !== 'A52' || typeof id !== 'string') return;
  try {
    const { state } = await releases.get(id);
    if (!ENDED.includes(state)) return;
    throw new NotSentError('release_ended', {
      call: 'runOnce',
      operation: 'runOnce',
      idempotencyKey: key,
      what: `An earlier run authorised the release ${id}, which is ${state} now. Nothing was sent.`,
      nextStep: 'To authorise another release, run with other parts, such as one part more.',
    });
  } catch (error) {
    const isUnread = error instanceof VehicleAuctionError && !(error instanceof NotSentError);
    if (!isUnread) throw error;
    warn('A release that an earlier run authorised could not be read; it may be revoked', () => ({
      release: id,
      reason: error.reason,
    }));
  }
}
