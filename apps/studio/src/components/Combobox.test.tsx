import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { type ReactNode, useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { StudioApi } from "../api.ts";
import { StudioContext } from "../StudioContext.tsx";
import { Combobox } from "./Combobox.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** A server that responds to each search when the test tells it to. */
function holdSearches() {
  const searches = new Map<string, (response: Response) => void>();
  vi.stubGlobal("fetch", (url: string) => {
    const where = new URL(url, "http://studio.test").searchParams.get("where");
    const { promise, resolve } = Promise.withResolvers<Response>();
    searches.set(where === null ? "" : JSON.parse(where).name, resolve);
    return promise;
  });
  return async (text: string, ...names: string[]) => {
    await expect.poll(() => searches.has(text)).toBe(true);
    const results = names.map((name) => ({ objectId: `id of ${name}`, name }));
    await act(async () => searches.get(text)?.(Response.json({ results })));
  };
}

function Picker() {
  const [value, setValue] = useState("");
  return (
    <>
      <Combobox
        label="Role"
        value={value}
        displayValue={value}
        onChange={setValue}
        className="_Role"
        buildQuery={(text) => (text === "" ? {} : { where: { name: text } })}
        toOption={({ objectId, name }) => ({ key: String(objectId), label: String(name) })}
      />
      <output>{value}</output>
    </>
  );
}

function open() {
  const answer = holdSearches();
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <StudioContext value={new StudioApi()}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </StudioContext>
  );
  render(<Picker />, { wrapper });
  const input = screen.getByRole("combobox", { name: "Role" });
  act(() => input.focus());
  const type = (value: string) => act(async () => fireEvent.change(input, { target: { value } }));
  const press = (key: string) => act(async () => fireEvent.keyDown(input, { key }));
  const chosen = () => screen.getByText((_text, element) => element?.tagName === "OUTPUT").textContent;
  return { answer, type, press, chosen };
}

describe("Combobox", () => {
  it("chooses the highlighted row on Enter", async () => {
    const { answer, press, chosen } = open();
    await answer("", "crew", "ship");
    await screen.findByRole("option", { name: "ship" });
    await press("ArrowDown");
    await press("Enter");
    expect(chosen()).toBe("id of ship");
  });

  it("waits for the results of the text if Enter is pressed before they arrive", async () => {
    const { answer, type, press, chosen } = open();
    await answer("", "crew", "ship");
    await type("ship");
    await press("Enter");
    expect(chosen()).toBe("");
    await answer("ship", "ship");
    await expect.poll(chosen).toBe("id of ship");
  });

  it("ignores an early Enter if the text changes afterwards", async () => {
    const { answer, type, press, chosen } = open();
    await answer("", "crew", "ship");
    await type("s");
    await press("Enter");
    await type("sh");
    await answer("s", "sea");
    await answer("sh", "ship");
    await screen.findByRole("option", { name: "ship" });
    expect(chosen()).toBe("");
  });
});
