import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { ServerState } from "./ServerState.tsx";
import type { ChainState } from "./useServerStatus.ts";

const state = vi.hoisted(() => ({ chains: [] as unknown[] }));
vi.mock("./useServerStatus.ts", () => ({
  useServerStatus: () => ({ state: "online", chains: state.chains, updatedAt: 0, refetch: () => undefined }),
}));
vi.mock("../../SettingsContext.tsx", () => ({ useSettings: () => ({ chains: [] }) }));
afterEach(cleanup);

function open(more: Partial<ChainState>) {
  const syncing: ChainState = {
    chain: 1,
    name: "eth",
    state: "syncing",
    start: 0,
    head: 20_000_000,
    safe: null,
    finalized: null,
    indexed: 1_250_000,
    lag: 18_750_000,
    percent: 6,
    etaSeconds: null,
  };
  state.chains = [{ ...syncing, ...more }];
  render(<ServerState />);
}

it.each([
  [42, "about 42 seconds left"],
  [300, "about 5 minutes left"],
  [259_200, "about 3 days left"],
])("ServerState estimates the end of a synchronization that takes %d seconds as '%s'", (etaSeconds, text) => {
  open({ etaSeconds });
  expect(screen.getByText(/^Block 1,250,000 of 20,000,000/).textContent).toContain(`· ${text}`);
});

it.each([
  ["it is unknown", { etaSeconds: null }],
  ["nothing is left", { etaSeconds: 0 }],
  ["the chain is synced", { etaSeconds: 60, state: "following" as const }],
])("ServerState shows no remaining time if %s", (_, more) => {
  open(more);
  expect(screen.getByText(/^Block 1,250,000 of 20,000,000/).textContent).not.toContain("left");
});
