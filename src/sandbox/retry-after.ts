/** The `Retry-After` of a 429, in one of the forms it can have; none where it is left out. `now` is Unix milliseconds. */
export function retryAfter(
  form: 'seconds' | 'http-date' | 'absent',
  seconds: number,
  now: number,
): Readonly<Record<string, string>> {
  if (form === 'absent') return {};
  if (form === 'seconds') return { 'Retry-After': String(seconds) };
  // A date has whole seconds: the next one, so that whoever waits for it doesn't come too early.
  const at = Math.ceil((now + seconds * 1_000) / 1_000) * 1_000;
  return { 'Retry-After': new Date(at).toUTCString() };
}
