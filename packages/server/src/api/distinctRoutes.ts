import type { OpenedModule } from "@purse/kernel";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";

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

/** Routes that differ in the names of their parameters only are the same. */
function keyOf({ method, path }: Route): string {
  return `${method} ${path.replaceAll(/:\w+/g, ":")}`;
}
