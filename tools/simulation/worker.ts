import { parentPort } from 'node:worker_threads';
import { perform, type Task } from './tasks.js';

// One task at a time; the answer to one asks for the next.
parentPort?.on('message', (task: Task) => {
  perform(task).then(
    (done) => parentPort?.postMessage(done),
    (error: unknown) => {
      throw error;
    },
  );
});
