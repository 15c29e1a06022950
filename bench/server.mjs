// A bare server in a process of its own, so that its CPU time is not counted: the same 1 KB event for every read, and an
// acceptance for every bid.
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
const read = replyOf(200, { data: event });

let bids = 0;
const server = createServer((req, res) => {
  req.resume();
  const { status, headers, body } = req.method === 'POST' ? acceptance() : read;
  res.writeHead(status, headers);
  res.end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
process.on('disconnect', () => process.exit());

/** Ids are the service's evidence for one bid: no two have the same. */
function acceptance() {
  bids += 1;
  return replyOf(201, {
    success: true,
    code: 'BID_ACCEPTED',
    message: 'Bid accepted.',
    data: {
      request_id: `req_${bids}`,
      bid_id: `bid_${bids}`,
      status: 'accepted',
      lot_version: 7,
      replayed: false,
    },
    errors: [],
    request_id: `req_${bids}`,
  });
}

function replyOf(status, json) {
  const body = Buffer.from(JSON.stringify(json));
  return { status, body, headers: { 'content-type': 'application/json', 'content-length': body.length } };
}
