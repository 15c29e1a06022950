import { calm, type Settings } from './world/settings.js';

/** A mistake that somebody could make in `src`, as a replacement of one snippet that is there exactly once. */
export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Kinds of violation of which it must cause one. */
  readonly caughtBy: readonly string[];
  /** What to look at, where that finds it sooner. */
  readonly settings?: Settings;
  /** It shows in the first few seeds, so that it is hunted where everybody waits. */
  readonly isQuick?: boolean;
}

const refused = ['false report', 'taken back', 'left open'];

export const plantedBugs: readonly PlantedBug[] = [
  // What leaves.
  {
    name: 'the same bytes are sent again under a new UUID',
    file: 'src/bids/place.ts',
    find: 'const { call, key, placeBy, closesAt, limits } = this.#bid;',
    replace: `const { placeBy, closesAt, limits, body } = this.#bid;
    const key = mayResend ? this.#bid.key.slice(0, -4) + '7000' : this.#bid.key;
    const text = Buffer.from(body.open() as Uint8Array).toString().replace(this.#bid.key, key);
    const bytes = Buffer.from(text);
    const renewed = { length: bytes.length, sha256: this.#parts.digests.sha256Hex(bytes), open: () => bytes };
    const call = { ...this.#bid.call, idempotencyKey: key, body: renewed };`,
    caughtBy: ['one intent under two keys'],
    settings: { moods: calm, rates: { 'request lost': 700, 'reply lost': 300 } },
  },
  {
    name: 'a retry serialises its body anew',
    file: 'src/core/attempt.ts',
    find: 'const bytes = body.open();',
    replace: `const known = ((globalThis as any).opened ??= new WeakSet());
  const whole = body.open();
  const bytes = known.has(body) ? Buffer.from(JSON.stringify(JSON.parse(Buffer.from(whole as Uint8Array).toString()), undefined, 1)) : whole;
  known.add(body);`,
    caughtBy: ['changed bytes'],
  },
  {
    name: 'the same key with other content is sent',
    file: 'src/intents/recorded-call.ts',
    find: 'if (target !== undefined && !isSame(known, given)) {',
    replace: 'if (false) {',
    caughtBy: ['changed bytes', 'store rule broken'],
  },
  {
    name: 'a nonce is used again',
    isQuick: true,
    file: 'src/core/stamp.ts',
    find: 'nonce: randomness.nonce() }',
    replace: 'nonce: ((call as any).nonce ??= randomness.nonce()) }',
    caughtBy: ['nonce used twice'],
  },
  {
    name: 'the time stamp of the first attempt stays',
    file: 'src/core/stamp.ts',
    find: 'timestamp: Math.floor(serverClock.now() / 1000)',
    replace: 'timestamp: ((call as any).stamped ??= Math.floor(serverClock.now() / 1000))',
    caughtBy: ['stale time stamp'],
  },
  {
    name: 'a signature that grew old while it was recorded is sent',
    file: 'src/core/run.ts',
    find: 'if (this.#parts.clock.monotonic() - signedAt < SIGNATURE_LASTS_MS) return { headers };',
    replace: 'return { headers };',
    caughtBy: ['stale time stamp'],
    settings: { rates: { 'store answers late': 200 } },
  },
  {
    name: 'the time of a replayed reply is believed',
    file: 'src/core/run.ts',
    find: 'if (found.stated !== undefined && found.payload?.replayed !== true && !wasSet) {',
    replace: 'if (found.stated !== undefined && !wasSet) {',
    caughtBy: ['stale time stamp'],
    settings: { moods: { crash: 2, network: 2 }, crashes: 8 },
  },
  {
    name: 'an intent of another client is taken over under the new credentials',
    file: 'src/intents/evidence.ts',
    find: "return !isHere || (own.clientId !== '' && recorded.clientId !== own.clientId);",
    replace: 'return !isHere;',
    caughtBy: ['sent under another client'],
    settings: { moods: { deploy: 2, crash: 2 } },
  },
  {
    name: 'an intent that was recorded for another address is taken over',
    isQuick: true,
    file: 'src/intents/evidence.ts',
    find: 'const isHere = recorded.origin === own.origin || formerOrigins.includes(recorded.origin);',
    replace: 'const isHere = true;',
    caughtBy: ['sent to another address'],
    settings: { moods: { deploy: 2, crash: 2 } },
  },
  {
    name: 'the address is part of the account, so that open intents vanish when it changes',
    file: 'src/client/compose.ts',
    find: 'account: resolveAccount(environment, options.account),',
    replace: 'account: resolveAccount(environment, options.account) + base.origin,',
    caughtBy: ['sent over an open bid', 'told before it was recorded', 'left open'],
    settings: { moods: { deploy: 2, crash: 2 } },
  },
  {
    name: 'a bid in doubt is bid over',
    file: 'src/bids/place.ts',
    find: '{ placeBy, closesAt, allowUnresolved, confirm, row, placed: true },',
    replace: '{ placeBy, closesAt, allowUnresolved: true, confirm, row, placed: true },',
    caughtBy: ['sent over an open bid'],
    settings: { processes: 2, moods: calm, rates: { 'request lost': 700, 'reply lost': 300 } },
  },
  {
    name: 'a settled intent is sent again',
    file: 'src/intents/recorded-call.ts',
    find: 'const answer = isOver ? await this.#keptFromAnotherRound(intent, tx) : this.#answerFrom(intent);',
    replace: 'const answer = isOver ? await this.#keptFromAnotherRound(intent, tx) : undefined;',
    caughtBy: ['store rule broken', 'sent though it was settled'],
  },
  {
    name: 'what was refused or not sent is tried again without being placed again',
    file: 'src/intents/recorded-call.ts',
    find: 'if (!isOver) return { events: [attempt] };',
    replace: 'return { events: [attempt] };',
    caughtBy: ['store rule broken'],
  },
  {
    name: 'a recorded rejection is tried again',
    file: 'src/core/classify.ts',
    find: "if (recordedRejection) return status === 422 ? { effect: 'rejected', retry: false } : unknown;",
    replace: "if (recordedRejection) return status === 422 ? { effect: 'rejected', retry: true } : unknown;",
    caughtBy: ['rejected and sent again'],
    settings: { moods: { network: 2, service: 2 } },
  },
  {
    name: 'a bid is sent after its deadline',
    file: 'src/intents/recorded-call.ts',
    find: 'return until === undefined ? Number.POSITIVE_INFINITY : until - this.#terms.ledger.now();',
    replace: 'return Number.POSITIVE_INFINITY;',
    caughtBy: ['sent after its deadline'],
    settings: { rates: { 'store answers late': 200 } },
  },
  {
    name: 'a store that takes long makes a bid leave late',
    file: 'src/core/run.ts',
    find: "if (journal.msToDepart() <= 0) return this.#stoppedBeforeFirstByte(new Stopped('too_late'));",
    replace: '',
    caughtBy: ['sent after its deadline'],
    settings: { rates: { 'store answers late': 200 } },
  },
  {
    name: 'a bid is sent again after a confirmed close',
    file: 'src/intents/fold.ts',
    find: 'this.#closed ||= event.closed;',
    replace: '',
    caughtBy: ['sent after a confirmed close'],
    settings: { moods: { network: 2, service: 2 }, rates: { 'close comes early': 300 } },
  },
  {
    name: 'recovery sends bids again like commands',
    file: 'src/client/recovery.ts',
    find: 'isBid(intent)\n        ? settleFound',
    replace: 'isBid(intent) && !resend\n        ? settleFound',
    caughtBy: ['sent without being told to'],
    settings: { moods: { crash: 2, network: 2 } },
  },
  {
    name: 'reconciling a command sends it',
    file: 'src/intents/intents.ts',
    find: '{ resend: false, force: true }',
    replace: '{ resend: true, force: true }',
    caughtBy: ['sent without being told to'],
    settings: { moods: { network: 2, service: 2 } },
  },
  {
    name: 'a key counts as remembered for ever',
    file: 'src/intents/fold.ts',
    find: 'const rememberedUntil = keyExpiresAt - SIGNATURE_WINDOW_MS;',
    replace: 'const rememberedUntil = Number.POSITIVE_INFINITY;',
    caughtBy: ['doubled', 'sent when its key may be forgotten'],
    settings: { moods: { network: 2, service: 2 } },
  },
  {
    name: 'a command without a version is sent again as long as one with a version',
    file: 'src/intents/fold.ts',
    find: 'return Math.min(rememberedUntil, first * 1000 + UNVERSIONED_RESEND_MS);',
    replace: 'return rememberedUntil;',
    caughtBy: ['sent when its key may be forgotten'],
    settings: { moods: { network: 2, service: 2 } },
  },
  {
    name: 'nothing tells how long a copy of an attempt can be let in',
    file: 'src/intents/fold.ts',
    find: 'const rememberedUntil = keyExpiresAt - SIGNATURE_WINDOW_MS;',
    replace: 'const rememberedUntil = keyExpiresAt;',
    caughtBy: ['sent when its key may be forgotten'],
    settings: { moods: { network: 2, service: 2, time: 2 } },
  },
  {
    name: 'a halt is checked only when a bid is recorded',
    file: 'src/intents/recorded-call.ts',
    find: 'const held = await bid?.admit(tx);',
    replace: 'const held = undefined as Held | undefined;',
    caughtBy: ['sent during a halt'],
    settings: { moods: { people: 2, network: 2 } },
  },
  {
    name: 'a halt holds nothing back',
    file: 'src/bids/limits.ts',
    find: 'if (halt !== undefined) return',
    replace: 'if (false) return',
    caughtBy: ['sent during a halt'],
    settings: { moods: { people: 2 } },
  },
  {
    name: 'only the amount of a bid itself is limited',
    file: 'src/bids/limits.ts',
    find: 'if (bid !== undefined || (limits.perBuyer === undefined && limits.perLot === undefined)) return bid;',
    replace: 'return bid;',
    caughtBy: ['sent beyond a limit'],
  },
  {
    name: 'what is at stake leaves out accepted bids',
    file: 'src/store/sql.ts',
    find: "const AT_STAKE = `(open = 1 OR state = 'accepted')`;",
    replace: 'const AT_STAKE = `open = 1`;',
    caughtBy: ['sent beyond a limit'],
  },

  // What is written down, and when.
  {
    name: 'an attempt leaves while it is being recorded',
    file: 'src/core/run.ts',
    find: 'const stopped = await stoppedBy(stretch.race(departing));',
    replace: "departing.catch(() => undefined);\n      const stopped = { kind: 'go' } as any;",
    caughtBy: ['sent before it was durable'],
  },
  {
    name: 'an attempt is not recorded',
    isQuick: true,
    file: 'src/intents/recorded-call.ts',
    find: 'if (!isOver) return { events: [attempt] };',
    replace: 'if (!isOver) return undefined;',
    caughtBy: ['sent before it was durable'],
  },
  {
    name: 'a bid leaves though its attempt could not be recorded',
    file: 'src/intents/recorded-call.ts',
    find: "if (!(error instanceof StoreError) || error.commit !== 'unknown') throw error;",
    replace: 'if (!(error instanceof StoreError)) throw error;\n      return GO;',
    caughtBy: ['sent before it was durable'],
    settings: { moods: { store: 2 } },
  },
  {
    name: 'a commit whose answer was lost counts as done',
    file: 'src/intents/recorded-call.ts',
    find: 'if (!happened(intent)) throw error;',
    replace: '',
    caughtBy: ['sent before it was durable'],
    settings: { moods: { store: 2 } },
  },
  {
    name: 'what a lookup has shown is not recorded',
    file: 'src/bids/settle.ts',
    find: 'return { events: [event] };',
    replace: 'return undefined;',
    caughtBy: ['lost', 'left open'],
  },
  {
    name: 'the result of an attempt is not recorded',
    file: 'src/intents/recorded-call.ts',
    find: 'this.#intent = await ledger.change(key, (_, tx) => this.#take(event, tx));',
    replace: 'this.#intent = await ledger.read(key);',
    caughtBy: ['left open', 'rejected and sent again'],
  },
  {
    name: 'the version of an intent is not compared before it is sent',
    file: 'src/intents/recorded-call.ts',
    find: 'if (intent.row.version !== mine?.row.version) {',
    replace: 'if (false) {',
    caughtBy: ['store rule broken', 'false report', 'doubled', 'sent over an open bid'],
    settings: { processes: 2, moods: { time: 2, crash: 2, store: 2 } },
  },
  {
    name: 'what a dead process left recorded and unsent stays so',
    isQuick: true,
    file: 'src/intents/owners.ts',
    find: 'return process.isGone(processId, ownerSilentMs);',
    replace: 'return false;',
    caughtBy: ['left open'],
    settings: { moods: { crash: 2 } },
  },
  {
    name: 'settlements have no order',
    isQuick: true,
    file: 'src/store/sql.ts',
    find: '.settled_sequence + 1',
    replace: '.settled_sequence',
    caughtBy: ['store rule broken'],
  },
  {
    name: 'retention believes the local clock',
    file: 'src/intents/ledger.ts',
    find: `if (now < this.#pruneAfter || serverClock.time() === undefined) return;
    this.#pruneAfter = now + PRUNE_EVERY_MS;
    try {
      const pruned = await this.within(async (tx) => {
        const latest = await tx.serverTime();
        if (latest === undefined) return 0;
        const serverMs = Math.floor(Math.min(latest, this.now()) - retentionMs);`,
    replace: `if (now < this.#pruneAfter) return;
    this.#pruneAfter = now + PRUNE_EVERY_MS;
    try {
      const pruned = await this.within(async (tx) => {
        const serverMs = Math.floor(clock.now() - retentionMs);`,
    caughtBy: ['store rule broken', 'lost'],
    settings: { rates: { 'wall clock steps': 300, 'wall clock 40 days off': 1000 } },
  },
  {
    name: 'time goes on by a clock that was set',
    file: 'src/intents/ledger.ts',
    find: 'if (known !== undefined) this.#lastKnown = { known, at: clock.monotonic() };',
    replace: '',
    caughtBy: ['stuck without a reason', 'false report', 'doubled', 'left open', 'store rule broken'],
    settings: { rates: { 'wall clock steps': 300, 'wall clock 40 days off': 1000 } },
  },
  {
    name: 'a restored backup is not believed to be one',
    file: 'src/intents/intents.ts',
    find: 'isOpen(status.state) && !status.restored ?',
    replace: 'false ?',
    caughtBy: ['false report', 'doubled', 'sent when its key may be forgotten', 'stuck without a reason'],
    settings: { moods: { network: 2 }, rates: { 'backup restored': 1000, 'request late': 300 } },
  },
  {
    name: 'a store that fails after a bid was sent counts as if nothing was sent',
    file: 'src/bids/place.ts',
    find: "outcome: 'unknown' })",
    replace: "outcome: 'not_sent' })",
    caughtBy: ['false report'],
    settings: { moods: { store: 2 } },
  },

  // What is made of replies.
  {
    name: 'a refusal settles what was in doubt before',
    file: 'src/intents/fold.ts',
    find: 'if (this.#anyInDoubt(attempt)) return false;',
    replace: '',
    caughtBy: refused,
    settings: { moods: { refusal: 2, network: 2 } },
  },
  {
    name: 'a failed connection settles what was in doubt before',
    file: 'src/intents/fold.ts',
    find: 'const neverLeft = this.#attempts.every(',
    replace: 'const neverLeft = this.#attempts.some(',
    caughtBy: [...refused, 'sent though it was settled'],
    settings: { moods: { network: 2 } },
  },
  {
    name: 'a server failure is a refusal',
    file: 'src/core/classify.ts',
    find: 'if (status === 429 || (status >= 500 && status < 600)) return unknownAgain;',
    replace: 'if (status === 429) return unknownAgain;\n  if (status >= 500) return refused;',
    caughtBy: refused,
  },
  {
    name: 'too many requests is a refusal',
    file: 'src/core/classify.ts',
    find: 'if (status === 429 || (status >= 500 && status < 600)) return unknownAgain;',
    replace: 'if (status >= 500) return unknownAgain;\n  if (status === 429) return refused;',
    caughtBy: refused,
    settings: { moods: { refusal: 2, service: 2 } },
  },
  {
    name: 'a replayed nonce is a refusal',
    file: 'src/core/classify.ts',
    find: "if (codes.includes('NONCE_REPLAYED')) return unknownAgain;",
    replace: "if (codes.includes('NONCE_REPLAYED')) return refused;",
    caughtBy: [...refused, 'doubled'],
    settings: { moods: { network: 2, proxy: 2 } },
  },
  {
    name: 'the page of a proxy is a refusal by the service',
    file: 'src/core/classify.ts',
    find: "if (shape === 'foreign') return unknown;",
    replace: "if (shape === 'foreign') return refused;",
    caughtBy: refused,
    settings: { moods: { proxy: 2 } },
  },
  {
    name: "a gateway's refusal without a code is one of the service",
    isQuick: true,
    file: 'src/core/classify.ts',
    find: 'return { ...unknown, uncoded: true };',
    replace: 'return refused;',
    caughtBy: refused,
    settings: { moods: { proxy: 2 } },
  },
  {
    name: 'a refusal without a code needs no lookup',
    file: 'src/intents/fold.ts',
    find: "return attempt.state === 'uncoded' && this.#absentAfterReply;",
    replace: "return attempt.state === 'uncoded';",
    caughtBy: ['told without confirmation', ...refused],
    settings: { moods: { proxy: 2 } },
  },
  {
    name: 'a refusal without a code is final',
    file: 'src/intents/fold.ts',
    find: "return { state: 'refused', provisional: !isCertain && !this.#final };",
    replace: "return { state: 'refused', provisional: false };",
    caughtBy: refused,
    settings: { moods: { proxy: 2 }, rates: { 'gateway answers early': 300 } },
  },
  {
    name: 'a provisional refusal counts as final once its key may be forgotten',
    file: 'src/intents/fold.ts',
    find: 'this.#expired = true;',
    replace: 'this.#final = true;',
    caughtBy: ['false report', 'doubled'],
    settings: { moods: { proxy: 2 }, rates: { 'gateway answers early': 300 } },
  },
  {
    name: 'a success that is cut short is a refusal',
    file: 'src/core/classify.ts',
    find: "return evidence.consistent ? { effect: 'done', retry: false } : unknown;",
    replace: "return evidence.consistent ? { effect: 'done', retry: false } : refused;",
    caughtBy: refused,
    settings: { moods: { network: 2, proxy: 2 } },
  },
  {
    name: 'a broken connection means that nothing was sent',
    file: 'src/core/attempt.ts',
    find: "if (error instanceof TransportFailure) return { kind: 'failure', sent: error.sent, cause: error.cause };",
    replace:
      "if (error instanceof TransportFailure) return { kind: 'failure', sent: 'no', cause: error.cause };",
    caughtBy: [...refused, 'stuck without a reason', 'false rejection', 'rejected, yet accepted'],
    settings: { moods: { network: 2 } },
  },
  {
    name: 'an attempt that timed out was not sent',
    file: 'src/core/attempt.ts',
    find: "failure instanceof TransportFailure ? failure.sent : 'maybe'",
    replace: "'no'",
    caughtBy: [...refused, 'stuck without a reason', 'false rejection', 'rejected, yet accepted'],
    settings: { moods: { network: 2 } },
  },
  {
    name: 'a conflict of keys is passed over',
    file: 'src/intents/fold.ts',
    find: 'if (event.keyConflict === true) {',
    replace: 'if (false) {',
    caughtBy: ['acceptance of another bid'],
  },
  {
    name: 'a conflict that names no reason is for a person',
    file: 'src/intents/fold.ts',
    find: 'if (event.keyConflict === true) {',
    replace: 'if (event.keyConflict === true || event.bare409 === true) {',
    caughtBy: ['stuck without a reason'],
    settings: { moods: { service: 2 } },
  },
  {
    name: 'a replay of something never sent is believed',
    isQuick: true,
    file: 'src/intents/fold.ts',
    find: 'if (this.#isBid && ((isVerdict && this.#answersForOthers(event, attempt)) || event.bare409 === true)) {',
    replace: 'if (false) {',
    caughtBy: ['acceptance that was not checked', 'acceptance of another bid'],
  },
  {
    name: 'a bid that differs in lot, amount or buyer is believed',
    file: 'src/bids/lookup.ts',
    find: 'if (differing.length > 0) {',
    replace: 'if (false) {',
    caughtBy: ['acceptance of another bid', 'false acceptance'],
    settings: { moods: { service: 2 } },
  },
  {
    name: 'a rejection after doubt is taken at its word',
    isQuick: true,
    file: 'src/intents/fold.ts',
    find: 'if (rejected !== undefined && !this.#anyInDoubt(rejected))',
    replace: 'if (rejected !== undefined)',
    caughtBy: ['rejected, yet accepted', 'false rejection'],
    settings: { moods: { network: 2, service: 2 } },
  },
  {
    name: 'a pending rejection is confirmed by a lookup that fails',
    file: 'src/intents/fold.ts',
    find: 'if (rejected !== undefined && !this.#anyInDoubt(rejected))',
    replace:
      "if (rejected !== undefined && (!this.#anyInDoubt(rejected) || this.#lastLookup?.found === 'failed'))",
    caughtBy: ['rejected, yet accepted', 'false rejection'],
    settings: { moods: { network: 2, service: 2 }, rates: { 'look-up fails': 400 } },
  },
  {
    name: 'the reply to another bid is believed',
    file: 'src/intents/recorded-call.ts',
    find: 'if (clashes.length === 0) return { events: [event] };',
    replace: 'return { events: [event] };',
    caughtBy: ['false acceptance', 'false rejection', 'acceptance that was not checked'],
    settings: { moods: { network: 2 }, rates: { 'reply crossed': 900, 'replies swapped': 0 } },
  },
  {
    name: 'the rejection of another bid is believed',
    file: 'src/intents/recorded-call.ts',
    find: "const isVerdict = event.effect === 'done' || event.effect === 'rejected';",
    replace: "const isVerdict = event.effect === 'done';",
    caughtBy: ['false rejection', 'rejected, yet accepted'],
    settings: { moods: { network: 2 }, rates: { 'reply crossed': 900, 'replies swapped': 0 } },
  },
  {
    name: 'confirmation is not waited for',
    file: 'src/intents/fold.ts',
    find: "return this.#confirm && by === 'reply';",
    replace: 'return false;',
    caughtBy: ['told without confirmation'],
  },
  {
    name: 'an error tells a provisional refusal as final',
    file: 'src/intents/answers.ts',
    find: "if (provisional) return 'unknown';",
    replace: '',
    caughtBy: ['false report'],
    settings: { moods: { proxy: 2 }, rates: { 'gateway replaces the reply': 400 } },
  },

  // What is made of lookups.
  {
    name: 'a lookup that fails is an absence',
    file: 'src/bids/lookup.ts',
    find: 'return failed(whyOf(error));',
    replace: "return { type: 'lookup', at: at(), refusalsSeen, found: 'absent', observedAt: at() };",
    caughtBy: refused,
    settings: { moods: { network: 2 }, rates: { 'look-up fails': 500 } },
  },
  {
    name: 'a 404 of the lookup is an absence',
    file: 'src/bids/lookup.ts',
    find: 'return failed(whyOf(error));',
    replace: `return Reflect.get(Object(error), 'status') === 404
      ? { type: 'lookup', at: at(), refusalsSeen, found: 'absent', observedAt: at() }
      : failed(whyOf(error));`,
    caughtBy: refused,
    settings: { moods: { network: 2 }, rates: { 'look-up answers 404': 500 } },
  },
  {
    name: 'one absence is enough',
    file: 'src/intents/fold.ts',
    find: `if (this.#absentSince === undefined) this.#absentSince = observedAt;
    else if (observedAt - this.#absentSince >= ABSENCE_GAP_MS) {`,
    replace: `this.#absentSince ??= observedAt;
    if (observedAt > 0) {`,
    caughtBy: refused,
    settings: { moods: calm, rates: { 'request too late': 950, 'service shows it late': 950 } },
  },
  {
    name: 'an absence counts when the key may be forgotten',
    file: 'src/intents/fold.ts',
    find: 'return observedAt > lastSent + SIGNATURE_WINDOW_MS && observedAt <= keyExpiresAt;',
    replace: 'return observedAt > lastSent + SIGNATURE_WINDOW_MS;',
    caughtBy: refused,
    settings: { moods: { network: 2 } },
  },
  {
    name: 'an absence counts while copies may be let in',
    file: 'src/intents/fold.ts',
    find: 'return observedAt > lastSent + SIGNATURE_WINDOW_MS && observedAt <= keyExpiresAt;',
    replace: 'return observedAt > lastSent && observedAt <= keyExpiresAt;',
    caughtBy: refused,
    settings: { moods: { network: 2 } },
  },
  {
    name: 'an absence is judged by the local clock',
    file: 'src/bids/lookup.ts',
    find: 'const observedAt = momentOf(observed_at);',
    replace: 'const observedAt = parts.recording.clock.now();',
    caughtBy: refused,
    settings: { moods: calm, rates: { 'request too late': 900, 'wall clock off': 1000 } },
  },
  {
    name: 'a provisional refusal is not looked for again',
    file: 'src/bids/recovery.ts',
    find: 'force: (force && rests) || (status.provisional && isWorthLooking(parts, intent)),',
    replace: 'force: false,',
    caughtBy: ['left open'],
    settings: { moods: { proxy: 2 } },
  },
  {
    name: 'what was abandoned is not looked for',
    file: 'src/bids/recovery.ts',
    find: 'force: (force && rests) ||',
    replace: "force: (force && rests && status.state !== 'abandoned') ||",
    caughtBy: ['left open'],
    settings: { moods: { network: 2 } },
  },

  // What is done once.
  {
    name: 'runOnce runs again while the run before is in doubt',
    file: 'src/intents/run-once.ts',
    find: "if (state === 'sent' || state === 'stuck' || state === 'abandoned') throw inDoubt(known, context);",
    replace: '',
    caughtBy: ['doubled'],
    settings: { moods: { network: 2 } },
  },
  {
    name: 'runOnce runs while another process has reserved its key',
    file: 'src/intents/run-once.ts',
    find: "if (state === 'ready') throw inProgress(known, context);",
    replace: '',
    caughtBy: ['doubled'],
    settings: {
      processes: 2,
      moods: calm,
      rates: { 'living process taken for gone': 500, 'store slow': 300 },
    },
  },
];
