import { writeSync } from 'node:fs';
import { sqliteStore } from '../../src/sqlite/index.js';
import { insert, row } from './kit.js';

/** Inserts rows until it is killed, and prints the key of each once it is committed. */
const [path = ''] = process.argv.slice(2);
const store = sqliteStore(path);
for (let n = 0; ; n += 1) {
  const keys = [0, 1, 2].map((part) => `${process.pid}-${n}-${part}`);
  await Promise.all(keys.map((key) => insert(store, row(key, { content: 'x'.repeat(2_000) }))));
  writeSync(1, `${keys.join('\n')}\n`);
}
