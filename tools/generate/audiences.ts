import type { Actor, Resource } from '../../src/api/operation.js';
import { isPartnerTyped, type Method, methodsOf } from './catalogue.js';
import { capitalise } from './names.js';

/** Who may call a method. */
export type Audience = 'both' | Actor;

export function audienceOf({ operation }: Method): Audience {
  const [only, other] = operation.actors ?? [];
  return only === undefined || other !== undefined ? 'both' : only;
}

/** One class of a resource: what both actors may call, or what only one of them may call. */
export interface ResourceClass {
  readonly name: string;
  readonly resource: Resource;
  readonly audience: Audience;
  readonly methods: readonly Method[];
  /** The class that it extends. */
  readonly base: string | undefined;
  /** Whether its bids depend on the kind of partner. */
  readonly partnerTyped: boolean;
}

/** The classes of a resource. Where it has but one, that has the plain name, whoever may call it. */
export function classesOf(resource: Resource): ResourceClass[] {
  const methods = methodsOf(resource);
  const audiences = (['both', 'partner', 'bank'] as const).filter((audience) =>
    methods.some((method) => audienceOf(method) === audience),
  );
  const plain = capitalise(resource.name);
  return audiences.map((audience) => {
    const own = methods.filter((method) => audienceOf(method) === audience);
    const alone = audience === 'both' || audiences.length === 1;
    return {
      name: alone ? plain : capitalise(audience) + plain,
      resource,
      audience,
      methods: own,
      base: !alone && audiences.includes('both') ? plain : undefined,
      partnerTyped: own.some(isPartnerTyped),
    };
  });
}

/** The class of a resource that an actor gets; undefined if it may call none of its operations. */
export function classFor(actor: Actor, resource: Resource): ResourceClass | undefined {
  const classes = classesOf(resource);
  return (
    classes.find(({ audience }) => audience === actor) ?? classes.find(({ audience }) => audience === 'both')
  );
}
