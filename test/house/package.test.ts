import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/client/version.js';
import { sourcesUnder, textOf } from '../support/sources.js';

const manifest = JSON.parse(textOf('package.json'));

describe('the package', () => {
  it('says its version once', () => {
    expect(VERSION).toBe(manifest.version);
    expect(textOf('CHANGELOG.md')).toContain(`## ${VERSION}`);
  });

  it('has five runtime dependencies and no others', () => {
    const names = ['@noble/hashes', 'big.js', 'undici', 'uuid', 'zod'];
    expect(Object.keys(manifest.dependencies).sort()).toEqual(names);
  });

  it('has peers for what few need, all of them optional', () => {
    const peers = { '@opentelemetry/api': '^1.9.0', libsql: '^0.5.0', msw: '^2.0.0', pg: '^8.0.0' };
    expect(manifest.peerDependencies).toEqual(peers);
    const optional = { optional: true };
    const all = Object.fromEntries(Object.keys(peers).map((name) => [name, optional]));
    expect(manifest.peerDependenciesMeta).toEqual(all);
    const { packages } = JSON.parse(textOf('package-lock.json'));
    expect(packages[''].peerDependencies).toEqual(manifest.peerDependencies);
  });

  it('needs msw for handlers alone, and only where somebody asks for them', () => {
    const takers = sourcesUnder('src').filter((path) => /(from|import\(|require\() ?'msw/.test(textOf(path)));
    expect(takers).toEqual([]);
  });

  it('needs pg for a connection string alone, and only once it is used', () => {
    const takers = sourcesUnder('src').filter((path) => /'pg'/.test(textOf(path)));
    expect(takers).toEqual(['src/postgres/pool.ts']);
    expect(textOf('src/postgres/pool.ts')).not.toMatch(/^import .*'pg'/m);
  });

  it('has one command under two names, for npx and for people', () => {
    expect(manifest.bin).toEqual({
      'vehicle-auction': './dist/cli.cjs',
      'vehicle-auction-sdk': './dist/cli.cjs',
    });
    expect(textOf('src/cli/main.ts').startsWith('#!/usr/bin/env node\n')).toBe(true);
  });

  it('names for old compilers, which read no exports, the types of every entry', () => {
    const { '.': main, ...others } = Object.fromEntries(
      Object.entries<{ require?: { types: string } }>(manifest.exports).flatMap(([entry, { require }]) =>
        require === undefined ? [] : [[entry, require.types]],
      ),
    );
    expect(main).toBe(manifest.types);
    expect(manifest.typesVersions['*']).toEqual(
      Object.fromEntries(Object.entries(others).map(([entry, types]) => [entry.replace('./', ''), [types]])),
    );
  });

  it('takes zod as a namespace: of `z` itself bundlers keep all, every language of its messages too', () => {
    const wrong = sourcesUnder('src').filter((path) => /import (type )?\{.*\} from 'zod'/.test(textOf(path)));
    expect(wrong).toEqual([]);
  });

  it("begins its README with the two commands, and they are the package's", () => {
    const firstScreen = textOf('README.md').split('\n').slice(0, 40).join('\n');
    expect(firstScreen).toContain('npm ci && npm run demo');
    expect(firstScreen).toContain('npm ci && npm test');
    expect(manifest.scripts).toMatchObject({ demo: expect.any(String), test: expect.any(String) });
  });
});
