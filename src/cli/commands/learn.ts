import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { changing, withSession } from '../client/session.js';
import { type ConnectionFlags, settingsOf } from '../client/settings.js';
import { durationExample, durationMs } from '../duration.js';
import { Exit, exits } from '../exit.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';

interface LearnFlags extends ConnectionFlags {
  readonly within: string;
  readonly share: string;
  readonly allowWrites?: boolean;
}

/** `learn`: settles on a live deployment what the API text leaves open. */
export function addLearn(program: Command, terminal: Terminal): void {
  changing(
    program
      .command('learn [file]')
      .description(
        'Observe how a deployment answers what the API text leaves open. It only reads by default.',
      )
      .option('--within <time>', 'send no further request after this time', '15m')
      .option('--share <percent>', 'part of the request quota that it may use', '10')
      .option('--allow-writes', 'also place bids and send commands; only in a sandbox'),
    'learn bank.json --profile first-bank\nlearn bank.json --env .env.sandbox --allow-writes --yes --share 50',
  ).action(async (file: string | undefined, flags: LearnFlags) => {
    const { countsOf, learn, merged, parseProfileFile, undiciTransport, withSummary } = await import(
      '../../learn/index.js'
    );
    const within = durationMs(flags.within);
    if (within === undefined) throw new UsageError(`--within must be ${durationExample}`);
    const before =
      file !== undefined && existsSync(file) ? parseProfileFile(readFileSync(file, 'utf8')) : undefined;
    const settings = await settingsOf(flags, terminal);
    const { baseUrl = '', environment, proxy, tls } = settings.options;
    if (flags.allowWrites === true && environment !== 'sandbox')
      throw new UsageError('--allow-writes needs settings of a sandbox.');
    const transport = undiciTransport({ proxy, tls });
    const run = { origin: baseUrl, within, share: Number(flags.share) / 100, before };
    await withSession(
      flags,
      terminal,
      async ({ client, out, signal, confirm }) => {
        if (flags.allowWrites === true)
          await confirm(`This places bids and sends commands at ${baseUrl}, which must be a sandbox.`);
        out.say(`Asking for at most ${flags.within}, with ${flags.share} % of the request quota.`);
        const learned = await learn(client, {
          ...run,
          signal,
          onEnd: ({ sent, unsent }) =>
            out.say(`${sent} requests sent${unsent > 0 ? `; time was up for ${unsent} more` : ''}.`),
          allowWrites: flags.allowWrites,
          signing: { baseUrl, credentials: settings.credentials, transport },
        });
        const { profile, drift } =
          before === undefined ? { profile: learned, drift: [] } : merged(before, learned);
        if (file !== undefined) writeFileSync(file, `${JSON.stringify(profile, null, 2)}\n`);
        const columns = ['verdict', 'id', 'found', 'shownBy.request', 'shownBy.reply'];
        await out.list(profile.rows.map(withSummary), columns);
        out.say(countsOf(profile));
        for (const { id, question, before: was, now } of drift) {
          out.say(`Drift: ${id}, ${question}: was ${was.join(' / ')}, is ${now.join(' / ')}.`);
        }
        if (drift.length > 0) throw new Exit(exits.refused);
      },
      settings,
    ).finally(() => transport.close());
  });
}
