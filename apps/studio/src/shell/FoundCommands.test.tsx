import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, cleanup, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { StudioApi } from "../api.ts";
import { StudioContext } from "../StudioContext.tsx";
import { FoundCommands, type FoundSearch, namesContaining } from "./FoundCommands.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("namesContaining() finds names by any part, those that begin with it first", () => {
  const names = ["Byproduct", "Order", "ProductLine", "Product"];
  expect(namesContaining(names, "prod")).toEqual(["Product", "ProductLine", "Byproduct"]);
  expect(namesContaining(names, "nothing")).toEqual([]);
});

const ANSWERS: Readonly<Record<string, unknown>> = {
  "/studio/api/schema": { results: [{ className: "Order" }, { className: "Note" }] },
  "/studio/api/functions": { functions: ["placeOrder"] },
  "/studio/api/jobs": { jobs: ["shipOrders"] },
  "/studio/api/roles": { roles: [{ id: "r1", name: "orderDesk" }], edges: [] },
  "/studio/api/config": { results: [{ name: "orderLimit" }] },
};

function Found() {
  const [found, setFound] = useState<FoundSearch>();
  return (
    <ul>
      <FoundCommands onFound={setFound} />
      {found?.fallback("order").map(({ key, group, label, run }) => (
        <li key={key}>
          <button type="button" onClick={run}>{`${group}: ${label}`}</button>
        </li>
      ))}
    </ul>
  );
}

it("FoundCommands finds classes, functions, jobs, roles, config parameters and users by a part of their name", async () => {
  vi.stubGlobal("fetch", async (url: string) =>
    Response.json(ANSWERS[new URL(url, "http://studio.test").pathname]),
  );
  const router = createRouter({
    routeTree: createRootRoute({ component: Found }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <StudioContext value={new StudioApi()}>
      <QueryClientProvider client={new QueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StudioContext>,
  );
  await expect
    .poll(() => screen.queryAllByRole("button").map((button) => button.textContent))
    .toEqual([
      "Classes: Order",
      "Classes: Fields of Order",
      "Classes: Permissions of Order",
      "Functions: placeOrder",
      "Jobs: shipOrders",
      "Roles: orderDesk",
      "Config: orderLimit",
      'Users: Search users for "order"',
    ]);
  await act(async () => screen.getByRole("button", { name: "Roles: orderDesk" }).click());
  expect(router.state.location.href).toBe("/roles?role=orderDesk");
});
