import type { SaleApprovedEvent, WebhookEvent } from './event.js';

/** What an event is about, as far as the API text says. */
export interface EventFacts {
  /** Id of the resource; versions are compared within it. */
  readonly resource?: string;
  readonly resourceVersion?: number;
  /** The same for every message that reports the same committed decision. */
  readonly fact?: string;
}

/** Reads resource, version and fact of an event. */
export function factsOf(event: WebhookEvent): EventFacts {
  const { data, type } = event;
  const id = resourceIdOf(event);
  const version = integerOf(Reflect.get(data, 'resource_version'));
  if (id === undefined || version === undefined) return {};
  return {
    resource: id,
    resourceVersion: version,
    // "Winner updates represent the same committed bank decision as the `sale.approved` event."
    ...(type === 'sale.approved' && { fact: `sale.approved ${id} ${version}` }),
  };
}

function resourceIdOf(event: WebhookEvent): string | undefined {
  const named = textOf(Reflect.get(event.data, 'resource_id'));
  switch (event.type) {
    case 'sale.approved':
      return named ?? event.data.sale.id;
    case 'auction.schedule_changed':
      return named ?? event.data.auction_id;
    case 'vehicle.status_changed': {
      // Which resource its version counts is undocumented, so it is compared only with events of the same type.
      const vehicle = named ?? textOf(event.data.vehicle_id);
      return vehicle === undefined ? undefined : `vehicle ${vehicle}`;
    }
    default:
      return named;
  }
}

/**
 * A winner update as the `sale.approved` event of the same decision. The fields of an update are undocumented; services
 * send the event's `data`, with or without an envelope around it.
 *
 * @returns undefined where it has no sale, amount or version to recognise
 */
export function saleApprovedOf(update: unknown): SaleApprovedEvent | undefined {
  for (const data of [update, fieldOf(update, 'data')]) {
    const sale = fieldOf(data, 'sale');
    const [id, state, amount] = ['id', 'state', 'amount'].map((name) => textOf(fieldOf(sale, name)));
    const version = integerOf(fieldOf(data, 'resource_version'));
    if (id === undefined || state === undefined || amount === undefined || version === undefined) continue;
    const facts = Object.assign({}, data, {
      resource_version: version,
      sale: Object.assign({}, sale, { id, state, amount }),
    });
    const createdAt = textOf(fieldOf(update, 'created_at'));
    return {
      id: `winner-update:${textOf(fieldOf(data, 'resource_id')) ?? id}:${version}`,
      type: 'sale.approved',
      schema_version: 1,
      ...(createdAt !== undefined && { created_at: createdAt }),
      data: facts,
    };
  }
  return undefined;
}

/**
 * Names the committed decision that a winner update or a `sale.approved` event reports: the same text for both. Deduplicate
 * by it if you keep events in your own table; `receiver.winnerUpdate` does so automatically.
 *
 * @returns undefined for any other event, and for an update without a sale, an amount and a version
 */
export function decisionKeyOf(message: unknown): string | undefined {
  const type = fieldOf(message, 'type');
  if (type !== undefined && type !== 'sale.approved') return undefined;
  const event = saleApprovedOf(message);
  return event && factsOf(event).fact;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function integerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}
