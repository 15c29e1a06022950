import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileContent, isAmount, type PartnerClient, VehicleAuctionError } from 'vehicle-auction-sdk';
import { type Answer, type Buyer, requestIdOf, textOf, type Visit } from './http.js';
import { keyOf } from './keys.js';
import { httpStatuses, inDoubt, notFound, Problem, type Told, toldOf } from './outcomes.js';
import { ownSale } from './sales.js';
import type { Store, Task, TaskOf, What } from './store.js';

type Service = Pick<PartnerClient<'platform'>, 'saleCases' | 'documents' | 'paymentReports'>;

const largestFile = 10 * 1024 * 1024;

/** From the buyer's receipt to the report at the bank: upload, wait for the scan, report. */
export class Payments {
  readonly #service: Service;
  readonly #store: Store;
  readonly #now: () => number;
  readonly #log: (line: string) => void;

  constructor(service: Service, store: Store, now: () => number, log: (line: string) => void) {
    this.#service = service;
    this.#store = store;
    this.#now = now;
    this.#log = log;
  }

  /** `POST /sales/{sale}/evidence?request_id=…&filename=…`, the file as the body. */
  async upload({ param, query, message }: Visit, buyer: Buyer): Promise<Answer> {
    const fields = Object.fromEntries(query);
    const requestId = requestIdOf(fields);
    const filename = textOf(fields, 'filename', /^[\w. -]{1,100}$/);
    const sale = await ownSale(this.#service.saleCases, buyer, param('sale'));
    const folder = await mkdtemp(join(tmpdir(), 'dealer-platform-'));
    try {
      const path = join(folder, 'evidence');
      const sha256 = await receive(message, path);
      const what = { kind: 'evidence', sale: sale.id, filename, sha256 } as const;
      return await this.#store.inTurn(buyer.reference, requestId, async () => {
        const task = await this.#store.claim(buyer.reference, requestId, what);
        if (task.told?.status === 'uploaded') return answer(task);
        const after = await this.#attempt(task, (key) => this.#upload(task, key, path));
        // The file isn't kept here, so this is for the buyer to settle.
        return answer(after.told?.status === 'unknown' ? { ...after, told: uploadInDoubt } : after);
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** `POST /sales/{sale}/payments` with `request_id`, `amount`, `utr`, `paid_at` and `evidence_id`. */
  async report({ param, body }: Visit, buyer: Buyer): Promise<Answer> {
    const fields = await body();
    const requestId = requestIdOf(fields);
    const sale = await ownSale(this.#service.saleCases, buyer, param('sale'));
    const what = {
      kind: 'payment',
      sale: sale.id,
      amount: textOf(fields, 'amount'),
      utr: textOf(fields, 'utr'),
      paid_at: textOf(fields, 'paid_at', /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/),
      evidence_id: textOf(fields, 'evidence_id'),
    } as const;
    if (!isAmount(what.amount)) {
      throw new Problem(400, 'invalid', 'An amount is a text such as "465000.00".', { fields: ['amount'] });
    }
    if (!this.#hasUploaded(buyer, what)) throw notFound();
    return this.#store.inTurn(buyer.reference, requestId, async () => {
      const task = await this.#store.claim(buyer.reference, requestId, what);
      return answer(isSettled(task) ? task : await this.#proceed(task));
    });
  }

  /** `GET /sales/{sale}/payments/{request}`: how far it is, at the bank too. */
  async status({ param, signal }: Visit, { reference }: Buyer): Promise<Answer> {
    const task = this.#store.find('payment', reference, param('request'));
    if (task === undefined || task.what.sale !== param('sale')) throw notFound();
    const report = task.told?.['report_id'];
    if (typeof report !== 'string') return answer(task);
    const { state } = await this.#service.paymentReports.get(report, { signal });
    return answer({ ...task, told: { ...reported, report_id: report, state } });
  }

  /** Goes on where a scan, the network or a crash stopped it, and tells the buyer what came of it. */
  async settle(): Promise<void> {
    for (const { buyer, requestId } of this.#store.tasks('payment').filter(isOpen)) {
      await this.#store.inTurn(buyer, requestId, async () => {
        const task = this.#store.find('payment', buyer, requestId);
        if (task === undefined || !isOpen(task)) return;
        const after = await this.#proceed(task);
        if (after.told === undefined || isOpen(after)) return;
        const text = `Your payment of INR ${after.what.amount}: ${after.told.message}`;
        const { sale } = after.what;
        await this.#store.tell({
          id: `payment ${keyOf('payment', buyer, requestId)}`,
          buyer,
          at: this.#now(),
          text,
          sale_id: sale,
        });
      });
    }
  }

