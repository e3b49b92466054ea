import { type AddressInternalTransaction, ParseError } from "@purse/client";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { explorerState } from "../../../test/explorerState.ts";
import { queryClient } from "../../query/useServerQuery.ts";
import { ExplorerContext } from "./ExplorerContext.ts";
import { InternalTransactions } from "./InternalTransactions.tsx";

const list = vi.hoisted(() => vi.fn());
vi.mock("./dataApi.ts", () => ({ getWalletInternalTransactions: list }));
vi.mock("../../wallet/useAddressLabel.ts", () => ({ useAddressLabel: () => undefined }));

const OWNER = `0x${"a".repeat(40)}`;
const VAULT = `0x${"b".repeat(40)}`;
const EXPLORER = explorerState({ head: 5, start: 0 });

afterEach(() => {
  cleanup();
  queryClient.clear();
  list.mockReset();
});

function open() {
  const rootRoute = createRootRoute({
    component: () => (
      <ExplorerContext value={EXPLORER}>
        <InternalTransactions address={OWNER} />
      </ExplorerContext>
    ),
  });
  const history = createMemoryHistory({ initialEntries: ["/"] });
  render(<RouterProvider router={createRouter({ routeTree: rootRoute, history })} />);
}

function internal(row: Partial<AddressInternalTransaction>): AddressInternalTransaction {
  return {
    transaction_hash: `0x${"1".repeat(64)}`,
    transaction_index: "0",
    internal_index: 0,
    block_timestamp: "2026-01-01T00:00:00.000Z",
    block_number: "5",
    block_hash: `0x${"2".repeat(64)}`,
    type: "call",
    from_address: VAULT,
    to_address: OWNER,
    direction: "receive",
    value: "1500000000000000000",
    value_formatted: "1.5",
    ...row,
  };
}

const cellsOf = (row: HTMLElement) => [...row.querySelectorAll("td")].map((cell) => cell.textContent);

it("InternalTransactions lists the coins that contracts sent and the contracts that they created", async () => {
  const created = internal({ type: "create", from_address: OWNER, to_address: VAULT, value: "0" });
  list.mockResolvedValue({ total: 2, page: 0, page_size: 25, cursor: "", result: [internal({}), created] });
  open();
  await screen.findByText("2 total");
  const table = screen.getByRole("table", { name: "Internal transactions" });
  const [received = [], creation = []] = [...table.querySelectorAll("tbody tr")].map((row) =>
    row instanceof HTMLElement ? cellsOf(row) : [],
  );
  expect(received).toEqual(expect.arrayContaining(["Transfer", "In", "1.5 ETH"]));
  expect(creation).toEqual(expect.arrayContaining(["Contract creation", "Out", "0 ETH"]));
  expect(list.mock.calls[0]?.[0]).toEqual({ address: OWNER, chain: "0x539", limit: 25 });
});

it("InternalTransactions says that the chain is not traced, without a row count and an export", async () => {
  list.mockRejectedValue(new ParseError(ParseError.COMMAND_UNAVAILABLE, "not indexed"));
  open();
  await screen.findByText("Internal transactions unavailable");
  expect(screen.getByText(/An operator can enable traces in the chain's settings/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Export CSV" })).toBeNull();
  expect(screen.queryByText("–")).toBeNull();
});
