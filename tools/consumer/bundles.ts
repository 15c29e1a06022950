import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, version } from 'esbuild';
import { run } from './run.js';
import type { Row } from './table.js';

/** esbuild leaves `require` of Node's own modules to the bundle, and an ES module has none: undici asks for them. */
const requireInEsm = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
};

/**
 * Bundles the ESM consumer with all its dependencies, minified, into ESM and into CommonJS, and lives the day from a
 * folder without node_modules. A bundle that takes only a part must not carry the rest.
 */
export async function inBundles(scratch: string, project: string): Promise<Row[]> {
  const folder = join(scratch, 'bundles');
  mkdirSync(folder);
  const sizes = {
    ESM: await day(project, folder, 'esm', "import { liveADay } from './day.js'; await liveADay();"),
    CJS: await day(project, folder, 'cjs', "import { liveADay } from './day.js'; liveADay();"),
  };
  const parts = {
    money: await part(project, "export { formatInr, minimumBid, toPaise } from 'vehicle-auction-sdk';"),
    'one error class': await part(project, "export { VehicleAuctionError } from 'vehicle-auction-sdk';"),
    signing: await part(project, "export { signRequest } from 'vehicle-auction-sdk';"),
    webhooks: await part(project, "export { verifyWebhook } from 'vehicle-auction-sdk/webhooks';"),
  };
  return [
    [`esbuild ${version}, all`, listed(sizes)],
    ['  without undici', listed(parts)],
  ];
}

async function day(project: string, folder: string, format: 'esm' | 'cjs', code: string): Promise<number> {
  const outfile = join(folder, `day.${format === 'esm' ? 'mjs' : 'cjs'}`);
  const { bytes } = await bundle(project, code, {
    outfile,
    format,
    write: true,
    ...(format === 'esm' && { banner: requireInEsm }),
  });
  const { stdout, stderr } = await run(process.execPath, [outfile], folder);
  if (!stdout.startsWith('ESM: accepted') || stderr !== '') {
    throw new Error(`The ${format} bundle printed:\n${stdout}\n${stderr}`);
  }
  return bytes;
}

async function part(project: string, code: string): Promise<number> {
  const { bytes, inputs } = await bundle(project, code, { format: 'esm', write: false, outfile: 'part.mjs' });
  const unwanted = inputs.filter((path) => /node_modules\/(undici\/|zod\/v4\/locales\/(?!en\.))/.test(path));
  if (unwanted.length > 0)
    throw new Error(`A bundle of "${code}" carries ${unwanted.slice(0, 5).join(', ')}`);
  return bytes;
}

async function bundle(
  project: string,
  code: string,
  options: { outfile: string; format: 'esm' | 'cjs'; write: boolean; banner?: { js: string } },
): Promise<{ bytes: number; inputs: string[] }> {
  const { metafile } = await build({
    ...options,
    stdin: { contents: code, resolveDir: project },
    absWorkingDir: project,
    bundle: true,
    platform: 'node',
    target: 'node20',
    minify: true,
    metafile: true,
    logLevel: 'silent',
  });
  const [output] = Object.values(metafile.outputs);
  if (output === undefined) throw new Error('esbuild made nothing');
  const inputs = Object.entries(output.inputs);
  return {
    bytes: output.bytes,
    inputs: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path),
  };
}

function listed(sizes: Readonly<Record<string, number>>): string {
  return Object.entries(sizes)
    .map(([name, bytes]) => `${name} ${Math.round(bytes / 1000)} kB`)
    .join(', ');
}
