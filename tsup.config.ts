import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { type Plugin, transform } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import ts from 'typescript';
import { licenceTexts, sbomOf } from './tools/third-party.js';

const entry = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/sandbox/index.ts',
  store: 'src/store/index.ts',
  sqlite: 'src/sqlite/index.ts',
  postgres: 'src/postgres/index.ts',
  csv: 'src/csv/index.ts',
  testing: 'src/testing/index.ts',
  opentelemetry: 'src/opentelemetry/index.ts',
};

/**
 * Not for anybody to import, and not packed. With them the clients go into chunks of their own, so that a bundler which
 * takes only money or signatures leaves the clients out, and undici with them. `noble`, `decimal` and
 * `without-undici` are for `imports` of package.json.
 */
const apart = {
  bank: 'src/client/bank-client.ts',
  partner: 'src/client/partner-client.ts',
  noble: 'src/signing/noble.ts',
  'noble-on-node': 'src/signing/noble-on-node.ts',
  decimal: 'src/money/decimal.ts',
  'without-undici': 'src/core/transport/without-undici.ts',
  'decimal-on-node': 'src/money/decimal-on-node.ts',
};

/**
 * Bundled into the output, because only `./csv` uses it. The command (CommonJS only) also bundles what it alone uses.
 * Everything else is a dependency that the consumer's package manager installs, deduplicates and audits.
 */
const bundled = [/^csv-parse(\/|$)/];

/**
 * @noble/hashes and big.js are loaded as `imports` of package.json says. Node itself loads them when they are first
 * needed, so that they cost an import nothing. Bundlers, which are known by the condition `module`, and other runtimes
 * import them. Bundles for Cloudflare Workers, which can't run undici, leave it out: it would be most of them.
 */
const loadedByRuntime: Plugin = {
  name: 'loaded-by-runtime',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/(noble|decimal)\.js$/ }, ({ path }) => ({
      path: path.replace(/^\.\/(.*)\.js$/, '#$1'),
      external: true,
      sideEffects: false,
    }));
    onResolve({ filter: /^undici$/ }, () => ({ path: '#undici', external: true }));
  },
};

/** Folders that nearly every entry uses a part of. */
const foundations = ['errors', 'money', 'runtime', 'signing'];

/**
 * Puts the foundations into one chunk: by itself the bundler makes one for every set of entries that share a file, and
 * each file costs an import half a millisecond or more. Every entry but the sandbox, which uses none of them, imports
 * all of them.
 */
const oneChunkOfFoundations: Plugin = {
  name: 'one-chunk-of-foundations',
  setup: ({ onLoad, onResolve }) => {
    const own = Object.values(apart).map((path) => resolve(path));
    const files = foundations
      .flatMap((folder) => readdirSync(`src/${folder}`).map((name) => resolve('src', folder, name)))
      .filter((path) => !own.includes(path));
    const users = Object.values({ ...entry, ...apart, cli: 'src/cli/main.ts' })
      .map((path) => resolve(path))
      .filter((path) => !/src.(sandbox|cli|signing|money)./.test(path));
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir }) => {
      const source = resolve(resolveDir, path.replace(/js$/, 'ts'));
      return files.includes(source) ? { path: source, sideEffects: true } : undefined;
    });
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!users.includes(path)) return undefined;
      const imports = files.map((file) => `import '${relativeImport(path, file)}';`).join('\n');
      return { contents: `${readFileSync(path, 'utf8')}\n${imports}`, loader: 'ts' };
    });
  },
};

