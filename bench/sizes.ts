import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Bytes of a minified bundle. */
export interface Size {
  readonly name: string;
  readonly minified: number;
  readonly gzipped: number;
  /** The same without dependencies. */
  readonly ownMinified: number;
  readonly ownGzipped: number;
}

/** What each entry, and what one often takes alone, adds to a bundle. */
export function bundleSizes(): Promise<Size[]> {
  const codes = {
    '.': "export * from 'vehicle-auction-sdk';",
    './webhooks': "export * from 'vehicle-auction-sdk/webhooks';",
    './sandbox': "export * from 'vehicle-auction-sdk/sandbox';",
    'a PartnerClient': "export { PartnerClient } from 'vehicle-auction-sdk';",
    'money helpers': "export { formatInr, fromPaise, nextBids, toPaise } from 'vehicle-auction-sdk';",
  };
  return Promise.all(
    Object.entries(codes).map(async ([name, code]) => {
      const all = await bundle(code, []);
      const own = await bundle(code, ['zod', 'undici']);
      return {
        name,
        minified: all.length,
        gzipped: gzipSync(all).length,
        ownMinified: own.length,
        ownGzipped: gzipSync(own).length,
      };
    }),
  );
}

/** Bytes of what would be published; undefined while no declarations are built, which are a good part of it. */
export async function tarballSize(): Promise<{ size: number; unpackedSize: number } | undefined> {
  if (!existsSync(join(root, 'dist/index.d.ts'))) return undefined;
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], { cwd: root });
  const [packed] = JSON.parse(stdout) as { size: number; unpackedSize: number }[];
  return packed;
}

async function bundle(code: string, external: string[]): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    write: false,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external,
    logLevel: 'error',
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error('esbuild made nothing');
  return output.contents;
}
