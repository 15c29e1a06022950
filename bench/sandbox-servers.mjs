// The sandbox, or a bare server, in a process of its own, so that only its own CPU time is counted.
import { createServer } from 'node:http';

const served = { sandbox: serveSandbox, bare: serveBare };
const answer = await served[process.argv[2]]();
process.on('message', async (message) =>
  process.send({ ...(await answer(message)), cpu: process.cpuUsage() }),
);
process.on('disconnect', () => process.exit());
process.send('ready');

/** Tells where it is, whom to sign for, and the lots of an auction. */
async function serveSandbox() {
  const { startSandbox } = await import('vehicle-auction-sdk/sandbox');
  const sandbox = await startSandbox({ clock: 'manual', rateLimit: false });
  const { dealer } = sandbox.credentials;
  sandbox.partners.update(dealer.clientId, { buyerLimit: '900000000000.00' });
  const { port } = new URL(sandbox.baseUrl);
  const now = sandbox.clock.now();
  return () => ({
    port: Number(port),
    dealer,
    now,
    lots: sandbox.auctions.get('live-open').lots,
  });
}

/** Reads every request to its end and answers it with the status and body that it was told last. */
async function serveBare() {
  let told = { status: 200, body: '' };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      Buffer.concat(chunks);
      const body = Buffer.from(told.body);
      response.writeHead(told.status, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (message) => {
    told = message.reply ?? told;
    return { port: server.address().port };
  };
}
