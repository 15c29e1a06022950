import type { Attempt } from './attempt.js';

/**
 * What the log says of a request that is done with: a line, and more where its signature was refused. None of the
 * lines has control characters, whatever was sent.
 */
export function logLines(attempt: Attempt): readonly string[] {
  const { n, at, method, path, call, operation, status, code, clientId, fault } = attempt;
  const told = [
    `#${n}`,
    new Date(at).toISOString(),
    method,
    path,
    call ?? operation ?? '(no route)',
    String(status),
    code,
    clientId ?? '(no client)',
    fault === null ? null : `fault: ${fault}`,
  ];
  const line = told.filter((each) => each !== null).join(' ');
  return [line, ...explanation(attempt)].map(printable);
}

function explanation({ signature, canonical, hint }: Attempt): readonly string[] {
  const told = hint ?? (signature === 'invalid' ? noHint : null);
  return [
    ...(told === null ? [] : [`    hint: ${told}`]),
    ...(canonical === null
      ? []
      : ['    canonical request:', ...canonical.split('\n').map((each) => `    | ${each}`)]),
  ];
}

const noHint =
  'no usual mistake explains this signature: compare the canonical request, line by line, and the secret';

function printable(line: string): string {
  return line.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
