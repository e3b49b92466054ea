import { ToastProvider } from "@purse/ui";
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, expect, it } from "vitest";
import { StudioApi } from "../api.ts";
import { StudioContext } from "../StudioContext.tsx";
import { ConfirmButton } from "./DialogButton.tsx";

afterEach(cleanup);

function open(page: ReactElement): void {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <StudioContext value={new StudioApi()}>
      <QueryClientProvider client={queries}>
        <ToastProvider>{page}</ToastProvider>
      </QueryClientProvider>
    </StudioContext>,
  );
}

/** Clicks a button once it is shown. */
async function click(name: string): Promise<void> {
  const button = await screen.findByRole("button", { name });
  await act(async () => fireEvent.click(button));
}

const CONFIRM = { title: "Remove the row?", confirmLabel: "Remove it" };

it("ConfirmButton runs onDone also if the button is gone before all queries are refetched", async () => {
  const { promise: refetched, resolve: finishRefetch } = Promise.withResolvers<string>();
  const done: string[] = [];
  let isRemoved = false;
  function Page() {
    const row = useQuery({ queryKey: ["row"], queryFn: async () => ({ isRemoved }) });
    useQuery({ queryKey: ["slow"], queryFn: () => (isRemoved ? refetched : "first") });
    if (!row.data) return null;
    if (row.data.isRemoved) return <p>No rows</p>;
    return (
      <ConfirmButton
        label="Remove"
        confirm={CONFIRM}
        run={async () => {
          isRemoved = true;
        }}
        onDone={() => done.push("removed")}
      />
    );
  }
  open(<Page />);
  await click("Remove");
  await click("Remove it");
  await screen.findByText("No rows");
  await act(async () => finishRefetch("second"));
  expect(done).toEqual(["removed"]);
});

it("ConfirmButton shows the error of an action that failed while its dialog was closed, once", async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  open(<ConfirmButton label="Remove" confirm={CONFIRM} run={() => promise} />);
  await click("Remove");
  await click("Remove it");
  await click("Cancel");
  await click("Remove");
  expect(screen.getByRole("button", { name: "Remove it" }).hasAttribute("disabled")).toBe(true);
  await click("Cancel");
  await act(async () => reject(new Error("The row is locked.")));
  await click("Remove");
  expect(screen.getByRole("alert").textContent).toContain("The row is locked.");
  await click("Cancel");
  await click("Remove");
  expect(screen.queryByRole("alert")).toBeNull();
});
