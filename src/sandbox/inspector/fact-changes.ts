import * as z from 'zod';
import { scopes } from '../../api/scopes.js';
import type { AccessFacts } from '../parties.js';
import type { WireRequest } from '../wire.js';
import { bodyOf } from './bodies.js';

/** Some facts of a client, each of the kind that it is; values that can't be meant are told by the parties. */
export function factsChange(request: WireRequest): Partial<AccessFacts> {
  return bodyOf(request, schema) as Partial<AccessFacts>;
}

const flag = z.boolean().optional();
const text = z.string().max(200).optional();
const texts = z.array(z.string().max(200)).max(1_000);
const lapse = z.union([z.number(), z.string().max(100)]).nullish();

const schema = z.strictObject({
  active: flag,
  keyRevoked: flag,
  environment: text,
  allowedIps: texts.nullish(),
  partnerActive: flag,
  kyb: flag,
  agreement: flag,
  bankSubscription: flag,
  scopes: z.array(z.enum(scopes)).optional(),
  resultsEntitled: flag,
  auctions: texts.optional(),
  resourceGranted: flag,
  channelGranted: flag,
  dealerId: text.nullable(),
  dealerExists: flag,
  buyerEntitled: flag,
  kycStatus: text,
  emdStatus: text,
  expiresAt: lapse,
  blocked: flag,
  approvalLimit: text.nullable(),
  buyerLimit: text,
  emdAmount: text,
  limitUntil: lapse,
  emdUntil: lapse,
} satisfies Partial<Record<keyof AccessFacts, z.ZodType>>);
