import { type Erc20Metadata, Web3API } from "@purse/client";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { explorerState } from "../../../test/explorerState.ts";
import { queryClient } from "../../query/useServerQuery.ts";
import { ExplorerContext } from "./ExplorerContext.ts";
import { SearchInput } from "./SearchInput.tsx";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  queryClient.clear();
});

const token = (address: string, name: string, symbol: string, standard?: string): Erc20Metadata => ({
  address,
  name,
  symbol,
  decimals: standard ? null : "18",
  ...(standard && { contract_type: standard }),
});

/** Renders the input; returns the router and the submitted texts. */
async function open() {
  vi.spyOn(Web3API.token, "searchTokens").mockResolvedValue([
    token("0xaaa1", "Purse Token", "PURSE"),
    token("0xaaa2", "Purse Pieces", "PIECE", "ERC721"),
  ]);
  const submitted: string[] = [];
  function Page() {
    const [text, setText] = useState("");
    const context = explorerState({ contacts: new Map([["0xbbb1", "Pur Chaser"]]) });
    return (
      <ExplorerContext value={context}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            submitted.push(text);
          }}
        >
          <SearchInput label="Find" placeholder="" value={text} onChange={setText} problemId={undefined}>
            <button type="submit">Search</button>
          </SearchInput>
        </form>
      </ExplorerContext>
    );
  }
  const router = createRouter({
    routeTree: createRootRoute({ component: Page }),
    history: createMemoryHistory(),
  });
  render(<RouterProvider router={router} />);
  const input = await screen.findByRole("combobox", { name: "Find" });
  return { input, router, submitted };
}

it("SearchInput suggests contacts, tokens and collections by their names", async () => {
  const { input, router } = await open();
  fireEvent.change(input, { target: { value: "pur" } });
  await expect
    .poll(() => screen.queryAllByRole("option").map((option) => option.textContent))
    .toEqual([
      "Pur Chaser0xbbb1Contact",
      "Purse Token (PURSE)0xaaa1Token",
      "Purse Pieces (PIECE)0xaaa2Collection",
    ]);
  fireEvent.keyDown(input, { key: "ArrowUp" });
  expect(screen.getByRole("option", { selected: true }).textContent).toContain("Purse Pieces");
  fireEvent.keyDown(input, { key: "Enter" });
  await expect.poll(() => router.state.location.pathname).toBe("/explorer/nft/0xaaa2");
});

it("SearchInput suggests the page of a number, and leaves Enter to the form until one is chosen", async () => {
  const { input, router, submitted } = await open();
  fireEvent.change(input, { target: { value: "59" } });
  expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual(["Block 59Go to"]);
  fireEvent.keyDown(input, { key: "Enter" });
  expect(screen.queryByRole("option")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Search" }));
  expect(submitted).toEqual(["59"]);
  fireEvent.keyDown(input, { key: "ArrowDown" });
  fireEvent.click(screen.getByRole("option"));
  await expect.poll(() => router.state.location.pathname).toBe("/explorer/block/59");
  fireEvent.change(input, { target: { value: "60" } });
  fireEvent.keyDown(input, { key: "Escape" });
  expect(screen.queryByRole("option")).toBeNull();
});
