import { appendFileSync, readFileSync } from 'node:fs';
import type { Recorded } from '../../relay/relay.js';
import { UsageError } from '../usage-error.js';

/** Appends a delivery to a file that only its owner can read. */
export function record(path: string, delivery: Recorded): void {
  appendFileSync(path, `${JSON.stringify(delivery)}\n`, { mode: 0o600 });
}

/**
 * Reads all deliveries of a file, oldest first. @throws UsageError if the file can't be read or has an invalid
 * line
 */
export function recorded(path: string): Recorded[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} can't be read. Record deliveries with "webhook listen" first.`);
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => {
    const delivery = parsedDelivery(line);
    if (delivery === undefined) {
      throw new UsageError(
        `${path} has an invalid line ${index + 1}. Use a file recorded by "webhook listen".`,
      );
    }
    return delivery;
  });
}

function parsedDelivery(line: string): Recorded | undefined {
  try {
    const { id, type, at, body }: Record<string, unknown> = JSON.parse(line);
    const isText = [id, type, at, body].every((value) => typeof value === 'string');
    return isText ? { id: String(id), type: String(type), at: String(at), body: String(body) } : undefined;
  } catch {
    return undefined;
  }
}
