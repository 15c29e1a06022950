import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** A connector whose connects can be given up while they are under way; undici itself waits until they time out. */
export interface PendingConnects {
  readonly connect: buildConnector.connector;
  giveUp(): void;
}

export function pendingConnects(connector: buildConnector.connector): PendingConnects {
  const pending = new Set<unknown>();
  return {
    connect: (destination, callback) => {
      // The socket is returned, though the types don't say so. Without it, a connect ends when it times out.
      const socket: unknown = connector(destination, (...result) => {
        pending.delete(socket);
        callback(...result);
      });
      if (socket instanceof Socket) pending.add(socket);
    },
    giveUp: () => {
      for (const socket of pending) {
        if (socket instanceof Socket) socket.destroy(new Error('The connections are closed'));
      }
    },
  };
}
