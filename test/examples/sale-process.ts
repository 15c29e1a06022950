import { DBOS } from '@dbos-inc/dbos-sdk';

/** examples/dbos/main.ts, which ends like a crash at one point of one step: `CRASH_AT='report done'`. */
const [name, point] = (process.env['CRASH_AT'] ?? '').split(' ');

const runStep = DBOS.runStep.bind(DBOS);
DBOS.runStep = async (run, config) => {
  const crashAt = (now: string) => {
    if (config?.name === name && now === point) process.kill(process.pid, 'SIGKILL');
  };
  const result = await runStep(async () => {
    crashAt('begun');
    const done = await run();
    crashAt('done'); // it took effect, and DBOS does not know
    return done;
  }, config);
  crashAt('recorded');
  return result;
};

await import('../../examples/dbos/main.js');
