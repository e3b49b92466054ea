import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { ConfirmDialog } from "../components/ConfirmDialog.tsx";
import { Field } from "../components/Field.tsx";
import { Main } from "../shell/Main.tsx";
import { useUnsaved } from "./unsaved.tsx";

afterEach(cleanup);

const QUESTION = { name: "Discard your changes?" };

function Form() {
  const [text, setText] = useState("");
  useUnsaved(text !== "");
  return <Field label="Name" value={text} onText={setText} />;
}

/** Opens a page with a form, and returns a function that navigates and the path that is shown. */
async function openForm() {
  const root = createRootRoute({
    component: () => (
      <Main>
        <Outlet />
      </Main>
    ),
  });
  const pages = [
    createRoute({ getParentRoute: () => root, path: "/form", component: Form }),
    createRoute({ getParentRoute: () => root, path: "/other", component: () => <p>Other</p> }),
  ];
  const router = createRouter({
    routeTree: root.addChildren(pages),
    history: createMemoryHistory({ initialEntries: ["/form"] }),
  });
  render(<RouterProvider router={router} />);
  await screen.findByLabelText("Name");
  return {
    go: (href: string) => act(async () => void router.navigate({ href })),
    path: () => router.state.location.pathname,
  };
}

const enter = (value: string) => fireEvent.change(screen.getByLabelText("Name"), { target: { value } });
const answer = (name: string) => act(async () => fireEvent.click(screen.getByRole("button", { name })));

it("a page asks before it is left with input that is not saved, and keeps the input", async () => {
  const { go, path } = await openForm();
  enter("Ada");
  await go("/other");
  await screen.findByRole("alertdialog", QUESTION);
  await answer("Keep editing");
  expect(path()).toBe("/form");
  expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Ada");
  await go("/other");
  await answer("Discard");
  await expect.poll(path).toBe("/other");
});

it("a page is left without a question if nothing is unsaved, or only its query string changes", async () => {
  const { go, path } = await openForm();
  enter("Ada");
  await go("/form?tab=1");
  expect(screen.queryByRole("alertdialog")).toBeNull();
  enter("");
  await go("/other");
  expect(path()).toBe("/other");
});

function openDialog(onClose: () => void) {
  render(
    <ConfirmDialog open onClose={onClose} title="New role" confirmLabel="Create" onConfirm={() => undefined}>
      <input aria-label="Search" type="search" />
      <input aria-label="Name" />
    </ConfirmDialog>,
  );
  const type = (label: string) => fireEvent.input(screen.getByLabelText(label), { target: { value: "x" } });
  const pressEscape = () => fireEvent.keyDown(screen.getByLabelText("Name"), { key: "Escape" });
  return { type, pressEscape };
}

it("a dialog asks before Escape closes it with input, also if it is in no page", async () => {
  const onClose = vi.fn();
  const { type, pressEscape } = openDialog(onClose);
  type("Name");
  pressEscape();
  await screen.findByRole("alertdialog", QUESTION);
  fireEvent.keyDown(screen.getByRole("alertdialog"), { key: "Escape" });
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(onClose).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("button", { name: "Close" }));
  await answer("Discard");
  expect(onClose).toHaveBeenCalledOnce();
});

it("a dialog closes without a question after Cancel, and if only a search was entered", async () => {
  const onClose = vi.fn();
  const { type, pressEscape } = openDialog(onClose);
  type("Search");
  pressEscape();
  await expect.poll(() => onClose.mock.calls.length).toBe(1);
  type("Name");
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(onClose).toHaveBeenCalledTimes(2);
  expect(screen.queryByRole("alertdialog")).toBeNull();
});
