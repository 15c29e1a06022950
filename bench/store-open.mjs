import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

/** Opens a file of intents, lists the open ones and adds one, and prints what that took: ms, and MB of heap. */
const [path] = process.argv.slice(2);
globalThis.gc();
const before = process.memoryUsage().heapUsed;
const begun = performance.now();
const store = sqliteStore(path);
const open = await store.transaction('bench', ({ intents }) => intents.list({ which: 'open', limit: 1_000 }));
await store.transaction('bench', ({ intents }) =>
  intents.insert(
    { key: 'another', state: 'ready', provisional: false, guarded: false, content: '{}' },
    { serverMs: 1, localMs: 1 },
  ),
);
const ms = performance.now() - begun;
globalThis.gc();
const heap = (process.memoryUsage().heapUsed - before) / 1e6;
console.log(JSON.stringify({ ms, heap, open: open.length }));
