import type { Entry } from './entry.js';
import { isOpen } from './intent.js';
import type { StoredIntent } from './journal.js';
import { callOf } from './stored-call.js';

/**
 * A timeline of one intent for people: every attempt, what came of it, what looking has shown, and where it stands.
 *
 * @param stands what is known now, and what is allowed next, in sentences
 */
export function explained(
  { intent, entries, state, lease }: StoredIntent,
  stands: readonly string[],
): string {
  const call = callOf(intent);
  const name = call === intent.operation ? call : `${call} (${intent.operation})`;
  const { clientId, dealerId, origin } = intent.account;
  const dealer = dealerId === '' ? '' : `, dealer ${dealerId}`;
  const lines = [
    `${name} ${intent.key}: ${state}`,
    `  as client ${clientId}${dealer} at ${origin}`,
    `  ${intent.bid === undefined ? `${intent.method} ${intent.path}` : bidLine(intent.bid)}`,
    `  ${intent.body.length} bytes, SHA-256 ${intent.body.sha256}`,
    ...(intent.body.file === undefined ? [] : [`  with the file ${intent.body.file.path}`]),
    `${time(intent.createdAt)}  written down`,
    ...entries.map((entry) => `${time(entry.at)}  ${entryLine(entry)}`),
    ...unfinished(entries, isOpen(state)),
    ...(lease === undefined
      ? []
      : [`now: ${lease.owner} is at work on it for at most ${Math.ceil(lease.leftMs)} ms more`]),
    ...stands.map((sentence) => `=> ${sentence}`),
  ];
  return lines.join('\n');
}

function bidLine({ lot, amount, bidderReference, placeBy, row }: NonNullable<StoredIntent['intent']['bid']>) {
  const buyer = bidderReference === undefined ? '' : ` for ${bidderReference}`;
  const from = row === undefined ? '' : `; row ${row.rowId} of batch ${row.batchId}`;
  return `bid of ${amount} INR on lot ${lot}${buyer}, to be sent by ${time(placeBy)} server time${from}`;
}

function entryLine(entry: Entry): string {
  switch (entry.type) {
    case 'attempt':
      return `attempt ${entry.attempt} leaves: stamped ${time(entry.timestamp * 1000)}, key ${entry.keyId}, nonce ${entry.nonce}`;
    case 'end': {
      const request = entry.requestId === undefined ? '' : `, request ${entry.requestId}`;
      const about = `${entry.reason}${request}${bidIn(entry.record, ', ')}`;
      return `attempt ${entry.attempt} ends: ${effects[entry.effect]} (${about})${entry.replayed === true ? ', from the record of its key' : ''}`;
    }
    case 'look': {
      const observed =
        entry.observedAt === undefined ? '' : `, observed ${time(entry.observedAt)} server time`;
      const why = entry.reason === undefined ? '' : ` (${entry.reason})`;
      return `look (${entry.by}): ${entry.found}${bidIn(entry.record, ' ')}${why}${observed}`;
    }
    case 'word':
      return `${entry.word.replace('_', ' ')}: ${entry.reason}${entry.placeBy === undefined ? '' : `, until ${time(entry.placeBy)} server time`}`;
  }
}

const effects: Readonly<Record<Extract<Entry, { type: 'end' }>['effect'], string>> = {
  done: 'carried out',
  rejected: 'rejected',
  refused: 'refused, nothing recorded',
  not_sent: 'nothing of it left',
  in_doubt: 'in doubt',
};

/** Attempts whose process ended before it knew what came of them. */
function unfinished(entries: readonly Entry[], open: boolean): string[] {
  const ended = new Set(entries.flatMap((entry) => (entry.type === 'end' ? [entry.attempt] : [])));
  return entries.flatMap((entry) =>
    entry.type === 'attempt' && !ended.has(entry.attempt)
      ? [`(no end is known of attempt ${entry.attempt}${open ? ': it is in doubt' : ''})`]
      : [],
  );
}

/** The id under which the service has a bid, where its record tells one. */
function bidIn(record: Readonly<Record<string, unknown>> | undefined, before: string): string {
  const id = record?.['bid_id'];
  return typeof id === 'string' ? `${before}bid ${id}` : '';
}

/** What is on record is shown, also what no Date can hold. */
function time(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString();
}
