import { readFileSync, writeFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

const entry = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/sandbox/index.ts',
};

/**
 * Not for anybody to import, and not packed: with them the clients go into chunks of their own, so that a bundler which
 * takes only money or signatures from `.` leaves the clients out, and undici with them.
 */
const apart = {
  bank: 'src/client/bank-client.ts',
  partner: 'src/client/partner-client.ts',
};

/** ESM-only dependencies: `require()` of them fails below Node 22.12 and in Jest, so the CJS output carries them. */
const bundledInCjs = ['uuid', '@noble/hashes'];

const common: Options = {
  entry: { ...entry, ...apart },
  target: 'node20',
  platform: 'node',
  // Without splitting, `.` and `./webhooks` would each carry their own copy of the error classes.
  splitting: true,
  sourcemap: true,
  // Compilers that don't load @types/node by themselves (TypeScript 6 on) know `Symbol.asyncDispose` by this alone.
  dts: { entry, banner: '/// <reference lib="esnext.disposable" />' },
  silent: true,
};

export default defineConfig((overrides) => [
  {
    ...common,
    ...(overrides.dts === false && { dts: false }),
    format: 'esm',
    clean: overrides.dts !== false,
  },
  {
    ...common,
    ...(overrides.dts === false && { dts: false }),
    format: 'cjs',
    // Splitting transforms CommonJS twice, and its maps would name files of the machine that built it.
    sourcemap: false,
    noExternal: bundledInCjs.map((name) => new RegExp(`^${name}(/|$)`)),
    onSuccess: async () => {
      const texts = bundledInCjs.map((name) => {
        const licence = name === 'uuid' ? 'LICENSE.md' : 'LICENSE';
        return `${name} (bundled into the CommonJS output)\n\n${readFileSync(`node_modules/${name}/${licence}`, 'utf8').trim()}\n`;
      });
      writeFileSync('dist/THIRD-PARTY-LICENSES.txt', texts.join('\n---\n\n'));
    },
  },
]);
