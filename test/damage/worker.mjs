// A process that works until it is killed: it recovers, then places bids and batches and sends commands, each of them
// again where a process before it was to do so. It prints what it is told.
import { bankClient, createVehicle, dealerClient, nextOrder, say, storeAt } from './program.mjs';

const { baseUrl, dealer, bank: bankCredentials, store: where, resend, deadline } = await nextOrder();

const common = { baseUrl, store: storeAt(where), deadline, randomness: { fraction: () => 0 } };
const partner = dealerClient({ ...common, credentials: dealer, account: 'dealer' });
const bank = bankClient({ ...common, credentials: bankCredentials, account: 'bank' });

say('ready');
try {
  await recover();
  for (let order = await nextOrder(); order !== undefined; order = await nextOrder()) {
    if (order.type === 'list') await list();
    else await work(order);
  }
  await Promise.all([partner.close(), bank.close()]);
} catch (error) {
  sayError('ended', {}, error);
  // Whoever waits for more of it must not wait for ever.
  process.exit(1);
}

async function recover() {
  const recovered = await Promise.all([partner.recover({ resend }), bank.recover({ resend })]);
  for (const outcome of recovered.flat()) {
    say('recovered', { status: outcome.status });
    if (outcome.call === 'bids.place') sayOutcome(outcome);
  }
  say('recovery over');
}

/** What is still open once everybody has recovered. */
async function list() {
  const all = await Promise.all(
    [partner, bank].map(({ intents }) => intents.list({ limit: 1_000 }).toArray()),
  );
  const open = all.flat().filter(({ state }) => ['ready', 'sent', 'stuck'].includes(state));
  say('open', { open: open.map(({ idempotencyKey: key, state, call }) => ({ key, state, call })) });
}

/** All kinds at once, and of each kind one after the other; bids three at a time. */
async function work({ tasks }) {
  const of = (kind) => tasks.filter((task) => task.kind === kind);
  await Promise.all([
    inTurn(groupsOfThree(of('bid')), (bids) => Promise.all(bids.map(place))),
    inTurn(of('submit'), submit),
    inTurn(of('batch'), placeBatch),
    inTurn(of('vehicle'), manageVehicle),
  ]);
  say('finished');
}

async function inTurn(tasks, perform) {
  for (const task of tasks) await perform(task);
}

function groupsOfThree(tasks) {
  return Array.from({ length: Math.ceil(tasks.length / 3) }, (_, n) => tasks.slice(n * 3, n * 3 + 3));
}

async function place({ id: key, lot, amount, placeBy }) {
  try {
    sayOutcome(await partner.bids.place({ lot, amount, placeBy }, { idempotencyKey: key }));
  } catch (error) {
    sayError('failed', { task: 'bid', id: key }, error);
  }
}

async function submit({ id, lot, amount }) {
  try {
    const receipt = await partner.runOnce(['submit', lot, amount], (idempotencyKey) =>
      partner.bids.submit(lot, { amount }, { idempotencyKey }),
    );
    say('submitted', { id, status: 'accepted', recordId: receipt.bid_id });
  } catch (error) {
    if (error.name === 'BidRejectedError') say('submitted', { id, status: 'rejected' });
    else sayError('failed', { task: 'submit', id }, error);
  }
}

async function placeBatch({ id: batchId, rows }) {
  const run = partner.bids.placeAll(rows, { batchId });
  for await (const { rowId, status, idempotencyKey: key, error, what } of run) {
    if (status === 'error') sayError('failed', { task: 'row', id: rowId }, error);
    else say('row', { id: rowId, status, key, what });
  }
  const { stopped } = await run.summary;
  if (stopped !== undefined)
    sayError('failed', { task: 'batch', id: batchId }, { name: 'BatchStop', ...stopped });
}

/** Two commands: the second needs the version that the first has returned. */
async function manageVehicle({ id, schemaVersion }) {
  try {
    const created = await createVehicle(bank, { name: id, schemaVersion });
    const { vehicle_id: vehicleId, inventory_version: expected_version } = created.data;
    say('created', { id, recordId: created.id });
    const changes = { title: `${id}, updated`, expected_version };
    const updated = await bank.runOnce(['update', id], (idempotencyKey) =>
      bank.inventory.updateVehicle(vehicleId, changes, { idempotencyKey }),
    );
    say('updated', { id, recordId: updated.id });
  } catch (error) {
    sayError('failed', { task: 'vehicle', id }, error);
  }
}

function sayOutcome({ idempotencyKey: key, status, reason, what }) {
  say('told', { key, status, reason, what });
}

function sayError(type, facts, { name, reason, outcome, message, what }) {
  say(type, { ...facts, name, reason: reason ?? facts.reason, outcome, message: message ?? what });
}
