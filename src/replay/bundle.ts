import { readFile } from 'node:fs/promises';
import type { BankClient } from '../client/bank-client.js';
import type { PartnerClient } from '../client/partner-client.js';
import { recordingIn } from './recording.js';
import { isReproduced, replayRecording, shownEnd } from './replay.js';
import { testFileOf } from './test-file.js';

/** Explanations in one bundle; further intents are only counted. */
const MOST_INTENTS = 100;

/** The explanations of what is unresolved, without buyers, for a support bundle. */
export async function unresolvedOf({ intents }: Pick<PartnerClient | BankClient, 'intents'>) {
  const explained: object[] = [];
  let more = 0;
  for await (const { idempotencyKey, bidderReference } of intents.list({ which: 'unresolved' })) {
    if (explained.length >= MOST_INTENTS) {
      more += 1;
      continue;
    }
    const explanation = JSON.stringify(await intents.explain(idempotencyKey));
    explained.push(JSON.parse(withoutText(explanation, bidderReference)));
  }
  return { explained, more };
}

/** JSON without a text, such as a signing secret: a base URL or an error can repeat it. */
export function withoutText(json: string, text: unknown): string {
  if (typeof text !== 'string' || text === '') return json;
  return json.replaceAll(JSON.stringify(text).slice(1, -1), '[redacted]');
}

/** The entries of the file that a flight recorder saved. @throws TypeError for another file */
export async function savedEntries(path: string): Promise<readonly object[]> {
  return recordingIn(await readFile(path, 'utf8')).entries;
}

/** Plays a support bundle, or the file that a flight recorder saved. @throws TypeError for another file */
export async function replayFile(path: string, only: string | undefined) {
  const recording = recordingIn(await readFile(path, 'utf8'));
  const replayed = await replayRecording(recording, { only });
  const rows = replayed.map((one) => ({
    ...one,
    recorded: shownEnd(one.recorded),
    now: one.replayed === undefined ? one.problem : shownEnd(one.replayed),
    isReproduced: isReproduced(one),
    requests: `${one.recordedRequests} then, ${one.requests ?? 'none'} now`,
  }));
  const test = testFileOf(recording, replayed);
  const count = `${replayed.filter(isReproduced).length} of ${replayed.length}`;
  return { rows, test, summary: `Reproduced: ${count}.` };
}
