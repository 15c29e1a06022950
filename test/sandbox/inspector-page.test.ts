import { build } from 'esbuild';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { pageFiles } from '../../src/sandbox/inspector/page/files.js';
import { root } from '../support/sources.js';

const scripts = [...pageFiles].filter(([path]) => path.endsWith('.js'));

test('the scripts of the page are typed: the compiler finds nothing in them', () => {
  const folder = `${root}page-in-memory`;
  const inFolder = (path: string) => `${folder}/${path.split('/').at(-1)}`;
  const texts = new Map(scripts.map(([path, { text }]) => [inFolder(path), text]));
  const options: ts.CompilerOptions = {
    allowJs: true,
    checkJs: true,
    strict: true,
    skipLibCheck: true,
    noUnusedLocals: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile, directoryExists } = host;
  host.directoryExists = (path) => path === folder || directoryExists?.(path) === true;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile(path, ...rest)
      : ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  const found = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1;
    return `${file?.fileName.split('/').at(-1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
  expect(texts.size).toBeGreaterThan(5);
  expect(found).toEqual([]);
}, 120_000);

test('nothing that a request carries could become markup or code', () => {
  for (const [path, { text }] of scripts) {
    expect(text, path).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|srcdoc|DOMParser/,
    );
    expect(text, path).not.toMatch(/https?:\/\//);
  }
});

test('every script is loaded by the page, and every one that is loaded is there', () => {
  const imported = scripts.flatMap(([, { text }]) =>
    [...text.matchAll(/^import .* from '\.\/(.*)';$/gm)].map(([, name]) => `/_sandbox/page/${name}`),
  );
  expect(new Set(['/_sandbox/page/main.js', ...imported])).toEqual(new Set(scripts.map(([path]) => path)));
});

test('bundled and minified it is the same page', async () => {
  const { outputFiles } = await build({
    entryPoints: [`${root}src/sandbox/inspector/page/files.ts`],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const bundled: { pageFiles: typeof pageFiles } = await import(`data:text/javascript;base64,${code}`);
  expect([...bundled.pageFiles]).toEqual([...pageFiles]);
});
