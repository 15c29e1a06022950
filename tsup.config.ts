import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type Plugin, transform } from 'esbuild';
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
  signing: 'src/signing/sign.ts',
  noble: 'src/signing/noble.ts',
  'noble-on-node': 'src/signing/noble-on-node.ts',
};

/**
 * Bundled into the output, because only `./csv` uses it. The command (CommonJS only) also bundles what it alone uses.
 * Everything else is a dependency that the consumer's package manager installs, deduplicates and audits.
 */
const bundled = [/^csv-parse(\/|$)/];

/** `@noble/hashes` is loaded as `imports` of package.json says: on Node when it is needed, elsewhere with the import. */
const nobleByRuntime: Plugin = {
  name: 'noble-by-runtime',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/noble\.js$/ }, () => ({ path: '#noble', external: true, sideEffects: false }));
  },
};

/** Folders of the packages that the output bundles. */
const carried = new Set<string>();

const noteCarried: Plugin = {
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
  esbuildPlugins: [nobleByRuntime],
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
    esbuildPlugins: [nobleByRuntime, noteCarried],
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
