import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { parseAbi } from "viem";
import { afterEach, expect, it, vi } from "vitest";
import { localChain } from "../../../test/explorerState.ts";
import { Functions } from "./Functions.tsx";

vi.mock("./Call.tsx", () => ({ Call: ({ item }: { item: { name: string } }) => <h2>{item.name}</h2> }));
afterEach(cleanup);

const ABI = parseAbi([
  "function symbol() view returns (string)",
  "function balanceOf(address account) view returns (uint256)",
  "function approve(address spender, uint256 amount) returns (bool)",
]);

async function open(path: string) {
  const root = createRootRoute();
  const contract = createRoute({
    getParentRoute: () => root,
    path: "/contract",
    component: () => (
      <Functions
        abi={ABI}
        chain={localChain()}
        address="0x1"
        request={expect.unreachable}
        onCalled={() => undefined}
      />
    ),
  });
  const history = createMemoryHistory({ initialEntries: [path] });
  render(<RouterProvider router={createRouter({ routeTree: root.addChildren([contract]), history })} />);
  return screen.findByRole("navigation", { name: "Functions" });
}

it("Functions lists functions that read or write on phones, and both while they are filtered", async () => {
  const list = await open("/contract");
  expect(list.getAttribute("data-shown")).toBe("read");
  fireEvent.click(screen.getByRole("button", { name: "Write (1)" }));
  expect(list.getAttribute("data-shown")).toBe("write");
  expect(screen.getByRole("button", { name: "Write (1)" }).getAttribute("aria-pressed")).toBe("true");
  expect(
    screen
      .getByRole("link", { name: /^approve/ })
      .closest("[data-kind]")
      ?.getAttribute("data-kind"),
  ).toBe("write");
  fireEvent.change(screen.getByLabelText("Filter functions"), { target: { value: "bal" } });
  expect(list.getAttribute("data-shown")).toBeNull();
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("title"))).toEqual([
    "balanceOf(address)",
  ]);
});

it("Functions begins with those that write if one of them is chosen", async () => {
  const list = await open(`/contract?fn=${encodeURIComponent("approve(address,uint256)")}`);
  expect(list.getAttribute("data-shown")).toBe("write");
});
