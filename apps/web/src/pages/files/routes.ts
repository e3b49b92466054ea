import { stringParam } from "@purse/ui";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const filesRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/files",
    validateSearch: (search): { file?: string | undefined; find?: string | undefined } => ({
      file: stringParam(search.file),
      find: stringParam(search.find),
    }),
    component: lazyRouteComponent(() => import("./Files.tsx"), "Files"),
  }),
];
