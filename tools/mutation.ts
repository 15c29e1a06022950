import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Mutates one folder of `src` with Stryker and runs the tests of that folder against each mutant:
 * `npm run test:mutation -- money`. Stryker is installed into a scratch folder, never by `npm ci`.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const [part = '', ...testFolders] = process.argv.slice(2);
if (!/^[a-z]+$/.test(part)) {
  throw new Error('Usage: npm run test:mutation -- <folder of src> [folders of test, if others]');
}

const scratch = mkdtempSync(join(tmpdir(), 'mutation-'));
try {
  copyProject();
  npm(
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '@stryker-mutator/core@9',
    '@stryker-mutator/vitest-runner@9',
  );
  const tests = (testFolders.length > 0 ? testFolders : [part]).map(
    (folder) => `test/${folder}/**/*.test.ts`,
  );
  writeFileSync(
    join(scratch, 'vitest.mutation.config.ts'),
    `export default { test: { globalSetup: ['test/support/postgres/global-setup.ts'], include: ${JSON.stringify(tests)} } };\n`,
  );
  writeFileSync(
    join(scratch, 'stryker.config.json'),
    JSON.stringify({
      testRunner: 'vitest',
      plugins: ['@stryker-mutator/vitest-runner'],
      vitest: { configFile: 'vitest.mutation.config.ts', related: false },
      coverageAnalysis: 'perTest',
      ignoreStatic: true,
      concurrency: 2,
      reporters: ['clear-text'],
      mutate: [`src/${part}/**/*.ts`],
    }),
  );
  const { status } = spawnSync('npx', ['stryker', 'run'], { cwd: scratch, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(scratch, { recursive: true });
}

/** What git knows of, as it is now, with the packages that are installed here. */
function copyProject(): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of listed.trim().split('\n')) {
    mkdirSync(dirname(join(scratch, file)), { recursive: true });
    cpSync(join(root, file), join(scratch, file), { force: true });
  }
  npm('ci', '--no-audit', '--no-fund', '--prefer-offline');
  cpSync(join(root, 'dist'), join(scratch, 'dist'), { recursive: true });
}

function npm(...args: string[]): void {
  execFileSync('npm', args, { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'] });
}
