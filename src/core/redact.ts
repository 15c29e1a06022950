/** Tells whether a text shows a secret, in the ways that texts usually do. */
export type Leaks = (text: string) => boolean;

/** A test for one secret: as it is, in base64, in hex, URL-encoded, escaped as JSON, as bytes. */
export function leaksOf(secret: string): Leaks {
  // A few letters are in any text, and keep nothing secret: looking for them would only hide what went wrong.
  if (secret.length < SHORTEST_SECRET) return () => false;
  const bytes = Buffer.from(secret, 'utf8');
  const json = JSON.stringify(secret).slice(1, -1);
  // How buffers and byte arrays are printed; they may be cut off, so their beginning is looked for.
  const beginning = bytes.subarray(0, 8);
  const pairs = [...beginning].map((byte) => byte.toString(16).padStart(2, '0'));
  const exact = [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    ...base64Forms(bytes),
    beginning.join(','),
    beginning.join(', '),
  ];
  const inAnyCase = [
    bytes.toString('hex'),
    encodeURIComponent(secret).toLowerCase(),
    pairs.join(' '),
    pairs.join(':'),
  ];
  return (text) => {
    if (exact.some((form) => text.includes(form))) return true;
    const lower = text.toLowerCase();
    return inAnyCase.some((form) => lower.includes(form));
  };
}

const SHORTEST_SECRET = 5;

/** How a secret looks inside the base64 of a longer text: three forms, by where in a group of three bytes it begins. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Characters that also depend on what stands before or behind are left out.
    const inner = encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6));
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const DEPTH = 5;

/**
 * A cause that may be shown: a copy of what a failure says in plain text (name, message, code, stack, its own
 * causes). Objects that hang on an error (a request with its headers, say) are not carried along, because they can
 * show a signature in more ways than can be looked for; text that shows one is withheld.
 */
export function safeCause(cause: unknown, hides: Leaks, depth = DEPTH): Error | undefined {
  try {
    return copyOf(cause, hides, depth);
  } catch {
    return new Error('a failure that cannot be read');
  }
}

function copyOf(cause: unknown, hides: Leaks, depth: number): Error | undefined {
  if (cause === undefined || depth === 0) return undefined;
  const text = (value: unknown) => plain(value, hides);
  if (!isError(cause)) return new Error(text(cause) ?? `a thrown ${typeof cause}`);
  const inner = safeCause(read(cause, 'cause'), hides, depth - 1);
  const copy = new Error(
    text(read(cause, 'message')) ?? '',
    inner === undefined ? undefined : { cause: inner },
  );
  const stack = text(read(cause, 'stack'));
  if (stack !== undefined) copy.stack = stack;
  for (const key of ['name', 'code', 'errno', 'syscall', 'address', 'port']) {
    const value = read(cause, key);
    const shown = typeof value === 'number' ? value : text(value);
    if (shown !== undefined)
      Object.defineProperty(copy, key, {
        value: shown,
        enumerable: key !== 'name',
        configurable: true,
        writable: true,
      });
  }
  const errors = read(cause, 'errors');
  if (Array.isArray(errors)) {
    Object.assign(copy, { errors: errors.slice(0, 8).map((error) => safeCause(error, hides, depth - 1)) });
  }
  return copy;
}

/** Also one of another realm, which fails `instanceof`. */
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

function plain(value: unknown, hides: Leaks): string | undefined {
  if (typeof value !== 'string') return undefined;
  return hides(value) ? '(withheld, because it shows a signature or a signing secret)' : value;
}

/** A property of a stranger's object: reading it may throw. */
function read(object: object, key: string): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    return undefined;
  }
}
