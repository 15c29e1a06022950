import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { expect, it } from 'vitest';
import { numbersFrom } from '../support/random.js';
import { storePlaces } from '../support/store-places.js';
import { isLong } from './killing.js';
import { Worker } from './worker-process.js';

it.each(storePlaces().slice(0, isLong ? 2 : 1))(
  'an import that is killed again and again creates each vehicle once and leaves a whole result file, on %s',
  { timeout: 3_600_000 },
  async (_, placeOf) => {
    const [vehicles, kills, longest] = isLong ? [1_000, 10, 3_000] : [60, 4, 400];
    const random = numbersFrom(29);
    const sandbox = await startSandbox({ rateLimit: false, keepAttempts: 10 });
    const folder = mkdtempSync(join(tmpdir(), 'vehicle-auction-importing-'));
    try {
      const [source, target] = [join(folder, 'stock.csv'), join(folder, 'result.csv')];
      const ids = Array.from({ length: vehicles }, (_, n) => `REPO-${n}`);
      const rows = ids.map((id, n) => `${id},Swift ${n},${2000 + (n % 20)},CNG`);
      writeFileSync(source, ['external_id,title,Year,Fuel', ...rows, ''].join('\n'));
      const { baseUrl, credentials } = sandbox;
      const order = { baseUrl, credentials: credentials.bank, store: await placeOf(), source, target };
      for (let kill = 0; kill < kills; kill += 1) {
        const worker = await Worker.start(order, 'importer.mjs');
        // Most die in the moment in which a vehicle is committed.
        const isAtWrite = random() < 0.7;
        const most = isAtWrite ? 1 + Math.floor((random() * vehicles) / kills) : Number.POSITIVE_INFINITY;
        const withdraw = killAtWrite(sandbox, worker, most);
        if (!isAtWrite) worker.killIn(random() * longest);
        await worker.gone;
        withdraw();
        if (existsSync(target)) expect(linesOf(target)).toHaveLength(vehicles);
      }
      const last = await Worker.start(order, 'importer.mjs');
      expect(await last.until('finished')).toBeDefined();
      await last.end();
      const created = sandbox.records('inventory_vehicle').map(({ data }) => data['external_id']);
      expect(created.filter((id) => ids.includes(String(id))).sort()).toEqual([...ids].sort());
      const lines = linesOf(target);
      expect(lines.map(([, id]) => id)).toEqual(ids);
      expect(new Set(lines.map(([, , , status]) => status))).toEqual(new Set(['created', 'existing']));
      expect(new Set(lines.map(([, , , , vehicle]) => vehicle)).size).toBe(vehicles);
      expect(readdirSync(folder).sort()).toEqual(['result.csv', 'stock.csv']);
    } finally {
      await sandbox.close();
      rmSync(folder, { recursive: true });
    }
  },
);

/** The cells of a result file, which is whole, without its header. */
function linesOf(path: string): string[][] {
  const text = readFileSync(path, 'utf8');
  expect(text.endsWith('\r\n')).toBe(true);
  return text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','));
}

/** Kills a process when so many of its vehicles have reached the service, which creates the last one for nobody. */
function killAtWrite({ inject }: Pick<Sandbox, 'inject'>, worker: Worker, count: number): () => void {
  let left = count;
  const where = () => {
    left -= 1;
    if (left === 0) worker.kill();
    return false;
  };
  // A fault that strikes nothing: it only sees what arrives.
  return inject({ operation: 'A59', fault: 'delay', ms: 1, times: Number.POSITIVE_INFINITY, where });
}
