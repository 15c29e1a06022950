import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { signDelivery } from '../../src/webhooks/index.js';
import { installedVersion, projectWith, type Row, root, run } from './project.js';

const secret = 'whsec_consumer';
const sale = { id: 'sale_1', state: 'approved', winner: true, amount: '505000.00', currency: 'INR' };
const event = {
  id: 'evt_1',
  type: 'sale.approved',
  schema_version: 1,
  created_at: '2026-01-01T01:23:20+00:00',
  data: { resource_id: sale.id, resource_version: 2, lot_id: 'lot_4f1c9a', sale },
};

/** Builds the webhook recipe as a route of a real Next.js, starts it, and delivers one event twice, and a forgery. */
export async function inNext(scratch: string, tarball: string): Promise<Row[]> {
  const project = await projectWith(join(scratch, 'next'), {
    'vehicle-auction-sdk': `file:${tarball}`,
    libsql: '^0.5.0',
    next: '^16.0.0',
    react: '^19.0.0',
    'react-dom': '^19.0.0',
  });
  await build({
    entryPoints: { receiver: 'examples/webhooks/receiver.ts', route: 'examples/webhooks/next.ts' },
    absWorkingDir: root,
    outdir: join(project, 'app/webhooks'),
    logLevel: 'error',
  });
  const next = join(project, 'node_modules/next/dist/bin/next');
  await run(process.execPath, [next, 'build'], project);
  const server = spawn(process.execPath, [next, 'start', '--port', '0', '--hostname', '127.0.0.1'], {
    cwd: project,
    env: { ...process.env, WEBHOOK_SECRET: secret, AUCTION_STORE: join(project, 'auction.db') },
  });
  const ended = once(server, 'exit');
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const printed = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(output)) {
      if (server.exitCode !== null) throw new Error(`It ended before it printed ${pattern}:\n${output}`);
      await sleep(50);
    }
    return pattern.exec(output)?.[0] ?? '';
  };
  try {
    const url = `${await printed(/http:\/\/127\.0\.0\.1:\d+/)}/webhooks`;
    const statuses: number[] = [];
    for (const key of [secret, secret, 'forged']) {
      const { body, headers } = signDelivery({ body: event, secret: key });
      statuses.push((await fetch(url, { method: 'POST', body: new Uint8Array(body), headers })).status);
    }
    await printed(/sale_1 approved at 505000\.00/);
    const effects = output.split('sale_1 approved at').length - 1;
    if (statuses.join() !== '200,200,400' || effects !== 1)
      throw new Error(`Next.js answered ${statuses.join()}, with ${effects} effects:\n${output}`);
  } finally {
    server.kill();
    await ended;
  }
  const name = `Next.js ${installedVersion(project, 'next')}`;
  return [[name, 'A webhook route: built, started, one event once']];
}
