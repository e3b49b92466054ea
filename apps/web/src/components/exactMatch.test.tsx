import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { explorerState } from "../../test/explorerState.ts";
import { isCoinUnit } from "../money/coin.ts";
import { ExplorerContext } from "../pages/explorer/ExplorerContext.ts";
import { UnitSwitch } from "../pages/explorer/UnitSwitch.tsx";
import { AddressChips } from "../pages/portfolio/AddressChips.tsx";

const OWN = `0x${"a".repeat(40)}`;
const WATCHED = `0x${"b".repeat(40)}`;

vi.mock("../wallet/useOwnWallets.ts", () => ({ useOwnWallets: () => [OWN] }));
afterEach(() => {
  cleanup();
  localStorage.clear();
});

/** Shows links on the page `/portfolio`, which get its search. */
function show(path: string, renderLinks: (search: Record<string, unknown>) => ReactNode) {
  const root = createRootRoute();
  const page = createRoute({
    getParentRoute: () => root,
    path: "/portfolio",
    validateSearch: ({ address, unit }): { address?: unknown; unit?: unknown } => ({ address, unit }),
    component: () => renderLinks(page.useSearch()),
  });
  const history = createMemoryHistory({ initialEntries: [path] });
  render(<RouterProvider router={createRouter({ routeTree: root.addChildren([page]), history })} />);
  return history;
}

/** The texts of the links that are marked as the current one. */
const current = () =>
  screen
    .queryAllByRole("link")
    .filter((link) => link.getAttribute("aria-current") !== null)
    .map(({ textContent }) => textContent);

it("UnitSwitch always marks one unit: what suits each amount by default, otherwise that of the URL", async () => {
  const history = show("/portfolio", ({ unit }) => (
    <ExplorerContext value={explorerState()}>
      <UnitSwitch unit={isCoinUnit(unit) ? unit : undefined} />
    </ExplorerContext>
  ));
  await expect.poll(current).toEqual(["Auto"]);
  for (const unit of ["ETH", "Gwei", "wei", "Auto"]) {
    fireEvent.click(screen.getByRole("link", { name: unit }));
    await expect.poll(current).toEqual([unit]);
  }
  expect(history.location.search).toBe("");
});

it("AddressChips marks only the address that is shown", async () => {
  localStorage.setItem("purse/watched", JSON.stringify([WATCHED]));
  show(`/portfolio?address=${WATCHED}`, ({ address }) => (
    <AddressChips own={OWN} isConnected primary={OWN} shown={String(address ?? OWN)} chains={[]} />
  ));
  await expect.poll(current).toEqual([expect.stringMatching(/^Watched 0xbb/i)]);
  fireEvent.click(screen.getByRole("link", { name: /^Connected wallet/ }));
  await expect.poll(current).toEqual([expect.stringMatching(/^Connected wallet 0xaa/i)]);
});
