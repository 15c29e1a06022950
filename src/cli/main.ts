#!/usr/bin/env node
import { openScreen } from './board/screen.js';
import { Exit, exits } from './exit.js';
import { run } from './run.js';
import { visible } from './terminal.js';

// The reader of a pipe may close it at any time.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

/** No line of a terminal has a line feed. */
const CLOSED = '\n';

const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Asks on the terminal; hidden answers are not echoed. @throws Exit on Ctrl-C and at the end of the input */
async function ask(question: string, hidden = false): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const { Writable } = await import('node:stream');
  const muted = new Writable({ write: (_, __, done) => done() });
  const output = hidden ? muted : process.stderr;
  if (hidden) process.stderr.write(question);
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve(CLOSED)));
  try {
    const answer = await Promise.race([reader.question(hidden ? '' : question).catch(() => CLOSED), closed]);
    if (answer === CLOSED) throw new Exit(exits.stopped);
    return answer;
  } finally {
    reader.close();
    if (hidden) process.stderr.write('\n');
  }
}

run(process.argv.slice(2), {
  isTerminal,
  env: process.env,
  ask: isTerminal ? ask : undefined,
  openScreen: isTerminal
    ? (onKey) => openScreen({ input: process.stdin, output: process.stdout }, onKey)
    : undefined,
  onInterrupt: (stop) => {
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    return () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    };
  },
  out: (text) => process.stdout.write(visible(text)),
  err: (text) => process.stderr.write(visible(text)),
}).then((code) => {
  process.exitCode = code;
});
