import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { openPage, type Responses } from "../../../test/openPage.tsx";
import { Config } from "./Config.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const welcome = (value: string) => ({ name: "welcome", value, type: "String", isMasterKeyOnly: true });
const masterKeyOnly = { welcome: true };

async function openConfig(results: object[], history: object[] = []) {
  const responses: Responses = {
    "GET /config": { results },
    "GET /config/history": { results: history },
    "PUT /config": { result: true },
    "POST /config/rollback/v1": { result: true },
  };
  return { ...(await openPage(Config, responses)), responses };
}

/** Presses a button that opens a dialog; returns its queries and a function that confirms it. */
async function openDialog(name: string) {
  fireEvent.click(await screen.findByRole("button", { name }));
  const dialog = within(await screen.findByRole("dialog"));
  const confirm = async (label: string) => {
    const button = dialog.getByRole("button", { name: label });
    await expect.poll(() => button.getAttribute("disabled")).toBeNull();
    fireEvent.click(button);
  };
  return { dialog, confirm };
}

it("Config adds a private parameter", async () => {
  const { sent, responses } = await openConfig([]);
  await screen.findByText("No parameters yet");
  const { dialog, confirm } = await openDialog("Add parameter");
  fireEvent.change(dialog.getByLabelText("Name"), { target: { value: "welcome" } });
  fireEvent.change(dialog.getByLabelText("Value"), { target: { value: "Hello" } });
  fireEvent.click(dialog.getByRole("checkbox"));
  responses["GET /config"] = { results: [welcome("Hello")] };
  await confirm("Add");
  expect(await screen.findByText("Master key only")).toBeTruthy();
  expect(sent).toEqual([{ request: "PUT /config", body: { params: { welcome: "Hello" }, masterKeyOnly } }]);
});

it("Config edits a private parameter, which stays private", async () => {
  const { sent, responses } = await openConfig([welcome("Hello")]);
  const { dialog, confirm } = await openDialog("Edit welcome");
  fireEvent.change(dialog.getByLabelText("Value"), { target: { value: "Good day" } });
  responses["GET /config"] = { results: [welcome("Good day")] };
  await confirm("Save");
  expect(await screen.findByText('"Good day"')).toBeTruthy();
  expect(sent).toEqual([
    { request: "PUT /config", body: { params: { welcome: "Good day" }, masterKeyOnly } },
  ]);
});

it("Config restores a version after showing what changes", async () => {
  const version = { id: "v1", replacedAt: "2026-01-02T03:04:05.000Z", username: "ada" };
  const { sent } = await openConfig(
    [welcome("Good day")],
    [{ ...version, params: { welcome: "Hello" }, masterKeyOnly }],
  );
  const { dialog, confirm } = await openDialog("Restore this version");
  expect(dialog.getByRole("listitem").textContent).toContain('"Hello" (master key only)');
  await confirm("Restore");
  await expect.poll(() => sent).toEqual([{ request: "POST /config/rollback/v1", body: {} }]);
});

it("Config shows what each change did, in the direction in which it was made", async () => {
  const version = { username: "ada", masterKeyOnly: {}, params: {} };
  const change = { names: ["welcome"], params: { welcome: "Hello" }, masterKeyOnly: {} };
  await openConfig(
    [welcome("Good day"), { name: "motto", value: "new", type: "String", isMasterKeyOnly: false }],
    [
      { ...version, id: "v2", replacedAt: "2026-01-03T03:04:05.000Z", params: { welcome: "Hello" } },
      { ...version, id: "v1", replacedAt: "2026-01-02T03:04:05.000Z", change },
    ],
  );
  const rows = within(await screen.findByRole("table", { name: "History" })).getAllByRole("listitem");
  expect(rows.map((row) => row.textContent)).toEqual([
    'motto: none → "new"',
    'welcome: "Hello" → "Good day" (master key only)',
    'welcome: none → "Hello"',
  ]);
});
