import type { OpenedModule } from "@purse/kernel";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import { MOUNT_PATH } from "../core/http/paths.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import type { ModuleSockets } from "../module/moduleContributions.ts";

type Route = ApiRoute<WriteRequest>;

/** The routes of modules. Throws Error that names the module of one that the server or another module has already. */
export function distinctRoutes(modules: readonly OpenedModule[], ofServer: readonly Route[]): Route[] {
  const owners = new Map(ofServer.map((route) => [keyOf(route), "the server"]));
  return modules.flatMap(({ name, contributions }) =>
    (contributions.routes ?? []).map((route) => {
      const key = keyOf(route);
      const owner = owners.get(key);
      if (owner !== undefined)
        throw new Error(`The module "${name}": ${owner} has the route ${route.method} ${route.path} already`);
      owners.set(key, `the module "${name}"`);
      return { heading: name, ...route };
    }),
  );
}

/** The paths of live queries: clients with a separate live query URL connect to the root path. */
export const LIVE_QUERY_PATHS = ["", MOUNT_PATH] as const;

/** The WebSockets of modules. Throws Error that names the module of a path that is invalid or not free. */
export function distinctSockets(modules: readonly OpenedModule[]): ModuleSockets[] {
  const owners = new Map<string, string>(LIVE_QUERY_PATHS.map((path) => [path, "the server"]));
  return modules.flatMap(({ name, contributions }) =>
    (contributions.sockets ?? []).map((sockets) => {
      const { path } = sockets;
      const owner = owners.get(path);
      if (owner !== undefined)
        throw new Error(`The module "${name}": ${owner} has WebSockets at ${path} already`);
      if (!/^\/.*[^/]$/.test(path))
        throw new Error(
          `The module "${name}": the path ${path} of WebSockets must begin and not end with a slash`,
        );
      owners.set(path, `the module "${name}"`);
      return sockets;
    }),
  );
}

/** Routes that differ in the names of their parameters only are the same. */
function keyOf({ method, path }: Route): string {
  return `${method} ${path.replaceAll(/:\w+/g, ":")}`;
}
