#!/usr/bin/env node
import { run } from './run.js';
import { visible } from './terminal.js';

// The reader of a pipe may close it at any time.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

run(process.argv.slice(2), {
  out: (text) => process.stdout.write(visible(text)),
  err: (text) => process.stderr.write(visible(text)),
}).then((code) => {
  process.exitCode = code;
});
