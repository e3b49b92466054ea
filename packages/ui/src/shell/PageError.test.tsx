import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { reachability } from "../query/reachability.ts";
import { handleChunkErrors } from "./chunkErrors.ts";
import { PageError } from "./PageError.tsx";

const reload = vi.fn();

beforeEach(() => {
  vi.spyOn(console, "error").mockReturnValue(undefined);
  vi.spyOn(window.location, "reload").mockImplementation(reload);
  reload.mockReset();
  sessionStorage.clear();
});
afterEach(() => {
  cleanup();
  act(() => reachability.reportSuccess());
  vi.restoreAllMocks();
});

/** The error of a chunk that failed to load, as Vite passes it on. */
function chunkError(): Error {
  handleChunkErrors();
  const payload = new Error("Failed to fetch dynamically imported module: /assets/send.js");
  window.dispatchEvent(Object.assign(new Event("vite:preloadError"), { payload }));
  return payload;
}

/** Opens a page that fails, in a shell. */
async function openFailingPage(error: Error): Promise<void> {
  const root = createRootRoute({
    component: () => (
      <>
        <nav>Pages</nav>
        <Outlet />
      </>
    ),
    errorComponent: () => <p>No shell</p>,
  });
  const page = createRoute({
    getParentRoute: () => root,
    path: "/",
    component: () => {
      throw error;
    },
  });
  const router = createRouter({
    routeTree: root.addChildren([page]),
    history: createMemoryHistory(),
    defaultErrorComponent: PageError,
  });
  render(<RouterProvider router={router} />);
  await screen.findByRole("alert");
}

it("PageError keeps the shell around a page whose code failed to load, and reloads it once the server is reachable", async () => {
  await openFailingPage(chunkError());
  expect(screen.getByText("Pages")).toBeDefined();
  expect(screen.getByRole("alert").textContent).toContain("Part of the app failed to load");
  expect(reload).not.toHaveBeenCalled();
  act(() => reachability.reportSuccess());
  expect(reload).toHaveBeenCalledOnce();
});

it("PageError does not reload a page again whose code is missing although the server is reachable", async () => {
  for (let opened = 0; opened < 2; opened += 1) {
    await openFailingPage(chunkError());
    act(() => reachability.reportSuccess());
    cleanup();
  }
  expect(reload).toHaveBeenCalledOnce();
});

it("PageError does not reload a page that failed for another reason", async () => {
  await openFailingPage(new Error("No such block"));
  act(() => reachability.reportFailure());
  act(() => reachability.reportSuccess());
  expect(reload).not.toHaveBeenCalled();
});
