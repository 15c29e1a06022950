import { createHmac, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Agent } from 'undici';
import { PartnerClient } from 'vehicle-auction-sdk';
import { verifyWebhook } from 'vehicle-auction-sdk/webhooks';

/** A client that is measured. Each reads the same record, and the same page of 25, in its own envelope. */
export interface Contestant {
  readonly name: string;
  read(): Promise<unknown>;
  page?(): Promise<unknown>;
  /** Signs a delivery of 1 KB, and returns what verifies and parses it. */
  webhook?(): () => unknown;
}

export const credentials = {
  clientId: 'cl_bench',
  keyId: 'key_bench',
  signingSecret: 'bench-only-secret-0123456789abcdef',
};

/** Packages that are installed for `npm run bench:peers`, and nowhere else. */
export const peers = ['stripe', 'openai', '@octokit/rest', '@aws-sdk/client-dynamodb'];

/** Which client is first: bare `undici.request`, which all others are compared with. */
export async function contestants(origin: string, folder: string | undefined): Promise<Contestant[]> {
  const own = [bare(origin), bareFetch(origin), ours(origin)];
  if (folder === undefined) return own;
  const from = <T>(name: string): Promise<T> => {
    const path = createRequire(join(folder, 'package.json')).resolve(name);
    return import(pathToFileURL(path).href);
  };
  return [
    ...own,
    await stripe(origin, from),
    await openai(origin, from),
    await octokit(origin, from),
    await aws(origin, from),
  ];
}

type From = <T>(name: string) => Promise<T>;

const RECORD = '/api/v1/events/auc_bench';
const PAGE = '/api/v1/events/auc_bench/lots';

const delivery = JSON.stringify({
  id: 'evt_1',
  type: 'bank.announced',
  schema_version: 1,
  occurred_at: '2026-03-01T10:30:00+05:30',
  data: { text: 'z'.repeat(860) },
});
const bytes = Buffer.from(delivery);
const secondsNow = () => Math.floor(Date.now() / 1000);
const hmac = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text);

function bare(origin: string): Contestant {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const get = async (path: string) => (await agent.request({ origin, path, method: 'GET' })).body.json();
  return {
    name: 'undici.request',
    read: () => get(RECORD),
    page: () => get(PAGE),
    webhook: () => {
      const seconds = secondsNow();
      const signature = hmac('secret', `${seconds}.${delivery}`).digest('hex');
      return () => {
        const expected = createHmac('sha256', 'secret').update(`${seconds}.`).update(bytes).digest();
        if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw new Error('wrong signature');
        return JSON.parse(bytes.toString());
      };
    },
  };
}

function bareFetch(origin: string): Contestant {
  const get = async (path: string) => (await fetch(origin + path)).json();
  return { name: 'fetch', read: () => get(RECORD), page: () => get(PAGE) };
}

/**
 * A limit that no call waits for, counted as the default quota is. The window is short, so that it holds about as many
 * departures as one of 120 a minute does.
 */
export const roomyQuota = { limit: 5_000, window: 1, margin: 0 };

/** A client whose calls do all their work and never wait for their turn. */
export function partner(origin: string): PartnerClient<'direct_dealer'> {
  return new PartnerClient({
    environment: 'sandbox',
    baseUrl: `${origin}/api/v1`,
    credentials,
    partnerType: 'direct_dealer',
    quota: roomyQuota,
  });
}

function ours(origin: string): Contestant {
  const client = partner(origin);
  return {
    name: 'vehicle-auction-sdk',
    read: () => client.events.get('auc_bench'),
    page: () => client.events.lots('auc_bench').toArray({ limit: 25 }),
    webhook: () => {
      const seconds = secondsNow();
      const headers = {
        'Service-Timestamp': String(seconds),
        'Service-Signature': `v1=${hmac('subscription-secret', `${seconds}.${delivery}`).digest('hex')}`,
        'Service-Event-ID': 'evt_1',
      };
      return () => verifyWebhook(bytes, headers, { secrets: 'subscription-secret' });
    },
  };
}

interface Stripe {
  readonly customers: { retrieve(id: string): Promise<unknown>; list(query: object): Promise<unknown> };
  readonly webhooks: { constructEvent(body: Buffer, header: string, secret: string): unknown };
}

async function stripe(origin: string, from: From): Promise<Contestant> {
  const { default: Client } = await from<{ default: new (key: string, options: object) => Stripe }>('stripe');
  const { hostname: host, port } = new URL(origin);
  const client = new Client('sk_test_bench', { host, port, protocol: 'http', telemetry: false });
  return {
    name: 'stripe',
    read: () => client.customers.retrieve('cus_1'),
    page: () => client.customers.list({ limit: 25 }),
    webhook: () => {
      const seconds = secondsNow();
      const header = `t=${seconds},v1=${hmac('whsec_bench', `${seconds}.${delivery}`).digest('hex')}`;
      return () => client.webhooks.constructEvent(bytes, header, 'whsec_bench');
    },
  };
}

interface OpenAi {
  readonly models: { retrieve(id: string): Promise<unknown> };
  readonly files: { list(query: object): Promise<unknown> };
  readonly webhooks: { unwrap(body: string, headers: object, secret: string): Promise<unknown> };
}

async function openai(origin: string, from: From): Promise<Contestant> {
  const { default: Client } = await from<{ default: new (options: object) => OpenAi }>('openai');
  const client = new Client({ apiKey: 'bench', baseURL: `${origin}/openai` });
  const secret = Buffer.from('openai-bench-secret');
  return {
    name: 'openai',
    read: () => client.models.retrieve('model_1'),
    page: () => client.files.list({ limit: 25 }),
    webhook: () => {
      const seconds = secondsNow();
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${hmac(secret, `evt_1.${seconds}.${delivery}`).digest('base64')}`,
      };
      return () => client.webhooks.unwrap(delivery, headers, `whsec_${secret.toString('base64')}`);
    },
  };
}

interface Octokit {
  readonly rest: {
    readonly repos: { get(query: object): Promise<unknown> };
    readonly issues: { listForRepo(query: object): Promise<unknown> };
  };
}

async function octokit(origin: string, from: From): Promise<Contestant> {
  const { Octokit: Client } = await from<{ Octokit: new (options: object) => Octokit }>('@octokit/rest');
  const client = new Client({ auth: 'bench', baseUrl: `${origin}/octokit` });
  const repository = { owner: 'o', repo: 'r' };
  return {
    name: 'octokit',
    read: () => client.rest.repos.get(repository),
    page: () => client.rest.issues.listForRepo({ ...repository, per_page: 25 }),
  };
}

interface DynamoDb {
  DynamoDBClient: new (options: object) => { send(command: object): Promise<unknown> };
  GetItemCommand: new (input: object) => object;
}

/** Its pages carry a type for every value, so they compare with nobody else's. */
async function aws(origin: string, from: From): Promise<Contestant> {
  const { DynamoDBClient, GetItemCommand } = await from<DynamoDb>('@aws-sdk/client-dynamodb');
  const client = new DynamoDBClient({
    endpoint: `${origin}/aws/`,
    region: 'ap-south-1',
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
  return {
    name: 'aws-sdk',
    read: () => client.send(new GetItemCommand({ TableName: 't', Key: { id: { S: '1' } } })),
  };
}
