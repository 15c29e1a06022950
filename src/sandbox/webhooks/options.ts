/** Where deliveries go. */
export interface WebhookOptions {
  /**
   * Whether receivers may be at private addresses, this machine's included, and without TLS. For tests; false when left
   * out.
   */
  readonly allowPrivate?: boolean;
  /**
   * Takes every delivery in process, as `fetch` of a web framework does. Then no address is looked up or checked, and
   * no network used. A rejection is a receiver that can't be reached.
   */
  readonly send?: (request: Request) => Promise<Response>;
}

export interface WebhookSettings {
  readonly allowPrivate: boolean;
  readonly send: ((request: Request) => Promise<Response>) | undefined;
}

/** Fills in the defaults and refuses what can't be meant. */
export function settleWebhooks(options: WebhookOptions = {}): WebhookSettings {
  const { allowPrivate = false, send, ...others } = options;
  const unknown = Object.keys(others);
  if (unknown.length > 0) {
    throw new RangeError(`no option webhooks.${unknown.join(', ')}; there are allowPrivate and send`);
  }
  if (typeof allowPrivate !== 'boolean') throw new RangeError('webhooks.allowPrivate is true or false');
  if (send !== undefined && typeof send !== 'function') throw new RangeError('webhooks.send is a function');
  return { allowPrivate, send };
}
