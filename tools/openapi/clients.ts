import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { environmentOf } from '../../test/examples/program.js';
import { allOf, installedVersion, type Row, root, run } from '../consumer/project.js';
import { document, tool } from './lint.js';

const programs = {
  'openapi-typescript': 'openapi-fetch.ts',
  '@hey-api/openapi-ts': 'hey-api.ts',
} as const;

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  module: 'preserve',
  types: ['node'],
  skipLibCheck: true,
};

/**
 * Generates both clients from the document, type-checks them with the programs of `examples/other-clients`, and runs
 * the programs: each places a signed bid in the sandbox.
 */
export async function generatedClients(project: string): Promise<Row[]> {
  cpSync(join(root, 'examples/other-clients'), project, { recursive: true });
  symlinkSync(root, join(project, 'node_modules/vehicle-auction-sdk'), 'junction');
  await allOf([
    run(...tool(project, 'openapi-typescript', [document, '-o', 'schema.ts'])),
    run(...tool(project, 'openapi-ts', ['-i', document, '-o', 'client'])),
  ]);
  const files = Object.values(programs);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await run(...tool(project, 'tsc', ['-p', '.']));
  const options = { format: 'esm', platform: 'node', target: 'node20', packages: 'external' } as const;
  const entryPoints = files.map((file) => join(project, file));
  await build({ ...options, bundle: true, entryPoints, outdir: project, outExtension: { '.js': '.mjs' } });

  await using sandbox = await startSandbox();
  const { baseUrl, credentials } = sandbox;
  const env = { ...process.env, ...environmentOf(baseUrl, credentials.dealer) };
  const rows: Row[] = [];
  for (const [generator, file] of Object.entries(programs)) {
    const before = sandbox.ledger().length;
    const program = join(project, file.replace('.ts', '.mjs'));
    const { stdout } = await run(process.execPath, [program], project, env);
    const [bid, ...others] = sandbox.ledger().slice(before);
    if (
      bid?.operation !== 'bids.submit' ||
      others.length > 0 ||
      !stdout.startsWith(`${bid.bidId} is accepted`)
    )
      throw new Error(`${file} should place one bid, and printed ${stdout}`);
    rows.push([`${generator} ${installedVersion(project, generator)}`, `${file}: ${stdout.trim()}`]);
  }
  return rows;
}
