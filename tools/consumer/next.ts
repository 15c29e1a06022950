import { join } from 'node:path';
import { build } from 'esbuild';
import { installedVersion, projectWith, type Row, root, run } from './project.js';
import { serve } from './serve.js';
import { expectOneEffect, secret } from './webhook-route.js';

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
  const args = [next, 'start', '--port', '0', '--hostname', '127.0.0.1'];
  const env = { WEBHOOK_SECRET: secret, AUCTION_STORE: join(project, 'auction.db') };
  const served = await serve(process.execPath, args, project, env);
  try {
    await expectOneEffect('Next.js', `${served.url}webhooks`, served.printed);
  } finally {
    await served.stop();
  }
  const name = `Next.js ${installedVersion(project, 'next')}`;
  return [[name, 'A webhook route: built, started, one event once']];
}
