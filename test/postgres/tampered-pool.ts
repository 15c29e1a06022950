import type { PostgresConnection, PostgresPool, PostgresResult } from '../../src/postgres/index.js';

export interface Tampering {
  /** Called with each statement before it is sent, and with its connection; a rejection stands for the answer. */
  readonly before?: (text: string, connection: PostgresConnection) => unknown;
  /** Called once the server has answered; a rejection stands for the answer. */
  readonly after?: (text: string, connection: PostgresConnection) => unknown;
}

/** A pool whose statements are watched, or go wrong, at a chosen moment. */
export function tampered(pool: PostgresPool, { before, after }: Tampering): PostgresPool {
  return {
    connect: async () => {
      const connection = await pool.connect();
      return {
        query: async (text: string, values?: unknown[]): Promise<PostgresResult> => {
          await before?.(text, connection);
          const result = await connection.query(text, values);
          await after?.(text, connection);
          return result;
        },
        release: (destroy) => connection.release(destroy),
        on: (event, listener) => connection.on(event, listener),
        removeListener: (event, listener) => connection.removeListener(event, listener),
      };
    },
  };
}

/** An error as the server sends it. */
export function serverError(code: string, message = 'refused'): Error {
  return Object.assign(new Error(message), { code, severity: 'ERROR' });
}

/** What pg says when a connection is cut. */
export function cut(): Error {
  return new Error('Connection terminated unexpectedly');
}
