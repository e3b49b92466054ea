import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { RunResult } from "./RunResult.tsx";

vi.mock("../../components/useLogTail.ts", () => ({ useLogTail: () => ({ lines: [] }) }));

afterEach(cleanup);

it("RunResult names the response and the trace ID of a run", () => {
  const run = { at: "", params: "{}", as: "", result: { hello: "Ada" }, ms: 12, requestId: "a1-7", logs: [] };
  render(<RunResult run={run} />);
  for (const label of ["Response", "Trace ID"]) expect(screen.getByText(label)).toBeTruthy();
  expect(screen.getByRole("region", { name: "Trace ID" }).textContent).toBe("a1-7");
  expect(screen.getByText("No log output")).toBeTruthy();
});

it("RunResult shows the log of each run", () => {
  const run = { at: "", params: "{}", as: "", result: 1, ms: 12 };
  const line = { seq: 1, time: new Date().toISOString(), level: "info" as const, fields: {} };
  const { rerender } = render(
    <RunResult run={{ ...run, requestId: "a1", logs: [{ ...line, message: "first run" }] }} />,
  );
  expect(screen.getByText("first run")).toBeTruthy();
  rerender(<RunResult run={{ ...run, requestId: "a2", logs: [{ ...line, message: "second run" }] }} />);
  expect(screen.getByText("second run")).toBeTruthy();
  expect(screen.queryByText("first run")).toBeNull();
});
