import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { allOf, inParallel, installedVersion, projectWith, type Row, root, run } from './project.js';

/** The lowest supported Node, the first with `require()` of ES modules by default, and the latest of each line. */
const ranges = ['20.19.0', '20', '22.12.0', '22', '24', '26'];

/** The optional packages that a consumer installs, and what else its programs need. */
const extras = {
  bare: {},
  full: { libsql: '^0.5.0', msw: '^2.0.0', pg: '^8.0.0' },
  examples: { libsql: '^0.5.0', tsx: '^4.0.0' },
  jest: { jest: 'latest' },
};

/** Examples that start a sandbox, as described in their READMEs. */
const examples = ['demo', 'aggregator', 'bank-approvals'];

interface Runtime {
  readonly binary: string;
  readonly name: string;
}

/** Runs the same programs from ESM and from CommonJS on each Node, the command and the examples. */
export async function onEveryNode(scratch: string, tarball: string): Promise<Row[]> {
  const [nodes, bare, full, copied, jest] = await allOf([
    installNodes(join(scratch, 'nodes')),
    consumer('bare', scratch, tarball),
    consumer('full', scratch, tarball),
    consumer('examples', scratch, tarball),
    consumer('jest', scratch, tarball),
  ]);
  const works = nodes.flatMap((node) => [
    ...['main.mjs', 'main.cjs'].flatMap((main) => [
      () => program(node, bare, ['--throw-deprecation', main, 'day']),
      // Ignore deprecations and warnings of other packages.
      () => program(node, full, [main, 'msw'], /./),
      () => program(node, full, [main, 'stores']),
    ]),
    ...examples.map((name) => () => {
      const args = ['--import', 'tsx', `examples/${name}/main.ts`, '--sandbox'];
      return run(node.binary, args, copied);
    }),
    () => program(node, bare, ['--throw-deprecation', 'copies.mjs']),
    () => run(node.binary, ['node_modules/jest/bin/jest.js', '--cacheDirectory', `.jest-${node.name}`], jest),
    () => command(node, bare),
  ]);
  await inParallel(works);
  await runByName(bare);
  const versions = nodes.map(({ name }) => name).join(', ');
  return [
    ['ESM and CJS, the command, and the examples', versions],
    [`msw ${installedVersion(full, 'msw')}`, versions],
    [`Jest ${installedVersion(jest, 'jest')}, CommonJS`, versions],
    ['SQLite of Node, else libsql', versions],
  ];
}

async function consumer(kind: keyof typeof extras, scratch: string, tarball: string): Promise<string> {
  const dependencies = { 'vehicle-auction-sdk': `file:${tarball}`, ...extras[kind] };
  const project = await projectWith(join(scratch, kind), dependencies);
  const shipped = join(project, 'node_modules/vehicle-auction-sdk/examples');
  if (kind === 'examples') cpSync(shipped, join(project, 'examples'), { recursive: true });
  else cpSync(join(root, 'tools/consumer/programs'), project, { recursive: true });
  return project;
}

async function installNodes(folder: string): Promise<Runtime[]> {
  const { platform, arch } = process;
  // The package `node` is a script that installs these, one after the other: asked for by name they come together.
  const binaries = `node-${platform === 'darwin' && arch === 'arm64' ? 'bin-' : ''}${platform === 'win32' ? 'win' : platform}-${arch}`;
  const aliases = ranges.map((range) => [`node-${range}`, `npm:${binaries}@${range}`]);
  await projectWith(folder, Object.fromEntries(aliases));
  return ranges.map((range) => ({
    binary: join(folder, 'node_modules', `node-${range}`, 'bin', platform === 'win32' ? 'node.exe' : 'node'),
    name: `Node ${installedVersion(folder, `node-${range}`).replace('v', '')}`,
  }));
}

async function program({ binary, name }: Runtime, project: string, args: string[], warns = /^$/) {
  const { stdout, stderr } = await run(binary, args, project);
  if (!stdout.startsWith('accepted') || (stderr !== '' && !warns.test(stderr)))
    throw new Error(`${args.join(' ')} on ${name} printed:\n${stdout}\n${stderr}`);
}

/** The installed command: its version, and a sandbox that answers and ends when it is told to. */
async function command({ binary, name }: Runtime, project: string): Promise<void> {
  const file = join(project, 'node_modules/vehicle-auction-sdk/dist/cli.cjs');
  const { stdout } = await run(binary, [file, '--version'], project);
  const version = installedVersion(project, 'vehicle-auction-sdk');
  if (stdout !== `${version}\n`) throw new Error(`the command has the version ${stdout}`);
  const { NODE_OPTIONS: _, ...env } = process.env;
  const args = ['--throw-deprecation', file, 'sandbox', '--port', '0', '--json'];
  const child = spawn(binary, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    const { baseUrl } = JSON.parse(line) as { baseUrl: string };
    const { status } = await fetch(`${baseUrl}/events`);
    child.kill('SIGTERM');
    if (status !== 401) throw new Error(`an unsigned request was answered ${status}`);
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`the sandbox ended with ${code} on ${name}`);
}

/** As npx finds it: under the name of the package, and under its own. */
async function runByName(project: string): Promise<void> {
  for (const name of ['vehicle-auction-sdk', 'vehicle-auction']) {
    const { stdout } = await run('npx', ['--no-install', name, '--help'], project);
    if (!stdout.includes('sandbox [options]')) throw new Error(`npx ${name} printed:\n${stdout}`);
  }
}
