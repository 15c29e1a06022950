import { statSync } from 'node:fs';
import { ConfigurationError } from '../../errors/local.js';

/** A result file that couldn't be made, so that nothing was begun for it. */
export function notMade(path: string, cause: unknown): ConfigurationError {
  const [problem, nextStep] = whyNotMade(path, codeOf(cause));
  return new ConfigurationError('path', `${path} ${problem}`, {
    call: 'openResultsCsv',
    nextStep,
    cause,
  });
}

/** The same, where it was to take the results of a batch that was stopped for it. */
export function batchStopped(error: ConfigurationError, isBegun: boolean): ConfigurationError {
  const { option, problem, cause, nextStep } = error;
  const ofBatch = isBegun
    ? 'The batch was stopped; placed again, it goes on from there.'
    : 'The batch was stopped before it sent anything; place it again.';
  return new ConfigurationError(option, problem, {
    call: 'writeResultsCsv',
    outcome: isBegun ? 'unknown' : 'not_sent',
    nextStep: `${nextStep} ${ofBatch}`,
    cause,
  });
}

/** What is there couldn't be moved out of the way. */
export function notMoved(path: string, to: string, cause: unknown): ConfigurationError {
  return new ConfigurationError('path', `${path} can't be moved to ${to} (${codeOf(cause)})`, {
    call: 'openResultsCsv',
    nextStep: 'Move it yourself, or give another path.',
    cause,
  });
}

/** A result couldn't be written. Bids have been placed by then, whatever becomes of the file. */
export function notWritten(path: string, cause: unknown): ConfigurationError {
  const code = codeOf(cause);
  const why = isFull(code) ? `, because the disk is full (${code})` : ` (${code})`;
  return new ConfigurationError('path', `${path} can't be written on${why}`, {
    outcome: 'unknown',
    nextStep: `Bids are not held up by that, and the journal knows them; ${isFull(code) ? 'make room' : 'mend that'}, then place the same batch again with another result file: it gets every result.`,
    cause,
  });
}

/** A result came behind the close of its file. */
export function closedBefore(path: string, row: string): ConfigurationError {
  return new ConfigurationError(
    'path',
    `${path} was closed before the result of ${row} came, which is not in it`,
    {
      outcome: 'unknown',
      nextStep: 'Close it behind the last result; the same batch again gives this one once more.',
    },
  );
}

/** The code of a system error, such as `ENOSPC`. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Whether a folder stands there; what can't be looked at is none. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

function whyNotMade(path: string, code: string): [problem: string, nextStep: string] {
  if (isFolder(path)) return ['is a folder', 'Give the path of a file.'];
  if (code === 'EEXIST') {
    const kept = `what is there is moved to ${path}.old, in place of an older one`;
    return ['is there already', `Give replace: true (${kept}), or another path.`];
  }
  if (code === 'ENOENT') return ["is in a folder that isn't there", 'Make the folder, or give another path.'];
  if (isFull(code)) {
    return [`can't be made, because the disk is full (${code})`, 'Make room, or give another path.'];
  }
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
    return [`is where this process may not write (${code})`, 'Give it a path where it may.'];
  }
  return [`can't be made (${code})`, 'Give another path.'];
}

function isFull(code: string): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT';
}
