import type { WireRequest } from '../wire.js';
import { Commands, saleSteps } from './commands.js';
import { Declined } from './declined.js';
import type { Inspected } from './inspected.js';
import { Views } from './views.js';

/** Answers one call of the control interface with what becomes its JSON; throws `Declined`. */
export function control(request: WireRequest, path: string, inspected: Inspected): unknown {
  // What is due by now has happened before it is looked at.
  inspected.world.clock.advance(0);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const query = new URLSearchParams(request.target.slice(path.length));
  const call = { views: new Views(inspected), commands: new Commands(inspected), request, query };
  const matching = routes.flatMap((route) => {
    const found = route.path.exec(path);
    return found === null ? [] : [{ ...route, parameter: found[1] ?? '' }];
  });
  if (matching.length === 0) throw new Declined(404, `The control interface has no ${shown(path)}.`);
  const route = matching.find((each) => each.method === method);
  if (route === undefined) {
    throw new Declined(405, `${shown(path)} takes ${matching.map((each) => each.method).join(', ')}.`);
  }
  return route.answer(call, decoded(route.parameter));
}

interface ControlCall {
  readonly views: Views;
  readonly commands: Commands;
  readonly request: WireRequest;
  readonly query: URLSearchParams;
}

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: RegExp;
  readonly answer: (call: ControlCall, parameter: string) => unknown;
}

const routes: readonly Route[] = [
  route('GET', '/state', ({ views }) => views.state()),
  route('GET', '/auctions', ({ views }) => ({ auctions: views.auctions() })),
  route('GET', '/auctions/:', ({ views, query }, id) => views.auction(id, query)),
  route('GET', '/attempts', ({ views, query }) => views.attempts(query)),
  route('GET', '/attempts/:', ({ views }, n) => views.attempt(n)),
  route('GET', '/ledger', ({ views, query }) => views.ledger(query)),
  route('GET', '/faults', ({ views }) => ({ faults: views.faults() })),
  route('GET', '/partners/:', ({ views }, clientId) => views.partner(clientId)),
  route('GET', '/deliveries', ({ views }) => ({ deliveries: views.deliveries() })),
  route('POST', '/clock', ({ commands, request }) => commands.moveClock(request)),
  route('POST', '/auctions/:/close', ({ commands, request }, id) => commands.close(id, request)),
  route('POST', '/auctions/:/move-close', ({ commands, request }, id) => commands.moveClose(id, request)),
  route('POST', '/lots/:/rival-bid', ({ commands, request }, id) => commands.rivalBid(id, request)),
  ...saleSteps.map((step) =>
    route('POST', `/sales/:/${step}`, ({ commands, request }, id) => commands.bringOn(step, id, request)),
  ),
  route('POST', '/faults', ({ commands, request }) => commands.inject(request)),
  route('DELETE', '/faults/:', ({ commands }, n) => commands.withdraw(n)),
  route('POST', '/partners/:', ({ commands, request }, clientId) => commands.update(clientId, request)),
  route('POST', '/scanner', ({ commands, request }) => commands.scanner(request)),
];

function route(method: Route['method'], path: string, answer: Route['answer']): Route {
  return { method, path: new RegExp(`^/_sandbox${path.replace(':', '([^/]+)')}$`), answer };
}

function decoded(parameter: string): string {
  try {
    return decodeURIComponent(parameter);
  } catch {
    throw new Declined(400, 'The path is not percent-encoded UTF-8.');
  }
}

function shown(path: string): string {
  return path.length > 80 ? `${path.slice(0, 80)}…` : path;
}
