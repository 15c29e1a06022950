import { readFileSync } from 'node:fs';

/** JSON, as the document is written. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What is the same whatever the operations are: headers, shapes of errors, descriptions of statuses, parameters of deliveries. */
export const fixed: {
  readonly security: Json;
  readonly securitySchemes: Json;
  readonly errorSchemas: Readonly<Record<string, Json>>;
  readonly webhookTag: { readonly name: string; readonly description: string };
  readonly deliveryParameters: Readonly<Record<string, Json>>;
  readonly headers: Readonly<Record<'idempotencyKey' | 'replayed' | 'retryAfter', Json>>;
  /** What a status of failure means on any call, and one of success on a bid. */
  readonly statuses: Readonly<Record<number, string>>;
  readonly bidStatuses: Readonly<Record<number, string>>;
  readonly challengeAnswer: Json;
} = JSON.parse(readFileSync(new URL('openapi-fixed.json', import.meta.url), 'utf8'));

/** What an operation was sent and answered in the sandbox, by its name (`npm run examples`). */
export const examples: Readonly<Record<string, { readonly request?: Json; readonly reply: Json }>> =
  JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8'));

/** How to call the service, for readers who have the document and nothing else. */
export const about = readFileSync(new URL('openapi-about.md', import.meta.url), 'utf8').trim();
