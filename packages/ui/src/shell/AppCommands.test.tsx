import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import { AppCommands } from "./AppCommands.tsx";

afterEach(cleanup);

const NO_COMMANDS: [] = [];

function App() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button">Before</button>
      <AppCommands open={open} onOpenChange={setOpen} pages={NO_COMMANDS} commands={NO_COMMANDS} />
    </>
  );
}

async function renderApp(): Promise<HTMLElement> {
  const router = createRouter({
    routeTree: createRootRoute({ component: App }),
    history: createMemoryHistory(),
  });
  render(<RouterProvider router={router} />);
  const before = await screen.findByRole("button", { name: "Before" });
  before.focus();
  return before;
}

it("AppCommands has its input focused when Ctrl+K has been handled, so that no key after it is lost", async () => {
  const before = await renderApp();
  fireEvent.keyDown(before, { key: "k", ctrlKey: true });
  expect(document.activeElement?.getAttribute("role")).toBe("combobox");
});

it("AppCommands closes the palette on Escape, on a click beside it and on a request of the browser", async () => {
  const before = await renderApp();
  const palette = () => screen.getByRole("dialog", { name: "Commands" });
  for (const close of [
    () => fireEvent.keyDown(screen.getByRole("combobox"), { key: "Escape" }),
    () => fireEvent.click(palette()),
    () => fireEvent(palette(), new Event("cancel", { cancelable: true })),
  ]) {
    fireEvent.keyDown(before, { key: "k", ctrlKey: true });
    close();
    expect(screen.queryByRole("dialog")).toBeNull();
  }
});
