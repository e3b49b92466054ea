import type { StudioHookCall } from "@purse/server/studio-api";
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { openPage, type Responses } from "../../../test/openPage.tsx";
import { Hooks } from "./Hooks.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const URL_OF_HOOK = "http://127.0.0.1:9/x";
const CALL: StudioHookCall = {
  id: "c1",
  at: "2026-01-02T03:04:05.000Z",
  hook: "far",
  url: URL_OF_HOOK,
  request: '{"functionName":"far"}',
  ms: 1.5,
  error: "connect ECONNREFUSED 127.0.0.1:9",
  isReplay: false,
  isTest: true,
};
const SETTINGS = {
  isSigned: true,
  timeoutMs: 15_000,
  allowsPrivate: true,
  deliveries: { attempts: 45, timeoutMs: 10_000, firstDelayMs: 500, maxDelayMs: 3_600_000 },
};
const RESPONSES: Responses = {
  "GET /hooks": { functions: [{ functionName: "far", url: URL_OF_HOOK }], triggers: [] },
  "GET /hooks/settings": SETTINGS,
  "GET /hook-calls": { results: [CALL] },
  "GET /deliveries": { results: [] },
  "POST /hooks/test": CALL,
  "POST /hooks/key": { webhookKey: "the signing key" },
};

const open = (role: "owner" | "editor" = "editor", responses = RESPONSES, path = "/") =>
  openPage(Hooks, responses, { role, path });

async function openTest() {
  fireEvent.click(await screen.findByRole("button", { name: "Test far" }));
  return within(await screen.findByRole("dialog"));
}

it("Hooks sends a test event and explains why it could not be delivered", async () => {
  const { sent } = await open();
  const dialog = await openTest();
  fireEvent.click(await dialog.findByRole("button", { name: "Send test event" }));
  expect(
    await dialog.findByText("Connection refused: no server listens at this address and port."),
  ).toBeTruthy();
  expect(dialog.getByText("No response")).toBeTruthy();
  expect(dialog.getByText("1.5 ms")).toBeTruthy();
  expect(sent).toEqual([{ request: "POST /hooks/test", body: { functionName: "far", url: URL_OF_HOOK } }]);
});

it("Hooks tests a hook before it is added", async () => {
  const { sent } = await open();
  fireEvent.click(await screen.findByRole("button", { name: "Add hook" }));
  const dialog = within(await screen.findByRole("dialog"));
  const test = dialog.getByRole("button", { name: "Send test event" });
  expect(test.getAttribute("disabled")).not.toBeNull();
  fireEvent.change(dialog.getByLabelText("Function name"), { target: { value: "near" } });
  fireEvent.change(dialog.getByLabelText("URL"), { target: { value: "https://hooks.example/near" } });
  await expect.poll(() => test.getAttribute("disabled")).toBeNull();
  fireEvent.click(test);
  await dialog.findByText("Call failed");
  expect(sent).toEqual([
    { request: "POST /hooks/test", body: { functionName: "near", url: "https://hooks.example/near" } },
  ]);
});

it("Hooks shows owners the signing key if they ask for it, and editors not", async () => {
  await open("owner");
  const dialog = await openTest();
  expect(dialog.queryByText("the signing key")).toBeNull();
  fireEvent.click(await dialog.findByRole("button", { name: "Show signing key" }));
  expect(await dialog.findByText("the signing key")).toBeTruthy();
  cleanup();
  await open("editor");
  const show = await (await openTest()).findByRole("button", { name: "Show signing key" });
  expect(show.getAttribute("disabled")).not.toBeNull();
});

it("Hooks says that requests are not signed without a key", async () => {
  await open("owner", { ...RESPONSES, "GET /hooks/settings": { ...SETTINGS, isSigned: false } });
  const dialog = await openTest();
  expect(await dialog.findByText("Requests are not signed")).toBeTruthy();
});

it("Hooks says when calls and deliveries are repeated", async () => {
  await open();
  expect(
    await screen.findByText(
      "A call is not repeated: after 15 seconds without a response, the client gets an error.",
    ),
  ).toBeTruthy();
  cleanup();
  await open("editor", RESPONSES, "/?show=deliveries");
  expect(await screen.findByText(/is repeated, up to 44 times/)).toBeTruthy();
});
