import { appendFileSync, readFileSync } from 'node:fs';
import { UsageError } from '../usage-error.js';

/** A delivery as it is recorded: one line of JSON. */
export interface Recorded {
  /** Event id. */
  readonly id: string;
  readonly type: string;
  /** When it was forwarded first, ISO 8601. */
  readonly at: string;
  /** The signed bytes, as text. */
  readonly body: string;
}

/** Appends a delivery to a file that only its owner can read. */
export function record(path: string, delivery: Recorded): void {
  appendFileSync(path, `${JSON.stringify(delivery)}\n`, { mode: 0o600 });
}

/** All deliveries of a file, oldest first. @throws UsageError where it can't be read, or holds something else */
export function recorded(path: string): Recorded[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} can't be read: record deliveries with "webhook listen" first`);
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => {
    const delivery = parsed(line);
    if (delivery === undefined) {
      throw new UsageError(`${path}: line ${index + 1} is not a delivery that "webhook listen" recorded`);
    }
    return delivery;
  });
}

function parsed(line: string): Recorded | undefined {
  try {
    const { id, type, at, body }: Record<string, unknown> = JSON.parse(line);
    const isText = [id, type, at, body].every((value) => typeof value === 'string');
    return isText ? { id: String(id), type: String(type), at: String(at), body: String(body) } : undefined;
  } catch {
    return undefined;
  }
}
