import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/**
 * The browser of this machine: `CHROMIUM_PATH`, or with `REQUIRE_CHROMIUM=1` the first of the usual names in the search path.
 * Its tests take a minute, so they run only where one of these is set.
 */
export function chromiumPath(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return existsSync(named) ? named : undefined;
  if (process.env['REQUIRE_CHROMIUM'] !== '1') return undefined;
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** Starts it headless. Containers run it as root, where its own sandbox doesn't work. */
export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
