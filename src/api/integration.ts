import * as z from 'zod';
import { openEnum } from './common.js';
import type { Resource } from './operation.js';

export const ProfileOperation = z
  .object({
    id: z.string().describe('Operation id as the service lists it, such as `A06`.'),
    method: z.string().optional().describe('HTTP method.'),
    path: z.string().optional().describe('Path of the operation.'),
    scope: z.string().optional().describe('Scope that it needs.'),
    title: z.string().optional().describe('Human-readable title.'),
    actors: z.array(z.string()).optional().describe('Actors that may call it: `bank`, `partner`.'),
  })
  .meta({ title: 'An operation that these credentials may call.', section: 'Non-record read shapes' });

export const Profile = z
  .object({
    environment: z.string().optional().describe('Environment that the credentials belong to.'),
    bank_id: z.string().optional().describe('The bank that issued the credentials.'),
    partner_id: z.string().nullable().optional().describe('The partner; not an id to bid with.'),
    client_id: z.string().describe('The API client that signed this call.'),
    actor_type: openEnum('bank', 'partner').optional().describe('Which side these credentials act for.'),
    partner_type: z
      .string()
      .nullable()
      .optional()
      .describe('Kind of partner: direct dealer, platform or aggregator.'),
    dealer_id: z.string().nullable().optional().describe('The bidding dealer id linked to the credentials.'),
    scopes: z
      .array(z.string())
      .optional()
      .describe('Granted scopes; new ones are never added by themselves.'),
    operations: z.array(ProfileOperation).optional().describe('Operations permitted to these credentials.'),
  })
  .meta({
    title: 'Who these credentials are and what they may do. Never holds a signing secret.',
    section: 'Non-record read shapes',
  });

export const BidVisibility = z
  .object({
    open: z.string().optional().describe('Policy of open auctions.'),
    closed: z.string().optional().describe('Policy of closed auctions.'),
  })
  .meta({ title: 'What bidders see of each other.', section: 'Non-record read shapes' });

export const FeatureSwitch = z
  .object({ enabled: z.boolean().optional().describe('Whether the feature is on.') })
  .meta({ title: 'Whether a feature is switched on.', section: 'Non-record read shapes' });

export const Capabilities = z
  .object({
    api_versions: z.array(z.string()).optional().describe('Interface versions, such as `v1`.'),
    policy_version: z.union([z.string(), z.number()]).optional().describe("Version of the bank's policies."),
    bid_visibility: BidVisibility.optional().describe('What bidders see of each other, by auction type.'),
    cancellation_mode: z.string().optional().describe('How bid cancellations are decided.'),
    sale_approval: z.string().optional().describe('How sales are approved.'),
    payment_verification: z.string().optional().describe('How payments are verified.'),
    webhooks: FeatureSwitch.optional().describe('Whether webhook delivery is on.'),
    realtime: FeatureSwitch.optional().describe('Whether realtime sessions are on.'),
    operations: z.array(z.unknown()).optional().describe('Operations of the service; item shape not shown.'),
  })
  .meta({ title: 'What this deployment supports.', section: 'Non-record read shapes' });

export const integration = {
  name: 'integration',
  summary: 'Who the credentials are and what the deployment can do.',
  operations: {
    profile: {
      id: 'A01',
      method: 'GET',
      path: '/integration/profile',
      scope: 'integration:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary:
        'Reads who these credentials are: environment, bank, partner, dealer, scopes, permitted operations.',
      notes: ['The cheapest call that proves that signing works.'],
      section: 'Integration, eligibility, bids, lot status',
      success: [200],
      envelope: 'read',
      reply: Profile,
      refusals: [],
    },
    capabilities: {
      id: 'A02',
      method: 'GET',
      path: '/integration/capabilities',
      scope: 'integration:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary:
        'Reads what this deployment supports: versions, policies, whether webhooks and realtime are on.',
      section: 'Integration, eligibility, bids, lot status',
      success: [200],
      envelope: 'read',
      reply: Capabilities,
      refusals: [],
    },
  },
} as const satisfies Resource;
