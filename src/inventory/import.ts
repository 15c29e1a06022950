import { responseOf } from '../core/reply/reply.js';
import { ApiError, AuthenticationError, PermissionError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { AbortedError } from '../errors/connection.js';
import { ConfigurationError, type InputIssue, InvalidRequestError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { thrownMessage } from '../errors/thrown.js';
import type {
  InventoryCommandRecord,
  InventoryCreateVehicleBody,
  InventorySchema,
} from '../generated/inventory.js';
import type { MutationOptions } from '../ports/caller.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';
import { Slots } from '../runtime/slots.js';
import { Changes, onceAborted } from '../runtime/timers.js';
import { notify, type WarnAbout } from '../runtime/user-code.js';
import { type CheckedRow, checkRows, IMPORT, readRows } from './rows.js';
import type {
  ImportedVehicle,
  ImportOptions,
  ImportRun,
  ImportStatus,
  ImportSummary,
  VehicleSource,
} from './types.js';

/** Dependencies of an import on the client. */
export interface ImportPorts {
  schemas(options: { readonly signal?: AbortSignal | undefined }): Promise<readonly InventorySchema[]>;
  create(body: InventoryCreateVehicleBody, options: MutationOptions): Promise<InventoryCommandRecord>;
  once<T>(parts: readonly string[], run: (idempotencyKey: string) => Promise<T>): Promise<T>;
  /** Runs work that `close()` waits for. */
  during<T>(call: string, work: () => Promise<T>): Promise<T>;
  readonly closing: AbortSignal;
  readonly warn: WarnAbout;
}

const MOST_AT_ONCE = 16;

type Stopped = NonNullable<ImportSummary['stopped']>;

/** Creates every vehicle of a source, each once. @throws InvalidRequestError for options that can't work */
export function startImport(ports: ImportPorts, source: VehicleSource, options: ImportOptions): ImportRun {
  checkImportOptions(source, options);
  const vehicles = new Import(ports, source, options);
  const summary = ports.closing.aborted ? vehicles.run() : ports.during(IMPORT.call, () => vehicles.run());
  const run: ImportRun = {
    summary,
    stop: () => vehicles.stop({ reason: 'signal', what: 'The import was stopped.' }),
    toArray: async () => {
      const results: ImportedVehicle[] = [];
      for await (const result of run) results.push(result);
      return results;
    },
    [Symbol.asyncIterator]: () => vehicles.results(),
  };
  return run;
}

/** One import, from its first row to its summary. */
class Import {
  readonly #ports: ImportPorts;
  readonly #source: VehicleSource;
  readonly #options: ImportOptions;
  readonly #changes = new Changes();
  readonly #results: (ImportedVehicle | undefined)[] = [];
  #done = 0;
  #isOver = false;
  #stopped: Stopped | undefined;

  constructor(ports: ImportPorts, source: VehicleSource, options: ImportOptions) {
    this.#ports = ports;
    this.#source = source;
    this.#options = options;
  }

  stop(stopped: Stopped): void {
    this.#stopped ??= stopped;
  }

  /** Never rejects. */
  async run(): Promise<ImportSummary> {
    const unfollow = [this.#options.signal, this.#ports.closing].map((signal) =>
      onceAborted(signal, () =>
        this.stop({ reason: 'signal', what: 'The import was stopped.', error: signal?.reason }),
      ),
    );
    let rows: readonly CheckedRow[] = [];
    try {
      rows = checkRows(await readRows(this.#source), await this.#schema(), this.#options.map);
      await this.#send(rows);
    } catch (error) {
      this.stop({ reason: 'failure', what: thrownMessage(error), error });
    }
    for (const each of unfollow) each();
    this.#isOver = true;
    this.#changes.notify();
    return this.#summary(rows.length);
  }

  /** Results in the order of the rows. */
  async *results(): AsyncGenerator<ImportedVehicle, void, undefined> {
    for (let at = 0; ; at += 1) {
      await this.#changes.until(() => this.#isOver || this.#results[at] !== undefined);
      const result = this.#results[at];
      if (result === undefined) break;
      yield result;
    }
    if (this.#results.length === 0 && this.#stopped?.reason === 'failure') throw this.#stopped.error;
  }

  async #schema(): Promise<InventorySchema> {
    const { schema, signal } = this.#options;
    if (typeof schema === 'object') return schema;
    const all = await this.#ports.schemas({ signal });
    const [only, ...others] = all.filter(
      ({ schema_version }) => schema === undefined || schema_version === schema,
    );
    if (only !== undefined && others.length === 0) return only;
    const known = all.map(({ schema_version }) => JSON.stringify(schema_version)).join(', ') || 'none';
    throw invalid([{ path: 'options.schema', message: `must be one of the bank's schemas: ${known}` }]);
  }

  async #send(rows: readonly CheckedRow[]): Promise<void> {
    const { onInvalid = 'stop', dryRun = false, concurrency = 4 } = this.#options;
    const wrong = rows.filter(({ body }) => body === undefined).length;
    if (wrong > 0 && onInvalid === 'stop' && !dryRun) {
      this.stop({
        reason: 'invalid',
        what: `${wrong} of ${rows.length} rows are invalid, so nothing was sent.`,
      });
    }
    const slots = new Slots(concurrency);
    const runs = rows.map((row, index) =>
      slots.run(async () => {
        this.#settle(index, rows.length, await this.#resultOf(row, dryRun));
      }),
    );
    await Promise.all(runs);
  }

  async #resultOf(row: CheckedRow, dryRun: boolean): Promise<ImportedVehicle> {
    const { body, issues, ...facts } = row;
    if (body === undefined) {
      const what = `${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}.`;
      const nextStep = 'Correct this row, then run the import again; this run did not send it.';
      return { ...facts, status: 'invalid', issues, codes: [], what, nextStep };
    }
    if (dryRun) return result(facts, 'checked', 'The row fits the schema.', 'Run the import without dryRun.');
    if (this.#stopped !== undefined) {
      return result(facts, 'not_sent', `Not sent: ${this.#stopped.what}`, 'Run the same import again.');
    }
    try {
      return await this.#create(facts, body);
    } catch (error) {
      // The rows after it would fail in the same way.
      if (concernsAll(error)) this.stop({ reason: 'failure', what: thrownMessage(error), error });
      return failedVehicle(facts, error);
    }
  }

  async #create(facts: Facts, body: InventoryCreateVehicleBody): Promise<ImportedVehicle> {
    const { timeout, deadline, maxAttempts, lane } = this.#options;
    const given = Object.entries({ timeout, deadline, maxAttempts, lane }).filter(
      ([, value]) => value !== undefined,
    );
    let isSent = false;
    const record = await this.#ports.once([IMPORT.call, body.external_id], (idempotencyKey) => {
      isSent = true;
      return this.#ports.create(body, { ...Object.fromEntries(given), idempotencyKey });
    });
    const { replayed, attempts } = responseOf(record);
    // A replay in reply to the only attempt repeats an earlier run, whose record this store does not have.
    const wasThere = !isSent || (replayed && attempts === 1);
    const { vehicle_id: vehicleId, inventory_version: inventoryVersion } = record.data ?? {};
    return {
      ...result(
        facts,
        wasThere ? 'existing' : 'created',
        wasThere ? 'An earlier run created the vehicle; nothing was changed.' : 'The vehicle was created.',
        wasThere ? 'To change it, call inventory.updateVehicle.' : 'Nothing is left to do.',
      ),
      ...(vehicleId !== undefined && { vehicleId }),
      ...(inventoryVersion !== undefined && { inventoryVersion }),
    };
  }

  #settle(index: number, total: number, latest: ImportedVehicle): void {
    this.#results[index] = latest;
    this.#done += 1;
    this.#changes.notify();
    const progress = { done: this.#done, total, latest };
    notify('onProgress', () => this.#options.onProgress?.(progress), this.#ports.warn);
  }

  #summary(rows: number): ImportSummary {
    const counts: Record<ImportStatus, number> = {
      ...{ created: 0, existing: 0, invalid: 0, checked: 0 },
      ...{ refused: 0, not_sent: 0, unknown: 0 },
    };
    for (const each of this.#results) if (each !== undefined) counts[each.status] += 1;
    const isComplete = this.#isReadToEnd && counts.created + counts.existing === rows;
    return { rows, counts, isComplete, ...(this.#stopped !== undefined && { stopped: this.#stopped }) };
  }

  /** Without rows, the import failed before it could count them. */
  get #isReadToEnd(): boolean {
    return this.#results.length > 0 || this.#stopped === undefined;
  }
}

type Facts = Omit<CheckedRow, 'body' | 'issues'>;

function result(facts: Facts, status: ImportStatus, what: string, nextStep: string): ImportedVehicle {
  return { ...facts, status, codes: [], what, nextStep };
}

function failedVehicle(facts: Facts, error: unknown): ImportedVehicle {
  const isOurs = error instanceof VehicleAuctionError;
  const outcome = isOurs ? error.outcome : 'unknown';
  return {
    ...facts,
    status: outcome === 'refused' || outcome === 'not_sent' ? outcome : 'unknown',
    codes: error instanceof ApiError ? error.codes : [],
    // The next step has its own field.
    what: isOurs ? error.message.replace(` ${error.nextStep}`, '') : thrownMessage(error),
    nextStep: isOurs ? error.nextStep : 'Run the same import again.',
    error,
  };
}

function concernsAll(error: unknown): boolean {
  return (
    error instanceof StoreError ||
    error instanceof ConfigurationError ||
    error instanceof AuthenticationError ||
    error instanceof PermissionError ||
    error instanceof AbortedError ||
    !(error instanceof VehicleAuctionError)
  );
}

const importOptions: KnownOptions<ImportOptions> = {
  schema: true,
  map: true,
  dryRun: true,
  onInvalid: true,
  concurrency: true,
  signal: true,
  onProgress: true,
  timeout: true,
  deadline: true,
  maxAttempts: true,
  lane: true,
};

function checkImportOptions(source: VehicleSource, options: ImportOptions): void {
  checkMethodOptions(IMPORT.call, options, importOptions);
  const { map, concurrency = 4, onInvalid = 'stop', schema } = options;
  const issues: InputIssue[] = [];
  const isList = typeof source === 'object' && source !== null;
  if (!isList || !(Symbol.iterator in source || Symbol.asyncIterator in source)) {
    issues.push({ path: 'rows', message: 'must be rows, or readVehicles(…) of a file' });
  }
  if (schema !== undefined && !['string', 'number', 'object'].includes(typeof schema)) {
    issues.push({ path: 'options.schema', message: 'must be a schema_version or a schema' });
  }
  if (map !== undefined && (typeof map !== 'object' || map === null || !Object.values(map).every(isTarget))) {
    issues.push({
      path: 'options.map',
      message: 'must be an object: a label, an id or null for each column',
    });
  }
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MOST_AT_ONCE)) {
    issues.push({ path: 'options.concurrency', message: `must be a whole number from 1 to ${MOST_AT_ONCE}` });
  }
  if (onInvalid !== 'stop' && onInvalid !== 'report') {
    issues.push({ path: 'options.onInvalid', message: 'must be "stop" or "report"' });
  }
  if (issues.length > 0) throw invalid(issues);
}

function isTarget(target: unknown): boolean {
  return target === null || (typeof target === 'string' && target !== '');
}

function invalid(issues: readonly InputIssue[]): InvalidRequestError {
  return new InvalidRequestError(issues, IMPORT);
}
