import type { IntentTable } from '../../src/intents/intent-table.js';
import type { HeldIntent, Journal, StoredIntent } from '../../src/intents/journal.js';

/**
 * A sound journal over a table that outlives it, as if the table were a disk: what the suite asks of durable and of
 * shared journals can be tried on it. Broken ones are made of it, each by one method.
 */
export class TableJournal implements Journal {
  readonly name: string = 'table';
  readonly durable: boolean = true;
  protected readonly table: IntentTable;

  constructor(table: IntentTable) {
    this.table = table;
  }

  async create(...[intent, change, lease, rules]: Parameters<Journal['create']>) {
    return this.table.create(intent, change, lease, rules);
  }

  async append(...[id, fence, change]: Parameters<Journal['append']>) {
    this.table.append(id, fence, change);
  }

  async claim(...[id, lease]: Parameters<Journal['claim']>) {
    return this.table.claim(id, lease);
  }

  async claimOpen(
    ...[namespace, lease, limit]: Parameters<Journal['claimOpen']>
  ): Promise<readonly HeldIntent[]> {
    return this.table.claimOpen(namespace, lease, limit);
  }

  async release(...[id, fence]: Parameters<Journal['release']>) {
    this.table.release(id, fence);
  }

  async read(...[id]: Parameters<Journal['read']>) {
    return this.table.read(id);
  }

  async find(key: string): Promise<readonly StoredIntent[]> {
    return this.table.find(key);
  }

  async *list(...[filter]: Parameters<Journal['list']>): AsyncGenerator<StoredIntent> {
    yield* [...this.table.list(filter)];
  }

  async close() {}
}
