import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedVersion, projectWith, type Row, run } from './project.js';

/** Bids on SQLite, downloads a photo, and opens the page of the sandbox. */
const program = `
import { PartnerClient } from 'vehicle-auction-sdk';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

const sandbox = await startSandbox();
const { platform } = sandbox.credentials;
const store = sqliteStore(process.argv[2]);
const options = { baseUrl: sandbox.baseUrl, environment: 'sandbox', credentials: platform, store };
const auction = new PartnerClient({ ...options, partnerType: 'platform', dealerId: platform.dealerId });
const [lot] = await auction.lots.list().toArray({ limit: 1 });
const bid = { lot, amount: lot.starting_price, bidderReference: 'buyer-1' };
const { status } = await auction.bids.place(bid);
const { contentType } = await auction.media.download(lot.images[0]);
const page = await fetch(new URL('/', sandbox.baseUrl));
console.log(status, contentType.split('/')[0], page.status);
await auction.close();
await sandbox.close();
`;

const config = `
module.exports = {
  mode: 'production',
  target: 'node20',
  entry: './program.mjs',
  output: { path: __dirname, filename: 'bundle.cjs' },
};
`;

/** Bundles a program with webpack, the sandbox and its files included, and runs the bundle. */
export async function inWebpack(scratch: string, tarball: string): Promise<Row[]> {
  const project = await projectWith(join(scratch, 'webpack'), {
    'vehicle-auction-sdk': `file:${tarball}`,
    libsql: '^0.5.0',
    webpack: '^5.0.0',
    'webpack-cli': '^6.0.0',
  });
  writeFileSync(join(project, 'program.mjs'), program);
  writeFileSync(join(project, 'webpack.config.cjs'), config);
  const { stdout: built } = await run(process.execPath, ['node_modules/webpack-cli/bin/cli.js'], project);
  if (!built.includes('compiled successfully')) throw new Error(`webpack printed:\n${built}`);
  const { stdout, stderr } = await run(process.execPath, ['bundle.cjs', 'auction.db'], project);
  if (stdout !== 'accepted image 200\n' || stderr !== '') {
    throw new Error(`The webpack bundle printed:\n${stdout}\n${stderr}`);
  }
  return [
    [`webpack ${installedVersion(project, 'webpack')}`, 'a bid on SQLite, a photo and the page of a sandbox'],
  ];
}
