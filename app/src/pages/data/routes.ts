import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { root, text } from "../../root.tsx";

/** What is shown of the data, all in the URL. */
export interface DataSearch {
  class?: string | undefined;
  /** See filter.ts. */
  where?: string | undefined;
  /** A field; with `-` in front the last come first. */
  sort?: string | undefined;
  /** `own` shows only what one may change, `shared` what others have given one by name or role. */
  whose?: "own" | "shared" | undefined;
  /** The id of the record that is open, or `new`. */
  record?: string | undefined;
}

export const dataRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/data",
    validateSearch: (search): DataSearch => ({
      class: text(search.class),
      where: text(search.where),
      sort: text(search.sort),
      whose: search.whose === "own" || search.whose === "shared" ? search.whose : undefined,
      record: text(search.record),
    }),
    component: lazyRouteComponent(() => import("./Data.tsx"), "Data"),
  }),
  // Where the sample's notes were before they became records as any other.
  createRoute({
    getParentRoute: () => root,
    path: "/notes",
    beforeLoad: () => {
      throw redirect({ to: "/data", search: { class: "Note" }, replace: true });
    },
  }),
];
