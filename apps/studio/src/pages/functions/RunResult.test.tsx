// @vitest-environment happy-dom
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
