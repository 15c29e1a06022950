import type { ClientOptions } from '../client/options.js';

/** Output of a command. */
export interface Terminal {
  /** Writes results. */
  out(text: string): void;
  /** Writes errors and other messages. */
  err(text: string): void;
  /** True if a person reads the output. */
  readonly isTerminal?: boolean | undefined;
  /** Environment variables. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Asks a person; undefined without a terminal. */
  readonly ask?: ((question: string, hidden?: boolean) => Promise<string>) | undefined;
  /** Takes over the terminal to redraw it in place; undefined without a terminal. */
  readonly openScreen?: ((onKey: (key: string) => void) => Screen) | undefined;
  /** Time and network of the client, for tests. */
  readonly client?: Pick<ClientOptions, 'clock' | 'transport'> | undefined;
  /** Calls `stop` when the person ends the program. @returns how to stop listening */
  readonly onInterrupt?: ((stop: () => void) => () => void) | undefined;
}

/** Runs work with a signal that fires when the person ends the program. */
export async function interruptible<T>(
  { onInterrupt }: Terminal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController();
  const unlisten = onInterrupt?.(() => interrupted.abort());
  try {
    return await work(interrupted.signal);
  } finally {
    unlisten?.();
  }
}

/** Resolves when a signal fires, or has fired. */
export function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A terminal whose content is redrawn in place. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Replaces the content. Control characters in the lines are shown as escapes. */
  draw(lines: readonly string[]): void;
  /** Restores the earlier content. */
  close(): void;
}

/**
 * A text as a terminal may show it: control, bidi and zero-width characters, which can make a line show something else, are
 * written as escapes. In JSON that is the same text.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu, (found) =>
    found.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
