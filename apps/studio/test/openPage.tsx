import type { StudioRole, StudioState } from "@purse/server/studio-api";
import { ToastProvider } from "@purse/ui";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import { StudioApi } from "../src/api.ts";
import { StudioContext } from "../src/StudioContext.tsx";

/** Response bodies by method and path, such as `GET /roles`, or functions of the query parameters that return them. */
export type Responses = Record<string, object | ((query: URLSearchParams) => object)>;

export interface OpenedPage {
  /** The requests that it has sent, except for reads. */
  sent: { request: string; body: unknown }[];
  /** The query parameters of its URL. */
  search: () => Record<string, unknown>;
}

/** Renders a page of the studio for an operator with a role; what has no response is answered with 404. */
export async function openPage(
  page: () => ReactNode,
  responses: Responses,
  { role = "editor", path = "/" }: { role?: StudioRole; path?: string } = {},
): Promise<OpenedPage> {
  const sent: OpenedPage["sent"] = [];
  const state: StudioState = {
    state: "signedIn",
    csrf: "c",
    operator: { id: "ada", username: "ada", role, createdAt: "", hasSecondFactor: false, isDisabled: false },
  };
  vi.stubGlobal("fetch", async (url: string, { method = "GET", body }: RequestInit = {}) => {
    const { pathname, searchParams } = new URL(url, "http://studio.test");
    const request = `${method} ${pathname.replace("/studio/api", "")}`;
    if (request === "GET /state") return Response.json(state);
    if (method !== "GET") sent.push({ request, body: JSON.parse(String(body)) });
    const response = responses[request];
    if (response === undefined) return Response.json({ code: 101, error: `No ${request}` }, { status: 404 });
    return Response.json(typeof response === "function" ? response(searchParams) : response);
  });
  const studio = new StudioApi();
  await studio.loadSession();
  const router = createRouter({
    routeTree: createRootRoute({ component: page }),
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  render(
    <StudioContext value={studio}>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </QueryClientProvider>
    </StudioContext>,
  );
  return { sent, search: () => ({ ...router.state.location.search }) };
}
