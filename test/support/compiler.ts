import { dirname } from 'node:path';
import ts from 'typescript';
import { root } from './sources.js';

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

/** What the compiler says, strictly, of files that are in memory only, beside those on disk; by path. */
export function problemsIn(files: ReadonlyMap<string, string>): ReadonlyMap<string, string[]> {
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  const folders = new Set([...files.keys()].map(dirname));
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.directoryExists = (path) => folders.has(path) || ts.sys.directoryExists(path);
  host.getCurrentDirectory = () => root;
  const program = ts.createProgram([...files.keys()], options, host);
  const problemsOf = (path: string) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  return new Map([...files.keys()].map((path) => [path, problemsOf(path)]));
}
