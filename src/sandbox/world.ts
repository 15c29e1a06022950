import { SandboxClock } from './clock.js';
import { DeploymentHabits } from './deployment/deployment.js';
import { RequestLog } from './http/attempts.js';
import type { Ids } from './ids.js';
import type { Settings } from './options.js';
import type { Parties } from './parties.js';
import { Flow, Store } from './records.js';
import { Webhooks } from './webhooks/webhooks.js';
import { Scanner } from './workflow/scanner.js';

/** State of one sandbox, shared by all requests. */
export type World = ReturnType<typeof newWorld>;

export function newWorld(settings: Settings, ids: Ids, parties: Parties) {
  const clock = new SandboxClock(settings.clock, settings.startAt);
  const deployment = new DeploymentHabits(settings.deployment);
  return {
    settings,
    clock,
    deployment,
    ids,
    parties,
    store: new Store(clock, settings.variants['key-retention'] === 'a-day' ? 86_400_000 : undefined),
    /** Every workflow record. */
    flow: new Flow(clock, ids),
    scanner: new Scanner(clock, settings.scan),
    webhooks: new Webhooks({ clock, ids, parties, deployment, options: settings.webhooks }),
    requests: new RequestLog(settings.keepAttempts),
    /** Base URL for clients, up to and including `/api/v1`. */
    baseUrl: '',
  };
}
