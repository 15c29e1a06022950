/** One attempt, ready to be sent. */
export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Ends the attempt; its reason is what a transport then rejects with. */
  readonly signal: AbortSignal;
}

/** What a receiver answered. Its body is read so far as it may matter; undefined when it broke off or is too long. */
export interface Answer {
  readonly status: number;
  readonly body: string | undefined;
}

/** Sends an attempt, follows no redirect, and rejects when there is no answer. */
export type Post = (posting: Posting) => Promise<Answer>;

/** How much of an answer is read, bytes. */
export const mostAnswerBytes = 65_536;

/** `work`, unless the signal ends the wait for it first. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
