import { join } from 'node:path';
import { runByName, runCommand } from './command.js';
import { copyInto, installedVersion, projectWith } from './project.js';
import { allOf, inParallel, run } from './run.js';
import type { Row } from './table.js';

/** The lowest that the package supports, the first that can `require()` ES modules unasked, and the last of each line. */
const ranges = ['20.19.0', '20', '22.12.0', '22', '24', '26'];

/**
 * Lives the same day from ESM and from CommonJS on each Node, without a single warning; with msw as well, by command, and
 * over a SQLite file, there also on Bun.
 */
export async function onEveryNode(scratch: string, tarball: string): Promise<Row[]> {
  const [nodes, bun, esm, cjs, msw, stores] = await allOf([
    installNodes(join(scratch, 'nodes')),
    installBun(join(scratch, 'bun')),
    consumer('esm', scratch, tarball),
    consumer('cjs', scratch, tarball),
    consumer('msw', scratch, tarball),
    consumer('stores', scratch, tarball),
  ]);
  const days = nodes.flatMap(({ binary, version }) => [
    () => liveADay(binary, version, esm, 'ESM'),
    () => liveADay(binary, version, cjs, 'CJS'),
    () => bidThroughMsw(binary, version, msw, 'main.mjs'),
    () => bidThroughMsw(binary, version, msw, 'main.cjs'),
    () => bidOverStores(binary, `Node ${version}`, stores, 'main.mjs'),
    () => bidOverStores(binary, `Node ${version}`, stores, 'main.cjs'),
    () => runCommand(binary, cjs),
  ]);
  // The lowest and the highest are enough: the program waits for polls.
  const ends = nodes.filter((_, index) => index === 0 || index === nodes.length - 1);
  const platforms = ends.flatMap(({ binary, version }) => [
    () => runProgram(binary, `Node ${version}`, stores, 'live-main.mjs', 'live in'),
    () => runProgram(binary, `Node ${version}`, stores, 'live-main.cjs', 'live in'),
    () => runProgram(binary, `Node ${version}`, stores, 'bank-main.mjs', 'a bank’s day'),
  ]);
  const onBun = bun === undefined ? [] : [() => bidOverStores(bun.binary, 'Bun', stores, 'main.mjs')];
  await inParallel([...platforms, ...days, ...onBun]);
  await runByName(esm);
  const versions = nodes.map(({ version }) => version).join(', ');
  return [
    ['ESM and CJS on Node', versions],
    [`msw ${installedVersion(msw, 'msw')}, and the command`, versions],
    [
      'A dealer platform and a bank’s day in 50 lines each, a webhook endpoint in five',
      ends.map(({ version }) => version).join(', '),
    ],
    ['SQLite of the runtime, else libsql', bun === undefined ? versions : `${versions}, Bun ${bun.version}`],
  ];
}

/** The optional packages that a consumer installs. */
const peers = { esm: {}, cjs: {}, msw: { msw: '^2.0.0' }, stores: { libsql: '^0.5.0', pg: '^8.0.0' } };

async function consumer(kind: keyof typeof peers, scratch: string, tarball: string): Promise<string> {
  const project = join(scratch, kind);
  await projectWith(
    project,
    { 'vehicle-auction-sdk': `file:${tarball}`, ...peers[kind] },
    kind === 'cjs' ? 'commonjs' : 'module',
  );
  copyInto(project, kind);
  return project;
}

async function installNodes(folder: string): Promise<{ binary: string; version: string }[]> {
  const { platform, arch } = process;
  // The package `node` is a script that installs these, one after the other: asked for by name they come together.
  const binaries = `node-${platform === 'darwin' && arch === 'arm64' ? 'bin-' : ''}${platform === 'win32' ? 'win' : platform}-${arch}`;
  const aliases = ranges.map((range) => [`node-${range}`, `npm:${binaries}@${range}`]);
  await projectWith(folder, Object.fromEntries(aliases));
  return ranges.map((range) => ({
    binary: join(folder, 'node_modules', `node-${range}`, 'bin', platform === 'win32' ? 'node.exe' : 'node'),
    version: installedVersion(folder, `node-${range}`).replace('v', ''),
  }));
}

/** Undefined where npm has none for this machine. */
async function installBun(folder: string): Promise<{ binary: string; version: string } | undefined> {
  const { platform, arch } = process;
  const cpu = arch === 'arm64' ? 'aarch64' : arch;
  if (platform !== 'linux' && platform !== 'darwin') return undefined;
  await projectWith(folder, { bun: `npm:@oven/bun-${platform}-${cpu}@1` });
  return {
    binary: join(folder, 'node_modules', 'bun', 'bin', 'bun'),
    version: installedVersion(folder, 'bun'),
  };
}

async function liveADay(binary: string, version: string, project: string, kind: string): Promise<void> {
  const { stdout, stderr } = await run(binary, ['--throw-deprecation', 'main.js'], project);
  if (!stdout.startsWith(`${kind}: accepted`) || stderr !== '') {
    throw new Error(`${kind} on Node ${version} printed:\n${stdout}\n${stderr}`);
  }
}

/** Warnings of msw itself, on a Node of today, are its own affair. */
async function bidThroughMsw(binary: string, version: string, project: string, file: string): Promise<void> {
  const { stdout } = await run(binary, [file], project);
  if (!stdout.startsWith('accepted once')) throw new Error(`${file} on Node ${version} printed:\n${stdout}`);
}

/** Deprecations are those of the database packages, too; warnings are not wanted. */
async function bidOverStores(binary: string, runtime: string, project: string, file: string): Promise<void> {
  const { stdout, stderr } = await run(binary, [file], project);
  if (!stdout.startsWith('accepted once') || stderr !== '')
    throw new Error(`${file} on ${runtime} printed:\n${stdout}\n${stderr}`);
}

async function runProgram(
  binary: string,
  runtime: string,
  project: string,
  file: string,
  says: string,
): Promise<void> {
  const { stdout, stderr } = await run(binary, [file], project);
  if (!stdout.startsWith(says) || stderr !== '')
    throw new Error(`${file} on ${runtime} printed:\n${stdout}\n${stderr}`);
}
