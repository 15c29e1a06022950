import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { SandboxCredentials } from 'vehicle-auction-sdk/sandbox';
import { root } from '../support/sources.js';

/** Bundles programs, as one file each next to the packages that a user installs: they start in half the time. */
export async function bundle(
  folder: string,
  entryPoints: readonly string[],
  packages: readonly string[] = [],
) {
  const installed = join(folder, 'node_modules');
  mkdirSync(installed);
  symlinkSync(root, join(installed, 'vehicle-auction-sdk'), 'junction');
  for (const name of packages)
    symlinkSync(join(root, 'node_modules', name), join(installed, name), 'junction');
  const options = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const;
  const names = { entryNames: '[name]', outExtension: { '.js': '.mjs' } };
  await build({ ...options, ...names, entryPoints: [...entryPoints], outdir: folder, packages: 'external' });
}

/** What the programs read from their environment. */
export function environmentOf(
  baseUrl: string,
  { clientId, keyId, signingSecret, dealerId }: SandboxCredentials,
) {
  return {
    VEHICLE_AUCTION_BASE_URL: baseUrl,
    VEHICLE_AUCTION_CLIENT_ID: clientId,
    VEHICLE_AUCTION_KEY_ID: keyId,
    VEHICLE_AUCTION_SIGNING_SECRET: signingSecret,
    ...(dealerId !== undefined && { VEHICLE_AUCTION_DEALER_ID: dealerId }),
  };
}
