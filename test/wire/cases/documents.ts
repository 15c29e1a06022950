import { KEY } from '../../support/clients.js';
import { both, type WireCase } from '../case.js';
import { commandReplies, further, pageReplies, record, recordReplies } from '../replies.js';

const document = record({
  id: 'doc_3',
  kind: 'document',
  state: 'awaiting_scan',
  data: {
    sale_id: 'sale_5',
    purpose: 'payment_evidence',
    filename: 'slip "1".pdf',
    mime: 'application/pdf',
    bytes: 7,
    digest: '5d41402abc4b2a76b9719d911017c592ae3d1f3b8b1e2c3d4e5f60718293a4b5',
  },
});

const ready = {
  ...document,
  state: 'ready',
  data: {
    ...document.data,
    download_url: 'https://bank.example/api/v1/documents/doc_3?download=1',
  },
};

const notification = {
  id: 'ntf_1',
  type: 'sale.approved',
  subject: 'Sale approved',
  resource_version: 3,
  created_at: '2026-03-02T05:59:30+00:00',
  acknowledgment: null,
  ...further,
};

const acknowledged = {
  ...notification,
  id: 'ntf_2',
  subject: { kind: 'sale', id: 'sale_5' },
  acknowledgment: { status: 'read' },
};

const acknowledgment = record({
  id: 'ack_1',
  kind: 'notification_ack',
  state: 'recorded',
  data: { status: 'read', external_reference: 'inbox-17' },
});

const subscription = { id: 'whs_1', secret: 'whsec_only_once', events: ['sale.approved'], ...further };

export const documents: readonly WireCase[] = [
  {
    // rule: state.document, notification.evidence
    operation: 'documents.upload',
    id: 'A72',
    route: 'POST /document-uploads',
    wire: 'POST /api/v1/document-uploads',
    effect: 'command',
    calls: [
      {
        name: 'with every field',
        by: both((client, options) =>
          client.documents.upload(
            {
              sale_id: 'sale_5',
              purpose: 'payment_evidence',
              filename: 'slip "1".pdf',
              content_base64: 'JVBERi0x+/8=',
            },
            options,
          ),
        ),
        body: `{"sale_id":"sale_5","purpose":"payment_evidence","filename":"slip \\"1\\".pdf","content_base64":"JVBERi0x+/8=","idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(document),
  },
  {
    // rule: state.document, notification.evidence
    operation: 'documents.get',
    id: 'A73',
    route: 'GET /documents/{document}',
    wire: 'GET /api/v1/documents/doc_3',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.documents.get('doc_3')) }],
    replies: [...recordReplies(document), ...recordReplies(ready)],
  },
  {
    // rule: notification.evidence
    operation: 'documents.download',
    id: 'A73',
    route: 'GET /documents/{document}',
    wire: 'GET /api/v1/documents/doc_3',
    effect: 'read',
    binary: true,
    calls: [
      {
        name: 'by id',
        by: both((client) => client.documents.download('doc_3')),
        query: 'download=1',
      },
    ],
    replies: [
      {
        name: 'the file',
        headers: {
          'content-type': 'application/pdf',
          'content-disposition': 'attachment; filename="slip.pdf"',
        },
        bytes: Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff]),
        result: {
          contentType: 'application/pdf',
          contentLength: 6,
          contentDisposition: 'attachment; filename="slip.pdf"',
          bytes: '2550444600ff',
        },
      },
    ],
  },
  {
    // rule: page.inbox, notification.duplicates, notification.inbox
    operation: 'notifications.list',
    id: 'A74',
    route: 'GET /notifications',
    wire: 'GET /api/v1/notifications',
    effect: 'read',
    calls: [
      {
        name: 'with a page',
        by: both((client) => client.notifications.list({ page: 2 }).firstPage()),
        query: 'page=2',
      },
      { name: 'without', by: both((client) => client.notifications.list().firstPage()) },
    ],
    replies: pageReplies(notification, acknowledged),
  },
  {
    // rule: notification.inbox
    operation: 'notifications.acknowledge',
    id: 'A75',
    route: 'POST /notifications/{notification}/acknowledgments',
    wire: 'POST /api/v1/notifications/ntf_1/acknowledgments',
    effect: 'command',
    calls: [
      {
        name: 'with every field',
        by: {
          platform: (client, options) =>
            client.notifications.acknowledge(
              'ntf_1',
              { status: 'read', external_reference: 'inbox-17' },
              options,
            ),
        },
        body: `{"status":"read","external_reference":"inbox-17","idempotency_key":"${KEY}"}`,
      },
      {
        name: 'with what it must have',
        by: {
          platform: (client, options) =>
            client.notifications.acknowledge('ntf_1', { status: 'delivered' }, options),
        },
        body: `{"status":"delivered","idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(acknowledgment),
  },
  {
    operation: 'webhookSubscriptions.create',
    id: 'A13',
    route: 'POST /webhook-subscriptions',
    wire: 'POST /api/v1/webhook-subscriptions',
    effect: 'command',
    calls: [
      {
        name: 'with every field',
        by: both((client, options) =>
          client.webhookSubscriptions.create(
            {
              name: 'Winners',
              url: 'https://partner.example/hooks?x=1',
              events: ['sale.approved', 'vehicle.collected'],
            },
            options,
          ),
        ),
        body: `{"name":"Winners","url":"https://partner.example/hooks?x=1","events":["sale.approved","vehicle.collected"],"idempotency_key":"${KEY}"}`,
      },
    ],
    replies: [
      {
        name: 'whole, with its secret, which comes once',
        json: { data: subscription, request_id: 'req_2', server_time: '2026-03-02T06:00:00+00:00' },
        result: { data: subscription, request_id: 'req_2', server_time: '2026-03-02T06:00:00+00:00' },
        info: { requestId: 'req_2', serverTime: '2026-03-02T06:00:00+00:00' },
      },
      {
        name: 'replayed',
        headers: { 'Idempotent-Replayed': 'true' },
        json: { data: subscription, request_id: 'req_2' },
        result: { data: subscription, request_id: 'req_2' },
        info: { requestId: 'req_2', replayed: true },
      },
      {
        name: 'with the secret beside `data`, so that none is lost',
        status: 201,
        json: { data: { id: 'whs_1' }, secret: 'whsec_1' },
        result: { data: { id: 'whs_1' }, secret: 'whsec_1' },
      },
      { name: 'without `data`', json: subscription, result: subscription },
    ],
  },
];
