import { answerOf, at, type Exchange, isRecord, textAt } from './exchange.js';
import type { Inquiry } from './inquiry.js';
import { type Probe, seen } from './probe.js';
import { pendingSales, type SeenSale, salesOf, seenSale } from './sale-probes.js';

/** Probes that send commands about sales in a sandbox. */
export const commandProbes: readonly Probe[] = [
  {
    id: 'expected-version-conflict',
    by: 'writing',
    actor: 'partner',
    assumes: { 'a version that is not current': ['409 with a message'] },
    async *observe(ask) {
      const sale = await unacknowledged(ask);
      if (sale === undefined) return;
      const reply = await acknowledge(ask, sale, Number(sale.version) + 1_000);
      if (reply === undefined || reply.status < 400) return;
      const finding = versionRefusal(reply);
      if (finding !== undefined) yield seen('a version that is not current', finding, reply);
    },
  },
  {
    id: 'second-acknowledgment',
    by: 'writing',
    actor: 'partner',
    assumes: { 'A23 on an acknowledged sale': ['409'] },
    async *observe(ask) {
      const sale = await unacknowledged(ask);
      if (sale === undefined || (await acknowledge(ask, sale, Number(sale.version)))?.status !== 200) return;
      const again = await freshSale(ask, sale.id);
      if (again === undefined || textAt(again.data, 'acknowledged_at') === undefined) return;
      const reply = await acknowledge(ask, again, Number(again.version));
      if (
        reply !== undefined &&
        [200, 409, 422].includes(reply.status) &&
        versionRefusal(reply) === undefined
      )
        yield seen('A23 on an acknowledged sale', answerOf(reply), reply);
    },
  },
  {
    id: 'utr-reported-twice',
    by: 'writing',
    actor: 'partner',
    assumes: { 'A36 with a utr that was reported': ['409'] },
    async *observe(ask) {
      const sale = await approvedSale(ask);
      if (sale === undefined) return;
      const utr = { utr: `LEARN${ask.uuid().slice(0, 8)}` };
      if ((await reportPayment(ask, sale, utr))?.status !== 200) return;
      // A second report may be refused whatever its utr.
      if ((await reportPayment(ask, sale, {}))?.status !== 200) return;
      const reply = await reportPayment(ask, sale, utr);
      if (reply !== undefined && [200, 409, 422].includes(reply.status))
        yield seen('A36 with a utr that was reported', answerOf(reply), reply);
    },
  },
  {
    id: 'implausible-times',
    by: 'writing',
    assumes: { 'paid_at in the future': ['422'], 'valid_until in the past': ['422'] },
    async *observe(ask) {
      if (ask.actor === 'partner') {
        const sale = await approvedSale(ask);
        if (sale === undefined || (await reportPayment(ask, sale, {}))?.status !== 200) return;
        const reply = await reportPayment(ask, sale, { paid_at: timeIn(ask, 1) });
        if (isOn(reply, 'paid_at')) yield seen('paid_at in the future', answerOf(reply), reply);
        return;
      }
      const [sale] = await pendingSales(ask);
      if (sale === undefined) return;
      const reply = await offer(ask, sale, timeIn(ask, -1));
      if (isOn(reply, 'valid_until')) yield seen('valid_until in the past', answerOf(reply), reply);
    },
  },
  {
    id: 'dispute-sale-states',
    by: 'writing',
    actor: 'partner',
    assumes: { 'A50 on a sale that is not decided': ['taken'] },
    async *observe(ask) {
      const [sale] = await pendingSales(ask);
      if (sale === undefined) return;
      const body = { sale_id: sale.id, reason_code: 'OTHER', explanation: 'A trial of learn' };
      const reply = await ask.send({ method: 'POST', path: '/disputes', body });
      // A conflict may be about another dispute.
      if (reply?.status === 200 || (reply?.status === 409 && /approv|decid/i.test(reply.message ?? '')))
        yield seen('A50 on a sale that is not decided', answerOf(reply), reply);
    },
  },
  {
    id: 'document-base64-form',
    by: 'writing',
    assumes: {
      'without padding': ['422'],
      'URL-safe alphabet': ['422'],
      'with line breaks': ['422'],
    },
    async *observe(ask) {
      const [sale] = await salesOf(ask);
      if (sale === undefined || (await upload(ask, sale, 'YWI='))?.status !== 200) return;
      for (const [question, content] of [
        ['without padding', 'YWI'],
        ['URL-safe alphabet', '-_-_'],
        ['with line breaks', 'YWJj\nYWJj'],
      ] as const) {
        const reply = await upload(ask, sale, content);
        if (reply !== undefined && [200, 422].includes(reply.status))
          yield seen(question, answerOf(reply), reply);
      }
    },
  },
  {
    id: 'document-download-reply',
    by: 'writing',
    assumes: { 'a download before the scan': ['409'] },
    async *observe(ask) {
      const id = await unscanned(ask);
      if (id === undefined) return;
      const query = [['download', '1']] as const;
      const reply = await ask.byHand({ method: 'GET', path: `/documents/${id}`, query });
      // A scan may have ended in between.
      if (reply === undefined || reply.status < 400 || (await stateOf(ask, id)) !== 'awaiting_scan') return;
      yield seen('a download before the scan', String(reply.status), reply);
    },
  },
  {
    id: 'evidence-not-ready',
    by: 'writing',
    actor: 'partner',
    assumes: { 'evidence that is not scanned': ['422'] },
    async *observe(ask) {
      const sale = await approvedSale(ask);
      if (sale === undefined || (await reportPayment(ask, sale, {}))?.status !== 200) return;
      const id = await unscanned(ask, sale);
      if (id === undefined) return;
      const reply = await reportPayment(ask, sale, { evidence_id: id });
      if (reply === undefined || (await stateOf(ask, id)) !== 'awaiting_scan') return;
      if ([200, 409, 422].includes(reply.status))
        yield seen('evidence that is not scanned', answerOf(reply), reply);
    },
  },
  {
    id: 'new-record-version',
    by: 'writing',
    actor: 'bank',
    assumes: { 'the sale after A24': ['moves'] },
    async *observe(ask) {
      const [pending] = await pendingSales(ask);
      const before = pending === undefined ? undefined : await freshSale(ask, pending.id);
      if (before === undefined || (await offer(ask, before, timeIn(ask, 1)))?.status !== 200) return;
      const after = await freshSale(ask, before.id);
      if (after === undefined) return;
      const shown = { before: before.version, after: after.version };
      yield seen(
        'the sale after A24',
        before.version === after.version ? 'stays' : 'moves',
        after.reply,
        shown,
      );
    },
  },
  {
    id: 'decision-values',
    by: 'writing',
    actor: 'bank',
    assumes: { 'A22 with "rejected"': ['422'] },
    async *observe(ask) {
      const pending = (await pendingSales(ask)).at(-1);
      const sale = pending === undefined ? undefined : await freshSale(ask, pending.id);
      if (sale === undefined) return;
      const body = { decision: 'rejected', reason: 'A trial of learn', expected_version: sale.version };
      const reply = await ask.send({ method: 'POST', path: `/sale-cases/${sale.id}/decisions`, body });
      if (isOn(reply, 'decision')) yield seen('A22 with "rejected"', answerOf(reply), reply);
    },
  },
];

