import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root, text } from "../../root.tsx";

export const filesRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/files",
    validateSearch: (search): { file?: string | undefined; find?: string | undefined } => ({
      file: text(search.file),
      find: text(search.find),
    }),
    component: lazyRouteComponent(() => import("./Files.tsx"), "Files"),
  }),
];
