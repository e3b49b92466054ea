import type { StudioState } from "@purse/server/studio-api";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { StudioApi } from "../../api.ts";
import { StudioContext } from "../../StudioContext.tsx";
import { RestConsole } from "./RestConsole.tsx";

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

const OPENAPI = {
  paths: {
    "/classes/{className}": {
      get: { summary: "Finds objects", parameters: [{ name: "limit", in: "query" }] },
    },
  },
};

/** Renders the console for an operator; returns what has been sent. */
async function open(role: "editor" | "readOnly", method: "GET" | "DELETE" = "GET"): Promise<unknown[]> {
  const sent: unknown[] = [];
  const state: StudioState = {
    state: "signedIn",
    csrf: "c",
    operator: { id: "ada", username: "ada", role, createdAt: "", hasSecondFactor: false, isDisabled: false },
  };
  vi.stubGlobal("fetch", async (url: string, options?: RequestInit) => {
    if (url.endsWith("/state")) return Response.json(state);
    if (url.endsWith("/openapi.json")) return Response.json(OPENAPI);
    if (url.endsWith("/schema")) return Response.json({ results: [{ className: "Note", fields: {} }] });
    if (url.endsWith("/functions")) return Response.json({ functions: [], defined: [], triggers: [] });
    if (url.includes("/data/_User")) {
      return Response.json({ results: [{ objectId: "bob0000001", username: "bob" }] });
    }
    sent.push(JSON.parse(String(options?.body)));
    return Response.json({
      status: 404,
      headers: { "x-request-id": "r1" },
      body: '{"code":101}',
      ms: 12,
      bytes: 12,
      requestId: "r1",
    });
  });
  const studio = new StudioApi();
  await studio.loadSession();
  render(
    <StudioContext value={studio}>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <RestConsole draftName="rest" initial={{ method, path: "/classes/Note", body: "{}" }} />
      </QueryClientProvider>
    </StudioContext>,
  );
  if (method === "GET") await screen.findByText("Finds objects: limit");
  return sent;
}

it("RestConsole sends a request, shows status, time, size, headers and body, and keeps it in the history", async () => {
  const sent = await open("editor");
  fireEvent.change(screen.getByLabelText("Path"), { target: { value: "/classes/Note?limit=1" } });
  fireEvent.click(screen.getByRole("button", { name: "Send request" }));
  const response = await screen.findByRole("region", { name: "Response" });
  expect(sent).toEqual([{ method: "GET", path: "/classes/Note?limit=1" }]);
  expect(response.textContent).toContain("Status 404");
  expect(response.textContent).toContain("12 ms");
  expect(response.textContent).toContain("12 bytes");
  expect(response.textContent).toContain("x-request-id: r1");
  expect(response.textContent).toContain('"code": 101');
  fireEvent.change(screen.getByLabelText("Path"), { target: { value: "/other" } });
  fireEvent.click(screen.getByRole("button", { name: "Use again" }));
  expect(screen.getByLabelText("Path")).toHaveProperty("value", "/classes/Note?limit=1");
});

it("RestConsole lets read-only operators send only GET requests, and shows code without keys", async () => {
  await open("readOnly");
  expect(screen.getByRole("button", { name: "Send request" })).toHaveProperty("disabled", false);
  expect(document.body.textContent).toContain("X-Parse-Master-Key: $MASTER_KEY");
  cleanup();
  await open("readOnly", "DELETE");
  expect(screen.getByRole("button", { name: "Send request" })).toHaveProperty("disabled", true);
});

it("RestConsole sends nothing as a user until one is selected", async () => {
  const sent = await open("editor");
  fireEvent.click(screen.getByRole("combobox", { name: "Send as" }));
  fireEvent.keyDown(await screen.findByRole("option", { name: "User" }), { key: "Enter" });
  await screen.findByRole("combobox", { name: "User" });
  const send = screen.getByRole("button", { name: "Send request" });
  expect(send).toHaveProperty("disabled", true);
  fireEvent.submit(screen.getByRole("form", { name: "Request" }));
  expect(document.body.textContent).not.toContain("X-Parse-Master-Key");
  const user = screen.getByRole("combobox", { name: "User" });
  fireEvent.focus(user);
  fireEvent.click(await screen.findByRole("option", { name: /bob/ }));
  expect(send).toHaveProperty("disabled", false);
  fireEvent.click(send);
  await screen.findByRole("region", { name: "Response" });
  expect(sent).toEqual([{ method: "GET", path: "/classes/Note", as: "bob0000001" }]);
  fireEvent.change(user, { target: { value: "" } });
  fireEvent.blur(user);
  expect(send).toHaveProperty("disabled", true);
});

it("RestConsole contains what was entered and not sent when it is opened again", async () => {
  await open("editor");
  fireEvent.change(screen.getByLabelText("Path"), { target: { value: "/classes/Note?order=-createdAt" } });
  cleanup();
  await open("editor");
  expect(screen.getByLabelText("Path")).toHaveProperty("value", "/classes/Note?order=-createdAt");
});
