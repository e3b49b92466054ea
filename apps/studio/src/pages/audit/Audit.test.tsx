import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { openPage } from "../../../test/openPage.tsx";
import { Audit } from "./Audit.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const at = "2026-01-02T03:04:05.000Z";
const entry = { at, username: "ada", outcome: "done", address: "127.0.0.1", requestId: "r" };
const ENTRIES = [
  {
    ...entry,
    id: "2",
    action: "PUT /config",
    target: "motto",
    before: '{"motto":"old"}',
    after: '{"motto":"new"}',
  },
  { ...entry, id: "1", action: "POST /operators", target: "edith" },
];
const RESPONSES = {
  "GET /operators": { results: [{ username: "ada" }, { username: "edith" }] },
  "GET /audit": (query: URLSearchParams) => ({
    results: ENTRIES.filter(
      ({ username, action }) =>
        [null, username].includes(query.get("username")) && [null, action].includes(query.get("action")),
    ),
  }),
};

it("Audit shows who did what with values before and after", async () => {
  await openPage(Audit, RESPONSES, { role: "owner" });
  fireEvent.click(await screen.findByLabelText("Show details: ada changed the config: motto"));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole("region", { name: "Before" }).textContent).toContain('"old"');
  expect(dialog.getByRole("region", { name: "After" }).textContent).toContain('"new"');
  expect(dialog.getByText("PUT /config").closest("details")?.open).toBe(false);
});

it("Audit filters by the actions that change something, and keeps the filter in the URL", async () => {
  const { search } = await openPage(Audit, RESPONSES, { role: "owner" });
  const [, action] = await screen.findAllByRole("combobox");
  if (!action) throw new Error("There is no filter by action.");
  await screen.findByText("edith");
  fireEvent.click(action);
  const option = await screen.findByRole("option", { name: "Someone changed the config: …" });
  expect(screen.getAllByRole("option").map(({ textContent }) => textContent)).toContain(
    "Someone imported rows into the class …",
  );
  fireEvent.keyDown(option, { key: "Enter" });
  await expect.poll(() => screen.queryByText("edith")).toBeNull();
  expect(search()).toEqual({ what: "PUT /config" });
});

it("Audit clears filters that no entry matches", async () => {
  const { search } = await openPage(Audit, RESPONSES, { role: "owner", path: "/?who=nobody" });
  await screen.findByText("No matching entries");
  fireEvent.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(await screen.findByText("edith")).toBeTruthy();
  expect(search()).toEqual({});
});

it("Audit is available to owners only", async () => {
  await openPage(Audit, RESPONSES, { role: "editor" });
  expect(await screen.findByText("Only owners can view the audit log")).toBeTruthy();
});
