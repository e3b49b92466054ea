import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { root } from "../../root.tsx";
import { parseSearch } from "./searchParams.ts";

export const dataRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/data",
    validateSearch: parseSearch,
    component: lazyRouteComponent(() => import("./Data.tsx"), "Data"),
  }),
  // The former path of the sample notes.
  createRoute({
    getParentRoute: () => root,
    path: "/notes",
    beforeLoad: () => {
      throw redirect({ to: "/data", search: { class: "Note" }, replace: true });
    },
  }),
];