/** Whether a command was taken, or refused because of this field. */
function isOn(reply: Exchange | undefined, field: string): reply is Exchange {
  return reply?.status === 200 || (reply?.status === 422 && reply.fields.includes(field));
}

/** How a reply refuses a version; undefined if it may be about something else. */
function versionRefusal({ status, codes, fields, message }: Exchange): string | undefined {
  const code = codes.find((one) => one.includes('VERSION'));
  if (code !== undefined) return `${status} ${code}`;
  if (fields.includes('expected_version')) return `${status} on expected_version`;
  if (status === 412 || status === 428) return String(status);
  return status === 409 && /version/i.test(message ?? '') ? '409 with a message' : undefined;
}

function timeIn(ask: Inquiry, days: number): string {
  return new Date(ask.now() + days * 86_400_000).toISOString();
}

async function freshSale(ask: Inquiry, id: string): Promise<SeenSale | undefined> {
  return seenSale(await ask.send({ method: 'GET', path: `/sale-cases/${id}` }));
}

async function approvedSale(ask: Inquiry): Promise<SeenSale | undefined> {
  return (await salesOf(ask)).find(({ state }) => state === 'approved');
}

async function unacknowledged(ask: Inquiry): Promise<SeenSale | undefined> {
  const sales = (await salesOf(ask)).filter(({ state }) => state === 'approved');
  for (const { id } of sales) {
    const sale = await freshSale(ask, id);
    if (sale?.data['acknowledged_at'] === null) return sale;
  }
  return undefined;
}

function acknowledge(
  ask: Inquiry,
  { id, data }: SeenSale,
  expected_version: number,
): Promise<Exchange | undefined> {
  const body = { terms_version: data['terms_version'], expected_version };
  return ask.send({ method: 'POST', path: `/sale-cases/${id}/acknowledgments`, body });
}

function reportPayment(
  ask: Inquiry,
  { id, data }: SeenSale,
  change: Readonly<Record<string, unknown>>,
): Promise<Exchange | undefined> {
  const body = {
    sale_id: id,
    amount: data['amount'],
    currency: 'INR',
    method: 'bank_transfer',
    utr: `LEARN${ask.uuid().slice(0, 8)}`,
    paid_at: timeIn(ask, 0),
    external_reference: 'learn',
    ...change,
  };
  return ask.send({ method: 'POST', path: '/payment-reports', body });
}

function offer(
  ask: Inquiry,
  { id, data, version }: SeenSale,
  valid_until: string,
): Promise<Exchange | undefined> {
  const body = {
    amount: data['amount'],
    currency: 'INR',
    terms_version: 'learn',
    valid_until,
    reason: 'A trial of learn',
    expected_version: version,
  };
  return ask.send({ method: 'POST', path: `/sale-cases/${id}/offers`, body });
}

function upload(ask: Inquiry, { id }: SeenSale, content_base64: string): Promise<Exchange | undefined> {
  const body = { sale_id: id, purpose: 'payment_evidence', filename: 'learn.txt', content_base64 };
  return ask.send({ method: 'POST', path: '/document-uploads', body });
}

/** A document that was just uploaded and waits for its scan. */
async function unscanned(ask: Inquiry, of?: SeenSale): Promise<string | undefined> {
  const sale = of ?? (await salesOf(ask))[0];
  const record = sale === undefined ? undefined : at((await upload(ask, sale, 'YWI='))?.body, 'data');
  return isRecord(record) && record['state'] === 'awaiting_scan' ? textAt(record, 'id') : undefined;
}

async function stateOf(ask: Inquiry, document: string): Promise<string | undefined> {
  const reply = await ask.send({ method: 'GET', path: `/documents/${document}` });
  return textAt(reply?.body, 'data.state');
}
