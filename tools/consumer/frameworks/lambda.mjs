import { createInterface } from 'node:readline';
import { PartnerClient } from 'vehicle-auction-sdk';

// A client outside the handler serves all invocations of one instance.
const auction = new PartnerClient({ environment: 'sandbox', partnerType: 'direct_dealer' });

async function handler({ lot, amount }) {
  const { status } = await auction.bids.place({ lot, amount });
  return { status };
}

// The runtime of Lambda: one invocation after the other. The instance is frozen after each reply.
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await handler(JSON.parse(line))));
}
await auction.close();
