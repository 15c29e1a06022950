import { describe, expect, it } from 'vitest';
import { Chunks } from '../../src/core/transport/undici.js';

function flowing() {
  const asked: string[] = [];
  const chunks = new Chunks({
    pause: () => asked.push('pause'),
    resume: () => asked.push('resume'),
    cancel: () => asked.push('cancel'),
  });
  return { chunks, asked };
}

describe('a body on its way', () => {
  it('gives chunks in order, whether they come before or after they are asked for', async () => {
    const { chunks } = flowing();
    chunks.push(Buffer.from('a'));
    const read: string[] = [];
    const reading = (async () => {
      for await (const chunk of chunks) read.push(String(chunk));
    })();
    await Promise.resolve();
    chunks.push(Buffer.from('b'));
    chunks.push(Buffer.from('c'));
    chunks.end();
    await reading;
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('asks the source to pause while too much waits, and to go on when it is read', async () => {
    const { chunks, asked } = flowing();
    chunks.push(Buffer.alloc(64 * 1024));
    expect(asked).toEqual([]);
    chunks.push(Buffer.alloc(1));
    expect(asked).toEqual(['pause']);
    await chunks.next();
    expect(asked).toEqual(['pause', 'resume']);
  });

  it('fails where the source fails, after what had come', async () => {
    const { chunks } = flowing();
    chunks.push(Buffer.from('a'));
    chunks.fail(new Error('cut'));
    await chunks.next();
    await expect(chunks.next()).rejects.toThrow('cut');
  });

  it('cancels the source when it is left early', async () => {
    const { chunks, asked } = flowing();
    chunks.push(Buffer.from('a'));
    for await (const _ of chunks) break;
    expect(asked).toContain('cancel');
  });
});
