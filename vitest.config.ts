import { defineConfig } from 'vitest/config';

/** Tests that put something else in the place of a module or a global, and so want one of their own. */
const apart = [
  'test/core/{ca,fetch-transport,first-call,proxy}.test.ts',
  'test/quota/shared-quota.test.ts',
  'test/sandbox/msw*.test.ts',
  'test/signing/digests.test.ts',
  'test/examples/**/*.test.ts',
  'examples/**/*.test.ts',
];

/** Tests of times that are read, which run in other time zones, too. */
const zoned = ['test/clock/{parse-time,reply-time}.test.ts', 'test/following/follow.test.ts'];

/** Tests of the client against the sandbox, which run against replies as real deployments write them, too. */
const deployed = ['test/e2e/*.test.ts'];

/** One of them unless THOROUGH=1, which `.ci/run` sets. */
const zones = process.env['THOROUGH'] === '1' ? ['Asia/Kolkata', 'America/New_York'] : ['Asia/Kolkata'];

export default defineConfig(({ mode }) => ({
  test: {
    // Costs nothing where no test asks for Postgres.
    globalSetup: ['test/support/postgres/global-setup.ts'],
    // Only ends a test that hangs: no result depends on how fast the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Both of the two cores that a small machine has: left alone, one of them waits.
    maxWorkers: 2,
    typecheck: { enabled: false },
    projects: [
      // A third of the time went into importing the same modules anew for each file.
      {
        extends: true,
        // Projects aren't told the mode.
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: apart,
          isolate: false,
          env: { TEST_MODE: mode },
        },
      },
      { extends: true, test: { name: 'apart', include: apart } },
      // `Date` reads some texts in the zone of the machine.
      ...zones.map((zone) => ({
        extends: true as const,
        test: { name: zone, include: zoned, isolate: false, env: { TZ: zone } },
      })),
      {
        extends: true,
        test: { name: 'laravel', include: deployed, isolate: false, env: { SANDBOX_DEPLOYMENT: 'laravel' } },
      },
    ],
  },
}));
