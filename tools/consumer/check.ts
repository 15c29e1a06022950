import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packs the tarball, installs it in an empty ESM and an empty CJS project, and uses it there as a user would. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'vehicle-auction-consumer-'));

try {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', scratch], root)) as {
    filename: string;
    size: number;
    files: { path: string }[];
  }[];
  if (packed === undefined) throw new Error('npm pack made nothing');
  checkContents(packed.files.map((file) => file.path));
  for (const kind of ['esm', 'cjs'] as const) useFrom(kind, join(scratch, packed.filename));
  console.log(
    `consumer check: ${packed.filename}, ${Math.round(packed.size / 1024)} KiB, used from ESM and CJS`,
  );
} finally {
  rmSync(scratch, { recursive: true });
}

/** Whatever `exports` names must be in the tarball: type checkers say nothing of types that aren't there. */
function checkContents(files: readonly string[]): void {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: unknown };
  const named = JSON.stringify(manifest.exports).matchAll(/"\.\/([^"]+\.[a-z]+)"/g);
  const missing = [...named]
    .map((match) => match[1] ?? '')
    .filter((path) => path.includes('/') && !files.includes(path));
  if (missing.length > 0) throw new Error(`The tarball lacks ${missing.join(', ')}`);
  // Declarations name no dependency's types: a consumer's compiler should not have to read zod.
  const borrowed = files
    .filter((path) => /^dist\/.*\.d\.c?ts$/.test(path))
    .filter((path) =>
      /from ['"](zod|undici|@noble|uuid|big\.js)/.test(readFileSync(join(root, path), 'utf8')),
    );
  if (borrowed.length > 0) throw new Error(`Types of dependencies show in ${borrowed.join(', ')}`);
  const stray = files.filter((path) => /^(src|test|tools|bench|examples|node_modules)\//.test(path));
  if (stray.length > 0) throw new Error(`The tarball carries ${stray.join(', ')}`);
}

function useFrom(kind: 'esm' | 'cjs', tarball: string): void {
  const project = join(scratch, kind);
  cpSync(join(root, 'tools/consumer', kind), project, { recursive: true });
  cpSync(join(root, 'tools/consumer/typed'), project, { recursive: true });
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: `consumer-${kind}`, private: true, type: kind === 'esm' ? 'module' : 'commonjs' }),
  );
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball], project);
  console.log(run('node', ['main.js'], project).trim());
  symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'));
  const undiciTypes = join(project, 'node_modules/undici-types');
  if (!existsSync(undiciTypes)) symlinkSync(join(root, 'node_modules/undici-types'), undiciTypes);
  run('node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], project);
}

function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed in ${cwd}\n${stdout ?? ''}\n${stderr ?? ''}`);
  }
}
