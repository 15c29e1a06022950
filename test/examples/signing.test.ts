import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../support/sources.js';
import { thoroughly } from '../support/thorough.js';
import vectors from '../vectors/signing.json' with { type: 'json' };

type Words = readonly [command: string, ...args: string[]];

interface Language {
  readonly file: string;
  /** Fails if the language is not installed. */
  readonly version: Words;
  /** Builds the program once; a run then takes milliseconds. */
  readonly build?: (source: string, folder: string) => Words;
  readonly run: (source: string, folder: string) => Words;
}

const languages: Readonly<Record<string, Language>> = {
  Python: {
    file: 'sign.py',
    version: ['python3', '--version'],
    run: (source) => ['python3', source],
  },
  PHP: {
    file: 'sign.php',
    version: ['php', '--version'],
    run: (source) => ['php', source],
  },
  Go: {
    file: 'sign.go',
    version: ['go', 'version'],
    build: (source, folder) => ['go', 'build', '-o', join(folder, 'sign'), source],
    run: (_, folder) => [join(folder, 'sign')],
  },
  Java: {
    file: 'Sign.java',
    version: ['javac', '-version'],
    build: (source, folder) => ['javac', '-d', folder, source],
    run: (_, folder) => ['java', '-Xshare:auto', '-XX:TieredStopAtLevel=1', '-cp', folder, 'Sign'],
  },
};

/** Starting a program takes longer than its work: all vectors in `.ci/run`, every 24th elsewhere. */
const step = thoroughly(24, 1);

const folder = mkdtempSync(join(tmpdir(), 'signing-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(Object.entries(languages))('The signing example in %s', (name, language) => {
  const { file, version, build, run } = language;
  const source = join(root, 'examples/signing', file);
  const isInstalled = spawnSync(version[0], version.slice(1)).status === 0;
  const title = 'prints the canonical request and the signature of the vectors';

  beforeAll(async () => {
    if (isInstalled && build !== undefined) await output(build(source, folder));
  });

  it.runIf(isInstalled)(title, async () => {
    const waiting = vectors.filter((_, index) => index % step === 0).values();
    const lane = async () => {
      for (const vector of waiting) {
        const { method, path, params, timestamp, nonce, secret } = vector;
        const words: Words = [...run(source, folder), method, path, timestamp, nonce, ...params.flat()];
        const printed = await output(words, secret, Buffer.from(vector.body_base64, 'base64'));
        expect(printed, vector.id).toBe(`${vector.canonical_string}\n${vector.signature}\n`);
      }
    };
    await Promise.all([lane(), lane()]);
  });

  it.skipIf(isInstalled)(`is not checked here: ${name} is not installed`, () => undefined);
});

/** What a program prints. @throws Error if it fails */
function output([command, ...args]: Words, secret = '', input = Buffer.alloc(0)): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C.UTF-8', VEHICLE_AUCTION_SIGNING_SECRET: secret };
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { env, encoding: 'utf8' }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    child.stdin?.end(input);
  });
}
