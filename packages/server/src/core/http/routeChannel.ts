import { channel } from "node:diagnostics_channel";

/** A way into the server: a method, or `UPGRADE` for WebSockets, and a path pattern. */
export interface RegisteredRoute {
  method: string;
  path: string;
}

/** Is told the routes of each router when it is created, as Fastify tells its instances: tests compare them with a table. */
const registrations = channel("purse.routes");

/** Tells that routes below a path are registered. */
export function publishRoutes(mountPath: string, routes: readonly RegisteredRoute[]): void {
  if (!registrations.hasSubscribers) return;
  registrations.publish(routes.map(({ method, path }) => `${method} ${mountPath}${path}`));
}
