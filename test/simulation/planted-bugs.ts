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
}

const refused = ['false report', 'rash report', 'taken back'];

export const plantedBugs: readonly PlantedBug[] = [
  // What leaves.
  {
    name: 'a retry gets a new UUID',
    file: 'src/bidding/pursuit.ts',
    find: 'await pipeline.run(call, {',
    replace: `const again = this.standing.attempts === 0 ? call : (() => {
        const text = Buffer.from(call.body.open()).toString();
        const key = call.idempotencyKey.slice(0, -4) + String(7000 + this.standing.attempts);
        const bytes = Buffer.from(text.replace(call.idempotencyKey, key));
        const sha256 = this.#parts.digests.sha256Hex(bytes);
        return { ...call, idempotencyKey: key, body: { length: bytes.length, sha256, open: () => bytes } };
      })();
      await pipeline.run(again, {`,
    caughtBy: ['one intent under two keys', 'sent before it was durable'],
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
    file: 'src/intents/finding.ts',
    find: 'if (!isSame(own.intent, intent)) throw otherContent(own, context, intent);',
    replace: '',
    caughtBy: ['changed bytes'],
  },
  {
    name: 'a nonce is used again',
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
    name: 'an intent of another client is taken over under the new credentials',
    file: 'src/intents/finding.ts',
    find: 'if (foreign !== undefined) throw new OtherAccountError(foreign, context);',
    replace: '',
    caughtBy: ['sent under another client'],
    settings: { moods: { deploy: 2, crash: 2 } },
  },
  {
    name: 'a twin in doubt is bid over',
    file: 'src/bidding/place.ts',
    find: 'exclusive: !overInDoubt,',
    replace: 'exclusive: false,',
    caughtBy: ['sent over a bid in doubt'],
    settings: { journal: 'shared', moods: calm, rates: { 'request lost': 700, 'reply lost': 300 } },
  },
  {
    name: 'a settled bid is sent again',
    file: 'src/bidding/place.ts',
    find: "if (['accepted', 'rejected', 'quarantined', 'abandoned'].includes(state)) return pursuit.outcome;",
    replace: '',
    caughtBy: ['sent though it was settled', 'rejected and sent again', 'strange error'],
  },
  {
    name: 'a recorded rejection is tried again',
    file: 'src/core/classify.ts',
    find: "effect: 'rejected',\n    retry: false,\n    settlesAll: true,",
    replace: "effect: 'rejected',\n    retry: true,\n    settlesAll: true,",
    caughtBy: ['rejected and sent again', 'sent though it was settled'],
  },
  {
    name: 'a bid is sent after its deadline',
    file: 'src/intents/work.ts',
    find: 'return placeBy - this.#keeper.parts.serverClock.now();',
    replace: 'return Number.POSITIVE_INFINITY;',
    caughtBy: ['sent after its deadline'],
  },
  {
    name: 'a bid is sent again after a confirmed close',
    file: 'src/bidding/pursuit.ts',
    find: "return look.found !== 'closed';",
    replace: 'return true;',
    caughtBy: ['sent after a confirmed close'],
    settings: { moods: { network: 2, service: 2 }, rates: { 'close comes early': 300 } },
  },
  {
    name: 'recovery bids without being told to',
    file: 'src/client/recovery.ts',
    find: 'settleBid(bidding, held, options, { resend })',
    replace: 'settleBid(bidding, held, options, { resend: true })',
    caughtBy: ['sent without being told to'],
    settings: { moods: { crash: 2 } },
  },
  {
    name: 'reconciling bids',
    file: 'src/bidding/reconcile.ts',
    find: 'return await settleBid(parts, held, options, { resend: false, sources });',
    replace: 'return await settleBid(parts, held, options, { resend: true, sources });',
    caughtBy: ['sent without being told to'],
  },
  {
    name: 'a command is sent again when the service has forgotten its key',
    file: 'src/intents/recover-command.ts',
    find: 'if (isPastHorizon(stored, keeper.parts.serverClock.now(), horizonMs)) return LATE;',
    replace: '',
    caughtBy: ['doubled'],
    settings: { moods: calm, rates: { 'reply lost': 400, 'caller aborts': 100 } },
  },
  {
    name: 'a command is called again when the service has forgotten its key',
    file: 'src/intents/journalled-caller.ts',
    find: 'if (!isPastHorizon(held.stored, keeper.parts.serverClock.now(), horizonMs)) return;',
    replace: 'return;',
    caughtBy: ['doubled'],
    settings: { moods: { network: 2, service: 2 } },
  },

  // What is written down, and when.
  {
    name: 'an attempt leaves while it is being written down',
    file: 'src/intents/work.ts',
    find: "await this.#opened.announce({ type: 'attempt', attempt: number, at, timestamp, nonce, keyId });",
    replace:
      "this.#opened.announce({ type: 'attempt', attempt: number, at, timestamp, nonce, keyId }).catch(() => undefined);",
    caughtBy: ['sent before it was durable'],
  },
  {
    name: 'an attempt is not written down',
    file: 'src/intents/work.ts',
    find: "await this.#opened.announce({ type: 'attempt', attempt: number, at, timestamp, nonce, keyId });",
    replace: 'await this.#opened.write();',
    caughtBy: ['sent before it was durable'],
  },
  {
    name: 'the file is not synced',
    file: 'src/intents/file/group-commit.ts',
    find: 'await target.file.sync();',
    replace: '',
    caughtBy: ['sent before it was durable'],
    settings: { journal: 'file' },
  },
  {
    name: 'a failed sync is passed over',
    file: 'src/intents/file/group-commit.ts',
    find: 'await target.file.sync();',
    replace: 'await target.file.sync().catch(() => undefined);',
    caughtBy: ['sent before it was durable'],
    settings: { journal: 'file', moods: { disk: 2 } },
  },
  {
    name: 'a failed sync is tried again',
    file: 'src/intents/file/group-commit.ts',
    find: 'await target.file.sync();',
    replace: 'await target.file.sync().catch(() => target.file.sync());',
    caughtBy: ['sent before it was durable'],
    settings: { journal: 'file', moods: { disk: 2 } },
  },
  {
    name: 'compaction drops open intents',
    file: 'src/intents/file/compaction.ts',
    find: 'const intents = [...table.list({})];',
    replace: 'const intents = [...table.list({ open: false })];',
    caughtBy: [
      'lost',
      'left open',
      'journal stuck',
      'quarantined without a reason',
      'sent before it was durable',
    ],
    settings: { journal: 'file', moods: { crash: 2 } },
  },
  {
    name: 'what a look has shown is not written down',
    file: 'src/intents/work.ts',
    find: 'await this.#record?.look(entry);',
    replace: '(this.#record as any)?.noteOnly?.(entry);',
    caughtBy: ['lost', 'left open'],
  },
  {
    name: 'the end of an attempt is not written down',
    file: 'src/intents/work.ts',
    find: 'this.#record?.note(endOf(',
    replace: 'void (endOf(',
    caughtBy: ['lost', 'left open', 'accepted over a rejection'],
  },
  {
    name: 'who has lost the lease writes on',
    file: 'src/intents/intent-table.ts',
    find: 'if (row === undefined || row.fence !== fence) throw new LeaseLostError(id.key);',
    replace: 'if (row === undefined) throw new LeaseLostError(id.key);',
    caughtBy: ['lease broken'],
    settings: { journal: 'shared', moods: { time: 2, crash: 1 } },
  },
  {
    name: 'a lease keeps nobody off',
    file: 'src/intents/intent-table.ts',
    find: 'if (this.#isLeased(row) && row.lease?.owner !== lease.owner)',
    replace: 'if (false)',
    caughtBy: ['lease broken'],
    settings: { journal: 'shared' },
  },
  {
    name: 'giving a lost lease back frees it for all',
    file: 'src/intents/intent-table.ts',
    find: 'if (row?.fence === fence) row.lease = undefined;',
    replace: 'if (row !== undefined) row.lease = undefined;',
    caughtBy: ['lease broken'],
    settings: { journal: 'shared', moods: { time: 2, network: 2 }, rates: { 'process stalls': 80 } },
  },

  {
    name: 'recovery takes what others are at work on',
    file: 'src/intents/intent-table.ts',
    find: 'if (!this.#isLeased(row)) free.push(row);',
    replace: 'free.push(row);',
    caughtBy: ['lease broken', 'stuck'],
    settings: { journal: 'shared', moods: { crash: 2 } },
  },
  {
    name: 'a bid leaves though its attempt could not be written down',
    file: 'src/core/call-record.ts',
    find: 'if (!(cause instanceof JournalError)) throw cause;',
    replace: 'if (cause instanceof JournalError) return undefined;',
    caughtBy: ['sent before it was durable'],
    settings: { moods: { journal: 2, disk: 2 } },
  },
  {
    name: 'a journal that takes long makes a bid leave late',
    file: 'src/core/call-record.ts',
    find: 'if (this.msToDepart() > 0) return undefined;',
    replace: 'return undefined;',
    caughtBy: ['sent after its deadline'],
    settings: { rates: { 'process stalls': 150 } },
  },
  {
    name: 'a file takes the place of another before its name is synced',
    file: 'src/intents/file/rewrite.ts',
    find: 'await disk.syncDirectory(path);',
    replace: '',
    caughtBy: ['sent before it was durable'],
    settings: { journal: 'file' },
  },
  {
    name: 'a torn group passes for a whole one',
    file: 'src/intents/file/format.ts',
    find: "return new Misfit(0, 'the checksum of a group is wrong');",
    replace: '',
    caughtBy: ['journal stuck', 'lost'],
    settings: { journal: 'file', crashes: 8, moods: { crash: 2 }, rates: { 'power cut at a crash': 1000 } },
  },
  {
    name: 'what a killed process left unsynced passes for durable',
    file: 'src/intents/file/open-file.ts',
    find: 'replay.isClosed && validBytes === size',
    replace: 'validBytes === size',
    caughtBy: ['lost', 'sent before it was durable', 'false absence'],
    settings: { journal: 'file', crashes: 8, moods: { crash: 2 } },
  },

  // What is made of replies.
  {
    name: 'a refusal settles what was in doubt before',
    file: 'src/intents/standing.ts',
    find: "this.state = doubted || end.effect === 'in_doubt' ? 'unknown' : end.effect;",
    replace:
      "this.state = (doubted && end.effect !== 'refused') || end.effect === 'in_doubt' ? 'unknown' : end.effect;",
    caughtBy: refused,
    settings: { moods: { refusal: 2, network: 2 } },
  },
  {
    name: 'a failed connection settles what was in doubt before',
    file: 'src/intents/standing.ts',
    find: "this.state = doubted || end.effect === 'in_doubt' ? 'unknown' : end.effect;",
    replace:
      "this.state = (doubted && end.effect !== 'not_sent') || end.effect === 'in_doubt' ? 'unknown' : end.effect;",
    caughtBy: [...refused, 'left open'],
    settings: { moods: { network: 2 } },
  },
  {
    name: 'a server failure is a refusal',
    file: 'src/core/classify.ts',
    find: "{ name: 'server failure', stage: 'replied', statuses: [500, 599], effect: 'unknown', retry: true }",
    replace:
      "{ name: 'server failure', stage: 'replied', statuses: [500, 599], effect: 'refused', retry: false }",
    caughtBy: refused,
  },
  {
    name: 'too many requests is a refusal',
    file: 'src/core/classify.ts',
    find: "{ name: 'too many requests', stage: 'replied', statuses: [429, 429], effect: 'unknown', retry: true }",
    replace:
      "{ name: 'too many requests', stage: 'replied', statuses: [429, 429], effect: 'refused', retry: false }",
    caughtBy: refused,
    settings: { moods: { refusal: 2, service: 2 } },
  },
  {
    name: 'a replayed nonce is a refusal',
    file: 'src/core/classify.ts',
    find: "code: 'NONCE_REPLAYED', effect: 'unknown', retry: true",
    replace: "code: 'NONCE_REPLAYED', effect: 'refused', retry: false",
    caughtBy: refused,
    settings: { moods: { network: 2, proxy: 2 } },
  },
  {
    name: 'the page of a proxy is a refusal by the service',
    file: 'src/core/interpret.ts',
    find: "if (error.shape === 'foreign' || error.saysAccepted) return false;",
    replace: 'if (error.saysAccepted) return false;',
    caughtBy: refused,
    settings: { moods: { proxy: 2 } },
  },
  {
    name: 'a success that is cut short is a refusal',
    file: 'src/core/classify.ts',
    find: "name: 'success that does not parse',\n    stage: 'replied',\n    statuses: [200, 299],\n    effect: 'unknown',",
    replace:
      "name: 'success that does not parse',\n    stage: 'replied',\n    statuses: [200, 299],\n    effect: 'refused',",
    caughtBy: refused,
    settings: { moods: { network: 2, proxy: 2 } },
  },
  {
    name: 'a broken connection means that nothing was sent',
    file: 'src/core/attempt.ts',
    find: "if (error instanceof TransportFailure) return { kind: 'failure', sent: error.sent, cause: error.cause };",
    replace:
      "if (error instanceof TransportFailure) return { kind: 'failure', sent: 'no', cause: error.cause };",
    caughtBy: [...refused, 'left open', 'quarantined without a reason', 'false rejection'],
    settings: { moods: { network: 2 } },
  },
  {
    name: 'an attempt that timed out was not sent',
    file: 'src/core/attempt.ts',
    find: "failure instanceof TransportFailure ? failure.sent : 'maybe'",
    replace: "'no'",
    caughtBy: [...refused, 'left open', 'quarantined without a reason'],
    settings: { moods: { network: 2 } },
  },
  {
    name: 'a conflict of keys is passed over',
    file: 'src/intents/standing.ts',
    find: 'if (keyConflict === true) return CONFLICT;',
    replace: '',
    caughtBy: ['acceptance of a bid of somebody else'],
  },
  {
    name: 'a replay of something never sent is believed',
    file: 'src/intents/standing.ts',
    find: 'return this.#isBid && replayed === true && !doubted ? REPLAYED : undefined;',
    replace: 'return undefined;',
    caughtBy: ['acceptance of a bid of somebody else'],
  },
  {
    name: 'a rejection after doubt is taken at its word',
    file: 'src/intents/standing.ts',
    find: "this.#rejection = end;\n      this.state = 'unknown';",
    replace: "this.state = 'rejected';",
    caughtBy: ['rejected, yet accepted', 'false rejection'],
    settings: { moods: { network: 2, service: 2 } },
  },
  {
    name: 'a reply that contradicts a look is not listened to',
    file: 'src/intents/standing.ts',
    find: '      this.#hold(end, doubted);\n',
    replace: '',
    caughtBy: ['acceptance of a bid of somebody else', 'accepted over a rejection'],
    settings: { journal: 'shared', moods: { crash: 2 } },
  },
  {
    name: 'a refusal is told of a bid that somebody else has taken over',
    file: 'src/intents/record.ts',
    find: 'this.#isStale = stored === undefined || isOpen(stored.state);',
    replace: 'this.#isStale = stored === undefined;',
    caughtBy: ['taken back', 'false absence', 'lost'],
    settings: { journal: 'shared', moods: { service: 2, crash: 2 }, rates: { 'process stalls': 300 } },
  },
  {
    name: 'two verdicts that disagree are settled',
    file: 'src/intents/standing.ts',
    find: 'if (this.#rejection !== undefined) this.#quarantine(DISAGREE, look);',
    replace: '',
    caughtBy: ['accepted over a rejection'],
    settings: { moods: { network: 2, service: 2 } },
  },
  {
    name: 'a pending rejection is confirmed by a look that fails',
    file: 'src/intents/standing.ts',
    find: "} else if (look.found === 'rejected') {",
    replace:
      "} else if (look.found === 'rejected' || (look.found === 'failed' && this.#rejection !== undefined)) {",
    caughtBy: ['rejected, yet accepted', 'false rejection'],
    settings: { moods: { network: 2, service: 2 }, rates: { 'look-up fails': 400 } },
  },

  // What is made of looks.
  {
    name: 'a look-up that fails is an absence',
    file: 'src/bidding/look.ts',
    find: "return { type: 'look', by: 'A06', at, found: 'failed', reason: reasonOf(error) };",
    replace:
      "return { type: 'look', by: 'A06', at, found: 'absent', observedAt: keeper.parts.serverClock.now() };",
    caughtBy: ['false absence'],
    settings: { moods: { network: 2 }, rates: { 'look-up fails': 500 } },
  },
  {
    name: 'a 404 of the look-up is an absence',
    file: 'src/bidding/look.ts',
    find: "return { type: 'look', by: 'A06', at, found: 'failed', reason: reasonOf(error) };",
    replace: `return Reflect.get(Object(error), 'status') === 404
      ? { type: 'look', by: 'A06', at, found: 'absent', observedAt: keeper.parts.serverClock.now() }
      : { type: 'look', by: 'A06', at, found: 'failed', reason: reasonOf(error) };`,
    caughtBy: ['false absence'],
    settings: { moods: { network: 2 }, rates: { 'look-up answers 404': 500 } },
  },
  {
    name: 'one absence is enough',
    file: 'src/bidding/fence.ts',
    find: 'conclusive: first !== undefined && last !== undefined && last - first >= ABSENCE_GAP_MS,',
    replace: 'conclusive: first !== undefined && last !== undefined,',
    caughtBy: ['false absence'],
    settings: { moods: calm, rates: { 'request too late': 950, 'service shows it late': 950 } },
  },
  {
    name: 'an absence counts past the horizon',
    file: 'src/bidding/fence.ts',
    find: 'at > fenceAt && at <= fenceAt + horizonMs;',
    replace: 'at > fenceAt;',
    caughtBy: ['false absence'],
    settings: { moods: { network: 2 } },
  },
  {
    name: 'the fence stands at the time stamp',
    file: 'src/intents/fence-of.ts',
    find: '(timestamp + limits.clockDifferenceSeconds) * 1000',
    replace: 'timestamp * 1000',
    caughtBy: ['false absence'],
    settings: { moods: { network: 2 } },
  },
  {
    name: 'the fence is judged by the local clock',
    file: 'src/bidding/look.ts',
    find: "...momentOf('observedAt', observed_at),",
    replace: 'observedAt: keeper.parts.clock.now(),',
    caughtBy: ['false absence'],
    settings: { moods: calm, rates: { 'request too late': 900, 'wall clock off': 1000 } },
  },
  {
    name: 'what was abandoned is not looked for',
    file: 'src/bidding/pursuit.ts',
    find: "return this.standing.state === 'unknown' || this.standing.state === 'abandoned';",
    replace: "return this.standing.state === 'unknown';",
    caughtBy: ['left open'],
    settings: { moods: { network: 2 } },
  },
];
