import type { StudioState } from "@purse/server/studio-api";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { StudioApi } from "../../../api.ts";
import { StudioContext } from "../../../StudioContext.tsx";
import { ScriptConsole } from "./ScriptConsole.tsx";
import type { SandboxOptions } from "./sandbox.ts";

/** What the console has done with its sandboxes, and the options of the last one. */
const sandbox = vi.hoisted(() => {
  const options: SandboxOptions[] = [];
  const done: string[] = [];
  return { options, done };
});

vi.mock("./sandbox.ts", () => ({
  openSandbox: async (_: HTMLElement, options: SandboxOptions) => {
    sandbox.options.push(options);
    return { run: (code: string) => sandbox.done.push(code), close: () => sandbox.done.push("closed") };
  },
}));

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  sandbox.options.length = 0;
  sandbox.done.length = 0;
  vi.unstubAllGlobals();
});

async function open(): Promise<void> {
  const state: StudioState = {
    state: "signedIn",
    csrf: "c",
    operator: {
      ...{ id: "ada", username: "ada", role: "editor", createdAt: "" },
      ...{ hasSecondFactor: false, isDisabled: false },
    },
  };
  vi.stubGlobal("fetch", async (url: string) =>
    Response.json(url.endsWith("/state") ? state : { results: [] }),
  );
  const studio = new StudioApi();
  await studio.loadSession();
  render(
    <StudioContext value={studio}>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <ScriptConsole />
      </QueryClientProvider>
    </StudioContext>,
  );
  fireEvent.change(screen.getByRole("textbox", { name: "Script" }), { target: { value: "setInterval(f)" } });
}

const runButton = () => screen.getByRole("button", { name: "Run script" });

it("ScriptConsole stops what a finished script has left running, and then focuses the button that runs it", async () => {
  await open();
  expect(screen.queryByRole("button", { name: "Stop script" })).toBeNull();
  fireEvent.click(runButton());
  await expect.poll(() => sandbox.done).toEqual(["setInterval(f)"]);
  act(() => sandbox.options.at(-1)?.onDone(3));
  expect(runButton()).toHaveProperty("disabled", false);
  fireEvent.click(screen.getByRole("button", { name: "Stop script" }));
  expect(document.activeElement).toBe(runButton());
  expect(screen.queryByRole("button", { name: "Stop script" })).toBeNull();
  await expect.poll(() => sandbox.done).toEqual(["setInterval(f)", "closed"]);
});

it("ScriptConsole runs nothing as a user until one is selected", async () => {
  await open();
  fireEvent.click(screen.getByRole("combobox", { name: "Send as" }));
  fireEvent.keyDown(await screen.findByRole("option", { name: "User" }), { key: "Enter" });
  await screen.findByRole("combobox", { name: "User" });
  expect(runButton()).toHaveProperty("disabled", true);
  fireEvent.keyDown(screen.getByRole("textbox", { name: "Script" }), { key: "Enter", ctrlKey: true });
  expect(screen.queryByRole("button", { name: "Stop script" })).toBeNull();
  expect(sandbox.options).toEqual([]);
});
