import { dirname, join } from 'node:path';
import ts from 'typescript';
import { renderModels } from '../../tools/generate/models.js';
import { renderResources } from '../../tools/generate/resources.js';
import { renderRoutes } from '../../tools/generate/routes.js';
import { root } from '../support/sources.js';
import { catalogue } from './samples.js';

/** What generated code imports by the side of itself, and where that stands in fact. */
const neighbours = [
  'api/check',
  'api/operation',
  'ports/file-content',
  'core/caller',
  'paging/pager',
  'paging/cursor-pager',
];

const options: ts.CompilerOptions = {
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

/** What the compiler says of the samples as they are generated, and of code that uses them; by file. */
export function problemsOf(uses: Readonly<Record<string, string>>): Map<string, string[]> {
  const files = new Map<string, string>();
  const generated = [renderModels, renderRoutes, renderResources].flatMap((render) => [...render(catalogue)]);
  for (const [path, text] of generated) {
    files.set(join(root, path.replace(/^src/, 'test/generate')), text);
  }
  for (const path of neighbours) {
    files.set(join(root, `test/generate/${path}.ts`), `export * from '../../../src/${path}.js';\n`);
  }
  for (const [name, code] of Object.entries(uses)) files.set(join(root, `test/generate/${name}.ts`), code);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  const folders = new Set([...files.keys()].map(dirname));
  host.directoryExists = (path) => folders.has(path) || ts.sys.directoryExists(path);
  host.getCurrentDirectory = () => root;
  const program = ts.createProgram([...files.keys()], options, host);
  const problems = new Map<string, string[]>();
  for (const path of files.keys()) {
    const source = program.getSourceFile(path);
    const found = ts.getPreEmitDiagnostics(program, source).map((diagnostic) => textOf(diagnostic));
    problems.set(path.slice(join(root, 'test/generate/').length), found);
  }
  return problems;
}

function textOf({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, '\n');
}
