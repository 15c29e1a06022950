import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { PartnerClient } from '../src/index.js';
import { sqliteStore } from '../src/sqlite/index.js';

/**
 * Counts the files and functions of src/ that a read and a bid pass through, once everything is warm: what you open to
 * follow the call, in the order they run. `--write` puts them into docs/architecture.md.
 */

/** Helpers of the TypeScript loader and class field initialisers, which are not functions of the source. */
const added = ['__name', '<instance_members_initializer>'];
const root = new URL('../src/', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'trace-calls-'));
// Use the built files, so that they are not counted.
const sandbox = await startSandbox();
const { dealer } = sandbox.credentials;
const options = {
  baseUrl: sandbox.baseUrl,
  environment: 'sandbox',
  credentials: dealer,
  partnerType: 'direct_dealer',
  dealerId: dealer.dealerId,
} as const;
const [first, ...lots] = sandbox.auctions.get('live-open').lots;
const reader = new PartnerClient(options);
const session = new Session();
session.connect();
try {
  await report('A read, `lots.status`', () => reader.lots.status(first?.id ?? ''));
  // Created after the reads, because clients of one origin share a quota and its store.
  const bidder = new PartnerClient({ ...options, store: sqliteStore(join(folder, 'trace.db')) });
  await report('A bid, `bids.place`, over SQLite', async () => {
    const { id: lot = '', startingPrice: amount = '' } = lots.pop() ?? {};
    const { status } = await bidder.bids.place({ lot, amount });
    if (status !== 'accepted') throw new Error(`The bid is ${status}`);
  });
  await bidder.close();
} finally {
  session.disconnect();
  await reader.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
}

async function report(title: string, call: () => Promise<unknown>): Promise<void> {
  for (let warm = 0; warm < 3; warm += 1) await call();
  const steps = await inOrder(await functionsOf(call), call);
  const files = [...new Set(steps.map(({ file }) => file))];
  const summary = `${title}: ${files.length} files, ${steps.length} functions`;
  console.log(summary);
  const rows = files.map((file) => {
    const names = steps.filter((step) => step.file === file && step.name !== '').map(({ name }) => name);
    return [file, [...new Set(names)].join(', ')] as const;
  });
  for (const [file, names] of rows) console.log(`  src/${file}: ${names}`);
  if (process.argv.includes('--write')) write(summary, rows);
}

/** The functions that ran during a call, as V8 counts them. */
async function functionsOf(call: () => Promise<unknown>): Promise<Profiler.ScriptCoverage[]> {
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.disable');
  return result.filter(({ url }) => url.startsWith(root));
}

/** The same functions in the order they are entered: each gets a breakpoint whose condition notes it and is false. */
async function inOrder(scripts: Profiler.ScriptCoverage[], call: () => Promise<unknown>) {
  const steps: { readonly file: string; readonly name: string }[] = [];
  const entered = new Set<number>();
  Reflect.set(globalThis, 'traceEntered', (step: number) => entered.add(step) === undefined);
  await session.post('Debugger.enable');
  for (const { scriptId, url, functions } of scripts) {
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
    const place = (offset: number) => {
      const before = scriptSource.slice(0, offset).split('\n');
      return { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 };
    };
    for (const { functionName: name, ranges } of functions) {
      const [range] = ranges;
      if (range === undefined || range.count === 0 || added.includes(name)) continue;
      const [start, end] = [place(range.startOffset), place(range.endOffset)];
      const inside = { start, end, restrictToFunction: true };
      const { locations } = await session.post('Debugger.getPossibleBreakpoints', inside);
      const condition = `traceEntered(${steps.length})`;
      for (const location of locations.slice(0, 1))
        await session.post('Debugger.setBreakpoint', { location, condition });
      steps.push({ file: url.slice(root.length).replace(/\?.*/, ''), name });
    }
  }
  await call();
  await session.post('Debugger.disable');
  const order = [...entered, ...steps.keys()];
  return steps.map((step, index) => ({ ...step, at: order.indexOf(index) })).sort((a, b) => a.at - b.at);
}

/** Replaces the list under its heading in docs/architecture.md: the functions only of a call that is short enough to follow. */
function write(summary: string, rows: readonly (readonly [string, string])[]): void {
  const path = new URL('../docs/architecture.md', import.meta.url);
  const [heading = ''] = summary.split(':');
  const isShort = rows.length < 30;
  const list = isShort
    ? rows.map(([file, names]) => `- \`src/${file}\`: ${names}`)
    : [rows.map(([file]) => `\`${file}\``).join(' ')];
  const text = readFileSync(path, 'utf8');
  const begin = text.indexOf(`<summary>${heading}`);
  const end = text.indexOf('</details>', begin);
  if (begin < 0 || end < 0) throw new Error(`docs/architecture.md has no place for "${heading}"`);
  const block = `<summary>${summary}</summary>\n\n${list.join('\n')}\n\n`;
  writeFileSync(path, text.slice(0, begin) + block + text.slice(end));
}
