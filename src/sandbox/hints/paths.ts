import type { Case, Hypothesis } from './hypothesis.js';

/** Mistakes in the first two lines: the method and the path. */
export function* ofMethodAndPath({ request, parts }: Case): Generator<Hypothesis> {
  const { path, query } = parts;
  if (request.prefix !== '') {
    yield {
      hint: 'the front-controller prefix was signed: sign the path from /api/v1 on',
      change: { path: request.prefix + path },
    };
  }
  yield {
    hint: 'the path was signed without /api/v1: sign the whole path, /api/v1 included',
    change: { path: path.replace('/api/v1', '') },
  };
  for (const scheme of ['http://', 'https://', '']) {
    for (const prefix of new Set(['', request.prefix])) {
      const url = `${scheme}${request.host ?? ''}${prefix}${path}`;
      const hint = 'the host was signed with the path: sign the path alone, from /api/v1 on';
      yield { hint, change: { path: url } };
      yield { hint, change: { path: query === '' ? url : `${url}?${query}` } };
      yield { hint, change: { path: query === '' ? url : `${url}?${query}`, query: '' } };
    }
  }
  if (query !== '') {
    const hint = 'the query was signed as part of the path: the path is the second line, the query the third';
    yield { hint, change: { path: `${path}?${query}`, query: '' } };
    yield { hint, change: { path: `${path}?${query}` } };
  }
  yield {
    hint: 'the path was signed with a slash at its end: sign it exactly as it is sent',
    change: { path: `${path}/` },
  };
  yield {
    hint: 'the path was signed decoded: sign it as it is sent, percent escapes included',
    change: { path: decoded(path) },
  };
  yield {
    hint: 'the path was signed percent-encoded once more: sign it exactly as it is sent',
    change: { path: path.replaceAll('%', '%25') },
  };
  for (const method of new Set([request.wireMethod, 'GET', 'POST', 'PATCH', 'PUT'])) {
    yield {
      hint: `wrong effective method: ${method} was signed instead of ${parts.method}`,
      change: { method },
    };
  }
  yield {
    hint: 'the method was signed in lower case: sign it in upper case',
    change: { method: parts.method.toLowerCase() },
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
