/** A promise that never settles. */
export const never = new Promise<never>(() => undefined);

/** The ways in which a function of the user goes wrong. */
export const failingCallbacks = {
  throws: () => {
    throw new Error('broken');
  },
  rejects: () => Promise.reject(new Error('broken')),
  hangs: () => never,
} as const;

export const failingWays = Object.entries(failingCallbacks);

/** A logger that keeps warnings: the message, and the field `error`. */
export function warnings() {
  const lines: (readonly [message: string, error: unknown])[] = [];
  const none = () => undefined;
  const warn = (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
    lines.push([message, fields['error']]);
  };
  return { lines, logger: { error: none, warn, info: none, debug: none } };
}

/** What is logged of a callback that went wrong so often; a hang is not noticed. */
export function loggedOf(way: string, name: string, times: number): unknown[] {
  return way === 'hangs'
    ? []
    : Array.from({ length: times }, () => [`${name} failed; its failure changes nothing`, expectStack]);
}

const expectStack = {
  asymmetricMatch: (error: unknown) => /"stack":"Error: broken\\n +at /.test(JSON.stringify(error)),
};
