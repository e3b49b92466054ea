import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openPage, type Responses } from "../../../test/openPage.tsx";
import { SavedViews } from "./SavedViews.tsx";
import type { ViewContent } from "./savedViews.ts";

const opened: ViewContent[] = [];
const OWN = {
  id: "v1",
  name: "mine",
  username: "ada",
  isOwn: true,
  isShared: false,
  view: { filter: [], order: "n" },
};
const SHARED = {
  id: "v2",
  name: "open",
  username: "bob",
  isOwn: false,
  isShared: true,
  view: { filter: [] },
};

beforeEach(() => {
  opened.length = 0;
  localStorage.clear();
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function open(results: object[], role: "owner" | "editor" | "readOnly" = "editor") {
  const responses: Responses = {
    "GET /views/Note": { results },
    "PUT /views/Note": OWN,
    "DELETE /views/Note/v1": {},
    "DELETE /views/Note/v2": {},
  };
  const page = await openPage(
    () => (
      <SavedViews
        className="Note"
        current={{ filter: [], order: "-n" }}
        onOpen={(view) => opened.push(view)}
      />
    ),
    responses,
    { role },
  );
  fireEvent.click(await screen.findByRole("button", { name: "Saved views" }));
  return { ...page, responses };
}

async function openList() {
  fireEvent.click(await screen.findByRole("menuitem", { name: "Save or remove views…" }));
  return within(await screen.findByRole("dialog"));
}

it("SavedViews opens views of the server, also those of colleagues", async () => {
  await open([OWN, SHARED]);
  expect((await screen.findByRole("menuitem", { name: /open/ })).textContent).toContain("By bob");
  fireEvent.click(screen.getByRole("menuitem", { name: "mine" }));
  expect(opened).toEqual([{ filter: [], order: "n" }]);
});

it("SavedViews saves the current view for all operators", async () => {
  const { sent } = await open([]);
  const dialog = await openList();
  fireEvent.change(dialog.getByLabelText("Name"), { target: { value: " newest " } });
  fireEvent.click(dialog.getByRole("checkbox", { name: "Share with all operators" }));
  fireEvent.click(dialog.getByRole("button", { name: "Save current view" }));
  await expect
    .poll(() => sent)
    .toEqual([
      {
        request: "PUT /views/Note",
        body: { name: "newest", view: { filter: [], order: "-n" }, isShared: true },
      },
    ]);
});

it("SavedViews shares and removes one's own views; only owners remove those of others", async () => {
  const { sent } = await open([OWN, SHARED]);
  const dialog = await openList();
  fireEvent.click(await dialog.findByRole("button", { name: "Share mine" }));
  await expect.poll(() => sent.map(({ request }) => request)).toEqual(["PUT /views/Note"]);
  await expect
    .poll(() => dialog.getByRole("button", { name: "Share mine" }).getAttribute("disabled"))
    .toBeNull();
  fireEvent.click(dialog.getByRole("button", { name: "Remove mine" }));
  await expect.poll(() => sent.at(-1)?.request).toBe("DELETE /views/Note/v1");
  expect(dialog.queryByRole("button", { name: "Remove open" })).toBeNull();
  cleanup();
  await open([SHARED], "owner");
  expect(await (await openList()).findByRole("button", { name: "Remove open" })).toBeTruthy();
});

it("SavedViews hands the views of the browser over to the server, once", async () => {
  const stored = [
    { name: "mine", filter: [] },
    { name: "old", filter: [], order: "text" },
  ];
  localStorage.setItem("purse.studio.views.Note", JSON.stringify(stored));
  const { sent } = await open([OWN]);
  await expect
    .poll(() => sent)
    .toEqual([
      {
        request: "PUT /views/Note",
        body: { name: "old", view: { filter: [], order: "text" }, isShared: false },
      },
    ]);
  await expect.poll(() => localStorage.getItem("purse.studio.views.Note")).toBeNull();
});
