import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from './run.js';

/** Runs the installed command on a Node: its version, and a sandbox that answers and ends when it is told to. */
export async function runCommand(node: string, project: string): Promise<void> {
  const installed = join(project, 'node_modules', 'vehicle-auction-sdk');
  const { version, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    version: string;
    bin: Record<string, string>;
  };
  const command = join(installed, bin['vehicle-auction'] ?? '');
  const { stdout } = await run(node, [command, '--version'], project);
  if (stdout !== `${version}\n`) throw new Error(`the command has the version ${stdout}`);
  await answers(node, command, project);
}

/** As npx finds it: under the name of the package, and under its own. */
export async function runByName(project: string): Promise<void> {
  for (const name of ['vehicle-auction-sdk', 'vehicle-auction']) {
    const { stdout } = await run('npx', ['--no-install', name, '--help'], project);
    if (!stdout.includes('sandbox [options]')) throw new Error(`npx ${name} printed:\n${stdout}`);
  }
}

async function answers(node: string, command: string, cwd: string): Promise<void> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(node, ['--throw-deprecation', command, 'sandbox', '--port', '0', '--json'], {
    cwd,
    env,
  });
  const ended = once(child, 'close');
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  try {
    const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [
      unknown,
    ];
    if (typeof line !== 'string') throw new Error(`the sandbox ended:\n${errors}`);
    const { baseUrl } = JSON.parse(line) as { baseUrl: string };
    const { status } = await fetch(`${baseUrl}/events`);
    if (status !== 401) throw new Error(`an unsigned request was answered ${status}`);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  if (child.exitCode !== 0) throw new Error(`the sandbox ended with ${child.exitCode}:\n${errors}`);
}