function relativeImport(from: string, to: string): string {
  const path = relative(dirname(from), to).replaceAll('\\', '/').replace(/ts$/, 'js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** Puts the files that the sandbox serves into its code: media, and the page of the inspector. */
const embeddedAssets: Plugin = {
  name: 'embedded-assets',
  setup: ({ onLoad }) => {
    onLoad({ filter: /sandbox.asset-files\.ts$/ }, () => {
      const folder = 'src/sandbox/assets';
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => name.replaceAll('\\', '/'))
        .filter((name) => statSync(`${folder}/${name}`).isFile() && !name.endsWith('tsconfig.json'));
      const files = names.sort().map((name) => {
        // Text stays text, which the package compresses better.
        const encoding = /\.(html|css|js)$/.test(name) ? 'utf8' : 'base64';
        return [name, [readFileSync(`${folder}/${name}`).toString(encoding), encoding]] as const;
      });
      return {
        contents: `const files = new Map(${JSON.stringify(files)});
export function readAsset(path) {
  const file = files.get(path);
  return file === undefined ? undefined : Buffer.from(...file);
}`,
        loader: 'js',
      };
    });
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
  // Cloudflare Workers and Deno know the modules of Node under their full names only.
  removeNodeProtocol: false,
  // The plugin `loadedByRuntime` makes undici external.
  noExternal: [...bundled, 'undici'],
  esbuildPlugins: [loadedByRuntime, oneChunkOfFoundations, embeddedAssets],
  // Without splitting, `.` and `./webhooks` would each carry their own copy of the error classes.
  splitting: true,
  // The output is readable as it is, and maps would be two thirds of the package.
  sourcemap: false,
  silent: true,
};

/**
 * Entries with one build for both: their ES modules pass on the CommonJS ones. They are half of the package, and no
 * program is bundled with them for a browser or an edge.
 */
const { sandbox, csv, testing, ...loadedTwice } = entry;
const once = { sandbox, csv, testing };

export default defineConfig((overrides) => [
  {
    ...common,
    entry: { ...loadedTwice, ...apart },
    dts: false,
    format: 'esm',
    clean: overrides.dts !== false,
    onSuccess: async () => {
      // One set of declarations serves both: classes with private fields would else be two types.
      for (const name of Object.keys(entry)) {
        if (overrides.dts !== false) writeFileSync(`dist/${name}.d.ts`, `export * from './${name}.cjs';\n`);
      }
      for (const name of Object.keys(once))
        writeFileSync(`dist/${name}.js`, `export * from './${name}.cjs';\n`);
      await compact('.js');
    },
  },
  {
    ...common,
    // Compilers that don't load @types/node by themselves (TypeScript 6 on) know `Symbol.asyncDispose` by this alone.
    dts: overrides.dts !== false && {
      entry: declarationsOf(entry),
      banner: '/// <reference lib="esnext.disposable" />',
    },
    // The command is CommonJS alone: what it bundles is.
    entry: { ...entry, ...apart, cli: 'src/cli/main.ts' },
    format: 'cjs',
    esbuildOptions: (options) => {
      options.define = { ...options.define, 'import.meta.url': MODULE_PATH };
    },
    // Colours are an optional dependency of the tables, which do without.
    external: [/^@colors\/colors/],
    esbuildPlugins: [loadedByRuntime, oneChunkOfFoundations, embeddedAssets, noteCarried],
    onSuccess: async () => {
      const folders = [...carried].sort();
      writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licenceTexts(folders));
      writeFileSync('dist/sbom.cdx.json', sbomOf('.', folders));
      settleCommonJs();
      await compact('.cjs');
    },
  },
]);

/**
 * Writes the declarations of `src`, which are then bundled, and returns those of the entries. Types are checked by
 * `npm run typecheck` alone: the bundler of declarations would check all of them again, which takes longer than all else.
 */
function declarationsOf(entries: Readonly<Record<string, string>>): Record<string, string> {
  const folder = '.declarations';
  const { options = {} } =
    ts.getParsedCommandLineOfConfigFile('tsconfig.json', undefined, {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
      },
    }) ?? {};
  rmSync(folder, { recursive: true, force: true });
  const program = ts.createProgram(Object.values(entries), {
    ...options,
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true },
    ...{ outDir: folder, rootDir: 'src' },
  });
  program.emit();
  return Object.fromEntries(
    Object.entries(entries).map(([name, path]) => [
      name,
      path.replace(/^src(.*)\.ts$/, (_, inner: string) => `${folder}${inner}.d.ts`),
    ]),
  );
}

/** Stands for `import.meta.url` until `settleCommonJs`. */
const MODULE_PATH = 'modulePath';

/** An `import()` of a path that is known only at run time, as the build of CommonJS writes it. */
const requiredAtRunTime =
  /Promise\.resolve\(\)\.then\(\(\) => _interopRequireWildcard\(require\(([a-z]\w*)\)\)\)/g;

/**
 * In CommonJS the path of a file stands for its URL. A bundler that makes ES modules of it leaves neither, and warns of the
 * helpers of the command, which every entry loads although no other one uses them. An `import()` whose path is known only
 * at run time, such as that of a user's policy, stays one: `require` takes no URL.
 */
function settleCommonJs(): void {
  const files = readdirSync('dist').filter((name) => name.endsWith('.cjs'));
  const textOf = new Map(files.map((name) => [name, readFileSync(`dist/${name}`, 'utf8')]));
  const helpers = files.filter((name) => textOf.get(name)?.includes('exports.__require = ') === true);
  for (const [name, text] of textOf) {
    const settled = helpers
      .reduce((code, helper) => code.replace(new RegExp(`([;\\n])require\\('./${helper}'\\);`), '$1'), text)
      .replaceAll(requiredAtRunTime, 'import($1)')
      .replaceAll(MODULE_PATH, '(typeof __filename === "undefined" ? void 0 : __filename)');
    if (settled !== text) writeFileSync(`dist/${name}`, settled);
  }
}

/** Makes the code of the sandbox and the command small: nobody debugs it, and it is half of the package. */
async function compact(extension: string): Promise<void> {
  for (const file of readdirSync('dist').filter((name) => name.endsWith(extension))) {
    const text = readFileSync(`dist/${file}`, 'utf8');
    const sources = text.match(/^\/\/ src\/(?:sandbox|cli|learn|doctor|relay)\/.*$/gm);
    if (sources === null) continue;
    const { code } = await transform(text, {
      ...{ minifyWhitespace: true, minifyIdentifiers: true, minifySyntax: true },
      // No limit of lines: it breaks texts in two, and a bundler that indents the code puts white space into them.
      legalComments: 'none',
    });
    // A `#!` line stays the first.
    const [shebang = ''] = /^#!.*\n/.exec(code) ?? [];
    writeFileSync(`dist/${file}`, `${shebang}${sources.join('\n')}\n${code.slice(shebang.length)}`);
  }
}
