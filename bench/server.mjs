// A bare server in a process of its own, so that its CPU time is not counted. Each client gets the same record and the same
// page of 25 in the form that it expects; bids are accepted.
import { createServer } from 'node:http';

const event = {
  id: 'auc_bench',
  name: 'Bench',
  reference: 'x'.repeat(600),
  distribution_mode: 'syndicated',
  bid_type: 'open',
  status: 'live',
  timezone: 'Asia/Kolkata',
  starts_at: '2026-03-01T10:30:00+05:30',
  ends_at: '2026-03-01T12:30:00+05:30',
  bid_increment: '5000.00',
  eligible_lots_count: 40,
  revision: 7,
};
const lots = Array.from({ length: 25 }, (_, index) => ({
  id: `lot_${index}`,
  auction_id: 'auc_bench',
  vehicle_details: {
    Registration: `MH 12 AB ${1000 + index}`,
    Fuel: 'Diesel',
    Odometer: 48_211,
    'Bank remarks': 'y'.repeat(300),
  },
  images: Array.from(
    { length: 6 },
    (_, at) => `https://bank.example/api/v1/events/auc_bench/lots/lot_${index}/media/${at}`,
  ),
  documents: [],
  public_fields: {},
  registration_number: `MH 12 AB ${1000 + index}`,
  make: 'Mahindra',
  model: 'Bolero',
  year: 2021,
  region: 'West',
  vehicle_type: 'suv',
  starting_price: '400000.00',
  own_amount: null,
  bidder_status: 'no_bid',
  channel_status: 'no_bid',
  provisional: true,
  highest_amount: '465000.00',
}));
const profile = {
  environment: 'sandbox',
  client_id: 'cl_bench',
  actor_type: 'partner',
  partner_type: 'direct_dealer',
  dealer_id: 'D-204',
};
const place = { current_page: 1, last_page: 1, per_page: 25, total: 25 };
const attributes = Object.fromEntries(
  Object.entries(event).map(([name, value]) => [name, { S: String(value) }]),
);

/** What is served under each path; the first that matches. */
const replies = [
  [/^\/api\/v1\/events\/auc_bench$/, { data: event }],
  [/^\/api\/v1\/events\/auc_bench\/lots/, { data: lots, ...place }],
  [/^\/v1\/customers\/cus_/, { ...event, object: 'customer' }],
  [/^\/v1\/customers/, { object: 'list', url: '/v1/customers', has_more: false, data: lots }],
  [/^\/openai\/models\//, { ...event, object: 'model' }],
  [/^\/openai\/files/, { object: 'list', has_more: false, data: lots }],
  [/^\/octokit\/repos\/o\/r$/, event],
  [/^\/octokit\/repos\/o\/r\/issues/, lots],
  [/^\/aws\//, { Item: attributes }, 'application/x-amz-json-1.0'],
  [/^\/api\/v1\/integration/, { data: profile }],
].map(([path, json, type]) => [path, replyOf(200, json, type)]);

let writes = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const found = replies.find(([path]) => path.test(request.url))?.[1];
    const { status, headers, body } = found ?? written(request.url);
    response.writeHead(status, headers);
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
process.on('disconnect', () => process.exit());

/** Ids are the service's evidence for one write: no two have the same. */
function written(url) {
  writes += 1;
  const bid = {
    request_id: `req_${writes}`,
    bid_id: `bid_${writes}`,
    status: 'accepted',
    lot_version: 7,
    replayed: false,
  };
  const document = { id: `doc_${writes}`, type: 'document', state: 'awaiting_scan', resource_version: 1 };
  const [status, data] = url.includes('document') ? [200, document] : [201, bid];
  return replyOf(status, {
    success: true,
    code: 'OK',
    message: 'OK.',
    data,
    errors: [],
    request_id: `req_${writes}`,
  });
}

function replyOf(status, json, type = 'application/json') {
  const body = Buffer.from(JSON.stringify(json));
  return { status, body, headers: { 'content-type': type, 'content-length': body.length } };
}
