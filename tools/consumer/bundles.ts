import { join } from 'node:path';
import { type BuildOptions, build, version } from 'esbuild';
import { type Row, run } from './project.js';

/** The program of the consumer check, as a file that a bundler can follow. */
const day = "import * as modules from './modules.mjs'; import run from './day.cjs'; run(modules);";

/** undici requires Node modules. esbuild keeps these `require` calls, which an ES module lacks. */
const requireInEsm =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const parts = {
  money: "export { formatInr, minimumBid, toPaise } from 'vehicle-auction-sdk';",
  'one error class': "export { VehicleAuctionError } from 'vehicle-auction-sdk';",
  signing: "export { signRequest } from 'vehicle-auction-sdk';",
  webhooks: "export { verifyWebhook } from 'vehicle-auction-sdk/webhooks';",
};

/**
 * Bundles a consumer with all its dependencies, minified, into ESM and into CommonJS, and runs it from a folder without
 * node_modules. A bundle that takes only a part must not carry the rest.
 */
export async function inBundles(scratch: string, project: string): Promise<Row[]> {
  const sizes: string[] = [];
  for (const format of ['esm', 'cjs'] as const) {
    const outfile = join(scratch, 'bundles', `day.${format === 'esm' ? 'mjs' : 'cjs'}`);
    const banner = format === 'esm' ? { js: requireInEsm } : {};
    const { size } = await bundle(project, day, { outfile, format, banner });
    const { stdout, stderr } = await run(process.execPath, [outfile], join(scratch, 'bundles'));
    if (!stdout.startsWith('accepted') || stderr !== '')
      throw new Error(`The ${format} bundle printed:\n${stdout}\n${stderr}`);
    sizes.push(`${format.toUpperCase()} ${size}`);
  }
  const partSizes: string[] = [];
  for (const [name, code] of Object.entries(parts)) {
    const { size, inputs } = await bundle(project, code, {
      format: 'esm',
      write: false,
      outfile: 'part.mjs',
    });
    const unwanted = inputs.filter((path) =>
      /node_modules\/(undici\/|zod\/v4\/locales\/(?!en\.))/.test(path),
    );
    if (unwanted.length > 0) throw new Error(`A bundle of "${code}" carries ${unwanted.join(', ')}`);
    partSizes.push(`${name} ${size}`);
  }
  return [
    [`esbuild ${version}, all`, sizes.join(', ')],
    ['  without undici', partSizes.join(', ')],
  ];
}

async function bundle(project: string, code: string, options: BuildOptions) {
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
  const inputs = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { size: `${Math.round(output.bytes / 1000)} kB`, inputs: inputs.map(([path]) => path) };
}
