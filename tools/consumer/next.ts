import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { installedVersion, projectWith } from './project.js';
import { run } from './run.js';
import type { Row } from './table.js';
import { root } from './tarball.js';

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
  const route = join(project, 'app/webhooks');
  mkdirSync(route, { recursive: true });
  await build({
    entryPoints: ['receiver', 'next'].map((name) => join(root, `examples/webhooks/${name}.ts`)),
    outdir: route,
    logLevel: 'error',
  });
  await build({
    stdin: { contents: "export { POST } from './next.js';" },
    outfile: join(route, 'route.js'),
  });
  const next = join(project, 'node_modules/next/dist/bin/next');
  await run(process.execPath, [next, 'build'], project);
  const server = spawn(process.execPath, [next, 'start', '--port', '0', '--hostname', '127.0.0.1'], {
    cwd: project,
    env: { ...process.env, WEBHOOK_SECRET: secret, AUCTION_STORE: join(project, 'auction.db') },
  });
  const output = outputOf(server);
  try {
    const url = `${await output.match(/http:\/\/127\.0\.0\.1:\d+/)}/webhooks`;
    const body = JSON.stringify(event);
    const statuses = [
      await post(url, body, secret),
      await post(url, body, secret),
      await post(url, body, 'forged'),
    ];
    await output.match(/sale_1 approved at 505000\.00/);
    const effects = output.text().split('sale_1 approved at').length - 1;
    if (statuses.join() !== '200,200,400' || effects !== 1) {
      throw new Error(`Next.js answered ${statuses.join()}, with ${effects} effects:\n${output.text()}`);
    }
  } finally {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  }
  return [
    [`Next.js ${installedVersion(project, 'next')}`, 'A webhook route: built, started, one event once'],
  ];
}

async function post(url: string, body: string, key: string): Promise<number> {
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`${at}.${body}`).digest('hex');
  const headers = { 'Service-Timestamp': String(at), 'Service-Signature': `v1=${signature}` };
  return (await fetch(url, { method: 'POST', body, headers })).status;
}

/** What a process prints, and a wait for a part of it. */
function outputOf(child: ChildProcess) {
  let text = '';
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      wake();
    });
  }
  child.on('exit', wake);
  return {
    text: () => text,
    match: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const [found] = pattern.exec(text) ?? [];
          if (found === undefined && child.exitCode === null) return;
          waiting.delete(look);
          if (found === undefined) reject(new Error(`It ended before it printed ${pattern}:\n${text}`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
