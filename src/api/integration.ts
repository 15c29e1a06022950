import * as z from 'zod';
import { openEnum } from './common.js';
import { nullable, optional } from './fields.js';
import { read, resource } from './operation.js';

export const ProfileOperation = z
  .object({
    id: z.string().describe('Operation id as the service lists it, such as `A06`.'),
    method: optional.text('HTTP method.'),
    path: optional.text('Path of the operation.'),
    scope: optional.text('Scope that it needs.'),
    title: optional.text('Human-readable title.'),
    actors: optional.of(z.array(z.string()), 'Actors that may call it: `bank`, `partner`.'),
  })
  .meta({ title: 'An operation that these credentials may call.', section: 'Non-record read shapes' });

export const Profile = z
  .object({
    environment: optional.text('Environment that the credentials belong to.'),
    bank_id: optional.text('The bank that issued the credentials.'),
    partner_id: nullable.text('The partner; not an id to bid with.'),
    client_id: z.string().describe('The API client that signed this call.'),
    actor_type: optional.of(openEnum('bank', 'partner'), 'Which side these credentials act for.'),
    partner_type: nullable.text('Kind of partner: direct dealer, platform or aggregator.'),
    dealer_id: nullable.text('The bidding dealer id linked to the credentials.'),
    scopes: optional.of(z.array(z.string()), 'Granted scopes. New scopes are never granted automatically.'),
    operations: optional.of(z.array(ProfileOperation), 'Operations permitted to these credentials.'),
  })
  .meta({
    title: 'Identity and permissions of these credentials. Never holds a signing secret.',
    section: 'Non-record read shapes',
  });

export const BidVisibility = z
  .object({
    open: optional.text('Policy of open auctions.'),
    closed: optional.text('Policy of closed auctions.'),
  })
  .meta({ title: 'Visibility of bids to other bidders.', section: 'Non-record read shapes' });

export const FeatureSwitch = z
  .object({ enabled: optional.flag('Whether the feature is on.') })
  .meta({ title: 'Whether a feature is switched on.', section: 'Non-record read shapes' });

export const Capabilities = z
  .object({
    api_versions: optional.of(z.array(z.string()), 'Interface versions, such as `v1`.'),
    policy_version: optional.of(z.union([z.string(), z.number()]), "Version of the bank's policies."),
    bid_visibility: optional.of(BidVisibility, 'Visibility of bids to other bidders, by auction type.'),
    cancellation_mode: optional.text('How bid cancellations are decided.'),
    sale_approval: optional.text('How sales are approved.'),
    payment_verification: optional.text('How payments are verified.'),
    webhooks: optional.of(FeatureSwitch, 'Whether webhook delivery is on.'),
    realtime: optional.of(FeatureSwitch, 'Whether realtime sessions are on.'),
    operations: optional.of(
      z.array(z.unknown()),
      'Operations of the service; the item shape is undocumented.',
    ),
  })
  .meta({ title: 'Capabilities of this deployment.', section: 'Non-record read shapes' });

export const integration = resource(
  'integration',
  'Identity of the credentials and capabilities of the deployment.',
  {
    profile: read({
      id: 'A01',
      path: '/integration/profile',
      scope: 'integration:read',
      actors: ['bank', 'partner'],
      summary:
        'Reads the identity of these credentials: environment, bank, partner, dealer, scopes, permitted operations.',
      notes: ['The cheapest call to test signing.'],
      section: 'Integration, eligibility, bids, lot status',
      reply: Profile,
    }),
    capabilities: read({
      id: 'A02',
      path: '/integration/capabilities',
      scope: 'integration:read',
      actors: ['bank', 'partner'],
      summary: 'Reads the capabilities of this deployment: versions, policies, webhooks and realtime.',
      section: 'Integration, eligibility, bids, lot status',
      reply: Capabilities,
    }),
  },
);
