import { fieldOf } from '../api/check.js';
import { tolerated } from '../api/tolerance.js';
import type { SaleApprovedEvent, WebhookEvent } from './event.js';

/** The resource, version and decision of an event, as far as documented. */
export interface EventFacts {
  /** Id of the resource; versions are compared within it. */
  readonly resource?: string;
  readonly resourceVersion?: number;
  /** Identifies the committed decision: equal for every message that reports it. */
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
  const named = identifier(Reflect.get(event.data, 'resource_id'));
  switch (event.type) {
    case 'sale.approved':
      return named ?? event.data.sale.id;
    case 'auction.schedule_changed':
      return named ?? event.data.auction_id;
    case 'vehicle.status_changed': {
      // The resource that this version counts is undocumented, so it is compared only with events of the same type.
      const vehicle = named ?? identifier(event.data.vehicle_id);
      return vehicle === undefined ? undefined : `vehicle ${vehicle}`;
    }
    default:
      return named;
  }
}

/**
 * Converts a winner update to the `sale.approved` event of the same decision. The fields of an update are undocumented;
 * services send the event's `data`, with or without its envelope.
 *
 * @returns undefined if the update lacks a sale, amount or version
 */
export function saleApprovedOf(update: unknown): SaleApprovedEvent | undefined {
  for (const data of [update, fieldOf(update, 'data')]) {
    const sale = fieldOf(data, 'sale');
    const [id, state] = ['id', 'state'].map((name) => identifier(fieldOf(sale, name)));
    const given = fieldOf(sale, 'amount');
    const amount = nonEmptyText(tolerated('money', given)?.value ?? given);
    const version = integerOf(fieldOf(data, 'resource_version'));
    if (id === undefined || state === undefined || amount === undefined || version === undefined) continue;
    const facts = Object.assign({}, data, {
      resource_version: version,
      sale: Object.assign({}, sale, { id, state, amount }),
    });
    const createdAt = identifier(fieldOf(update, 'created_at'));
    return {
      id: `winner-update:${identifier(fieldOf(data, 'resource_id')) ?? id}:${version}`,
      type: 'sale.approved',
      schema_version: 1,
      ...(createdAt !== undefined && { created_at: createdAt }),
      data: facts,
    };
  }
  return undefined;
}

/**
 * Returns a key for the committed decision that a winner update or a `sale.approved` event reports: equal for both. Use it
 * to deduplicate events in your own table; `receiver.winnerUpdate` does so automatically.
 *
 * @returns undefined for any other event, and for an update that lacks a sale, amount or version
 */
export function decisionKeyOf(message: unknown): string | undefined {
  const type = fieldOf(message, 'type');
  if (type !== undefined && type !== 'sale.approved') return undefined;
  const event = saleApprovedOf(message);
  return event && factsOf(event).fact;
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A text, which some services write as an integer. */
function identifier(value: unknown): string | undefined {
  return nonEmptyText(tolerated('string', value)?.value ?? value);
}

function integerOf(value: unknown): number | undefined {
  const read = tolerated('int', value)?.value ?? value;
  return typeof read === 'number' && Number.isSafeInteger(read) ? read : undefined;
}
