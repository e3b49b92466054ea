import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { explorerState, localChain } from "../../../test/explorerState.ts";
import { queryClient } from "../../query/useServerQuery.ts";
import { ExplorerContext } from "./ExplorerContext.ts";
import { TokenPool } from "./TokenPool.tsx";

const api = vi.hoisted(() => ({ getPairAddress: vi.fn(), getPairReserves: vi.fn() }));
vi.mock("./dataApi.ts", () => api);

afterEach(() => {
  cleanup();
  vi.resetAllMocks();
  queryClient.clear();
});

const [TOKEN, WETH] = [
  "0x00000000000000000000000000000000000000bb",
  "0x00000000000000000000000000000000000000aa",
];

function open() {
  const context = explorerState({ chain: localChain({ wrappedNative: WETH }) });
  const component = () => (
    <ExplorerContext value={context}>
      <TokenPool address={TOKEN} />
    </ExplorerContext>
  );
  const router = createRouter({ routeTree: createRootRoute({ component }), history: createMemoryHistory() });
  render(<RouterProvider router={router} />);
}

it("TokenPool shows the reserves of the pool with the wrapped coin, those of the token first", async () => {
  api.getPairAddress.mockResolvedValue({
    token0: { address: WETH, symbol: "WETH", decimals: "18" },
    token1: { address: TOKEN, symbol: "USDX", decimals: "6" },
    pairAddress: "0x1",
  });
  api.getPairReserves.mockResolvedValue({ reserve0: "2000000000000000000", reserve1: "4000000000" });
  open();
  const link = await screen.findByRole("link", { name: "USDX / WETH" });
  expect(link.getAttribute("href")).toBe(`/explorer/pair/${TOKEN}/${WETH}`);
  expect(link.parentElement?.textContent).toContain("4,000 USDX + 2 WETH");
});

it.each([
  [101, "–"],
  [141, "Pool could not be loaded"],
])("TokenPool tells a missing pool from one that could not be read: code %i", async (code, text) => {
  api.getPairAddress.mockRejectedValue(Object.assign(new Error("It failed."), { code }));
  open();
  expect(await screen.findByText(text, { exact: false }, { timeout: 15_000 })).toBeTruthy();
});
