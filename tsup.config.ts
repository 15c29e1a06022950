import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { defineConfig, type Options } from 'tsup';

const entry = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/sandbox/index.ts',
  store: 'src/store/index.ts',
  sqlite: 'src/sqlite/index.ts',
  postgres: 'src/postgres/index.ts',
  csv: 'src/csv/index.ts',
  testing: 'src/testing/index.ts',
};

/**
 * Not for anybody to import, and not packed: with them the clients go into chunks of their own, and the money that they
 * share with `.` into another, so that a bundler which takes only money or signatures leaves the clients out, and undici
 * with them.
 */
const apart = {
  bank: 'src/client/bank-client.ts',
  partner: 'src/client/partner-client.ts',
  money: 'src/money/minimum-bid.ts',
};

/**
 * Development dependencies, which both outputs carry, so that nobody has to install them. uuid and @noble/hashes are
 * ESM-only, which `require()` refuses below Node 22.12 and in Jest; and their many files, of which few functions are
 * used, would cost an import a third of its time.
 */
const bundled = ['@noble/hashes', 'csv-parse', 'uuid'].map((name) => new RegExp(`^${name}(/|$)`));

/** Folders of the packages whose code is in the CJS output: those above, and what the command needs and nobody else should install. */
const carried = new Set<string>();

const noteCarried: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'note-carried-packages',
  setup: ({ onEnd }) => {
    onEnd(({ metafile }) => {
      for (const path of Object.keys(metafile?.inputs ?? {})) {
        const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
        if (folder !== undefined) carried.add(folder);
      }
    });
  },
};

const common: Options = {
  entry: { ...entry, ...apart },
  target: 'node20',
  platform: 'node',
  noExternal: bundled,
  // Without splitting, `.` and `./webhooks` would each carry their own copy of the error classes.
  splitting: true,
  // The output is readable as it is, and maps would be two thirds of the package.
  sourcemap: false,
  silent: true,
};

export default defineConfig((overrides) => [
  {
    ...common,
    dts: false,
    format: 'esm',
    clean: overrides.dts !== false,
    // The files that the sandbox serves: media, and the page of the inspector.
    onSuccess: async () => {
      const filter = (file: string) => !file.endsWith('tsconfig.json');
      cpSync('src/sandbox/assets', 'dist/assets', { recursive: true, filter });
      // One set of declarations serves both: classes with private fields would else be two types.
      for (const name of Object.keys(entry)) {
        if (overrides.dts !== false) writeFileSync(`dist/${name}.d.ts`, `export * from './${name}.cjs';\n`);
      }
      await compact('.js');
    },
  },
  {
    ...common,
    // Compilers that don't load @types/node by themselves (TypeScript 6 on) know `Symbol.asyncDispose` by this alone.
    dts: overrides.dts !== false && { entry, banner: '/// <reference lib="esnext.disposable" />' },
    // The command is CommonJS alone: what it bundles is.
    entry: { ...entry, ...apart, cli: 'src/cli/main.ts' },
    format: 'cjs',
    // For `import.meta.url`.
    shims: true,
    // Colours are an optional dependency of the tables, which do without.
    external: [/^@colors\/colors/],
    esbuildPlugins: [noteCarried],
    onSuccess: async () => {
      const texts = [...carried].sort().map(licenceOf);
      writeFileSync('dist/THIRD-PARTY-LICENSES.txt', texts.join('\n---\n\n'));
      await compact('.cjs');
    },
  },
]);

/** Takes the white space out of the sandbox and the command: nobody debugs them, and they are half of the package. */
async function compact(extension: string): Promise<void> {
  for (const file of readdirSync('dist').filter((name) => name.endsWith(extension))) {
    const text = readFileSync(`dist/${file}`, 'utf8');
    const sources = text.match(/^\/\/ src\/(?:sandbox|cli)\/.*$/gm);
    if (sources === null) continue;
    const { code } = await transform(text, { minifyWhitespace: true, lineLimit: 120, legalComments: 'none' });
    // A `#!` line stays the first.
    const [shebang = ''] = /^#!.*\n/.exec(code) ?? [];
    writeFileSync(`dist/${file}`, `${shebang}${sources.join('\n')}\n${code.slice(shebang.length)}`);
  }
}

function licenceOf(folder: string): string {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const file = readdirSync(folder).find((each) => /^licen[sc]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence text`);
  return `${name}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
}
