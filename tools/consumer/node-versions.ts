import { join } from 'node:path';
import { copyInto, installedVersion, projectWith } from './project.js';
import { allOf, inParallel, run } from './run.js';
import type { Row } from './table.js';

/** The lowest that the package supports, the first that can `require()` ES modules unasked, and the last of each line. */
const ranges = ['20.19.0', '20', '22.12.0', '22', '24', '26'];

/** Lives the same day from ESM and from CommonJS on each Node, without a single warning. */
export async function onEveryNode(scratch: string, tarball: string): Promise<Row[]> {
  const [nodes, esm, cjs] = await allOf([
    installNodes(join(scratch, 'nodes')),
    consumer('esm', scratch, tarball),
    consumer('cjs', scratch, tarball),
  ]);
  const days = nodes.flatMap(({ binary, version }) => [
    () => liveADay(binary, version, esm, 'ESM'),
    () => liveADay(binary, version, cjs, 'CJS'),
  ]);
  await inParallel(days);
  return [['ESM and CJS on Node', nodes.map(({ version }) => version).join(', ')]];
}

async function consumer(kind: 'esm' | 'cjs', scratch: string, tarball: string): Promise<string> {
  const project = join(scratch, kind);
  await projectWith(
    project,
    { 'vehicle-auction-sdk': `file:${tarball}` },
    kind === 'esm' ? 'module' : 'commonjs',
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

async function liveADay(binary: string, version: string, project: string, kind: string): Promise<void> {
  const { stdout, stderr } = await run(binary, ['--throw-deprecation', 'main.js'], project);
  if (!stdout.startsWith(`${kind}: accepted`) || stderr !== '') {
    throw new Error(`${kind} on Node ${version} printed:\n${stdout}\n${stderr}`);
  }
}
