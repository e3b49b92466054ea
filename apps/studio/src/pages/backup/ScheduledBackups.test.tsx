import type { StudioBackupState } from "@purse/server/studio-api";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { StudioApi } from "../../api.ts";
import { StudioContext } from "../../StudioContext.tsx";
import { ScheduledBackups } from "./ScheduledBackups.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Renders the section; returns the requests that it has sent. */
function open(state: Pick<StudioBackupState, "schedule" | "lastScheduled" | "sendsAlerts">) {
  const sent: string[] = [];
  vi.stubGlobal("fetch", async (url: string, options?: RequestInit) => {
    sent.push(`${options?.method} ${url.replace(/^.*\/studio\/api/, "")} ${options?.body ?? ""}`);
    return Response.json({});
  });
  render(
    <StudioContext value={new StudioApi()}>
      <QueryClientProvider client={new QueryClient()}>
        <ScheduledBackups {...state} />
      </QueryClientProvider>
    </StudioContext>,
  );
  return sent;
}

it("ScheduledBackups sets a daily schedule, and says that nobody is notified of failures", async () => {
  const sent = open({ sendsAlerts: false });
  expect(screen.getByText(/^Off\./)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Set up" }));
  const keep = await screen.findByLabelText(/^Backups to keep/);
  fireEvent.change(keep, { target: { value: "0" } });
  expect(await screen.findByText("Enter a number of backups from 1 to 1000.")).toBeTruthy();
  fireEvent.change(keep, { target: { value: "14" } });
  const save = screen.getByRole("button", { name: "Save" });
  await expect.poll(() => save.getAttribute("disabled")).toBeNull();
  fireEvent.click(save);
  await expect.poll(() => sent).toEqual(['PUT /backup-schedule {"cron":"17 3 * * *","keep":14}']);
});

it("ScheduledBackups shows a custom schedule with its failure, and turns it off", async () => {
  const sent = open({
    schedule: { cron: "0 */4 * * *", keep: 1, nextAt: new Date(Date.now() + 3_600_000).toISOString() },
    lastScheduled: { at: new Date().toISOString(), status: "failed", message: "the disk is full" },
    sendsAlerts: false,
  });
  expect(screen.getByText("0 */4 * * *")).toBeTruthy();
  expect(screen.getByText("1 backup")).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toContain("the disk is full");
  expect(screen.getByText(/^Nobody is notified/)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Turn off" }));
  for (const button of (await screen.findAllByRole("button", { name: "Turn off" })).slice(-1))
    fireEvent.click(button);
  await expect.poll(() => sent).toEqual(["DELETE /backup-schedule {}"]);
});
