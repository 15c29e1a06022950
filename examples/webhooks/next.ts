import { receiver } from './receiver.js';

/** `app/webhooks/route.ts` of Next.js, on its Node runtime. */
export const POST = (request: Request): Promise<Response> => receiver.fetch(request);
