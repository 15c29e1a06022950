import type { Command } from 'commander';
import type { Check } from '../../doctor/doctor.js';
import { clientOf, connected } from '../client/session.js';
import { type ConnectionFlags, type Settings, settingsOf } from '../client/settings.js';
import { Exit, exits } from '../exit.js';
import { Output } from '../output.js';
import type { Terminal } from '../terminal.js';

/** `doctor`: whether address, certificate, proxy, clock, credentials and scopes fit. */
export function addDoctor(program: Command, terminal: Terminal): void {
  connected(
    program
      .command('doctor')
      .description('Find out what is wrong between this machine and the service. It only reads.'),
    'doctor --profile first-bank\ndoctor --env .env.sandbox --json',
  ).action(async (flags: ConnectionFlags) => {
    const settings = await settingsOf(flags, terminal);
    const checks = await checksOf(settings, terminal);
    const out = new Output(terminal, flags.json === true);
    await out.list(checks, ['status', 'check', 'found', 'nextStep']);
    const countOf = (status: Check['status']) => checks.filter((check) => check.status === status).length;
    if (countOf('fail') > 0) throw new Exit(exits.configuration);
    const warnings = countOf('warn');
    out.say(warnings === 0 ? 'Nothing is wrong.' : `Nothing fails. Warnings: ${warnings}.`);
  });
}

/** The table of the doctor. */
export async function checksOf(settings: Settings, terminal: Terminal): Promise<readonly Check[]> {
  const { baseUrl = '', proxy, credentials } = settings.options;
  const { clientId, keyId, signingSecret } = Object(credentials);
  const checks: Check[] = [];
  const patient = {
    baseUrl,
    credentials: { clientId, keyId, signingSecret },
    usesProxy: proxy !== undefined,
    makeClient: () => clientOf(settings, { ...terminal, err: () => undefined }),
  };
  const { examined } = await import('../../doctor/doctor.js');
  for await (const check of examined(patient)) checks.push(check);
  return checks;
}
