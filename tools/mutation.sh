#!/usr/bin/env bash
# Mutates one folder of src with Stryker and runs the tests of that folder (or of those named after it) against each mutant:
# npm run test:mutation -- money. Stryker is installed into a scratch copy of the project, never by `npm ci`.
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:?Usage: npm run test:mutation -- <folder of src> [folders of test, if others]}
shift
[ $# -gt 0 ] || set -- "$part"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git ls-files -co --exclude-standard -z | xargs -0 cp --parents -t "$scratch"
cp -r dist "$scratch"
cd "$scratch"
npm ci --silent --prefer-offline
npm install --silent --no-save @stryker-mutator/core@9 @stryker-mutator/vitest-runner@9
cat > vitest.mutation.config.ts <<END
const globalSetup = ['test/support/postgres/global-setup.ts'];
export default { test: { globalSetup, include: [$(printf "'test/%s/**/*.test.ts'," "$@")] } };
END
cat > stryker.config.json <<END
{
  "testRunner": "vitest",
  "plugins": ["@stryker-mutator/vitest-runner"],
  "vitest": { "configFile": "vitest.mutation.config.ts", "related": false },
  "coverageAnalysis": "perTest",
  "ignoreStatic": true,
  "concurrency": 2,
  "reporters": ["clear-text"],
  "mutate": ["src/$part/**/*.ts"]
}
END
npx stryker run
