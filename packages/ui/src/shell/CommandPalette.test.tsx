import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CommandPalette } from "./CommandPalette.tsx";
import { forgetPages, rememberPage } from "./openedPages.ts";

beforeEach(forgetPages);
afterEach(cleanup);

it("CommandPalette lists recent pages that are not commands, until a text is typed", async () => {
  for (const [href, title] of [
    ["/explorer", "Explorer"],
    ["/explorer/block/7", "Block 7"],
    ["/data?class=Note", "Data"],
  ] as const) {
    window.history.pushState(null, "", href);
    rememberPage(title);
  }
  const commands = [
    { key: "/explorer", label: "Explorer", group: "Pages", run: () => undefined },
    { key: "/data", label: "Data", group: "Pages", run: () => undefined },
  ];
  const router = createRouter({
    routeTree: createRootRoute({
      component: () => <CommandPalette onClose={() => undefined} commands={commands} />,
    }),
    history: createMemoryHistory(),
  });
  render(<RouterProvider router={router} />);
  const shown = () => screen.queryAllByRole("option").map((option) => option.textContent);
  await expect.poll(shown).toEqual(["Block 7", "Explorer", "Data"]);
  fireEvent.change(screen.getByRole("combobox"), { target: { value: "expl" } });
  expect(shown()).toEqual(["Explorer"]);
  fireEvent.change(screen.getByRole("combobox"), { target: { value: "" } });
  fireEvent.click(screen.getByRole("option", { name: "Block 7" }));
  await expect.poll(() => router.state.location.pathname).toBe("/explorer/block/7");
});
