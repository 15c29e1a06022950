import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { inject } from 'vitest';

/** An empty database of one's own on the Postgres that all test files share. @returns how to reach it as a superuser. */
export async function newDatabase(settings = ''): Promise<string> {
  const url = await sharedPostgres();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name} ${settings}`);
  await client.end();
  return withDatabase(url, name);
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function sharedPostgres(): Promise<string> {
  const { url, problem } = JSON.parse(await text(connect(inject('postgresDoor'), '127.0.0.1'))) as {
    url?: string;
    problem?: string;
  };
  if (url === undefined) throw new Error(problem);
  return url;
}
