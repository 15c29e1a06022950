import { KEY } from '../../support/clients.js';
import { asks, sends, type WireCase, wire } from '../case.js';
import {
  commandReplies,
  fileReply,
  further,
  pageReplies,
  record,
  recordReplies,
  SERVER_TIME,
} from '../replies.js';

const document = record('doc_3', 'document', 'awaiting_scan', {
  sale_id: 'sale_5',
  purpose: 'payment_evidence',
  filename: 'slip "1".pdf',
  mime: 'application/pdf',
  bytes: 7,
  digest: '5d41402abc4b2a76b9719d911017c592ae3d1f3b8b1e2c3d4e5f60718293a4b5',
});
const download_url = 'https://bank.example/api/v1/documents/doc_3?download=1';
const ready = { ...document, state: 'ready', data: { ...document.data, download_url } };

const upload = {
  sale_id: 'sale_5',
  purpose: 'payment_evidence',
  filename: 'slip "1".pdf',
  content_base64: 'JVBERi0x+/8=',
  idempotency_key: KEY,
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

const mark = { status: 'read', external_reference: 'inbox-17' };
const acknowledgment = record('ack_1', 'notification_ack', 'recorded', mark);

const subscription = { id: 'whs_1', secret: 'whsec_only_once', events: ['sale.approved'], ...further };
const subscribed = { data: subscription, request_id: 'req_2' };

export const documents: readonly WireCase[] = [
  // rule: state.document, notification.evidence
  wire(
    'documents.upload A72 POST /document-uploads documents:write bank,partner',
    [],
    [sends(upload)],
    commandReplies(document),
  ),
  // rule: state.document, notification.evidence
  wire(
    'documents.get A73 GET /documents/{document} documents:read bank,partner',
    ['doc_3'],
    [asks()],
    [...recordReplies(document), ...recordReplies(ready)],
  ),
  // rule: notification.evidence
  wire(
    'documents.download A73 GET /documents/{document} documents:read bank,partner',
    ['doc_3'],
    [asks(undefined, 'download=1')],
    [
      fileReply(
        'application/pdf',
        'attachment; filename="slip.pdf"',
        Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff]),
      ),
    ],
  ),
  // rule: page.inbox, notification.duplicates, notification.inbox
  wire(
    'notifications.list A74 GET /notifications notifications:read bank,partner',
    [],
    [asks({ page: 2 }, 'page=2'), asks()],
    pageReplies(notification, acknowledged),
  ),
  // rule: notification.inbox
  wire(
    'notifications.acknowledge A75 POST /notifications/{notification}/acknowledgments notifications:acknowledge partner',
    ['ntf_1'],
    [sends({ ...mark, idempotency_key: KEY }), sends({ status: 'delivered', idempotency_key: KEY })],
    commandReplies(acknowledgment),
  ),
  wire(
    'webhookSubscriptions.create A13 POST /webhook-subscriptions webhooks:manage -',
    [],
    [
      sends({
        name: 'Winners',
        url: 'https://partner.example/hooks?x=1',
        events: ['sale.approved', 'vehicle.collected'],
        idempotency_key: KEY,
      }),
    ],
    [
      {
        name: 'whole, with its secret, which comes once',
        json: { ...subscribed, server_time: SERVER_TIME },
        result: { ...subscribed, server_time: SERVER_TIME },
        info: { requestId: 'req_2', serverTime: SERVER_TIME },
      },
      {
        name: 'replayed',
        headers: { 'Idempotent-Replayed': 'true' },
        json: subscribed,
        result: subscribed,
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
  ),
];
