/** One request that arrived, whatever became of it. No signature and no secret is in it. */
export interface Attempt {
  /** Its number: 1 for the first request of the sandbox's life. */
  readonly n: number;
  /** Operation id such as `bids.submit` or `A22`; null when no route matched. */
  readonly operation: string | null;
  /** The client's method that makes such a call, such as `saleCases.decide`; null when no route matched. */
  readonly call: string | null;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** The query, decoded: the value of each name, or the list of its values where it was given more than once. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Status answered; `dropped` when the connection was cut before a reply, `pending` while there is none. */
  readonly status: number | 'dropped' | 'pending';
  /** The code answered, such as `BID_ACCEPTED`; null where the reply has none. */
  readonly code: string | null;
  readonly clientId: string | null;
  readonly idempotencyKey: string | null;
  readonly nonce: string | null;
  /** Lower-case hex; null when the body was too large to read. */
  readonly bodySha256: string | null;
  /** `unchecked` where something refused it, or struck it, before its signature was looked at. */
  readonly signature: 'valid' | 'invalid' | 'unchecked';
  /** The mistake that explains a refused signature or timestamp, and what to do; null where nothing simple does. */
  readonly hint: string | null;
  /** What the sandbox measured an invalid signature against: its six lines; null for any other request. */
  readonly canonical: string | null;
  /** Name of the injected fault that struck it. */
  readonly fault: string | null;
  /** The JSON object of the body, long texts and lists cut; null where there was none. */
  readonly request: unknown;
  /** The JSON that was answered, cut the same way and without secrets; null where it was none. */
  readonly reply: unknown;
  /** Server time of arrival, Unix milliseconds. */
  readonly at: number;
}
