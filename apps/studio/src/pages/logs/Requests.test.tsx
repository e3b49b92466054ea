import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { StudioApi } from "../../api.ts";
import { StudioContext } from "../../StudioContext.tsx";
import { Requests } from "./Requests.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Renders the requests of a server at a URL. */
function open(path: string, resultsOf: (kind: string | null) => unknown[]) {
  vi.stubGlobal("fetch", async (url: string) => {
    const { searchParams } = new URL(url, "http://studio.test");
    return Response.json({ results: resultsOf(searchParams.get("kind")) });
  });
  const router = createRouter({
    routeTree: createRootRoute({ component: Requests }),
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  render(
    <StudioContext value={new StudioApi()}>
      <QueryClientProvider client={new QueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StudioContext>,
  );
}

it("Requests says that none match a filter, not that there are none, and clears it", async () => {
  const at = new Date().toISOString();
  const sent = { at, method: "GET", path: "/server/schemas", status: 200, ms: 1, requestId: "r2" };
  open("/logs?kind=failed", (kind) => (kind === "failed" ? [] : [sent]));
  expect(await screen.findByText("No matching entries")).toBeTruthy();
  expect(screen.queryByText("No requests yet")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(await screen.findByText("GET /server/schemas")).toBeTruthy();
});

it("Requests shows who sent a request, the code of its error, and links to the user and to its log", async () => {
  const at = new Date().toISOString();
  const results = [
    {
      at,
      method: "POST",
      path: "/server/classes/Note",
      status: 400,
      ms: 3,
      requestId: "r1",
      code: 119,
      userId: "u1",
    },
    { at, method: "GET", path: "/server/schemas", status: 200, ms: 1, requestId: "r2", isMaster: true },
  ];
  open("/logs", () => results);
  expect(await screen.findByText("400, code 119")).toBeTruthy();
  expect(screen.getByText("200")).toBeTruthy();
  expect(screen.getByText("Master key")).toBeTruthy();
  const hrefOf = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
  expect(hrefOf("u1")).toBe("/data?class=_User&row=u1");
  expect(hrefOf("Log entries of r1")).toBe("/logs?request=r1");
});
