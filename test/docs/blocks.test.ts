import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { docBlocks, docPages } from '../support/doc-blocks.js';
import { root, textOf } from '../support/sources.js';

const blocks = docBlocks();
const typed = blocks.filter((block) => block.typed);
const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
};

describe('code in the docs', () => {
  it('compiles, strictly, against the package as it is built', () => {
    // As if each block were a file at the root: the package is found by its own name there.
    const files = new Map(
      typed.map((block, index) => [join(root, `doc-block-${index}.ts`), `${block.code}\nexport {};\n`]),
    );
    const host = ts.createCompilerHost(compilerOptions);
    const { fileExists, readFile } = host;
    host.fileExists = (path) => files.has(path) || fileExists(path);
    host.readFile = (path) => files.get(path) ?? readFile(path);
    host.getCurrentDirectory = () => root;
    const program = ts.createProgram([...files.keys()], compilerOptions, host);
    const problems = ts.getPreEmitDiagnostics(program).map((diagnostic) => {
      const block = [...files.keys()].indexOf(diagnostic.file?.fileName ?? '');
      return `${typed[block]?.place}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`;
    });
    expect(problems).toEqual([]);
  });

  it.each(blocks.filter((block) => block.runs).map((block) => [block.place, block.code]))(
    '%s runs',
    async (_, code) => {
      const { outputText } = ts.transpileModule(code, { compilerOptions });
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '-e', outputText],
        { cwd: root },
      );
      expect(stdout).not.toBe('');
      expect(stderr).toBe('');
    },
  );
});

describe('links in the docs', () => {
  it('lead somewhere', () => {
    const pages = ['README.md', 'CHANGELOG.md', ...docPages()];
    for (const page of pages) {
      for (const [, target = ''] of textOf(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
        expect(() => textOf(join(page, '..', target)), `${page} → ${target}`).not.toThrow();
      }
    }
  });
});
