import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Schema } from '../../api/check.js';
import type { Route } from '../../api/operation.js';
import { ConfigurationError } from '../../errors/local.js';
import { routes } from '../../generated/routes.js';
import { changing, connected, withSession } from '../client/session.js';
import type { ConnectionFlags } from '../client/settings.js';
import { given } from '../given.js';
import type { Terminal } from '../terminal.js';
import { messageOf, UsageError } from '../usage-error.js';

interface CallFlags extends ConnectionFlags {
  readonly body?: string;
  readonly key?: string;
}

/** Every operation by its name, and raw requests. */
export function addCalls(program: Command, terminal: Terminal): void {
  const all = program.command('call').description('Call one operation, such as "call events.get auc_1".');
  for (const route of routes) addCall(all, route, terminal);

  changing(
    program
      .command('request')
      .argument('<method>')
      .argument('<path>', 'after /api/v1, such as /events?status=live')
      .option('--body <json>', 'JSON, @file, or - for standard input')
      .option('--key <uuid>', 'idempotency key, to repeat an earlier command')
      .description('Sign and send a request to an operation that this version does not know.'),
    'request GET /events?status=live',
  ).action((method: string, path: string, flags: CallFlags) =>
    withSession(flags, terminal, async (session) => {
      const { client, out, signal } = session;
      const [bare = '', search] = path.split('?');
      const query = Object.fromEntries(new URLSearchParams(search));
      const body = flags.body === undefined ? undefined : jsonArgument(flags.body);
      if (method.toUpperCase() !== 'GET')
        await session.confirm(`${method.toUpperCase()} ${path} with ${flags.body ?? 'no body'}.`);
      const options = { signal, ...given({ idempotencyKey: flags.key }) };
      const request = { method, path: bare, query, ...given({ body }) };
      out.json(await client.request(request as Parameters<typeof client.request>[0], options));
    }),
  );
}

function addCall(all: Command, route: Route, terminal: Terminal): void {
  const { name, id, method, path, effect, params = {}, query, body } = route;
  const command = all
    .command(name)
    .description(`${id}: ${method} ${path}. "docs ${name}" describes its fields.`);
  for (const param of Object.keys(params)) command.argument(`<${param}>`);
  const fields = { ...query?.fields, ...body?.fields };
  const flags = new Map<string, string>();
  for (const field of Object.keys(fields)) {
    if (field === 'idempotency_key') continue;
    const flag = field.replaceAll('_', '-');
    flags.set(camelCase(flag), field);
    command.addOption(new Option(`--${flag} <value>`, 'text, or JSON for other types'));
  }
  if (body !== undefined)
    command.option('--body <json>', 'the whole body: JSON, @file, or - for standard input');
  if (effect !== 'read') command.option('--key <uuid>', 'idempotency key, to repeat an earlier command');
  const args = Object.keys(params).map((param) => ` <${param}>`);
  const add = effect === 'read' ? connected : changing;
  add(command, `call ${name}${args.join('')}`).action(async (...called: unknown[]) => {
    const values = called.slice(0, args.length);
    const options = called[args.length] as CallFlags & Readonly<Record<string, unknown>>;
    await withSession(options, terminal, async (session) => {
      const { client, out, signal } = session;
      const fromFlags = Object.fromEntries(
        [...flags].flatMap(([flag, field]) => {
          const text = options[flag];
          return typeof text === 'string' ? [[field, typedValue(text, isText(fields[field]))]] : [];
        }),
      );
      const whole = options.body === undefined ? {} : Object(jsonArgument(options.body));
      const payload = { ...whole, ...fromFlags };
      const [resource = '', verb = ''] = name.split('.');
      const holder: unknown = Reflect.get(client, resource);
      const operation: unknown = Object(holder)[verb];
      if (typeof operation !== 'function')
        throw new ConfigurationError('actor', `has no ${name}: it is for the other kind of client`);
      if (effect !== 'read')
        await session.confirm(
          `${method} ${path}: ${JSON.stringify({ ...Object.fromEntries(Object.keys(params).map((param, index) => [param, values[index]])), ...payload })}`,
        );
      const hasPayload = query !== undefined || body !== undefined;
      const callOptions = { signal, ...given({ idempotencyKey: options.key }) };
      const result: unknown = Reflect.apply(operation, holder, [
        ...values,
        ...(hasPayload ? [payload] : []),
        callOptions,
      ]);
      if (isPager(result)) await out.list(result, ['id', 'state', 'status', 'title']);
      else out.json(await result);
    });
  });
}

function isPager(value: unknown): value is AsyncIterable<object> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Keeps the text if the field holds text, because an amount or an id is not a number. */
function typedValue(text: string, staysText: boolean): unknown {
  if (staysText) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const numeric: readonly Schema[] = [
  'number',
  'int',
  'boolean',
  'positive',
  'perPage',
  'version',
  'numericMoney',
];

/** Whether a field holds text. */
function isText(schema: Schema | undefined): boolean {
  if (schema === undefined || typeof schema === 'string')
    return schema !== undefined && !numeric.includes(schema);
  if ('optional' in schema) return isText(schema.optional);
  if ('nullable' in schema) return isText(schema.nullable);
  if ('values' in schema) return schema.values.every((value) => typeof value === 'string');
  return 'either' in schema && schema.either.some(isText);
}

/** @throws UsageError for invalid JSON */
function jsonArgument(source: string): unknown {
  const text =
    source === '-'
      ? readFileSync(0, 'utf8')
      : source.startsWith('@')
        ? readFileSync(source.slice(1), 'utf8')
        : source;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--body must be JSON: ${messageOf(error)}`);
  }
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
