import { KEY } from '../../support/clients.js';
import { asks, sends, type WireCase, wire } from '../case.js';
import { commandOn, further, readReplies, record, recordReplies } from '../replies.js';

/** What stands in for the sale of a command; the rest of a sale is of no account here. */
const sale = { id: 'sale_5', kind: 'sale', resource_version: 7 };
const key = { idempotency_key: KEY, expected_version: 7 };

const authorization = {
  recipient: { name: 'A. Rao' },
  yard: 'Yard 4, Bengaluru',
  expires_at: '2026-03-10T18:00:00+05:30',
  collection_date: '2026-03-09',
};
const release = record('rel_1', 'release', 'valid', { ...authorization, sale_id: 'sale_5' });

const reason = { reason: 'Wrong yard' };
const revoked = { ...release, state: 'revoked', data: { ...release.data, ...reason } };

const collection = { collector: 'A. Rao', vehicle_identity: { chassis: 'MA3X' }, evidence_id: 'doc_5' };
const used = { ...release, state: 'used', data: { ...release.data, ...collection } };

const milestone = {
  status: 'submitted',
  responsible_party: 'buyer',
  reason: 'Papers handed in',
  evidence_id: 'doc_6',
  document_checklist: ['form 29', 'form 30'],
  occurred_at: '2026-03-12T10:00:00+05:30',
};
const transfer = record('tra_1', 'transfer', 'submitted', {
  ...milestone,
  sale_id: 'sale_5',
  verification: 'operator_reported',
  government_verified: false,
});

const transferStatus = {
  sale_id: 'sale_5',
  state: 'not_started',
  government_verified: false,
  milestones: [],
  resource_version: 1,
  ...further,
};

export const releases: readonly WireCase[] = [
  // rule: state.release
  commandOn(
    'saleCases.authorizeRelease A52 POST /sale-cases/{sale}/release-authorizations release:approve bank',
    sale,
    { ...authorization, ...key },
    release,
  ),
  // rule: state.release
  wire(
    'releases.get A53 GET /release-authorizations/{release} release:read bank,partner',
    ['rel_1'],
    [asks()],
    [...recordReplies(release), ...recordReplies(used), ...recordReplies({ ...release, state: 'expired' })],
  ),
  // rule: state.release
  commandOn(
    'releases.revoke A54 POST /release-authorizations/{release}/revocations release:revoke bank',
    release,
    { ...reason, ...key },
    revoked,
    sends(key),
  ),
  // rule: state.release
  commandOn(
    'releases.collect A56 POST /release-authorizations/{release}/collections collection:confirm bank',
    release,
    { ...collection, ...key },
    used,
  ),
  // rule: state.transfer
  commandOn(
    'saleCases.updateTransfer A57 POST /sale-cases/{sale}/transfer-updates transfer:write bank',
    sale,
    { ...milestone, ...key },
    transfer,
  ),
  // rule: state.transfer
  wire(
    'saleCases.transferStatus A58 GET /sale-cases/{sale}/transfer-status transfer:read bank,partner',
    ['sale_5'],
    [asks()],
    [
      ...readReplies(transferStatus),
      ...readReplies({ ...transferStatus, state: 'submitted', milestones: [{ anything: 1 }, 'text'] }),
    ],
  ),
];