  async #proceed(task: TaskOf<'payment'>): Promise<TaskOf<'payment'>> {
    if (task.told?.status !== 'unknown') {
      const told = await this.#unready(task.what.evidence_id);
      if (told !== undefined) return this.#store.keep({ ...task, told });
    }
    // From here on it may be sent: should this process die, nobody is told that it still waits for its scan.
    const sending = await this.#store.keep({ ...task, told: inDoubt });
    return this.#attempt(sending, (key) => this.#report(task, key));
  }

  /** What there is to say while the evidence can't be used; undefined once it can. */
  async #unready(evidenceId: string): Promise<Told | undefined> {
    try {
      const { state } = await this.#service.documents.get(evidenceId, { lane: 'poll' });
      if (state === 'ready') return undefined;
      if (state !== 'awaiting_scan') return evidenceUnfit;
    } catch (error) {
      if (!(error instanceof VehicleAuctionError)) throw error;
      this.#log(`evidence ${evidenceId}: ${error.message}`);
    }
    return awaitingScan;
  }

  /** Evidence is what this buyer has uploaded for this sale, and nothing that somebody else has. */
  #hasUploaded({ reference }: Buyer, { sale, evidence_id }: { sale: string; evidence_id: string }): boolean {
    return this.#store
      .tasks('evidence')
      .some(
        (one) =>
          one.buyer === reference && one.what.sale === sale && one.told?.['evidence_id'] === evidence_id,
      );
  }

  async #upload({ what }: TaskOf<'evidence'>, key: string, path: string): Promise<Told> {
    const document = await this.#service.documents.upload(
      {
        sale_id: what.sale,
        purpose: 'payment_evidence',
        filename: what.filename,
        content_base64: fileContent(path),
        idempotency_key: key,
      },
      { timeout: 60_000, deadline: 180_000 }, // an attempt has to last for as long as the file takes
    );
    return { ...uploaded, evidence_id: document.id };
  }

  async #report({ what }: TaskOf<'payment'>, key: string): Promise<Told> {
    const report = await this.#service.paymentReports.create({
      sale_id: what.sale,
      amount: what.amount,
      currency: 'INR',
      method: 'bank_transfer',
      utr: what.utr,
      paid_at: what.paid_at,
      evidence_id: what.evidence_id,
      idempotency_key: key,
    });
    return { ...reported, report_id: report.id, state: report.state };
  }

  /**
   * Calls under the key of the request, and keeps what came of it. The client's store has the call on record before it is
   * sent, and knows of earlier ones: the same call again is the same upload or report.
   */
  async #attempt<W extends What>(task: Task<W>, act: (key: string) => Promise<Told>): Promise<Task<W>> {
    const { buyer, requestId, what } = task;
    const key = keyOf(what.kind, buyer, requestId);
    try {
      return await this.#store.keep({ ...task, told: await act(key) });
    } catch (error) {
      if (!(error instanceof VehicleAuctionError)) throw error;
      this.#log(`${what.kind} ${key}: ${error.message}`);
      return this.#store.keep({ ...task, told: toldOf(error) });
    }
  }
}

const uploadInDoubt: Told = {
  status: 'unknown',
  message: 'It was sent, and no answer came. Send the same file again under the same request_id.',
};
const uploaded: Told = {
  status: 'uploaded',
  message: 'Received. It is scanned before it counts; report your payment with it meanwhile.',
};
const awaitingScan: Told = {
  status: 'awaiting_scan',
  message: 'Your file is being scanned. After that your payment is reported to the bank by itself.',
};
const evidenceUnfit: Told = {
  status: 'evidence_unfit',
  message: 'This file is not accepted as evidence. Upload another, and report under a new request_id.',
};
const reported: Told = {
  status: 'reported',
  message: 'The bank has your report. It counts once the bank has found the money.',
};

/** Whether there is nothing left to send, even if the buyer asks again. */
function isSettled({ told }: Task): boolean {
  return told?.status === 'reported' || told?.status === 'unclear';
}

function isOpen({ told }: Task): boolean {
  return told === undefined || ['awaiting_scan', 'unknown', 'not_sent'].includes(told.status);
}

/** Writes a body to a file, and returns its SHA-256. */
async function receive(message: IncomingMessage, path: string): Promise<string> {
  const tooLarge = new Problem(413, 'too_large', 'A file may have 10 MiB.');
  if (Number(message.headers['content-length'] ?? 0) > largestFile) throw tooLarge;
  const hash = createHash('sha256');
  let length = 0;
  await pipeline(
    message,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        length += chunk.length;
        if (length > largestFile) throw tooLarge;
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path),
  );
  if (length === 0) throw new Problem(400, 'invalid', 'Send the file as the body of the request.');
  return hash.digest('hex');
}

function answer({ requestId, what, told = inDoubt }: Task): Answer {
  return { status: httpStatuses[told.status], json: { request_id: requestId, sale_id: what.sale, ...told } };
}
