import { KEY } from '../../support/clients.js';
import { both, type WireCase } from '../case.js';
import { commandReplies, further, readReplies, record, recordReplies } from '../replies.js';

/** What stands in for the sale of a command; the rest of a sale is of no account here. */
const sale = { id: 'sale_5', kind: 'sale', resource_version: 7 };

const release = record({
  id: 'rel_1',
  kind: 'release',
  state: 'valid',
  data: {
    recipient: { name: 'A. Rao' },
    yard: 'Yard 4, Bengaluru',
    expires_at: '2026-03-10T18:00:00+05:30',
    collection_date: '2026-03-09',
    sale_id: 'sale_5',
  },
});

const revoked = { ...release, state: 'revoked', data: { ...release.data, reason: 'Wrong yard' } };

const used = {
  ...release,
  state: 'used',
  data: { ...release.data, collector: 'A. Rao', vehicle_identity: { chassis: 'MA3X' }, evidence_id: 'doc_5' },
};

const transfer = record({
  id: 'tra_1',
  kind: 'transfer',
  state: 'submitted',
  data: {
    status: 'submitted',
    responsible_party: 'buyer',
    reason: 'Papers handed in',
    evidence_id: 'doc_6',
    document_checklist: ['form 29', 'form 30'],
    occurred_at: '2026-03-12T10:00:00+05:30',
    sale_id: 'sale_5',
    verification: 'operator_reported',
    government_verified: false,
  },
});

const transferStatus = {
  sale_id: 'sale_5',
  state: 'not_started',
  government_verified: false,
  milestones: [],
  resource_version: 1,
  ...further,
};

const authorization = {
  recipient: { name: 'A. Rao' },
  yard: 'Yard 4, Bengaluru',
  expires_at: '2026-03-10T18:00:00+05:30',
  collection_date: '2026-03-09',
};

const authorizationBody = `{"recipient":{"name":"A. Rao"},"yard":"Yard 4, Bengaluru","expires_at":"2026-03-10T18:00:00+05:30","collection_date":"2026-03-09","idempotency_key":"${KEY}","expected_version":7}`;

const collection = { collector: 'A. Rao', vehicle_identity: { chassis: 'MA3X' }, evidence_id: 'doc_5' };

const collectionBody = `{"collector":"A. Rao","vehicle_identity":{"chassis":"MA3X"},"evidence_id":"doc_5","idempotency_key":"${KEY}","expected_version":7}`;

const milestone = {
  status: 'submitted',
  responsible_party: 'buyer',
  reason: 'Papers handed in',
  evidence_id: 'doc_6',
  document_checklist: ['form 29', 'form 30'],
  occurred_at: '2026-03-12T10:00:00+05:30',
};

const milestoneBody = `{"status":"submitted","responsible_party":"buyer","reason":"Papers handed in","evidence_id":"doc_6","document_checklist":["form 29","form 30"],"occurred_at":"2026-03-12T10:00:00+05:30","idempotency_key":"${KEY}","expected_version":7}`;

export const releases: readonly WireCase[] = [
  {
    // rule: state.release
    operation: 'saleCases.authorizeRelease',
    id: 'A52',
    route: 'POST /sale-cases/{sale}/release-authorizations',
    wire: 'POST /api/v1/sale-cases/sale_5/release-authorizations',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.saleCases.authorizeRelease('sale_5', { ...authorization, expected_version: 7 }, options),
        },
        body: authorizationBody,
      },
      {
        name: 'by the record',
        by: {
          bank: (client, options) => client.saleCases.authorizeRelease(sale, authorization, options),
        },
        body: authorizationBody,
      },
    ],
    replies: commandReplies(release),
  },
  {
    // rule: state.release
    operation: 'releases.get',
    id: 'A53',
    route: 'GET /release-authorizations/{release}',
    wire: 'GET /api/v1/release-authorizations/rel_1',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.releases.get('rel_1')) }],
    replies: [
      ...recordReplies(release),
      ...recordReplies(used),
      ...recordReplies({ ...release, state: 'expired' }),
    ],
  },
  {
    // rule: state.release
    operation: 'releases.revoke',
    id: 'A54',
    route: 'POST /release-authorizations/{release}/revocations',
    wire: 'POST /api/v1/release-authorizations/rel_1/revocations',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.releases.revoke('rel_1', { reason: 'Wrong yard', expected_version: 7 }, options),
        },
        body: `{"reason":"Wrong yard","idempotency_key":"${KEY}","expected_version":7}`,
      },
      {
        name: 'by the record',
        by: {
          bank: (client, options) => client.releases.revoke(release, { reason: 'Wrong yard' }, options),
        },
        body: `{"reason":"Wrong yard","idempotency_key":"${KEY}","expected_version":7}`,
      },
      {
        name: 'with what it must have',
        by: {
          bank: (client, options) => client.releases.revoke('rel_1', { expected_version: 7 }, options),
        },
        body: `{"idempotency_key":"${KEY}","expected_version":7}`,
      },
    ],
    replies: commandReplies(revoked),
  },
  {
    // rule: state.release
    operation: 'releases.collect',
    id: 'A56',
    route: 'POST /release-authorizations/{release}/collections',
    wire: 'POST /api/v1/release-authorizations/rel_1/collections',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.releases.collect('rel_1', { ...collection, expected_version: 7 }, options),
        },
        body: collectionBody,
      },
      {
        name: 'by the record',
        by: { bank: (client, options) => client.releases.collect(release, collection, options) },
        body: collectionBody,
      },
    ],
    replies: commandReplies(used),
  },
  {
    // rule: state.transfer
    operation: 'saleCases.updateTransfer',
    id: 'A57',
    route: 'POST /sale-cases/{sale}/transfer-updates',
    wire: 'POST /api/v1/sale-cases/sale_5/transfer-updates',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.saleCases.updateTransfer('sale_5', { ...milestone, expected_version: 7 }, options),
        },
        body: milestoneBody,
      },
      {
        name: 'by the record',
        by: { bank: (client, options) => client.saleCases.updateTransfer(sale, milestone, options) },
        body: milestoneBody,
      },
    ],
    replies: commandReplies(transfer),
  },
  {
    // rule: state.transfer
    operation: 'saleCases.transferStatus',
    id: 'A58',
    route: 'GET /sale-cases/{sale}/transfer-status',
    wire: 'GET /api/v1/sale-cases/sale_5/transfer-status',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.saleCases.transferStatus('sale_5')) }],
    replies: [
      ...readReplies(transferStatus),
      ...readReplies({ ...transferStatus, state: 'submitted', milestones: [{ anything: 1 }, 'text'] }),
    ],
  },
];
