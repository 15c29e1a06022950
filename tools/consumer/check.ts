import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { inBundles } from './bundles.js';
import { inFrameworks } from './frameworks.js';
import { inNext } from './next.js';
import { onEveryNode } from './node-versions.js';
import { allOf } from './project.js';
import { builtTwice } from './reproducible.js';
import { onOtherRuntimes } from './runtimes.js';
import { pack } from './tarball.js';
import { underEveryTypeScript } from './typescript-versions.js';
import { inWebpack } from './webpack.js';

/** Packs the built tarball, installs it in empty projects and runs it there like its users. */

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'vehicle-auction-consumer-')));
const begun = performance.now();
try {
  const { path, size, unpackedSize, files } = await pack(scratch);
  const [nodes, typescripts] = await allOf([onEveryNode(scratch, path), underEveryTypeScript(scratch, path)]);
  const runtimes = await onOtherRuntimes(scratch, path);
  const bundles = await inBundles(scratch, join(scratch, 'bare'));
  const servers = [
    ...(await inWebpack(scratch, path)),
    ...(await inNext(scratch, path)),
    ...(await inFrameworks(scratch, path)),
  ];
  const rows = [
    ...nodes,
    ...runtimes,
    ...typescripts,
    ...bundles,
    ...servers,
    ...(await builtTwice(scratch)),
  ];
  const [packed, unpacked] = [size, unpackedSize].map((bytes) => `${Math.round(bytes / 1000)} kB`);
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(
    `consumer check: ${basename(path)}, ${packed}, unpacked ${unpacked}, ${files.length} files; all of this held, in ${seconds} s`,
  );
  const width = Math.max(...rows.map(([what]) => what.length));
  for (const [what, how] of rows) console.log(`  ${what.padEnd(width)}  ${how}`);
} finally {
  rmSync(scratch, { recursive: true });
}
