import type { Call } from '../call.js';
import { bidEnvelope, invalidField, messageOnly, Refusal, type Reply } from '../replies.js';

/** What a record's state doesn't allow: 409 with a message, unless the rows below say otherwise. */
export class Conflict extends Refusal {
  readonly why: string;

  constructor(why: string) {
    super(messageOnly(409, why));
    this.name = 'Conflict';
    this.why = why;
  }
}

/** A command that was decided on another version than the current one. */
export class StaleVersion extends Conflict {}

/**
 * Does some work of a command; its refusals come as they are switched, for code, status and shape of these are not
 * shown (unknowns: `workflow-error-codes`, `expected-version-conflict`).
 */
export function worded<T>(call: Call, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    throw new Refusal(error instanceof StaleVersion ? stale(call, error) : outOfState(call, error));
  }
}

function stale(call: Call, refusal: StaleVersion): Reply {
  switch (call.world.settings.variants['expected-version-conflict']) {
    case '409':
      return refusal.reply;
    case '412':
      return messageOnly(412, refusal.why);
    case '422':
      return invalidField('expected_version', refusal.why);
    case 'code':
      return coded(call, 'VERSION_CONFLICT', refusal.why);
  }
}

function outOfState(call: Call, refusal: Conflict): Reply {
  return call.world.settings.variants['workflow-error-codes'] === 'message'
    ? refusal.reply
    : coded(call, 'STATE_CONFLICT', refusal.why);
}

function coded(call: Call, code: string, message: string): Reply {
  return bidEnvelope(call, 409, { success: false, code, message, data: null, errors: [code] });
}
